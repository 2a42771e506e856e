"""The pages of a PDF that only OCR can read: what they say, and why one stayed unread."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pypdfium2 as pdfium

from corpus.errors import LimitExceeded, ParseError
from corpus.parsers import progress
from corpus.parsers.base import Settings
from corpus.parsers.draft import Box
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.ocr import tesseract
from corpus.parsers.pdf.ocr.layer import layer
from corpus.parsers.pdf.ocr.picture import Picture, drawn, wants_ocr
from corpus.parsers.pdf.ocr.rules import rules_of, without_bars
from corpus.parsers.pdf.ocr.type import Ink
from corpus.parsers.pdf.ocr.words import (
    DESCENT,
    DOUBTFUL,
    Line,
    Reading,
    Word,
    is_noise,
    is_sure,
    reading_of,
    turned,
    with_even_type,
)
from corpus.parsers.pdf.pages import Page, pages_of

_LEGIBLE = 50.0  #: per cent; the least mean confidence of a page
_CERTAIN = 75.0  #: per cent; below it, a page of few letters may lie upside down
_TELLING = 60  #: letters, by which tesseract can tell how a page lies
_ENOUGH = 10  #: words that are hard to read; fewer are what a picture is taken for
_GREYS = 40  #: of 256, within which paper is one colour
_PAPER = 0.6  #: share of a page of writing that is bare paper
_NO_LAYER = "no text layer, and "


@dataclass(frozen=True, slots=True)
class Scans:
    """The pages of a document after OCR, and what is to be said of it."""

    pages: tuple[Page, ...]
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    nothing: ParseError | LimitExceeded | None = None  #: why, if no page of the document could be read


@dataclass(slots=True)
class _Outcome:
    """What became of the pages that need OCR, by their numbers."""

    read: dict[int, Reading] = field(default_factory=dict)
    without_words: list[int] = field(default_factory=list)
    unread: dict[int, str] = field(default_factory=dict)  #: why
    too_slow: int = 0


def with_scans(data: bytes, pages: Sequence[Page], settings: Settings) -> Scans:
    """`pages` with those that only OCR can read, read as far as OCR is there and set to."""
    with pdfium.PdfDocument(data) as document:
        wanted = [page for page in pages if wants_ocr(document, page)]
        if not wanted:
            return Scans(tuple(pages))
        lacking = tesseract.lacking(settings.ocr_languages)
        if lacking:
            outcome = _Outcome(unread={page.number: f"{_NO_LAYER}{lacking[0]}" for page in wanted})
        else:
            outcome = _recognised(document, wanted, len(pages), settings)
    written = _laid_out(pages, outcome.read)
    after = tuple(written.get(page.number, page) for page in pages)
    said = any((page.items or page.plain) and page.number not in outcome.unread for page in after)
    return Scans(
        after,
        missing=tuple(f"{listed(numbers)} of {len(pages)}: {why}" for why, numbers in _by_reason(outcome.unread)),
        warnings=tuple(_warnings(outcome, len(pages), settings)),
        nothing=None if said else _nothing(outcome, lacking[1] if lacking else ""),
    )


def numbers_wanting_ocr(data: bytes, pages: Sequence[Page]) -> list[int]:
    """The numbers of those of `pages` that show writing, it may be, which their text layer does not hold."""
    with pdfium.PdfDocument(data) as document:
        return [page.number for page in pages if wants_ocr(document, page)]


def listed(numbers: Sequence[int]) -> str:
    """Pages as one says it: `page 3`, `pages 3–5, 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
    return f"{'page' if len(numbers) == 1 else 'pages'} {said}"


def _recognised(document: Any, wanted: Sequence[Page], count: int, settings: Settings) -> _Outcome:
    outcome = _Outcome()
    for page in wanted:
        progress.reached(f"page {page.number} of {count}, OCR", seconds=settings.ocr_seconds)
        try:
            picture = drawn(document[page.number - 1])
            reading = _read(picture, page, settings)
        except tesseract.TooSlow:
            outcome.unread[page.number] = f"OCR took longer than {settings.ocr_seconds:g} s"
            outcome.too_slow += 1
        except tesseract.Unread as error:
            outcome.unread[page.number] = str(error)
        except pdfium.PdfiumError as error:
            outcome.unread[page.number] = f"{_NO_LAYER}it cannot be drawn: {error}"
        else:
            words = list(reading.words)
            if _is_legible(words):
                whole = _with_text_layer(reading, page)
                if any(word.confidence is not None for word in whole.words):  # else its text layer has it all
                    outcome.read[page.number] = whole
            elif len(words) >= _ENOUGH and _is_on_paper(picture):
                sure = sum(map(is_sure, words))
                outcome.unread[page.number] = (
                    f"OCR is sure of {sure} of the {len(words)} words it makes out; it may be in another language "
                    f"than {'+'.join(settings.ocr_languages)}"
                )
            else:
                outcome.without_words.append(page.number)
    return outcome


def _read(picture: Picture, page: Page, settings: Settings) -> Reading:
    """What is written on a picture of a page, either way up: of a few words the orientation cannot be told."""
    deadline = time.monotonic() + settings.ocr_seconds
    reading = _read_as_it_lies(picture, page, settings, deadline)
    words = list(reading.words)
    is_certain = _confidence(words) >= _CERTAIN or sum(len(word.text) for word in words) >= _TELLING
    if (is_certain and _is_legible(words)) or not _is_on_paper(picture):
        return reading
    other = _read_as_it_lies(picture.upside_down(), page, settings, deadline)
    if sum(map(is_sure, other.words)) > sum(map(is_sure, reading.words)):
        return replace(other, angle=(other.angle + 180) % 360)
    return reading


def _read_as_it_lies(picture: Picture, page: Page, settings: Settings, deadline: float) -> Reading:
    pixels = picture.width / page.width
    hocr = tesseract.recognised(picture.pgm(), settings.ocr_languages, deadline=deadline)
    ink = Ink.of(picture.pixels, picture.width, picture.ground)
    rules = rules_of(ink, pixels=pixels)
    reading = reading_of(hocr, ink, width=page.width, height=page.height, pixels=pixels, rules=rules)
    return _without(without_bars(reading), is_noise)


def _is_legible(words: Sequence[Word]) -> bool:
    return any(map(is_sure, words)) and _confidence(words) >= _LEGIBLE


def _is_on_paper(picture: Picture) -> bool:
    """Whether most of a picture has one brightness, as writing has around it and a photograph has not."""
    return picture.away_from_ground(_GREYS) < 1 - _PAPER


def _with_text_layer(reading: Reading, page: Page) -> Reading:
    """What was read of a page, and in the place of the words that its text layer has, those.

    Unless the layer has letters that say nothing: then what the page shows is the better word.
    """
    if page.replaced:
        return reading
    items = [item for item in page.items if item.angle == 0]
    layered = turned(Reading(page.width, page.height, tuple(map(_line_of, items))), reading.angle)
    taken = [word.box for word in layered.words]
    reading = _without(reading, lambda word: any(_covers(box, word.box) for box in taken))
    return replace(reading, lines=(*reading.lines, *layered.lines))


def _without(reading: Reading, unwanted: Callable[[Word], bool]) -> Reading:
    kept = [
        replace(line, words=words)
        for line in reading.lines
        if (words := tuple(word for word in line.words if not unwanted(word)))
    ]
    return replace(reading, lines=tuple(kept))


def _line_of(item: Item) -> Line:
    base = item.bottom - DESCENT * item.height
    return Line((Word(item.text, (item.left, item.top, item.right, base), None),), item.height, base)


def _covers(box: Box, other: Box) -> bool:
    x, y = (other[0] + other[2]) / 2, (other[1] + other[3]) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _laid_out(pages: Sequence[Page], read: Mapping[int, Reading]) -> dict[int, Page]:
    """The pages that were read, with the blocks that a text page with these words would have."""
    if not read:
        return {}
    by_number = {page.number: page for page in pages}
    words = layer(with_even_type(list(read.values())))
    with pdfium.PdfDocument(words) as document:
        made = pages_of(words, document)
    return {
        number: replace(page, number=number, label=by_number[number].label)
        for number, page in zip(read, made, strict=True)
    }


def _confidence(words: Sequence[Word]) -> float:
    """The mean, each word as often as it has characters; 0 for none."""
    guessed = [(word.confidence, len(word.text)) for word in words if word.confidence is not None]
    return sum(sure * count for sure, count in guessed) / (sum(count for _, count in guessed) or 1)


def _warnings(outcome: _Outcome, count: int, settings: Settings) -> Iterator[str]:
    if outcome.read:
        words = [word for reading in outcome.read.values() for word in reading.words if word.confidence is not None]
        doubtful = sum(word.confidence is not None and word.confidence < DOUBTFUL for word in words)
        yield (
            f"{listed(list(outcome.read))} of {count} read by OCR ({'+'.join(settings.ocr_languages)}), "
            f"mean confidence {_confidence(words):.0f} %; {doubtful} of {len(words)} words are doubtful"
        )
    if outcome.without_words:
        yield f"{listed(outcome.without_words)} of {count}: a picture, on which OCR finds no words"


def _by_reason(reasons: Mapping[int, str]) -> list[tuple[str, list[int]]]:
    pages: dict[str, list[int]] = defaultdict(list)
    for number, why in sorted(reasons.items()):
        pages[why].append(number)
    return list(pages.items())


def _nothing(outcome: _Outcome, hint: str) -> ParseError | LimitExceeded:
    if not outcome.unread:
        return ParseError(
            "the PDF is pictures only: it has no text layer, and OCR finds no words on them",
            hint="exclude it, or add the language of its writing to parsing.ocr_languages",
        )
    why = "; ".join(why.removeprefix(_NO_LAYER) for why, _ in _by_reason(outcome.unread))
    said = f"the PDF is a scan without a text layer and needs OCR: {why}"
    if outcome.too_slow == len(outcome.unread):
        return LimitExceeded(said, hint="raise parsing.ocr_seconds in corpora.yaml, or exclude the file")
    return ParseError(said, hint=f"{hint or 'see parsing.ocr_languages in corpora.yaml'}, or exclude the file")
