"""How long a sync would take, told from what earlier runs did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.estimating import Work, estimate, seconds


def stage(name: str, took: float, *, documents: float = 0, size: float = 0, tokens: float = 0):
    return {"stage": name, "seconds": took, "documents": documents, "bytes": size, "tokens": tokens}


HISTORY = [
    stage("prepare", 12.0, documents=10, size=1_000_000),
    stage("prepare", 22.0, documents=20, size=2_000_000),
    stage("embed", 5.0, tokens=1000),
    stage("publish", 1.0, documents=10),
]


def test_nothing_to_do_takes_no_time_whatever_the_history():
    assert seconds(Work(), []) == {"prepare": 0, "embed": 0, "publish": 0, "total": 0}


def test_work_of_a_kind_that_no_run_has_done_yet_cannot_be_told():
    assert seconds(Work(read=1, bytes=100, publish=1), []) is None
    assert seconds(Work(tokens=10), [stage("publish", 1.0, documents=1)]) is None


def test_each_stage_is_told_by_what_costs_it_time():
    said = seconds(Work(read=30, bytes=3_000_000, tokens=2000, publish=30), HISTORY)
    assert said == {"prepare": 32.0, "embed": 10.0, "publish": 3.0, "total": 45.0}


def test_documents_that_are_only_cut_are_told_by_their_number():
    said = seconds(Work(cut=30), HISTORY)
    assert said is not None
    assert said["prepare"] == 32.0


def test_many_small_runs_do_not_make_a_large_one_look_slow():
    """Each starts for three seconds and embeds five tokens; the first sync embedded 100,000 in 103 seconds."""
    small = [(5.0, 3.005)] * 19
    assert estimate(200_000, [*small, (100_000.0, 103.0)]) == pytest.approx(203, rel=0.01)


def test_where_more_was_faster_the_average_decides():
    assert estimate(10, [(10.0, 4.0), (20.0, 2.0)]) == pytest.approx(2.0)


@given(
    st.lists(st.tuples(st.floats(1, 1e9), st.floats(0.001, 1e6)), min_size=1, max_size=20),
    st.floats(1, 1e9),
    st.floats(1, 10),
)
def test_more_work_never_takes_less_time_and_no_time_is_negative(seen, units, factor):
    less, more = estimate(units, seen), estimate(units * factor, seen)
    assert less is not None
    assert more is not None
    assert 0 <= less <= more * (1 + 1e-9)
