"""The index between two nights: what kept its id, what was embedded, and whether two indexes are the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from psycopg.rows import dict_row

ALIKE = 0.9999  #: cosine of two vectors of one text

Row = dict[str, Any]
Section = tuple[UUID, tuple[str, ...]]  #: document, heading path
Stood = tuple[tuple[str, ...], tuple[UUID, ...]]  #: the texts of its parents in order; their ids and their children's

#: of what readers see, all but how often and when it was written, and where it once lay
_INDEX = {
    "documents": "SELECT (to_jsonb(d) - 'version' - 'moved_from')::text FROM documents d WHERE deleted_at IS NULL",
    "parents": "SELECT p.* FROM parents p JOIN documents d ON d.id = p.document_id WHERE d.deleted_at IS NULL",
    "children": "SELECT c.* FROM children c JOIN documents d ON d.id = c.document_id WHERE d.deleted_at IS NULL",
}
_PARENTS = """
SELECT p.id, p.document_id, p.section_path, p.text FROM parents p JOIN documents d ON d.id = p.document_id
WHERE d.deleted_at IS NULL ORDER BY p.document_id, p.ordinal
"""
_VECTORS = """
SELECT DISTINCT e.key, e.embedding
FROM embeddings e JOIN children c ON c.key = e.key JOIN documents d ON d.id = c.document_id
WHERE d.deleted_at IS NULL
"""
_CHARACTERS = """
SELECT c.key, min(length(c.header) + CASE WHEN c.header = '' THEN 0 ELSE 2 END + length(c.text)) AS characters
FROM children c JOIN documents d ON d.id = c.document_id WHERE d.deleted_at IS NULL GROUP BY c.key
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The index of one night, as far as two nights are compared."""

    sections: dict[Section, Stood]
    texts: dict[bytes, int]  #: characters of each text that is published, by its key
    vectors: frozenset[bytes]  #: the keys of all texts that ever got one

    @classmethod
    def of(cls, dsn: str) -> Snapshot:
        """Read it."""
        children: dict[UUID, list[UUID]] = defaultdict(list)
        for row in _rows(dsn, "SELECT id, parent_id FROM children ORDER BY ordinal"):
            children[row["parent_id"]].append(row["id"])
        sections: dict[Section, Stood] = defaultdict(lambda: ((), ()))
        for row in _rows(dsn, _PARENTS):
            section = (row["document_id"], tuple(row["section_path"]))
            texts, ids = sections[section]
            sections[section] = ((*texts, row["text"]), (*ids, row["id"], *children[row["id"]]))
        lengths = {row["key"]: row["characters"] for row in _rows(dsn, _CHARACTERS)}
        return cls(dict(sections), lengths, frozenset(row["key"] for row in _rows(dsn, "SELECT key FROM embeddings")))

    def untouched(self, before: Snapshot) -> tuple[int, list[Section]]:
        """How many sections stand as they stood, and those of them whose parent or children have other ids."""
        both = self.sections.keys() & before.sections.keys()
        same = [section for section in both if self.sections[section][0] == before.sections[section][0]]
        return len(same), [section for section in same if self.sections[section] != before.sections[section]]

    def embedded_since(self, before: Snapshot) -> int:
        """Characters of the texts that got a vector since."""
        return sum(self.texts[key] for key in self.vectors - before.vectors)


def differences(one: str, other: str) -> list[str]:
    """How the indexes of two databases differ, in words; vectors may differ in their last digits."""
    found = []
    for table, statement in _INDEX.items():
        sides = [{_frozen(row) for row in _rows(dsn, statement)} for dsn in (one, other)]
        if sides[0] != sides[1]:
            found.append(f"{table}: {len(sides[0] - sides[1])} rows here alone, {len(sides[1] - sides[0])} there alone")
    vectors = [{row["key"]: row["embedding"].to_numpy() for row in _rows(dsn, _VECTORS)} for dsn in (one, other)]
    if vectors[0].keys() != vectors[1].keys():
        found.append(f"vectors: {len(vectors[0].keys() ^ vectors[1].keys())} texts have one on one side alone")
    unlike = [key for key in vectors[0].keys() & vectors[1].keys() if not _alike(vectors[0][key], vectors[1][key])]
    if unlike:
        found.append(f"vectors: {len(unlike)} differ by more than rounding")
    return found


def _alike(one: Any, other: Any) -> bool:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)) >= ALIKE


def _frozen(row: Row) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row.values())


def _rows(dsn: str, statement: str) -> Iterable[Row]:
    from pgvector.psycopg import register_vector

    with psycopg.connect(dsn, row_factory=dict_row) as connection:
        register_vector(connection)
        return connection.execute(statement).fetchall()
