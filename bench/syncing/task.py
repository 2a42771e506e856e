"""What a tool is asked to bring into step. The standard library alone: it runs in two Pythons."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 1_000  #: characters of a chunk, at most; no overlap
CORPUS = "bench"  #: what Kerf calls it


@dataclass(frozen=True, slots=True)
class Task:
    """A folder, and where what a tool knows of it is kept."""

    folder: str  #: with the files
    home: str  #: for what the tool keeps outside the database
    dsn: str  #: of a database of its own, as libpq reads it
    sqlalchemy: str  #: the same as SQLAlchemy reads it, for psycopg
    is_first: bool  #: nothing was synced yet
