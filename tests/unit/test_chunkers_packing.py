"""Content-defined packing: caps, fill, and how far an edit is felt."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import processor_seconds

from chunkers.packing import pack

units = st.lists(st.tuples(st.integers(0, 60), st.text(max_size=4), st.integers(0, 9)), max_size=80)


def runs_of(drawn, cap):
    return pack([each[0] for each in drawn], [each[1] for each in drawn], [each[2] for each in drawn], cap)


@settings(max_examples=300, deadline=None)
@given(drawn=units, cap=st.integers(1, 200))
def test_runs_tile_the_units_and_keep_to_the_cap(drawn, cap):
    runs = runs_of(drawn, cap)
    assert [at for first, last in runs for at in range(first, last)] == list(range(len(drawn)))
    for first, last in runs:
        assert first < last
        assert last - first == 1 or sum(each[0] for each in drawn[first:last]) <= cap
    assert runs_of(drawn, cap) == runs


def test_what_fits_is_one_run_and_nothing_is_none():
    assert pack([10, 20, 30], ["a", "b", "c"], [9, 9, 9], 60) == [(0, 3)]
    assert pack([], [], [], 60) == []


def test_a_unit_above_the_cap_is_a_run_of_its_own():
    assert pack([5, 100, 5], ["a", "b", "c"], [1, 1, 1], 10) == [(0, 1), (1, 2), (2, 3)]


def test_keys_may_be_bytes_numbers_or_text():
    assert pack([5, 5], [b"a", 7], [1, 1], 5) == pack([5, 5], ["x", "\ud800"], [1, 1], 5) == [(0, 1), (1, 2)]


def test_stronger_boundaries_are_cut_first():
    strengths = [7 if number % 8 == 7 else 4 for number in range(64)]
    ends = [last for _, last in pack([10] * 64, [str(number) for number in range(64)], strengths, 100)]
    assert ends == list(range(8, 65, 8))


def sentences(count, seed=3):
    rng = random.Random(seed)
    return [(rng.randint(40, 200), f"{rng.random()}", 4 if rng.random() < 0.8 else 7) for _ in range(count)]


def test_runs_are_well_filled_and_few_are_short():
    drawn = sentences(5000)
    filled = [sum(each[0] for each in drawn[first:last]) for first, last in runs_of(drawn, 1200)]
    assert sum(filled) / len(filled) >= 0.6 * 1200
    assert sum(size < 300 for size in filled) <= 0.05 * len(filled)


@pytest.mark.parametrize("edit", ["insert", "delete", "change"])
def test_an_edit_is_felt_in_few_runs(edit):
    drawn = sentences(2000)
    rng = random.Random(5)

    def contents(source):
        return {tuple(each[1] for each in source[first:last]) for first, last in runs_of(source, 1200)}

    before = contents(drawn)
    new = []
    for number in range(100):
        at = rng.randrange(len(drawn))
        fresh = [] if edit == "delete" else [(rng.randint(40, 200), f"new {number}", 4)]
        edited = drawn[:at] + fresh + drawn[at + (edit != "insert") :]
        new.append(len(contents(edited) - before))
    assert sum(new) / len(new) <= 1.6
    assert sorted(new)[94] <= 3


def test_time_is_linear():
    def seconds(count):
        drawn = sentences(count)
        return min(processor_seconds(lambda: runs_of(drawn, 1200)) for _ in range(3))

    assert seconds(40_000) <= 3 * seconds(20_000) + 0.05


def test_units_that_are_all_alike_are_packed_in_linear_time_and_full():
    begun = time.process_time()
    runs = pack([10] * 100_000, ["same"] * 100_000, [4] * 100_000, 1000)
    assert time.process_time() - begun < 5
    assert 1000 <= len(runs) <= 1100
