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
from corpus.ledger import Ledger
from corpus.plans import Plans
from corpus.publishing import settle, stored, swap
from corpus.queries import query
from corpus.records import Evidence, Item, Row, Run
from corpus.session import one, storable
from corpus.staging import StagedDocument
from corpus.vectors import Vectors

_TO_DO = ("planned", "failed")  #: states of an item that is still to be prepared


class Store(Ledger, Plans, Vectors):
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
                written.rows += cursor.execute(query("insert_parsed"), values).rowcount
            values = _parameters(evidence) | {"run": run, "keys": sorted(staged.keys)}
            cursor.execute(query("stage_item"), values | {"staged": Jsonb(staged.to_dict())})
            return True

    def end_item(self, run: int, document: UUID, state: str, error: str, *, was: Sequence[str] = _TO_DO) -> None:
        """Close an item, or mark it as failed for this attempt, unless it is in none of these states any more."""
        with self.transaction() as (cursor, _):
            if _claim(cursor, run, document, *was):
                _end(cursor, run, document, state, error)

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
    ) -> bool:
        """Put a document away until its bytes or its parser change; what is served on gets today's permissions.

        False if another process was faster, or something newer is there.
        """
        values = _parameters(evidence) | {"run": run.id, "corpus": run.corpus, "permissions": permissions}
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
                    "parse_fingerprint": parse_fingerprint,
                }
                written.rows += cursor.execute(query("quarantine"), values | failure).rowcount
                written.rows += cursor.execute(query("set_permissions"), values).rowcount
            _end(cursor, run.id, evidence.document, state, str(error))
            return state == "quarantined"

    def stored(self, document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
        """Places of the parents and of the children that are published."""
        with self.transaction() as (cursor, _):
            return stored(cursor, document)

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
            if model != run.model_id:
                return "staged"
            staged = StagedDocument.from_dict(item.pop("staged"))
            read = item | {"document": document, "run": run.id, "corpus": run.corpus}
            state = "superseded"
            if cursor.execute(query("mark_read"), read).fetchone():
                state = "published"
                swap(cursor, written, document, staged, read)
                written.rows += cursor.execute(query("leave_quarantine"), {"document": document}).rowcount
            _end(cursor, run.id, document, state)
            return state

    def settle_unprepared(self, run: Run) -> None:
        """What needs no preparation: tombstones, fresh evidence, permissions of what is held back.

        A transaction for each document.
        """
        for item in self.rows("items_without_preparation", run=run.id):
            document = item.pop("document_id")
            with self.transaction(run.id) as (cursor, written):
                if _claim(cursor, run.id, document, "planned"):
                    order = {"corpus": run.corpus, "run": run.id, "listing_sequence": run.listing_sequence}
                    state = settle(cursor, written, item | order | {"document": document})
                    _end(cursor, run.id, document, state)

    def quarantined(self, corpus: str | None = None) -> list[Row]:
        """The documents in quarantine, with their reasons."""
        return self.rows("quarantine_list", corpus=corpus)

    def retry(self, corpus: str, uri: str | None) -> int:
        """Ask for another try at the next run; all documents of the corpus if no address is given."""
        with self.transaction() as (cursor, _):
            return cursor.execute(query("quarantine_retry"), {"corpus": corpus, "uri": uri}).rowcount

    def forget(self, corpus: str, uri: str) -> int:
        """Drop an entry of the quarantine."""
        with self.transaction() as (cursor, _):
            return cursor.execute(query("quarantine_forget"), {"corpus": corpus, "uri": uri}).rowcount


def _claim(cursor: psycopg.Cursor[Row], run: int, document: UUID, *states: str) -> bool:
    """Lock an item that is in one of these states; every transaction takes the item before anything else."""
    values = {"run": run, "document": document, "states": list(states)}
    return cursor.execute(query("claim_item"), values).fetchone() is not None


def _end(cursor: psycopg.Cursor[Row], run: int, document: UUID, state: str, error: str | None = None) -> None:
    said = None if error is None else storable(error)
    cursor.execute(query("end_item"), {"run": run, "document": document, "state": state, "error": said})


def _parameters(evidence: Evidence) -> Row:
    return {name: getattr(evidence, name) for name in Evidence.__slots__}
