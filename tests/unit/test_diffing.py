"""Wanted rows against stored rows."""

from __future__ import annotations

from uuid import UUID

import pytest

from corpus.diffing import Diff, diff

A, B, C, D = (UUID(int=number) for number in (1, 2, 3, 4))


def test_equal_rows_are_kept_and_nothing_is_written():
    made = diff([(A, ("p", 0)), (B, ("p", 1))], {A: ("p", 0), B: ("p", 1)})
    assert made == Diff(insert=(), keep=(A, B), move=(), delete=())
    assert made.writes == 0


def test_each_kind_of_difference_is_found():
    made = diff([(A, "first"), (C, "second"), (D, "third")], {A: "first", B: "second", C: "third"})
    assert made == Diff(insert=((D, "third"),), keep=(A,), move=((C, "second"),), delete=(B,))
    assert made.writes == 3


def test_the_first_cut_inserts_everything():
    assert diff([(B, 1), (A, 0)], {}) == Diff(insert=((A, 0), (B, 1)), keep=(), move=(), delete=())


def test_an_empty_cut_deletes_everything():
    assert diff([], {B: 1, A: 0}) == Diff(insert=(), keep=(), move=(), delete=(A, B))


def test_writers_get_the_rows_in_the_order_of_their_ids():
    made = diff([(D, 0), (B, 0), (C, 1), (A, 1)], {C: 0, A: 0})
    assert [row_id for row_id, _ in made.insert] == [B, D]
    assert [row_id for row_id, _ in made.move] == [A, C]


def test_two_wanted_rows_with_one_id_are_refused():
    with pytest.raises(ValueError, match=str(A)):
        diff([(A, 0), (A, 1)], {})
