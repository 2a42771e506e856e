"""A corpus made many times as large, with the ledger that a sync of it would have left, in seconds instead of hours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg

from bench.syncing.files import FOLDERS, Texts
from bench.syncing.task import CORPUS, Task
from chunkers.identity import document_id

_COPIES = "CREATE TEMPORARY TABLE copies (original text, id uuid, uri text)"
_COPY = "COPY copies FROM STDIN"
#: a row of the original with its identity changed: whatever else such a row holds is true of a file of the same bytes
_MULTIPLY = (
    """
INSERT INTO documents
SELECT (jsonb_populate_record(d, jsonb_build_object('id', c.id, 'uri', c.uri))).*
FROM copies c JOIN documents d ON d.corpus = %(corpus)s AND d.uri = c.original AND d.deleted_at IS NULL
""",
    """
INSERT INTO sync_documents
SELECT (jsonb_populate_record(d, jsonb_build_object('document_id', c.id, 'uri', c.uri))).*
FROM copies c JOIN sync_documents d ON d.corpus = %(corpus)s AND d.uri = c.original
""",
)


def multiply(task: Task, folder: Path, texts: Texts, files: int) -> None:
    """Copy the files of a synced folder until it has so many, each with its size and mtime, and enter them as synced.

    Children and vectors are not copied: no plan reads them.
    """
    with psycopg.connect(task.dsn) as connection, connection.cursor() as cursor:
        cursor.execute(_COPIES)
        with cursor.copy(_COPY) as copied:
            for original, copy in _copies(texts, files):
                _write(folder / original, folder / copy, texts[original])
                copied.write_row((original, document_id(CORPUS, copy), copy))
        for statement in _MULTIPLY:
            cursor.execute(statement, {"corpus": CORPUS})
    with psycopg.connect(task.dsn, autocommit=True) as connection:
        connection.execute("ANALYZE documents, sync_documents")  # as the server itself would within a minute


def _copies(texts: Texts, files: int) -> Iterator[tuple[str, str]]:
    originals = sorted(texts)
    for number in range(files - len(originals)):
        yield originals[number % len(originals)], f"copies-{number % FOLDERS:02d}/page-{number:06d}.md"


def _write(original: Path, copy: Path, text: str) -> None:
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    status = original.stat()
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
