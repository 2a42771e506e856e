"""What runs along in the margins of pages: lines that pages repeat, and their numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.pages import BOTTOM, TOP, Page
from corpus.parsers.pdf.tables import lines_of, parts_of
from corpus.parsers.pdf.text import key

LONGEST = 200  #: characters of a running line
_BUSY = 0.35  #: share of pages that have a repeated line at the same height, where lines run along
_MANY = 0.2  #: share of pages; a line that so many have runs along, whatever its numbers are
_OUTERMOST = 2  #: lines of a margin that may hold a page's number alone

_NUMERALS = re.compile(r"\b(?:[ivxlcdm]+|\d+)\b", re.IGNORECASE)
_ONLY_A_NUMBER = re.compile(
    r"(?i)^[\W_]*(?:(?:page|p\.|seite|стр\.|página|第)\s*)?(?:[ivxlcdm]{1,7}|[a-z]?-?\d{1,5})"
    r"(?:\s*(?:of|/|von|из|de|页|頁)\s*\d*)?[\W_]*$"
)
_YEAR = re.compile(r"\d{4,5}")
_SECTION_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3}){1,6}$")
_NUMBER_AT_START = re.compile(r"^[\W_]*(\d{1,5})(?:[\s|·•—–\]]|$)")
_NUMBER_AT_END = re.compile(r"(?:^|[\s|·•—–\[])(\d{1,5})[\W_]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A short line in a margin, or a part of it that white parts from the rest."""

    text: str
    slot: tuple[bool, int]  #: top or not, and the height on the page in steps of four points
    depth: int  #: 0: the outermost of its margin
    number: bool  #: nothing but a number of the page or the section
    row: bool  #: of a line with several numbers, which is the head of a table


@dataclass(frozen=True, slots=True)
class Margins:
    """The lines in the top and in the bottom margin of a page, and where the bottom one begins."""

    top: tuple[Line, ...]
    bottom: tuple[Line, ...]
    floor: float  #: points from the top of the page


def margins_of(pages: Sequence[Page]) -> dict[int, Margins]:
    """The lines in the margins of each page, by its number."""
    return {page.number: _margins(page) for page in pages}


def _margins(page: Page) -> Margins:
    lines = lines_of(item for item in page.items if item.angle == 0)
    top = [line for line in lines if max(item.bottom for item in line) < TOP * page.height]
    floor = (1 - BOTTOM) * page.height
    if len(lines) > _OUTERMOST and _ONLY_A_NUMBER.match(_text(lines[-1])):
        floor = min(floor, min(item.top for item in lines[-1]) - 1)  # a page that is filled only half has it higher up
    bottom = [line for line in lines if min(item.top for item in line) > floor]
    return Margins(tuple(_lines(top, is_top=True)), tuple(_lines(bottom[::-1], is_top=False)), floor)


def _lines(lines: Sequence[Sequence[Item]], *, is_top: bool) -> Iterator[Line]:
    for depth, line in enumerate(lines):
        texts = [_text(part) for part in parts_of(line)]
        numbers = [text for text in texts if _is_number(text)]
        slot = (is_top, round(line[0].top / 4))
        for text in dict.fromkeys([_text(line), *texts]):
            if len(text) < LONGEST:
                alone = len(numbers) == 1 and text in (numbers[0], _text(line)) and _is_number(text)
                number = alone and text in (texts[0], texts[-1], _text(line)) and depth < _OUTERMOST
                yield Line(text, slot, depth, number, len(numbers) > 1)


def _is_number(text: str) -> bool:
    return bool(_ONLY_A_NUMBER.match(text) or _SECTION_NUMBER.match(text))


def _text(line: Sequence[Item]) -> str:
    return " ".join(" ".join(item.text for item in line).split())


def running(margins: Mapping[int, Margins]) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Keys of the running lines at the top and at the bottom of each page, the longest first."""
    everywhere, masked = _repeated(margins)
    numbers = numbering(margins)

    def runs(line: Line, page: int) -> bool:
        if line.number and not (_YEAR.search(line.text) and not line.text.isdigit()):
            return not _YEAR.fullmatch(line.text) or any(int(line.text) - page == start for start in numbers)
        if (_exact(line.text), line.slot) in everywhere or _mask(line.text) in masked:
            return True
        return line.depth == 0 and not line.row and any(seen - page in numbers for seen in printed_numbers(line.text))

    def keys(lines: Sequence[Line], page: int) -> tuple[str, ...]:
        found = {key(line.text) for line in lines if runs(line, page)}
        return tuple(sorted(found - {""}, key=len, reverse=True))

    return {page: (keys(margin.top, page), keys(margin.bottom, page)) for page, margin in margins.items()}


def _repeated(margins: Mapping[int, Margins]) -> tuple[set[tuple[str, tuple[bool, int]]], set[str]]:
    """Lines that run along: words at a height where most pages have such, and those that very many pages have.

    A heading that three pages happen to begin with is none of them: where it stands, other pages have their text.
    """
    exact: Counter[tuple[str, bool]] = Counter()
    masks: Counter[str] = Counter()
    for margin in margins.values():
        lines = (*margin.top, *margin.bottom)
        exact.update({(words, line.slot[0]) for line in lines if (words := _exact(line.text))})
        masks.update({_mask(line.text) for line in lines})
    enough = max(2, min(3, len(margins) // 5))
    busy: Counter[tuple[bool, int]] = Counter()
    for margin in margins.values():
        lines = (*margin.top, *margin.bottom)
        slots = {line.slot for line in lines if exact[_exact(line.text), line.slot[0]] >= enough}
        busy.update({(top, at + step) for top, at in slots for step in (-1, 0, 1)})
    everywhere = {
        (_exact(line.text), line.slot)
        for margin in margins.values()
        for line in (*margin.top, *margin.bottom)
        if exact[_exact(line.text), line.slot[0]] >= enough and busy[line.slot] >= max(2, _BUSY * len(margins))
    }
    many = max(3, _MANY * len(margins)) if len(margins) > 2 else 2
    return everywhere, {mask for mask, count in masks.items() if count >= many and mask.strip("0")}


def _exact(text: str) -> str:
    """The words of a line without the number of its page; nothing if it has no word."""
    words = key(_NUMBER_AT_END.sub(" ", _NUMBER_AT_START.sub(" ", text)))
    return words if any(map(str.isalpha, words)) else ""


def _mask(text: str) -> str:
    return re.sub(r"0[\W_0]*", "0", re.sub(r"[\W_]+", " ", _NUMERALS.sub("0", text.lower()))).replace(" ", "")


def printed_numbers(text: str) -> set[int]:
    """The numbers that a line begins or ends with: one of them may be the page's."""
    found = {_NUMBER_AT_START.match(text), _NUMBER_AT_END.search(text)}
    return {int(match[1]) for match in found if match}


def outermost(margin: Margins) -> list[str]:
    """The texts of the first and the last line of a page's margins."""
    return [line.text for line in (*margin.top, *margin.bottom) if line.depth == 0 and not line.row]


def numbering(margins: Mapping[int, Margins]) -> set[int]:
    """Differences between printed and counted page numbers that at least three pages, and a fifth of them, share."""
    starts: Counter[int] = Counter()
    for page, margin in margins.items():
        starts.update({found - page for text in outermost(margin) for found in printed_numbers(text)})
    return {start for start, count in starts.items() if count >= max(3, len(margins) // 5)}
