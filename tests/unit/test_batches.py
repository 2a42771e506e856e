"""Documents spread over mapped tasks."""

from __future__ import annotations

import pytest

from corpus.batches import Load, kind_of, shape, spread


def batches(loads: list[Load], *, documents: int, size: int, most: int = 400) -> list[list[Load]]:
    """The batches of some documents, which come as the planner has them: by kind, the largest first."""
    in_order = sorted(loads, key=lambda load: (load.kind, -load.size))
    made = shape(len(loads), sum(load.size for load in loads), documents=documents, size=size, most=most)
    found: list[list[Load]] = [[] for _ in range(made.count)]
    for load, batch in zip(in_order, spread(in_order, made), strict=True):
        found[batch].append(load)
    return found


def test_no_documents_make_no_batches():
    assert batches([], documents=50, size=1000) == []


def test_batches_are_as_many_as_the_number_of_documents_asks_for():
    made = batches([Load(10, "md")] * 100, documents=30, size=1 << 30)
    assert [len(batch) for batch in made] == [25, 25, 25, 25]


def test_batches_are_as_many_as_the_bytes_ask_for():
    made = batches([Load(1_000_000, "md")] * 8, documents=50, size=2_000_000)
    assert [len(batch) for batch in made] == [2, 2, 2, 2]


def test_every_kind_is_spread():
    made = batches([Load(5_000_000, "pdf")] * 4 + [Load(20_000, "md")] * 40, documents=11, size=1 << 30)
    assert [sorted(load.kind for load in batch) for batch in made] == [["md"] * 10 + ["pdf"]] * 4


def test_a_huge_document_leaves_the_small_ones_to_the_other_batches():
    made = batches([Load(100_000_000, "pdf")] + [Load(1_000_000, "pdf")] * 20, documents=50, size=60_000_000)
    assert [len(batch) for batch in made] == [1, 20]


def test_documents_without_bytes_spread_too():
    made = batches([Load(0, "md")] * 100, documents=10, size=1000)
    assert [len(batch) for batch in made] == [10] * 10


def test_there_are_never_more_batches_than_allowed():
    made = batches([Load(10, "md")] * 1000, documents=1, size=10, most=7)
    assert sorted(len(batch) for batch in made) == [142, 143, 143, 143, 143, 143, 143]


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("a/b.PDF", "pdf"),
        ("b.tar.gz", "gz"),
        ("Makefile", ""),
        (".profile", ""),
        ("a/.profile", ""),
        ("v1.2/README", ""),
        ("log.20260302", ""),
        ("chapter 3. On the sea", ""),
        ("a.", ""),
    ],
)
def test_the_kind_of_a_document_is_the_ending_of_its_name(uri, kind):
    assert kind_of(uri) == kind
