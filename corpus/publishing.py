"""What publishing writes, inside the transaction of `corpus.store` that holds the document's lock."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from corpus.diffing import diff
from corpus.queries import query
from corpus.records import Row, Written
from corpus.staging import StagedDocument, place_of_child, place_of_parent

_FINGERPRINTS = {"parse_fingerprint", "cut_fingerprint", "payload_hash"}  #: columns that no reader sees


def stored(cursor: psycopg.Cursor[Row], document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
    """Places of a document's parents and children, by id."""
    parents = cursor.execute(query("stored_parents"), {"document": document}).fetchall()
    children = cursor.execute(query("stored_children"), {"document": document}).fetchall()
    return {row["id"]: place_of_parent(row) for row in parents}, {row["id"]: place_of_child(row) for row in children}


def swap(cursor: psycopg.Cursor[Row], written: Written, document: UUID, staged: StagedDocument, read: Row) -> None:
    """Write what differs between the published version and the staged one, children first where rows go."""
    identity = {"id": document, "corpus": read["corpus"], "uri": read["uri"]}
    published = cursor.execute(query("stored_document"), identity).fetchone()
    wanted = (published or {}) | staged.document
    if staged.whole:
        wanted |= {
            "content_hash": read["content_hash"],
            "moved_from": read["moved_from"],
            "parents": len(staged.parents),
            "children": len(staged.children),
        }
    has_rows = published is not None and staged.whole  # nothing hangs on a document that is new
    stored_parents, stored_children = stored(cursor, document) if has_rows else ({}, {})
    parents = diff(((row["id"], place_of_parent(row)) for row in staged.parents), stored_parents)
    children = diff(((row["id"], place_of_child(row)) for row in staged.children), stored_children)
    contexts = diff(((row["id"], row) for row in staged.contexts), _contexts(cursor, document) if has_rows else {})
    if published is None:
        written.rows += cursor.execute(query("insert_document"), identity | wanted).rowcount
    else:
        wanted["moved_from"] = wanted["moved_from"] or published["moved_from"]
        differ = {name for name, value in (wanted | {"deleted": False}).items() if published[name] != value}
        if differ:
            # what was made anew and came out as it was is no other version
            anew = not differ <= _FINGERPRINTS or any(each.writes for each in (parents, children, contexts))
            values = identity | wanted | {"versions": int(anew)}
            written.rows += cursor.execute(query("update_document"), values).rowcount
    if not staged.whole:
        return

    written.inserted += len(children.insert)
    written.moved += len(children.move)
    written.deleted += len(children.delete)
    parents_by_id = {parent["id"]: parent | {"document": document} for parent in staged.parents}
    children_by_id = {child["id"]: child | {"document": document} for child in staged.children}
    for statement, rows in (
        ("delete_children", [{"ids": list(children.delete)}] if children.delete else []),
        ("insert_parent", [parents_by_id[row_id] for row_id, _ in parents.insert]),
        ("update_parent", [parents_by_id[row_id] for row_id, _ in parents.move]),
        ("insert_context", [row | {"document": document} for _, row in contexts.insert]),
        ("insert_child", [children_by_id[row_id] for row_id, _ in children.insert]),
        ("update_child", [children_by_id[row_id] for row_id, _ in children.move]),
        ("delete_parents", [{"ids": list(parents.delete)}] if parents.delete else []),
        ("delete_contexts", [{"ids": list(contexts.delete)}] if contexts.delete else []),
    ):
        if rows:
            cursor.executemany(query(statement), rows)
            written.rows += cursor.rowcount


def _contexts(cursor: psycopg.Cursor[Row], document: UUID) -> dict[UUID, Row]:
    """A document's stored contexts by id; an id is of its text, so that none is moved."""
    rows = cursor.execute(query("stored_contexts"), {"document": document}).fetchall()
    return {row["id"]: row for row in rows}


def remember(cursor: psycopg.Cursor[Row], item: Row, event: str, written: Written | None = None) -> None:
    """Write what became of a document into its history: published, deleted or quarantined.

    `item` names run, corpus, document, uri and content_hash, which is None for that of its version; `written` counts
    the document's children, and only those.
    """
    counts = written or Written()
    children = {"inserted": counts.inserted, "moved": counts.moved, "deleted": counts.deleted}
    cursor.execute(query("insert_version"), item | children | {"event": event})


def settle(cursor: psycopg.Cursor[Row], written: Written, item: Row) -> str:
    """Do what an item without preparation asks for, unless something newer is there; the state that it ends in."""
    if item["action"] in ("touched", "quarantined"):
        read = item | {"read_sequence": item["listing_sequence"], "forced": False, "settings": ""}
        if cursor.execute(query("settled_since"), read).fetchone():
            return "superseded"
        if not cursor.execute(query("refresh_evidence"), item).fetchone():
            return "superseded"
        if item["action"] == "quarantined":
            if item["permissions"] is not None:
                written.rows += cursor.execute(query("set_permissions"), item).rowcount
        elif left := cursor.execute(query("leave_quarantine"), item).rowcount:
            written.rows += left + cursor.execute(query("freshen"), item).rowcount
            remember(cursor, item, "published")
        return "unchanged"
    if item["held"]:
        return "unchanged"
    if item["action"] == "deleted" and cursor.execute(query("listed_later"), item).fetchone():
        return "superseded"
    if not cursor.execute(query("lock_unread"), item).fetchone():
        return "superseded"
    cursor.execute(query("raise_sequence"), item)
    gone = cursor.execute(query("bury"), item).rowcount + cursor.execute(query("leave_quarantine"), item).rowcount
    if gone:
        written.rows += gone
        remember(cursor, item, "deleted")
    return "gone"
