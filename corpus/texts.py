"""The texts of a run that want a vector, as they wait in the database for the tasks that embed them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import psycopg

from chunkers.identity import context_key
from corpus.embedding import Text
from corpus.queries import query
from corpus.records import Row


@dataclass(frozen=True, slots=True)
class BatchOfTexts:
    """What one mapped task of `embed` is to do."""

    texts: list[Text]  #: longest first
    again: frozenset[bytes]  #: keys of those whose vectors are replaced, whatever is stored
    guarded: bool  #: all are wanted for no other reason than a changed configuration; else none is

    @classmethod
    def of(cls, rows: list[Row]) -> BatchOfTexts:
        """The batch that these rows of `sync_texts` are."""
        again = frozenset(row["key"] for row in rows if row["again"])
        return cls(texts_of(rows), again, any(row["guarded"] for row in rows))


def texts_of(rows: Iterable[Row]) -> list[Text]:
    """One text for each key; a text that is read for places in it is read once for all of them."""
    texts: dict[bytes, Text] = {}
    for row in rows:
        places = {bytes.fromhex(place["key"]): (place["start"], place["end"]) for place in row["places"] or ()}
        key = context_key(row["text"]) if places else row["key"]
        if known := texts.get(key):
            places |= known.places
        texts[key] = Text(key, row["text"], row["tokens"], places)
    return list(texts.values())


def clear_texts(cursor: psycopg.Cursor[Row], run: int) -> None:
    """Delete the texts of a run, once no other process writes them."""
    cursor.execute(query("lock"), {"what": f"kerf texts {run}"})
    cursor.execute(query("clear_texts"), {"run": run})
