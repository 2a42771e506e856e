"""The child of `corpus.parsers.sandbox`: reads requests from a channel, parses, answers.

`python -m corpus.parsers.sandbox.worker CHANNEL BOARD PARENT MEMORY_MB`; nobody but the sandbox starts it. The channel
is a socket, read and written as a file, because it may not be sent to as a socket.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from corpus.errors import KerfError
from corpus.parsers import Settings, parse, progress
from corpus.parsers.sandbox.child import LENGTH, answer_limit
from corpus.parsers.sandbox.limits import confine, cpu_seconds, is_tired, limit_cpu

_MEMORY_HINT = "raise limits.memory_mb in corpora.yaml, or exclude the document"


def main() -> None:
    """Serve until the channel ends."""
    channel, board, parent, memory_mb = (int(argument) for argument in sys.argv[1:])
    try:
        _send(channel, {"ready": True, "network": not confine(parent, memory_mb)})
    except OSError as error:
        _send(channel, {"ready": False, "because": str(error)})
        return
    while request := _request(channel):
        data = _exactly(channel, request["size"])
        if data is None:
            return
        answer = _answer(data, request, board, memory_mb)
        del data
        _send(channel, answer)


class _Account:
    """The time and the place of one document."""

    def __init__(self, board: int, seconds: float, settings: Settings) -> None:
        self._board = board
        self._seconds = seconds
        self._settings = settings
        self._asked = 0.0
        self._started = cpu_seconds()
        self.place = ""
        limit_cpu(self._started, seconds)

    def note(self, place: str, seconds: float) -> None:
        """Write down where the parser is; the seconds that a page asks for are granted up to a sum."""
        self.place = place
        if seconds > 0:
            most = self._settings.pages * self._settings.ocr_seconds
            self._asked = min(self._asked + min(seconds, self._settings.ocr_seconds), most)
            limit_cpu(self._started, self._seconds + self._asked)
        progress.write(self._board, place, self._asked)

    @property
    def where(self) -> str:
        """` at page 3 of 9`, or nothing."""
        return f" at {self.place}" if self.place else ""


def _answer(data: bytes, request: dict[str, Any], board: int, memory_mb: int) -> bytes | dict[str, Any]:
    asked = request["settings"]
    settings = Settings(**{**asked, "ocr_languages": tuple(asked["ocr_languages"])})
    account = _Account(board, request["seconds"], settings)
    progress.listen(account.note)
    try:
        return _parsed(data, request["uri"], settings, account, memory_mb)
    except MemoryError:
        pass  # what the traceback holds on to is let go before the answer is made
    message = f"parsing needs more than {memory_mb} MB of memory{account.where}"
    return {**_error("LimitExceeded", message, _MEMORY_HINT), "tired": True}


def _parsed(data: bytes, uri: str, settings: Settings, account: _Account, memory_mb: int) -> bytes | dict[str, Any]:
    try:
        document = parse(data, uri=uri, settings=settings)
        answer = json.dumps({"document": document.to_dict(), "tired": is_tired(memory_mb)}).encode()
    except KerfError as error:
        return _error(type(error).__name__, error.message, error.hint)
    except RecursionError as error:
        return _error(
            "LimitExceeded",
            f"the document is nested too deeply for the {_parser_in(error)} parser{account.where}",
            "flatten the document or exclude it",
        )
    except (MemoryError, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - on hostile bytes anything may be raised; a panic of Rust is no Exception
        said = " ".join(str(error).split())[:500]
        failed = _error(
            "ParseError",
            f"the {_parser_in(error)} parser failed{account.where}: {type(error).__name__}: {said}",
            "the document may be damaged; repair it or exclude it",
        )
        return {**failed, "tired": not isinstance(error, Exception)}
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
    """The module or package of `corpus.parsers` that was at work when `error` was raised."""
    here = Path(__file__).parent.parent
    files = (Path(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(error.__traceback__))
    names = (file.relative_to(here).parts[0].removesuffix(".py") for file in files if file.is_relative_to(here))
    return next((name for name in names if name not in ("sandbox", "__init__", "base")), "chosen")


def _request(channel: int) -> dict[str, Any] | None:
    head = _exactly(channel, LENGTH.size)
    body = _exactly(channel, LENGTH.unpack(head)[0]) if head else None
    if body is None:
        return None
    request: dict[str, Any] = json.loads(body)
    return request


def _exactly(channel: int, size: int) -> bytes | None:
    """The next `size` bytes; None if the channel ends before."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        got = os.readv(channel, [view[filled:]])
        if not got:
            return None
        filled += got
    view.release()
    return bytes(data)


def _send(channel: int, answer: bytes | dict[str, Any]) -> None:
    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    for part in (LENGTH.pack(len(data)), data):
        left = memoryview(part)
        while left:
            left = left[os.write(channel, left) :]


if __name__ == "__main__":
    main()
