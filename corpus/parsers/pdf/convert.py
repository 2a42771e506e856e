"""liteparse's blocks as blocks of ours: captions and list items told apart, and prose from tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from chunkers.document import Kind
from corpus.parsers.pdf.block import PdfBlock, style_of
from corpus.parsers.pdf.code import CODE_CHARACTERS, code_text
from corpus.parsers.pdf.gaps import at_bullets, at_gaps, at_small_print, text_of
from corpus.parsers.pdf.grid import grid
from corpus.parsers.pdf.items import Item, bounds, box_of
from corpus.parsers.pdf.tables import lines_of, prose_lines, side_heading
from corpus.parsers.pdf.text import BULLETS, MATH, plain, storable

_CAPTION = re.compile(
    r"(?i)(?:table|figure|fig\.|example|listing|exhibit|box|chart|map|tabelle|abbildung|abb\.|tableau|рис\.|рисунок"
    r"|таблица|图|圖|表)\s?\d[\w.\-–]*[.:]?\s"
)
_CAPTION_AT_END = re.compile(r"(?s)^(.*[.:!?])\s+\*+((?:Table|Figure|Example|Listing)\s\d[\w.\-–]*\s[^*]{3,150})\*+$")
_NUMBERED_LINE = re.compile(r"^\d{1,3}(?:\.\d{1,3})+\.?\s.{3,100}(?<![.;:,])$")
_TEXT_BULLET = re.compile(rf"^([*{re.escape(BULLETS)}])\s+(?=\S)")


def convert(block: Any, inside: list[Item], page: int) -> Iterator[PdfBlock]:
    """What one of liteparse's blocks comes to; `inside` are the runs of text in its box."""
    style: dict[str, Any] = {"page": page, "box": box_of(block), **style_of(inside)}
    if block.kind == "table":
        yield from _table(block, inside, style)
        return
    if block.kind in ("code", "grid_fallback"):
        lines = [storable(line)[0] for line in block.lines or ()]
        if block.kind == "code" and len(lines) == 1 and not (style["mono"] and CODE_CHARACTERS.search(lines[0])):
            yield PdfBlock(Kind.PARAGRAPH, " ".join(lines[0].split()), **style)
        else:
            yield PdfBlock(Kind.CODE, code_text(inside) or "\n".join(lines), **style)
        return
    text = storable(block.text or "")[0]
    if MATH.search(text) and inside:
        text = text_of(inside)  # the letters of a formula, and not the commands that would set it
        text = text.removeprefix((block.marker or "").strip()).lstrip() if block.kind == "list_item" else text
    if block.kind == "heading":
        yield PdfBlock(Kind.HEADING, plain(text), level=block.level or 1, **style)
    elif block.kind == "list_item":
        marker = (block.marker or "-").strip()
        yield PdfBlock(
            Kind.LIST_ITEM,
            plain(text),
            level=(block.level or 0) + 1,
            marker=marker if any(char.isalnum() for char in marker) else "-",
            **style,
        )
    elif runs := at_bullets(inside) or at_small_print(text, inside):
        for run in runs:
            yield from paragraph(text_of(run), {"page": page, "box": bounds(run), **style_of(run)})
    else:
        for part, items in at_gaps(text, inside):
            yield from paragraph(part, style if items is inside else {**style, "box": bounds(items)})


def _table(block: Any, inside: Sequence[Item], style: dict[str, Any]) -> Iterator[PdfBlock]:
    above, found, below = grid(block, inside)
    for line in [above] if found else map(list, lines_of(above)):
        if line:
            yield from paragraph(text_of(line), {"page": style["page"], "box": bounds(line), **style_of(line)})
    if found and (head := side_heading(found.rows)):
        yield PdfBlock(Kind.HEADING, head[0], level=6, **style)
        yield PdfBlock(Kind.PARAGRAPH, head[1], **style)
    elif found and (lines := prose_lines(found.rows)):
        yield from _prose(lines, style)
    elif found:
        if style["box"] and (above or below):
            left, top, right, bottom = style["box"]
            top = max((item.bottom for item in above), default=top)
            style["box"] = left, top, right, min((item.top for item in below), default=bottom)
        yield PdfBlock(Kind.TABLE, "", rows=found.rows, columns=found.columns, tops=found.tops, **style)
    if below:
        yield from paragraph(text_of(below), {"page": style["page"], "box": bounds(below), **style_of(below)})


def paragraph(text: str, style: dict[str, Any]) -> Iterator[PdfBlock]:
    """A paragraph, or the list item or caption that it is; `text` has the marks and escapes of Markdown."""
    if at_end := _CAPTION_AT_END.match(text.strip()):
        yield from paragraph(at_end[1], style)
        yield PdfBlock(Kind.CAPTION, plain(at_end[2]), **style)
        return
    words = plain(text)
    if bullet := _TEXT_BULLET.match(words):
        yield PdfBlock(Kind.LIST_ITEM, words[bullet.end() :], level=1, **style)
    elif _CAPTION.match(words) and len(words) < 300:
        yield PdfBlock(Kind.CAPTION, words, **style)
    elif words:
        yield PdfBlock(Kind.PARAGRAPH, words, **style)


def _prose(lines: Sequence[str], style: dict[str, Any]) -> Iterator[PdfBlock]:
    """Lines as paragraphs; a line with a section's number stands alone."""
    run: list[str] = []
    for line in lines:
        if _NUMBERED_LINE.match(line) or len(line) > 500:
            if run:
                yield PdfBlock(Kind.PARAGRAPH, " ".join(run), **style)
            run = []
            yield PdfBlock(Kind.PARAGRAPH, line, **style)
        else:
            run.append(line)
    if run:
        yield PdfBlock(Kind.PARAGRAPH, " ".join(run), **style)
