"""The header of a table that stands above what was taken for the table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from corpus.parsers.draft import Rows
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.tables import Columns, lines_of, parts_of
from corpus.parsers.pdf.text import plain_cell, together

_LONGEST = 60  #: characters of what names a column; over the labels of rows twice as many
_LINES = 6


def header_rows(items: Sequence[Item], columns: Columns, *, gap: float = 1.0) -> Rows:
    """The rows that lines above a table come to; none if they are not its header.

    Each part of a line must stand over columns of its own. A line whose parts name one column each goes on the line
    above, if that is one too; what stands over several columns has its text in the first of them. White wider than
    `gap` heights parts a line.
    """
    lines = lines_of(items)
    if not 0 < len(lines) <= _LINES or len(columns) < 2:
        return ()
    rows: list[list[str]] = []
    spans = True
    named = 0
    for line in lines:
        cells, over_several = [""] * len(columns), False
        for part in parts_of(line, gap=gap):
            over = _over(part, columns)
            text = plain_cell(" ".join(item.text for item in part))
            if not over or cells[over[0]] or (over[0] == 0 and len(over) > 1):
                return ()
            if len(text) > _LONGEST * (1 if over[0] else 2):
                return ()
            cells[over[0]] = text
            over_several = over_several or len(over) > 1
        named = max(named, sum(map(bool, cells)))
        if spans or over_several:
            rows.append(cells)
        else:
            rows[-1] = [together(above, below) for above, below in zip(rows[-1], cells, strict=True)]
        spans = over_several
    if named < 2 and not (spans and not rows[-1][0]):
        return ()
    return tuple(map(tuple, rows))


def _over(part: Sequence[Item], columns: Columns) -> list[int]:
    """The columns below a part of a line; the nearest one if it stands over the white beside them."""
    left, right = part[0].left, part[-1].right
    over = [i for i, (start, end) in enumerate(columns) if min(right, end) - max(left, start) > 0.15 * (end - start)]
    middle = (left + right) / 2
    gaps = [i for i, ((_, end), (start, _)) in enumerate(pairwise(columns)) if end < middle < start]
    if gaps and left < columns[gaps[0]][1] and columns[gaps[0] + 1][0] < right:
        return sorted({*over, gaps[0], gaps[0] + 1})
    if over:
        return over
    near = [(abs(middle - (start + end) / 2), i) for i, (start, end) in enumerate(columns)]
    distance, nearest = min(near)
    return [nearest] if distance < 40 else []
