"""Texts that want a vector, and vectors; which model a corpus is asked with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from chunkers.identity import context_key
from corpus.embedding import Text
from corpus.queries import query
from corpus.records import Row, Run
from corpus.session import Session, one


class Vectors(Session):
    """What embedding reads and writes."""

    def missing_keys(self, model: int, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that have no vector under the model."""
        return {row["key"] for row in self.rows("missing_keys", model=model, keys=sorted(set(keys)))}

    def find_model(self, model: Mapping[str, Any]) -> int | None:
        """The id of a registered model."""
        found = self.rows("find_model", **model)
        return int(found[0]["id"]) if found else None

    def published_without_vector(self, corpus: str, model: int | None) -> list[Text]:
        """The texts of published children that have no vector under a model."""
        return _texts(self.rows("published_texts_without_vector", corpus=corpus, model=model))

    def plan_texts(self, run: Run, *, batch_texts: int) -> list[Row]:
        """Write down the texts that lack a vector, staged and published ones, in batches by length; the batches."""
        values = {"run": run.id, "model": run.model_id, "corpus": run.corpus}
        with self.transaction() as (cursor, _):
            clear_texts(cursor, run.id)
            wanted = one(cursor.execute(query("staged_keys"), values))["keys"]
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
        return _texts(self.rows("batch_texts", run=run.id, batch=batch))

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
        with self.transaction(run.id) as (cursor, written):
            cursor.executemany(query("insert_vector"), rows)
            written.rows += cursor.rowcount
            written.embedded += texts
            cost = {"run": run.id, "model": run.model_id, "batch": batch, "texts": texts, "tokens": tokens}
            cursor.execute(query("insert_cost"), cost | {"price": price})

    def active_model(self, corpus: str) -> Row | None:
        """The model that searches of the corpus ask."""
        found = self.rows("active_model", corpus=corpus)
        return found[0] if found else None

    def activate_model(self, run: Run) -> bool:
        """Whether searches of the corpus ask the run's model from now on: it has a vector for all that is published."""
        values = {"corpus": run.corpus, "model": run.model_id, "listing_sequence": run.listing_sequence}
        with self.transaction(run.id) as (cursor, written):
            active = one(cursor.execute(query("model_to_change"), values))["active_model"]
            if active == run.model_id:
                return True
            if active and not one(cursor.execute(query("may_activate"), values | {"active": active}))["may"]:
                return False
            written.rows += cursor.execute(query("activate_model"), values).rowcount
            return True


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


def clear_texts(cursor: psycopg.Cursor[Row], run: int) -> None:
    """Delete the texts of a run, once no other process writes them."""
    cursor.execute(query("lock"), {"what": f"kerf texts {run}"})
    cursor.execute(query("clear_texts"), {"run": run})
