"""Contexts: what a model reads at once for several pieces, as `late` plans them.

A context begins where a section begins, or as many whole pieces before its own as the model reads beside them; what
room is left then is for those after. Which sections are read together, and where a section that is too long is parted,
is chosen by content, so that an edit changes the contexts near it and no others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from chunkers.chunk import Part, Piece, embedded_text
from chunkers.clusters import common
from chunkers.document import Document, Kind
from chunkers.headers import header, room
from chunkers.packing import pack
from chunkers.tokens import Ruler

_OWN = 3, 4  #: share of what the model reads that a part of a long section takes; the rest is for what stands before


def titled(pieces: Sequence[Piece]) -> Piece:
    """All of `pieces` as one, with the heading path that they share and what the first of them repeats."""
    path = common([piece.section_path for piece in pieces])
    return Piece(pieces[0].start, pieces[-1].end, Kind.PARAGRAPH, path, pieces[0].repeated)


def inside(pieces: Sequence[Piece], span: tuple[int, int]) -> Sequence[Piece]:
    """Those of `pieces`, which are in order and do not overlap, that begin in `span`."""
    first, last = (bisect_left(pieces, at, key=lambda piece: piece.start) for at in span)
    return pieces[first:last]


def with_contexts(document: Document, parts: Sequence[Part], ruler: Ruler) -> Iterator[Part]:
    """The parts, each of their pieces with the span that is read with it; a piece that is read alone has none."""
    spans: dict[int, tuple[int, int]] = {}
    for stretch in _stretches(document, parts):
        for own, span in _Reader(document, ruler).contexts(stretch):
            if span != (own[0].start, own[0].end):
                spans.update((piece.start, span) for piece in own)
    for part in parts:
        yield replace(part, pieces=tuple(replace(piece, context=spans.get(piece.start)) for piece in part.pieces))


Section = list[Piece]  #: consecutive pieces of one part and one section


def _stretches(document: Document, parts: Sequence[Part]) -> list[list[Section]]:
    """The sections, apart where metadata stand between two pieces: nothing reads across these."""
    sections = [list(run) for part in parts for _, run in groupby(part.pieces, key=lambda piece: piece.section_path)]
    barriers = [block.start for block in document.blocks if block.kind is Kind.METADATA]
    stretches: list[list[Section]] = []
    reached = 0
    for section in sections:
        for piece in section:
            apart = bisect_left(barriers, piece.start) != bisect_left(barriers, reached)
            if apart or not stretches:
                stretches.append([])
            if apart or piece is section[0]:
                stretches[-1].append([])
            stretches[-1][-1].append(piece)
            reached = piece.end
    return stretches


@dataclass(frozen=True, slots=True)
class _Reader:
    document: Document
    ruler: Ruler

    def contexts(self, stretch: Sequence[Section]) -> Iterator[tuple[Sequence[Piece], tuple[int, int]]]:
        """The pieces of a stretch in runs, each with the span that is read for it."""
        sizes = [self._length(section) for section in stretch]
        depths = [len(common([before[-1].section_path, after[0].section_path])) for before, after in pairwise(stretch)]
        deepest = max(depths, default=0)
        strengths = [deepest - depth for depth in [*depths, 0]]
        for first, last in pack(sizes, [self._text(section) for section in stretch], strengths, self._room(stretch)):
            yield from self._read_together(stretch[first:last])

    def _read_together(self, sections: Sequence[Section]) -> Iterator[tuple[Sequence[Piece], tuple[int, int]]]:
        pieces = [piece for section in sections for piece in section]
        if self._fits(pieces):
            yield pieces, (pieces[0].start, pieces[-1].end)
        elif len(sections) > 1:
            middle = len(sections) // 2
            yield from self._read_together(sections[:middle])
            yield from self._read_together(sections[middle:])
        else:
            yield from self._read_in_turn(pieces)

    def _read_in_turn(self, pieces: Section) -> Iterator[tuple[Sequence[Piece], tuple[int, int]]]:
        """Runs of a section that is too long, each read with the pieces before it, then with those after it."""
        cap = max(1, self._room([pieces]) * _OWN[0] // _OWN[1])
        keys = [self._text([piece]) for piece in pieces]
        for first, last in self._readable(pieces, pack(self.ruler.count(keys), keys, [0] * len(pieces), cap)):
            begin, end = first, last
            while begin > 0 and self._fits(pieces[begin - 1 : end]):
                begin -= 1
            while end < len(pieces) and self._fits(pieces[begin : end + 1]):
                end += 1
            yield pieces[first:last], (pieces[begin].start, pieces[end - 1].end)

    def _readable(self, pieces: Section, runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The runs, halved where the header of one leaves no room for it."""
        for first, last in runs:
            if self._fits(pieces[first:last]):
                yield first, last
            else:
                middle = (first + last) // 2
                yield from self._readable(pieces, [(first, middle), (middle, last)])

    def _fits(self, pieces: Sequence[Piece]) -> bool:
        """Also one piece alone: whatever it is longer by, it is not read with others."""
        if len(pieces) == 1:
            return True
        written = embedded_text(header(self.document, titled(pieces), self.ruler), self._text(pieces))
        return self.ruler.count([written])[0] + self.ruler.overhead <= self.ruler.cap

    def _length(self, section: Section) -> int:
        return self.ruler.count([self._text(section)])[0]

    def _text(self, pieces: Sequence[Piece]) -> str:
        return self.document.text[pieces[0].start : pieces[-1].end].rstrip()

    def _room(self, sections: Sequence[Section]) -> int:
        """What the model reads beside the header that all these sections share."""
        path = common([section[0].section_path for section in sections])
        return room(self.document, path, "", self.ruler, self.ruler.cap)
