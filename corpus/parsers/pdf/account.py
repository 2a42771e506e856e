"""Whether all that a page's text layer holds has arrived: what liteparse drops, and what the page does not show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import pypdfium2 as pdfium

from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.mend import on_page
from corpus.parsers.pdf.pages import Page
from corpus.parsers.pdf.text import key, storable

_LETTERS = 30  #: of a text layer; fewer that are not there may be a difference in reading it
_SHARE = 0.04  #: of a text layer's letters; the same
_LOST = 0.5  #: share of a line's words that are nowhere on the page; the line is put back

_LONE_NUMBER = re.compile(r"(?m)^\d{1,4}(?=\r?$)")
_ANY_WORD = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]{3,}")
_BROKEN = re.compile("[-\u00ad\u2010\ufffe]\\n")


def with_whole_text(page: Page, document: Any) -> Page:
    """`page` with the text that liteparse does not see on it; `document` is pypdfium2's.

    Where it sees none at all (it may be set too small for the page's size), that is all that pdfium reads.
    """
    try:
        pdf_page = document[page.number - 1]
        text_page = pdf_page.get_textpage()
        raw = text_page.get_text_range()
    except pdfium.PdfiumError:
        return page
    text, replaced = storable(raw.replace("\r\n", "\n"))
    if not page.items:
        return replace(page, plain=text.strip(), replaced=replaced)
    page = replace(page, items=(*page.items, *_lone_numbers(page, raw, pdf_page, text_page)))
    seen = " ".join(item.text for item in (*page.items, *page.turned_items))
    there, arrived = len(key(text)), len(key(seen))
    if there - arrived <= max(_LETTERS, _SHARE * there):
        return page
    known = set(_words(seen))
    shown = storable(text_page.get_text_bounded().replace("\r\n", "\n"))[0]
    lines = [line for line in _BROKEN.sub("", shown).split("\n") if _is_lost(line, known)]
    unseen = " ".join(" ".join(lines).split())
    more = Counter(_ANY_WORD.findall(text.lower())) - Counter(_ANY_WORD.findall(f"{seen} {unseen}".lower()))
    hidden = tuple(" ".join([word] * count) for word, count in more.items())
    return replace(page, unseen=unseen, hidden=hidden)


def _lone_numbers(page: Page, text: str, pdf_page: Any, text_page: Any) -> Iterator[Item]:
    """Numbers that stand alone in the middle of the page, which liteparse takes for page numbers and drops."""
    if text_page.count_chars() != len(text):
        return
    numbers = list(_LONE_NUMBER.finditer(text))
    if not numbers:
        return
    seen = Counter(item.text.strip() for item in (*page.items, *page.turned_items))
    height = median(item.height for item in page.items)
    for match in numbers:
        if seen[match[0]] > 0:
            seen[match[0]] -= 1
            continue
        boxes = [text_page.get_charbox(index) for index in range(*match.span())]
        left, _, right, bottom = on_page(
            (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)),
            pdf_page,
            page.width,
            page.height,
        )
        yield Item(match[0], left, bottom - height, right - left, height, "", 0)


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.lower())


def _is_lost(line: str, known: set[str]) -> bool:
    words = _words(line)
    return bool(words) and sum(word not in known for word in words) > _LOST * len(words)
