"""A block of a page, and what can be said of its type from the runs of text in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chunkers.document import Kind
from corpus.parsers.draft import Box, Rows
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.tables import Columns

MONOSPACED = re.compile(r"(?i)courier|mono|consol|menlo|typewriter|cmtt|fixed|lettergothic|inconsolata|sourcecode")
BOLD = re.compile(r"(?i)bold|black|heavy|semibold|demi|-bd\b|cmbx|\.b$|,bold")


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
    tops: tuple[float, ...] = ()  #: tables without rules: of the rows, in points
    bold: bool = False  #: every letter
    mixed: bool = False  #: some letters are bold, and some are not
    mono: bool = False  #: every letter
    size: float = 0.0  #: usual height of its letters, in points


def style_of(items: Sequence[Item]) -> dict[str, Any]:
    """Those fields of a block that its runs of text decide."""
    return {
        "bold": bool(items) and all(BOLD.search(item.font) for item in items),
        "mono": bool(items) and all(MONOSPACED.search(item.font) for item in items),
        "mixed": 0.2 < _share(items, BOLD) < 0.8,
        "size": _size(items),
    }


def inside_box(items: Iterable[Item], box: Box | None) -> Iterator[Item]:
    """The items whose middle lies in the box."""
    if box:
        left, top, right, bottom = box
        for item in items:
            x, y = item.left + item.width / 2, item.top + item.height / 2
            if left - 1 <= x <= right + 1 and top - 1 <= y <= bottom + 1:
                yield item


def _share(items: Sequence[Item], font: re.Pattern[str]) -> float:
    letters = sum(len(item.text) for item in items)
    return sum(len(item.text) for item in items if font.search(item.font)) / letters if letters else 0.0


def _size(items: Iterable[Item]) -> float:
    heights: Counter[float] = Counter()
    for item in items:
        heights[round(item.height, 1)] += len(item.text)
    return heights.most_common(1)[0][0] if heights else 0.0
