"""Which process works on a batch, and which runs have nobody working for them any more.

Airflow runs a task again that it thinks is dead, which it need not be. So whoever prepares or embeds a batch holds its
lease: a second process waits until the first has ended and does what is left, or takes over once the first has
shown no sign of life for `EXPIRES` seconds. What has lost its lease stops at its next write, since each transaction
that stages a document or stores vectors checks the lease and keeps it until its commit.

Publishing takes no lease. It goes document by document, each in a transaction that begins with the lock on its item;
two processes that publish one run share its documents, and neither does anything twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from uuid import UUID, uuid4

import psycopg

from corpus.errors import KerfError, TransientError
from corpus.queries import query
from corpus.records import Row
from corpus.session import Session
from corpus.texts import clear_texts

EXPIRES = 60.0  #: seconds without a heartbeat after which a process counts as gone
OUTER_EXPIRES = 86_400.0  #: seconds, of a run that an outer scheduler looks after
_BEATS = 12  #: heartbeats before it would count as gone
_LOOKS = 60  #: of one who waits, in the same time
_GRACE = 5.0  #: seconds that the last heartbeat may take when the work is done
_RETURNS = (0, 1, 2, 4, 8)  #: seconds before each try to give a batch back: a database that is restarted is soon there

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lease:
    """A batch that this process works on."""

    run: int
    stage: str
    batch: int
    holder: UUID

    @property
    def parameters(self) -> Row:
        """For the statements about it."""
        return {name: getattr(self, name) for name in self.__slots__}

    def check(self, cursor: psycopg.Cursor[Row]) -> None:
        """Keep the lease until the transaction ends; raises `TransientError` if another process has the batch."""
        if not cursor.execute(query("check_lease"), self.parameters).fetchone():
            raise TransientError(
                f"another process has taken over batch {self.batch} of run {self.run}",
                hint=f"this one showed no sign of life for {EXPIRES:g} s, or the run was planned anew",
                stage=self.stage,
            )


@contextmanager
def held(dsn: str, run: int, stage: str, batch: int) -> Iterator[Lease]:
    """Hold a batch of a run that exists, showing signs of life for both meanwhile; waits for a holder that lives.

    What the former holder has done is done: read what is left of the batch only inside. Raises `StoreUnavailable` if
    the database cannot be asked.
    """
    lease = Lease(run, stage, batch, uuid4())
    _take(dsn, lease)
    try:
        with _beating(dsn, "beat_lease", "beat_run", parameters=lease.parameters):
            yield lease
    finally:
        _release(dsn, lease)


@contextmanager
def at_work(dsn: str, run: int) -> Iterator[None]:
    """Show signs of life for a run whose stage holds no batch."""
    with _beating(dsn, "beat_run", parameters={"run": run}):
        yield


def abandon(cursor: psycopg.Cursor[Row], corpus: str) -> None:
    """Close the runs of a corpus whose process ended without a word, and clear away what they have staged.

    Those that nobody else looks after, once they have shown no sign of life for `EXPIRES` seconds; those of an outer
    scheduler after `OUTER_EXPIRES`. One that wakes up after all does no harm: what it had prepared it has to prepare
    again, and what it still publishes has its place in the order of reads.
    """
    values = {"corpus": corpus, "expires": EXPIRES, "outer_expires": OUTER_EXPIRES}
    for silent in cursor.execute(query("silent_runs"), values).fetchall():
        error = (
            f"its process ended without a word; last heard of at {silent['heartbeat_at']:%Y-%m-%d %H:%M:%S %Z}. "
            "What it had published stays; a later run does the rest"
        )
        run = {"run": silent["id"], "error": error, "heartbeat_at": silent["heartbeat_at"]}
        cursor.execute(query("revoke_leases"), run | {"stage": None})
        cursor.execute(query("release_items"), run)
        clear_texts(cursor, silent["id"])
        cursor.execute(query("give_up_run"), run)
        log.warning("%s: run %d: %s", corpus, silent["id"], error)


def _take(dsn: str, lease: Lease) -> None:
    with Session(dsn) as session:
        waits = False
        while not session.rows("take_lease", **lease.parameters, expires=EXPIRES):
            if not waits:
                log.warning("batch %d of run %d: another process is at it; waiting", lease.batch, lease.run)
            waits = True
            time.sleep(EXPIRES / _LOOKS)
        session.rows("beat_run", run=lease.run)  # a batch may be done before the first heartbeat is due


def _release(dsn: str, lease: Lease) -> None:
    """Give the batch back; where that fails, the next one waits until the lease expires."""
    failure: KerfError | None = None
    for pause in _RETURNS:
        time.sleep(pause)
        try:
            with Session(dsn) as session:
                session.rows("release_lease", **lease.parameters)
        except KerfError as error:
            failure = error
        else:
            return
    log.warning("batch %d of run %d stays held for %g s: %s", lease.batch, lease.run, EXPIRES, failure)


@contextmanager
def _beating(dsn: str, *statements: str, parameters: Row) -> Iterator[None]:
    over = Event()
    heart = Thread(target=_beat, args=(dsn, over, statements, parameters), name="kerf heartbeat", daemon=True)
    heart.start()
    try:
        yield
    finally:
        over.set()
        heart.join(_GRACE)


def _beat(dsn: str, over: Event, statements: tuple[str, ...], parameters: Row) -> None:
    """Beat until it is over, on a connection of its own, which is made anew whenever the database was away."""
    while not over.wait(EXPIRES / _BEATS):
        try:
            with Session(dsn) as session:
                while all(session.rows(statement, **parameters) for statement in statements):
                    if over.wait(EXPIRES / _BEATS):
                        return
                return  # the lease was taken, or the run is gone: nothing is left to be shown
        except KerfError as error:
            log.warning("run %d: no heartbeat: %s", parameters["run"], error)
