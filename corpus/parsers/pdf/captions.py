"""Captions that stand so close to a table that they were taken for its first or last row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.captions import is_caption
from corpus.parsers.pdf.block import PdfBlock, inside_box, style_of
from corpus.parsers.pdf.items import Item, bounds
from corpus.parsers.pdf.tables import Grid, lines_of
from corpus.parsers.pdf.text import key


def with_captions_apart(blocks: Sequence[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
    """The blocks of a page with the captions in its tables as blocks of their own; `items` are those of the page."""
    return [part for block in blocks for part in (_parts(block, items) if block.rows else (block,))]


def _parts(table: PdfBlock, items: Sequence[Item]) -> Iterator[PdfBlock]:
    rows = table.rows or ()
    captions = [_is_caption(row) for row in rows]
    if sum(captions) == len(rows) or sum(captions) > 2 or not (captions[0] or captions[-1]):
        yield table  # a list of tables is one of captions
        return
    first, last = int(captions[0]), len(rows) - captions[-1]
    lines = lines_of(inside_box(items, table.box))
    above = _lines_with(rows[0], lines) if captions[0] else []
    below = _lines_with(rows[-1], lines[::-1]) if captions[-1] else []
    if captions[0]:
        yield _caption(rows[0], above, table)
    taken = {id(item) for item in (*above, *below)}
    rest = [item for line in lines for item in line if id(item) not in taken]
    tops = table.tops[first:last] if len(table.tops) == len(rows) else ()
    grid = Grid(rows[first:last], table.columns, tops)
    if len(table.columns) == len(rows[0]):
        grid = grid.without_empty_columns()
    box = bounds(rest) if rest and taken else table.box
    yield replace(table, rows=grid.rows, columns=grid.columns, tops=tops, box=box)
    if captions[-1]:
        yield _caption(rows[-1], below, table)


def _is_caption(row: Sequence[str]) -> bool:
    """Whether the cells of a row make a caption; if they are several, its number must be set off from its words."""
    cells = [cell for cell in row if cell]
    return is_caption(" ".join(cells), by_table=len(cells) == 1)


def _lines_with(row: Sequence[str], lines: Sequence[Sequence[Item]]) -> list[Item]:
    """The items of the first of these lines that a row is written in; none if they hold anything else."""
    wanted, found = sorted(key("".join(row))), list[Item]()
    for line in lines:
        found += line
        written = sorted(key("".join(item.text for item in found)))
        if len(written) >= len(wanted):
            return found if written == wanted else []
    return []


def _caption(row: Sequence[str], items: Sequence[Item], table: PdfBlock) -> PdfBlock:
    box = bounds(items) if items else table.box
    return PdfBlock(Kind.CAPTION, " ".join(filter(None, row)), page=table.page, box=box, **style_of(items))
