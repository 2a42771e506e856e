"""A sentence is found and read with its neighbours."""

from __future__ import annotations

import pytest
from chunking import document, made, prose, texts, word_pieces

from chunkers.assembly import check
from chunkers.base import build
from chunkers.document import Kind
from chunkers.errors import ConfigError, CutError

FERRY = [
    "The ferry leaves at nine.",
    "It costs 4.50 crowns, as Dr. Holm says.",
    "Dogs travel free!",
    "Bicycles do not.",
    "The crossing takes an hour.",
    "There is a café on board.",
    "It closes early.",
]


def contexts(found):
    parents = {parent.id: parent.text for parent in found.parents}
    return [parents[child.parent_id] for child in found.children]


@pytest.mark.parametrize("window", [0, 1, 2, 6, 50])
def test_each_sentence_is_a_child_and_its_parent_the_window_around_it(window):
    found = made(" ".join(FERRY), "sentence_window", window=window)
    assert texts(found) == FERRY
    assert contexts(found) == [" ".join(FERRY[max(0, at - window) : at + window + 1]) for at in range(len(FERRY))]


def test_chinese_sentences_need_no_spaces_between_them():
    found = made("渡轮九点出发。票价四元五角。狗免费。", "sentence_window", window=1)
    assert texts(found) == ["渡轮九点出发。", "票价四元五角。", "狗免费。"]
    assert contexts(found)[0] == "渡轮九点出发。票价四元五角。"


def test_a_window_crosses_paragraphs_and_stays_in_its_section():
    source = "# Ferry\n\nIt leaves at nine.\n\nIt is white.\n\n# Train\n\nIt leaves at ten. It is red.\n"
    found = made(source, "sentence_window", window=2)
    assert texts(found) == [
        "# Ferry\n\nIt leaves at nine.",
        "It is white.",
        "# Train\n\nIt leaves at ten.",
        "It is red.",
    ]
    assert contexts(found)[1] == "# Ferry\n\nIt leaves at nine.\n\nIt is white."
    assert contexts(found)[2] == "# Train\n\nIt leaves at ten. It is red."
    assert [child.header for child in found.children] == ["", "Ferry", "", "Train"]
    assert [parent.section_path for parent in found.parents] == [("Ferry",)] * 2 + [("Train",)] * 2


def test_tables_code_and_a_list_with_the_sentence_that_leads_it_in_are_not_torn():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    code = "```\nx = 1. Then\n\ny = 2\n```"
    items = "- One. And more.\n- Two."
    found = made(f"A word first. You need:\n\n{items}\n\n{table}\n\n{code}\n\nThe end. Really.\n", "sentence_window")
    assert texts(found) == ["A word first.", f"You need:\n\n{items}", table, code, "The end.", "Really."]
    assert found.children[2].kind is Kind.TABLE


def test_a_table_that_is_too_long_is_cut_between_rows_with_its_header_repeated():
    rows = "\n".join(f"| name {number} | value {number} |" for number in range(60))
    found = made(f"Before. \n\n| name | value |\n|---|---|\n{rows}\n", "sentence_window", size=80)
    assert len(found.children) > 5
    assert all(child.header.startswith("| name | value |") for child in found.children[2:])


def test_a_sentence_that_is_too_long_is_cut_and_a_window_is_never_longer_than_a_parent():
    endless = "and ".join(f"part {number} of it, " for number in range(120)) + "ends."
    found = made(f"{prose(6)} {endless} {prose(6, 'seas')}", "sentence_window", window=9, parent_size=300)
    assert max(child.tokens for child in found.children) <= 256
    assert max(parent.tokens for parent in found.parents) <= 300
    assert max(len(text) for text in contexts(found)) > 900


def test_what_has_no_word_in_it_is_no_sentence_of_its_own():
    found = made("He came. 🎉 She went. ... ! They sat down.", "sentence_window", window=0)
    assert all(any(char.isalnum() for char in text) for text in texts(found))


def test_only_windows_may_overlap():
    source = document(" ".join(FERRY))
    found = made(source, "sentence_window")
    check(source, found.parents, found.children, word_pieces())
    first, second, *others = found.parents
    object.__setattr__(second, "window", False)
    with pytest.raises(CutError, match="overlaps the one before it"):
        check(source, [first, second, *others], found.children, word_pieces())


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "3"])
def test_a_window_is_a_number_of_sentences(wrong):
    with pytest.raises(ConfigError, match="window must be a whole number"):
        build("sentence_window", {"window": wrong})
