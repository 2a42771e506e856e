"""From what was seen in a source file to blocks that cover all of it.

A scanner reports, in order, the places where something begins. A block reaches from its place to the next one's, so
nothing between them can be lost, whatever a grammar left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from chunkers.document import Block, Kind, Symbol

_CONTINUATION = bytes(range(0x80, 0xC0))  #: the bytes of UTF-8 that begin no character
_BLANK = frozenset(b" \t\n\r\v\f")
_JOINTS = frozenset(b"{}()[];,.")  #: what holds no content of its own


class Role(Enum):
    """What was seen at a place."""

    SYMBOL = auto()
    HEAD = auto()  #: a symbol that goes on until one of its members begins
    PART = auto()  #: has no name, but stands apart from its neighbours: an element of a list, an instruction
    LOOSE = auto()
    COMMENT = auto()  #: belongs to the symbol that follows it directly
    DECORATION = auto()  #: belongs to the symbol that follows it


class Seen(NamedTuple):
    """A span `[start, end)` of the source, in bytes of its UTF-8 form."""

    start: int
    end: int
    role: Role
    path: tuple[str, ...] = ()  #: of the symbol, or of the symbol around it
    symbol: Symbol | None = None
    group: str = ""  #: loose text of different groups (imports, docstring) is kept apart


@dataclass(slots=True)
class _Item:
    start: int
    end: int  #: of what was seen of it last
    path: tuple[str, ...]
    group: str = ""
    symbol: Symbol | None = None
    open: bool = False  #: goes on with loose text of the same path


@dataclass(slots=True)
class Blocks:
    """Puts what was seen together."""

    data: bytes
    _items: list[_Item] = field(default_factory=list)
    _above: list[Seen] = field(default_factory=list)  #: comments and decorations that wait for their symbol

    def add(self, seen: Seen) -> None:
        """Take the next thing seen, in order of start."""
        role = seen.role
        if role is Role.SYMBOL or role is Role.HEAD or role is Role.PART:
            start = self._take_above(seen) if self._above else seen.start
            self._items.append(_Item(start, seen.end, seen.path, "", seen.symbol, role is Role.HEAD))
        elif self._ends_line(seen):
            self._items[-1].end = seen.end
        elif role is Role.LOOSE:
            self._settle(before=seen)
            self._loose(seen.start, seen.end, seen.path, seen.group)
        else:
            if self._above and self._apart(self._above[-1].end, seen.start):
                self._settle()
            self._above.append(seen)

    def finish(self, text: str) -> tuple[Block, ...]:
        """The blocks, in code points of `text`, whose UTF-8 form the bytes are."""
        self._settle()
        starts = _code_points(self.data, [item.start for item in self._items])
        blocks = []
        reached = 0
        for item, place in zip(self._items, pairwise([0, *starts[1:], len(text)]), strict=False):
            start, end = _trim(text, *place, reached)
            if start < end:
                kind = Kind.SYMBOL if item.symbol else Kind.CODE
                blocks.append(Block(kind, start, end, section_path=item.path, symbol=item.symbol))
                reached = end
        return tuple(blocks)

    def _take_above(self, seen: Seen) -> int:
        """Where a symbol begins, the comments and decorations directly above it included."""
        above = self._above
        if above[-1].role is Role.COMMENT and self._apart(above[-1].end, seen.start):
            self._settle()
            return seen.start
        self._above = []
        return above[0].start

    def _settle(self, before: Seen | None = None) -> None:
        """Nothing waits any longer: comments directly above loose text belong to it, others stand alone."""
        if not self._above:
            return
        above, self._above = self._above, []
        for at, seen in enumerate(above):
            follows = before is not None and not self._apart(above[-1].end, before.start)
            group = before.group if before is not None and follows else seen.group
            self._loose(seen.start, seen.end, seen.path, group, joined=at > 0)

    def _loose(self, start: int, end: int, path: tuple[str, ...], group: str, *, joined: bool = False) -> None:
        last = self._items[-1] if self._items else None
        if last is None or last.path != path or not (last.open or self._joins(last, start, group, joined=joined)):
            self._items.append(_Item(start, end, path, group))
        else:
            last.end = end

    def _joins(self, last: _Item, start: int, group: str, *, joined: bool) -> bool:
        return last.symbol is None and (joined or (last.group == group and not self._apart(last.end, start)))

    def _apart(self, end: int, start: int) -> bool:
        """Whether a blank line lies between."""
        return self.data.count(b"\n", self._last(end), start) > 1

    def _last(self, end: int) -> int:
        """`end` without the white space before it: some grammars count a line's end to what stands in the line."""
        data = self.data
        while end > 0 and data[end - 1] in _BLANK:
            end -= 1
        return end

    def _ends_line(self, seen: Seen) -> bool:
        """Whether this is a comment or a bracket after something else in the same line."""
        if self._above or not self._items or self.data.find(b"\n", self._last(self._items[-1].end), seen.start) >= 0:
            return False
        joint = seen.end - seen.start <= 3 and all(byte in _JOINTS for byte in self.data[seen.start : seen.end])
        return seen.role is Role.COMMENT or (seen.role is Role.LOOSE and joint)


def blocks_of(text: str, data: bytes, seen: Iterable[Seen]) -> tuple[Block, ...]:
    """The blocks of a whole file; `data` is `text` in UTF-8."""
    blocks = Blocks(data)
    for each in seen:
        blocks.add(each)
    return blocks.finish(text)


def _code_points(data: bytes, offsets: Sequence[int]) -> list[int]:
    """Byte offsets, ascending, as numbers of code points."""
    if data.isascii():
        return list(offsets)
    points = []
    at = before = 0
    for offset in offsets:
        at += len(data[before:offset].translate(None, _CONTINUATION))
        before = offset
        points.append(at)
    return points


def _trim(text: str, start: int, end: int, reached: int) -> tuple[int, int]:
    """Without white space around, but with the first line's indentation, as far as nothing else stands in that line."""
    content = text[start:end]
    kept = content.rstrip()
    end = start + len(kept)
    start = end - len(kept.lstrip())
    line = text.rfind("\n", reached, start) + 1
    if kept and (line or not reached) and not text[line:start].strip(" \t"):
        start = line
    return start, end
