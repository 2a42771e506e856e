"""The rows of a table as docutils has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes

from corpus.parsers.draft import Rows

_WIDEST = 1000  #: columns that a merged cell may span


def grid(group: Any, text_of: Callable[[Any], str]) -> Rows:
    """The rows of a `tgroup`, a merged cell in its first place; `text_of` gives the text of an `entry`."""
    rows: list[list[str]] = []
    below: dict[int, int] = {}  # column → rows that a merged cell still covers
    for row in group.findall(nodes.row):
        cells: list[str] = []

        def fill(cells: list[str] = cells) -> None:
            while below.get(len(cells), 0):
                below[len(cells)] -= 1
                cells.append("")

        for entry in row.children:
            fill()
            wide = min(int(entry.get("morecols", 0)), _WIDEST)
            for at in range(len(cells), len(cells) + wide + 1):
                below[at] = int(entry.get("morerows", 0))
            cells += [text_of(entry), *[""] * wide]
        fill()
        rows.append(cells)
    width = max(map(len, rows), default=0)
    return tuple(tuple(row + [""] * (width - len(row))) for row in rows)
