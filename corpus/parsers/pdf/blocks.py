"""A page's blocks: its ruled tables, liteparse's other blocks, and what it left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from chunkers.document import Kind
from corpus.parsers.pdf.block import PdfBlock, inside_box, style_of
from corpus.parsers.pdf.code import typewritten
from corpus.parsers.pdf.convert import convert
from corpus.parsers.pdf.items import Item, box_of
from corpus.parsers.pdf.orphans import place, with_orphans
from corpus.parsers.pdf.pages import Page
from corpus.parsers.pdf.text import key

_NOTHING = ("rule", "figure")  #: liteparse's blocks without text
_TEXTS = ("paragraph", "heading", "list_item")


def blocks_of(page: Page, *, code_by_font: bool) -> list[PdfBlock]:
    """The blocks of a page in reading order; `code_by_font`: lines set in a typewriter's font alone are code."""
    if page.plain:
        paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", page.plain))
        return [PdfBlock(Kind.PARAGRAPH, text, page.number, None) for text in paragraphs if text]
    blocks = _upright(page)
    turned = _converted([(b, list(inside_box(page.turned_items, box_of(b)))) for b in page.turned_blocks], page.number)
    blocks += [replace(block, box=None) for block in turned if block.size]
    if page.unseen:  # without a place that could part it
        blocks.append(PdfBlock(Kind.PARAGRAPH, page.unseen, page.number, None))
    return typewritten(blocks, page.items) if code_by_font else blocks


def _upright(page: Page) -> list[PdfBlock]:
    ruled = frozenset().union(*(table.items for table in page.tables))
    inside = [(block, list(inside_box(page.items, box_of(block)))) for block in page.blocks]
    texts = {id(item) for block, items in inside if block.kind in _TEXTS for item in items}
    kept = [(block, _own(block, items, texts)) for block, items in inside if not any(id(i) in ruled for i in items)]
    dropped = {id(item) for _, items in inside if any(id(item) in ruled for item in items) for item in items} - ruled
    blocks = _converted(kept, page.number)
    for table in page.tables:
        items = [item for item in page.items if id(item) in table.items]
        style = {"page": page.number, "box": table.box, **style_of(items)}
        found = PdfBlock(Kind.TABLE, "", rows=table.grid.rows, columns=table.grid.columns, **style)
        blocks.insert(place(blocks, table.box), found)
    return with_orphans(blocks, page, dropped)


def _own(block: Any, items: Sequence[Item], texts: Collection[int]) -> list[Item]:
    """The items of a block; a table's box may reach over texts that are none of it."""
    if block.kind != "table" or not any(id(item) in texts for item in items):
        return list(items)
    written = key("".join(cell.text for row in (block.header or (), *(block.rows or ())) for cell in row))
    return [item for item in items if id(item) not in texts or key(item.text) in written]


def _converted(raw: Sequence[tuple[Any, list[Item]]], page: int) -> list[PdfBlock]:
    return [found for block, items in raw if block.kind not in _NOTHING for found in convert(block, items, page)]
