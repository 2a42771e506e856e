"""Tables that go on over pages, and captions that stand away from what they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.draft import Rows
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.tables import are_aligned, table_texts
from corpus.parsers.pdf.text import key

_CONTINUED = re.compile(r"(?i)\bcont(?:inued|'?d\b|\.)|\bfortsetzung|\bsuite\b|продолжение|续表|續表")
_HEADER = 4  #: rows at most
_BETWEEN = 2  #: blocks that may say that the table goes on


def continued_tables(blocks: Sequence[PdfBlock]) -> tuple[list[PdfBlock], list[str]]:
    """The blocks with a table that repeats its header on the next page as one, and the texts that went.

    Its rows stand on the page where it begins. Blocks are those of all pages, without running lines.
    """
    joined: list[PdfBlock] = []
    gone: list[str] = []
    last: dict[int, int] = {}  #: index in `joined` of a table → the page on which it ends
    for block in blocks:
        at = _table_above(joined, last, block)
        if at is None:
            joined.append(block)
            if block.rows:
                last[len(joined) - 1] = block.page
            continue
        repeated = _repeated_rows(joined[at].rows or (), block.rows or ())
        gone += [between.text for between in joined[at + 1 :]]
        gone += table_texts((block.rows or ())[:repeated])
        del joined[at + 1 :]
        table = joined[at]
        joined[at] = replace(table, rows=(table.rows or ()) + (block.rows or ())[repeated:], tops=())
        last[at] = block.page
    return joined, gone


def _table_above(blocks: Sequence[PdfBlock], last: dict[int, int], table: PdfBlock) -> int | None:
    """The index of the table that `table` goes on with."""
    if not table.rows:
        return None
    for index in range(len(blocks) - 1, max(len(blocks) - 2 - _BETWEEN, -1), -1):
        above = blocks[index]
        if above.rows:
            same = len(above.rows[0]) == len(table.rows[0]) and are_aligned(above.columns, table.columns)
            goes_on = last[index] == table.page - 1 and same
            return index if goes_on and _repeated_rows(above.rows, table.rows) else None
        if above.page != table.page or not _CONTINUED.search(above.text) or len(above.text) > 200:
            return None
    return None


def _repeated_rows(above: Rows, below: Rows) -> int:
    """How many rows both tables begin with; one that is all of `below` is no header."""
    count = 0
    for one, two in zip(above[:_HEADER], below[: len(below) - 1], strict=False):
        if key("".join(one)) != key("".join(two)) or not key("".join(one)):
            break
        count += 1
    return count


def with_captions_beside(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """The blocks with each caption right before or after the table below or above which it stands."""
    ordered = list(blocks)
    for caption in [block for block in blocks if block.kind is Kind.CAPTION and block.box]:
        at = next(index for index, block in enumerate(ordered) if block is caption)
        near = [i for i, block in enumerate(ordered) if block.rows and block.page == caption.page]
        near = [i for i in near if (gap := _distance(caption, ordered[i])) is not None and gap < 2.5 * caption.size]
        if not near or any(abs(i - at) == 1 for i in near):
            continue
        table = ordered[min(near, key=lambda i: _distance(caption, ordered[i]) or 0.0)]
        ordered.pop(at)
        place = next(index for index, block in enumerate(ordered) if block is table)
        assert caption.box is not None
        assert table.box is not None
        ordered.insert(place if caption.box[1] < table.box[1] else place + 1, caption)
    return ordered


def _distance(caption: PdfBlock, table: PdfBlock) -> float | None:
    """Points between a caption and a table of the same column, above or below it."""
    if not (caption.box and table.box) or caption.box[0] >= table.box[2] or table.box[0] >= caption.box[2]:
        return None
    return max(table.box[1] - caption.box[3], caption.box[1] - table.box[3], 0.0)
