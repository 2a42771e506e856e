"""Runs a peer over files in a process of its own: a crash or a hang costs it the file, never the bench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.blocks import Reading
from bench.peers import Peer
from bench.processes import Process

_WORKER = "bench.peers.worker"


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
    process: Process | None = None
    try:
        for path in paths:
            process = process or _warm(peer, paths)
            yield _read(process, path)
            if process.is_over:
                process.end()
                process = None
    finally:
        if process:
            process.end()


def _warm(peer: Peer, paths: Sequence[Path]) -> Process:
    """A process that has read a file, if there is one that it can read: the first pays for what is loaded late."""
    process = _started(peer)
    for path in paths:
        if _read(process, path).reading:
            break
        if process.is_over:
            process.end()
            return _started(peer)
    return process


def version(peer: Peer) -> str:
    """Which version of the peer it is. Raises `PeerMissing`."""
    with _started(peer) as process:
        return process.version


def _started(peer: Peer) -> Process:
    return Process(peer.name, _WORKER, peer.module, peer.python, peer.seconds)


def _read(process: Process, path: Path) -> Measured:
    answer = process.ask(str(path))
    if "error" in answer:
        return Measured(path, None, error=answer["error"])
    return Measured(path, Reading.from_dict(answer["reading"]), answer["seconds"], answer["cpu"], answer["peak_mb"])
