"""`recursive`: paragraphs, then sentences, clauses, words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from chunkers import sentences, sizes
from chunkers.base import register
from chunkers.chunk import Part, Piece
from chunkers.document import Document, Kind
from chunkers.pieces import Cutter, parts
from chunkers.sections import leaves
from chunkers.splitting import CHARACTERS_PER_TOKEN, Measure, Unit
from chunkers.tokens import Ruler

_PROSE = frozenset({Kind.PARAGRAPH, Kind.QUOTE, Kind.FOOTNOTE})
_SHARE = 10  #: the default overlap is one in so many of the size


@register("recursive")
@dataclass(frozen=True, slots=True)
class Recursive:
    """Whole paragraphs up to the size; those that are longer between sentences, clauses, words, graphemes.

    Assumes that neighbouring paragraphs belong together and that nothing else is known of the document. Fails on
    tables and lists without marks, and where a section's end matters more than a full chunk. Neighbours share whole
    sentences, as many as the overlap holds.
    """

    version: ClassVar[int] = 3

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    overlap: int | None = None  #: shared with the child before, in `unit`; default: a tenth of the size
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, self.overlap, self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        measure = Measure(ruler, self.unit)
        size = sizes.resolve(self.size, self.unit, ruler)
        overlap = sizes.resolve_overlap(self.overlap, size, size // _SHARE)
        cutter = Cutter(document, ruler, measure, size - overlap)
        pieces = cutter.pieces(leaves(document, document.blocks, measure))
        for part in parts(document, pieces, sizes.resolve_parent(self.parent_size, self.unit, size)):
            yield _overlapping(document, part, measure, overlap) if overlap else part


def _overlapping(document: Document, part: Part, measure: Measure, overlap: int) -> Part:
    """Let each piece of prose begin with the last sentences of the prose before it, within one section."""
    pieces = list(part.pieces[:1])
    for before, piece in pairwise(part.pieces):
        start = _shared(document, before, measure, overlap) if _follows(before, piece) else piece.start
        pieces.append(replace(piece, start=start))
    return replace(part, pieces=tuple(pieces))


def _follows(before: Piece, piece: Piece) -> bool:
    return (
        before.kind in _PROSE
        and piece.kind in _PROSE
        and before.end == piece.start
        and before.section_path[: len(piece.section_path)] == piece.section_path
    )


def _shared(document: Document, piece: Piece, measure: Measure, overlap: int) -> int:
    reach = overlap if measure.unit == "characters" else overlap * CHARACTERS_PER_TOKEN
    near = max(piece.start, piece.end - reach - 1)
    spans = sentences.spans(document.text, near, piece.end, document.language)
    start = piece.end
    for at, _ in reversed(spans[1:]):
        if measure.size(document.text[at : piece.end].strip()) > overlap:
            break
        start = at
    return start
