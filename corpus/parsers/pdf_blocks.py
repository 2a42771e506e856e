"""A page's blocks: liteparse's, with fonts looked up, code rebuilt, captions told apart, left out text put back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from chunkers.document import Kind
from corpus.parsers.draft import Box, Rows
from corpus.parsers.pdf_gaps import at_gaps, bounds
from corpus.parsers.pdf_source import Item, Page
from corpus.parsers.pdf_tables import (
    Columns,
    grid,
    lines_of,
    prose_lines,
    side_heading,
)
from corpus.parsers.pdf_text import BULLETS, key, plain, storable

_MONOSPACED = re.compile(r"(?i)courier|mono|consol|menlo|typewriter|cmtt|fixed|lettergothic|inconsolata|sourcecode")
_BOLD = re.compile(r"(?i)bold|black|heavy|semibold|demi|-bd\b|cmbx|\.b$|,bold")
_CAPTION = re.compile(
    r"(?i)(?:table|figure|fig\.|example|listing|exhibit|box|chart|map|tabelle|abbildung|abb\.|tableau|рис\.|рисунок"
    r"|таблица|图|圖|表)\s?\d[\w.\-–]*[.:]?\s"
)
_CAPTION_AT_END = re.compile(r"(?s)^(.*[.:!?])\s+\*+((?:Table|Figure|Example|Listing)\s\d[\w.\-–]*\s[^*]{3,150})\*+$")
_CODE_CHARACTERS = re.compile(r"[;{}()=<>\[\]$#/\\|]|--")
_NUMBERED_LINE = re.compile(r"^\d{1,3}(?:\.\d{1,3})+\.?\s.{3,100}(?<![.;:,])$")
_TEXT_BULLET = re.compile(rf"^([{re.escape(BULLETS)}])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """A block of a page. A heading's `level` is the rank of its type on the page until `pdf_headings` sets it."""

    kind: Kind
    text: str
    page: int
    box: Box | None
    level: int | None = None
    rows: Rows | None = None
    marker: str = "-"
    columns: Columns = ()  #: tables
    bold: bool = False  #: every letter
    mixed: bool = False  #: some letters are bold, and some are not
    mono: bool = False  #: every letter
    size: float = 0.0  #: usual height of its letters, in points


def body_font(pages: Iterable[Page]) -> str:
    """The font that most letters are set in."""
    letters: Counter[str] = Counter()
    for page in pages:
        for item in page.items:
            letters[item.font] += len(item.text)
    return letters.most_common(1)[0][0] if letters else ""


def is_monospaced(font: str) -> bool:
    """Whether a font's name is that of a typewriter's face."""
    return bool(_MONOSPACED.search(font))


def blocks_of(page: Page, *, code_by_font: bool) -> list[PdfBlock]:
    """The blocks of a page in reading order; `code_by_font`: lines set in a typewriter's font alone are code."""
    if page.plain:
        paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", page.plain))
        return [PdfBlock(Kind.PARAGRAPH, text, page.number, None) for text in paragraphs if text]
    blocks = _converted(page.blocks, page.items, page.number)
    blocks = _with_orphans(blocks, page)
    turned = _converted(page.turned_blocks, page.turned_items, page.number, only_with_items=True)
    blocks += [replace(block, box=None) for block in turned]
    return _typewritten(blocks, page.items) if code_by_font else blocks


def _converted(
    raw: Sequence[Any], items: Sequence[Item], page: int, *, only_with_items: bool = False
) -> list[PdfBlock]:
    converted: list[PdfBlock] = []
    for block in raw:
        inside = list(inside_box(items, _box(block)))
        if block.kind in ("rule", "figure") or (only_with_items and not inside):
            continue
        converted += _convert(block, inside, page)
    return converted


def _convert(block: Any, inside: list[Item], page: int) -> Iterator[PdfBlock]:
    style: dict[str, Any] = {
        "page": page,
        "box": _box(block),
        "bold": bool(inside) and all(_BOLD.search(item.font) for item in inside),
        "mono": bool(inside) and all(_MONOSPACED.search(item.font) for item in inside),
        "mixed": 0.2 < _share(inside, _BOLD) < 0.8,
        "size": _size(inside),
    }
    if block.kind == "table":
        found = grid(block, inside)
        if found and (head := side_heading(found.rows)):
            yield PdfBlock(Kind.HEADING, head[0], level=6, **style)
            yield PdfBlock(Kind.PARAGRAPH, head[1], **style)
        elif found and (lines := prose_lines(found.rows)):
            yield from _prose(lines, style)
        elif found:
            yield PdfBlock(Kind.TABLE, "", rows=found.rows, columns=found.columns, **style)
        return
    if block.kind in ("code", "grid_fallback"):
        lines = [storable(line)[0] for line in block.lines or ()]
        if block.kind == "code" and len(lines) == 1 and not (style["mono"] and _CODE_CHARACTERS.search(lines[0])):
            yield PdfBlock(Kind.PARAGRAPH, " ".join(lines[0].split()), **style)
        else:
            yield PdfBlock(Kind.CODE, code_text(inside) or "\n".join(lines), **style)
        return
    text = storable(block.text or "")[0]
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
    else:
        for part, items in at_gaps(text, inside):
            yield from _paragraph(part, style if items is inside else {**style, "box": bounds(items)})


def _paragraph(text: str, style: dict[str, Any]) -> Iterator[PdfBlock]:
    if at_end := _CAPTION_AT_END.match(text.strip()):
        yield from _paragraph(at_end[1], style)
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


def _share(items: Sequence[Item], font: re.Pattern[str]) -> float:
    letters = sum(len(item.text) for item in items)
    return sum(len(item.text) for item in items if font.search(item.font)) / letters if letters else 0.0


def _size(items: Iterable[Item]) -> float:
    heights: Counter[float] = Counter()
    for item in items:
        heights[round(item.height, 1)] += len(item.text)
    return heights.most_common(1)[0][0] if heights else 0.0


def code_text(items: Sequence[Item]) -> str:
    """Lines of typewriter text with the indentation and the gaps that the places of its letters show."""
    widths = [item.width / len(item.text) for item in items if item.width > 0 and len(item.text) > 1]
    if not widths:
        return ""
    step, margin = median(widths), min(item.left for item in items)
    lines = []
    for line in lines_of(items):
        text = ""
        for item in line:
            column = round((item.left - margin) / step)
            text = text.ljust(column if column > len(text) else len(text) + (1 if text and text[-1] != " " else 0))
            text += item.text
        lines.append(text.rstrip())
    return "\n".join(lines)


def _box(block: Any) -> Box | None:
    box = block.bbox
    return (box.x, box.y, box.x + box.width, box.y + box.height) if box else None


def inside_box(items: Iterable[Item], box: Box | None) -> Iterator[Item]:
    """The items whose middle lies in the box."""
    if box:
        left, top, right, bottom = box
        for item in items:
            x, y = item.left + item.width / 2, item.top + item.height / 2
            if left - 1 <= x <= right + 1 and top - 1 <= y <= bottom + 1:
                yield item


def _with_orphans(blocks: list[PdfBlock], page: Page) -> list[PdfBlock]:
    """Text that liteparse dropped (taken for a running header, or inside a figure) comes back as paragraphs."""
    written = key(" ".join([b.text for b in blocks] + [cell for b in blocks for row in b.rows or () for cell in row]))
    covered = {
        id(item)
        for block in blocks
        for item in inside_box(page.items, block.box and _grown(block.box, block.size * 0.6))
    }
    orphans = [
        item
        for item in page.items
        if item.angle == 0 and id(item) not in covered and not (len(key(item.text)) > 5 and key(item.text) in written)
    ]
    for run in _paragraphs(orphans):
        text = plain(" ".join(item.text for line in run for item in line).replace("*", r"\*"))
        if len(key(text)) < 3:
            continue
        found = [item for line in run for item in line]
        box = bounds(found)
        block = PdfBlock(
            Kind.PARAGRAPH,
            text,
            page.number,
            box,
            bold=all(_BOLD.search(item.font) for item in found),
            size=_size(found),
        )
        blocks.insert(_place(blocks, box), block)
    return blocks


def _grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _paragraphs(items: Sequence[Item]) -> Iterator[list[list[Item]]]:
    """Lines that stand close below each other and share a column."""
    run: list[list[Item]] = []
    for line in lines_of(items):
        if run:
            above, height = run[-1], max(item.height for item in line)
            near = line[0].top - max(item.bottom for item in above) < 0.8 * height
            beside = line[0].left < above[-1].right and above[0].left < line[-1].right
            if not (near and beside):
                yield run
                run = []
        run.append(line)
    if run:
        yield run


def _place(blocks: Sequence[PdfBlock], box: Box) -> int:
    """Before the first block of the same column that lies lower; else after the last that lies higher."""
    after = 0
    for index, block in enumerate(blocks):
        if block.box and block.box[0] < box[2] and box[0] < block.box[2]:
            if block.box[1] >= box[1]:
                return index
            after = index + 1
    return after or (0 if blocks and blocks[0].box and blocks[0].box[1] > box[3] else len(blocks))


def _typewritten(blocks: list[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
    """Neighbours that are set in a typewriter's font alone become one block of code."""
    joined: list[PdfBlock] = []
    for block in blocks:
        is_code = block.mono and block.kind in (Kind.PARAGRAPH, Kind.TABLE, Kind.CODE) and block.box is not None
        if is_code and joined and joined[-1].kind is Kind.CODE and joined[-1].box and block.box:
            above, below = joined[-1].box, block.box
            if -2 < below[1] - above[3] < 2.5 * max(block.size, 1):
                both = (min(above[0], below[0]), above[1], max(above[2], below[2]), below[3])
                text = code_text(list(inside_box(items, both)))
                joined[-1] = replace(joined[-1], box=both, text=text or f"{joined[-1].text}\n{block.text}")
                continue
        if is_code and block.kind is not Kind.CODE:
            lines = code_text(list(inside_box(items, block.box)))
            if block.kind is Kind.TABLE or "\n" in lines or _CODE_CHARACTERS.search(lines):
                joined.append(replace(block, kind=Kind.CODE, text=lines, rows=None))
                continue
        joined.append(block)
    return joined
