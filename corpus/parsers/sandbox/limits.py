"""What the kernel holds a parser's process to."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

from corpus.parsers.sandbox import seccomp

RESERVED = 1280 * 2**20  #: address space that pdfium (1 GB) and the libraries map and hardly touch
FILE_BYTES = 256 * 2**20  #: of a temporary file that a library may write
OPEN_FILES = 256
STACK = 128 * 2**20  #: bytes for what is nested deeply, and parsed by recursion

_PR_SET_PDEATHSIG = 1


def confine(parent: int, memory_mb: int) -> bool:
    """Bind this process to the thread of `parent` that started it, and to its limits; returns if it has no network.

    There is no limit on the number of processes: the kernel counts those of the user, not of this process. Raises
    `OSError` if the kernel will not deny it the network.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        sys.exit(1)
    for what, most in (
        (resource.RLIMIT_AS, memory_mb * 2**20 + RESERVED),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        allowed = resource.getrlimit(what)[1]
        limit = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        resource.setrlimit(what, (limit, limit))
    allowed = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(
        resource.RLIMIT_STACK, (STACK if allowed == resource.RLIM_INFINITY else min(STACK, allowed), allowed)
    )
    return seccomp.install()


def cpu_seconds() -> float:
    """What this process has spent so far, over all its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def limit_cpu(since: float, seconds: float) -> None:
    """A backstop for a parent that sleeps: more than all cores can spend in `seconds`, counted from `since`."""
    limit = int(since + seconds * (os.cpu_count() or 1)) + 10
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard < 0 else min(limit, hard), hard))


def is_tired(memory_mb: int) -> bool:
    """Whether documents before this one have left so much behind that the next would be short of memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # no such file but on Linux
        return False
    return pages * resource.getpagesize() - RESERVED > memory_mb * 2**19
