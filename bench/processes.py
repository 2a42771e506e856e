"""A peer's process: it is asked in lines of JSON, and ended when it crashes or takes too long."""

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
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[1]
BENCH_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
LOADING = 120.0  #: seconds that a peer may take until it is ready


class PeerMissing(Exception):
    """A peer cannot be run at all."""


def environment(python: Path) -> dict[str, str]:
    """What a worker's process finds in its environment."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path if python == Path(sys.executable) else [str(ROOT)]),
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONWARNINGS": "ignore",
        "COCOINDEX_DISABLE_USAGE_TRACKING": "1",
    }


class Process:
    """A worker with a peer's module loaded. Raises `PeerMissing` if there can be none."""

    version: str  #: of the peer

    def __init__(self, name: str, worker: str, module: str, python: Path, seconds: float) -> None:
        self._seconds = seconds
        self.is_over = False  #: it crashed or was too slow, and answers nothing any more
        if not python.exists():
            raise PeerMissing(f"{name} cannot be run: {python} is not there; run scripts/bench_setup")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process = subprocess.Popen(  # noqa: S603 - from the tables of peers
            [python, "-m", worker, module],
            cwd=ROOT,
            env=environment(python),
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
            raise PeerMissing(f"{name} cannot be run: {why}")
        self.version = answer["version"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def ask(self, question: Any) -> dict[str, Any]:
        """What the worker answers, or `error` with the reason why it did not; then `is_over` is set."""
        if not self.is_over:
            assert self._process.stdin
            with contextlib.suppress(BrokenPipeError):  # there will be no answer, and that is said below
                self._process.stdin.write(json.dumps(question).encode() + b"\n")
                self._process.stdin.flush()
            answer = self._answer(self._seconds)
            if answer is not None:
                return answer
            self.is_over = True
        return {"error": self._why()}

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
            return f"took longer than {self._seconds:g} s"
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
