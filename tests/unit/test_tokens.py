"""Counting by words is exact: what `ByWord` says is what the tokenizer says of the whole text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from word_pieces import word_pieces

from chunkers.tokens import ByWord

SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
ODD = [
    "[CLS]",
    "[MASK]",
    "|",
    "a|b",
    "e\u0301",
    "\u0301",
    "。",
    "“",
    "今天",
    "한국어",
    "ﬁ",
    "\ufffd",
    "\u200b",
    "x" * 120,
]

texts = st.lists(
    st.one_of(st.sampled_from([*SPACES, *ODD, "word", "Word,", "3.14", " "]), st.text(max_size=6)), max_size=12
).map("".join)


def alone(text):
    """What the tokenizer itself says of the whole text."""
    return len(word_pieces()._tokenizer.encode(text, add_special_tokens=False).ids)


@settings(max_examples=500, deadline=None)
@given(text=texts.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text)))
@example(text="today，今天 is\x1cone\u3000day [MASK]ed | a|b |")
def test_the_ruler_of_the_model_in_the_box_counts_as_its_tokenizer_does(text):
    assert word_pieces().count([text, text]) == [alone(text)] * 2


@pytest.mark.parametrize("space", SPACES, ids=[f"{ord(space):04x}" for space in SPACES])
def test_white_space_counts_as_it_does_to_the_tokenizer(space):
    assert word_pieces().count([f"ab{space}cd"]) == [alone(f"ab{space}cd")]


def test_each_distinct_word_is_counted_once():
    asked = []

    def count(words):
        asked.extend(words)
        return [len(word) for word in words]

    ruler = ByWord(count)
    assert ruler.count(["a bb a", "bb ccc", ""]) == [4, 5, 0]
    assert ruler.count(["ccc  a\n"]) == [4]
    assert sorted(asked) == ["a", "bb", "ccc"]


def test_what_is_remembered_is_bounded_and_changes_no_result():
    ruler = ByWord(lambda words: [len(word) for word in words])
    for number in range(20):
        word = f"{number}" * 1_000_000
        assert ruler.count([f"a {word}"]) == [1 + len(word)]
        assert sum(map(len, ruler._known)) <= 10_000_000
