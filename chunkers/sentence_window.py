"""`sentence_window`: a sentence is found, and read with the sentences around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.clusters import common
from chunkers.document import Document
from chunkers.errors import ConfigError
from chunkers.pieces import Cutter, Measured
from chunkers.prose import units
from chunkers.sections import leaves, sections
from chunkers.splitting import Measure, Unit
from chunkers.tokens import Ruler


@register("sentence_window")
@dataclass(frozen=True, slots=True)
class SentenceWindow:
    """One child for each sentence; its parent is the window of `window` sentences on either side, within the section.

    Assumes that one sentence answers and its neighbours explain: facts in dense prose, where a longer child would
    dilute the sentence that is asked for. Fails where a sentence says nothing alone (dialogue, "It does." after a
    question) and on tables and lists, which are children as a whole and count as one sentence. It costs a vector for
    each sentence, some ten times as many as 256 tokens a child, and the text of the windows, which overlap, is stored
    2 * `window` + 1 times; two neighbours found together are two results with much the same context.

    After LlamaIndex' SentenceWindowNodeParser, within sections and with a bound on the window.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: of a child, in `unit`: a longer sentence is cut; default: the smaller of 400 tokens and
    #: what the model reads
    window: int = 3  #: sentences of context before and after the child
    parent_size: int = 1200  #: tokens of a window at most; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, unit=self.unit)
        if not isinstance(self.window, int) or isinstance(self.window, bool) or self.window < 0:
            raise ConfigError(f"window must be a whole number of at least 0, not {self.window!r}")

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield a part for each child, in order; parts overlap."""
        measure = Measure(ruler, self.unit)
        size = sizes.resolve(self.size, self.unit, ruler)
        parent_size = sizes.resolve_parent(self.parent_size, self.unit, size)
        cutter = Cutter(document, ruler, measure, size)
        for section in sections(leaves(document, document.blocks, measure)):
            pieces = [piece for unit in units(document, section.leaves, measure) for piece in cutter.pieces(unit)]
            for at, found in enumerate(pieces):
                first, last = _around(pieces, at, self.window, parent_size)
                inside = [each.piece for each in pieces[first:last]]
                path = common([piece.section_path for piece in inside])
                yield Part(inside[0].start, inside[-1].end, path, (found.piece,), window=True)


def _around(pieces: Sequence[Measured], at: int, window: int, parent_size: int) -> tuple[int, int]:
    """The pieces `[first, last)` up to `window` on either side of `at` that fit `parent_size`, the nearest first."""
    first, last = at, at + 1
    filled = pieces[at].size
    for distance in range(1, window + 1):
        before, after = at - distance, at + distance
        if before == first - 1 >= 0 and filled + pieces[before].size <= parent_size:
            first, filled = before, filled + pieces[before].size
        if after == last < len(pieces) and filled + pieces[after].size <= parent_size:
            last, filled = after + 1, filled + pieces[after].size
    return first, last
