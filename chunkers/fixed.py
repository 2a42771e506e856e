"""`fixed`: windows of one length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part, Piece
from chunkers.clusters import common
from chunkers.document import Document, Kind
from chunkers.headers import room
from chunkers.packing import pack
from chunkers.sections import Leaf, leaves
from chunkers.splitting import Measure, Segment, Span, Unit, grapheme_end, grapheme_start, lines, words
from chunkers.tokens import Ruler

LOG = "text/x-log"

_SHARE = 10  #: the default overlap is one in so many of the size; none between lines


@register("fixed")
@dataclass(frozen=True, slots=True)
class Fixed:
    """Windows of `size` that share `overlap` with the one before, whatever the text says.

    Assumes that importance is spread evenly and that structure means nothing: logs, transcripts without turns. Fails
    on anything with headings, tables or code, and every window after an edit is another one. Text is cut between words
    or, with `unit: characters`, anywhere but inside a grapheme: then L characters have
    max(1, ceil((L - overlap) / (size - overlap))) windows. Parents are runs of windows and do not overlap, so no
    window goes on past where the next parent begins. A log is cut between lines, and without an
    overlap its lines decide where: so a log that was rotated, or has a line more at its head, keeps its windows.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    overlap: int | None = None  #: shared with the child before, in `unit`; default: a tenth of the size, none in logs
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, self.overlap, self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order; windows share nothing across the place where one part meets the next."""
        measure = Measure(ruler, self.unit)
        size = sizes.resolve(self.size, self.unit, ruler)
        by_line = document.media_type == LOG
        overlap = sizes.resolve_overlap(self.overlap, size, 0 if by_line else size // _SHARE)
        for stretch in _stretches(leaves(document, document.blocks, measure)):
            yield from self._parts(document, stretch, measure, ruler, size, overlap, by_line=by_line)

    def _parts(
        self,
        document: Document,
        stretch: Sequence[Leaf],
        measure: Measure,
        ruler: Ruler,
        size: int,
        overlap: int,
        *,
        by_line: bool,
    ) -> Iterator[Part]:
        text, start = document.text, stretch[0].start
        end = start + len(text[start : stretch[-1].stop].rstrip())
        paths = _Paths(stretch)
        parent_size = sizes.resolve_parent(self.parent_size, self.unit, size)
        if self.unit == "characters" and not by_line:
            windows = list(_character_windows(text, start, end, size, overlap))
            for run in _parents(windows, parent_size // (size - overlap)):
                yield _part(run, paths)
            return
        if self.unit == "tokens":
            size = min(room(document, path, "", ruler, size) for path in {leaf.path for leaf in stretch})
            overlap = min(overlap, size - 1)
        cut = lines if by_line else words
        units = cut(text, start, end, measure, size, document.language)
        if by_line and not overlap:
            for first, last in _by_content(text, units, max(size, parent_size)):
                inside = units[first:last]
                windows = [(inside[a].start, inside[b - 1].end) for a, b in _by_content(text, inside, size)]
                yield _part(windows, paths)
            return
        windows = [(units[a].start, units[b - 1].end) for a, b in _windows(units, size, overlap)]
        for run in _parents(windows, parent_size // (size - overlap)):
            yield _part(run, paths)


class _Paths:
    """The section path of spans, which is that of all the leaves they touch."""

    def __init__(self, stretch: Sequence[Leaf]) -> None:
        self._leaves = stretch
        self._at = 0

    def of(self, start: int, end: int) -> tuple[str, ...]:
        while self._at > 0 and self._leaves[self._at].start > start:
            self._at -= 1
        while self._at + 1 < len(self._leaves) and self._leaves[self._at + 1].start <= start:
            self._at += 1
        touched = []
        at = self._at
        while at < len(self._leaves) and (at == self._at or self._leaves[at].start < end):
            touched.append(self._leaves[at].path)
            at += 1
        return common(touched)


def _part(windows: Sequence[Span], paths: _Paths) -> Part:
    start, end = windows[0][0], windows[-1][1]
    pieces = tuple(Piece(a, b, Kind.PARAGRAPH, paths.of(a, b)) for a, b in windows)
    return Part(start, end, paths.of(start, end), pieces)


def _parents(windows: Sequence[Span], count: int) -> Iterator[list[Span]]:
    """Runs of `count` windows (at least one), none of them longer than to where the next run begins."""
    count = max(1, count)
    for first in range(0, len(windows), count):
        stop = windows[first + count][0] if first + count < len(windows) else windows[-1][1]
        yield [(a, min(b, stop)) for a, b in windows[first : first + count]]


def _stretches(found: Sequence[Leaf]) -> Iterator[Sequence[Leaf]]:
    """Leaves with no metadata between them."""
    first = 0
    for at, leaf in enumerate(found, 1):
        if leaf.barrier or at == len(found):
            yield found[first:at]
            first = at


def _character_windows(text: str, start: int, end: int, size: int, overlap: int) -> Iterator[Span]:
    at = start
    while True:
        stop = grapheme_start(text, at + size, at, end) if at + size < end else end
        if stop <= at:
            stop = min(grapheme_end(text, at, end), at + size)
        yield at, stop
        if stop >= end:
            return
        at = max(at + 1, grapheme_start(text, stop - overlap, at, end)) if overlap else stop


def _by_content(text: str, units: Sequence[Segment], size: int) -> list[Span]:
    keys = [text[unit.start : unit.end] for unit in units]
    return pack([unit.size for unit in units], keys, [0] * len(units), size)


def _windows(units: Sequence[Segment], size: int, overlap: int) -> Iterator[Span]:
    """Runs of units, each as long as fits `size`; each after the first begins with what `overlap` holds."""
    first = 0
    while first < len(units):
        last, filled = first, 0
        while last < len(units) and (last == first or filled + units[last].size <= size):
            filled += units[last].size
            last += 1
        yield first, last
        if last == len(units):
            return
        shared = 0
        following = last
        while following - 1 > first and shared + units[following - 1].size <= overlap:
            following -= 1
            shared += units[following].size
        first = following
