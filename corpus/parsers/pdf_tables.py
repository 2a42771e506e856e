"""Tables: rows that were run together are split, a table that a wrapped cell broke in pieces is made whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from corpus.parsers.draft import Box, Rows
from corpus.parsers.pdf_source import Item
from corpus.parsers.pdf_text import key, plain_cell, storable, together

Columns = tuple[tuple[float, float], ...]  #: left and right of each column, in points

_FULL = 0.8  #: of a row's cells; a line that so many of them have is a row of its own
_DOTTED = re.compile(r"^\d{1,3}(?:\.\d{1,3})+\b")

_DATED = re.compile(r"^([\d.]+) (\([\d/.-]+\)) (\S.*)$")  #: a section's number, its date, its title


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table; every row has as many as there are columns."""

    rows: Rows
    columns: Columns


def lines_of(items: Iterable[Item]) -> list[list[Item]]:
    """Upright items as lines from top to bottom, each from left to right."""
    lines: list[list[Item]] = []
    for item in sorted(items, key=lambda item: (item.top + item.height / 2, item.left)):
        last = lines[-1] if lines else None
        middle = item.top + item.height / 2
        if last and abs(middle - (last[0].top + last[0].height / 2)) < 0.4 * max(item.height, 1.0):
            last.append(item)
        else:
            lines.append([item])
    return [sorted(line, key=lambda item: item.left) for line in lines]


def parts_of(line: Sequence[Item]) -> list[list[Item]]:
    """What wide gaps part on a line: left, middle and right of a header, the cells of a row."""
    parts = [[line[0]]]
    for left, item in pairwise(line):
        if item.left - left.right > 2 * item.height:
            parts.append([])
        parts[-1].append(item)
    return parts


def header_row(items: Sequence[Item], columns: Columns) -> tuple[str, ...] | None:
    """The cells of one line above a table, if each of its parts stands over a column of its own."""
    lines = lines_of(items)
    if len(lines) != 1 or len(columns) < 2:
        return None
    parts = parts_of(lines[0])
    cells = [""] * len(columns)
    for part in parts:
        over = [i for i, (left, right) in enumerate(columns) if left - 12 <= part[-1].right and part[0].left <= right]
        if not over or cells[over[0]]:
            return None
        cells[over[0]] = plain_cell(" ".join(item.text for item in part))
    return tuple(cells) if len(parts) > max(1, len(columns) // 2) else None


def grid(block: Any, items: Sequence[Item]) -> Grid | None:
    """The grid of a table that liteparse found; None if it has no text. `items` are those inside its box."""
    raw = [row for row in [block.header, *(block.rows or ())] if row]
    width = max(map(len, raw), default=0)
    extents = [_extent(row[column].bbox for row in raw if column < len(row)) for column in range(width)]
    tops = [min((cell.bbox.y for cell in row if cell.bbox), default=None) for row in raw]
    rows = []
    for index, row in enumerate(raw):
        top, following = tops[index], next((other for other in tops[index + 1 :] if other is not None), float("inf"))
        band = [] if top is None else [item for item in items if top <= item.top + item.height / 2 < following]
        rows += _split(row, band, extents)
    padded = [row + [""] * (width - len(row)) for row in rows if any(row)]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    if not used:
        return None
    return Grid(
        tuple(tuple(row[column] for column in used) for row in padded),
        tuple(extents[column] or (0.0, 0.0) for column in used),
    )


def _extent(boxes: Iterable[Any]) -> tuple[float, float] | None:
    found = [box for box in boxes if box]
    return (min(box.x for box in found), max(box.x + box.width for box in found)) if found else None


def _split(row: Sequence[Any], band: Sequence[Item], extents: Sequence[tuple[float, float] | None]) -> list[list[str]]:
    """A row as it is, or the rows that its lines show it to be: `band` are the items between its top and the next's."""
    whole = [plain_cell(storable(cell.text)[0]) for cell in row]
    filled = sum(map(bool, whole))
    lines = lines_of(band)
    if filled < 3 or len(lines) < 2:
        return [whole]
    rows: list[list[str]] = []
    full = 0
    for line in lines:
        cells = [""] * len(row)
        for item in line:
            column = _column(item, extents[: len(row)])
            cells[column] = f"{cells[column]} {item.text}".strip()
        is_full = sum(map(bool, cells)) >= _FULL * filled
        if rows and not (is_full and full):
            rows[-1] = [together(old, new) for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        full += is_full
    is_complete = sorted(key("".join(map("".join, rows)))) == sorted(key("".join(whole)))
    is_data = any(map(_has_numbers, rows))  # words on two lines in every cell are a header that wraps
    split = full > 1 and is_complete and is_data
    return [[plain_cell(cell) for cell in cells] for cells in rows] if split else [whole]


def _has_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells[1:] if cell]
    numbers = sum(any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell)) for cell in filled)
    return bool(filled) and numbers >= 0.5 * len(filled)


def _column(item: Item, extents: Sequence[tuple[float, float] | None]) -> int:
    middle = item.left + item.width / 2

    def distance(index: int) -> float:
        extent = extents[index]
        return max(extent[0] - middle, middle - extent[1], 0.0) if extent else float("inf")

    return min(range(len(extents)), key=distance)


def are_aligned(one: Columns, two: Columns) -> bool:
    """Whether two tables have the same columns."""
    return len(one) == len(two) and all(a[0] < b[1] + 3 and b[0] < a[1] + 3 for a, b in zip(one, two, strict=True))


def with_lines(above: Grid, items: Sequence[Item]) -> Grid:
    """`above` with the lines of `items` below it: a line without a first cell goes on with the last row."""
    rows = [list(row) for row in above.rows]
    for line in lines_of(items):
        cells = [""] * len(above.columns)
        for item in line:
            column = max((i for i, (left, _) in enumerate(above.columns) if left <= item.left + 3), default=0)
            cells[column] = f"{cells[column]} {item.text}".strip()
        if cells[0] or not rows:
            rows.append([plain_cell(cell) for cell in cells])
        else:
            rows[-1] = [plain_cell(together(old, new)) for old, new in zip(rows[-1], cells, strict=True)]
    return Grid(tuple(map(tuple, rows)), above.columns)


def side_heading(rows: Rows) -> tuple[str, str] | None:
    """Heading and text of what is no table: a numbered heading in the margin, its section's text beside it."""
    if not 2 <= len(rows) <= 4 or not 2 <= len(rows[0]) <= 3 or not _DOTTED.match(rows[0][0]):
        return None
    beside = [" ".join(cell for cell in row[1:] if cell) for row in rows]
    if min(map(len, beside[:-1])) < 50 or max(len(row[0]) for row in rows) > 60:
        return None
    head, text = " ".join(row[0] for row in rows if row[0]), " ".join(beside).strip()
    dated = _DATED.match(head)
    return (f"{dated[1]} {dated[3]}", f"{dated[2]} {text}") if dated else (head, text)


def prose_lines(rows: Rows) -> list[str] | None:
    """The lines of what is no table: prose whose words happen to leave a gap below each other, or set in columns."""
    cells = [cell for row in rows for cell in row if cell]
    if max(map(len, cells)) > 500 and sum(map(len, cells)) > 250 * len(cells):
        return cells
    if len(rows) < 3 or len(rows[0]) != 2 or not all(all(row) for row in rows):
        return None
    short = sum(len(first.split()) <= 2 and len(second) > 50 for first, second in rows)
    unfinished = sum(second[-1].isalnum() for _, second in rows[:-1])
    return [f"{first} {second}" for first, second in rows] if short >= 0.7 * len(rows) <= unfinished + 1 else None


def covers(box: Box, other: Box) -> bool:
    """Whether `other` lies between the left and the right of `box`."""
    return box[0] - 3 <= other[0] and other[2] <= box[2] + 12
