"""Code: what is set in a typewriter's font, with the indentation that the places of its letters show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from chunkers.document import Kind
from corpus.parsers.pdf.block import MONOSPACED, PdfBlock, inside_box
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.pages import Page
from corpus.parsers.pdf.tables import lines_of

CODE_CHARACTERS = re.compile(r"[;{}()=<>\[\]$#/\\|]|--")


def body_font(pages: Iterable[Page]) -> str:
    """The font that most letters are set in."""
    letters: Counter[str] = Counter()
    for page in pages:
        for item in page.items:
            letters[item.font] += len(item.text)
    return letters.most_common(1)[0][0] if letters else ""


def is_monospaced(font: str) -> bool:
    """Whether a font's name is that of a typewriter's face."""
    return bool(MONOSPACED.search(font))


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


def typewritten(blocks: list[PdfBlock], items: Sequence[Item]) -> list[PdfBlock]:
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
            if block.kind is Kind.TABLE or "\n" in lines or CODE_CHARACTERS.search(lines):
                joined.append(replace(block, kind=Kind.CODE, text=lines, rows=None))
                continue
        joined.append(block)
    return joined
