"""The rows of a table that is written in HTML."""

from __future__ import annotations

from typing import Any

_MOST = 100  #: columns or rows that a cell may be said to span


def rows_of(table: Any) -> list[list[str]]:
    """The cells of a table element; of a merged one the text in its first place, empty texts in the others."""
    grid: dict[tuple[int, int], str] = {}
    rows = list(table.iter("tr"))
    for number, row in enumerate(rows):
        column = 0
        for cell in row.iterchildren("td", "th"):
            while (number, column) in grid:
                column += 1
            across, down = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(rows) - number)
            grid |= {(number + y, column + x): "" for y in range(down) for x in range(across)}
            grid[number, column] = " ".join(cell.text_content().split())
            column += across
    columns = 1 + max((column for _, column in grid), default=-1)
    return [[grid.get((number, column), "") for column in range(columns)] for number in range(len(rows))]


def _span(cell: Any, name: str) -> int:
    said = cell.get(name, "")
    return min(max(int(said), 1), _MOST) if said.isdecimal() else 1
