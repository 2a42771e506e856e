"""Makes scans of PDF pages: the same file as pictures, without a text layer."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pypdfium2 as pdfium
import pytest
from pdf_making import assembled

from corpus.parsers.pdf.ocr import tesseract


def needs(*languages: str) -> pytest.MarkDecorator:
    """Skips a test where tesseract cannot read these languages."""
    lacking = tesseract.lacking(languages)
    return pytest.mark.skipif(lacking is not None, reason=f"{lacking[0] if lacking else ''}: no OCR here")


def scanned(data: bytes, *, pages: set[int] | None = None, turned: int = 0, dpi: int = 200) -> bytes:
    """A file in which `pages` (from 1; none named: all) are pictures, `turned` clockwise by 90, 180 or 270 degrees."""
    with pdfium.PdfDocument(data) as source, pdfium.PdfDocument.new() as made:
        for number in range(1, len(source) + 1):
            if pages is not None and number not in pages:
                made.import_pages(source, [number - 1])
            else:
                _picture(made, source[number - 1].render(scale=dpi / 72, rotation=turned, grayscale=True), dpi)
        return _saved(made)


def photograph(width: int = 160, height: int = 120, *, add_to: bytes | None = None) -> bytes:
    """A page that is a picture without writing: patches of light and dark that run into each other."""
    chance = random.Random(3)
    spots = [(chance.random(), chance.random(), chance.uniform(0.02, 0.1), chance.uniform(-90, 90)) for _ in range(30)]

    def brightness(x: float, y: float) -> int:
        total = 128.0
        for left, top, size, strength in spots:
            total += strength / (1 + ((x - left) ** 2 + (y - top) ** 2) / size**2)
        return min(255, max(0, round(total)))

    return _painted(width, height, brightness, add_to)


def empty_sheet(*, add_to: bytes | None = None) -> bytes:
    """The scan of a sheet with nothing on it."""
    return _painted(170, 220, lambda _x, _y: 245, add_to)


def outlined(data: bytes, *, dpi: int = 150) -> bytes:
    """The first page with its letters drawn as shapes: a rectangle for each run of ink on each line of pixels."""
    with pdfium.PdfDocument(data) as source:
        width, height = source[0].get_size()
        bitmap = source[0].render(scale=dpi / 72, grayscale=True)
        rows, stride = bytes(memoryview(bitmap.buffer).cast("B")), bitmap.stride
        step, marks = 72 / dpi, []
        for row in range(bitmap.height):
            line = bytes(level < 128 for level in rows[row * stride : row * stride + bitmap.width])
            at = line.find(1)
            while at >= 0:
                end = line.find(0, at)
                end = len(line) if end < 0 else end
                x, y = at * step, height - (row + 1) * step
                marks.append(b"%.2f %.2f %.2f %.2f re" % (x, y, (end - at) * step, step))
                at = line.find(1, end)
    content = b"\n".join([*marks, b"f"])
    return assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents 4 0 R/Resources<<>>>>" % (width, height),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    )


def with_text_layer(data: bytes, layer: bytes) -> bytes:
    """The first page of `data` with the marks of the first page of `layer` on top of it."""
    with pdfium.PdfDocument(data) as made, pdfium.PdfDocument(layer) as other:
        page = made[0]
        page.insert_obj(other.page_as_xobject(0, made).as_pageobject())
        page.gen_content()
        return _saved(made)


def _painted(width: int, height: int, brightness: Callable[[float, float], int], add_to: bytes | None) -> bytes:
    pixels = bytes(brightness(x / width, y / height) for y in range(height) for x in range(width))
    bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium.raw.FPDFBitmap_Gray)
    view = memoryview(bitmap.buffer).cast("B")
    for row in range(height):
        view[row * bitmap.stride : row * bitmap.stride + width] = pixels[row * width : (row + 1) * width]
    with pdfium.PdfDocument(add_to) if add_to else pdfium.PdfDocument.new() as made:
        _picture(made, bitmap, 72 * width / 500)
        return _saved(made)


def _picture(made: Any, bitmap: Any, dpi: float) -> None:
    width, height = bitmap.width * 72 / dpi, bitmap.height * 72 / dpi
    page = made.new_page(width, height)
    image = pdfium.PdfImage.new(made)
    image.set_bitmap(bitmap)
    image.set_matrix(pdfium.PdfMatrix().scale(width, height))
    page.insert_obj(image)
    page.gen_content()


def _saved(made: Any) -> bytes:
    into = BytesIO()
    made.save(into)
    return into.getvalue()
