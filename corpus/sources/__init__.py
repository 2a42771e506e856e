"""Where documents come from: what a source can do, and which source a corpus has.

A source lists and reads, and knows nothing of the ledger, of parsers or of the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corpus.config import Corpus

MEGABYTE = 1_000_000  #: bytes, wherever the configuration says megabytes


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as the listing shows it: its address and the cheapest evidence of what it holds."""

    uri: str  #: canonical, see `chunkers.identity.canonical_uri`
    size: int  #: bytes
    mtime_ns: int  #: nanoseconds since 1970
    etag: str | None = None  #: where the source has one; then it counts, and the mtime does not


@dataclass(frozen=True, slots=True)
class Read:
    """A document's bytes, with the evidence as it was when they were read."""

    data: bytes
    size: int  #: bytes
    mtime_ns: int  #: nanoseconds since 1970
    etag: str | None = None


class Source(Protocol):
    """A place that holds documents."""

    skipped: list[tuple[str, str]]  #: after a listing: addresses left out though the globs include them, and why;
    left_out: int  #: how many those are, of which `skipped` names the first

    @property
    def place(self) -> str:
        """What kind of source it is and where it really lies: the same for the same documents."""

    def list(self) -> Iterator[Listed]:
        """Every document once, in no order, as it is found: no whole listing is ever held.

        Raises `SourceError` if any part of the source cannot be listed, which may be at the very end: a failed listing
        is never a smaller corpus.
        """

    def read(self, uri: str) -> Read:
        """The bytes of a listed document.

        Raises `Vanished` if it is gone, `LimitExceeded` if it is too large, and `TransientError` if it cannot be
        read now.
        """


def open_source(corpus: Corpus, home: Path) -> Source:
    """The source of a corpus; relative paths start at `home`, the configuration's folder."""
    from corpus.sources.filesystem import Filesystem

    return Filesystem(
        home / corpus.source.path.expanduser(),
        include=corpus.include,
        exclude=corpus.exclude,
        most_bytes=int(corpus.limits.megabytes * MEGABYTE),
    )
