"""`recursive`: paragraphs, sentences, clauses, words, graphemes."""

from __future__ import annotations

import pytest
from chunking import document, made, prose, texts, word_pieces
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.errors import ConfigError
from chunkers.tokens import Characters


def test_paragraphs_share_a_child_up_to_the_size_and_are_not_cut():
    paragraphs = [prose(5, f"matter {number}") for number in range(40)]
    found = made("\n\n".join(paragraphs), "recursive", overlap=0)
    assert [each for text in texts(found) for each in text.split("\n\n")] == paragraphs
    assert len(found.children) < 30


def test_a_long_paragraph_is_cut_between_sentences_and_neighbours_share_whole_ones():
    found = made(prose(200), "recursive")
    assert all(text.startswith("Sentence ") and text.endswith("banks.") for text in texts(found))
    shared = [
        before.end - after.start
        for before, after in zip(found.children, found.children[1:], strict=False)
        if before.parent_id == after.parent_id
    ]
    assert len(shared) > 5
    assert min(shared) > 0
    assert max(child.tokens for child in found.children) <= 256


def test_a_long_sentence_is_cut_between_clauses_and_a_long_clause_between_words():
    clauses = ", ".join(f"the {number}th reason was that nobody had asked" for number in range(40)) + "."
    found = made(clauses, "recursive", overlap=0)
    assert len(found.children) > 1
    assert all(text.endswith((",", ".")) for text in texts(found))
    words = " ".join(f"word{number}" for number in range(300))
    assert " ".join(texts(made(words, "recursive", overlap=0))) == words


@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_a_long_word_is_cut_between_graphemes(size):
    found = made("e\u0301" * 200, "recursive", Characters(), unit="characters", size=max(2, size), overlap=0)
    assert "".join(texts(found)) == "e\u0301" * 200
    assert all(text.startswith("e") for text in texts(found))


def test_chinese_is_cut_after_its_sentences():
    sentences = [f"这是第{number}个句子，它说的是一件小事。" for number in range(100)]
    found = made("".join(sentences), "recursive")
    assert len(found.children) > 5
    assert all(text.endswith("。") for text in texts(found))
    assert max(child.tokens for child in found.children) <= 256


def test_lines_that_are_wrapped_are_not_taken_for_sentences():
    wrapped = prose(60).replace(" something ", " something\n")
    assert all(text.endswith("banks.") for text in texts(made(wrapped, "recursive", overlap=0)))


def test_headings_go_with_what_follows_and_are_the_path_of_what_lies_below_them():
    found = made(f"# A\n\n{prose(40)}\n\n# B\n\n{prose(40)}", "recursive", size=120)
    assert not any(text.split("\n")[-1].startswith("#") for text in texts(found))
    assert {("A",), ("B",)} <= {child.section_path for child in found.children}


def test_parents_are_windows_of_children_where_there_are_no_sections():
    found = made("\n\n".join(prose(5, f"matter {number}") for number in range(150)), "recursive")
    assert len(found.parents) > 3
    assert sum(parent.tokens for parent in found.parents) / len(found.parents) > 600
    assert max(parent.tokens for parent in found.parents) <= 1200


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.integers(1, 70), min_size=1, max_size=12), size=st.integers(10, 60))
def test_no_child_is_longer_than_the_size_by_the_tokens_of_its_own_text(words, size):
    found = made("\n\n".join("river " * (count - 1) + "boats." for count in words), "recursive", size=size, overlap=0)
    assert max(word_pieces().count(texts(found))) <= size


def test_an_overlap_that_is_not_below_the_size_is_a_configuration_error():
    with pytest.raises(ConfigError, match="overlap must be at least 0 and below size 50"):
        made(document("x"), "recursive", size=50, overlap=50)
    with pytest.raises(ConfigError, match="below size 30"):
        made("x", "recursive", word_pieces(32), overlap=30)


@pytest.mark.parametrize(
    "whole",
    [
        "16 A",
        "20 °C",
        "5 кг",
        "3:45 p.m.",
        "1 000 km",
        "Art. 5 (1) (a)",
        "№ 5",
        "J. R. R. Tolkien",
        "± 0.5 V",
        "ISO 9001",
    ],
)
def test_a_number_with_its_unit_and_an_initial_with_its_name_are_not_bisected_in_a_long_sentence(whole):
    words = [f"word{number} {whole} and more" for number in range(30)]
    for size in (len(whole) + 12, len(whole) + 25, len(whole) + 40):
        found = made(" ".join(words), "recursive", Characters(), unit="characters", size=size, overlap=0)
        assert sum(text.count(whole) for text in texts(found)) == len(words)


def test_no_cut_is_before_a_character_that_stands_on_the_one_before_it():
    found = made("one two \u0301three four, \u0301five " * 20, "recursive", unit="characters", size=30, overlap=0)
    assert not any(text.startswith("\u0301") for text in texts(found))
