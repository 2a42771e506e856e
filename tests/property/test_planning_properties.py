"""What a plan promises, whatever happened to the corpus since the last run."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_under_test import OLD, Documents, Ledger

from corpus.batches import DOCUMENT_COST, Load, shape, spread
from corpus.partitions import falls_within
from corpus.planning import Action, Stage
from corpus.records import Item

uris = st.sampled_from(["a", "b", "c/d", "c/é", "Z", "\u4e2d"])
contents = st.sampled_from(["one", "two", "six", "three"])
folders = st.dictionaries(uris, st.tuples(contents, st.integers(1, 3)), max_size=6)


@dataclass(frozen=True)
class Row:
    """A document as the ledger has it."""

    content: str  #: as it was last read
    at: int
    published: str | None  #: None: nothing ever was
    bad: bool  #: what was last read is in quarantine
    tried: bool  #: by today's parsers
    trusted: bool
    deleted: bool
    current: bool  #: as today's settings would have it
    marked: bool  #: and known to be


@st.composite
def ledgers(draw):
    rows = {}
    for uri, (content, at) in draw(folders).items():
        bad = draw(st.booleans())
        published = draw(st.none() | contents) if bad else content
        current = draw(st.booleans())
        rows[uri] = Row(
            content, at, published, bad, tried=draw(st.booleans()), trusted=draw(st.booleans()),
            deleted=published is not None and draw(st.booleans()), current=current,
            marked=current and not bad and draw(st.booleans()),
        )  # fmt: skip
    return rows


def write(ledger: Ledger, rows: dict[str, Row]) -> None:
    ledger.clear()
    for uri, row in rows.items():
        if row.published is not None:
            old = {} if row.current else {"cut_fingerprint": "older"}
            ledger.published(uri, row.published, deleted=row.deleted, **old)
        if row.bad:
            old = {} if row.tried else {"attempt": "older"}
            ledger.quarantined(uri, row.content, at=OLD + row.at, **old)
        settings_of = {} if row.marked else {"settings": "older"}
        ledger.execute("DELETE FROM sync_documents WHERE document_id = %(id)s", id=ledger.id(uri))
        ledger.read(uri, row.content, OLD + row.at, trusted=row.trusted, **settings_of)


def listing(folder) -> Documents:
    source = Documents()
    for uri, (content, at) in folder.items():
        source.put(uri, content, OLD + at)
    return source


def plan(ledger: Ledger, folder, rows):
    write(ledger, rows)
    return ledger.plan(listing(folder))


def alive(row: Row) -> bool:
    return row.bad or not row.deleted


def test_every_document_gets_one_fate(database):
    @settings(max_examples=25, deadline=None)
    @given(folders, ledgers())
    def holds(folder, rows):
        found, items = plan(ledger, folder, rows)
        named = {*folder, *(uri for uri, row in rows.items() if alive(row))}
        silent = [  # gone, and nothing that a reader could miss
            uri
            for uri, item in items.items()
            if item.action == Action.DELETED
            and (item.moved_to is not None or rows[uri].published is None or rows[uri].deleted)
        ]
        assert sum(found.documents.values()) == len(named) - len(silent)
        assert len(found.vanished) == found.gone == found.documents["deleted"]
        for uri, item in items.items():
            assert (uri not in folder) == (item.action == Action.DELETED) == (item.size is None)
            assert item.document == ledger.id(uri)

    with Ledger(database) as ledger:
        holds()


def test_moves_pair_equal_bytes_one_to_one(database):
    @settings(max_examples=25, deadline=None)
    @given(folders, ledgers())
    def holds(folder, rows):
        found, items = plan(ledger, folder, rows)
        here = {item.document: item.moved_from for item in items.values() if item.moved_from is not None}
        there = {item.moved_to: item.document for item in items.values() if item.moved_to is not None}
        by_id = {ledger.id(uri): uri for uri in {*folder, *rows}}
        for new, old in there.items():
            assert rows[by_id[old]].content == folder[by_id[new]][0]
            assert new not in here or here[new] == old  # what waits in quarantine is no item
        assert here.items() <= there.items()
        missed = {rows[uri].content for uri in found.vanished}
        empty = {uri for uri in folder if uri not in rows or not alive(rows[uri])}
        assert not missed & {folder[uri][0] for uri in empty if items[uri].action != Action.MOVED}

    with Ledger(database) as ledger:
        holds()


def test_a_document_is_left_alone_only_if_its_version_is_that_of_its_bytes(database):
    @settings(max_examples=25, deadline=None)
    @given(folders, ledgers())
    def holds(folder, rows):
        # Trusted evidence is evidence that cannot lie: make it so.
        for uri, row in rows.items():
            if uri in folder and row.trusted and (row.content, row.at) != folder[uri]:
                folder[uri] = (folder[uri][0], folder[uri][1] + 10)
        found, items = plan(ledger, folder, rows)
        waits = (Action.TOUCHED, Action.QUARANTINED)
        alone = [uri for uri in folder if uri not in items or items[uri].action in waits]
        assert len(alone) == found.documents["unchanged"] + found.documents["quarantined"]
        for uri in alone:
            row = rows[uri]
            if row.bad and row.content == folder[uri][0] != row.published:
                assert row.tried
            elif not (row.bad and row.content == folder[uri][0]):
                assert row.published == folder[uri][0]
                assert row.current
                assert not row.deleted

    with Ledger(database) as ledger:
        holds()


def test_a_second_plan_has_nothing_to_do(database):
    @settings(max_examples=15, deadline=None)
    @given(folders)
    def holds(folder):
        published = {"bad": False, "tried": True, "trusted": True, "deleted": False, "current": True, "marked": False}
        rows = {uri: Row(content, at, content, **published) for uri, (content, at) in folder.items()}
        found, items = plan(ledger, folder, rows)
        assert (items, found.documents["unchanged"], sum(found.changes.values())) == ({}, len(folder), 0)

    with Ledger(database) as ledger:
        holds()


def test_nothing_is_prepared_without_a_stage_and_nothing_that_is_deleted_has_one(database):
    @settings(max_examples=30, deadline=None)
    @given(folders, ledgers())
    def holds(folder, rows):
        def check(item: Item) -> None:
            if item.action in (Action.NEW, Action.CHANGED, Action.MOVED, Action.REVIVED):
                assert item.stage == Stage.PARSE
            elif item.action in (Action.DELETED, Action.TOUCHED):
                assert item.stage is None
            assert (item.batch is not None) == (item.stage is not None and item.action != Action.QUARANTINED)

        for item in plan(ledger, folder, rows)[1].values():
            check(item)

    with Ledger(database) as ledger:
        holds()


loads = st.lists(st.builds(Load, st.integers(0, 10**7), st.sampled_from(["md", "pdf"])), max_size=60)


@given(loads, st.integers(1, 20), st.integers(1, 10**7), st.integers(1, 12))
def test_batches_hold_every_document_once_and_none_is_empty(items, documents, size, most):
    items.sort(key=lambda load: (load.kind, -load.size))
    made = shape(len(items), sum(load.size for load in items), documents=documents, size=size, most=most)
    found = list(spread(items, made))
    assert len(found) == len(items)
    assert set(found) == set(range(made.count))
    assert made.count <= most
    for batch in set(found):
        assert found.count(batch) <= max(documents, math.ceil(len(items) / most))


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=60), st.integers(1, 10))
def test_batches_of_one_kind_differ_by_no_more_than_one_document(sizes, most):
    items = [Load(size, "md") for size in sorted(sizes, reverse=True)]
    made = shape(len(items), sum(sizes), documents=len(items), size=max(1, sum(sizes) // most), most=400)
    weights = [0] * made.count
    for load, batch in zip(items, spread(items, made), strict=True):
        weights[batch] += load.size + DOCUMENT_COST
    assert max(weights) - min(weights) <= max(sizes) + DOCUMENT_COST


patterns = st.sampled_from(["dt=%Y-%m-%d", "%Y/%m/%d", "y=%Y/m=%m", "%Y", "%Y%m%d", "%Y/%j", "d=%Y-%m-%d/h=%H"])
years = (datetime.fromisoformat("1999-01-01"), datetime.fromisoformat("2060-01-01"))
moments = st.datetimes(*years, timezones=st.just(UTC))


@given(patterns, moments, st.lists(st.integers(0, 5_000), min_size=1, max_size=6), st.randoms())
def test_an_interval_holds_the_partitions_that_start_in_it_or_the_one_that_it_lies_in(
    pattern, start, hours, shuffled: random.Random
):
    bounds = [start]
    for more in hours:
        bounds.append(bounds[-1] + timedelta(hours=more))
    at = start + (bounds[-1] - start) * shuffled.random()
    uri = f"below/{at:{pattern}}/a.md"
    first = datetime.strptime(f"{at:{pattern}}", pattern).replace(tzinfo=UTC)
    cut_down = [datetime.strptime(f"{bound:{pattern}}", pattern).replace(tzinfo=UTC) for bound in bounds]
    for window, (begin, end) in zip(pairwise(bounds), pairwise(cut_down), strict=True):
        assert falls_within(pattern, window)(uri) == (begin <= first < end or begin == end == first)
