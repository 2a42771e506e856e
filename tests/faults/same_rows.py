"""Whether two databases hold the same rows of a corpus: contents, not counts; vectors by their cosine.

Left out is what depends on the history of a corpus and not on its source: tombstones, versions, where documents came
from, what is served on beside a document in quarantine, parsed forms, vectors that no child has, the ledger of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import dict_row

COSINE = 0.9999  #: at which two vectors are one
SHOWN = 4  #: differences of each table

Rows = dict[str, dict[str, dict[str, Any]]]  #: by table and key

#: `moved`: places that the source has no longer and whose bytes are in quarantine at another one: what was last good of
#: them is served on there. `served` leaves out those and the last good versions of documents in quarantine: a fresh
#: corpus cannot know them.
_SERVED = """
WITH listed AS (SELECT unnest(%(listed)s::text[]) AS uri), moved AS (
    SELECT d.id FROM documents d LEFT JOIN quarantine own ON own.document_id = d.id
    JOIN quarantine q ON q.content_hash IN (d.content_hash, own.content_hash) AND q.uri IN (SELECT uri FROM listed)
    WHERE d.uri NOT IN (SELECT uri FROM listed)
), served AS (
    SELECT d.* FROM documents d WHERE d.deleted_at IS NULL AND d.id NOT IN (SELECT id FROM moved)
    AND d.id NOT IN (SELECT document_id FROM quarantine)
), waiting AS (
    SELECT q.* FROM quarantine q WHERE q.document_id NOT IN (SELECT id FROM moved)
)
"""
_OF_A_DOCUMENT = (
    "SELECT d.uri AS name, t.id::text AS key, to_jsonb(t) AS row FROM {} t JOIN served d ON d.id = t.document_id"
)
#: every row, by table: what it is called in a message, its key, and all the rest
ROWS = {
    "documents": "SELECT d.uri AS name, d.id::text AS key, to_jsonb(d) - ARRAY['version', 'moved_from', 'deleted_at',"
    " 'stale_since'] AS row FROM served d",
    **{table: _OF_A_DOCUMENT.format(table) for table in ("parents", "children", "contexts")},
    "quarantine": "SELECT q.uri AS name, q.document_id::text AS key, to_jsonb(q) - ARRAY['attempts',"
    " 'first_failed_at', 'last_failed_at', 'retry'] AS row FROM waiting q",
    "evidence": "SELECT l.uri AS name, l.document_id::text AS key, jsonb_build_object('size', l.size,"
    " 'mtime', l.mtime_ns, 'hash', l.content_hash) AS row FROM sync_documents l"
    " WHERE l.document_id IN (SELECT id FROM served UNION SELECT document_id FROM waiting)",
    "corpora": "SELECT c.name AS name, c.name AS key, jsonb_build_object('model', m.fingerprint, 'source', c.source)"
    " AS row FROM corpora c LEFT JOIN embedding_models m ON m.id = c.active_model",
}
VECTORS = (
    "SELECT d.uri || ': ' || c.text AS name, c.id::text AS key, e.embedding::real[] AS vector FROM children c"
    " JOIN served d ON d.id = c.document_id JOIN corpora k ON k.name = d.corpus"
    " LEFT JOIN embeddings e ON e.model_id = k.active_model AND e.key = c.key"
)


def rows(dsn: str, listed: Sequence[str]) -> Rows:
    """What a database holds of its corpus; `listed` are the addresses that the source has now."""
    tables = {**ROWS, "vectors": VECTORS}
    with psycopg.connect(dsn, row_factory=dict_row) as connection:
        return {
            table: {
                row["key"]: row for row in connection.execute(_SERVED + statement, {"listed": list(listed)}).fetchall()
            }
            for table, statement in tables.items()
        }


def differences(ours: Rows, theirs: Rows) -> list[str]:
    """In words, the first few of each table."""
    found = []
    for table, rows in theirs.items():
        said = []
        for key in sorted(rows.keys() | ours[table].keys()):
            one, other = ours[table].get(key), rows.get(key)
            if one is None or other is None:
                row = one or other
                assert row is not None
                said.append(f"{row['name']!r} is {'missing' if one is None else 'there'}: {_short(row)}")
            elif table == "vectors":
                if (why := _unlike(one["vector"], other["vector"])) is not None:
                    said.append(f"{one['name']!r}: {why}")
            elif one["row"] != other["row"]:
                parts = [
                    f"{name} is {_short(one['row'].get(name))}, not {_short(other['row'].get(name))}"
                    for name in sorted(one["row"].keys() | other["row"].keys())
                    if one["row"].get(name) != other["row"].get(name)
                ]
                said.append(f"{one['name']!r}: {'; '.join(parts)}")
        found += [f"{table}: {each}" for each in said[:SHOWN]]
        found += [f"{table}: {len(said)} in all"] if len(said) > SHOWN else []
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "…"


def _unlike(one: list[float] | None, other: list[float] | None) -> str | None:
    if one is None or other is None:
        return (
            f"{'no vector' if one is None else 'a vector'}, {'no vector' if other is None else 'a vector'} from scratch"
        )
    first, second = np.array(one), np.array(other)
    cosine = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    return None if cosine >= COSINE else f"cosine {cosine:.4f}"


def emptied(dsn: str) -> Callable[[], str]:
    """A database without corpora and runs, each time it is asked for; it does not wait for its disk."""
    tables = "corpora, documents, parents, children, contexts, embeddings, parsed_documents, quarantine, cost_ledger"
    ledger = "sync_runs, sync_documents, sync_versions"

    def made() -> str:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"TRUNCATE {tables}, {ledger} CASCADE")
        return dsn

    with psycopg.connect(dsn, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))
    return made
