"""How far a parser has come: said by the parser, heard by whoever has to explain why it was stopped.

Between two processes it stands on a board: a small file that both have open. The parser's process writes over what
stood there; what it wrote last is there even if it died in the middle of a page.
"""

from __future__ import annotations

import math
import os
import struct
import tempfile
from collections.abc import Callable

_RECORD = struct.Struct(">dH")  #: seconds asked for so far, length of the place in bytes
_LONGEST = 200  #: characters of a place

_listeners: list[Callable[[str, float], None]] = []


def listen(listener: Callable[[str, float], None]) -> None:
    """Have `listener` called with each place that a parser of this process reaches and the seconds that it asks for."""
    _listeners[:] = [listener]


def reached(place: str, *, seconds: float = 0.0) -> None:
    """Say that `place` (`page 12 of 400`) is about to be read.

    `seconds` asks for more wall clock than a document gets: for a page that has to go through OCR.
    """
    for listener in _listeners:
        listener(place, seconds)


def new_board() -> int:
    """The descriptor of an empty board, to be closed by the caller."""
    descriptor, path = tempfile.mkstemp(prefix="kerf-board-")
    os.unlink(path)  # noqa: PTH108 - it lives on as an open file
    write(descriptor, "", 0)
    return descriptor


def write(board: int, place: str, asked: float) -> None:
    """Put the place, and the seconds asked for so far, on a board."""
    name = place[:_LONGEST].encode("utf-8", "replace")
    os.pwrite(board, _RECORD.pack(asked, len(name)) + name, 0)


def read(board: int) -> tuple[str, float]:
    """What a board says: the place, and the seconds asked for so far. Any bytes may have been written there."""
    record = os.pread(board, _RECORD.size + 4 * _LONGEST, 0)
    if len(record) < _RECORD.size:
        return "", 0.0
    asked, length = _RECORD.unpack_from(record)
    name = record[_RECORD.size : _RECORD.size + length].decode("utf-8", "replace")
    place = "".join(character if character.isprintable() else " " for character in name[:_LONGEST])
    return " ".join(place.split()), asked if math.isfinite(asked) and asked > 0 else 0.0
