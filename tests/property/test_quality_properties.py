"""What the figures of any cut promise, over generated documents of every script."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import documents, rulers, word_pieces

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.chunk import Cut
from chunkers.document import Kind
from chunkers.quality import Lengths, assess
from chunkers.quality_edits import edit_locality, inserted
from chunkers.quality_endings import Endings

DOCUMENT = UUID(int=1)

some = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.mark.parametrize("name", ["fixed", "recursive", "structure"])
@some
@given(document=documents, ruler=rulers, data=st.data())
def test_coverage_and_overlap_are_counted_characters(name, document, ruler, data):
    whole = cut(DOCUMENT, document, build(name), ruler)
    kept = data.draw(st.lists(st.sampled_from(whole.children), unique=True) if whole.children else st.just([]))
    kept.sort(key=lambda child: child.start)
    found = assess([(document, Cut(whole.parents, tuple(kept)))], ruler)

    times = [0] * len(document.text)
    for child in kept:
        for at in range(child.start, child.end):
            times[at] += 1
    for block in document.blocks:
        if block.kind is Kind.METADATA:
            times[block.start : block.end] = [-1] * (block.end - block.start)
    visible = [time for time, char in zip(times, document.text, strict=True) if not char.isspace() and time >= 0]
    covered = sum(time > 0 for time in visible)
    assert found.coverage == (covered / len(visible) if visible else 1.0)
    assert found.overlap == (sum(time > 1 for time in visible) / covered if covered else 0.0)
    assert assess([(document, whole)], ruler).coverage == 1.0


@some
@given(document=documents, ruler=rulers)
def test_costs_are_sums_and_shares_are_shares(document, ruler):
    made = cut(DOCUMENT, document, build("recursive"), ruler)
    found = assess([(document, made)], ruler)
    assert found.children == len(made.children)
    assert found.index_tokens == sum(child.tokens for child in made.children)
    assert found.text_tokens == sum(ruler.count([child.text for child in made.children]))
    assert 0 <= found.mid_sentence <= 1
    assert 0 <= found.overlap <= 1


@given(st.lists(st.integers(0, 1000), min_size=1))
def test_lengths_are_in_order_and_occur(lengths):
    found = Lengths.of(lengths)
    ordered = [found.minimum, found.p5, found.median, found.p95, found.maximum]
    assert ordered == sorted(ordered)
    assert set(ordered) <= set(lengths)
    assert found.minimum <= found.mean <= found.maximum
    assert sum(length <= found.p95 for length in lengths) * 100 >= 95 * len(lengths)


@some
@given(document=documents, data=st.data())
def test_any_span_can_be_judged_and_white_space_after_it_changes_nothing(document, data):
    text = document.text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    endings = Endings(document)
    trimmed = start + len(text[start:end].rstrip())
    assert endings.amid(start, end) == endings.amid(start, trimmed)
    for block in document.blocks:
        assert not endings.amid(block.start, block.end)


@some
@given(document=documents, data=st.data())
def test_an_insertion_leaves_every_other_block_its_text(document, data):
    at = data.draw(st.integers(0, len(document.text)))
    edited = inserted(document, at, "new")
    assert len(edited.blocks) == len(document.blocks)
    for before, after in zip(document.blocks, edited.blocks, strict=True):
        was, now = document.text[before.start : before.end], edited.text[after.start : after.end]
        assert now == was or (before.start < at <= before.end and now.replace("new", "", 1) in (was, now))
    assert edited.text[:at] + edited.text[at + 3 :] == document.text


@settings(some, max_examples=15)
@given(document=documents, seed=st.integers(0, 5))
def test_edits_are_repeatable_and_each_costs_at_least_its_own_child(document, seed):
    ruler = word_pieces()

    def measured():
        return edit_locality(
            document, lambda edited: cut(DOCUMENT, edited, build("recursive"), ruler), edits=3, seed=seed
        )

    found = measured()
    assert found == measured()
    if found is not None:
        assert 1 <= found.mean <= found.p95
        assert found.tokens > found.mean
