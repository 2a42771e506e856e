"""The process that a peer runs in: `python -m bench.peers.worker MODULE`. Memory is read as Linux tells it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.serving import serve


def _measured(peer: Any, path: str) -> dict[str, Any]:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here
    start, cpu = time.perf_counter(), time.process_time()
    # Once: a second reading would measure what a peer remembers of the first (unstructured keeps the sentences).
    reading = peer.read(Path(path))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"reading": reading.to_dict(), "seconds": seconds, "cpu": cpu, "peak_mb": _peak_mb()}


def _peak_mb() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    serve(_measured)
