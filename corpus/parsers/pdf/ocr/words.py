"""What tesseract says it read (hOCR), as lines of words that stand upright and level, in points."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from lxml import html

from corpus.parsers.draft import Box
from corpus.parsers.pdf.ocr.type import CJK, Ink, size_of, usual
from corpus.parsers.pdf.text import storable

DOUBTFUL = 60.0  #: per cent; words of which tesseract is less sure are counted
_PARAGRAPHS = "//*[@class='ocr_par']"
_LINES = ".//*[@class='ocr_line' or @class='ocr_header' or @class='ocr_caption' or @class='ocr_textfloat']"
DESCENT = 0.22  #: of a font's size, below the base line
_AS_BULLET = frozenset("»«¢°·¤©®*>eo") | {">»"}  #: what a bullet is taken for
_TALL = 1.5  #: times as high as wide is a line that runs downwards
_BULLET_STEP = 3.0  #: points, by which the left edges of a list's bullets differ at most
_BULLET_GAP = 0.45  #: of a line's size: least white after a bullet, wider than the space between two words
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
#: scripts whose characters tesseract takes for words → the white up to which they are one, of a line's size
_WORD_GAPS = {
    re.compile("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"): 1.2,  # Han and kana
    re.compile("[\uac00-\ud7af]"): 0.2,  # Hangul, which has spaces
}
_SAME_SIZE, _SAME_WEIGHT = 0.16, 0.2  #: shares by which lines of one type may differ, as they are measured
_HEAVY = 1.3  #: as many times the usual thickness of strokes is bold type


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or several characters of a script without spaces."""

    text: str
    box: Box
    confidence: float | None  #: per cent; None for what the file itself says


@dataclass(frozen=True, slots=True)
class Line:
    """Words from left to right that stand on one line."""

    words: tuple[Word, ...]
    size: float  #: of its font
    base: float  #: where its letters stand, from the top of the page
    angle: int = 0  #: 0, 90 (it reads upwards), 180 or 270: how it stands beside the page's other lines
    weight: float = 0.0  #: thickness of its strokes, as a share of its size; 0 if it was not measured
    bold: bool = False

    @property
    def letters(self) -> int:
        """How many characters it has."""
        return sum(len(word.text) for word in self.words)


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as it was read, turned so that most of its lines are upright."""

    width: float
    height: float
    lines: tuple[Line, ...]
    angle: int = 0  #: how the page's lines stood before it was turned
    rules: tuple[Box, ...] = ()  #: ruled lines, as thin boxes

    @property
    def words(self) -> Iterator[Word]:
        """All its words."""
        return (word for line in self.lines for word in line.words)


def reading_of(
    hocr: bytes, ink: Ink, *, width: float, height: float, pixels: float, rules: tuple[Box, ...] = ()
) -> Reading:
    """The lines of a page of `width` × `height` points, of which `ink` is the picture, with `pixels` to a point."""
    found: list[Line] = []
    root: Any = html.fromstring(hocr)
    for paragraph in root.xpath(_PARAGRAPHS):
        lines = [line for element in paragraph.xpath(_LINES) for line in _line(element, ink, 1 / pixels)]
        found += _alike(lines)
    found = _with_bullets(found)
    letters: Counter[int] = Counter()
    for line in found:
        letters[line.angle] += line.letters
    angle = letters.most_common(1)[0][0] if letters else 0
    page = _level(turned(Reading(width, height, tuple(found), rules=rules), angle))
    return replace(page, lines=tuple(replace(line, words=_together(line)) for line in page.lines))


def turned(page: Reading, angle: int) -> Reading:
    """`page` turned so that lines at `angle` are upright."""
    if not angle:
        return page
    wide, high = (page.width, page.height) if angle == 180 else (page.height, page.width)
    lines = []
    for line in page.lines:
        words = [replace(word, box=_turned(word.box, angle, page.width, page.height)) for word in line.words]
        words.sort(key=lambda word: word.box[0])
        foot = max(word.box[3] for word in words)
        base, stands = foot - DESCENT * line.size, (line.angle - angle) % 360
        lines.append(replace(line, words=tuple(words), base=base, angle=stands))
    rules = tuple(_turned(rule, angle, page.width, page.height) for rule in page.rules)
    return Reading(wide, high, tuple(lines), angle, rules)


def is_noise(word: Word) -> bool:
    """Whether it is what the rules and shadows of a picture are taken for, not writing."""
    return _sure(word) < DOUBTFUL and not any(map(str.isalnum, word.text))


def is_sure(word: Word) -> bool:
    """Whether it is writing, and not what a photograph may look like."""
    letters = sum(map(str.isalnum, word.text))
    return _sure(word) >= DOUBTFUL and (letters >= 3 or bool(CJK.search(word.text)))


def _sure(word: Word) -> float:
    return 100.0 if word.confidence is None else word.confidence


def _turned(box: Box, angle: int, width: float, height: float) -> Box:
    left, top, right, bottom = box
    if angle == 180:
        return width - right, height - bottom, width - left, height - top
    if angle == 90:
        return height - bottom, left, height - top, right
    return top, width - right, bottom, width - left


def _line(element: Any, ink: Ink, scale: float) -> Iterator[Line]:
    said = element.get("title", "")
    words = [word for child in element.xpath(".//*[@class='ocrx_word']") if (word := _word(child, scale))]
    box = _numbers(said, "bbox")
    if not words or len(box) != 4:
        return
    angle = _angle(said, box, words)
    heights = [(word.box[3] - word.box[1]) if angle in (0, 180) else (word.box[2] - word.box[0]) for word in words]
    measured = [(size_of(word.text, height), len(word.text)) for word, height in zip(words, heights, strict=True)]
    size = usual(measured, otherwise=0.0) or ((_numbers(said, "x_size") or [0.0])[0] or max(heights) / scale) * scale
    strokes = [ink.strokes(_times(word.box, 1 / scale)) for word in words]
    thickness = sum(dark for dark, _ in strokes) / (sum(runs for _, runs in strokes) or 1) * scale
    slope, offset = (*_numbers(said, "baseline"), 0.0, 0.0)[:2]
    # The base line where the line begins, and with it how the page lies in the scanner, is kept in each word's foot.
    level = [
        replace(word, box=(*word.box[:3], (box[3] + offset) * scale + slope * (word.box[0] - box[0] * scale)))
        if angle == 0
        else word
        for word in words
    ]
    base = median(word.box[3] for word in level)
    yield Line(tuple(level), size, base, angle, thickness / size)


def _angle(said: str, box: Sequence[float], words: Sequence[Word]) -> int:
    """How a line stands. Of one that runs downwards tesseract says so only if it looked at the page's orientation."""
    if told := _numbers(said, "textangle"):
        return round(told[0] / 90) * 90 % 360
    letters = sum(len(word.text) for word in words)
    return 270 if letters > 2 and box[3] - box[1] > _TALL * (box[2] - box[0]) else 0


def _alike(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of a paragraph with one size for those that look as if they were set in one type."""
    size = usual(((line.size, line.letters) for line in lines), otherwise=1.0)
    weight = usual(((line.weight, line.letters) for line in lines), otherwise=1.0)
    for line in lines:
        same = abs(line.size - size) < _SAME_SIZE * size and abs(line.weight - weight) < _SAME_WEIGHT * weight
        yield replace(line, size=size) if same else line


def _with_bullets(lines: Sequence[Line]) -> list[Line]:
    """Lines of a page with bullets where two of them or more begin, below each other, with what bullets look like."""
    at: Counter[int] = Counter()
    likely: dict[int, int] = {}
    for number, line in enumerate(lines):
        first, second = (*line.words[:2], None, None)[:2]
        if first and second and first.text in _AS_BULLET and second.box[0] - first.box[2] > _BULLET_GAP * line.size:
            likely[number] = round(first.box[0] / _BULLET_STEP)
            at[likely[number]] += 1
    marked = {number for number, place in likely.items() if sum(at[place + by] for by in (-1, 0, 1)) > 1}
    return [
        replace(line, words=(replace(line.words[0], text="•", confidence=DOUBTFUL), *line.words[1:]))
        if number in marked
        else line
        for number, line in enumerate(lines)
    ]


def _times(box: Box, factor: float) -> Box:
    return box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor


def _word(element: Any, scale: float) -> Word | None:
    said = element.get("title", "")
    text, box = "".join(storable(element.text_content())[0].split()), _numbers(said, "bbox")
    confidence = _numbers(said, "x_wconf") or [0.0]
    if not text or len(box) != 4 or box[2] <= box[0] or box[3] <= box[1]:
        return None
    return Word(text, _times((box[0], box[1], box[2], box[3]), scale), confidence[0])


def _numbers(said: str, name: str) -> list[float]:
    """The numbers after a name in hOCR's `name 1 2; other 3`."""
    for part in said.split(";"):
        first, *rest = part.split() or [""]
        if first == name:
            return [float(number) for number in rest if _NUMBER.fullmatch(number)]
    return []


def _word_gap(left: str, right: str) -> float:
    """The white up to which two characters are in one word, of a line's size; none where tesseract is believed."""
    both = (gap for script, gap in _WORD_GAPS.items() if script.match(left) and script.match(right))
    return next(both, -math.inf)


def _together(line: Line) -> tuple[Word, ...]:
    """A line's words, with those put together that tesseract parts although their script has no spaces."""
    joined: list[Word] = []
    for word in line.words:
        above = joined[-1] if joined and not line.angle else None
        if above and word.box[0] - above.box[2] < _word_gap(above.text[-1], word.text[0]) * line.size:
            box = (above.box[0], min(above.box[1], word.box[1]), word.box[2], max(above.box[3], word.box[3]))
            one, two = len(above.text), len(word.text)
            mean = (_sure(above) * one + _sure(word) * two) / (one + two)
            joined[-1] = Word(above.text + word.text, box, mean)
        else:
            joined.append(word)
    return tuple(joined)


def _level(page: Reading) -> Reading:
    """`page` with the slant taken out that it has when it lay askew in the scanner."""
    if page.angle:  # tesseract gives no base lines for it
        return page
    slopes = [
        (line.words[-1].box[3] - line.words[0].box[3]) / (line.words[-1].box[0] - line.words[0].box[0])
        for line in page.lines
        if line.angle == 0 and len(line.words) > 2 and line.words[-1].box[0] > line.words[0].box[0]
    ]
    slope = median(slopes) if slopes else 0.0

    def level(box: Box, *, foot: float) -> Box:
        across, down = slope * (foot - page.height / 2), slope * (box[0] - page.width / 2)
        return box[0] + across, box[1] - down, box[2] + across, box[3] - down

    lines = []
    for line in page.lines:
        words = tuple(replace(word, box=level(word.box, foot=word.box[3])) for word in line.words)
        base = median(word.box[3] for word in words)
        lines.append(line if line.angle else replace(line, words=words, base=base))
    rules = []
    for left, top, right, foot in page.rules:
        x, y = (left + right) / 2, (top + foot) / 2
        _, up, _, _ = level((x, y, x, y), foot=y)
        aside = slope * (y - page.height / 2)
        rules.append((left + aside, top + up - y, right + aside, foot + up - y))
    return replace(page, lines=tuple(lines), rules=tuple(rules))


def with_even_type(pages: Sequence[Reading], step: float = 0.08) -> list[Reading]:
    """Pages whose lines have few sizes, and are bold or not: what is measured scatters, and headings are known by it.

    Sizes are gathered around those that most letters have, within `step` of them.
    """
    letters: Counter[float] = Counter()
    weights = []
    for page in pages:
        for line in page.lines:
            letters[round(line.size, 1)] += line.letters
            weights.append((line.weight, line.letters))
    centres: list[float] = []
    for size, _ in letters.most_common():
        if not any(abs(size - centre) <= step * centre for centre in centres):
            centres.append(size)
    nearest = {size: min(centres, key=lambda centre: abs(centre - size)) for size in letters}
    heavy = _HEAVY * usual(weights, otherwise=1.0)
    return [
        replace(
            page,
            lines=tuple(
                replace(line, size=nearest[round(line.size, 1)], bold=line.weight >= heavy) for line in page.lines
            ),
        )
        for page in pages
    ]
