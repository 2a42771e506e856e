"""A connection of the pipeline to the database: transactions that count what they write.

A transaction counts the rows that it wrote outside the ledger of runs and adds them to its run, so that the counters
are right whenever a process is killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg.rows import dict_row

from corpus.database import connect
from corpus.errors import DocumentError, StoreUnavailable
from corpus.queries import query
from corpus.records import Row, Written


class Session:
    """A connection as kerf_writer. Use it as a context manager."""

    def __init__(self, dsn: str) -> None:
        self._connection = connect(dsn, role="kerf_writer", autocommit=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self, run: int | None = None) -> Iterator[tuple[psycopg.Cursor[Row], Written]]:
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

    def rows(self, statement: str, /, **parameters: Any) -> list[Row]:
        """All rows of a named statement, in a transaction of its own."""
        with self.transaction() as (cursor, _):
            return cursor.execute(query(statement), parameters).fetchall()


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
