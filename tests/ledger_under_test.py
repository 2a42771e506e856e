"""A ledger and a listing, made of rows and bytes in memory, to plan on a real database without a file or a parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import psycopg

from chunkers.identity import content_hash, document_id
from corpus import planner
from corpus.config import Corpus
from corpus.embedding import embedder
from corpus.errors import TransientError, Vanished
from corpus.planner import Decided, model_row
from corpus.planning import Known
from corpus.recipes import Recipes
from corpus.records import Item
from corpus.sources import Listed, Read
from corpus.store import Store

OLD = 1_700_000_000_000_000_000  #: an mtime that nobody doubts, in nanoseconds
LATER = OLD + 86_400_000_000_000


@dataclass
class Documents:
    """A source: bytes and evidence by address. It says what was read of it."""

    files: dict[str, tuple[bytes, int, str | None]] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    vanishing: set[str] = field(default_factory=set)  #: listed, and gone when they are read
    read_of: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0
    place: str = "memory"

    def put(self, uri: str, content: str, at: int = OLD, etag: str | None = None) -> None:
        self.files[uri] = (content.encode(), at, etag)

    def list(self) -> Iterator[Listed]:
        for uri, (data, at, etag) in self.files.items():
            yield Listed(uri, len(data), at, etag)

    def read(self, uri: str) -> Read:
        self.read_of.append(uri)
        if uri in self.vanishing:
            raise Vanished("gone", uri=uri)
        if uri in self.unreadable:
            raise TransientError("not now", uri=uri)
        data, at, etag = self.files[uri]
        return Read(data, len(data), at, etag)


@dataclass
class Ledger:
    """What is known of a corpus, written as rows: as today's settings would have it unless something else is said.

    Use it as a context manager.
    """

    dsn: str
    settings: Corpus = field(
        default_factory=lambda: Corpus.model_validate({"name": "c", "source": {"path": str(Path.cwd())}})
    )

    def __post_init__(self) -> None:
        self.recipes = Recipes.of(self.settings)
        self._connection = psycopg.connect(self.dsn, autocommit=True)
        self.execute("INSERT INTO corpora (name) VALUES ('c')")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def execute(self, statement: str, **values: Any) -> None:
        self._connection.execute(statement, values)

    def clear(self) -> None:
        self.execute("DELETE FROM documents")
        self.execute("DELETE FROM sync_documents")
        self.execute("DELETE FROM quarantine")

    def id(self, uri: str) -> UUID:
        return document_id("c", uri)

    def known(self, uri: str) -> Known:
        """A document as it would be published today."""
        return Known(self.id(uri), uri, 0, 0, None, True, b"", None, None, None, "text/markdown", "structure")

    def read(self, uri: str, content: str, at: int = OLD, **changes: Any) -> None:
        """Its bytes were last read so."""
        values = {
            "id": self.id(uri), "uri": uri, "size": len(content.encode()), "at": at, "etag": None, "trusted": True,
            "hash": content_hash(content.encode()), "sequence": 1, "settings": self.recipes.digest,
        } | changes  # fmt: skip
        self.execute(
            "INSERT INTO sync_documents (document_id, corpus, uri, size, mtime_ns, etag, trusted, content_hash,"
            " read_sequence, run_id, read_at, settings) VALUES (%(id)s, 'c', %(uri)s, %(size)s, %(at)s, %(etag)s,"
            " %(trusted)s, %(hash)s, %(sequence)s, 1, now(), %(settings)s)",
            **values,
        )

    def published(self, uri: str, content: str, *, deleted: bool = False, **changes: Any) -> None:
        """It was published so; `changes` are of the row's columns."""
        today = self.recipes.expected(self.known(uri))
        values = {
            "id": self.id(uri), "uri": uri, "hash": content_hash(content.encode()), "deleted": deleted,
            "parse_fingerprint": today.parse_fingerprint, "cut_fingerprint": today.cut_fingerprint,
            "payload_hash": today.payload_hash, "permissions": list(today.permissions),
        } | changes  # fmt: skip
        self.execute(
            "INSERT INTO documents (id, corpus, uri, content_hash, media_type, tags, permissions, recipe,"
            " recipe_because, warnings, parse_fingerprint, cut_fingerprint, payload_hash, parents, children, version,"
            " deleted_at) VALUES (%(id)s, 'c', %(uri)s, %(hash)s, 'text/markdown', '{}', %(permissions)s, 'structure',"
            " '', '{}', %(parse_fingerprint)s, %(cut_fingerprint)s, %(payload_hash)s, 1, 1, 1,"
            " CASE WHEN %(deleted)s THEN now() END)",
            **values,
        )

    def document(self, uri: str, content: str, at: int = OLD, **read: Any) -> None:
        """It was read and published so."""
        self.published(uri, content)
        self.read(uri, content, at, **read)

    def quarantined(self, uri: str, bad: str, good: str | None = None, at: int = OLD, **changes: Any) -> None:
        """Its last bytes failed; something may be published that did not."""
        if good is not None:
            self.published(uri, good)
        self.read(uri, bad, at)
        attempt = self.recipes.attempt_fingerprint("text/markdown")
        values = {
            "id": self.id(uri),
            "uri": uri,
            "hash": content_hash(bad.encode()),
            "attempt": attempt,
            "retry": False,
        }
        self.execute(
            "INSERT INTO quarantine (document_id, corpus, uri, stage, error_class, message, hint, media_type,"
            " content_hash, parse_fingerprint, attempts, first_failed_at, last_failed_at, retry) VALUES (%(id)s, 'c',"
            " %(uri)s, 'parse', 'ParseError', '', '', 'text/markdown', %(hash)s, %(attempt)s, 1, now(), now(),"
            " %(retry)s)",
            **(values | changes),
        )

    def plan(self, source: Documents, **options: Any) -> tuple[Decided, dict[str, Item]]:
        """What a plan would do, and its items by address; nothing is written."""
        with Store(self.dsn) as store:
            found = planner.decided(store, self.settings, source, **options)
            items = list(store.planned())
        assert [item.uri for item in items] == sorted({item.uri for item in items})
        return found, {item.uri: item for item in items}

    def write(self, source: Documents, **options: Any) -> int:
        """Write a plan as a run; returns its id."""
        with Store(self.dsn) as store:
            run = store.begin_run("c", model_row(embedder(self.settings.embedding)))
            found = planner.decided(store, self.settings, source, listing_sequence=run.listing_sequence, **options)
            store.write_plan(run, found.documents, found.changes)
            store.mark_current(found.settings)
            return run.id

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, values).fetchall()
