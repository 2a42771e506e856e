"""`fixed`: windows of one length."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import regex  # type: ignore[import-untyped]

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part, Piece
from chunkers.clusters import common
from chunkers.document import Document, Kind
from chunkers.headers import room
from chunkers.packing import pack
from chunkers.sections import Leaf, leaves
from chunkers.signals import is_of_records
from chunkers.splitting import Grade, Measure, Segment, Span, Unit, grapheme_end, grapheme_start, lines, words
from chunkers.tokens import Ruler

_SHARE = 10  #: the default overlap is one in so many of the size; none between lines
_TOGETHER = 20_000  #: words measured at a time

_EXTENDS = r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]"  #: a grapheme goes on with these
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"

#: A word with the marks at it and the white space after it; where a script has no spaces, a letter is one.
_WORD = regex.compile(
    rf"(?:[\p{{Ps}}\p{{Pi}}]*+[{_UNSPACED}]{_EXTENDS}*+|[^\s{_UNSPACED}]++)[\p{{Po}}\p{{Pe}}\p{{Pf}}]*+\s*+"
    rf"(?:{_EXTENDS}[^\s{_UNSPACED}]*+\s*+)*+"
)


@register("fixed")
@dataclass(frozen=True, slots=True)
class Fixed:
    """Windows of `size` that share `overlap` with the one before, whatever the text says.

    Assumes that importance is spread evenly and that structure means nothing: logs, transcripts without turns. Fails
    on anything with headings, tables or code, and every window after an edit is another one. Text is cut between words,
    in scripts without spaces between letters, or, with `unit: characters`, anywhere but inside a grapheme: then L
    characters, like L words of one token each, have max(1, ceil((L - overlap) / (size - overlap))) windows. Parents are
    runs of windows and do not overlap, so no window goes on past where the next parent begins. A log, or another text
    of records, is cut between lines, and without an overlap its lines decide where: so a log that was rotated, or has
    a line more at its head, keeps its windows.
    """

    version: ClassVar[int] = 3

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
        by_line = is_of_records(document)
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
        if by_line and not overlap:
            units = lines(text, start, end, measure, size, document.language)
            for first, last in _by_content(text, units, max(size, parent_size)):
                inside = units[first:last]
                windows = [(inside[a].start, inside[b - 1].end) for a, b in _by_content(text, inside, size)]
                yield _part(windows, paths)
            return
        cut = lines if by_line else _words
        windows = list(_windows(cut(text, start, end, measure, size, document.language), size, overlap))
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
    at = reached = start
    while reached < end:
        stop = grapheme_start(text, at + size, at, end) if at + size < end else end
        if stop <= at:
            stop = grapheme_end(text, at, at + size)
        if stop > reached:  # else a long grapheme comes next, for which there is no room beside so much overlap
            yield at, stop
            reached = stop
        back = grapheme_start(text, stop - overlap, at, end) if overlap else stop
        at = back if back > at else grapheme_end(text, at, stop)


def _by_content(text: str, units: Sequence[Segment], size: int) -> list[Span]:
    keys = [text[unit.start : unit.end] for unit in units]
    return pack([unit.size for unit in units], keys, [0] * len(units), size)


def _words(text: str, start: int, end: int, measure: Measure, cap: int, language: str | None) -> Iterator[Segment]:
    """Words that tile the span, from its first on; one above `cap` in parts that leave little of a window empty."""
    spans = (found.span() for found in _WORD.finditer(text, start, end))
    while batch := list(islice(spans, _TOGETHER)):
        sizes_of_batch = measure.sizes([text[a:b] for a, b in batch])
        for (a, b), size in zip(batch, sizes_of_batch, strict=True):
            if size <= cap:
                yield Segment(a, b, size, Grade.WORD)
                continue
            parts = list(_parts_of_word(text, a, b, max(1, (b - a) * cap // (size * _SHARE))))
            for (x, y), part in zip(parts, measure.sizes([text[x:y] for x, y in parts]), strict=True):
                if part <= cap:
                    yield Segment(x, y, part, Grade.GRAPHEME)
                else:
                    yield from words(text, x, y, measure, cap, language)


def _parts_of_word(text: str, start: int, end: int, length: int) -> Iterator[Span]:
    """Parts of about `length` characters that begin and end between graphemes."""
    at = start
    for place in range(start + length, end, length):
        stop = grapheme_start(text, place, at, end)
        if stop > at:
            yield at, stop
            at = stop
    yield at, end


def _windows(units: Iterable[Segment], size: int, overlap: int) -> Iterator[Span]:
    """Runs of units, each as long as fits `size`; each after the first begins with what `overlap` holds.

    Less is shared where a long unit comes next, so that every window goes on beyond the one before.
    """
    window: deque[Segment] = deque()
    filled = 0
    for unit in units:
        if window and filled + unit.size > size:
            yield window[0].start, window[-1].end
            while window and (filled > overlap or filled + unit.size > size):
                filled -= window.popleft().size
        window.append(unit)
        filled += unit.size
    if window:
        yield window[0].start, window[-1].end
