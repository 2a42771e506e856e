"""What a plan promises, whatever happened to the corpus since the last run."""

from __future__ import annotations

import math
from dataclasses import replace
from hashlib import sha256
from uuid import uuid5

from hypothesis import given
from hypothesis import strategies as st

from chunkers.identity import NAMESPACE
from corpus.batches import DOCUMENT_COST, Load, batches
from corpus.planning import Action, Expected, Known, Stage, decide, to_read
from corpus.sources import Listed

NOW = 10**18
TODAY = Expected("parse", "cut", "payload", "parse")
uris = st.sampled_from("abcdef")
contents = st.sampled_from([b"one", b"two", b"three"])
folders = st.dictionaries(uris, st.tuples(contents, st.integers(1, 3)), max_size=6)


def hashed(content: bytes) -> bytes:
    return sha256(content).digest()


@st.composite
def ledgers(draw):
    rows = {}
    for uri, (content, mtime) in draw(folders).items():
        good = draw(st.none() | contents)
        bad = draw(st.booleans())
        published = hashed(content) if not bad else hashed(good) if good else None
        rows[uri] = Known(
            document_id=uuid5(NAMESPACE, uri),
            uri=uri,
            size=len(content),
            mtime_ns=mtime,
            etag=None,
            trusted=draw(st.booleans()),
            content_hash=published,
            parse_fingerprint=draw(st.sampled_from(["parse", "older"])),
            cut_fingerprint=draw(st.sampled_from(["cut", "older"])),
            payload_hash=draw(st.sampled_from(["payload", "older"])),
            media_type=None,
            recipe=None,
            deleted=draw(st.booleans()),
            quarantined_hash=hashed(content) if bad else None,
            quarantined_fingerprint=draw(st.sampled_from(["parse", "older"])) if bad else None,
        )
    return rows


def plan(folder, ledger):
    listing = [Listed(uri, len(content), mtime) for uri, (content, mtime) in folder.items()]
    hashes = {uri: hashed(folder[uri][0]) for uri in to_read(listing, ledger)}
    return decide(listing, ledger, hashes, lambda _: TODAY, listed_at_ns=NOW)


@given(folders, ledgers())
def test_every_document_gets_one_fate(folder, ledger):
    decision = plan(folder, ledger)
    named = [item.uri for item in decision.items]
    assert named == sorted({*folder, *(uri for uri, row in ledger.items() if not row.deleted)})
    silent = [  # gone, and nothing that a reader could miss
        item
        for item in decision.items
        if item.action is Action.DELETED and (item.moved_to is not None or item.known.content_hash is None)
    ]
    assert sum(decision.counts().values()) == len(named) - len(silent)
    assert len(decision.vanished) == decision.counts()["deleted"]
    for item in decision.items:
        assert (item.listed is None) == (item.uri not in folder) == (item.action is Action.DELETED)
        assert item.known == ledger.get(item.uri)


@given(folders, ledgers())
def test_moves_pair_equal_bytes_one_to_one(folder, ledger):
    decision = plan(folder, ledger)
    arrivals = {item.uri: item for item in decision.items if item.moved_from is not None}
    departures = {item.uri: item.moved_to for item in decision.items if item.moved_to is not None}
    assert {item.moved_from.uri: uri for uri, item in arrivals.items()} == departures
    for uri, item in arrivals.items():
        assert item.moved_from.last_hash == hashed(folder[uri][0])
    left_over = {ledger[uri].last_hash for uri in decision.vanished}
    unmatched = {
        item.content_hash
        for item in decision.items
        if item.action in (Action.NEW, Action.REVIVED) and item.content_hash
    }
    assert not left_over & unmatched


@given(folders, ledgers())
def test_a_document_is_left_alone_only_if_its_version_is_that_of_its_bytes(folder, ledger):
    # Trusted evidence is evidence that cannot lie: make it so.
    for uri, row in ledger.items():
        if uri in folder and row.trusted and (row.size, row.mtime_ns) == (len(folder[uri][0]), folder[uri][1]):
            ledger[uri] = replace(row, trusted=hashed(folder[uri][0]) == row.last_hash)
    for item in plan(folder, ledger).items:
        if item.action in (Action.UNCHANGED, Action.TOUCHED):
            assert item.known.content_hash == hashed(folder[item.uri][0])
            assert (item.known.parse_fingerprint, item.known.cut_fingerprint) == ("parse", "cut")
            assert item.known.payload_hash == "payload"
        if item.action is Action.QUARANTINED:
            assert item.known.quarantined_hash == hashed(folder[item.uri][0])
            assert item.known.quarantined_fingerprint == "parse"


@given(folders)
def test_a_second_run_has_nothing_to_do(folder):
    ledger = {}
    for item in plan(folder, {}).items:
        content, mtime = folder[item.uri]
        ledger[item.uri] = Known(
            uuid5(NAMESPACE, item.uri), item.uri, len(content), mtime, None, item.trusted, hashed(content),
            "parse", "cut", "payload", "text/plain", "fixed",
        )  # fmt: skip
    assert all(item.action is Action.UNCHANGED and item.stage is None for item in plan(folder, ledger).items)


@given(folders, ledgers())
def test_nothing_is_prepared_without_a_stage_and_nothing_that_is_deleted_has_one(folder, ledger):
    for item in plan(folder, ledger).items:
        if item.action in (Action.NEW, Action.CHANGED, Action.MOVED, Action.REVIVED):
            assert item.stage is Stage.PARSE
        elif item.action in (Action.DELETED, Action.UNCHANGED, Action.TOUCHED):
            assert item.stage is None


loads = st.lists(
    st.builds(Load, st.uuids().map(str), st.integers(0, 10**7), st.sampled_from(["md", "pdf"])),
    max_size=60,
    unique_by=lambda load: load.uri,
)


@given(loads, st.integers(1, 20), st.integers(1, 10**7), st.integers(1, 12), st.randoms())
def test_batches_hold_every_document_once_and_do_not_depend_on_the_order(items, documents, size, most, random):
    made = batches(items, documents=documents, size=size, most=most)
    assert sorted(load.uri for batch in made for load in batch) == sorted(load.uri for load in items)
    assert len(made) <= most
    assert all(made)
    assert all(len(batch) <= max(documents, math.ceil(len(items) / most)) for batch in made)
    shuffled = list(items)
    random.shuffle(shuffled)
    assert batches(shuffled, documents=documents, size=size, most=most) == made


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=60), st.integers(1, 10))
def test_batches_of_one_kind_differ_by_no_more_than_one_document(sizes, most):
    items = [Load(f"{index:02}", size, "md") for index, size in enumerate(sizes)]
    made = batches(items, documents=len(items), size=max(1, sum(sizes) // most), most=most)
    weights = [sum(load.size + DOCUMENT_COST for load in batch) for batch in made]
    assert max(weights) - min(weights) <= max(sizes) + DOCUMENT_COST
