"""Embedded servers that a test may stop and kill."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

from corpus.database import running


def make_folder() -> Path:
    """One that the server's user may enter, unlike pytest's own; and spaces do no harm."""
    folder = Path(tempfile.mkdtemp(prefix="kerf test ", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def remove(folder: Path) -> None:
    """End the servers below the folder, as fast as can be, and remove it."""
    for lock in folder.rglob("postgres.lock"):
        if server := running(lock.parent):
            os.kill(server.pid, signal.SIGQUIT)
            wait_for_end(server.pid)
            if server.socket != server.data:
                shutil.rmtree(server.socket)
    shutil.rmtree(folder)


def wait_for_end(pid: int) -> None:
    for _ in range(300):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} does not end")
