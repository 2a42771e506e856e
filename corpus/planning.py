"""Listing and ledger → what to do with each document. Pure: no file is read here, no row is written.

The evidence is held against the ledger in the order of its price: size with mtime or ETag, then the hash of the
bytes, then the fingerprints of the stages. A caller asks `to_read` which documents must be hashed, hashes them, and
gives `decide` the hashes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from corpus.errors import MassDeletion
from corpus.sources import Listed

RACY_NS = 2_000_000_000  #: a file changed so shortly before it was listed may change again within the same mtime
SHOWN = 20  #: vanished documents that a message names


class Action(StrEnum):
    """What becomes of a document."""

    NEW = "new"  #: never published
    CHANGED = "changed"  #: other bytes, or bad ones that are worth another try
    DUE = "due"  #: same bytes, but a stage or a setting is another
    MOVED = "moved"  #: a new address with the bytes of a document that vanished
    REVIVED = "revived"  #: a tombstone that is listed again
    TOUCHED = "touched"  #: same bytes under other evidence, which is all there is to write; a quarantine is over
    UNCHANGED = "unchanged"
    DELETED = "deleted"  #: no longer listed
    QUARANTINED = "quarantined"  #: the bytes and the parser that failed, again: not tried; new rules still apply


class Stage(StrEnum):
    """Where the work on a document starts."""

    PARSE = "parse"
    CUT = "cut"
    PAYLOAD = "payload"  #: permissions and metadata only


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger knows of a document: its last read, and its published version if there is one."""

    document_id: UUID
    uri: str
    size: int | None  #: bytes; this, the mtime and the etag are of the last read, whatever came of it
    mtime_ns: int | None
    etag: str | None
    trusted: bool  #: equal evidence proves equal bytes
    content_hash: bytes | None  #: of the published version; None if there is none
    parse_fingerprint: str | None
    cut_fingerprint: str | None
    payload_hash: str | None  #: of the rules that gave permissions and metadata
    media_type: str | None
    recipe: str | None
    deleted: bool = False  #: a tombstone
    quarantined_hash: bytes | None = None  #: of the bytes that failed
    quarantined_fingerprint: str | None = None  #: of the attempt that failed
    quarantined_media_type: str | None = None  #: of the bytes that failed; None if not even that could be told
    verify: bool = False  #: look at the bytes whatever the evidence says
    read_since: bool = False  #: another run read it after this one's listing began: what the listing lacks may be there

    @property
    def last_hash(self) -> bytes | None:
        """Of the bytes that the evidence belongs to."""
        return self.quarantined_hash or self.content_hash


@dataclass(frozen=True, slots=True)
class Expected:
    """The fingerprints that a document would get today."""

    parse_fingerprint: str
    cut_fingerprint: str
    payload_hash: str
    attempt_fingerprint: str  #: of another attempt at bytes that failed


@dataclass(frozen=True, slots=True)
class Item:
    """One document and what to do with it."""

    uri: str
    action: Action
    stage: Stage | None = None  #: the first stage to do; None: nothing is to be prepared
    listed: Listed | None = None  #: None: it is not listed
    trusted: bool = False  #: next time, equal evidence will prove equal bytes
    known: Known | None = None  #: None: the ledger does not know the address
    content_hash: bytes | None = None  #: of its bytes now; None: they were not read
    moved_from: Known | None = None  #: the vanished document whose bytes are here now
    moved_to: str | None = None  #: of a deleted one: where its bytes are now; it goes when they are published there

    @property
    def has_no_version(self) -> bool:
        """Whether nothing of it was ever published: it was in quarantine from the first."""
        return self.known is None or self.known.content_hash is None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a run does, document by document, sorted by address."""

    items: tuple[Item, ...]

    @property
    def vanished(self) -> tuple[str, ...]:
        """The addresses of the documents that are gone and have not moved."""
        return tuple(
            item.uri
            for item in self.items
            if item.action is Action.DELETED and item.moved_to is None and not item.has_no_version
        )

    def counts(self) -> dict[str, int]:
        """Documents by what a person calls it. A moved document counts once, as moved."""
        counted = Counter(
            _COUNTED_AS[item.action]
            for item in self.items
            if item.moved_to is None and not (item.action is Action.DELETED and item.has_no_version)
        )
        return {name: counted[name] for name in ("new", "changed", "moved", "unchanged", "deleted", "quarantined")}


_COUNTED_AS = {
    Action.NEW: "new",
    Action.CHANGED: "changed",
    Action.DUE: "changed",
    Action.MOVED: "moved",
    Action.REVIVED: "new",
    Action.TOUCHED: "unchanged",
    Action.UNCHANGED: "unchanged",
    Action.DELETED: "deleted",
    Action.QUARANTINED: "quarantined",
}


def to_read(listing: Iterable[Listed], known: Mapping[str, Known]) -> list[str]:
    """The addresses, sorted, whose bytes must be hashed before anything can be decided.

    Documents whose evidence differs from the ledger's or cannot be trusted; and, if a document vanished, those at
    addresses without a published document, which may be where it moved.
    """
    listed = {item.uri: item for item in listing}
    may_have_moved = bool(_gone(listed, known))
    reads = []
    for uri, item in listed.items():
        row = known.get(uri)
        if may_have_moved if row is None or _has_no_version(row) else not _same_evidence(item, row):
            reads.append(uri)
    return sorted(reads)


def within(
    listing: Iterable[Listed], known: Mapping[str, Known], window: tuple[datetime, datetime]
) -> tuple[list[Listed], dict[str, Known]]:
    """The part of listing and ledger that a backfill of [start, end) looks at: the documents modified in it.

    They are verified byte by byte, whatever their evidence says; nothing in the result has vanished.
    """
    start, end = (moment.timestamp() * 1_000_000_000 for moment in window)
    listed = [item for item in listing if start <= item.mtime_ns < end]
    addresses = {item.uri for item in listed}
    return listed, {uri: replace(row, verify=True) for uri, row in known.items() if uri in addresses}


def decide(
    listing: Iterable[Listed],
    known: Mapping[str, Known],
    hashes: Mapping[str, bytes],
    expected: Callable[[Known], Expected],
    *,
    listed_at_ns: int,
) -> Decision:
    """Decide on every document that is listed or alive in the ledger.

    `hashes` holds what could be read of `to_read`; a document whose evidence differs and whose hash is missing counts
    as changed. `expected` is asked for documents whose bytes are those of the ledger. `listed_at_ns` is the time just
    before the listing started, in nanoseconds since 1970.
    """
    listed = {item.uri: item for item in listing}
    gone = _gone(listed, known)
    arrivals = [uri for uri in sorted(listed) if uri not in known or _has_no_version(known[uri])]
    moved_from = _pair(arrivals, gone, hashes)
    held_back = _held_back(listed, known, hashes)
    left = {row.uri for row in gone} - {row.uri for row in moved_from.values()}
    waits_for = _pair(held_back, [row for row in gone if row.uri in left], held_back)
    moved_to = {row.uri: uri for uri, row in (moved_from | waits_for).items()}
    items = [Item(row.uri, Action.DELETED, known=row, moved_to=moved_to.get(row.uri)) for row in gone]
    for uri, item in listed.items():
        row, digest = known.get(uri), hashes.get(uri)
        trusted = not racy(item, listed_at_ns)
        if uri in moved_from:
            made = Item(uri, Action.MOVED, Stage.PARSE, item, trusted, row, digest, moved_from=moved_from[uri])
        elif row is None or row.deleted:
            made = Item(uri, Action.NEW if row is None else Action.REVIVED, Stage.PARSE, item, trusted, row, digest)
        else:
            made = _compare(item, trusted, row, digest, expected, moved_from=waits_for.get(uri))
        items.append(made)
    return Decision(tuple(sorted(items, key=lambda item: item.uri)))


def _gone(listed: Mapping[str, Listed], known: Mapping[str, Known]) -> list[Known]:
    """The documents that the ledger holds alive and the listing lacks, in the order of addresses."""
    return [row for uri, row in sorted(known.items()) if uri not in listed and not row.deleted and not row.read_since]


def _has_no_version(row: Known) -> bool:
    """Whether nothing is published here and nothing is held back: an address where bytes may have moved to."""
    return row.deleted or row.last_hash is None


def _held_back(
    listed: Mapping[str, Listed], known: Mapping[str, Known], hashes: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The addresses of which nothing was ever published, only put into quarantine, with the hash of what lies there.

    Bytes that moved there have not vanished: the version at their old address is served on until they can be published.
    """
    found = {}
    for uri in sorted(listed.keys() & known.keys()):
        row = known[uri]
        if row.content_hash is None and row.quarantined_hash is not None and not row.deleted:
            digest = hashes.get(uri) or (row.quarantined_hash if _same_evidence(listed[uri], row) else None)
            if digest is not None:
                found[uri] = digest
    return found


def _same_evidence(item: Listed, row: Known) -> bool:
    if row.verify or not row.trusted or item.size != row.size:
        return False
    return item.etag == row.etag if item.etag is not None else item.mtime_ns == row.mtime_ns


def _pair(arrivals: Iterable[str], gone: Iterable[Known], hashes: Mapping[str, bytes]) -> dict[str, Known]:
    """Which arrival is which vanished document: those with equal bytes, one to one, in the order of addresses."""
    waiting: dict[bytes, list[Known]] = defaultdict(list)
    for row in gone:
        if row.last_hash is not None:
            waiting[row.last_hash].append(row)
    for rows in waiting.values():
        rows.reverse()
    pairs = {}
    for uri in arrivals:
        digest = hashes.get(uri)
        if digest is not None and waiting.get(digest):
            pairs[uri] = waiting[digest].pop()
    return pairs


def _compare(
    item: Listed,
    trusted: bool,
    row: Known,
    digest: bytes | None,
    expected: Callable[[Known], Expected],
    *,
    moved_from: Known | None,
) -> Item:
    """Decide on a document that is listed and that the ledger holds alive."""
    if digest is None and _same_evidence(item, row):
        digest = row.last_hash

    def becomes(action: Action, stage: Stage | None = None) -> Item:
        return Item(item.uri, action, stage, item, trusted, row, digest, moved_from)

    if digest is None or digest not in (row.content_hash, row.quarantined_hash):
        return becomes(Action.NEW if row.last_hash is None else Action.CHANGED, Stage.PARSE)
    today = expected(row)
    if digest == row.quarantined_hash:
        if today.attempt_fingerprint != row.quarantined_fingerprint:
            return becomes(Action.CHANGED, Stage.PARSE)
        # The version that stays searchable must not keep permissions that were taken away.
        stale = row.content_hash is not None and row.payload_hash != today.payload_hash
        return becomes(Action.QUARANTINED, Stage.PAYLOAD if stale else None)
    stage = _first_due(row, today)
    if stage is not None:
        return becomes(Action.DUE, stage)
    recorded = (row.size, row.mtime_ns, row.etag, row.trusted) == (item.size, item.mtime_ns, item.etag, trusted)
    return becomes(Action.UNCHANGED if recorded and row.quarantined_hash is None else Action.TOUCHED)


def _first_due(row: Known, today: Expected) -> Stage | None:
    if row.parse_fingerprint != today.parse_fingerprint:
        return Stage.PARSE
    if row.cut_fingerprint != today.cut_fingerprint:
        return Stage.CUT
    if row.payload_hash != today.payload_hash:
        return Stage.PAYLOAD
    return None


def guard(decision: Decision, alive: int, share: float, documents: int, allow: bool) -> None:
    """Raise `MassDeletion` if more documents vanished than `documents` and than `share` of the `alive` ones.

    Moved documents have not vanished. `allow` is the operator's word that they are meant to be gone.
    """
    vanished = decision.vanished
    if allow or len(vanished) <= documents or len(vanished) <= share * alive:
        return
    shown = ", ".join(vanished[:SHOWN])
    more = f" and {len(vanished) - SHOWN} more" if len(vanished) > SHOWN else ""
    raise MassDeletion(
        f"{len(vanished)} of {alive} documents vanished, more than the corpus allows ({share:.0%} and more than"
        f" {documents}); nothing was deleted: {shown}{more}",
        vanished=vanished,
        hint="check that the source is whole; if they are meant to be gone, run again with --allow-mass-delete",
        stage="plan",
    )


def racy(listed: Listed, listed_at_ns: int) -> bool:
    """Whether the evidence proves nothing yet: changed within two seconds of the listing, or dated after it.

    `listed_at_ns` is the time just before the listing started, in nanoseconds since 1970.
    """
    return listed.etag is None and listed.mtime_ns > listed_at_ns - RACY_NS
