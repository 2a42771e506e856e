"""Rows of numbers that stand below each other on a page, with their labels and the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from corpus.parsers.draft import Rows
from corpus.parsers.pdf.header import header_rows
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.numbers import CELL_GAP, Line, Part
from corpus.parsers.pdf.tables import Columns
from corpus.parsers.pdf.text import plain_cell, together

_CLOSE = 3.0  #: heights; rows of a table stand nearer
_HEADER_LINES = 6
_HEADER_GAP = 2.2  #: heights between the names of columns and the first row
_LABELS = 4  #: lines without numbers between two rows with them
_LONGEST = 200  #: characters of a label
_EDGE = 3.0  #: points by which left edges of a column differ


@dataclass(frozen=True, slots=True)
class Statement:
    """A table of numbers as the page has it."""

    rows: Rows
    names: int  #: of the first rows; they name the columns
    labels: int  #: columns of text before those of numbers
    columns: Columns
    tops: tuple[float, ...]  #: of the rows
    items: tuple[Item, ...]  #: all that stands in it


def statements(lines: Sequence[Line]) -> Iterator[Statement]:
    """The tables of numbers of a page with two columns of numbers and two rows or more."""
    lines = [_labelled(line, lines[max(0, index - _LABELS) : index + _LABELS + 1]) for index, line in enumerate(lines)]
    for start, end in _runs(lines):
        if found := _statement(lines, start, end):
            yield found


def _labelled(line: Line, around: Sequence[Line]) -> Line:
    """A line of numbers alone, the first of which stands among labels: a year over its rows, the rest of a label."""
    rows = [other for other in around if other.label and len(other.values) > 1]
    if line.label or not rows:
        return line
    left, first = min(row.label[0].left for row in rows), min(row.values[0].left for row in rows)
    is_label = line.parts[0].left < left + 2 * line.height and line.parts[0].right < first - line.height
    return replace(line, first=1) if is_label else line


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Where lines with numbers follow each other: the first one, and the one after the last."""
    start: int | None = None
    last = 0
    for index, line in enumerate(lines):
        if len(line.values) >= 2 or (start is not None and line.values and _fits(line, lines[start:index])):
            if start is not None and not _goes_on(lines[start:index], line):
                yield start, last + 1
                start = None
            start, last = index if start is None else start, index
        elif start is not None and not _is_label(line, lines[start : last + 1], index - last):
            yield start, last + 1
            start = None
    if start is not None:
        yield start, last + 1


def _goes_on(above: Sequence[Line], line: Line) -> bool:
    """Whether a line with numbers is a row of the table that the lines above it are."""
    if line.top - above[-1].bottom > _CLOSE * line.height:
        return False
    rows = [other for other in above if other.values]
    if len(rows) > 1 and not line.label and all(value.is_year for value in line.values):
        return False
    columns = _merged([value for other in rows for value in other.values])
    return len(rows) < 3 or _share_over(line.values, columns) > 0.5


def _fits(line: Line, above: Sequence[Line]) -> bool:
    columns = _merged([value for other in above for value in other.values])
    return bool(line.label) and _share_over(line.values, columns) == 1.0


def _share_over(values: Sequence[Part], columns: Columns) -> float:
    over = sum(any(value.left < right and left < value.right for left, right in columns) for value in values)
    return over / len(values)


def _is_label(line: Line, above: Sequence[Line], distance: int) -> bool:
    """Whether a line without numbers stands where the labels of the rows above stand."""
    first = min(value.left for other in above for value in other.values)
    gap = line.top - above[-1].bottom
    near = -0.3 * line.height < gap <= distance * _CLOSE * line.height and distance <= _LABELS
    return near and line.parts[-1].right < first + 2 and len(line.parts) == 1


def _merged(parts: Sequence[Part]) -> Columns:
    """The stretches that parts cover which stand over each other."""
    columns: list[tuple[float, float]] = []
    for part in sorted(parts, key=lambda part: part.left):
        if columns and part.left < columns[-1][1] - 0.5:
            columns[-1] = columns[-1][0], max(columns[-1][1], part.right)
        else:
            columns.append((part.left, part.right))
    return tuple(columns)


def _number_columns(rows: Sequence[Line]) -> Columns:
    """The columns of numbers; two that lie close and of which no row has both are one, whose numbers are short."""
    columns = list(_merged([value for line in rows for value in line.values]))
    near = 1.5 * max((line.height for line in rows), default=0.0)
    index = 1
    while index < len(columns):
        one, two = columns[index - 1], columns[index]
        both = (one[0], two[1])
        twice = any(sum(both[0] <= value.left and value.right <= both[1] for value in row.values) > 1 for row in rows)
        if two[0] - one[1] < near and not twice:
            columns[index - 1 : index + 1] = [both]
        else:
            index += 1
    return tuple(columns)


def _statement(lines: Sequence[Line], start: int, end: int) -> Statement | None:
    body = lines[start:end]
    rows = [line for line in body if line.values]
    numbers = _number_columns(rows)
    if len(rows) < 2 and not (rows[0].label and len(numbers) > 2):
        return None
    if all(value.is_year for line in rows for value in line.values):
        return None
    if len(numbers) < 2 or any(len({_at(v, numbers) for v in line.values}) < len(line.values) for line in rows):
        return None
    texts = [line.label for line in body if line.label]
    if not texts or any(part.right > numbers[0][0] + 2 for parts in texts for part in parts):
        return None
    labels = _label_columns(texts)
    stacks = [[part for text in texts for part in text if _label_at(part, labels) == i] for i in range(len(labels))]
    if any(map(_is_prose, stacks)) or len([line for line in rows if line.label]) < 0.5 * len(rows):
        return None
    columns = (*labels, *numbers)
    start = _start(lines, start, columns, len(labels))
    body = lines[start:end]
    grid: list[list[str]] = []
    tops: list[float] = []
    for line in body:
        cells = [""] * len(columns)
        for part in line.label:  # all of a line without numbers
            column = _label_at(part, labels)
            cells[column] = f"{cells[column]} {part.text}".strip()
        for part in line.values:
            cells[len(labels) + _at(part, numbers)] = part.text
        grid.append([plain_cell(cell) for cell in cells])
        tops.append(line.top)
    grid, tops = _with_wrapped(grid, tops)
    end += _rest_of_label(lines[end : end + 1], lines[end - 1], labels[0][0], grid)
    names, count = _names(lines[:start], body[0], columns, len(labels))
    items = tuple(item for line in lines[start - count : end] for item in line.items)
    return Statement(
        rows=(*names, *map(tuple, grid)),
        names=len(names),
        labels=len(labels),
        columns=columns,
        tops=(*[lines[start - count].top] * len(names), *tops),
        items=items,
    )


def _at(value: Part, columns: Columns) -> int:
    return next(i for i, (left, right) in enumerate(columns) if left <= value.left and value.right <= right)


def _is_prose(parts: Sequence[Part]) -> bool:
    """Whether a column beside numbers is running text: its lines end where the column ends."""
    if any(len(part.text) > _LONGEST for part in parts):
        return True
    left, right = min(part.left for part in parts), max(part.right for part in parts)
    long = sum(part.right > right - 0.12 * (right - left) for part in parts)
    low = sum(part.text[:1].islower() for part in parts)
    return len(parts) > 3 and long >= 0.6 * len(parts) and low > 0.3 * len(parts)


def _label_columns(texts: Sequence[Sequence[Part]]) -> Columns:
    """The columns of text: the first, and each in which two lines have a text of their own beside another."""
    starts = sorted(part.left for parts in texts for part in parts[1:])
    found: list[list[float]] = []
    for left in starts:
        if found and left - found[-1][0] < _EDGE:
            found[-1].append(left)
        else:
            found.append([left])
    lefts = [min(parts[0].left for parts in texts), *(group[0] for group in found if len(group) > 1)]
    rights = list(lefts)
    for part in (part for parts in texts for part in parts):
        column = _last_before(part, lefts)
        rights[column] = max(rights[column], part.right)
    following = [*lefts[1:], float("inf")]
    return tuple((left, min(right, end)) for left, right, end in zip(lefts, rights, following, strict=True))


def _label_at(part: Part, labels: Columns) -> int:
    return _last_before(part, [left for left, _ in labels])


def _last_before(part: Part, lefts: Sequence[float]) -> int:
    return max((i for i, left in enumerate(lefts) if left <= part.left + _EDGE), default=0)


def _with_wrapped(rows: Sequence[list[str]], tops: Sequence[float]) -> tuple[list[list[str]], list[float]]:
    """The rows with labels that take several lines put together.

    What begins with a small letter, or stands in brackets that are open, goes on with the line above.
    """
    whole: list[list[str]] = []
    places: list[float] = []
    for row, top in zip(rows, tops, strict=True):
        above = whole[-1] if whole else [""]
        goes_on = row[0][:1].islower() or (row[0] and above[0].count("(") > above[0].count(")"))
        if whole and goes_on and (not any(row[1:]) or not any(above[1:])):
            whole[-1] = [together(above[0], row[0]), *(old or new for old, new in zip(above[1:], row[1:], strict=True))]
        else:
            whole.append(row)
            places.append(top)
    return whole, places


def _rest_of_label(below: Sequence[Line], last: Line, left: float, rows: Sequence[list[str]]) -> int:
    """How many lines below the last row go on with its label; they are added to it."""
    if not below or below[0].values or len(below[0].parts) > 1:
        return 0
    part = below[0].parts[0]
    first = last.label[0].right if last.label else left
    is_rest = part.text[:1].islower() and part.left >= left - _EDGE and part.right < first + 2 * last.height
    if not is_rest or below[0].top - last.bottom > 0.6 * last.height:
        return 0
    rows[-1][0] = together(rows[-1][0], plain_cell(part.text))
    return 1


def _names(above: Sequence[Line], first: Line, columns: Columns, labels: int) -> tuple[Rows, int]:
    """The rows that name the columns, and how many of the lines above the first row they are."""
    names: Rows = ()
    count = 0
    chain = [*above[-_HEADER_LINES:], first]
    for number, (line, below) in enumerate(list(pairwise(chain))[::-1], 1):
        gap = _HEADER_GAP if number == 1 else 0.5 * _HEADER_GAP
        if below.top - line.bottom > gap * max(line.height, below.height):
            break
        if line.values and not all(value.is_year for value in line.values):
            break
        items = [item for other in chain[-1 - number : -1] for item in other.items]
        is_over_numbers = line.parts[-1].right > columns[labels][0] + 2
        if is_over_numbers and (found := header_rows(items, columns, gap=CELL_GAP)):
            names, count = found, number
    return names, count


def _start(lines: Sequence[Line], start: int, columns: Columns, labels: int) -> int:
    """The first line of the rows: labels of the rows below them, between them and the names of the columns."""
    first = start
    for index in range(start - 1, max(start - 1 - _LABELS, 0), -1):
        label, below = lines[index], lines[index + 1]
        stands_left = len(label.parts) == 1 and label.parts[0].right < columns[labels][0] + 2
        is_near = below.top - label.bottom < label.height and label.parts[0].left < columns[0][0] + label.height
        if not (stands_left and is_near) or label.values:
            break
        if _names(lines[:index], label, columns, labels)[1]:
            first = index
    return first
