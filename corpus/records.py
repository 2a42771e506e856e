"""Rows of the ledger as the pipeline handles them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Row = dict[str, Any]


@dataclass(slots=True)
class Written:
    """What a transaction did."""

    rows: int = 0  #: outside the ledger of runs
    parsed: int = 0
    embedded: int = 0
    inserted: int = 0  #: children
    moved: int = 0  #: children
    deleted: int = 0  #: children

    def add(self, other: Written) -> None:
        """Count what a part of the transaction did."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_parameters(self) -> Row:
        """For the statement `add_counts`."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a document's bytes were read, and what was known about the file then."""

    document: UUID
    uri: str
    size: int
    mtime_ns: int
    etag: str | None
    trusted: bool
    content_hash: bytes
    read_sequence: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """A document that a run has something to do with."""

    document: UUID
    uri: str
    action: str
    stage: str | None = None
    batch: int | None = None
    size: int | None = None
    mtime_ns: int | None = None
    etag: str | None = None
    trusted: bool | None = None
    moved_from: UUID | None = None
    moved_to: UUID | None = None  #: of a deleted one: where its bytes are now
    content_hash: bytes | None = None
    parse_fingerprint: str | None = None  #: of the published version
    permissions: list[str] | None = None  #: of a version that is served on while a newer one is in quarantine
    forced: bool = False  #: done again from its stage on, whatever is stored


@dataclass(frozen=True, slots=True)
class Reprocess:
    """What an operator wants done again, though nothing says that it has changed."""

    glob: str  #: over addresses, as `corpus.globs` reads it
    stage: Literal["parse", "cut", "embed"]  #: the first stage that is done again, whatever is stored
    reason: str


@dataclass(frozen=True, slots=True)
class Run:
    """A row of `sync_runs`, as far as the stages need it."""

    id: int
    corpus: str
    state: str
    listing_sequence: int
    model_id: int
    interval: tuple[datetime, datetime] | None
    row: Row = field(repr=False)
