"""`layout`: pages and slides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.pieces import Cutter
from chunkers.sections import leaves, sections
from chunkers.splitting import Measure
from chunkers.structure import parts_of_sections
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
    and every part but the first carries the header row in its header.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: tokens of a child; default: the smaller of 400 and what the model reads
    parent_size: int = 1200  #: tokens of a parent

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        measure = Measure(ruler)
        slides = document.media_type in SLIDES
        found = sections(leaves(document, document.blocks, measure), at_pages=slides)
        cutter = Cutter(document, ruler, measure, sizes.resolve(self.size, "tokens", ruler))
        yield from parts_of_sections(cutter, found, self.parent_size, apart=lambda _: slides)
