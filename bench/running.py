"""Runs a peer over files in a process of its own: a crash or a hang costs it the file, never the bench."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bench.blocks import Reading
from bench.peers import ROOT, Peer

LOADING = 120.0  #: seconds that a peer may take until it is ready


class PeerMissing(Exception):
    """A peer cannot be run at all."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a peer made of a file, at what cost; or why it made nothing."""

    path: Path
    reading: Reading | None  #: None: it failed, or it was stopped
    seconds: float = 0.0  #: wall clock of one reading, in a process that had read another file before
    cpu: float = 0.0  #: seconds of the processor that it took, in all threads
    peak_mb: int = 0  #: highest resident memory of that process while it read the file
    error: str = ""


def measure(peer: Peer, paths: Sequence[Path]) -> Iterator[Measured]:
    """Read each file, in order. Raises `PeerMissing`."""
    process: _Process | None = None
    try:
        for path in paths:
            process = process or _warm(peer, paths)
            measured = process.read(path)
            yield measured
            if process.is_over:
                process.end()
                process = None
    finally:
        if process:
            process.end()


def _warm(peer: Peer, paths: Sequence[Path]) -> _Process:
    """A process that has read a file, if there is one that it can read: the first pays for what is loaded late."""
    process = _Process(peer)
    for path in paths:
        if process.read(path).reading:
            break
        if process.is_over:
            process.end()
            return _Process(peer)
    return process


def version(peer: Peer) -> str:
    """Which version of the peer it is. Raises `PeerMissing`."""
    with _Process(peer) as process:
        return process.version


class _Process:
    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self.is_over = False
        if not peer.python.exists():
            raise PeerMissing(f"{peer.name} cannot be run: {peer.python} is not there; run scripts/bench_setup")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process = subprocess.Popen(  # noqa: S603 - from the table of peers
            [peer.python, "-m", "bench.peers.worker", peer.module],
            cwd=ROOT,
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(sys.path if peer.python == Path(sys.executable) else [str(ROOT)]),
                "OMP_NUM_THREADS": "1",
                "PYTHONWARNINGS": "ignore",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,  # so that what it starts can be ended with it
        )
        self._rest = b""
        answer = self._answer(LOADING)
        if answer is None or "broken" in answer:
            why = answer["broken"] if answer else self._why()
            self.end()
            raise PeerMissing(f"{peer.name} cannot be run: {why}")
        self.version: str = answer["version"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def read(self, path: Path) -> Measured:
        """Read a file; `is_over` after it if the process can read no other."""
        if self.is_over:
            return Measured(path, None, error=self._why())
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # there will be no answer, and that is said below
            self._process.stdin.write(f"{path}\n".encode())
            self._process.stdin.flush()
        answer = self._answer(self._peer.seconds)
        if answer is None:
            self.is_over = True
            return Measured(path, None, error=self._why())
        if "error" in answer:
            return Measured(path, None, error=answer["error"])
        return Measured(path, Reading.from_dict(answer["reading"]), answer["seconds"], answer["cpu"], answer["peak_mb"])

    def _answer(self, seconds: float) -> dict[str, Any] | None:
        """The next line, or None if the process ended or took longer."""
        assert self._process.stdout
        received = bytearray(self._rest)
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while (at := received.find(b"\n", max(0, len(received) - (1 << 20)))) < 0:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                chunk = os.read(self._process.stdout.fileno(), 1 << 20)
                if not chunk:
                    return None
                received += chunk
        self._rest = bytes(received[at + 1 :])
        answer: dict[str, Any] = json.loads(received[:at])
        return answer

    def _why(self) -> str:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return f"took longer than {self._peer.seconds:g} s"
        self._said.seek(0)
        last = self._said.read().decode(errors="replace").strip().split("\n")[-1]
        name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return f"its process ended ({name}) {last}".strip()

    def end(self) -> None:
        """End the process and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self._said.close()
