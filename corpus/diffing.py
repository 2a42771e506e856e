"""Wanted and stored rows → what to write. Pure.

It serves parents and children alike: a row is an id and a state, and the state is everything that is stored beside
the id (for a child: parent, ordinal, offsets, pages, lines, kind, header, key, tokens). A child's text and section
path are in its id, so that two rows with one id differ in their place at most; a parent's text is in its state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar


class Id(Hashable, Protocol):
    """Ids have an order, so that every writer writes rows in the same one and no two can deadlock."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Id)
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Diff(Generic[K, S]):
    """What turns the stored rows into the wanted ones; each list in the order of ids."""

    insert: tuple[tuple[K, S], ...]
    keep: tuple[K, ...]  #: equal in everything: not written
    move: tuple[tuple[K, S], ...]  #: same id, another state: the state to write
    delete: tuple[K, ...]

    @property
    def writes(self) -> int:
        """Rows that are inserted, updated or deleted."""
        return len(self.insert) + len(self.move) + len(self.delete)


def diff(wanted: Iterable[tuple[K, S]], stored: Mapping[K, S]) -> Diff[K, S]:
    """Compare the rows of one document; raises `ValueError` if two wanted rows have one id."""
    rows: dict[K, S] = {}
    for row_id, state in wanted:
        if row_id in rows:
            raise ValueError(f"two wanted rows have the id {row_id}")
        rows[row_id] = state
    ids = sorted(rows)
    return Diff(
        insert=tuple((row_id, rows[row_id]) for row_id in ids if row_id not in stored),
        keep=tuple(row_id for row_id in ids if row_id in stored and stored[row_id] == rows[row_id]),
        move=tuple((row_id, rows[row_id]) for row_id in ids if row_id in stored and stored[row_id] != rows[row_id]),
        delete=tuple(sorted(row_id for row_id in stored if row_id not in rows)),
    )
