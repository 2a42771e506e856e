"""What stands on a page: runs of text and ruled lines, in points from the top left corner of the page as shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.parsers.draft import Box
from corpus.parsers.pdf.text import storable


@dataclass(frozen=True, slots=True)
class Item:
    """A run of text on a page."""

    text: str
    left: float
    top: float
    width: float
    height: float
    font: str
    angle: int  #: 0, 90, 180, 270: how it is turned on the page
    words: Sequence[Any] = ()  #: liteparse.WordBox

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    @property
    def parts(self) -> tuple[Item, ...]:
        """Its words from left to right, each an item; itself if it has only one."""
        if len(self.words) < 2:
            return (self,)
        found = (
            Item(storable(word.text)[0], word.x, self.top, word.width, self.height, self.font, self.angle)
            for word in self.words
        )
        return tuple(sorted(found, key=lambda part: part.left))


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruled line, or the edge of a filled box."""

    is_flat: bool  #: it runs from left to right; else from top to bottom
    at: float  #: its height on the page; of an upright one its distance from the left edge
    start: float
    end: float


def item_of(raw: Any) -> Item:
    """An item as liteparse gives it."""
    return Item(
        text=storable(raw.text)[0],
        left=raw.x,
        top=raw.y,
        width=raw.width,
        height=raw.height,
        font=(raw.font_name or "").partition("+")[2] or raw.font_name or "",
        angle=round(raw.rotation / 90) * 90 % 360,
        words=raw.words,
    )


def bounds(items: Iterable[Item]) -> Box:
    """The box around items."""
    items = list(items)
    return (
        min(item.left for item in items),
        min(item.top for item in items),
        max(item.right for item in items),
        max(item.bottom for item in items),
    )


def box_of(block: Any) -> Box | None:
    """The box of one of liteparse's blocks or cells."""
    box = block.bbox
    return (box.x, box.y, box.x + box.width, box.y + box.height) if box else None


def rules_of(graphics: Any) -> tuple[Rule, ...]:
    """The level and the upright lines among what is drawn on a page."""
    return tuple(_rules(graphics.lines)) if graphics else ()


def _rules(lines: Iterable[Any]) -> Iterable[Rule]:
    for line in lines:
        if abs(line.y1 - line.y2) < 1:
            yield Rule(True, (line.y1 + line.y2) / 2, min(line.x1, line.x2), max(line.x1, line.x2))
        elif abs(line.x1 - line.x2) < 1:
            yield Rule(False, (line.x1 + line.x2) / 2, min(line.y1, line.y2), max(line.y1, line.y2))
