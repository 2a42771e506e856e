"""Tables made whole: what stands above, beside and below them and is theirs, and the pieces that they came in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from chunkers.document import Kind
from corpus.parsers.draft import Rows
from corpus.parsers.pdf.block import PdfBlock, inside_box
from corpus.parsers.pdf.gaps import lines_with_scripts, text_of
from corpus.parsers.pdf.header import header_rows
from corpus.parsers.pdf.items import Item, bounds
from corpus.parsers.pdf.rtl import is_right_to_left
from corpus.parsers.pdf.tables import (
    Columns,
    Grid,
    are_aligned,
    cell_text,
    column_of,
    covers,
    lines_of,
    parts_of,
    with_lines,
)
from corpus.parsers.pdf.text import plain

_YEAR = re.compile(r"(?:19|20)\d\d")
_HEADER_BLOCKS = 4
_LABEL = 90  #: characters of the label of a group of rows
_TEXT = (Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM)


def whole_tables(blocks: Sequence[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
    """The blocks of a page with its tables put together; `items` are those of the page."""
    whole: list[PdfBlock] = []
    for index, found in enumerate(blocks):
        block = _with_header(whole, found, items)
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.rows and (count := _pieces_above(whole, block)):
            labels = whole[-count:]
            del whole[-count:]
            whole[-1] = _as_one(whole[-1], labels, block)
            continue
        table = whole[-1] if whole else None
        if not (table and table.rows and table.box and block.box and table.columns):
            whole.append(block)
            continue
        if block.kind is Kind.PARAGRAPH and (split := _rows_below(table, block, items)):
            whole[-1:] = split
            continue
        box = (min(table.box[0], block.box[0]), table.box[1], max(table.box[2], block.box[2]), block.box[3])
        if block.rows and _fits(table.columns, block.columns) and _is_close(table, block, 2.0 + 1.5 * bool(table.tops)):
            whole[-1] = _as_one(table, (), block)
        elif _goes_on(table, block, following):
            grown = with_lines(Grid(table.rows, table.columns), list(inside_box(items, block.box)))
            tops = table.tops and (*table.tops, *[block.box[1]] * (len(grown.rows) - len(table.rows)))
            whole[-1] = replace(table, rows=grown.rows, tops=tops, box=box)
        else:
            whole.append(block)
    return [_in_order(block) for block in _with_first_columns(whole, items)]


def _in_order(table: PdfBlock) -> PdfBlock:
    """A table with its first column first: the one on the right, where its text runs from right to left."""
    if not table.rows or not is_right_to_left("".join(cell for row in table.rows for cell in row)):
        return table
    return replace(table, rows=tuple(row[::-1] for row in table.rows), columns=table.columns[::-1])


def _pieces_above(blocks: Sequence[PdfBlock], table: PdfBlock) -> int:
    """How many short lines part `table` from a piece of it above; 0 if there is none."""
    for count in (1, 2):
        if len(blocks) <= count:
            return 0
        piece, labels = blocks[-count - 1], blocks[-count:]
        if not all(label.kind in _TEXT and len(label.text) <= _LABEL for label in labels):
            return 0
        if not piece.rows:
            continue
        chain = [piece, *labels, table]
        close = all(_is_close(above, below, 2.2) for above, below in pairwise(chain))
        is_label = all(_is_label(label, piece) or _is_label(label, table) for label in labels)
        fits = _fits(piece.columns, table.columns) or _fits(table.columns, piece.columns)
        own = _has_own_header(table)
        return count if close and is_label and fits and not own and piece.tops and table.tops else 0
    return 0


def _has_own_header(table: PdfBlock) -> bool:
    """Whether the first row names columns: words or years over numbers."""
    first, *others = table.rows or ((),)
    names = [cell for cell in first[1:] if cell]
    values = [cell for row in others for cell in row[1:] if cell]
    numbers = sum(any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell)) for cell in values)
    is_named = len(names) > 1 and all(any(map(str.isalpha, name)) or _YEAR.fullmatch(name) for name in names)
    return is_named and numbers > 0.6 * len(values)


def _is_label(block: PdfBlock, table: PdfBlock) -> bool:
    """Whether a line begins where the labels of a table's rows stand, or near."""
    if not (block.box and table.box and table.columns):
        return False
    left, right = table.columns[0]
    one_line = block.box[3] - block.box[1] < 1.9 * max(block.size, 1)
    return one_line and left - 4 * block.size <= block.box[0] <= right and block.box[2] < table.box[2] + 5


def _fits(columns: Columns, piece: Columns) -> bool:
    """Whether each column of `piece` stands over one of `columns`, and no two over the same."""
    return _matched(columns, piece) is not None


def _matched(columns: Columns, piece: Columns) -> list[int] | None:
    matched: list[int] = []
    if len(columns) == len(piece) and are_aligned(columns, piece):
        return list(range(len(columns)))
    if len(piece) < 3 or len(columns) - len(piece) > 2:
        return None
    for left, right in piece:
        over = [i for i, (one, two) in enumerate(columns) if left < two and one < right]
        over = [i for i in over if i not in matched][:1] if len(over) > 1 else over
        if len(over) != 1 or (matched and over[0] <= matched[-1]):
            return None
        matched += over
    return matched


def _as_one(above: PdfBlock, labels: Sequence[PdfBlock], below: PdfBlock) -> PdfBlock:
    """Two pieces of a table and the labels between them."""
    columns = above.columns if _matched(above.columns, below.columns) else below.columns
    middle = tuple((plain(label.text), *[""] * (len(columns) - 1)) for label in labels)
    rows = (*_spread(above, columns), *middle, *_spread(below, columns))
    parts = (above, *labels, below)
    boxes = [part.box for part in parts if part.box]
    tops = (*above.tops, *(label.box[1] for label in labels if label.box), *below.tops)
    return replace(
        above,
        rows=rows,
        columns=columns,
        tops=tops if len(tops) == len(rows) else (),
        box=(min(b[0] for b in boxes), boxes[0][1], max(b[2] for b in boxes), boxes[-1][3]),
    )


def _spread(piece: PdfBlock, columns: Columns) -> Rows:
    """The rows of a piece under the columns of the whole."""
    matched = _matched(columns, piece.columns) or list(range(len(piece.columns)))
    spread = []
    for row in piece.rows or ():
        cells = [""] * len(columns)
        for column, text in zip(matched, row, strict=False):
            cells[column] = text
        spread.append(tuple(cells))
    return tuple(spread)


def _with_header(above: list[PdfBlock], table: PdfBlock, items: Sequence[Item]) -> PdfBlock:
    """A table with the lines above it as its first rows, if that is what they are; they go from `above`."""
    for _ in range(_HEADER_BLOCKS):
        line = above[-1] if above else None
        if not (table.rows and table.box and line and line.box and line.kind in (Kind.HEADING, Kind.PARAGRAPH)):
            return table
        rows = header_rows(list(inside_box(items, line.box)), table.columns) if _is_close(line, table, 2.5) else None
        if not rows:
            return table
        above.pop()
        box = (min(table.box[0], line.box[0]), line.box[1], max(table.box[2], line.box[2]), table.box[3])
        tops = table.tops and (*[line.box[1]] * len(rows), *table.tops)
        table = replace(table, rows=(*rows, *table.rows), tops=tops, box=box)
    return table


def _rows_below(table: PdfBlock, block: PdfBlock, items: Sequence[Item]) -> list[PdfBlock]:
    """The table with the rows that a text under it begins with, and the rest of the text; nothing if it has none."""
    if len(table.columns) < 3 or not _is_close(table, block, 1.3) or not (table.box and block.box):
        return []
    lines = lines_with_scripts(list(inside_box(items, block.box)))
    rows: list[tuple[str, ...]] = []
    for line in lines:
        cells = [""] * len(table.columns)
        for part in parts_of(line, gap=1.0):
            column = column_of(part[0], table.columns)
            cells[column] = f"{cells[column]} {plain(text_of(part))}".strip()
        if not cells[0] or sum(map(bool, cells)) < max(3, 0.5 * len(table.columns)):
            break
        rows.append(tuple(cells))
    if not rows:
        return []
    taken = [item for line in lines[: len(rows)] for item in line]
    rest = [item for line in lines[len(rows) :] for item in line]
    tops = table.tops and (*table.tops, *(line[0].top for line in lines[: len(rows)]))
    box = (*table.box[:3], max(item.bottom for item in taken))
    grown = replace(table, rows=(*(table.rows or ()), *rows), tops=tops, box=box)
    left = replace(block, text=plain(text_of(rest)), box=bounds(rest)) if rest else None
    return [grown, left] if left else [grown]


def _goes_on(table: PdfBlock, block: PdfBlock, following: PdfBlock | None) -> bool:
    """Whether a paragraph under a table is the rest of its last row."""
    if block.kind is not Kind.PARAGRAPH or not (table.box and block.box) or not _is_close(table, block, 1.3):
        return False
    if not covers(table.box, block.box):
        return False
    hangs = len(table.columns) > 1 and block.box[0] > table.columns[1][0] - 3 and block.text[:1].islower()
    between = bool(following and following.rows and are_aligned(table.columns, following.columns))
    return hangs or (between and _is_close(block, following, 1.3))


def _is_close(above: PdfBlock, below: PdfBlock | None, lines: float) -> bool:
    if not (below and above.box and below.box):
        return False
    height = max(above.size, below.size, 1)
    return -0.5 * height < below.box[1] - above.box[3] < lines * height


def _with_first_columns(blocks: list[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
    """Tables whose rows have a label that liteparse took for text beside them, with the labels as first column."""
    for table in [block for block in blocks if block.rows and block.tops and block.box]:
        beside = [block for block in blocks if block.kind in _TEXT and _is_left_of(block, table)]
        found = [item for block in beside for item in inside_box(items, block.box)]
        rows = _labelled(table, found) if found else None
        if rows is None:
            continue
        at = blocks.index(table)
        left, right = min(item.left for item in found), max(item.right for item in found)
        box = bounds([*found, *inside_box(items, table.box)])
        columns = ((left, right), *table.columns)
        blocks[at] = replace(table, rows=rows, columns=columns, tops=(), box=box)
        blocks = [block for block in blocks if block not in beside]
    return blocks


def _is_left_of(block: PdfBlock, table: PdfBlock) -> bool:
    assert table.box is not None
    if block.box is None:
        return False
    first = table.columns[0][0] if table.columns else table.box[0]
    middle, height = (block.box[1] + block.box[3]) / 2, block.box[3] - block.box[1]
    is_beside = block.box[2] < first + 2 and first - block.box[0] < 0.6 * (table.box[2] - table.box[0]) + 100
    return is_beside and table.box[1] < middle < table.box[3] and height < 1.3 * (table.box[3] - table.box[1])


def _labelled(table: PdfBlock, labels: Sequence[Item]) -> Rows | None:
    """The rows with a label each, and labels of groups in rows of their own; None if most rows have none.

    A label's line without a row beside it goes on the line above, if that has a row or begins a label that wraps.
    """
    rows = table.rows or ()
    width = len(table.columns)
    middles = [top + 0.5 * table.size for top in table.tops]
    lines = lines_of(labels)
    beside: dict[int, list[Item]] = {}
    alone: list[tuple[float, list[Item]]] = []
    for line in lines:
        middle = line[0].top + line[0].height / 2
        near = min(range(len(rows)), key=lambda row: abs(middles[row] - middle))
        if abs(middles[near] - middle) < 0.6 * max(table.size, 1) and near not in beside:
            beside[near] = line
        else:
            alone.append((middle, line))
    if len(beside) < 0.7 * len(rows) or len(beside) < 3 or len(alone) > len(beside):
        return None
    placed = [(middles[index], (cell_text(beside.get(index, ())), *row)) for index, row in enumerate(rows)]
    placed += [(middle, (plain(text_of(line)), *[""] * width)) for middle, line in alone]
    return tuple(row for _, row in sorted(placed, key=lambda pair: pair[0]))
