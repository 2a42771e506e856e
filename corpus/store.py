"""What stages keep and publish: with the rooms that it is made of, the only module that writes.

Every method is one transaction unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from corpus.errors import CutError, DocumentError
from corpus.history import History
from corpus.ledger import Ledger, add_stage
from corpus.plans import Plans
from corpus.publishing import remember, settle, swap
from corpus.queries import query
from corpus.records import Evidence, Item, Row, Run, Written
from corpus.session import one, storable
from corpus.staging import StagedDocument
from corpus.vectors import Vectors
from corpus.wanted import Dry

_NOT_STAGED = ("content_hash", "parents", "children", "version", "moved_from", "deleted")  #: of a row of `documents`
#: for `mark_read`: the version that is served on is not looked at, so nobody knows whether it is as today's would be
_OF_NO_SETTINGS = {"settings": "", "whole": True}
_TO_DO = ("planned", "failed")  #: states of an item that is still to be prepared


class Store(Ledger, History, Plans, Vectors, Dry):
    """The database as the pipeline sees it. Use it as a context manager."""

    def batch_items(self, run: int, batch: int) -> list[Item]:
        """What is still to be prepared in a batch."""
        rows = self.rows("batch_items", run=run, batch=batch)
        return [Item(document=row.pop("document_id"), batch=batch, **row) for row in rows]

    def next_read_sequence(self) -> int:
        """The next number of the order between runs."""
        return int(self.rows("next_read_sequence")[0]["number"])

    def parsed_form(self, content_hash: bytes, parse_fingerprint: str) -> dict[str, Any] | None:
        """The stored parsed form of these bytes."""
        found = self.rows("parsed_form", content_hash=content_hash, parse_fingerprint=parse_fingerprint)
        return found[0]["form"] if found else None

    def own_words(self, content_hash: bytes, parse_fingerprint: str) -> dict[str, Any] | None:
        """The stored parsed form of these bytes without its text: what the document says of itself."""
        found = self.rows("own_words", content_hash=content_hash, parse_fingerprint=parse_fingerprint)
        return found[0]["form"] if found else None

    def published_row(self, document: UUID) -> Row | None:
        """What is published of a document beside its parents and children; a tombstone is `deleted`."""
        found = self.rows("stored_document", id=document)
        return found[0] if found else None

    def published_children(self, document: UUID) -> dict[UUID, Row]:
        """The rows of a document's children, by their ids."""
        return {row["id"]: row for row in self.rows("stored_children", document=document)}

    def published(self, document: UUID) -> tuple[Row, StagedDocument] | None:
        """As `published_row`, with all of the version, to be published again."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("as_one_snapshot"))
            row = cursor.execute(query("stored_document"), {"id": document}).fetchone()
            if row is None:
                return None
            parents, children, contexts = (
                cursor.execute(query(f"stored_{part}"), {"document": document}).fetchall()
                for part in ("parents", "children", "contexts")
            )
            staged = {name: value for name, value in row.items() if name not in _NOT_STAGED}
            return row, StagedDocument(staged, parents, children, contexts)

    def stage(
        self, run: int, evidence: Evidence, staged: StagedDocument, form: dict[str, Any] | None, *, parsed: bool
    ) -> bool:
        """Keep what a document will become; `form` is its parsed form where that is new.

        False if another process has done so: it is not touched again, since its texts may be planned already.
        """
        with self.transaction(run) as (cursor, written):
            written.parsed += parsed
            if not _claim(cursor, run, evidence.document, *_TO_DO):
                return False
            if form is not None:
                document = staged.document
                values = {
                    "content_hash": evidence.content_hash,
                    "parse_fingerprint": document["parse_fingerprint"],
                    "form": Jsonb(form),
                }
                written.rows += cursor.execute(query("keep_parsed"), values).rowcount
            values = _parameters(evidence) | {"run": run, "keys": sorted(staged.keys)}
            cursor.execute(query("stage_item"), values | {"staged": Jsonb(staged.to_dict())})
            return True

    def end_item(self, run: int, document: UUID, state: str, error: str, *, was: Sequence[str] = _TO_DO) -> None:
        """Close an item, or mark it as failed for this attempt, unless it is in none of these states any more."""
        with self.transaction(run) as (cursor, _):
            if _claim(cursor, run, document, *was):
                _end(cursor, run, document, state, error)

    def quarantine(
        self,
        run: Run,
        evidence: Evidence,
        error: DocumentError | CutError,
        *,
        media_type: str | None,
        parser: str | None,
        parse_fingerprint: str,
        permissions: list[str],
        parsed: bool,
    ) -> bool:
        """Put a document away until its bytes or its parser change.

        What is served on is marked as stale, and gets today's permissions. `parser` is the name and the version of the
        one that reads such documents. False if another process was faster, or something newer is there.
        """
        values = _parameters(evidence) | {"run": run.id, "corpus": run.corpus, "permissions": permissions}
        values |= _OF_NO_SETTINGS
        with self.transaction(run.id) as (cursor, written):
            written.parsed += parsed
            if not _claim(cursor, run.id, evidence.document, *_TO_DO):
                return False
            state = "superseded"
            if cursor.execute(query("mark_read"), values).fetchone():
                state = "quarantined"
                failure = {
                    "stage": error.stage or "parse",
                    "error_class": type(error).__name__,
                    "message": storable(error.message),
                    "hint": storable(error.hint),
                    "media_type": media_type,
                    "parser": parser,
                    "parse_fingerprint": parse_fingerprint,
                }
                for statement in ("quarantine", "hold_back"):
                    written.rows += cursor.execute(query(statement), values | failure).rowcount
                remember(cursor, values, "quarantined")
            _end(cursor, run.id, evidence.document, state, str(error))
            return state == "quarantined"

    def ready(self, run: Run) -> list[UUID]:
        """The staged documents of which every text has its vector."""
        return [row["document_id"] for row in self.rows("ready_items", run=run.id, model=run.model_id)]

    def publish(self, run: Run, document: UUID) -> str:
        """Swap a document's old version for its staged one; returns the state that its item ends in.

        It stays staged while searches ask another model than the run's, and is failed if the database refuses it.
        """
        try:
            return self._publish(run, document)
        except DocumentError as error:
            self.end_item(run.id, document, "failed", str(error), was=["staged"])
            return "failed"

    def _publish(self, run: Run, document: UUID) -> str:
        with self.transaction(run.id) as (cursor, written):
            item = cursor.execute(query("staged_item"), {"run": run.id, "document": document}).fetchone()
            if item is None:
                return "superseded"
            model = one(cursor.execute(query("model_for_publishing"), {"corpus": run.corpus}))["active_model"]
            return "staged" if model != run.model_id else _put(cursor, written, run, item)

    def activate_model(self, run: Run) -> bool:
        """Whether searches of the corpus ask the run's model from now on: it has a vector for all that is published.

        Documents of which it has not, since it cannot read them as they were cut or they go anyhow, are published and
        buried in the transaction in which it takes over.
        """
        active = self.active_model(run.corpus)
        if active is not None and active["id"] == run.model_id:
            return True
        values = {"corpus": run.corpus, "model": run.model_id, "run": run.id, "listing_sequence": run.listing_sequence}
        found = self.rows("lacking_vectors", **values) if active else []
        lacking = {row["document_id"] for row in found if not row["excused"]}
        gone = {row["document_id"]: row["moved_to"] for row in self.rows("going", run=run.id, documents=list(lacking))}
        ready = set(self.ready(run)) if lacking else set()
        if lacking - ready - gone.keys():
            return False
        self.rows("index_embeddings", model=run.model_id)
        swapped = sorted(ready & (lacking | set(gone.values())))
        refused: list[UUID] = []
        took = False
        try:
            with self.transaction(run.id) as (cursor, written):
                took = _take_over(cursor, written, run, swapped, sorted(gone), refused)
                if not took:
                    raise psycopg.Rollback
        except DocumentError as error:
            for document in refused:
                self.end_item(run.id, document, "failed", str(error), was=["staged"])
        return took

    def settle_unprepared(self, run: Run) -> None:
        """What needs no preparation: tombstones, fresh evidence, permissions of what is held back.

        A transaction for each document.
        """
        for item in self.rows("items_without_preparation", run=run.id, only=None):
            with self.transaction(run.id) as (cursor, written):
                _settle_item(cursor, written, run, item)


def _take_over(
    cursor: psycopg.Cursor[Row],
    written: Written,
    run: Run,
    swapped: Sequence[UUID],
    gone: Sequence[UUID],
    refused: list[UUID],
) -> bool:
    """Publish these documents, bury those, and have searches ask the run's model; False: it is all to be undone.

    What the database refuses is left in `refused`. Items are locked before the corpus, as everywhere.
    """
    values = {"corpus": run.corpus, "model": run.model_id, "run": run.id, "listing_sequence": run.listing_sequence}
    for document in sorted({*swapped, *gone}):
        _claim(cursor, run.id, document, "staged", "planned")
    asked = one(cursor.execute(query("model_to_change"), values))["active_model"]
    if asked == run.model_id:  # another process has done it
        return True
    for document in swapped:
        item = cursor.execute(query("staged_item"), {"run": run.id, "document": document}).fetchone()
        own = Written()
        refused[:] = [document]
        if item is None or _put(cursor, own, run, item) != "published":
            return False
        refused.clear()
        written.add(own)
    for item in cursor.execute(query("items_without_preparation"), {"run": run.id, "only": list(gone)}).fetchall():
        _settle_item(cursor, written, run, item)
    lacking = cursor.execute(query("lacking_vectors"), values).fetchall() if asked else []
    if not all(row["excused"] for row in lacking):
        return False
    if asked and cursor.execute(query("chosen_since"), values | {"active": asked}).fetchone():
        return False
    for row in lacking:
        cursor.execute(query("forget_settings"), {"document": row["document_id"]})
        written.rows += cursor.execute(query("forget_cut"), {"document": row["document_id"]}).rowcount
    written.rows += cursor.execute(query("activate_model"), values).rowcount
    return True


def _put(cursor: psycopg.Cursor[Row], written: Written, run: Run, item: Row) -> str:
    """Publish an item that is locked, unless something newer is there; returns the state that it ends in."""
    document = item["document_id"]
    staged = StagedDocument.from_dict(item.pop("staged"))
    read = item | {"document": document, "run": run.id, "corpus": run.corpus}
    read |= {"settings": staged.settings, "whole": staged.whole}
    state = "superseded"
    settled = cursor.execute(query("settled_since"), read).fetchone()
    if not settled and cursor.execute(query("mark_read"), read).fetchone():
        state = "published"
        swap(cursor, written, document, staged, read)
        for statement in ("leave_quarantine", "freshen"):
            written.rows += cursor.execute(query(statement), {"document": document}).rowcount
        remember(cursor, read, "published", written)
    _end(cursor, run.id, document, state)
    if state == "published":
        add_stage(cursor, run.id, "publish", documents=1, chunks=written.inserted + written.moved)
    return state


def _settle_item(cursor: psycopg.Cursor[Row], written: Written, run: Run, item: Row) -> None:
    document = item["document_id"]
    if _claim(cursor, run.id, document, "planned"):
        order = {"corpus": run.corpus, "run": run.id, "listing_sequence": run.listing_sequence}
        state = settle(cursor, written, item | order | {"document": document})
        _end(cursor, run.id, document, state)


def _claim(cursor: psycopg.Cursor[Row], run: int, document: UUID, *states: str) -> bool:
    """Lock an item that is in one of these states; every transaction takes the item before anything else."""
    values = {"run": run, "document": document, "states": list(states)}
    return cursor.execute(query("claim_item"), values).fetchone() is not None


def _end(cursor: psycopg.Cursor[Row], run: int, document: UUID, state: str, error: str | None = None) -> None:
    said = None if error is None else storable(error)
    cursor.execute(query("end_item"), {"run": run, "document": document, "state": state, "error": said})


def _parameters(evidence: Evidence) -> Row:
    return {name: getattr(evidence, name) for name in Evidence.__slots__}
