"""The geometry of tables: lines and their parts, rows that were run together, what is no table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from corpus.parsers.draft import Box, Rows
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.rtl import in_order
from corpus.parsers.pdf.text import key, plain_cell, together

Columns = tuple[tuple[float, float], ...]  #: left and right of each column, in points

_BEFORE = re.compile(r"[$€£¥₹₩]$|[A-Z]{1,3}\$$")
_AFTER = re.compile(r"[%)]{1,2}$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FULL = 0.8  #: of a row's cells; a line that so many of them have is a row of its own
_DOTTED = re.compile(r"^\d{1,3}(?:\.\d{1,3})+\b")

_DATED = re.compile(r"^([\d.]+) (\([\d/.-]+\)) (\S.*)$")  #: a section's number, its date, its title


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table; every row has as many as there are columns."""

    rows: Rows
    columns: Columns
    tops: tuple[float, ...] = ()  #: of the rows, where they are known, in points

    def without_empty_columns(self) -> Grid:
        """The grid without the columns that have no text."""
        used = [column for column in range(len(self.columns)) if any(row[column] for row in self.rows)]
        rows = tuple(tuple(row[column] for column in used) for row in self.rows)
        return Grid(rows, tuple(self.columns[column] for column in used), self.tops)


def with_signs(found: Grid) -> Grid:
    """The grid with the signs of currencies and per cent in the cells of their numbers, where they have a column."""
    columns = list(found.columns)
    rows = [list(row) for row in found.rows]
    column = 1
    while column < len(columns):
        pairs = [(row[column - 1], row[column]) for row in rows[_names(rows) :]]
        signs = [one for one, two in pairs if _BEFORE.match(one)], [two for one, two in pairs if _AFTER.match(two)]
        before = all(not one or not two or _BEFORE.match(one) for one, two in pairs) and signs[0] and column > 1
        after = all(not two or _AFTER.match(two) for _, two in pairs) and signs[1] and column > 1
        if before or after:
            for row in rows:
                space = " " if before or row[column][:1].isalnum() else ""
                both = row[column - 1 : column + 1]
                row[column - 1 : column + 1] = [
                    (space if _AFTER.match(both[1]) or before else " ").join(filter(None, both))
                ]
            columns[column - 1 : column + 1] = [(columns[column - 1][0], columns[column][1])]
        else:
            column += 1
    return Grid(tuple(map(tuple, rows)), tuple(columns), found.tops)


def _names(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows, two at most, have no value: they name the columns."""
    for count, row in enumerate(rows[:2]):
        if any((any(map(str.isdigit, cell)) and not _YEAR.search(cell)) or _BEFORE.match(cell) for cell in row[1:]):
            return count
    return min(2, len(rows) - 1)


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


def cell_text(words: Iterable[Item]) -> str:
    """The text of a cell that these words stand in; what is set sideways is read from its own upright side."""
    text = ""
    for line in lines_of(map(_set_upright, words)):
        text = together(text, " ".join(word.text for word in in_order(line)))
    return plain_cell(text)


def _set_upright(word: Item) -> Item:
    if word.angle == 90:
        return replace(word, left=word.top, top=-word.right, width=word.height, height=word.width, angle=0)
    if word.angle == 270:
        return replace(word, left=-word.bottom, top=word.left, width=word.height, height=word.width, angle=0)
    return word


def parts_of(line: Sequence[Item], *, gap: float = 2.0) -> list[list[Item]]:
    """What gaps wider than `gap` heights part on a line: left, middle and right of a header, the cells of a row."""
    parts = [[line[0]]]
    for left, item in pairwise(line):
        if item.left - left.right > gap * item.height:
            parts.append([])
        parts[-1].append(item)
    return parts


def split_row(
    whole: Sequence[str], band: Sequence[Item], extents: Sequence[tuple[float, float] | None]
) -> list[tuple[list[str], list[Item]]]:
    """A row as it is, or the rows that its lines show it to be; each with the items that it stands for.

    `whole` has the texts of its cells, `band` the items that stand in it, `extents` left and right of the columns.
    """
    filled = sum(map(bool, whole))
    lines = lines_of(band)
    if filled < 3 or len(lines) < 2:
        return [(list(whole), list(band))]
    rows: list[tuple[list[str], list[Item]]] = []
    full = 0
    for line in lines:
        cells = [""] * len(whole)
        for item in line:
            column = column_of(item, extents[: len(whole)])
            cells[column] = f"{cells[column]} {item.text}".strip()
        is_full = sum(map(bool, cells)) >= _FULL * filled
        if rows and not (is_full and full):
            rows[-1] = ([together(old, new) for old, new in zip(rows[-1][0], cells, strict=True)], rows[-1][1] + line)
        else:
            rows.append((cells, line))
        full += is_full
    is_complete = sorted(key("".join("".join(cells) for cells, _ in rows))) == sorted(key("".join(whole)))
    is_data = any(_has_numbers(cells) for cells, _ in rows)  # words on two lines in every cell: a header that wraps
    is_even = full == len(lines) > 2  # every line has all the cells: no text wraps so
    if full < 2 or not is_complete or not (is_data or is_even):
        return [(list(whole), list(band))]
    return [([plain_cell(cell) for cell in cells], found) for cells, found in rows]


def _has_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells[1:] if cell]
    numbers = sum(any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell)) for cell in filled)
    return bool(filled) and numbers >= 0.5 * len(filled)


def column_of(item: Item, extents: Sequence[tuple[float, float] | None]) -> int:
    """The column that stands nearest."""
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


def table_texts(rows: Rows) -> list[str]:
    """The texts of rows, one for each that has any."""
    return [text for row in rows if (text := " ".join(filter(None, row)))]


def covers(box: Box, other: Box) -> bool:
    """Whether `other` lies between the left and the right of `box`."""
    return box[0] - 3 <= other[0] and other[2] <= box[2] + 12
