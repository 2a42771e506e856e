"""WordprocessingML: the text of paragraphs and the rows of tables, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docx.oxml.ns import qn

from corpus.parsers.draft import Rows
from corpus.parsers.office.math import NAMESPACE, formula
from corpus.parsers.office.symbols import symbol

_MATH = (f"{{{NAMESPACE}}}oMath", f"{{{NAMESPACE}}}oMathPara")
_WIDEST = 200  #: columns that a merged cell may span; the file may say millions
_DEEPEST = 20  #: tables inside tables
_UNREAD = (qn("w:txbxContent"), qn("w:pPr"), qn("w:rPr"), qn("w:rt"))
_MONOSPACED = re.compile(
    r"(?i)courier|consolas|mono|menlo|monaco|lucida console|source code|inconsolata|typewriter|cascadia|fira ?code"
)
_SPACED = {
    qn("w:tab"): "\t", qn("w:ptab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-",
}  # fmt: skip
#: soft hyphens and the like, which no reader sees
_UNSEEN_MARKS = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")


def is_monospaced(font: str | None) -> bool:
    """Whether a font's name is that of a typewriter's face."""
    return bool(font and _MONOSPACED.search(font))


def paragraph_text(paragraph: Any) -> str:
    """The text of a `w:p`, formulas included, text boxes left out."""
    return "".join(_pieces(paragraph)).translate(_UNSEEN_MARKS)


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in _UNREAD or not isinstance(tag, str):
            continue
        if tag == qn("w:t"):
            yield child.text or ""
        elif tag in _SPACED:
            yield _SPACED[tag] if child.get(qn("w:type")) in (None, "textWrapping") else "\n"
        elif tag in _MATH:
            yield formula(child)
        elif tag == qn("w:sym"):
            yield symbol(child.get(qn("w:font"), ""), child.get(qn("w:char"), ""))
        elif tag == qn("w:ruby"):
            yield from _pieces(child)
            reading = "".join("".join(_pieces(one)) for one in child.iter(qn("w:rt")))
            yield f"({reading})" if reading else ""
        else:
            yield from _pieces(child)


def is_formula(paragraph: Any) -> bool:
    """Whether a `w:p` holds a displayed formula and nothing beside it."""
    if not any(True for _ in paragraph.iter(_MATH[1])):
        return False
    return not any((text.text or "").strip() for text in paragraph.iter(qn("w:t")))


def rows_of(table: Any, depth: int = 0) -> Rows:
    """The rows of a `w:tbl` with equally many cells; a merged cell has its text in its first place.

    Tables inside its cells are passed over if they are tables of their own; see `nested`.
    """
    rows = []
    for row in table.iterchildren(qn("w:tr")):
        cells = [""] * _skipped(row, "w:gridBefore")
        for cell in row.iterchildren(qn("w:tc")):
            merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            continued = merge is not None and merge.get(qn("w:val")) in (None, "continue")
            cells.append("" if continued else _cell_text(cell, depth))
            cells += [""] * (_span(cell) - 1)
        rows.append(cells)
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    return tuple(tuple(row + [""] * (width - len(row))) for row in rows)


def nested(table: Any, depth: int = 0) -> Iterator[Any]:
    """The tables inside the cells of a `w:tbl` that have rows and columns of their own, in order."""
    for inner in table.iterfind(f"{qn('w:tr')}/{qn('w:tc')}/{qn('w:tbl')}"):
        if is_grid(inner):
            yield inner
        elif depth < _DEEPEST:
            yield from nested(inner, depth + 1)


def only_cell(table: Any) -> Any | None:
    """The cell of a table that has no other, which is a frame around what is in it."""
    cells = table.findall(f"{qn('w:tr')}/{qn('w:tc')}")
    return cells[0] if len(cells) == 1 else None


def is_grid(table: Any) -> bool:
    """Whether a `w:tbl` has rows and columns."""
    rows = table.findall(qn("w:tr"))
    return len(rows) > 1 and any(len(row.findall(qn("w:tc"))) > 1 for row in rows)


def _skipped(row: Any, name: str) -> int:
    return _number(row.find(f"{qn('w:trPr')}/{qn(name)}"), 0)


def _span(cell: Any) -> int:
    return max(1, _number(cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}"), 1))


def _number(element: Any, otherwise: int) -> int:
    value = element.get(qn("w:val"), "") if element is not None else ""
    return min(int(value), _WIDEST) if value.isascii() and value.isdigit() and len(value) < 12 else otherwise


def _cell_text(cell: Any, depth: int) -> str:
    parts = []
    for child in cell:
        if child.tag == qn("w:p"):
            parts += [paragraph_text(inner) for inner in child.iter(qn("w:p"))]  # with those of text boxes in it
        elif child.tag == qn("w:tbl") and depth < _DEEPEST and not is_grid(child):
            parts += [text for row in rows_of(child, depth + 1) for text in row]
    return " ".join(" ".join(parts).split())
