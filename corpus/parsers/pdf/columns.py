"""Columns that stand side by side and have nothing to do with each other: cards, boxes, a margin of short texts.

liteparse takes lines that happen to stand beside each other for one line, or for the row of a table. Here the white
between the columns is found, so that each column can be read by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from corpus.parsers.draft import Box
from corpus.parsers.pdf.items import Item, bounds, box_of
from corpus.parsers.pdf.rtl import is_right_to_left
from corpus.parsers.pdf.tables import lines_of, parts_of
from corpus.parsers.pdf.text import key

_GAP = 0.8  #: of a line's height; wider white may be that between columns
_HALF = 4.0  #: points; half of the least white between columns
_STEP = 5.0  #: points between the places that are tried
_LEAST = 25.0  #: points; height of columns
_LINES = 4  #: least lines of a column
_ALIGNED = 0.55  #: share of lines with one at the same height beside them, from which on both are rows of a table
_LETTERS = 12  #: of a line, on average; columns of shorter ones are those of a table
_NARROWEST = 0.2  #: of the page's width; a narrower column is the side of a table or of a list


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands together on a line, or a whole ruled table (`letters` is 0)."""

    box: Box
    letters: int


def columns(page: Box, items: Sequence[Item], tables: Sequence[Box], blocks: Sequence[Any]) -> list[Box]:
    """Regions of a page in reading order, which have to be read one by one; none if the page can be read as it is.

    `items` are those outside `tables`, which are ruled; `blocks` are liteparse's.
    """
    lines = [parts_of(line, gap=_GAP) for line in lines_of(item for item in items if item.angle == 0)]
    joined = [pair for line in lines for pair in pairwise(line) if _are_joined(*pair, blocks)]
    beside = [(one, two) for one, two in pairwise(tables) if one[1] < two[3] and two[1] < one[3]]
    if not joined and not beside:
        return []
    parts = [_Part(bounds(part), sum(len(item.text) for item in part)) for line in lines for part in line]
    parts += [_Part(box, 0) for box in tables]
    backwards = is_right_to_left("".join(item.text for item in items))
    found = list(_regions(page, parts, page[2] - page[0], backwards))
    pairs = [*((bounds(left), bounds(right)) for left, right in joined), *beside]
    apart = (not any(_lies_in(one, region) and _lies_in(two, region) for region in found) for one, two in pairs)
    return found if len(found) > 1 and any(apart) else []


def _are_joined(left: Sequence[Item], right: Sequence[Item], blocks: Sequence[Any]) -> bool:
    """Whether a block has taken what stands beside each other for one line, or for cells of one table."""
    for block in blocks:
        box = None if block.kind in ("figure", "rule") else box_of(block)
        if box and box[1] < left[-1].bottom and right[0].top < box[3] and _crosses(box, left[-1], right[0]):
            if block.kind == "table":
                return True
            here = key(left[-1].text)[-12:] + key(right[0].text)[:12]
            return here in key(block.text or " ".join(block.lines or ()))
    return False


def _crosses(box: Box, left: Item, right: Item) -> bool:
    return box[0] < left.right - 2 and right.left + 2 < box[2] and box[1] < (left.top + left.bottom) / 2 < box[3]


def _regions(region: Box, parts: Sequence[_Part], width: float, backwards: bool) -> Iterator[Box]:
    """`region` cut at the widest white between columns, and what comes of it cut again."""
    inside = [part for part in parts if _lies_in(part.box, region)]
    best = _gutter(inside, width)
    if best is None:
        if inside:
            yield region
        return
    x, top, bottom = best
    left, above, right, below = region
    sides = [(left, top, x, bottom), (x, top, right, bottom)]
    for piece in [(left, above, right, top), *(reversed(sides) if backwards else sides), (left, bottom, right, below)]:
        yield from _regions(piece, parts, width, backwards)


def _gutter(parts: Sequence[_Part], width: float) -> tuple[float, float, float] | None:
    """Where white parts two columns, and from where to where it reaches; the one beside which most lines stand."""
    best: tuple[int, tuple[float, float, float]] | None = None
    if len(parts) < 2:
        return None
    x = min(part.box[0] for part in parts) + _NARROWEST * width
    end = max(part.box[2] for part in parts) - _NARROWEST * width
    while x <= end:
        for top, bottom, band in _bands(parts, x):
            left = [part for part in band if part.box[2] <= x]
            right = [part for part in band if part.box[0] >= x]
            score = min(_lines(left), _lines(right))
            if score >= _LINES and (best is None or score > best[0]) and _are_columns(left, right, width):
                middle = (max(part.box[2] for part in left) + min(part.box[0] for part in right)) / 2
                best = score, (middle, top, bottom)
        x += _STEP
    return best[1] if best else None


def _bands(parts: Sequence[_Part], x: float) -> Iterator[tuple[float, float, list[_Part]]]:
    """Stretches of the page, from top to bottom, in which nothing crosses `x`: top, bottom, what stands there."""
    reached = float("-inf")
    crossing = sorted(part.box[1::2] for part in parts if part.box[0] < x + _HALF and part.box[2] > x - _HALF)
    for above, below in [*crossing, (float("inf"), float("inf"))]:
        if above - reached > _LEAST:
            band = [part for part in parts if part.box[1] >= reached - 1 and part.box[3] <= above + 1]
            if len(band) >= 2 * _LINES or any(not part.letters for part in band):
                yield min(part.box[1] for part in band) - 0.5, max(part.box[3] for part in band) + 0.5, band
        reached = max(reached, below)


def _lines(parts: Sequence[_Part]) -> int:
    return sum(_LINES if part.letters == 0 else 1 for part in parts)


def _are_columns(left: Sequence[_Part], right: Sequence[_Part], width: float) -> bool:
    """Whether both sides are text of their own, and not the halves of a table."""
    for side in (left, right):
        texts = [part for part in side if part.letters]
        if max(part.box[2] for part in side) - min(part.box[0] for part in side) < _NARROWEST * width:
            return False
        if sum(part.letters for part in texts) < _LETTERS * len(texts):
            return False
    fewer, more = sorted((left, right), key=len)
    top, bottom = (
        max(min(part.box[1] for part in side) for side in (left, right)),
        min(max(part.box[3] for part in side) for side in (left, right)),
    )
    beside = [part for part in fewer if top - 2 <= part.box[1] and part.box[3] <= bottom + 2]
    if bottom - top < 0.4 * (max(part.box[3] for part in fewer) - min(part.box[1] for part in fewer)):
        return False
    if all(any(not part.letters for part in side) for side in (left, right)):
        return True
    feet = sorted(part.box[3] for part in more)
    aligned = sum(any(abs(part.box[3] - foot) < 1.5 for foot in feet) for part in beside)
    return len(beside) >= _LINES and aligned < _ALIGNED * len(beside)


def _lies_in(box: Box, region: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return region[0] <= x < region[2] and region[1] <= y < region[3]
