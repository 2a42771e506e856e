"""`late`: small pieces that are embedded as parts of what stands around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.contexts import with_contexts
from chunkers.document import Document
from chunkers.pieces import Cutter
from chunkers.sections import leaves, sections
from chunkers.splitting import Measure, Unit
from chunkers.structure import parts_of_sections
from chunkers.tokens import Ruler

SHARE = 4  #: the default size is at most one in so many of what the model reads, so that it reads some together


@register("late")
@dataclass(frozen=True, slots=True)
class Late:
    """Cut as `structure` does, but small; vectors are pooled from tokens that the model read with what is around them.

    That is the longest context that it reads at once, beginning at a section; a longer section is read in runs of
    whole children, each with as many of the children before it, then after it, as there is room for. Assumes text whose
    sentences lean on those before them ("he", "the city", "it"), and a model that pools token vectors; the longer its
    input, the better. An edit embeds every context anew that holds it, so that all children read in it get new
    vectors, where other recipes pay for one or two. Fails where neighbours have nothing to do with each other and on a
    question that repeats a child's own words, and gains nothing where a child is as long as what the model reads.

    Source: Günther, Mohr, Williams, Wang and Xiao, "Late Chunking: Contextual Chunk Embeddings Using Long-Context
    Embedding Models", 2024 (arXiv:2409.04701); the overlap is that of its section on long documents.
    """

    version: ClassVar[int] = 1

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 and a quarter of what the model reads
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, unit=self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        size = sizes.resolve(self.size, self.unit, ruler)
        if self.size is None and self.unit == "tokens":
            size = max(1, min(size, (ruler.cap - ruler.overhead) // SHARE))
        measure = Measure(ruler, self.unit)
        found = sections(leaves(document, document.blocks, measure))
        parts = parts_of_sections(Cutter(document, ruler, measure, size), found, self.parent_size)
        yield from with_contexts(document, list(parts), ruler)
