"""A process for each thing that a tool is asked, as a nightly job has it, and what that process took."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.processes import ROOT, PeerMissing, environment
from bench.syncing import KERF, Tool
from bench.syncing.task import CORPUS, Task

PATIENCE = 3_600.0  #: seconds that a sync may take
_KILOBYTE = 1_024


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended by itself."""

    said: bytes  #: on its standard output
    seconds: float  #: by the clock, from its start to its end
    cpu: float  #: seconds of the processor, of all the processes that it started and waited for
    peak_mb: float  #: highest resident memory of it, or of one of those if that is more


def version(tool: Tool) -> str:
    """Which version of it is installed. Raises `PeerMissing`."""
    answers, _ = _asked(tool, None)
    return str(answers[0]["version"])


def synced(tool: Tool, task: Task) -> tuple[dict[str, Any], Ended]:
    """Let a tool bring its index into step; what it says of that. Raises `PeerMissing` if it does not manage to."""
    answers, ended = _asked(tool, {"what": "sync", "task": asdict(task)})
    return answers[-1], ended


def new_chunks(tool: Tool, before: Path, after: Path) -> int:
    """How many texts the tool's splitter makes of one state of a corpus that it does not make of the state before."""
    answers, _ = _asked(tool, {"what": "new", "files": [str(before), str(after)]})
    return int(answers[-1]["new"])


def kerf_command(task: Task) -> Ended:
    """The whole of `kerf sync`, in a process that knows the hashed model. Raises `PeerMissing` if it fails."""
    config = Path(task.home) / "corpora.yaml"
    command = ["-m", "bench.syncing.kerf_command", "--config", str(config), "sync", CORPUS, "--json"]
    return _ended(KERF, command, b"", {"KERF_DATABASE_URL": task.dsn, "KERF_HOME": task.home})


def _asked(tool: Tool, question: Any) -> tuple[list[dict[str, Any]], Ended]:
    asked = b"" if question is None else json.dumps(question).encode() + b"\n"
    ended = _ended(tool, ["-m", "bench.syncing.worker", tool.module], asked, {})
    answers: list[dict[str, Any]] = [json.loads(line) for line in ended.said.splitlines()]
    for answer in answers:
        if why := answer.get("broken") or answer.get("error"):
            raise PeerMissing(f"{tool.name} cannot be measured: {why}")
    return answers, ended


def _ended(tool: Tool, command: Sequence[str], asked: bytes, variables: Mapping[str, str]) -> Ended:
    if not tool.python.exists():
        raise PeerMissing(f"{tool.name} cannot be run: {tool.python} is not there; run scripts/bench_setup")
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
        given.write(asked)
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - from the table of tools
            [tool.python, *command],
            cwd=ROOT,
            env=environment(tool.python) | dict(variables),
            stdin=given,
            stdout=said,
            stderr=complaints,
            start_new_session=True,  # so that what it starts can be ended with it
        )
        late = threading.Timer(PATIENCE, _kill, [process.pid])
        late.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            _kill(process.pid)
            process.wait()
            raise
        finally:
            late.cancel()
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)  # it has been waited for
        said.seek(0)
        if process.returncode:
            complaints.seek(0)
            last = complaints.read().decode(errors="replace").strip().split("\n")[-1]
            raise PeerMissing(f"{tool.name} cannot be measured: exit status {process.returncode} {last}".strip())
        cpu = used.ru_utime + used.ru_stime
        return Ended(said.read(), seconds, cpu, used.ru_maxrss * _KILOBYTE / 1_000_000)


def _kill(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
