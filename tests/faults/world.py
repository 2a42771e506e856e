"""A corpus that anything may happen to, and the comparison with one that is synced from scratch.

What a run leaves must depend on source and configuration alone, never on what happened on the way.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest
import yaml
from hash_models import HASH_A, MODELS, register
from psycopg.rows import dict_row
from same_rows import differences, rows
from site_under_test import rows_written

from corpus import config as configuration
from corpus import leases, pipeline
from corpus.config import Config, Corpus
from corpus.errors import NeedsApproval, RunFailed, TransientError
from corpus.parsers.sandbox.pool import Sandbox
from corpus.recipes import parse_settings
from corpus.session import Session
from corpus.sources import Read
from corpus.sources.filesystem import Filesystem

CORPUS = "shaken"
OLD = 1_700_000_000 * 10**9  #: an mtime that nobody doubts, in nanoseconds
EXPIRES = 1.0  #: seconds that whoever begins the stage of a dead process again waits
#: no guard stops what a test does on purpose; a few documents to a batch
ALWAYS: dict[str, Any] = {
    "schedule": None,
    "deletion_guard": {"share": 1.0},
    "limits": {"failed_share": 1.0},
    "batches": {"documents": 3},
}


class Crash(BaseException):
    """The process is dead: nothing catches this, and nothing that runs on the way out reaches the database."""


@dataclass
class Fuse:
    """Ends what goes on at the n-th moment at which a transaction begins, is about to be committed, or has been."""

    left: int | None = None
    thread: int = field(default_factory=threading.get_ident)  #: hearts beat in others

    def tick(self) -> None:
        """Count a moment."""
        if self.left is not None and threading.get_ident() == self.thread:
            self.left -= 1
            if self.left <= 0:
                raise Crash


@dataclass
class Room:
    """What all worlds of a process share: parsers that stay warm, and the faults that are let loose."""

    fuse: Fuse = field(default_factory=Fuse)
    unreadable: set[str] = field(default_factory=set)  #: addresses that cannot be read now
    sandboxes: dict[Any, Sandbox] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        """Let the pipeline of this process run in it."""
        register()
        room = cls()
        transaction, read = Session.transaction, Filesystem.read

        @contextmanager
        def mortal(session: Session, run: int | None = None) -> Iterator[Any]:
            room.fuse.tick()
            with transaction(session, run) as given:
                yield given
                room.fuse.tick()
            room.fuse.tick()

        def at_times(source: Filesystem, uri: str) -> Read:
            if uri in room.unreadable:
                raise TransientError(f"{uri} cannot be read now", uri=uri, stage="prepare")
            return read(source, uri)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(leases, "EXPIRES", EXPIRES)
            patch.setattr(Session, "transaction", mortal)
            patch.setattr(Filesystem, "read", at_times)
            patch.setattr(pipeline, "parsers_of", room.sandbox)
            try:
                yield room
            finally:
                for sandbox in room.sandboxes.values():
                    sandbox.close()

    def sandbox(self, corpus: Corpus) -> Sandbox:
        """Parser processes that outlive the run."""
        limits, settings = corpus.limits, parse_settings(corpus)
        key = (limits.seconds, limits.memory_mb, settings)
        if key not in self.sandboxes:
            self.sandboxes[key] = _Warm(seconds=limits.seconds, memory_mb=limits.memory_mb, settings=settings)
        return self.sandboxes[key]


class _Warm(Sandbox):
    def __exit__(self, *_: object) -> None:
        """The next run takes it over."""


@dataclass
class Run:
    """A run that has been planned and is not over."""

    id: int
    batches: list[int]
    stages: list[str]  #: still to do
    planned_for: str  #: the model


class World:
    """A source, its configuration, and the database that it is synced to."""

    def __init__(self, root: Path, room: Room, dsn: str, scratch: Callable[[], str]) -> None:
        self.root, self.room, self.dsn, self._scratch = root, room, dsn, scratch
        self.source = root / "source"
        shutil.rmtree(self.source, ignore_errors=True)
        self.source.mkdir(parents=True)
        self.settings: dict[str, Any] = {}
        self._clock = OLD
        self._configs: dict[str, Config] = {}
        self._keys = itertools.count()
        self.edits = 0
        self.future = time.time_ns() + 3600 * 10**9  #: an mtime that proves nothing

    # the source

    def files(self) -> list[str]:
        """Addresses, sorted."""
        return sorted(str(file.relative_to(self.source)) for file in self.source.rglob("*") if file.is_file())

    def tick(self) -> int:
        """An mtime that no file had before."""
        self._clock += 10 * 10**9
        return self._clock

    def write(self, uri: str, data: bytes, *, at: int | None = None) -> None:
        """Write a file; `at` is its mtime in nanoseconds, by default one that is new and not racy."""
        file = self.source / uri
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self.date(uri, self.tick() if at is None else at)

    def date(self, uri: str, at: int) -> None:
        """Set an mtime, in nanoseconds."""
        self.edits += 1
        os.utime(self.source / uri, ns=(at, at))

    def move(self, uri: str, target: str) -> None:
        """Rename a file, over another one if need be, under the mtime that it has."""
        self.edits += 1
        (self.source / target).parent.mkdir(parents=True, exist_ok=True)
        (self.source / uri).rename(self.source / target)

    def delete(self, uri: str) -> None:
        self.edits += 1
        (self.source / uri).unlink()

    def saved(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and mtime of every file."""
        return {uri: (self.read(uri), self.mtime(uri)) for uri in self.files()}

    def put_back(self, saved: dict[str, tuple[bytes, int]]) -> None:
        """Make the source what it was."""
        for uri in self.files():
            if uri not in saved:
                self.delete(uri)
        for uri, (data, at) in saved.items():
            self.write(uri, data, at=at)

    def has(self, uri: str) -> bool:
        return (self.source / uri).is_file()

    def read(self, uri: str) -> bytes:
        return (self.source / uri).read_bytes()

    def mtime(self, uri: str) -> int:
        return (self.source / uri).stat().st_mtime_ns

    # its configuration

    @property
    def config(self) -> Config:
        body = {**ALWAYS, **self.settings}
        body["source"] = {"path": str(self.source), **body.get("source", {})}
        text = yaml.safe_dump({"corpora": {CORPUS: body}})
        if text not in self._configs:
            file = self.root / f"corpora{len(self._configs)}.yaml"
            file.write_text(text)
            self._configs[text] = configuration.load(file)
        return self._configs[text]

    # runs

    def sync(self, **options: Any) -> dict[str, Any]:
        return pipeline.sync(self.config, self.dsn, CORPUS, **options)

    def plan(self, **options: Any) -> Run:
        config = self.config
        # under a key: such a run, as Airflow has them, may stand still for hours
        model = config.corpora[CORPUS].embedding.model
        planned = pipeline.plan(config, self.dsn, CORPUS, key=f"run {next(self._keys)}", **options)
        stages = ["prepare", "embed", "publish"]
        return Run(planned.run_id, [batch.number for batch in planned.batches], stages, model)

    def step(self, run: Run) -> None:
        """The first of the stages to do, as Airflow does it: what failed for now does not keep the next one."""
        stage, config = run.stages[0], self.config
        if stage == "prepare":
            for batch in run.batches:
                try:
                    pipeline.prepare(config, self.dsn, run.id, batch)
                except TransientError:
                    assert self.room.unreadable or HASH_A.down_for
        elif stage == "embed":
            for texts in pipeline.plan_embeddings(config, self.dsn, run.id):
                try:
                    pipeline.embed(config, self.dsn, run.id, texts.number)
                except TransientError:
                    assert HASH_A.down_for
                except NeedsApproval:
                    assert self.settings["spending_guard"]
                except RunFailed:
                    assert run.planned_for != config.corpora[CORPUS].embedding.model
        else:
            pipeline.publish(config, self.dsn, run.id)

    def ago(self, seconds: int) -> datetime:
        """A moment of the files' own time, `seconds` before the youngest."""
        return datetime.fromtimestamp(self._clock / 10**9 - seconds, UTC)

    @contextmanager
    def dying(self, after: int) -> Iterator[None]:
        """What goes on in here ends after so many moments, if it takes as many."""
        self.room.fuse.left = after
        try:
            yield
        except Crash:
            pass
        finally:
            self.room.fuse.left = None

    def rows(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            return connection.execute(statement, parameters).fetchall()

    # what must be

    def from_scratch(self) -> str:
        """The DSN of a database that nothing was in before this source was synced to it with this configuration."""
        dsn = self._scratch()
        pipeline.sync(self.config, dsn, CORPUS)
        return dsn

    def differences(self) -> list[str]:
        """What is not as a sync from scratch would have it, in words."""
        listed = self.files()
        return differences(rows(self.dsn, listed), rows(self.from_scratch(), listed))

    def written(self) -> int:
        """As `rows_written`."""
        return rows_written(self.dsn)

    def handed(self) -> int:
        """Texts that any model was handed so far in this process."""
        return sum(model.texts for model in MODELS)
