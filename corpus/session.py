"""A connection of the pipeline to the database: transactions that count what they write.

A transaction counts the rows that it wrote outside the ledger of runs and adds them to its run, so that the counters
are right whenever a process is killed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from typing import Any, Self

import psycopg
from psycopg.rows import dict_row

from corpus.database import connect
from corpus.errors import DocumentError, StoreUnavailable
from corpus.queries import query
from corpus.records import Row, Written

_FETCHED = 2_000  #: rows of a stream that are fetched at a time
_COPIED = 10_000  #: rows of one COPY
STANDS_STILL = 60.0  #: seconds that a transaction may wait for its process; then the server ends it, and its locks


class Session:
    """A connection as kerf_writer. Use it as a context manager."""

    def __init__(self, dsn: str) -> None:
        self._connection = connect(dsn, role="kerf_writer", autocommit=True)
        self._connection.execute(query("end_when_still"), [f"{STANDS_STILL:.3f}s"])
        self._numbers = count()
        self._check: Callable[[psycopg.Cursor[Row]], None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def under(self, check: Callable[[psycopg.Cursor[Row]], None]) -> Iterator[None]:
        """Within it `check` is the first thing that every transaction of a run does; what it raises undoes it."""
        self._check = check
        try:
            yield
        finally:
            self._check = None

    @contextmanager
    def transaction(self, run: int | None = None) -> Iterator[tuple[psycopg.Cursor[Row], Written]]:
        """A cursor and a count; what is counted is added to `run` before the commit."""
        written = Written()
        with _in_words(), self._connection.transaction(), self._connection.cursor(row_factory=dict_row) as cursor:
            if run is not None and self._check:
                self._check(cursor)
            yield cursor, written
            if run is not None and written != Written():
                cursor.execute(query("add_counts"), {"run": run, **written.as_parameters()})

    def rows(self, statement: str, /, **parameters: Any) -> list[Row]:
        """All rows of a named statement, which is a transaction of its own where none is open."""
        with _in_words(), self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query(statement), parameters).fetchall()

    def stream(self, statement: str, /, **parameters: Any) -> Iterator[Row]:
        """The rows of a named statement, as it sees them when the first is asked for; the server keeps them meanwhile.

        Other statements may be run on the connection while they are read.
        """
        name = f"kerf_{next(self._numbers)}"
        with _in_words(), self._connection.cursor(name, row_factory=dict_row, withhold=True) as cursor:
            cursor.itersize = _FETCHED
            yield from cursor.execute(query(statement), parameters)

    def copy(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Hand rows to a named COPY statement, a part at a time, so that none of it waits for whoever makes them."""
        rows = iter(rows)
        while part := list(islice(rows, _COPIED)):
            with self.transaction() as (cursor, _), cursor.copy(query(statement)) as copy:
                for row in part:
                    copy.write_row(row)


@contextmanager
def _in_words() -> Iterator[None]:
    """Errors of the database as errors of the pipeline."""
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded) as error:
        raise DocumentError(
            f"the database refuses what was made of the document: {_reason(error)}",
            hint="split a very large document; for any other, a bug in Kerf: please report it",
            stage="store",
        ) from error
    except (
        psycopg.OperationalError,
        psycopg.InterfaceError,
        psycopg.errors.IdleInTransactionSessionTimeout,
    ) as error:
        raise StoreUnavailable(
            f"the database gave up: {_reason(error)}", hint="the run can be started again"
        ) from error


def one(cursor: psycopg.Cursor[Row]) -> Row:
    """The row of a statement that always returns one."""
    row = cursor.fetchone()
    assert row is not None, "a statement that always returns a row returned none"
    return row


def storable(text: str) -> str:
    """Error texts may quote the document: no NUL and no lone surrogate may reach the database."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def _reason(error: psycopg.Error) -> str:
    return " ".join(str(error).split()) or type(error).__name__
