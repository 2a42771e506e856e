"""`layout`: pages and slides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Block, Document, Kind
from chunkers.pieces import Cutter
from chunkers.sections import leaves, sections
from chunkers.splitting import Measure, Unit
from chunkers.structure import parts_of_sections
from chunkers.tables import header_rows, shape
from chunkers.tokens import Ruler

SLIDES = frozenset(
    {
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.ms-powerpoint",
        "application/vnd.oasis.opendocument.presentation",
    }
)


@register("layout")
@dataclass(frozen=True, slots=True)
class Layout:
    """Sections by heading level in reading order; a slide is a section; tables whole, with their caption.

    Assumes that the parser gave reading order, heading levels, tables and captions: PDF, slides, scans. Fails where
    headings were not found: then what is left is windows of paragraphs. A table that is too long is cut between rows
    and every part but the first carries the header row in its header; one that goes on over the page is one table.
    """

    version: ClassVar[int] = 3

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, unit=self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        measure = Measure(ruler, self.unit)
        slides = document.media_type in SLIDES
        blocks = document.blocks if slides else whole_tables(document)
        found = sections(leaves(document, blocks, measure), at_pages=slides)
        cutter = Cutter(document, ruler, measure, sizes.resolve(self.size, self.unit, ruler))
        yield from parts_of_sections(cutter, found, self.parent_size, apart=lambda _: slides)


def whole_tables(document: Document) -> list[Block]:
    """The blocks, with a table that goes on at the top of the next page as one; its page is the last one's."""
    found: list[Block] = []
    for block in document.blocks:
        before = found[-1] if found else None
        if before and before.rows and block.rows and _goes_on(document.text, before, block):
            found[-1] = replace(before, end=block.end, page=block.page, rows=(*before.rows, *block.rows))
        else:
            found.append(block)
    return found


def _goes_on(text: str, above: Block, below: Block) -> bool:
    """Whether a table begins on the page after another, with as many columns and with no header of its own."""
    if above.kind is not Kind.TABLE or below.kind is not Kind.TABLE or not above.rows or not below.rows:
        return False
    if above.page is None or below.page != above.page + 1 or text[above.end : below.start].strip():
        return False
    if max(map(len, above.rows)) != max(map(len, below.rows)):
        return False
    if below.rows[0] in above.rows[: max(1, header_rows(above.rows))] or not header_rows(below.rows):
        return True
    # A row of words over rows of words may name them or be one of them: only what stands over figures surely names them
    return all(shape(cell) in ("text", "") for row in below.rows for cell in row)
