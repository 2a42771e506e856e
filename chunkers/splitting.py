"""From a span that is too long to units that fit: sentences, clauses, words, graphemes.

Each level looks only at what the level above left too long, so that time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import partial
from itertools import pairwise
from typing import Literal, NamedTuple

import regex  # type: ignore[import-untyped]

from chunkers import sentences
from chunkers.tokens import Ruler

Unit = Literal["tokens", "characters"]
Span = tuple[int, int]

CHARACTERS_PER_TOKEN = 12  #: a text counts as at least one token for so many characters, whatever its tokenizer says:
# word-piece tokenizers read a word of more than a hundred letters as one unknown token

_GRAPHEME = regex.compile(r"\X")
#: None within `+49 (0)30 123`, `Art. 5 (1) (a)`, `3 – 5`
_CLAUSE = re.compile(
    r"(?<=[,;:)\]])(?!(?<=\d\))\s+\d|(?<=\))\s+\(\w{1,5}\))\s+|(?<=[，、；：）])\s*"
    r"|(?<!\s)(?!(?<=[\d)])\s++(?:\(\w{1,5}\)|[—–]\s*+\d))\s++(?=[(\[—–])"
)
#: White space that ties no number to its unit, its next digits or its sign, and no abbreviation, initial or title to
#: what follows: where a full stop is left within a sentence, it is one of those
_LOOSE = re.compile(
    r"\s(?<!\s\s)"
    r"(?!(?<=[\d²³⁰-⁹)]\s)\s*+(?:\d|[—–-]\s*+\d|\(\w{1,5}\)))"
    r"(?!(?<=[\d²³⁰-⁹]\s)\s*+(?:[^\W_]|[°%‰€$£¥₽′″]))"
    r"(?!(?<=[A-Z]{2}\s)\s*+\d)(?!(?<=[—–]\s)\s*+\d)(?!\s*+[=≠≤≥≈±×])(?<![§№±#=≠≤≥≈~×€$£¥₽]\s)"
    r"(?<!\b\w\.\s)(?<!\b\w{2}\.\s)(?<!\b\w{3}\.\s)(?<!\b\w{4}\.\s)(?<!\b(?:Mr|Ms|Mx|Dr|St)\s)(?<!\bMrs\s)"
    r"\s*+"
)
_WORD = re.compile(r"\s+")
_PARAGRAPH = re.compile(r"\n[^\S\n]*+\n\s*+")
_LINE = re.compile(r"\n\s*+")
_SLICE = 100_000  #: characters; longer texts are counted in such slices
_AROUND = 64  #: characters looked back at to find where a grapheme begins


class Grade(IntEnum):
    """How strong a boundary is: what the text itself says about cutting there."""

    GRAPHEME = 0  #: also between words that are tied: a number and its unit
    WORD = 1
    CLAUSE = 2
    ITEM = 3  #: between what stands in one item of a list: its blocks, items of the third level
    SENTENCE = 4  #: also a line of code, a row, an item of the second level
    LINE = 5  #: a sentence that ends its line; a blank line in code; a list item
    BLOCK = 7
    HEADING = 9  #: before a heading


_SENTENCE, _LINE_END = Grade.SENTENCE, Grade.LINE  #: a look at an enumeration takes as long as one at a text


class Segment(NamedTuple):
    """A unit of text, white space after it included."""

    start: int
    end: int
    size: int
    grade: Grade  #: of the boundary after it


segment: Callable[[tuple[int, int, int, Grade]], Segment] = partial(
    tuple.__new__, Segment
)  #: thrice as fast as by name


class Measure:
    """Sizes of texts in a recipe's unit, never less than what their characters are worth."""

    __slots__ = ("_ruler", "unit")

    def __init__(self, ruler: Ruler, unit: Unit = "tokens") -> None:
        self._ruler = ruler
        self.unit = unit

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """The size of each text."""
        if self.unit == "characters":
            return [len(text) for text in texts]
        counts = self._ruler.count([text if len(text) <= _SLICE else "" for text in texts])
        return [
            max(count if len(text) <= _SLICE else self._sliced(text), -(-len(text) // CHARACTERS_PER_TOKEN))
            for count, text in zip(counts, texts, strict=True)
        ]

    def size(self, text: str) -> int:
        """The size of one text."""
        return self.sizes([text])[0]

    def of_spans(self, text: str, spans: Sequence[Span]) -> list[int]:
        """The size of each span of `text`."""
        if self.unit == "characters":
            return [end - start for start, end in spans]
        return self.sizes([text[start:end] for start, end in spans])

    def _sliced(self, text: str) -> int:
        """The tokens of a text that is far too long for a piece: at once, a tokenizer needs 150 times its memory.

        Slices end after white space, where tokens of most tokenizers end too.
        """
        total, start = 0, 0
        while start < len(text):
            stop = start + _SLICE
            if stop < len(text):
                stop = 1 + max(text.rfind("\n", start, stop), text.rfind(" ", start, stop)) or stop
            total += self._ruler.count([text[start:stop]])[0]
            start = stop
        return total


def segments(
    text: str, start: int, end: int, measure: Measure, cap: int, language: str | None, *, last: Grade = Grade.BLOCK
) -> list[Segment]:
    """Units of at most `cap` that tile `text[start:end]`, as large as the levels of the text allow.

    `last` grades the boundary after the final one.
    """
    found: list[Segment] = []
    _descend(text, start, end, 0, measure, cap, language, last, found)
    return found


def _descend(
    text: str,
    start: int,
    end: int,
    level: int,
    measure: Measure,
    cap: int,
    language: str | None,
    last: Grade,
    found: list[Segment],
) -> None:
    """Put the units of `text[start:end]` into `found`; each that is longer than `cap` goes one level down.

    `last` grades the boundary after the final one.
    """
    split, grade, share = _LEVELS[level]
    spans = split(text, start, end, language)
    line = text.find("\n", start, end) if grade is _SENTENCE else -1
    for (at, stop), size in zip(spans, measure.of_spans(text, spans), strict=True):
        reached = _LINE_END if -1 < line < stop and _ends_line(text, at, stop) else grade
        reached = last if stop == end else reached
        if size * share <= cap:
            found.append(segment((at, stop, size, reached)))
        elif level + 1 < len(_LEVELS):
            _descend(text, at, stop, level + 1, measure, cap, language, reached, found)
        else:
            found.extend(_graphemes(text, at, stop, size, measure, cap))
            found[-1] = found[-1]._replace(grade=reached)


def _ends_line(text: str, start: int, end: int) -> bool:
    at = text.rfind("\n", start, end)
    return at >= 0 and (at + 1 == end or text[at:end].isspace())


def _passages(text: str, start: int, end: int, _: str | None) -> list[Span]:
    return sentences.passages(text, start, end)


def _by(pattern: re.Pattern[str]) -> Callable[[str, int, int, str | None], list[Span]]:
    def split(text: str, start: int, end: int, _: str | None) -> list[Span]:
        found = []
        at = start
        for match in pattern.finditer(text, start, end):
            begin, stop = match.span()
            if at < stop < end and begin > start and not sentences.extends(text, stop):
                found.append((at, stop))
                at = stop
        found.append((at, end))
        return found

    return split


#: How a level splits, the grade of the boundaries that it finds, and how many of its units the cap must hold
_LEVELS: tuple[tuple[Callable[[str, int, int, str | None], list[Span]], Grade, int], ...] = (
    (_by(_PARAGRAPH), Grade.BLOCK, 1),
    (_passages, Grade.SENTENCE, 2),
    (sentences.spans, Grade.SENTENCE, 1),
    (_by(_LINE), Grade.CLAUSE, 1),
    (_by(_CLAUSE), Grade.CLAUSE, 1),
    (_by(_LOOSE), Grade.WORD, 1),
    (_by(_WORD), Grade.GRAPHEME, 1),
)
_BY_WORD = len(_LEVELS) - 1
_IN_TWO = (_by(_PARAGRAPH), _by(_LINE), sentences.spans, _by(_CLAUSE), _by(_LOOSE), _by(_WORD))


def _graphemes(text: str, start: int, end: int, size: int, measure: Measure, cap: int) -> Iterator[Segment]:
    """Cut a word into equal parts until each fits; between graphemes, unless one alone is longer than `cap`."""
    pending = [(start, end, size)]
    while pending:
        a, b, size = pending.pop()
        if size <= cap or b - a == 1:
            yield Segment(a, b, size, Grade.GRAPHEME)
            continue
        count = min(b - a, max(2, -(-size * 5 // (cap * 4))))
        cuts = [a]
        for part in range(1, count):
            at = grapheme_start(text, a + (b - a) * part // count, cuts[-1], b)
            if at > cuts[-1]:
                cuts.append(at)
        if len(cuts) == 1:
            at = grapheme_end(text, a, b)
            cuts.append(at if at < b else a + (b - a) // 2)
        parts = list(pairwise([*cuts, b]))
        sizes = measure.of_spans(text, parts)
        pending.extend((x, y, part_size) for (x, y), part_size in zip(reversed(parts), reversed(sizes), strict=True))


def words(text: str, start: int, end: int, measure: Measure, cap: int, language: str | None) -> list[Segment]:
    """Words, each with the white space after it; a word above `cap` in parts."""
    found: list[Segment] = []
    _descend(text, start, end, _BY_WORD, measure, cap, language, Grade.WORD, found)
    return found


def lines(text: str, start: int, end: int, measure: Measure, cap: int, language: str | None) -> list[Segment]:
    """Lines; blank ones are the better places to cut at, and a line above `cap` is cut like prose."""
    spans = []
    at = start
    while at < end:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline + 1
        spans.append((at, stop))
        at = stop
    found: list[Segment] = []
    for (a, b), size in zip(spans, measure.of_spans(text, spans), strict=True):
        grade = Grade.SENTENCE if text[a:b].strip() else Grade.LINE
        if size <= cap:
            found.append(Segment(a, b, size, grade))
        else:
            found += segments(text, a, b, measure, cap, language, last=grade)
    return found


def grapheme_start(text: str, at: int, start: int, end: int) -> int:
    """The nearest place at or before `at` in `[start, end)` that is not inside a grapheme."""
    if at <= start or at >= end:
        return at
    if text[at - 1].isascii() and text[at].isascii() and text[at] != "\n":
        return at
    begin = max(start, at - _AROUND)
    while begin > start and "\U0001f1e6" <= text[begin] <= "\U0001f1ff":
        begin -= 1  # to where a row of flags starts: which two letters are one flag is known from there only
    for match in _GRAPHEME.finditer(text[begin : min(end, at + _AROUND)]):  # a slice: `\X` looks back as far as it can
        if begin + match.end() > at:
            return begin + int(match.start())
        if begin + match.end() == at:
            return at
    return at


def grapheme_end(text: str, start: int, end: int) -> int:
    """Where the grapheme that begins at `start` ends."""
    match = _GRAPHEME.match(text, start, end)
    return int(match.end()) if match else min(start + 1, end)


def halves(text: str, start: int, end: int, language: str | None) -> tuple[Span, Span]:
    """Cut a span of at least two characters in two, at the strongest boundary of its middle part."""
    low, high, middle = start + (end - start) // 4, end - (end - start) // 4, (start + end) // 2
    for split in _IN_TWO:
        places = [at for _, at in split(text, low, high, language)[:-1]]
        if places:
            at = min(places, key=lambda at: (abs(at - middle), at))
            return (start, at), (at, end)
    at = grapheme_start(text, middle, start, end)
    if at <= start:
        at = grapheme_end(text, start, end)
    if at >= end:
        at = middle
    return (start, at), (at, end)
