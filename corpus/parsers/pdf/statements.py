"""Tables of numbers read off the lines of the page, where liteparse took their rows or columns apart.

It takes labels that stand far from their numbers for a column of text, rows that stand close for one row, and bold
names of columns for headings. What shares its baseline with numbers that stand below each other is their row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.draft import Rows
from corpus.parsers.pdf.block import PdfBlock, inside_box, style_of
from corpus.parsers.pdf.convert import paragraph
from corpus.parsers.pdf.figures import Statement, statements
from corpus.parsers.pdf.gaps import text_of
from corpus.parsers.pdf.items import Item, bounds
from corpus.parsers.pdf.numbers import number_lines
from corpus.parsers.pdf.pages import Page
from corpus.parsers.pdf.rtl import is_right_to_left
from corpus.parsers.pdf.text import key

_OTHERS = (Kind.CODE, Kind.FORMULA)  #: what no row of a table is taken from


def with_statements(blocks: Sequence[PdfBlock], page: Page) -> list[PdfBlock]:
    """The blocks of a page, with each table of numbers that they do not hold whole in place of its pieces."""
    whole = list(blocks)
    ruled = frozenset().union(*(table.items for table in page.tables))
    items = [item for item in page.items if id(item) not in ruled]
    if is_right_to_left("".join(item.text for item in items)):
        return whole
    for found in statements(number_lines(items)):
        if not any(_holds(block, found) for block in whole if block.rows):
            whole = _replaced(whole, found, page) or whole
    return whole


def _holds(table: PdfBlock, found: Statement) -> bool:
    """Whether a table has each row with a label and a cell for each number, and the names of the columns."""
    rows = [[cell for cell in row if cell] for row in table.rows or ()]
    if any(_has_stray_sign(cell) for row in rows for cell in row[1:]):
        return False
    held = {tuple(filter(None, map(key, row))) for row in rows}
    ends: dict[tuple[str, ...], list[str]] = {}
    count = len(found.rows[0]) - found.labels
    for row in held:
        for size in range(min(count, len(row)) + 1):
            ends.setdefault(row[len(row) - size :], []).append("".join(row[: len(row) - size]))
    words = key("".join(cell for row in rows for cell in row))
    for row in found.rows[found.names :]:
        label = key("".join(row[: found.labels]))
        values = tuple(filter(None, map(key, row[found.labels :])))
        heads = ends.get(values, [])
        if not any((label in head or head in label) and bool(label) == bool(head) for head in heads):
            return False
    return all(key(word) in words for row in found.rows[: found.names] for cell in row for word in cell.split())


def _has_stray_sign(cell: str) -> bool:
    return cell[-1:] in "$€£¥₹₩"


def _replaced(blocks: Sequence[PdfBlock], found: Statement, page: Page) -> list[PdfBlock] | None:
    """The blocks with the table in place of what they have of it; none if one of them cannot be parted."""
    taken = {id(item) for item in found.items}
    top, bottom = bounds(found.items)[1::2]
    claims = [_own(block, page.items) for block in blocks]
    claimed = {id(item) for own in claims for item in own}
    kept: list[PdfBlock] = []
    at: int | None = None
    for block, claim in zip(blocks, claims, strict=True):
        # what no block has word for word stands in cells that part it
        own = claim + [item for item in inside_box(page.items, block.box) if id(item) not in claimed]
        if not any(id(item) in taken for item in own):
            kept.append(block)
            continue
        pieces = None if block.kind in _OTHERS else _rest(block, own, taken, top, bottom)
        if pieces is None:
            return None
        above, below = pieces
        kept += above
        at = len(kept) if at is None else at
        kept += below
    if at is None:
        return None
    style = {"page": page.number, "box": bounds(found.items), **style_of(found.items)}
    kept.insert(at, PdfBlock(Kind.TABLE, "", rows=found.rows, columns=found.columns, tops=found.tops, **style))
    return kept


def _own(block: PdfBlock, items: Sequence[Item]) -> list[Item]:
    """The items in the box of a block that it has the words of."""
    words = key(block.text + "".join(cell for row in block.rows or () for cell in row))
    return [item for item in inside_box(items, block.box) if key(item.text) in words]


def _rest(
    block: PdfBlock, own: Sequence[Item], taken: Collection[int], top: float, bottom: float
) -> tuple[list[PdfBlock], list[PdfBlock]] | None:
    """What a block has above the table and what it has beside or below it."""
    rest = [item for item in own if id(item) not in taken]
    above = [item for item in rest if item.bottom <= top + 0.5 * item.height]
    below = [item for item in rest if item not in above]
    if block.rows is None:
        return list(_texts(block, above)), list(_texts(block, below))
    if not rest:
        return [], []
    if len(block.tops) != len(block.rows):
        return None
    upper = [index for index, row in enumerate(block.tops) if row < top - 2]
    lower = [index for index, row in enumerate(block.tops) if row > bottom - 2]
    return list(_rows(block, upper, above)), list(_rows(block, lower, below))


def _texts(block: PdfBlock, items: Sequence[Item]) -> Iterator[PdfBlock]:
    if not items:
        return
    style = {"page": block.page, "box": bounds(items), **style_of(items)}
    for part in paragraph(text_of(items), style):
        is_whole = part.kind is Kind.PARAGRAPH and block.kind in (Kind.HEADING, Kind.CAPTION)
        yield replace(part, kind=block.kind, level=block.level) if is_whole else part


def _rows(block: PdfBlock, numbers: Sequence[int], items: Sequence[Item]) -> Iterator[PdfBlock]:
    rows: Rows = tuple((block.rows or ())[number] for number in numbers)
    written = key("".join(cell for row in rows for cell in row))
    if len(rows) < 2 or len(written) != len(key("".join(item.text for item in items))):
        yield from _texts(block, items)  # one row is no table, and others are not those of the page
    elif rows:
        yield replace(block, rows=rows, tops=tuple(block.tops[number] for number in numbers), box=bounds(items))
