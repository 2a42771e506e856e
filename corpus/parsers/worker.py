"""The child of `corpus.parsers.sandbox`: reads requests from a channel, parses, answers.

`python -m corpus.parsers.worker CHANNEL PARENT MEMORY_MB`; nobody but the sandbox starts it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

from corpus.errors import KerfError
from corpus.parsers import parse
from corpus.parsers.sandbox_child import LENGTH, answer_limit

PR_SET_PDEATHSIG = 1
RESERVED = 1280 * 2**20  #: address space that pdfium (1 GB) and the libraries map and hardly touch
FILE_BYTES = 256 * 2**20  #: of a temporary file that a library may write

_MEMORY_ERROR = {
    "kind": "LimitExceeded",
    "hint": "raise limits.memory_mb in corpora.yaml, or exclude the document",
}


def main() -> None:
    """Serve until the channel ends."""
    descriptor, parent, memory_mb = (int(argument) for argument in sys.argv[1:])
    _die_with(parent)
    _limit(memory_mb)
    with socket.socket(fileno=descriptor) as channel:
        _send(channel, {"ready": True})
        while request := _request(channel):
            data = _exactly(channel, request["size"])
            if data is None:
                return
            _limit_cpu(request["seconds"])
            answer = _answer(data, request, memory_mb)
            del data
            _send(channel, answer)


def _die_with(parent: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        sys.exit(1)


def _limit(memory_mb: int) -> None:
    memory = memory_mb * 2**20 + RESERVED
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))


def _limit_cpu(seconds: float) -> None:
    """A backstop for a parent that sleeps: more than all cores can spend in `seconds`, for this document alone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds * (os.cpu_count() or 1)) + 10
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard < 0 else min(limit, hard), hard))


def _answer(data: bytes, request: dict[str, Any], memory_mb: int) -> bytes | dict[str, Any]:
    try:
        return _parsed(data, request, memory_mb)
    except MemoryError:
        pass  # what the traceback holds on to is let go before the answer is made
    message = f"parsing needs more than {memory_mb} MB of memory"
    return {"error": {**_MEMORY_ERROR, "message": message}, "tired": True}


def _parsed(data: bytes, request: dict[str, Any], memory_mb: int) -> bytes | dict[str, Any]:
    try:
        document = parse(data, uri=request["uri"], pages=request["pages"])
        answer = json.dumps({"document": document.to_dict(), "tired": _is_tired(memory_mb)}).encode()
    except KerfError as error:
        return _error(type(error).__name__, error.message, error.hint)
    except RecursionError as error:
        return _error(
            "LimitExceeded",
            f"the document is nested too deeply for the {_parser_in(error)} parser",
            "flatten the document or exclude it",
        )
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a parser may raise anything on hostile bytes, and one document fails
        said = " ".join(str(error).split())[:500]
        return _error(
            "ParseError",
            f"the {_parser_in(error)} parser failed: {type(error).__name__}: {said}",
            "the document may be damaged; repair it or exclude it",
        )
    if len(answer) > answer_limit(len(data)):
        return _error(
            "LimitExceeded",
            f"the parsed form has {len(answer):,} bytes, for a document of {len(data):,}",
            "exclude the document if it is not meant to be read",
        )
    return answer


def _error(kind: str, message: str, hint: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message, "hint": hint}}


def _parser_in(error: BaseException) -> str:
    """The module of `corpus.parsers` that was at work when `error` was raised."""
    here = Path(__file__).parent
    names = [
        Path(frame.f_code.co_filename).stem
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if Path(frame.f_code.co_filename).parent == here
    ]
    modules = [name for name in names if name not in ("worker", "__init__", "base")]
    return modules[0] if modules else "chosen"


def _is_tired(memory_mb: int) -> bool:
    """Whether documents before this one have left so much behind that the next would be short of memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize() - RESERVED > memory_mb * 2**19


def _request(channel: socket.socket) -> dict[str, Any] | None:
    head = _exactly(channel, LENGTH.size)
    body = _exactly(channel, LENGTH.unpack(head)[0]) if head else None
    if body is None:
        return None
    request: dict[str, Any] = json.loads(body)
    return request


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    """The next `size` bytes; None if the channel ends before."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        got = channel.recv_into(view[filled:])
        if not got:
            return None
        filled += got
    view.release()
    return bytes(data)


def _send(channel: socket.socket, answer: bytes | dict[str, Any]) -> None:
    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    channel.sendall(LENGTH.pack(len(data)))
    channel.sendall(data)


if __name__ == "__main__":
    main()
