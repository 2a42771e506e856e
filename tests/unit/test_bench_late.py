"""What `make bench-late` counts."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from bench import late
from bench.late import Question
from chunkers.chunk import Child
from chunkers.document import Kind


def child(start: int, end: int) -> Child:
    return Child(UUID(int=start), UUID(int=1), 0, start, end, (), (), None, Kind.PARAGRAPH, "", "x" * (end - start), 9)


def test_children_are_taken_nearest_first_while_the_budget_has_room_for_them():
    placed = [("a", child(0, 10)), ("a", child(10, 20)), ("b", child(0, 5))]
    vectors = np.array([[0.1, 0], [0.9, 0], [0.5, 0]], dtype=np.float32)
    index = late._Index(placed, [4, 30, 5], vectors)
    asked = np.array([1, 0], dtype=np.float32)
    assert list(index.nearest(asked, 40)) == [placed[1], placed[2], placed[0]]
    assert list(index.nearest(asked, 12)) == [placed[2], placed[0]]


def test_what_is_found_is_the_share_of_the_answers_characters_in_the_same_corpus():
    question = Question("?", "a", ((5, 15), (12, 25)))  # 20 characters, three of them twice
    assert late._recall(question, iter([("a", child(0, 10))])) == pytest.approx(5 / 20)
    assert late._recall(
        question, iter([("a", child(0, 10)), ("a", child(8, 14)), ("b", child(0, 30))])
    ) == pytest.approx(9 / 20)
    assert late._recall(question, iter([])) == 0


def test_without_data_it_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.delenv("KERF_TEST_DATA", raising=False)
    assert late.main([]) == 2
    assert "KERF_TEST_DATA is not set" in capsys.readouterr().err
