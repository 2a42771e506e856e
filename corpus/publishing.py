"""What publishing writes, inside the transaction of `corpus.store` that holds the document's lock."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from corpus.diffing import Diff, diff
from corpus.queries import query
from corpus.records import Row, Written
from corpus.staging import StagedDocument, place_of_child, place_of_parent


def stored(cursor: psycopg.Cursor[Row], document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
    """Places of a document's parents and children, by id."""
    parents = cursor.execute(query("stored_parents"), {"document": document}).fetchall()
    children = cursor.execute(query("stored_children"), {"document": document}).fetchall()
    return {row["id"]: place_of_parent(row) for row in parents}, {row["id"]: place_of_child(row) for row in children}


def swap(cursor: psycopg.Cursor[Row], written: Written, document: UUID, staged: StagedDocument, read: Row) -> None:
    """Write what differs between the published version and the staged one, children first where rows go."""
    wanted = staged.document | {
        "content_hash": read["content_hash"],
        "moved_from": read["moved_from"],
        "parents": len(staged.parents),
        "children": len(staged.children),
    }
    identity = {"id": document, "corpus": read["corpus"], "uri": read["uri"]}
    published = cursor.execute(query("stored_document"), identity).fetchone()
    if published is None:
        written.rows += cursor.execute(query("insert_document"), identity | wanted).rowcount
    else:
        wanted["moved_from"] = wanted["moved_from"] or published["moved_from"]
        if any(published[name] != value for name, value in (wanted | {"deleted": False}).items()):
            written.rows += cursor.execute(query("update_document"), identity | wanted).rowcount

    stored_parents, stored_children = stored(cursor, document)
    parents = diff(((row["id"], place_of_parent(row)) for row in staged.parents), stored_parents)
    children = diff(((row["id"], place_of_child(row)) for row in staged.children), stored_children)
    written.inserted += len(children.insert)
    written.moved += len(children.move)
    written.deleted += len(children.delete)
    contexts = _contexts(cursor, document, staged)
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


def _contexts(cursor: psycopg.Cursor[Row], document: UUID, staged: StagedDocument) -> Diff[UUID, Row]:
    """What differs between the stored contexts and the wanted ones; an id is of its text, so that none is moved."""
    rows = cursor.execute(query("stored_contexts"), {"document": document}).fetchall()
    return diff(((row["id"], row) for row in staged.contexts), {row["id"]: row for row in rows})


def settle(cursor: psycopg.Cursor[Row], written: Written, item: Row) -> str:
    """Do what an item without preparation asks for, unless something newer is there; the state that it ends in."""
    if item["action"] == "touched":
        if not cursor.execute(query("refresh_evidence"), item).fetchone():
            return "superseded"
        written.rows += cursor.execute(query("leave_quarantine"), item).rowcount
        return "unchanged"
    if item["held"]:
        return "unchanged"
    if item["action"] == "deleted" and cursor.execute(query("listed_later"), item).fetchone():
        return "superseded"
    if not cursor.execute(query("lock_unread"), item).fetchone():
        return "superseded"
    cursor.execute(query("raise_sequence"), item)
    if item["action"] == "quarantined":
        written.rows += cursor.execute(query("set_permissions"), item).rowcount
        return "unchanged"
    written.rows += cursor.execute(query("bury"), item).rowcount
    written.rows += cursor.execute(query("leave_quarantine"), item).rowcount
    return "gone"
