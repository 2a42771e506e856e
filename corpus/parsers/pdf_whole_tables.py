"""Tables made whole: their header row from above, the rest of a wrapped cell from below, their pieces together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.pdf_blocks import PdfBlock, inside_box
from corpus.parsers.pdf_source import Item
from corpus.parsers.pdf_tables import Grid, are_aligned, covers, header_row, with_lines


def whole_tables(blocks: Sequence[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
    """Tables that a wrapped cell broke apart are put together, the lines between the pieces included."""
    whole: list[PdfBlock] = []
    for index, found in enumerate(blocks):
        block = _with_header(whole, found, items)
        table = whole[-1] if whole else None
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if not (table and table.rows and table.box and block.box and table.columns):
            whole.append(block)
            continue
        box = (min(table.box[0], block.box[0]), table.box[1], max(table.box[2], block.box[2]), block.box[3])
        if block.rows and are_aligned(table.columns, block.columns) and _is_close(table, block, 2.0):
            whole[-1] = replace(table, rows=table.rows + block.rows, box=box)
        elif _goes_on(table, block, following):
            grown = with_lines(Grid(table.rows, table.columns), list(inside_box(items, block.box)))
            whole[-1] = replace(table, rows=grown.rows, box=box)
        else:
            whole.append(block)
    return whole


def _with_header(above: list[PdfBlock], table: PdfBlock, items: Sequence[Item]) -> PdfBlock:
    """A table with the line above it as its first row, if that is what it is; the line goes from `above`."""
    line = above[-1] if above else None
    if not (table.rows and table.box and line and line.box and line.kind in (Kind.HEADING, Kind.PARAGRAPH)):
        return table
    row = header_row(list(inside_box(items, line.box)), table.columns) if _is_close(line, table, 2.5) else None
    if row is None:
        return table
    above.pop()
    box = (min(table.box[0], line.box[0]), line.box[1], max(table.box[2], line.box[2]), table.box[3])
    return replace(table, rows=(row, *table.rows), box=box)


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
