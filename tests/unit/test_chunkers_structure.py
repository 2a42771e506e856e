"""`structure`: sections, tiny siblings, lists, tables, code; and what an edit leaves alone."""

from __future__ import annotations

import pytest
from chunking import document, made, prose, texts, word_pieces

from chunkers.document import Kind
from chunkers.errors import ConfigError


def test_a_section_that_fits_is_one_child_with_its_heading_in_it_and_not_in_its_header():
    text = f"# Guide\n\n{prose(9)}\n\n## Install\n\n{prose(10)}\n\n### Linux\n\n{prose(11)}\n"
    found = made(text, "structure")
    assert texts(found) == [
        f"# Guide\n\n{prose(9)}",
        f"## Install\n\n{prose(10)}",
        f"### Linux\n\n{prose(11)}",
    ]
    assert [child.section_path for child in found.children] == [
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "Linux"),
    ]
    assert [child.header for child in found.children] == ["", "Guide", "Guide > Install"]
    assert [child.lines for child in found.children] == [(1, 3), (5, 7), (9, 11)]


def test_the_later_pieces_of_a_long_section_carry_its_whole_path():
    found = made(f"# Guide\n\n## Install\n\n{prose(70)}\n", "structure")
    assert len(found.children) > 2
    assert found.children[0].header == ""
    assert {child.header for child in found.children[1:]} == {"Guide > Install"}


def test_a_long_paragraph_is_cut_between_sentences():
    found = made(prose(80), "structure")
    assert len(found.children) > 3
    assert all(text.startswith("Sentence ") and text.endswith("banks.") for text in texts(found))


@pytest.mark.parametrize("sentences", range(26, 100, 7))
def test_a_section_of_a_few_sizes_is_cut_no_oftener_than_the_length_of_its_sentences_asks_for(sentences):
    text = f"# Rivers\n\n{prose(sentences)}"
    tokens, longest, header = word_pieces().count([text, prose(100).split(". ")[-1], "Rivers"])
    # of a child there is room for the header and the blank line below it; what it lacks of that is less than a sentence
    filled = 254 - (header + 2) - longest
    assert len(made(text, "structure").children) <= -(-tokens // filled)


def test_tiny_siblings_share_a_child_and_longer_ones_do_not():
    tiny = "\n\n".join(f"## Option {name}\n\nTurns {name} on." for name in "abc")
    found = made(f"# Options\n\n{tiny}\n\n## Long\n\n{prose(12)}\n\n# Next\n\nShort.\n", "structure")
    assert len(found.children) == 3
    assert found.children[0].text == f"# Options\n\n{tiny}"
    assert found.children[0].section_path == ("Options",)
    assert found.children[1].text.startswith("## Long")
    assert found.children[2].text == "# Next\n\nShort."


def test_a_heading_is_never_parted_from_the_text_below_it():
    text = f"# A\n\n{prose(20)}\n\n## B\n\n### C\n\n{prose(40)}\n\n## D\n\n{prose(21)}\n"
    for size in (60, 100, 254):
        for child in made(text, "structure", size=size).children:
            assert not child.text.split("\n")[-1].startswith("#"), child.text[-80:]


def test_a_list_that_fits_stays_with_its_lead_in():
    items = "\n".join(f"- Step {number} does one small thing" for number in range(10))
    text = f"# Steps\n\n{prose(14)}\n\n{prose(3, 'steps')} They are:\n\n{items}\n\n{prose(15)}\n"
    found = made(text, "structure")
    assert sum(f"They are:\n\n{items}" in child for child in texts(found)) == 1


def test_a_list_that_does_not_fit_is_cut_between_items_and_its_lead_in_goes_with_the_first():
    items = [f"- Item {number}: {prose(2)}" for number in range(30)]
    found = made("The items are:\n\n" + "\n".join(items), "structure")
    assert texts(found)[0].startswith("The items are:\n\n- Item 0")
    lines = [line for text in texts(found) for line in text.split("\n") if line.startswith("- ")]
    assert lines == items


def test_a_table_that_fits_is_whole():
    table = "| name | use |\n| --- | --- |\n" + "\n".join(f"| n{number} | use {number} |" for number in range(12))
    found = made(f"# T\n\n{prose(15)}\n\n{table}\n\n{prose(15)}\n", "structure")
    assert sum(table in text for text in texts(found)) == 1


def test_a_table_that_does_not_fit_is_cut_between_rows_and_repeats_its_header_row_in_the_header():
    rows = [f"| parameter_{number} | what parameter {number} is good for |" for number in range(60)]
    table = "\n".join(["| name | meaning |", "| --- | --- |", *rows])
    found = made(f"# Settings\n\nAll of them:\n\n{table}\n\nThe end.\n", "structure")
    parts = [child for child in found.children if "| parameter_" in child.text]
    assert len(parts) > 2
    assert [line for part in parts for line in part.text.split("\n") if line.startswith("| parameter")] == rows
    assert parts[0].text.startswith("# Settings\n\nAll of them:\n\n| name | meaning |")
    assert {part.header for part in parts[1:]} == {"Settings\n| name | meaning |"}
    assert all("| name | meaning |" not in part.text for part in parts[1:])


def test_an_html_table_is_cut_between_rows_too():
    rows = [f"<tr><td>parameter {number}</td><td>{prose(1)}</td></tr>" for number in range(40)]
    text = "<table>\n<tr><th>Name</th><th>Meaning</th></tr>\n" + "\n".join(rows) + "\n</table>"
    source = document(text)
    block = type(source.blocks[0])(Kind.TABLE, 0, len(text))
    found = made(type(source)(text=text, blocks=(block,), media_type="text/markdown", text_is_source=True), "structure")
    assert len(found.children) > 2
    assert all(text.count("<tr>") == text.count("</tr>") for text in texts(found))
    assert {child.header for child in found.children[1:]} == {"Name Meaning"}


def test_a_code_fence_is_whole_if_it_fits_and_is_cut_between_lines_if_not():
    fence = "```python\n" + "\n".join(f"value_{number} = {number}" for number in range(20)) + "\n```"
    found = made(f"# C\n\n{prose(14)}\n\n{fence}\n\n{prose(15)}", "structure")
    assert sum(fence in text for text in texts(found)) == 1
    lines = ["```python", *(f"    value_{number} = call({number})" for number in range(200)), "```"]
    found = made("\n".join(lines), "structure")
    assert len(found.children) > 3
    assert [line for text in texts(found) for line in text.split("\n")] == lines


def test_metadata_is_in_no_child_and_no_child_reaches_across_it():
    found = made("---\ntitle: x\n---\n\n# A\n\nBefore.\n\n---\nlicence: y\n---\n\nAfter.\n", "structure")
    assert texts(found) == ["# A\n\nBefore.", "After."]


def test_text_that_no_block_holds_is_cut_all_the_same():
    source = document("# A\n\nFirst.\n\nLoose words.\n\nLast.\n")
    kept = tuple(block for block in source.blocks if "Loose" not in source.text[block.start : block.end])
    found = made(
        type(source)(text=source.text, blocks=kept, media_type="text/markdown", text_is_source=True), "structure"
    )
    assert "Loose words." in "".join(texts(found))


def test_parents_are_sections_or_runs_of_tiny_siblings_or_windows_of_a_long_section():
    tiny = "\n\n".join(f"## Note {name}\n\n{prose(8, name)}" for name in ("a", "b", "c"))
    text = f"# Doc\n\n## Long\n\n{prose(260)}\n\n## Whole\n\n{prose(40)}\n\n{tiny}\n"
    found = made(text, "structure")
    paths = [parent.section_path for parent in found.parents]
    assert paths.count(("Doc", "Long")) + paths.count(("Doc",)) >= 4
    assert ("Doc", "Whole") in paths
    assert all(parent.tokens <= 1200 for parent in found.parents)
    assert found.parents[-1].text == tiny
    assert found.parents[-1].section_path == ("Doc",)


def sections(*bodies: str) -> str:
    return "# Book\n\n" + "\n\n".join(f"## Chapter {number}\n\n{body}" for number, body in enumerate(bodies)) + "\n"


BODIES = [prose(lengths, f"topic {number}") for number, lengths in enumerate((5, 30, 80, 3, 12, 150, 25, 4, 60))]


def test_a_paragraph_at_the_top_leaves_the_children_and_parents_of_later_sections_as_they_were():
    before = made(sections(*BODIES), "structure")
    after = made(sections(prose(40, "news") + "\n\n" + BODIES[0], *BODIES[1:]), "structure")

    def later(found):
        kept = [child for child in found.children if "Chapter 0" not in child.section_path]
        parents = {child.parent_id for child in kept}
        return [child.id for child in kept][1:], [p.id for p in found.parents if p.id in parents][1:]

    assert later(before) == later(after)
    assert len(later(before)[0]) > 20


@pytest.mark.parametrize("chapter", range(9))
def test_a_sentence_more_at_the_end_of_a_section_changes_two_children_at_most(chapter):
    changed = [*BODIES]
    changed[chapter] += " And one more sentence at the end of it."
    before = {child.id for child in made(sections(*BODIES), "structure").children}
    after = {child.id for child in made(sections(*changed), "structure").children}
    assert len(after - before) <= 2
    assert len(before - after) <= 2


def test_the_default_size_is_what_the_model_reads_and_a_larger_one_that_is_asked_for_is_refused():
    assert max(child.tokens for child in made(prose(100), "structure").children) <= 256
    with pytest.raises(ConfigError, match=r"size 400 is more than the model reads \(254\)"):
        made(prose(3), "structure", size=400)


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"size": "big"}, {"size": 2.5}, {"parent_size": 0}, {"unit": "words"}, {"colour": 1}]
)
def test_a_setting_that_makes_no_sense_is_a_configuration_error(wrong):
    with pytest.raises(ConfigError):
        made(prose(3), "structure", **wrong)


def test_sizes_in_characters_are_characters():
    found = made(prose(40), "structure", unit="characters", size=300)
    assert 150 < sum(map(len, texts(found))) / len(found.children) <= 300
    assert max(map(len, texts(found))) <= 300
    assert all(child.tokens <= word_pieces().cap for child in found.children)


def test_what_stands_in_an_item_of_a_list_that_is_too_long_stays_with_its_item():
    steps = [f"{number}. Do step {number}:\n\n   ```sh\n   run step {number}\n   ```" for number in range(1, 30)]
    found = made("Do this:\n\n" + "\n\n".join(steps), "structure", size=60)
    assert len(found.children) > 3
    assert all(any(step in text for text in texts(found)) for step in steps)


def test_what_a_term_means_stays_with_the_term():
    terms = [f"Term {number}\n: What term {number} means in this glossary." for number in range(30)]
    found = made("\n\n".join(terms), "structure", size=40)
    assert len(found.children) > 3
    assert all(any(term in text for text in texts(found)) for term in terms)
