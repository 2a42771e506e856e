"""The database as the pipeline sees it: the only module that writes, with what `corpus.publishing` does for it.

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

from chunkers.identity import context_key
from corpus.database import connect
from corpus.embedding import Text
from corpus.errors import CutError, DocumentError, RunFailed, StoreUnavailable
from corpus.planning import Known
from corpus.publishing import settle, stored, swap
from corpus.queries import query
from corpus.records import Evidence, Item, Row, Run, Written
from corpus.staging import StagedDocument

_TO_DO = ("planned", "failed")  #: states of an item that is still to be prepared


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
        except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded) as error:
            raise DocumentError(
                f"the database refuses what was made of the document: {_reason(error)}",
                hint="split a very large document; for any other, a bug in Kerf: please report it",
                stage="store",
            ) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise StoreUnavailable(
                f"the database gave up: {_reason(error)}", hint="the run can be started again"
            ) from error

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
            _plan_alone(cursor, corpus)
            written.rows += cursor.execute(query("ensure_corpus"), {"corpus": corpus}).rowcount
            registered = _one(cursor.execute(query("register_model"), dict(model)))
            written.rows += registered["made"]
            values = {"corpus": corpus, "key": key, "model": registered["id"], "start": start, "end": end}
            for earlier in cursor.execute(query("find_run"), values).fetchall():  # items before runs, as everywhere
                cursor.execute(query("clear_items"), {"run": earlier["id"]})
                _clear_texts(cursor, earlier["id"])
            run = _one(cursor.execute(query("begin_run"), values))["id"]
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

    def known(self, corpus: str, listing_sequence: int | None = None) -> dict[str, Known]:
        """The ledger of a corpus by address, for a run whose listing began at `listing_sequence`."""
        rows = self._rows("known", corpus=corpus, listing_sequence=listing_sequence)
        return {row["uri"]: Known(**row) for row in rows}

    def write_plan(self, run: Run, items: Iterable[Item], documents: Mapping[str, int]) -> None:
        """Write the items of a run, in the order of their ids; raises `RunFailed` if it was planned anew meanwhile."""
        rows = [
            {name: getattr(item, name) for name in Item.__slots__ if name != "parse_fingerprint"} | {"run": run.id}
            for item in sorted(items, key=lambda item: item.document)
        ]
        values = {"run": run.id, "listing_sequence": run.listing_sequence, "planned": Jsonb(dict(documents))}
        with self._transaction() as (cursor, _):
            _plan_alone(cursor, run.corpus)
            cursor.execute(query("clear_items"), values)
            cursor.executemany(query("insert_item"), rows)
            if not cursor.execute(query("set_planned"), values).rowcount:
                raise RunFailed(f"run {run.id} was planned anew meanwhile", hint="the later plan holds", stage="plan")

    def fail_run(self, run: Run, error: str) -> None:
        """Close a run that cannot go on, unless it was planned anew meanwhile."""
        values = {"run": run.id, "listing_sequence": run.listing_sequence, "error": _storable(error)}
        with self._transaction() as (cursor, _):
            cursor.execute(query("fail_run"), values)

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
    ) -> bool:
        """Keep what a document will become; `form` is its parsed form where that is new.

        False if another process has done so: it is not touched again, since its texts may be planned already.
        """
        with self._transaction(run) as (cursor, written):
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
        with self._transaction() as (cursor, _):
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
        with self._transaction(run.id) as (cursor, written):
            written.parsed += parsed
            if not _claim(cursor, run.id, evidence.document, *_TO_DO):
                return False
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
            _end(cursor, run.id, evidence.document, state, str(error))
            return state == "quarantined"

    def children_of(self, documents: Sequence[UUID]) -> int:
        """How many children the published ones among these documents have."""
        return int(self._rows("children_of", documents=list(documents))[0]["children"])

    def stored(self, document: UUID) -> tuple[dict[UUID, Any], dict[UUID, Any]]:
        """Places of the parents and of the children that are published."""
        with self._transaction() as (cursor, _):
            return stored(cursor, document)

    def missing_keys(self, model: int, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have no vector under the model."""
        return {row["key"] for row in self._rows("missing_keys", model=model, keys=sorted(set(keys)))}

    def find_model(self, model: Mapping[str, Any]) -> int | None:
        """The id of a registered model."""
        found = self._rows("find_model", **model)
        return int(found[0]["id"]) if found else None

    def published_without_vector(self, corpus: str, model: int | None) -> list[Text]:
        """The texts of published children that have no vector under a model."""
        return _texts(self._rows("published_texts_without_vector", corpus=corpus, model=model))

    # -- embed

    def plan_texts(self, run: Run, *, batch_texts: int) -> list[Row]:
        """Write down the texts that lack a vector, staged and published ones, in batches by length; the batches."""
        values = {"run": run.id, "model": run.model_id, "corpus": run.corpus}
        with self._transaction() as (cursor, _):
            _clear_texts(cursor, run.id)
            wanted = _one(cursor.execute(query("staged_keys"), values))["keys"]
            staged = cursor.execute(query("staged_texts_without_vector"), values).fetchall()
            reused = wanted - sum(len(row["places"] or [row]) for row in staged)
            published = cursor.execute(query("published_texts_without_vector"), values).fetchall()
            missing = sorted(_texts([*staged, *published]), key=lambda text: (text.tokens, text.key))
            rows = [
                {
                    "run": run.id,
                    "batch": at // batch_texts,
                    "key": text.key,
                    "tokens": text.tokens,
                    "text": text.text,
                    "places": Jsonb(_places(text)) if text.places else None,
                }
                for at, text in enumerate(missing)
            ]
            cursor.executemany(query("insert_text"), rows)
            cursor.execute(query("set_reused"), values | {"reused": reused})
            return cursor.execute(query("text_batches"), values).fetchall()

    def batch_texts(self, run: Run, batch: int) -> list[Text]:
        """The texts of a batch, longest first."""
        return _texts(self._rows("batch_texts", run=run.id, batch=batch))

    def store_vectors(
        self,
        run: Run,
        batch: int,
        vectors: Mapping[bytes, NDArray[np.float32]],
        *,
        texts: int,
        tokens: int,
        price: float,
    ) -> None:
        """Store vectors by their keys as they were computed, in the order of the keys; `texts` were read for them."""
        rows = [{"model": run.model_id, "key": key, "embedding": vectors[key]} for key in sorted(vectors)]
        with self._transaction(run.id) as (cursor, written):
            cursor.executemany(query("insert_vector"), rows)
            written.rows += cursor.rowcount
            written.embedded += texts
            cost = {"run": run.id, "model": run.model_id, "batch": batch, "texts": texts, "tokens": tokens}
            cursor.execute(query("insert_cost"), cost | {"price": price})

    # -- publish

    def active_model(self, corpus: str) -> Row | None:
        """The model that searches of the corpus ask."""
        found = self._rows("active_model", corpus=corpus)
        return found[0] if found else None

    def activate_model(self, run: Run) -> bool:
        """Whether searches of the corpus ask the run's model from now on: it has a vector for all that is published."""
        values = {"corpus": run.corpus, "model": run.model_id, "listing_sequence": run.listing_sequence}
        with self._transaction(run.id) as (cursor, written):
            active = _one(cursor.execute(query("model_to_change"), values))["active_model"]
            if active == run.model_id:
                return True
            if active and not _one(cursor.execute(query("may_activate"), values | {"active": active}))["may"]:
                return False
            written.rows += cursor.execute(query("activate_model"), values).rowcount
            return True

    def ready(self, run: Run) -> list[UUID]:
        """The staged documents of which every text has its vector."""
        return [row["document_id"] for row in self._rows("ready_items", run=run.id, model=run.model_id)]

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
        with self._transaction(run.id) as (cursor, written):
            item = cursor.execute(query("staged_item"), {"run": run.id, "document": document}).fetchone()
            if item is None:
                return "superseded"
            model = _one(cursor.execute(query("model_for_publishing"), {"corpus": run.corpus}))["active_model"]
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
        for item in self._rows("items_without_preparation", run=run.id):
            document = item.pop("document_id")
            with self._transaction(run.id) as (cursor, written):
                if _claim(cursor, run.id, document, "planned"):
                    order = {"corpus": run.corpus, "run": run.id, "listing_sequence": run.listing_sequence}
                    state = settle(cursor, written, item | order | {"document": document})
                    _end(cursor, run.id, document, state)

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
        said = None if error is None else _storable(error)
        values = {"run": run, "state": state, "documents": Jsonb(dict(documents)), "kept": kept, "error": said}
        with self._transaction() as (cursor, _):
            if state == "succeeded":
                _clear_texts(cursor, run)
            cursor.execute(query("finish_run"), values)

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


def _texts(rows: Iterable[Row]) -> list[Text]:
    """One text for each key; a text that is read for places in it is read once for all of them."""
    texts: dict[bytes, Text] = {}
    for row in rows:
        places = {bytes.fromhex(place["key"]): (place["start"], place["end"]) for place in row["places"] or ()}
        key = context_key(row["text"]) if places else row["key"]
        if known := texts.get(key):
            places |= known.places
        texts[key] = Text(key, row["text"], row["tokens"], places)
    return list(texts.values())


def _places(text: Text) -> list[Row]:
    return [{"key": key.hex(), "start": start, "end": end} for key, (start, end) in sorted(text.places.items())]


def _one(cursor: psycopg.Cursor[Row]) -> Row:
    row = cursor.fetchone()
    assert row is not None, "a statement that always returns a row returned none"
    return row


def _reason(error: psycopg.Error) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _plan_alone(cursor: psycopg.Cursor[Row], corpus: str) -> None:
    """Wait until no other process writes a plan for the corpus."""
    cursor.execute(query("lock"), {"what": f"kerf plan {corpus}"})


def _clear_texts(cursor: psycopg.Cursor[Row], run: int) -> None:
    """Delete the texts of a run, once no other process writes them."""
    cursor.execute(query("lock"), {"what": f"kerf texts {run}"})
    cursor.execute(query("clear_texts"), {"run": run})


def _claim(cursor: psycopg.Cursor[Row], run: int, document: UUID, *states: str) -> bool:
    """Lock an item that is in one of these states; every transaction takes the item before anything else."""
    values = {"run": run, "document": document, "states": list(states)}
    return cursor.execute(query("claim_item"), values).fetchone() is not None


def _end(cursor: psycopg.Cursor[Row], run: int, document: UUID, state: str, error: str | None = None) -> None:
    said = None if error is None else _storable(error)
    cursor.execute(query("end_item"), {"run": run, "document": document, "state": state, "error": said})


def _parameters(evidence: Evidence) -> Row:
    return {name: getattr(evidence, name) for name in Evidence.__slots__}


def _storable(text: str) -> str:
    """Error texts may quote the document: no NUL and no lone surrogate may reach the database."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")
