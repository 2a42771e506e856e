"""Texts that want a vector, and vectors; which model a corpus is asked with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from corpus.embedding import Text
from corpus.ledger import add_stage
from corpus.queries import query
from corpus.records import Row, Run
from corpus.session import Session, one, storable
from corpus.texts import BatchOfTexts, clear_texts

_AT_ONCE = 1000  #: texts that are taken from the server at a time


class Vectors(Session):
    """What embedding reads and writes."""

    def missing_keys(self, model: int, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have no vector under the model."""
        return {row["key"] for row in self.rows("missing_keys", model=model, keys=sorted(set(keys)))}

    def find_model(self, model: Mapping[str, Any]) -> int | None:
        """The id of a registered model."""
        found = self.rows("find_model", **model)
        return int(found[0]["id"]) if found else None

    def published_unread(self, corpus: str, model: int | None) -> Iterator[list[Row]]:
        """Published texts without a vector under a model, some at a time: each with the key of a child read in it."""
        rows = self.stream("published_unread", corpus=corpus, model=model)
        while part := list(islice(rows, _AT_ONCE)):
            yield part

    def documents_with(self, corpus: str, keys: list[bytes]) -> set[UUID]:
        """The published documents that have a child with one of these keys."""
        return {row["document_id"] for row in self.rows("documents_with", corpus=corpus, keys=keys)}

    def plan_texts(self, run: Run, *, task_texts: int) -> None:
        """Write down the texts of a run that want a vector, in batches by length, and count what has one.

        That is done on the server: no text comes here, however many there are. Those that are wanted for no other
        reason than a changed configuration are in batches of their own, after the others.
        """
        values = {"run": run.id, "model": run.model_id, "corpus": run.corpus, "task_texts": task_texts}
        with self.transaction() as (cursor, _):
            cursor.execute(query("revoke_leases"), values | {"stage": "embed"})
            cursor.execute(query("lock"), {"what": f"kerf texts {run.id}"})
            done = [row["key"] for row in cursor.execute(query("made_again"), values)]
            clear_texts(cursor, run.id)
            staged = cursor.execute(query("any_staged"), values).fetchone()
            if not staged and not cursor.execute(query("lacking_vectors"), values).fetchone():
                return
            values["active"] = one(cursor.execute(query("active_before"), values))["id"]
            cursor.execute(query("make_text_tables"))
            if cursor.execute(query("find_missing"), values).rowcount:
                cursor.execute(query("find_staged_texts"), values)
                cursor.execute(query("find_published_texts"), values)
                cursor.execute(query("plan_texts"), values | {"done": done})
            if not run.row["embedded"] and not run.row["reused"]:
                there = one(cursor.execute(query("reused"), values))
                if cursor.execute(query("set_reused"), values | {"reused": there["texts"]}).rowcount:
                    add_stage(cursor, run.id, "embed", reused=there["tokens"])

    def text_batches(self, run: int) -> list[Row]:
        """Number, texts, tokens, and whether they are guarded, of each batch of texts."""
        return self.rows("text_batches", run=run)

    def guarded(self, run: Run) -> Row:
        """What is wanted for a changed configuration alone: tokens, documents, stages; the model before; the whole."""
        return self.rows("guarded", run=run.id, model=run.model_id, corpus=run.corpus)[0]

    def write_spending(self, run: int, spending: Row) -> None:
        """Keep what a changed configuration alone would have embedded."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("set_spending"), {"run": run, "spending": Jsonb(spending)})

    def approve(self, run: int, by: str) -> None:
        """Keep whose word it is that it may be embedded; the first word counts."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("approve"), {"run": run, "by": storable(by)})

    def batch_texts(self, run: Run, batch: int) -> BatchOfTexts:
        """The texts of a batch."""
        return BatchOfTexts.of(self.rows("batch_texts", run=run.id, batch=batch))

    def store_vectors(
        self,
        run: Run,
        batch: int,
        vectors: Mapping[bytes, NDArray[np.float32]],
        *,
        texts: int,
        tokens: int,
        price: float,
        again: Sequence[Text] = (),
    ) -> None:
        """Store vectors by their keys as they were computed, in the order of the keys; `texts` were read for them.

        Those of the texts in `again` replace what is there.
        """
        replaced = {key for text in again for key in text.keys}
        rows = [{"model": run.model_id, "key": key, "embedding": vectors[key]} for key in sorted(vectors)]
        with self.transaction(run.id) as (cursor, written):
            # Key by key: no two transactions wait for each other; and the server ends a transaction whose process
            # stands still only where each statement was answered by itself, not after several sent at once.
            for row in rows:
                if row["key"] in replaced:
                    written.rows += cursor.execute(query("delete_vector"), row).rowcount
                written.rows += cursor.execute(query("insert_vector"), row).rowcount
            if again:
                cursor.execute(query("mark_made_again"), {"run": run.id, "keys": [text.key for text in again]})
            written.embedded += texts
            cost = {"run": run.id, "model": run.model_id, "batch": batch, "texts": texts, "tokens": tokens}
            cursor.execute(query("insert_cost"), cost | {"price": price})
            add_stage(cursor, run.id, "embed", chunks=texts, tokens=tokens, price=price)

    def cut_by(self, corpus: str) -> Row | None:
        """What a corpus is cut by where its configuration names nothing; see `corpus.config.CutBy`."""
        found = self.rows("cut_by", corpus=corpus)
        made: Row | None = found[0]["cut_by"] if found else None
        return made

    def remember_cut_by(self, run: Run, cut_by: Row) -> None:
        """Keep that, as long as nothing was published."""
        with self.transaction(run.id) as (cursor, written):
            values = {"corpus": run.corpus, "cut_by": Jsonb(cut_by)}
            written.rows += cursor.execute(query("remember_cut_by"), values).rowcount

    def active_model(self, corpus: str) -> Row | None:
        """The model that searches of the corpus ask."""
        found = self.rows("active_model", corpus=corpus)
        return found[0] if found else None
