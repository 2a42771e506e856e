"""The processes that parsers run in: hostile bytes may cost one its life, and the pipeline nothing but the document.

Warm children parse one document after the other. They are started with `subprocess`, because the pipeline itself may be
a daemonic or forked process, and they answer in JSON, because what has read hostile bytes cannot be trusted with
pickle. Where the kernel can do it (`seccomp`), they have no network.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock, local
from types import TracebackType
from typing import Self

from chunkers.document import Document
from corpus.errors import KerfError
from corpus.parsers import DEFAULTS, Settings
from corpus.parsers.sandbox.keeper import Keeper


class Sandbox:
    """Parses documents in `processes` children at a time.

    Each document has `seconds` of wall clock (and what its pages ask for, up to `settings.ocr_seconds` for each page)
    and about `memory_mb` of memory. A child that dies costs its document, and another takes its place.

    Each child is kept by a thread of its own, because the kernel ends a child with the thread that started it. A
    process that was forked from the one that made the sandbox gets children of its own.
    """

    def __init__(self, *, seconds: float, memory_mb: int, processes: int = 1, settings: Settings = DEFAULTS) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._processes = processes
        self._settings = settings
        self._crew: _Crew | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, data: bytes, uri: str) -> Future[Document]:
        """Have the bytes of the document `uri` parsed as soon as a child is free.

        The future raises what `parse` does.
        """
        self._notice_a_fork()
        with self._lock:
            self._crew = self._crew or _Crew(self._processes, self._keeper)
            return self._crew.submit(data, uri)

    def parse(self, data: bytes, uri: str) -> Document:
        """Parse the bytes of the document `uri`.

        Raises what the parser raises (`ParseError`, `UnsupportedFormat`, `LimitExceeded`), with `uri` and the stage;
        `LimitExceeded` too when time or memory ran out; `TransientError` when no child can be started, and
        `ConfigError` when the kernel would not deny it the network.
        """
        future = self.submit(data, uri)
        try:
            return future.result()
        except KerfError:
            raise
        except BaseException:  # an interrupt (an Airflow timeout, Ctrl-C): nobody awaits the answer any longer
            self.close()
            raise

    def close(self) -> None:
        """End the children, whatever they are at. A later `parse` starts others."""
        self._notice_a_fork()
        with self._lock:
            crew, self._crew = self._crew, None
        if crew:
            crew.end()

    def _keeper(self, stop: Event) -> Keeper:
        return Keeper(seconds=self._seconds, memory_mb=self._memory_mb, settings=self._settings, stop=stop)

    def _notice_a_fork(self) -> None:
        """In a forked process there are no threads, the lock may be held for ever, and the children are another's."""
        if self._crew and self._crew.owner != os.getpid():
            self._lock = Lock()
            self._crew.let_go()
            self._crew = None


class _Crew:
    """The threads of a sandbox and their keepers, from the first document until `end`."""

    def __init__(self, processes: int, keeper: Callable[[Event], Keeper]) -> None:
        self.owner = os.getpid()
        self.keepers: list[Keeper] = []
        self._make = keeper
        self._stop = Event()
        self._own = local()
        self._threads = ThreadPoolExecutor(processes, "parser", self._begin)

    def submit(self, data: bytes, uri: str) -> Future[Document]:
        return self._threads.submit(self._parse, data, uri)

    def end(self) -> None:
        """Stop the threads, then end and reap their children."""
        self._stop.set()
        self._threads.shutdown(cancel_futures=True)
        self.let_go()

    def let_go(self) -> None:
        for keeper in self.keepers:
            keeper.close()

    def _begin(self) -> None:
        self._own.keeper = self._make(self._stop)
        self.keepers.append(self._own.keeper)

    def _parse(self, data: bytes, uri: str) -> Document:
        keeper: Keeper = self._own.keeper
        return keeper.parse(data, uri)
