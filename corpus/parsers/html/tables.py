"""Tables of a page: which hold data, and their cells."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.parsers.html.tree import Node
from corpus.parsers.html.words import words

_WIDEST = 100  #: columns that one cell may span
_ROW_PARENTS = frozenset({"thead", "tbody", "tfoot", "form"})
_CELLS = frozenset({"td", "th"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})


def is_layout(table: Node) -> bool:
    """Whether a table only places things on the page: its cells are then read as the page's own text."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = list(_rows_of(table))
    cells = [cell for row in rows for cell in _cells_of(row)]
    if not cells:
        return True
    if any(cell.tag == "th" for cell in cells) or any(child.tag == "caption" for child in table.elements()):
        return False
    widest = max(sum(1 for _ in _cells_of(row)) for row in rows)
    inner = frozenset().union(*(cell.holds for cell in cells))
    return (
        widest == 1
        or bool(inner & _HEADINGS)
        or any(cell.size > 1500 for cell in cells)
        or ("pre" in inner and len(cells) <= 4)
        or (len(rows) == 1 and (len(cells) <= 2 or "table" in inner))
    )


def grid(table: Node) -> tuple[tuple[str, ...], ...]:
    """Rows of cell texts. A merged cell has its text in its first place and empty texts in the others.

    Spans reach no further than the table; columns in which no cell begins are left out, so that a span of
    a hundred million columns is as wide as what it spans.
    """
    rows = list(_rows_of(table))
    apart = frozenset(nested(table))
    placed: list[list[tuple[int, str]]] = []
    extents: list[int] = []
    busy: dict[int, int] = {}  # column → the first row in which it is free again
    for at, row in enumerate(rows):
        column = 0
        line: list[tuple[int, str]] = []
        for cell in _cells_of(row):
            while busy.get(column, 0) > at:
                column += 1
            line.append((column, words(cell, apart)))
            width = min(_span(cell, "colspan"), _WIDEST)
            height = _span(cell, "rowspan")
            for covered in range(column, column + width):
                busy[covered] = min(at + height, len(rows)) if height else len(rows)
            column += width
        placed.append(line)
        extents.append(max((covered + 1 for covered, free in busy.items() if free > at), default=0))
        busy = {covered: free for covered, free in busy.items() if free > at + 1}
    columns = sorted({column for line in placed for column, _ in line})
    index = {column: at for at, column in enumerate(columns)}
    result = []
    for line, extent in zip(placed, extents, strict=True):
        width = sum(1 for column in columns if column < extent) if line else 0
        texts = [""] * max(width, index[line[-1][0]] + 1 if line else 0)
        for column, text in line:
            texts[index[column]] = text
        if any(texts):
            result.append(tuple(texts))
    return tuple(result)


def nested(table: Node) -> list[Node]:
    """The tables with data inside its cells: each is a table of its own, not the text of a cell."""
    found = []
    stack: list[Node] = [cell for row in _rows_of(table) for cell in _cells_of(row)]
    stack.reverse()
    while stack:
        node = stack.pop()
        if node.tag == "table" and not is_layout(node):
            found.append(node)
        elif "table" in node.holds:
            stack.extend(reversed(list(node.elements())))
    return found


def heads(table: Node) -> int:
    """How many rows at the top are headers."""
    count = 0
    for child in table.elements():
        if child.tag == "thead":
            return sum(1 for row in child.elements() if row.tag == "tr" and row.size)
    for row in _rows_of(table):
        cells = list(_cells_of(row))
        if not cells or any(cell.tag != "th" for cell in cells):
            break
        count += 1
    return count


def strays(table: Node) -> Iterator[Node | str]:
    """What stands in a table outside its rows' cells and its caption; a browser shows it above the table."""
    stack: list[tuple[Node | str, Node]] = [(child, table) for child in reversed(table.children)]
    while stack:
        item, parent = stack.pop()
        if isinstance(item, str):
            yield item
        elif item.tag == "tr" or item.tag in _ROW_PARENTS:
            stack.extend((child, item) for child in reversed(item.children))
        elif not (parent.tag == "tr" and item.tag in _CELLS) and not (parent is table and item.tag == "caption"):
            yield item


def _rows_of(table: Node) -> Iterator[Node]:
    stack: list[Node] = [table]
    while stack:
        node = stack.pop()
        if node.tag == "tr":
            yield node
        elif node is table or node.tag in _ROW_PARENTS:
            stack.extend(reversed(list(node.elements())))


def _cells_of(row: Node) -> Iterator[Node]:
    return (cell for cell in row.elements() if cell.tag in _CELLS)


def _span(cell: Node, name: str) -> int:
    value = cell.get(name).strip()
    if not value.isascii() or not value.isdigit() or len(value) > 12:
        return 1
    return int(value) if name == "rowspan" else max(int(value), 1)
