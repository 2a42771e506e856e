"""What the bench says of chunks: cuts through sentences, files rebuilt, chunks that parse, chunks that are new."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.judging import Source, ends_mid_sentence, new_chunks, parses, percentile


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It rained.", " Then it stopped."),
        ("It rained.”", " Then it stopped."),
        ("(It rained!)", " then it stopped."),
        ("He said nothing …", " and left."),
        ("下雨了。", "后来停了。"),
        ("他说：“下雨了。”", "后来停了。"),
        ("A heading", "\nand its text"),
        ("the last words", "  "),
    ],
)
def test_a_cut_where_a_sentence_or_a_line_ends_goes_through_none(before: str, after: str):
    assert not ends_mid_sentence(before + after, len(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It rained and", " then it stopped."),
        ("It rained,", " then it stopped."),
        ("about 3.", "5 metres"),
        ("Renn et al.", " 1999 found"),
        ("see Fig.", " 3 for"),
        ("by J.", " Smith of Leeds"),
        ("下雨了，", "后来停了。"),
        ("下雨了", "。后来停了。"),
        ("”", " he said"),
    ],
)
def test_a_cut_in_a_sentence_a_number_or_a_name_goes_through_it(before: str, after: str):
    assert ends_mid_sentence(before + after, len(before))


def test_chunks_are_found_in_their_text_whatever_white_space_they_lost():
    source = Source("One  sentence.\nTwo of\tthem. One sentence. The end")
    assert list(source.cuts(["One sentence.", "Two of", "them. One sentence.", "The end"])) == [False, True, False]
    assert source.is_rebuilt_from(["One sentence.", "Two of", "them. One sentence.", "The end"])


def test_a_chunk_that_is_not_in_the_text_is_not_judged():
    source = Source("One sentence. Two of them.")
    assert list(source.cuts(["one sentence.", "Two of them."])) == [None]
    assert not source.is_rebuilt_from(["one sentence.", "Two of them."])
    assert not source.is_rebuilt_from(["Two of them.", "One sentence."])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab .\n。", max_size=8), max_size=6))
def test_the_pieces_of_a_text_rebuild_it_and_are_all_found_in_it(pieces: list[str]):
    source = Source("".join(pieces))
    assert source.is_rebuilt_from(pieces)
    assert None not in list(source.cuts(pieces))


def test_a_piece_of_python_stands_alone_when_it_parses_moved_to_the_left():
    assert parses("    def f(self):\n        return 1\n")
    assert not parses("def f(self):\n        return 1\n    def g(self):\n        return 2\n")
    assert not parses("class A:")
    assert not parses("a\0b")


def test_chunks_are_new_that_were_not_there_as_often_before():
    assert new_chunks(["a", "b"], ["b", "a"]) == 0
    assert new_chunks(["a", "b"], ["a", "c", "a"]) == 2


def test_a_percentile_is_one_of_the_figures():
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([3.0], 0.95) == 3.0
    assert percentile([9, 1, 2], 0.5) == 2
