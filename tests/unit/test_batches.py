"""Documents spread over mapped tasks."""

from __future__ import annotations

from corpus.batches import Load, batches


def test_no_documents_make_no_batches():
    assert batches([], documents=50, size=1000) == []


def test_batches_are_as_many_as_the_number_of_documents_asks_for():
    made = batches([Load(f"{n:03}", 10, "md") for n in range(100)], documents=30, size=1 << 30)
    assert [len(batch) for batch in made] == [25, 25, 25, 25]


def test_batches_are_as_many_as_the_bytes_ask_for():
    made = batches([Load(f"{n:03}", 1_000_000, "md") for n in range(8)], documents=50, size=2_000_000)
    assert [len(batch) for batch in made] == [2, 2, 2, 2]


def test_every_kind_is_spread():
    loads = [Load(f"p{n}", 5_000_000, "pdf") for n in range(4)] + [Load(f"m{n:02}", 20_000, "md") for n in range(40)]
    made = batches(loads, documents=11, size=1 << 30)
    assert [sorted(load.kind for load in batch) for batch in made] == [["md"] * 10 + ["pdf"]] * 4


def test_a_huge_document_leaves_the_small_ones_to_the_other_batches():
    loads = [Load("huge", 100_000_000, "pdf")] + [Load(f"{n:02}", 1_000_000, "pdf") for n in range(20)]
    made = batches(loads, documents=50, size=60_000_000)
    assert [len(batch) for batch in made] == [1, 20]


def test_documents_without_bytes_spread_too():
    made = batches([Load(f"{n:03}", 0, "md") for n in range(100)], documents=10, size=1000)
    assert [len(batch) for batch in made] == [10] * 10


def test_there_are_never_more_batches_than_allowed():
    made = batches([Load(f"{n:05}", 10, "md") for n in range(1000)], documents=1, size=10, most=7)
    assert sorted(len(batch) for batch in made) == [142, 143, 143, 143, 143, 143, 143]
