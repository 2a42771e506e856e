"""The process that a peer runs in: `python -m bench.peers.worker MODULE`.

Reads paths from its input, one a line, and answers each with a line of JSON. What the peer prints goes to its standard
error. The first line says which version it is, or why it cannot be loaded. Memory is read as Linux tells it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        peer = importlib.import_module(sys.argv[1])
        say({"version": peer.version()})
    except Exception as error:  # noqa: BLE001 - whatever it is, this peer cannot be run
        say({"broken": f"{type(error).__name__}: {error}"})
        return
    for line in sys.stdin:
        say(_measured(peer, Path(line.rstrip("\n"))))


def _measured(peer: Any, path: Path) -> dict[str, Any]:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here
    start, cpu = time.perf_counter(), time.process_time()
    try:
        # Once: a second reading would measure what a peer remembers of the first (unstructured keeps the sentences).
        reading = peer.read(path)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    except Exception as error:  # noqa: BLE001 - a file that a peer cannot read costs it that file
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
    return {"reading": reading.to_dict(), "seconds": seconds, "cpu": cpu, "peak_mb": _peak_mb()}


def _peak_mb() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main()
