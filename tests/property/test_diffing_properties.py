"""What a diff promises, whatever is wanted and stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.diffing import diff

rows = st.dictionaries(st.integers(0, 12), st.tuples(st.integers(0, 2), st.sampled_from(["", "header"])), max_size=12)


@given(rows, rows, st.randoms())
def test_applying_a_diff_to_what_is_stored_gives_what_is_wanted(wanted, stored, random):
    order = list(wanted.items())
    random.shuffle(order)
    made = diff(order, stored)
    after = dict(stored)
    for row_id in made.delete:
        del after[row_id]
    for row_id, state in made.insert:
        assert row_id not in after
        after[row_id] = state
    for row_id, state in made.move:
        assert row_id in after
        after[row_id] = state
    assert after == wanted


@given(rows, rows)
def test_nothing_equal_is_written_and_each_row_has_one_fate(wanted, stored):
    made = diff(wanted.items(), stored)
    assert all(stored.get(row_id) != state for row_id, state in (*made.insert, *made.move))
    fates = [*dict(made.insert), *made.keep, *dict(made.move), *made.delete]
    assert len(fates) == len(set(fates))
    assert set(fates) == set(wanted) | set(stored)


@given(rows)
def test_a_diff_against_oneself_writes_nothing(wanted):
    assert diff(wanted.items(), wanted).writes == 0
