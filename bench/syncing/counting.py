"""What a step cost the database: rows written, as Postgres counts them, and time of the processor."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import psutil  # type: ignore[import-untyped]
import psycopg
from psycopg import sql

from corpus.server import Server

_PATIENCE = 30.0  #: seconds until the connections of a process that has ended are closed

_CONNECTED = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_WRITTEN = """
SELECT coalesce(sum(written) FILTER (WHERE NOT keeps_books), 0)::bigint,
       coalesce(sum(written) FILTER (WHERE keeps_books), 0)::bigint
FROM (
    SELECT n_tup_ins + n_tup_upd + n_tup_del AS written, relname LIKE ANY (%(books)s::text[]) AS keeps_books
    FROM pg_stat_user_tables
) AS tables
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows inserted, updated and deleted since a database was made."""

    index: int  #: in the tables that searches read, or that keep what they would need again
    books: int  #: in those in which a tool keeps what it knows of the source and of its runs

    def __sub__(self, before: Rows) -> Rows:
        return Rows(self.index - before.index, self.books - before.books)


def fresh(server: Server, name: str) -> str:
    """The URI of a database that has just been made and holds nothing."""
    with psycopg.connect(server.uri("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return server.uri(name)


def rows(dsn: str, books: Sequence[str]) -> Rows:
    """What was written by processes that have ended. A session counts when it is over."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        deadline = time.monotonic() + _PATIENCE
        while _number(connection, _CONNECTED) and time.monotonic() < deadline:
            time.sleep(0.05)
        found = connection.execute(_WRITTEN, {"books": list(books)}).fetchone()
        assert found
        return Rows(*found)


def _number(connection: psycopg.Connection[tuple[int, ...]], statement: str) -> int:
    found = connection.execute(statement).fetchone()
    assert found
    return int(found[0])


def cpu(server: Server) -> float:
    """Seconds that all processes of the server have used, those included that have ended."""
    parent = psutil.Process(server.pid)
    times = parent.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in parent.children():
        with suppress(psutil.NoSuchProcess):
            own = child.cpu_times()
            total += own.user + own.system
    return float(total)
