"""`structure`: cut where the author did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.pieces import Cutter, parts
from chunkers.sections import Section, families, leaves, sections
from chunkers.splitting import Measure, Unit
from chunkers.tokens import Ruler

TINY = 4  #: a section below one in so many of the size is tiny: it is put together with its tiny siblings


@register("structure")
@dataclass(frozen=True, slots=True)
class Structure:
    """One child for each section that fits; longer ones between their blocks, then between sentences.

    Assumes that headings say what a section is about: Markdown, wikis, manuals, office documents with styles. Fails
    on text without headings, where it comes to the same as `recursive`, and on headings that are only bold lines.
    Tiny siblings are merged; lists stay with their lead-in, tables are cut between rows, code between lines.
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
        found = sections(leaves(document, document.blocks, measure))
        cutter = Cutter(document, ruler, measure, sizes.resolve(self.size, self.unit, ruler))
        yield from parts_of_sections(cutter, found, self.parent_size)


def parts_of_sections(
    cutter: Cutter,
    found: Sequence[Section],
    parent_size: int,
    *,
    apart: Callable[[Section], bool] | None = None,
    again: Callable[[Section], str] | None = None,
) -> Iterator[Part]:
    """Sections, or runs of tiny siblings, as parts; within them again as pieces; what is too long is cut.

    A section that is `apart` shares no piece with another, however tiny. What `again` gives for a section that is cut
    stands in the header of all its pieces but the first.
    """
    document, size = cutter.document, cutter.size
    parent_size = sizes.resolve_parent(parent_size, cutter.measure.unit, size)
    for family in families(document, found, parent_size // TINY, parent_size):
        pieces = [
            measured
            for group in families(document, family, size // TINY, size // 2, apart)
            for measured in cutter.pieces(
                [leaf for section in group for leaf in section.leaves],
                again=again(group[0]) if again and len(group) == 1 else "",
            )
        ]
        yield from parts(document, pieces, parent_size)
