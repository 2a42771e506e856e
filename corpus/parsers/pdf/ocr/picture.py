"""A page as a picture: whether it shows writing that its text layer does not hold, and how it is drawn for OCR."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.parsers.draft import Box
from corpus.parsers.pdf.pages import Page

_FEW = 25  #: letters; a page with as many has a text layer
_MARGIN = 0.12  #: share of a page's height, at the top and at the bottom, where stamps and page numbers stand
_PICTURE, _WHOLE_PAGE = 0.25, 0.75  #: shares of a page that pictures cover
_OUTLINES = 500  #: segments of shapes; some 25 letters that are drawn as shapes have as many
_FORMS = 3  #: how deep forms inside each other are looked into
_LEVELS = 64  #: of 256, by which ink differs from the ground
_INK = 5e-5  #: share of a page that is not empty
_LOOK = 200_000  #: pixels in which a page is looked at for ink

_DPI = 300
_A4 = 8.7e6  #: pixels of an A4 page at 300 dpi
_MOST_PIXELS = 25e6
_LONGEST_SIDE = 30_000  #: pixels; tesseract takes 32,767


@dataclass(frozen=True, slots=True)
class Picture:
    """A page in 256 greys, row by row."""

    pixels: bytes
    width: int
    height: int

    @property
    def ground(self) -> int:
        """The brightness of the paper: that of most pixels."""
        return Counter(self.pixels[:: max(1, len(self.pixels) // _LOOK)]).most_common(1)[0][0] if self.pixels else 255

    def away_from_ground(self, levels: int) -> float:
        """The share of its pixels that are at least so much brighter or darker than the paper."""
        counts, ground = Counter(self.pixels), self.ground
        return sum(count for level, count in counts.items() if abs(level - ground) > levels) / (len(self.pixels) or 1)

    def upside_down(self) -> Picture:
        """It turned by half a circle."""
        return Picture(self.pixels[::-1], self.width, self.height)

    def pgm(self) -> bytes:
        """It as a file."""
        return b"P5 %d %d 255\n" % (self.width, self.height) + self.pixels


def wants_ocr(document: Any, page: Page) -> bool:
    """Whether a page shows writing, it may be, that its text layer does not hold."""
    letters = [(item, sum(map(str.isalnum, item.text))) for item in page.items]
    total = sum(count for _, count in letters) + len(page.plain)
    in_body = sum(count for item, count in letters if _MARGIN < item.top / page.height < 1 - _MARGIN)
    says_nothing = page.replaced > total
    if in_body + len(page.plain) >= _FEW and not says_nothing:
        return False
    try:
        shown = document[page.number - 1]
        return (says_nothing or _has_pictures(shown, page, total)) and _is_not_empty(shown)
    except pdfium.PdfiumError:
        return not total


def drawn(page: Any) -> Picture:
    """A page of pypdfium2's, as large as OCR likes it and memory can bear."""
    return _drawn(page, _scale(page))


def _scale(page: Any) -> float:
    """Pixels for a point: 300 dpi, or for a page that is not the size of paper about what its picture has."""
    width, height = page.get_size()
    of_paper, by_size = _DPI / 72, math.sqrt(_A4 / (width * height))
    low, high = sorted((of_paper, by_size))
    return _within_reason(min(max(_own_scale(page), low), high), width, height)


def _within_reason(scale: float, width: float, height: float) -> float:
    return min(scale, math.sqrt(_MOST_PIXELS / (width * height)), _LONGEST_SIDE / max(width, height))


def _own_scale(page: Any) -> float:
    """Pixels for a point of the picture on a page that has the most of them; 0 if there is none."""
    scales = [0.0]
    for found in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=_FORMS):
        left, bottom, right, top = _bounds(found)
        if right > left and top > bottom:
            width, height = found.get_px_size()
            scales.append(max(width, height) / max(right - left, top - bottom))
    return max(scales)


def _drawn(page: Any, scale: float) -> Picture:
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        rows = memoryview(bitmap.buffer).cast("B")
        pixels = b"".join(rows[row * stride : row * stride + width] for row in range(height))
    finally:
        bitmap.close()
    return Picture(pixels, width, height)


def _has_pictures(shown: Any, page: Page, letters: int) -> bool:
    """Whether pictures, shapes or letters without a meaning may be the page's text."""
    area, segments, characters = 0.0, 0, 0
    for found in shown.get_objects(max_depth=_FORMS):
        if found.type == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = _bounds(found)
            area += max(0.0, right - left) * max(0.0, top - bottom)
        elif found.type == pdfium_c.FPDF_PAGEOBJ_PATH:
            segments += pdfium_c.FPDFPath_CountSegments(found)
        elif found.type == pdfium_c.FPDF_PAGEOBJ_TEXT:
            characters += 1
    if letters >= _FEW:
        return area > _WHOLE_PAGE * page.width * page.height
    return area > _PICTURE * page.width * page.height or segments > _OUTLINES or characters > max(_FEW, 2 * letters)


def _bounds(found: Any) -> Box:
    """Left, bottom, right, top of an object on its page, whatever form it is in."""
    left, bottom, right, top = found.get_bounds()
    container = found.container
    while container is not None:
        matrix = container.get_matrix()
        corners = [matrix.on_point(x, y) for x in (left, right) for y in (bottom, top)]
        left, right = min(x for x, _ in corners), max(x for x, _ in corners)
        bottom, top = min(y for _, y in corners), max(y for _, y in corners)
        container = container.container
    return left, bottom, right, top


def _is_not_empty(shown: Any) -> bool:
    width, height = shown.get_size()
    scale = min(math.sqrt(_LOOK / (width * height)), _DPI / 72)
    return _drawn(shown, _within_reason(scale, width, height)).away_from_ground(_LEVELS) > _INK
