"""A small corpus on a real database, synced with the real parsers and the real model."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import yaml
from psycopg.rows import dict_row

from corpus import config as configuration
from corpus import pipeline
from corpus.config import Config
from corpus.search import search

OLD = 1_700_000_000  #: an mtime that nobody doubts

#: what a run must leave the same, whatever happened on the way; times and the ledger of runs are left out
CONTENT = {
    "documents": "SELECT id, corpus, uri, content_hash, media_type, title, source_url, language, date, author, tags,"
    " permissions, recipe, recipe_because, warnings, description, fidelity, page_labels,"
    " parse_fingerprint, cut_fingerprint, payload_hash, parents, children, version, moved_from,"
    " deleted_at IS NOT NULL AS deleted FROM documents ORDER BY id",
    "parents": "SELECT * FROM parents ORDER BY id",
    "children": "SELECT * FROM children ORDER BY id",
    "contexts": "SELECT * FROM contexts ORDER BY id",
    "parsed_documents": "SELECT * FROM parsed_documents ORDER BY content_hash, parse_fingerprint",
    "quarantine": "SELECT document_id, uri, error_class, message, content_hash, parse_fingerprint FROM quarantine"
    " ORDER BY document_id",
    "embeddings": "SELECT key FROM embeddings ORDER BY key",
}


@dataclass
class Site:
    """A source folder, its configuration, and the database that it is synced to."""

    root: Path
    dsn: str
    settings: dict[str, Any] = field(default_factory=dict)
    name: str = "site"

    @property
    def source(self) -> Path:
        return self.root / "source"

    @property
    def config_file(self) -> Path:
        return self.root / "corpora.yaml"

    @property
    def config(self) -> Config:
        body = {"source": {"path": str(self.source)}, **self.settings}
        self.config_file.write_text(yaml.safe_dump({"corpora": {self.name: body}}))
        return configuration.load(self.config_file)

    def write(self, uri: str, content: str | bytes, *, at: int = OLD) -> Path:
        file = self.source / uri
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(file, (at, at))
        return file

    def sync(self, **options: Any) -> dict[str, Any]:
        return pipeline.sync(self.config, self.dsn, self.name, **options)

    def ask(self, question: str, **options: Any) -> list[str]:
        """The addresses that a search finds, best first."""
        return [result.uri for result in search(self.config, self.dsn, self.name, question, **options).results]

    def rows(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            return connection.execute(statement, parameters).fetchall()

    def content(self) -> dict[str, list[dict[str, Any]]]:
        return {table: self.rows(statement) for table, statement in CONTENT.items()}

    def children(self, uri: str) -> list[dict[str, Any]]:
        return self.rows(
            "SELECT c.* FROM children c JOIN documents d ON d.id = c.document_id WHERE d.uri = %(uri)s"
            " ORDER BY c.ordinal",
            uri=uri,
        )

    def written(self) -> int:
        """As `rows_written`."""
        return rows_written(self.dsn)


def rows_written(dsn: str) -> int:
    """Rows written so far outside the ledger of runs, as Postgres itself counts them."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        row = connection.execute(
            "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int FROM pg_stat_user_tables"
            " WHERE relname NOT LIKE 'sync\\_%' AND relname NOT IN ('cost_ledger', 'schema_migrations')"
        ).fetchone()
    assert row is not None
    return int(row[0])
