"""`fixed`: windows."""

from __future__ import annotations

from math import ceil

import pytest
from chunking import document, made, prose, texts, word_pieces
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.errors import ConfigError
from chunkers.tokens import Characters


@settings(max_examples=100, deadline=None)
@given(length=st.integers(1, 3000), size=st.integers(1, 400), share=st.floats(0, 0.99), parent=st.integers(1, 3000))
def test_the_number_of_windows_follows_the_formula_however_many_parents_there_are(length, size, share, parent):
    overlap = int(size * share)
    found = made("x" * length, "fixed", Characters(), unit="characters", size=size, overlap=overlap, parent_size=parent)
    assert len(found.children) == max(1, ceil((length - overlap) / (size - overlap)))
    assert [child.start for child in found.children] == [n * (size - overlap) for n in range(len(found.children))]
    ends = {parent.id: parent.end for parent in found.parents}
    for child in found.children:
        assert child.end == min(child.start + size, ends[child.parent_id])
    assert [parent.start for parent in found.parents] == [0, *(parent.end for parent in found.parents[:-1])]


def test_a_window_does_not_end_inside_a_grapheme():
    family = "👩‍👩‍👧‍👦"
    found = made(family * 10, "fixed", Characters(), unit="characters", size=10, overlap=0)
    assert texts(found) == [family] * 10


def test_windows_of_tokens_are_full_and_end_between_words():
    found = made(prose(100), "fixed", overlap=0)
    assert " ".join(texts(found)) == prose(100)
    assert all(child.tokens > 240 for child in found.children[:-2] if child.end not in {p.end for p in found.parents})
    assert max(child.tokens for child in found.children) <= 256


def test_the_default_overlap_is_a_tenth_and_stays_inside_the_parent():
    found = made(prose(100), "fixed", size=100)
    shared = 0
    for before, after in zip(found.children, found.children[1:], strict=False):
        if before.parent_id == after.parent_id:
            tokens = word_pieces().count([before.text[after.start - before.start :]])[0]
            assert 0 < tokens <= 10
            shared += 1
        else:
            assert after.start >= before.end
    assert shared > 5


def test_a_log_is_cut_between_lines_and_windows_share_none():
    lines = [f"2026-11-29 02:00:{number % 60:02} INFO worker-{number} finished batch {number}" for number in range(200)]
    source = document("\n".join(lines) + "\n", "text/x-log")
    found = made(source, "fixed")
    assert len(found.children) > 5
    assert [line for text in texts(found) for line in text.split("\n")] == lines
    longer = document("\n".join([*lines, "2026-11-29 03:00:00 INFO done"]) + "\n", "text/x-log")
    before, after = ({child.id for child in made(each, "fixed").children} for each in (source, longer))
    assert len(after - before) <= 1


@pytest.mark.parametrize("overlap", [-1, 100, 101])
def test_an_overlap_that_is_not_below_the_size_is_a_configuration_error(overlap):
    with pytest.raises(ConfigError, match="overlap must be"):
        made("x", "fixed", size=100, overlap=overlap)


def test_an_overlap_that_the_default_size_cannot_hold_is_a_configuration_error():
    with pytest.raises(ConfigError, match="below size 30"):
        made("x", "fixed", word_pieces(32), overlap=40)
