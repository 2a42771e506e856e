"""The text of a page as the file has it, where liteparse gives another: right to left, and formulas."""

from __future__ import annotations

import re
from ctypes import byref, c_double, c_int
from typing import Any

import pypdfium2.raw as pdfium_c

from corpus.parsers.draft import Box
from corpus.parsers.pdf.rtl import replacements, with_changes
from corpus.parsers.pdf.text import MATH

_SETTING = re.compile(r"\\[a-zA-Z]+|[\\${}^_]")  #: what of a formula only says how it is set
_SCALE = 10  #: places are handed to pdfium as whole tenths of points


def put_right(page: Any, document: Any) -> None:
    """Change all the texts of a page of liteparse's where they stand; `document` is pypdfium2's."""
    formulas = [item for item in page.text_items if MATH.search(item.text)]
    changes = replacements(page, document)
    if formulas:
        pdf_page = document[page.page_num - 1]
        text_page = pdf_page.get_textpage()
        changes += [(item.text, _as_set(item, page, pdf_page, text_page)) for item in formulas]
    if not changes:
        return
    changes.sort(key=lambda change: -len(change[0]))
    for item in page.text_items:
        item.text = with_changes(item.text, changes)
        for word in item.words:
            word.text = with_changes(word.text, changes)
    for block in page.blocks or ():
        block.text = block.text and with_changes(block.text, changes)
        block.lines = block.lines and [with_changes(line, changes) for line in block.lines]
        for row in (block.header or (), *(block.rows or ())):
            for cell in row:
                cell.text = with_changes(cell.text, changes)


def on_page(box: Box, pdf_page: Any, width: float, height: float) -> Box:
    """A box of pdfium's (left, bottom, right, top, in the file's own system) on the page as it is shown."""
    size = round(width * _SCALE), round(height * _SCALE)
    corners = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        x, y = c_int(), c_int()
        pdfium_c.FPDF_PageToDevice(pdf_page, 0, 0, *size, 0, across, up, byref(x), byref(y))
        corners.append((x.value / _SCALE, y.value / _SCALE))
    (left, right), (top, bottom) = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    return left, top, right, bottom


def _as_set(item: Any, page: Any, pdf_page: Any, text_page: Any) -> str:
    """The letters of a formula as they stand on the page, for liteparse gives the commands that would set it."""
    corners = []
    for x, y in ((item.x, item.y), (item.x + item.width, item.y + item.height)):
        across, up = c_double(), c_double()
        size = round(page.width * _SCALE), round(page.height * _SCALE)
        place = round(x * _SCALE), round(y * _SCALE)
        pdfium_c.FPDF_DeviceToPage(pdf_page, 0, 0, *size, 0, *place, byref(across), byref(up))
        corners.append((across.value, up.value))
    (left, right), (bottom, top) = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    text: str = text_page.get_text_bounded(left, bottom, right, top)
    return " ".join(text.replace("\r\n", "").split()) or " ".join(_SETTING.sub(" ", item.text).split())
