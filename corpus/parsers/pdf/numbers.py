"""Lines of a page that have numbers below each other: what stands on them, and which of it is a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.tables import lines_of
from corpus.parsers.pdf.text import key

CELL_GAP = 0.75  #: of a line's height; what wider white parts is two cells
_SIGN_GAP = 3.0  #: of a line's height; a sign stands nearer to its number
_CURRENCY = r"(?:[A-Z]{1,3})?[$€£¥₹₩]"
_SIGN = re.compile(rf"{_CURRENCY}$")
_AFTER = re.compile(r"(?:\)?%|\)|(?:\([a-z*]\))+)$")  #: a sign, or the mark of a footnote
_NUMBER = re.compile(rf"[-+–—(]{{0,2}}(?:{_CURRENCY})?\s?[-–—(]?(?:\d[\d.,]*|[.,]\d+)\)?\s?(?:pts|bps|[%x])?\)?$")
_NOTHING = re.compile(r"(?:[-–—]{1,3}|\(?[-–—]{1,3}\)?\s?%|(?i:n/?a|n/?m)|[*#]\s?%?)$")  #: stands where a number would
_LEADERS = re.compile(r"[.…_]+$")
_LED = re.compile(r"[.…_]{2,}$")
_FIGURE = re.compile(r"\d[\d.,]*|(?<!\w)[-–—](?!\w)")
_YEAR = re.compile(r"(?:19|20)\d\d$")


@dataclass(frozen=True, slots=True)
class Part:
    """Words that stand together on a line."""

    words: tuple[Item, ...]

    @property
    def left(self) -> float:
        """Its left edge, in points."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Its right edge, in points."""
        return max(word.right for word in self.words)

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(word.text.strip() for word in self.words)

    @property
    def is_value(self) -> bool:
        """Whether it is a number with its signs, or what stands in place of one."""
        words = [word.text.strip() for word in self.words]
        while len(words) > 1 and _AFTER.match(words[-1]):
            words.pop()
        if len(words) > 1 and _SIGN.match(words[0]):
            words = words[1:]
        return len(words) == 1 and bool(_NUMBER.match(words[0]) or _NOTHING.match(words[0]))

    @property
    def is_year(self) -> bool:
        """Whether it is the number of a year."""
        return bool(_YEAR.match(self.text))


@dataclass(frozen=True, slots=True)
class Line:
    """A line across the page: the runs of text on it, and its parts from left to right."""

    items: tuple[Item, ...]
    parts: tuple[Part, ...]
    first: int  #: of its parts that are values up to its end

    @property
    def top(self) -> float:
        """Its upper edge, in points."""
        return min(item.top for item in self.items)

    @property
    def bottom(self) -> float:
        """Its lower edge, in points."""
        return max(item.bottom for item in self.items)

    @property
    def height(self) -> float:
        """Of its highest letters, in points."""
        return max(item.height for item in self.items)

    @property
    def values(self) -> tuple[Part, ...]:
        """The numbers on it that nothing but numbers follows."""
        return self.parts[self.first :]

    @property
    def label(self) -> tuple[Part, ...]:
        """What stands before the values."""
        return self.parts[: self.first]


def number_lines(items: Sequence[Item]) -> list[Line]:
    """The upright items as lines from top to bottom; none if hardly any of them has numbers."""
    lines = lines_of(item for item in items if item.angle == 0)
    digits = [sum(len(_FIGURE.findall(item.text)) for item in line) for line in lines]
    if max(digits, default=0) < 2:
        return []
    return [line for items in lines if (line := _line(items))]


def _line(items: Sequence[Item]) -> Line | None:
    words = sorted((word for item in items for word in _words(item)), key=lambda word: word.left)
    parts = tuple(_parts(words))
    first = len(parts)
    while first and parts[first - 1].is_value:
        first -= 1
    return Line(tuple(items), parts, first) if parts else None


def _words(item: Item) -> Iterator[Item]:
    words = item.parts if _FIGURE.search(item.text) else (item,)
    if len(words) > 1 and key("".join(word.text for word in words)) != key(item.text):
        words = (item,)
    return (word for word in words if not _LEADERS.match(word.text.strip()) and word.text.strip())


def _parts(words: Sequence[Item]) -> Iterator[Part]:
    if not words:
        return
    run = [words[0]]
    for before, word in pairwise(words):
        gap, height = word.left - before.right, max(word.height, before.height, 1.0)
        text = word.text.strip()
        is_number = bool(_NUMBER.match(text) or _NOTHING.match(text))
        is_sign = bool(_SIGN.match(run[0].text.strip())) and len(run) == 1
        belongs = gap <= CELL_GAP * height and not (_LED.search(before.text) and is_number)
        if is_sign and is_number:
            belongs = True  # however far the number stands from its sign
        elif not run[-1].text[-1:].isalpha() and Part(tuple(run)).is_value:
            after = bool(_AFTER.match(text)) and gap < _SIGN_GAP * height
            belongs = after or (belongs and not _SIGN.match(text) and not is_number)
        if not belongs:
            yield Part(tuple(run))
            run = []
        run.append(word)
    yield Part(tuple(run))
