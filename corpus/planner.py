"""A run's plan: list the source, hold the listing against the ledger, say what is to be done."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from chunkers.identity import content_hash, document_id
from corpus import batches, planning
from corpus.config import Corpus
from corpus.embedding import Embedder
from corpus.errors import KerfError, LimitExceeded, Vanished
from corpus.globs import matches
from corpus.partitions import falls_within
from corpus.planning import Action, Expected, Known, Stage, Tally, Verdict
from corpus.recipes import Recipes
from corpus.records import Item, Reprocess, Row
from corpus.recut import too_long
from corpus.sources import MEGABYTE, Listed, Source
from corpus.store import Store

log = logging.getLogger(__name__)

_NO_WORK = (Action.UNCHANGED, Action.QUARANTINED)
_PART = 5_000  #: documents whose settings are written down at a time


def check(settings: Corpus) -> None:
    """Raise what would fail on every document."""
    Recipes.of(settings).check()


def warn(settings: Corpus) -> None:
    """Say what is likely not meant: once a run."""
    for said in Recipes.of(settings).warnings():
        log.warning("%s", said)


def model_row(model: Embedder) -> dict[str, Any]:
    """What the ledger knows of a model."""
    return {
        "fingerprint": model.fingerprint,
        "name": model.name,
        "dimensions": model.dimensions,
        "max_tokens": model.ruler.cap,
    }


@dataclass(frozen=True, slots=True)
class Decided:
    """What a plan comes to. Its items are `Store.planned` of the connection that it was worked out on."""

    documents: dict[str, int]  #: by what becomes of them: `planning.DOCUMENTS`
    changes: dict[str, int]  #: by why there is something to do with them: `planning.CHANGES`
    vanished: tuple[str, ...]  #: the addresses of the first 1,000 documents that are gone and have not moved, sorted
    gone: int  #: how many those are
    listed: int  #: documents
    bytes_read: int
    settings: str  #: today's digest, for `Store.mark_current`


def decided(
    store: Store,
    settings: Corpus,
    source: Source,
    *,
    window: tuple[datetime, datetime] | None = None,
    reprocess: Reprocess | None = None,
    listing_sequence: int | None = None,
    model: int | None = None,
) -> Decided:
    """List a source, hold it against the ledger, and say what becomes of each document.

    Nothing is written but temporary tables of the store's own connection, from which `store.planned` reads the items
    and `store.write_plan` writes them: a dry run ends here. With `window` only the documents of [start, end) are
    looked at, and each is read; with `reprocess` only those of the ledger that match. `model` is the id of the
    embedding model, if it is registered. Raises `SourceError` if any part of the source cannot be listed.
    """
    planner = _Planner(store, settings, source, window, reprocess, frozenset(too_long(store, settings, model)))
    return planner.plan(listing_sequence)


def guard(store: Store, settings: Corpus, source: Source, found: Decided, *, allow_mass_delete: bool) -> None:
    """Raise `MassDeletion` if more vanished than the corpus allows; see `planning.guard`.

    A source that lists nothing, or that is not where the last sync found it, may be another one than was meant.
    """
    if not found.gone:
        return
    doubt, before = None, store.source_of(settings.name)
    if not found.listed:
        doubt = f"{source.place} lists no document at all"
    elif before is not None and before != source.place:
        doubt = f"the source is now {source.place} and was {before} at the last sync"
    limits, alive = settings.deletion_guard, store.alive(settings.name)["documents"]
    planning.guard(found.gone, found.vanished, alive, limits.share, limits.documents, allow_mass_delete, doubt=doubt)


class _Planner:
    """The working out of one plan."""

    def __init__(
        self,
        store: Store,
        settings: Corpus,
        source: Source,
        window: tuple[datetime, datetime] | None,
        reprocess: Reprocess | None,
        too_long: frozenset[UUID],
    ) -> None:
        self._store = store
        self._settings = settings
        self._source = source
        self._window = window
        self._reprocess = reprocess
        self._too_long = too_long
        self._again = Stage(reprocess.stage) if reprocess else None
        self._verify = settings.trust == "content" or window is not None
        self._recipes = Recipes.of(settings)
        self._digest = self._recipes.digest
        self._listed_at = time.time_ns()
        self._bytes_read = 0

    def plan(self, listing_sequence: int | None) -> Decided:
        """Work it out."""
        store, tally = self._store, Tally()
        sizes = store.compare(
            self._settings.name,
            self._listing(),
            settings=self._digest,
            settled_ns=self._listed_at - planning.RACY_NS,
            listing_sequence=listing_sequence,
            verify=self._verify,
            part=self._window is not None or self._reprocess is not None,
            known=self._reprocess is not None,
            too_long=self._too_long,
        )
        if self._reprocess is None:
            tally.unchanged(sizes["all_listed"] - sizes["listed"])
        if sizes["listed"] or sizes["gone"]:
            store.keep_hashes(self._hashes(store.to_read()))
            if sizes["gone"]:
                store.pair()
            store.keep_plan(self._items(store.compared(), tally))
            self._put_into_batches()
        documents = tally.documents
        vanished = store.vanished() if documents["deleted"] else ()
        return Decided(
            documents=documents,
            changes=tally.changes,
            vanished=vanished,
            gone=documents["deleted"],
            listed=sizes["all_listed"],
            bytes_read=self._bytes_read,
            settings=self._digest,
        )

    def _listing(self) -> Iterable[Listed]:
        listing: Iterable[Listed] = self._source.list()
        if self._reprocess is not None:
            glob = self._reprocess.glob
            listing = (entry for entry in listing if matches(glob, entry.uri))
        if self._window is not None:
            if pattern := self._settings.source.partition:
                holds = falls_within(pattern, self._window)
                return (entry for entry in listing if holds(entry.uri))
            start, end = (moment.timestamp() * 1_000_000_000 for moment in self._window)
            return (entry for entry in listing if start <= entry.mtime_ns < end)
        return listing

    def _hashes(self, documents: Iterable[Listed]) -> Iterator[tuple[str, bytes | None, bool]]:
        """Read one document after another. One that cannot be read now has no hash: its batch says why."""
        for listed in documents:
            try:
                read = self._source.read(listed.uri)
            except Vanished:
                yield listed.uri, None, True
            except LimitExceeded:
                yield listed.uri, planning.unread_hash(listed.size, listed.mtime_ns, listed.etag), False
            except KerfError:
                continue
            else:
                self._bytes_read += read.size
                yield listed.uri, content_hash(read.data), False

    def _items(self, rows: Iterable[Row], tally: Tally) -> Iterator[tuple[Item, str | None]]:
        """The items of the plan, each with its kind if it is to be prepared."""
        current = []
        for row in rows:
            if not row["listed"]:
                item = self._gone(row)
                if item.moved_to is None and row["content_hash"] is not None and not row["deleted"]:
                    tally.add(Action.DELETED)
                yield item, None
                continue
            known = None if row["document_id"] is None else _known(row)
            listed = Listed(row["uri"], row["size"], row["mtime_ns"], row["etag"])
            trusted = not planning.racy(listed, self._listed_at)
            verdict = self._decide(row, listed, known, trusted)
            tally.add(verdict.action, verdict.stage, forced=verdict.forced)
            if verdict.action in (Action.UNCHANGED, Action.TOUCHED) and row["settings"] != self._digest:
                current.append((row["document_id"], row["read_sequence"]))
                if len(current) >= _PART:
                    self._store.keep_current(current)
                    current = []
            if verdict.action not in _NO_WORK or verdict.stage is not None or not verdict.recorded:
                prepared = verdict.stage is not None and verdict.action is not Action.QUARANTINED
                kind = batches.kind_of(listed.uri) if prepared else None
                yield self._item(row, listed, known, verdict, trusted), kind
        if current:
            self._store.keep_current(current)

    def _decide(self, row: Row, listed: Listed, known: Known | None, trusted: bool) -> Verdict:
        if row["moved_from"] is not None and not row["held"]:
            return Verdict(Action.MOVED, Stage.PARSE, row["digest"])
        return planning.decide(
            listed, known, row["digest"], self._expected, trusted=trusted, verify=self._verify, again=self._again
        )

    def _expected(self, known: Known) -> Expected:
        today = self._recipes.expected(known)
        # no cut by the corpus' own ruler is one of today's if the embedding model cannot read what it gave
        return replace(today, cut_fingerprint="another") if known.document_id in self._too_long else today

    def _gone(self, row: Row) -> Item:
        moved_to = None if row["moved_to"] is None else document_id(self._settings.name, row["moved_to"])
        return Item(
            row["document_id"],
            row["uri"],
            Action.DELETED,
            trusted=False,
            moved_to=moved_to,
            parse_fingerprint=row["parse_fingerprint"],
        )

    def _item(self, row: Row, listed: Listed, known: Known | None, verdict: Verdict, trusted: bool) -> Item:
        return Item(
            document=known.document_id if known else document_id(self._settings.name, listed.uri),
            uri=listed.uri,
            action=verdict.action,
            stage=verdict.stage,
            size=listed.size,
            mtime_ns=listed.mtime_ns,
            etag=listed.etag,
            trusted=trusted,
            moved_from=row["moved_from"],
            content_hash=verdict.digest,
            parse_fingerprint=known.parse_fingerprint if known else None,
            # of what is served on: the last good version of what is in quarantine, or one of which nothing else is due
            permissions=self._recipes.permissions(listed.uri) if verdict.stage is Stage.PERMISSIONS else None,
            forced=verdict.forced,
        )

    def _put_into_batches(self) -> None:
        weight = self._store.plan_weight()
        if not weight["loads"]:
            return
        limits = self._settings.batches
        shape = batches.shape(
            weight["loads"], weight["weight"], documents=limits.documents, size=int(limits.megabytes * MEGABYTE)
        )
        self._store.keep_tasks(_tasks(self._store.plan_loads(), shape))


def _tasks(rows: Iterable[Row], shape: batches.Shape) -> Iterator[tuple[Any, int]]:
    documents: list[Any] = []

    def loads() -> Iterator[batches.Load]:
        for row in rows:
            documents.append(row["document_id"])
            yield batches.Load(row["size"], row["kind"])

    for batch in batches.spread(loads(), shape):
        yield documents.pop(), batch


def _known(row: Row) -> Known:
    return Known(
        row["document_id"],
        row["uri"],
        row["known_size"],
        row["known_mtime_ns"],
        row["known_etag"],
        row["trusted"],
        row["content_hash"],
        row["parse_fingerprint"],
        row["cut_fingerprint"],
        row["payload_hash"],
        row["media_type"],
        row["recipe"],
        row["deleted"],
        row["quarantined_hash"],
        row["quarantined_fingerprint"],
        row["quarantined_media_type"],
        row["permissions"],
        row["read_hash"],
        row["settings"],
        row["missing"] or (),
        row["fidelity"],
    )
