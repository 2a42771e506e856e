"""A stage at work on a run: its seconds counted, and alone on its batch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from corpus import leases
from corpus.errors import KerfError
from corpus.store import Store


@contextmanager
def timed(store: Store, run: int, stage: str) -> Iterator[None]:
    """Add the seconds of a stage to its run, also of a try that fails."""
    started = time.monotonic()
    try:
        yield
    except KerfError:
        with suppress(KerfError):  # the database may be what failed
            store.add_stage(run, stage, seconds=time.monotonic() - started)
        raise
    store.add_stage(run, stage, seconds=time.monotonic() - started)


@contextmanager
def holding(dsn: str, store: Store, run: int, stage: str, batch: int) -> Iterator[None]:
    """Work on a batch alone: what is written to the store for the run is written while its lease holds."""
    store.run(run)
    with leases.held(dsn, run, stage, batch) as lease, store.under(lease.check), timed(store, run, stage):
        yield
