"""The database as the pipeline sees it: the only module that writes.

Every method is one transaction unless it says otherwise. A transaction counts the rows that it wrote outside the
ledger of runs and adds them to its run, so that the counters are right whenever a process is killed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from corpus.database import connect
from corpus.diffing import diff
from corpus.errors import CutError, DocumentError, RunFailed, StoreUnavailable
from corpus.planning import Known
from corpus.queries import query
from corpus.records import Evidence, Item, Row, Run, Written
from corpus.staging import StagedDocument, place_of_child, place_of_parent


class Store:
    """A connection as kerf_writer. Use it as a context manager."""

    def __init__(self, dsn: str) -> None:
        self._connection = connect(dsn, role="kerf_writer", autocommit=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self, run: int | None = None) -> Iterator[tuple[psycopg.Cursor[Row], Written]]:
        """A cursor and a count; what is counted is added to `run` before the commit."""
        written = Written()
        try:
            with self._connection.transaction(), self._connection.cursor(row_factory=dict_row) as cursor:
                yield cursor, written
                if run is not None and written != Written():
                    cursor.execute(query("add_counts"), {"run": run, **written.as_parameters()})
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise StoreUnavailable(f"the database gave up: {reason}", hint="the run can be started again") from error

    def _rows(self, statement: str, /, **parameters: Any) -> list[Row]:
        with self._transaction() as (cursor, _):
            return cursor.execute(query(statement), parameters).fetchall()

    # -- plan

    def begin_run(
        self,
        corpus: str,
        model: Mapping[str, Any],
        *,
        key: str | None = None,
        interval: tuple[datetime, datetime] | None = None,
    ) -> Run:
        """Register corpus and model, and open a run; the same key opens the same run anew."""
        start, end = interval or (None, None)
        with self._transaction() as (cursor, written):
            written.rows += cursor.execute(query("ensure_corpus"), {"corpus": corpus}).rowcount
            written.rows += cursor.execute(query("find_model"), dict(model)).fetchone() is None
            model_id = _one(cursor.execute(query("register_model"), dict(model)))["id"]
            values = {"corpus": corpus, "key": key, "model": model_id, "start": start, "end": end}
            run = _one(cursor.execute(query("begin_run"), values))["id"]
            cursor.execute(query("clear_items"), {"run": run})
            cursor.execute(query("clear_texts"), {"run": run})
            if written.rows:
                cursor.execute(query("add_counts"), {"run": run, **written.as_parameters()})
        return self.run(run)

    def run(self, run: int) -> Run:
        """Read a run."""
        found = self._rows("run", run=run)
        if not found:
            raise RunFailed(f"there is no run {run}", hint="plan it first")
        row = found[0]
        interval = (row["interval_start"], row["interval_end"]) if row["interval_start"] else None
        return Run(row["id"], row["corpus"], row["state"], row["listing_sequence"], row["model_id"], interval, row)

    def known(self, corpus: str) -> dict[str, Known]:
        """The ledger of a corpus by address."""
        return {row["uri"]: Known(**row) for row in self._rows("known", corpus=corpus)}

    def write_plan(self, run: int, items: Iterable[Item], documents: Mapping[str, int]) -> None:
        """Write the items of a run, in the order of their ids."""
        rows = [
            {name: getattr(item, name) for name in Item.__slots__ if name != "parse_fingerprint"} | {"run": run}
            for item in sorted(items, key=lambda item: item.document)
        ]
        with self._transaction() as (cursor, _):
            cursor.execute(query("clear_items"), {"run": run})
            cursor.executemany(query("insert_item"), rows)
            cursor.execute(query("set_documents"), {"run": run, "documents": Jsonb(dict(documents))})

    def fail_run(self, run: int, error: str) -> None:
        """Close a run that cannot go on."""
        with self._transaction() as (cursor, _):
            cursor.execute(query("fail_run"), {"run": run, "error": error})

    def add_seconds(self, run: int, stage: str, seconds: float) -> None:
        """Add to the time that a stage took; mapped tasks add up."""
        with self._transaction() as (cursor, _):
            cursor.execute(query("add_seconds"), {"run": run, "stage": stage, "seconds": round(seconds, 3)})

    # -- prepare

    def batches(self, run: int) -> list[Row]:
        """Number, documents and bytes of each batch."""
        return self._rows("batches", run=run)

    def batch_items(self, run: int, batch: int) -> list[Item]:
        """What is still to be prepared in a batch."""
        rows = self._rows("batch_items", run=run, batch=batch)
        return [Item(document=row.pop("document_id"), batch=batch, **row) for row in rows]

    def next_read_sequence(self) -> int:
        """The next number of the order between runs."""
        return int(self._rows("next_read_sequence")[0]["number"])

    def parsed_form(self, content_hash: bytes, parse_fingerprint: str) -> dict[str, Any] | None:
        """The stored parsed form of these bytes."""
        found = self._rows("parsed_form", content_hash=content_hash, parse_fingerprint=parse_fingerprint)
        return found[0]["form"] if found else None

    def stage(
        self, run: int, evidence: Evidence, staged: StagedDocument, form: dict[str, Any] | None, *, parsed: bool
    ) -> None:
        """Keep what a document will become; `form` is its parsed form where that is new."""
        with self._transaction(run) as (cursor, written):
            written.parsed += parsed
            if form is not None:
                document = staged.document
                values = {
                    "content_hash": evidence.content_hash,
                    "parse_fingerprint": document["parse_fingerprint"],
                    "form": Jsonb(form),
                }
                written.rows += cursor.execute(query("insert_parsed"), values).rowcount
            cursor.execute(
                query("stage_item"), {"run": run, "staged": Jsonb(staged.to_dict()), **_parameters(evidence)}
            )

    def end_item(self, run: int, document: UUID, state: str, error: str | None = None) -> None:
        """Close an item without anything to publish, or mark it as failed for this attempt."""
        with self._transaction() as (cursor, _):
            cursor.execute(query("end_item"), {"run": run, "document": document, "state": state, "error": error})

    def quarantine(
        self,
        run: Run,
        evidence: Evidence,
        error: DocumentError | CutError,
        *,
        media_type: str | None,
        parse_fingerprint: str,
        permissions: list[str],
        parsed: bool,
    ) -> None:
        """Put a document away until its bytes or its parser change; what is served on gets today's permissions."""
        values = _parameters(evidence) | {"run": run.id, "corpus": run.corpus, "permissions": permissions}
        with self._transaction(run.id) as (cursor, written):
            written.parsed += parsed
            state = "superseded"
            if cursor.execute(query("mark_read"), values).fetchone():
                state = "quarantined"
                failure = {
                    "stage": error.stage or "parse",
                    "error_class": type(error).__name__,
                    "message": _storable(error.message),
                    "hint": _storable(error.hint),
                    "media_type": media_type,
                    "parse_fingerprint": parse_fingerprint,
                }
                written.rows += cursor.execute(query("quarantine"), values | failure).rowcount
                written.rows += cursor.execute(query("set_permissions"), values).rowcount
            cursor.execute(
                query("end_item"),
                {"run": run.id, "document": evidence.document, "state": state, "error": _storable(str(error))},
            )

    def children_of(self, documents: Sequence[UUID]) -> int:
        """How many children the published ones among these documents have."""
        return int(self._rows("children_of", documents=list(documents))[0]["children"])

    def stored(self, document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
        """Places of the parents and of the children that are published."""
        with self._transaction() as (cursor, _):
            return _stored(cursor, document)

    def missing_keys(self, model: int, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have no vector under the model."""
        return {row["key"] for row in self._rows("missing_keys", model=model, keys=sorted(set(keys)))}

    def find_model(self, model: Mapping[str, Any]) -> int | None:
        """The id of a registered model."""
        found = self._rows("find_model", **model)
        return int(found[0]["id"]) if found else None

    def published_without_vector(self, corpus: str, model: int | None) -> list[Row]:
        """Key, tokens and text of the published children that have no vector under a model."""
        return self._rows("published_texts_without_vector", corpus=corpus, model=model)

    # -- embed

    def plan_texts(self, run: Run, *, fill: bool, batch_texts: int) -> list[Row]:
        """Write down the texts of a run that lack a vector, in batches by length, and return the batches.

        With `fill` the published texts of the corpus count too: another model is to take over.
        """
        with self._transaction(run.id) as (cursor, written):
            cursor.execute(query("clear_texts"), {"run": run.id})
            wanted = cursor.execute(query("staged_keys"), {"run": run.id}).rowcount
            missing = cursor.execute(
                query("staged_texts_without_vector"), {"run": run.id, "model": run.model_id}
            ).fetchall()
            if not run.row["embedded"] and not run.row["reused"]:  # not when a failed run is completed
                written.reused = wanted - len(missing)
            if fill:
                values = {"corpus": run.corpus, "model": run.model_id}
                known = {row["key"] for row in missing}
                published = cursor.execute(query("published_texts_without_vector"), values)
                missing += [row for row in published if row["key"] not in known]
            missing.sort(key=lambda row: (row["tokens"], row["key"]))
            rows = [{"run": run.id, "batch": at // batch_texts, **row} for at, row in enumerate(missing)]
            cursor.executemany(query("insert_text"), rows)
            return cursor.execute(query("text_batches"), {"run": run.id}).fetchall()

    def batch_texts(self, run: Run, batch: int) -> list[Row]:
        """Key, text and tokens of the texts in a batch that have no vector yet, longest first."""
        return self._rows("batch_texts", run=run.id, batch=batch, model=run.model_id)

    def store_vectors(
        self, run: Run, batch: int, keys: Sequence[bytes], vectors: NDArray[np.float32], *, tokens: int, price: float
    ) -> None:
        """Store vectors as they were computed, in the order of their keys."""
        rows = [
            {"model": run.model_id, "key": key, "embedding": vector}
            for key, vector in sorted(zip(keys, vectors, strict=True), key=lambda pair: pair[0])
        ]
        with self._transaction(run.id) as (cursor, written):
            cursor.executemany(query("insert_vector"), rows)
            written.rows += cursor.rowcount
            written.embedded += len(rows)
            cost = {"run": run.id, "model": run.model_id, "batch": batch, "texts": len(rows), "tokens": tokens}
            cursor.execute(query("insert_cost"), cost | {"price": price})

    # -- publish

    def active_model(self, corpus: str) -> Row | None:
        """The model that searches of the corpus ask."""
        found = self._rows("active_model", corpus=corpus)
        return found[0] if found else None

    def model_covers(self, run: Run) -> bool:
        """Every published child of the corpus has a vector under the model of the run."""
        return bool(self._rows("model_covers", corpus=run.corpus, model=run.model_id)[0]["covered"])

    def ready(self, run: Run) -> list[UUID]:
        """The staged documents of which every text has its vector."""
        return [row["document_id"] for row in self._rows("ready_items", run=run.id, model=run.model_id)]

    def publish(self, run: Run, document: UUID) -> str:
        """Swap a document's old version for its staged one; returns the state that its item ends in."""
        with self._transaction(run.id) as (cursor, written):
            item = cursor.execute(query("staged_item"), {"run": run.id, "document": document}).fetchone()
            if item is None:
                return "superseded"
            staged = StagedDocument.from_dict(item.pop("staged"))
            read = item | {"document": document, "run": run.id, "corpus": run.corpus}
            state = "superseded"
            if cursor.execute(query("mark_read"), read).fetchone():
                state = "published"
                _swap(cursor, written, document, staged, read)
                written.rows += cursor.execute(query("leave_quarantine"), {"document": document}).rowcount
            cursor.execute(query("end_item"), {"run": run.id, "document": document, "state": state, "error": None})
            return state

    def settle_unprepared(self, run: Run) -> None:
        """What needs no preparation: tombstones, fresh evidence, permissions of what is held back.

        A transaction for each document.
        """
        waiting = {row["id"] for row in self._rows("waiting_for_a_move", run=run.id)}
        for item in self._rows("items_without_preparation", run=run.id):
            document = item.pop("document_id")
            if document in waiting:
                continue
            values = item | {"run": run.id, "document": document, "listing_sequence": run.listing_sequence}
            with self._transaction(run.id) as (cursor, written):
                state = self._bury(cursor, written, values) if item["action"] == "deleted" else "superseded"
                if item["action"] == "touched" and cursor.execute(query("refresh_evidence"), values).fetchone():
                    written.rows += cursor.execute(query("leave_quarantine"), values).rowcount
                    state = "unchanged"
                if item["action"] == "quarantined":
                    written.rows += cursor.execute(query("set_permissions"), values).rowcount
                    state = "unchanged"
                cursor.execute(query("end_item"), values | {"state": state, "error": None})

    @staticmethod
    def _bury(cursor: psycopg.Cursor[Row], written: Written, values: Row) -> str:
        if not cursor.execute(query("lock_for_burial"), values).fetchone():
            return "superseded"
        cursor.execute(query("raise_sequence"), values)
        written.rows += cursor.execute(query("bury"), values).rowcount
        written.rows += cursor.execute(query("leave_quarantine"), values).rowcount
        return "gone"

    def activate_model(self, run: Run) -> None:
        """Let searches of the corpus ask the model of the run."""
        with self._transaction(run.id) as (cursor, written):
            written.rows += cursor.execute(
                query("activate_model"), {"corpus": run.corpus, "model": run.model_id}
            ).rowcount

    # -- settle

    def item_states(self, run: int) -> list[Row]:
        """How many items of each action ended in each state."""
        return self._rows("item_states", run=run)

    def unfinished(self, run: int) -> list[Row]:
        """Items that were not published and not put away."""
        return self._rows("unfinished_items", run=run)

    def alive(self, corpus: str) -> Row:
        """Documents, parents and children that a search can find."""
        return self._rows("alive", corpus=corpus)[0]

    def finish_run(self, run: int, state: str, documents: Mapping[str, int], kept: int, error: str | None) -> None:
        """Close a run."""
        values = {"run": run, "state": state, "documents": Jsonb(dict(documents)), "kept": kept, "error": error}
        with self._transaction() as (cursor, _):
            cursor.execute(query("finish_run"), values)
            if state == "succeeded":
                cursor.execute(query("clear_texts"), {"run": run})

    # -- operators

    def status(self, corpus: str | None = None) -> list[Row]:
        """Counts, last run, freshness and model of each corpus."""
        return self._rows("status", corpus=corpus)

    def quarantined(self, corpus: str | None = None) -> list[Row]:
        """The documents in quarantine, with their reasons."""
        return self._rows("quarantine_list", corpus=corpus)

    def retry(self, corpus: str, uri: str | None) -> int:
        """Ask for another try at the next run; all documents of the corpus if no address is given."""
        with self._transaction() as (cursor, _):
            return cursor.execute(query("quarantine_retry"), {"corpus": corpus, "uri": uri}).rowcount

    def forget(self, corpus: str, uri: str) -> int:
        """Drop an entry of the quarantine."""
        with self._transaction() as (cursor, _):
            return cursor.execute(query("quarantine_forget"), {"corpus": corpus, "uri": uri}).rowcount


def _one(cursor: psycopg.Cursor[Row]) -> Row:
    row = cursor.fetchone()
    assert row is not None, "a statement that always returns a row returned none"
    return row


def _parameters(evidence: Evidence) -> Row:
    return {name: getattr(evidence, name) for name in Evidence.__slots__}


def _storable(text: str) -> str:
    """Error texts may quote the document: no NUL and no lone surrogate may reach the database."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def _stored(cursor: psycopg.Cursor[Row], document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
    parents = cursor.execute(query("stored_parents"), {"document": document}).fetchall()
    children = cursor.execute(query("stored_children"), {"document": document}).fetchall()
    return {row["id"]: place_of_parent(row) for row in parents}, {row["id"]: place_of_child(row) for row in children}


def _swap(cursor: psycopg.Cursor[Row], written: Written, document: UUID, staged: StagedDocument, read: Row) -> None:
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

    stored_parents, stored_children = _stored(cursor, document)
    parents = diff(((row["id"], place_of_parent(row)) for row in staged.parents), stored_parents)
    children = diff(((row["id"], place_of_child(row)) for row in staged.children), stored_children)
    written.inserted += len(children.insert)
    written.moved += len(children.move)
    written.deleted += len(children.delete)
    parents_by_id = {parent["id"]: parent | {"document": document} for parent in staged.parents}
    children_by_id = {child["id"]: child | {"document": document} for child in staged.children}
    for statement, rows in (
        ("delete_children", [{"ids": list(children.delete)}] if children.delete else []),
        ("insert_parent", [parents_by_id[row_id] for row_id, _ in parents.insert]),
        ("update_parent", [parents_by_id[row_id] for row_id, _ in parents.move]),
        ("insert_child", [children_by_id[row_id] for row_id, _ in children.insert]),
        ("update_child", [children_by_id[row_id] for row_id, _ in children.move]),
        ("delete_parents", [{"ids": list(parents.delete)}] if parents.delete else []),
    ):
        if rows:
            cursor.executemany(query(statement), rows)
            written.rows += cursor.rowcount
