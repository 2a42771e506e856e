"""What the listing and the ledger say of one document → what to do with it. Pure: nothing is read here or written.

The evidence is held against the ledger in the order of its price: size with mtime or ETag, then the hash of the
bytes, then the fingerprints of the stages. The database leaves out what is plainly unchanged and finds what has moved
(`sql/queries/plan.sql`); what is left is decided here, a document at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from chunkers.identity import content_hash
from corpus.errors import MassDeletion
from corpus.sources import Listed

RACY_NS = 2_000_000_000  #: a file changed so shortly before it was listed may change again within the same mtime
SHOWN = 20  #: vanished documents that a message names


class Action(StrEnum):
    """What becomes of a document."""

    NEW = "new"  #: never published
    CHANGED = "changed"  #: other bytes, or bad ones that are worth another try
    DUE = "due"  #: same bytes, but a stage or a setting is another, or somebody wants it done again
    MOVED = "moved"  #: a new address with the bytes of a document that vanished
    REVIVED = "revived"  #: a tombstone that is listed again
    TOUCHED = "touched"  #: same bytes under other evidence, which is all there is to write; a quarantine is over
    UNCHANGED = "unchanged"
    DELETED = "deleted"  #: no longer listed
    QUARANTINED = "quarantined"  #: the bytes and the parser that failed, again: not tried; new rules still apply


class Stage(StrEnum):
    """Where the work on a document starts; each but the last two means those after it too."""

    PARSE = "parse"
    CUT = "cut"
    EMBED = "embed"
    METADATA = "metadata"  #: and permissions: nothing is parsed or cut
    PERMISSIONS = "permissions"  #: alone: not even the parsed form is needed


_ORDER = tuple(Stage)


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
    payload_hash: str | None  #: of the rules that gave the metadata
    media_type: str | None
    recipe: str | None
    deleted: bool = False  #: a tombstone
    quarantined_hash: bytes | None = None  #: of the bytes that failed
    quarantined_fingerprint: str | None = None  #: of the attempt that failed
    quarantined_media_type: str | None = None  #: of the bytes that failed; None if not even that could be told
    permissions: Sequence[str] | None = None  #: of the published version
    read_hash: bytes | None = None  #: of the bytes that were last read; None: not recorded
    settings: str = ""  #: under which the fingerprints were last found to be those of the day
    missing: Sequence[str] = ()  #: of the published version: what is known not to have been read
    fidelity: float | None = None  #: of the published version: the share of the source's words that arrived

    @property
    def last_hash(self) -> bytes | None:
        """Of the bytes that the evidence belongs to."""
        return self.read_hash or self.quarantined_hash or self.content_hash

    @property
    def is_empty(self) -> bool:
        """Whether nothing is published here and nothing is held back: an address where bytes may have moved to."""
        return self.quarantined_hash is None and (self.deleted or self.last_hash is None)


@dataclass(frozen=True, slots=True)
class Expected:
    """The fingerprints and permissions that a document would get today."""

    parse_fingerprint: str
    cut_fingerprint: str
    payload_hash: str
    attempt_fingerprint: str  #: of another attempt at bytes that failed
    permissions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a document that is listed, and why."""

    action: Action
    stage: Stage | None = None  #: the first stage to do; None: nothing is to be prepared
    digest: bytes | None = None  #: of its bytes now; None: they were not read
    forced: bool = False  #: done again from that stage on, whatever is stored
    recorded: bool = True  #: of one in quarantine: its evidence is what the ledger has


def decide(
    listed: Listed,
    known: Known | None,
    digest: bytes | None,
    expected: Callable[[Known], Expected],
    *,
    trusted: bool,
    verify: bool = False,
    again: Stage | None = None,
) -> Verdict:
    """Decide on a document that is listed and has not moved here.

    `digest` is the hash of its bytes, if they were read; one that should have been read and could not be counts as
    changed. `expected` is asked for documents whose bytes are those of the ledger. `trusted` says whether this
    evidence, met again, proves equal bytes; with `verify` no evidence proves anything. `again` is the stage from which
    an operator wants the document done again, whatever the fingerprints say.
    """
    if known is None or (known.deleted and known.quarantined_hash is None):
        return Verdict(Action.NEW if known is None else Action.REVIVED, Stage.PARSE, digest)
    if digest is None and not verify and same_evidence(listed, known):
        digest = known.last_hash
    if known.deleted and digest != known.quarantined_hash:
        return Verdict(Action.REVIVED, Stage.PARSE, digest)
    if digest is None or digest not in (known.content_hash, known.quarantined_hash):
        return Verdict(Action.NEW if known.last_hash is None else Action.CHANGED, Stage.PARSE, digest)
    today = expected(known)
    if digest == known.quarantined_hash:
        if again is Stage.PARSE or today.attempt_fingerprint != known.quarantined_fingerprint:
            action = Action.REVIVED if known.deleted else Action.CHANGED
            return Verdict(action, Stage.PARSE, digest, forced=again is Stage.PARSE)
        # The version that stays searchable must not keep permissions that were taken away.
        stale = known.content_hash is not None and not known.deleted and not _may_be_seen_alike(known, today)
        recorded = _is_recorded(listed, known, digest, trusted)
        return Verdict(Action.QUARANTINED, Stage.PERMISSIONS if stale else None, digest, recorded=recorded)
    due = _first_due(known, today)
    if again is not None:
        due = again if due is None else min(again, due, key=_ORDER.index)
    if due is not None:
        return Verdict(Action.DUE, due, digest, forced=again is not None)
    settled = _is_recorded(listed, known, digest, trusted) and known.quarantined_hash is None
    return Verdict(Action.UNCHANGED if settled else Action.TOUCHED, None, digest)


def same_evidence(listed: Listed, known: Known) -> bool:
    """Whether the listing proves that the bytes are those that were last read."""
    if not known.trusted or listed.size != known.size:
        return False
    return listed.etag == known.etag if listed.etag is not None else listed.mtime_ns == known.mtime_ns


def racy(listed: Listed, listed_at_ns: int) -> bool:
    """Whether the evidence proves nothing yet: changed within two seconds of the listing, or dated after it.

    `listed_at_ns` is the time just before the listing started, in nanoseconds since 1970.
    """
    return listed.etag is None and listed.mtime_ns > listed_at_ns - RACY_NS


def _is_recorded(listed: Listed, known: Known, digest: bytes, trusted: bool) -> bool:
    recorded = (known.size, known.mtime_ns, known.etag, known.trusted, known.last_hash)
    return recorded == (listed.size, listed.mtime_ns, listed.etag, trusted, digest)


def unread_hash(size: int, mtime_ns: int, etag: str | None) -> bytes:
    """What stands for the hash of bytes that are too many to be read: the same for the same evidence."""
    return content_hash(f"unread {size} {mtime_ns} {etag}".encode())


def _first_due(known: Known, today: Expected) -> Stage | None:
    if known.parse_fingerprint != today.parse_fingerprint:
        return Stage.PARSE
    if known.cut_fingerprint != today.cut_fingerprint:
        return Stage.CUT
    if known.payload_hash != today.payload_hash:
        return Stage.METADATA
    return None if _may_be_seen_alike(known, today) else Stage.PERMISSIONS


def _may_be_seen_alike(known: Known, today: Expected) -> bool:
    return known.permissions is not None and list(known.permissions) == list(today.permissions)


class Tally:
    """Documents by what a person calls it, and by why there is something to do with them."""

    def __init__(self) -> None:
        self._documents: Counter[str] = Counter()
        self._changes: Counter[str] = Counter()

    def add(self, action: Action, stage: Stage | None = None, *, forced: bool = False) -> None:
        """Count a document. Of a moved one, its new place is counted and its old one is not."""
        self._documents[_COUNTED_AS[action]] += 1
        if forced:
            self._changes["forced"] += 1
        elif action in _WORK:
            self._changes[_WORK[action]] += 1
        elif stage is not None:
            self._changes[stage] += 1

    def unchanged(self, documents: int) -> None:
        """Count documents that nothing is to be done with."""
        self._documents["unchanged"] += documents

    @property
    def documents(self) -> dict[str, int]:
        """Documents by what becomes of them."""
        return {name: self._documents[name] for name in DOCUMENTS}

    @property
    def changes(self) -> dict[str, int]:
        """Documents by why there is something to do with them."""
        return {name: self._changes[name] for name in CHANGES}


DOCUMENTS = ("new", "changed", "moved", "unchanged", "deleted", "quarantined")
CHANGES = ("content", "moved", "restored", *Stage, "forced")

_WORK = {Action.NEW: "content", Action.CHANGED: "content", Action.REVIVED: "restored", Action.MOVED: "moved"}
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


def guard(
    gone: int, first: Sequence[str], alive: int, share: float, documents: int, allow: bool, *, doubt: str | None = None
) -> None:
    """Raise `MassDeletion` if more documents vanished than `documents` and than `share` of the `alive` ones.

    Moved documents have not vanished. `first` are the addresses of those that did, the first of them at least. `allow`
    is the operator's word that they are meant to be gone. `doubt` says why the source may not be the one that was
    meant, if that is so: then a few are too many too.
    """
    if allow or gone <= (0 if doubt else documents) or gone <= share * alive:
        return
    shown = ", ".join(first[:SHOWN])
    more = f" and {gone - SHOWN} more" if gone > SHOWN else ""
    limit = f"{share:.0%}" if doubt else f"{share:.0%} and more than {documents}"
    raise MassDeletion(
        f"{f'{doubt}; ' if doubt else ''}{gone} of {alive} documents vanished, more than the corpus allows ({limit});"
        f" nothing was deleted: {shown}{more}",
        vanished=tuple(first),
        count=gone,
        hint="check that the source is whole; if they are meant to be gone, run again with --allow-mass-delete",
        stage="plan",
    )
