"""Late chunking: which text is read for which children."""

from __future__ import annotations

from itertools import pairwise

import pytest
from chunking import document, made, prose, texts, word_pieces
from hypothesis import given
from hypothesis import strategies as st

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.chunk import Cut
from chunkers.identity import context_key, embedding_key
from chunkers.quality import assess
from chunkers.tokens import Characters
from corpus.staging import StagedDocument


def sections(*lengths: int) -> str:
    return "\n\n".join(
        f"## Part {number}\n\n" + "\n\n".join(prose(2, f"brook {number}.{at}") for at in range(length))
        for number, length in enumerate(lengths)
    )


def spans(found: Cut) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in found.contexts]


def test_a_document_that_the_model_reads_at_once_is_one_context():
    found = made(sections(2, 2), "late", size=30)
    assert len(found.children) > 2
    (context,) = found.contexts
    assert context.embedded_text == sections(2, 2)
    assert {child.embedded_text[slice(*child.place)] == child.text for child in found.children} == {True}


def test_by_default_several_children_are_read_together_however_little_the_model_reads():
    found = made(prose(60), "late")
    assert max(child.tokens for child in found.children) <= 254 // 4 + 2
    assert len(found.contexts) < len(found.children) / 2


def test_a_section_that_is_too_long_is_read_in_runs_each_with_whole_children_from_before_it():
    source = f"# Rivers\n\n## Long\n\n{prose(80)}\n\n## Short\n\n{prose(2, 'ponds')}"
    found = made(source, "late", size=40)
    inside = [child for child in found.children if child.section_path == ("Rivers", "Long")]
    starts, contexts = {child.start for child in inside}, dict.fromkeys(child.context for child in inside)
    assert len(contexts) > 3
    assert all(context.start in starts for context in contexts)
    assert all(after.start < before.end for before, after in pairwise(contexts))
    for before, after in pairwise(inside):
        if before.context != after.context:
            assert after.context.start <= before.start  # it is read with the child before it
    assert found.children[-1].context is None or found.children[-1].context.start > inside[-1].start


def test_no_context_reaches_into_the_section_before_the_one_that_it_begins_in():
    source = f"{prose(40)}\n\n## Next\n\n{prose(40, 'lakes')}"
    for child in made(source, "late", size=40).children:
        assert child.context
        assert "##" not in source[child.context.start + 1 : child.start]


def test_what_the_model_reads_carries_the_headings_that_stand_before_it():
    source = f"# Rivers\n\n## Long\n\n{prose(80)}"
    found = made(source, "late", size=40)
    assert {context.header for context in found.contexts if context.start} == {"Rivers > Long"}
    assert {context.header for context in found.contexts if not context.start} <= {""}
    bare = cut(found.children[0].id, document(source), build("late", {"size": 40}), word_pieces(), headers=False)
    assert {context.header for context in bare.contexts} == {""}
    assert spans(bare) == spans(found)


def test_metadata_is_never_read():
    source = f"---\ntitle: secret\n---\n\n{prose(4)}\n\n---\nnote: secret\n---\n\n{prose(4, 'lakes')}"
    found = made(source, "late", size=30)
    assert found.contexts
    assert not any("secret" in context.text for context in found.contexts)


def test_a_child_that_is_all_of_its_context_is_embedded_as_any_other():
    (child,) = made("One sentence alone.", "late").children
    assert (child.context, child.place, child.embedded_text) == (None, None, "One sentence alone.")


def test_two_equal_texts_in_one_context_have_two_keys_and_equal_contexts_share_theirs():
    found = made("Yes, it is.\n\nNo, it is not.\n\nYes, it is.", "late", size=6)
    first, _, last = found.children
    assert (first.text, first.context) == (last.text, last.context)
    rows = StagedDocument.of({}, found, settings="").children
    assert len({row["key"] for row in rows}) == 3
    other = made("Yes, it is.\n\nNo, it is not.\n\nYes, it is.", "late", size=6)
    assert [row["key"] for row in StagedDocument.of({}, other, settings="").children] == [row["key"] for row in rows]


@given(st.text(max_size=30), st.integers(0, 9), st.integers(0, 9), st.text(max_size=30))
def test_no_text_has_the_key_of_a_place_or_of_a_context(text, start, end, other):
    keys = [embedding_key(text, (start, end)), context_key(text), embedding_key(other)]
    assert len(set(keys)) == 3
    assert embedding_key(text, (start, end)) != embedding_key(text, (start, end + 1))


def test_an_edit_changes_the_contexts_near_it_alone():
    source = "\n\n".join(f"## Part {number}\n\n{prose(30, f'brook {number}')}" for number in range(12))
    before = {context.embedded_text for context in made(source, "late", size=40).contexts}
    place = source.index("Sentence 15 says something about brook 6")
    edited = f"{source[:place]}A dam was built. {source[place:]}"
    new = {context.embedded_text for context in made(edited, "late", size=40).contexts} - before
    assert 1 <= len(new) <= 4
    assert all("brook 6" in text for text in new)


def test_what_is_embedded_is_counted_once_for_all_children_that_it_is_read_for():
    source = document(sections(2, 2))
    found = made(source, "late", size=30)
    assert assess([(source, found)], word_pieces()).index_tokens == found.contexts[0].tokens


@pytest.mark.parametrize("unit", ["tokens", "characters"])
@pytest.mark.parametrize("size", [1, 7, 60, 200])
def test_whatever_the_size_no_context_is_longer_than_the_model_reads(unit, size):
    found = made(sections(1, 9, 1, 1, 30), "late", size=size, unit=unit)
    assert all(context.tokens <= 256 for context in found.contexts)
    assert "".join("".join(texts(found)).split()) == "".join(sections(1, 9, 1, 1, 30).split())


def test_a_ruler_that_reads_everything_has_one_context_for_all():
    found = made(sections(3, 3, 3), "late", Characters(), size=80)
    assert len(found.contexts) == 1
