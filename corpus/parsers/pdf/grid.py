"""The cells of a table that liteparse found without rules, put right where its rows and columns are not the page's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from corpus.parsers.pdf.block import BOLD
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.rtl import is_right_to_left
from corpus.parsers.pdf.tables import Grid, cell_text, column_of, lines_of, parts_of, split_row, with_signs
from corpus.parsers.pdf.text import COMMAND, is_enumerator, key, plain_cell, storable

_FILLED = 0.34  #: least share of cells with text; less is what stands around a drawing

_TEXT = 40  #: characters; a line over several columns that is shorter may be a heading of them

_Extents = Sequence[tuple[float, float] | None]
_Row = tuple[list[str], list[Item]]  #: the texts of its cells, and the items that they stand for


def grid(block: Any, items: Sequence[Item]) -> tuple[list[Item], Grid | None, list[Item]]:
    """The grid of a table of liteparse's, and the items of texts above and below that it took into it.

    `items` are those inside its box. Without a grid it is no table, and all its items are text.
    """
    raw = [row for row in [block.header, *(block.rows or ())] if row]
    width = max(map(len, raw), default=0)
    extents = _extents(raw, width)
    above, items, below = _without_text(items, extents)
    if len(lines_of([*above, *below])) > len(lines_of(items)):
        return [*above, *items, *below], None, []
    texts = [[plain_cell(storable(cell.text)[0]) for cell in row] + [""] * (width - len(row)) for row in raw]
    rows: list[_Row] = []
    for index, band in enumerate(_bands(raw, texts, items)):
        cells = texts[index]
        if (above and index == 0) or (below and index == len(raw) - 1) or _is_elsewhere("".join(cells)):
            cells = _cells(band, extents)
        rows += split_row(_spread(cells, band, extents), band, extents)
    lefts = Counter(round(line[0].left) for _, band in rows for line in lines_of(_first(band, extents))[:1])
    parted = [part for row in rows for part in _without_label(row, extents, lefts) if any(part[0])]
    cells = [cell for texts, _ in parted for cell in texts]
    if not parted or (width > 3 and len(parted) > 3 and sum(map(bool, cells)) < _FILLED * len(cells)):
        return [*above, *items, *below], None, []
    found = Grid(
        tuple(tuple(cells) for cells, _ in parted),
        tuple(extent or (0.0, 0.0) for extent in extents),
        tuple(_tops(parted)),
    )
    return above, _with_numbered_labels(with_signs(found.without_empty_columns())), below


def _is_elsewhere(text: str) -> bool:
    """Whether the words of a row are better read off the page than off liteparse's cells."""
    return is_right_to_left(text) or bool(COMMAND.search(text))


def _bands(raw: Sequence[Sequence[Any]], texts: Sequence[Sequence[str]], items: Sequence[Item]) -> list[list[Item]]:
    """The items of each row: those below its top and above the next one's, and a first line that stands above it."""
    tops = [min((cell.bbox.y for cell in row if cell.bbox), default=None) for row in raw]
    bands: list[list[Item]] = []
    for index, top in enumerate(tops):
        following = next((other for other in tops[index + 1 :] if other is not None), float("inf"))
        band = [] if top is None else [item for item in items if top <= item.top + item.height / 2 < following]
        above = lines_of(bands[-1]) if bands else []
        wanted = sorted(key("".join(texts[index])))
        if len(above) > 1 and wanted == sorted(key("".join(item.text for item in [*above[-1], *band]))):
            bands[-1] = [item for line in above[:-1] for item in line]
            band = [*above[-1], *band]
        bands.append(band)
    return bands


def _extents(rows: Sequence[Sequence[Any]], width: int) -> list[tuple[float, float] | None]:
    """Left and right of each column; a cell that reaches far into the next one says nothing of its own."""
    cells = [[row[column].bbox for row in rows if column < len(row) and row[column].bbox] for column in range(width)]
    lefts = [median(box.x for box in boxes) if boxes else float("inf") for boxes in cells]
    extents: list[tuple[float, float] | None] = []
    for column, boxes in enumerate(cells):
        following = min(lefts[column + 1 :], default=float("inf"))
        own = [box for box in boxes if box.x + box.width < following + 3] or boxes
        extents.append((min(b.x for b in own), max(b.x + b.width for b in own)) if own else None)
    return extents


def _tops(rows: Sequence[_Row]) -> Iterable[float]:
    top = 0.0
    for _, band in rows:
        top = min((item.top for item in band), default=top)
        yield top


def _cells(band: Iterable[Item], extents: _Extents) -> list[str]:
    cells: list[list[Item]] = [[] for _ in extents]
    for item in band:
        cells[column_of(item, extents)].append(item)
    return [cell_text(cell) for cell in cells]


def _first(band: Sequence[Item], extents: _Extents) -> list[Item]:
    return [item for item in band if column_of(item, extents) == 0]


def _without_text(items: Sequence[Item], extents: _Extents) -> tuple[list[Item], list[Item], list[Item]]:
    """The items of a table, those of a text above and those of a text below, which run over its columns as no row does.

    In this order: above, table, below.
    """
    inner = [extent for extent in extents if extent][1:]
    lines = lines_of(items)
    prose = [_runs_over(line, inner) for line in lines]
    start = end = 0
    for index in range(min(len(lines) // 2, 20)):
        start = index + 1 if prose[index] else start
        if not prose[index] and index > start + 1:
            break
    for index in range(len(lines) - 1, max(len(lines) // 2, 1), -1):
        end = len(lines) - index if prose[index] else end
    parts = lines[:start], lines[start : len(lines) - end], lines[len(lines) - end :]
    above, table, below = ([item for line in part for item in line] for part in parts)
    if sum(len(item.text) for item in above) < _TEXT:
        above, table = [], above + table
    if sum(len(item.text) for item in below) < _TEXT:
        table, below = table + below, []
    return above, table, below


def _runs_over(line: Sequence[Item], inner: Sequence[tuple[float, float]]) -> bool:
    parts = parts_of(line, gap=1.0)
    left, right = parts[0][0].left, parts[0][-1].right
    crossed = sum(left < first - 3 and last + 3 < right for first, last in inner[:2])
    letters = sum(map(str.isalpha, "".join(item.text for item in line)))
    return crossed > 0 and len(parts) == 1 and letters > 3


def _spread(texts: list[str], band: Sequence[Item], extents: _Extents) -> list[str]:
    """The cells of a row of one line, where several stand in one: each word goes to the column that it stands in."""
    words = [part for item in band for part in item.parts]
    empty = {column for column, text in enumerate(texts) if not text and extents[column]}
    if not empty or len(lines_of(band)) != 1 or key("".join(texts)) != key("".join(word.text for word in words)):
        return texts
    spread = _cells(words, extents)
    was, now = sum(map(bool, texts)), sum(map(bool, spread))
    numbers = sum(not any(map(str.isalpha, cell)) for cell in spread[1:] if cell)
    return spread if now > was and numbers >= 0.5 * (now - 1) else texts


def _without_label(row: _Row, extents: _Extents, lefts: Counter[int]) -> list[_Row]:
    """A row as it is, or parted from the label of a group of rows that stands above or below it.

    The label is set bold, or farther out than the row, where other rows stand too (and not the rest of a label).
    """
    texts, band = row
    lines = lines_of(band)
    if len(lines) < 2 or sum(map(bool, texts)) < 3 or not texts[0]:
        return [row]
    for label, others in ((lines[0], lines[1:]), (lines[-1], lines[:-1])):
        rest = [item for line in others for item in line]
        head, first = _first(label, extents), _first(rest, extents)
        right = (extents[0][1] + extents[1][0]) / 2 if extents[0] and extents[1] else 0.0
        above, below = (label, first) if label is lines[0] else (first, label)
        if len(head) < len(label) or not first or not (_is_label(head, first, lefts) or _breaks(above, below, right)):
            continue
        name, body = plain_cell(" ".join(item.text for item in label)), _cells(rest, extents)
        if len(lines_of(first)) > 1 or sorted(key("".join([name, *body]))) != sorted(key("".join(texts))):
            continue
        parted: list[_Row] = [([name, *[""] * (len(texts) - 1)], label), (body, rest)]
        return parted if label is lines[0] else parted[::-1]
    return [row]


def _is_label(label: Sequence[Item], first: Sequence[Item], lefts: Counter[int]) -> bool:
    is_bold = all(BOLD.search(item.font) for item in label) and not any(BOLD.search(item.font) for item in first)
    return is_bold or (first[0].left > label[0].left + 3 and lefts[round(first[0].left)] > 1)


def _breaks(above: Sequence[Item], below: Sequence[Item], right: float) -> bool:
    """Whether a line ends where the next word would have fitted, so that the line below is another text."""
    word = below[0].parts[0]
    begins = word.text[:1].isupper() or word.text[:1].isdigit()
    return begins and above[-1].right + 0.3 * word.height + word.width < right - 0.5 * word.height


def _with_numbered_labels(found: Grid) -> Grid:
    """The grid with the numbers of rows in the cells of their labels, if labels without a number begin there too."""
    if len(found.columns) < 3:
        return found
    (left, _), (other, _), *_ = found.columns
    numbers = [row[0] for row in found.rows if row[0]]
    if not (other <= left + 6 and len(numbers) > 1 and all(map(is_enumerator, numbers))):
        return found
    rows = tuple((f"{row[0]} {row[1]}".strip(), *row[2:]) for row in found.rows)
    columns = ((min(left, other), found.columns[1][1]), *found.columns[2:])
    return Grid(rows, columns, found.tops)
