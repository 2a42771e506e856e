"""WordprocessingML: the text of paragraphs and the rows of tables, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docx.oxml.ns import qn

from corpus.parsers.draft import Rows

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_WIDEST = 200  #: columns that a merged cell may span; the file may say millions
_DEEPEST = 20  #: tables inside tables

#: Wrappers whose content is text like any other, which python-docx and unstructured pass over: content controls,
#: insertions that nobody has accepted yet, smart tags, fields.
_WRAPPERS = tuple(qn(f"w:{name}") for name in ("ins", "moveTo", "smartTag", "customXml", "fldSimple"))
_CONTROL, _CONTROL_CONTENT = qn("w:sdt"), qn("w:sdtContent")
#: Not seen by a reader: deletions, and the copy of a text box that is there for old programs.
_HIDDEN = (*(qn(f"w:{name}") for name in ("del", "moveFrom")), f"{_MC}Fallback")
_MONOSPACED = re.compile(
    r"(?i)courier|consolas|mono|menlo|monaco|lucida console|source code|inconsolata|typewriter|cascadia|fira ?code"
)
_SPACED = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}


def flatten(body: Any) -> None:
    """Take wrappers off and hidden copies out, in place."""
    for element in list(body.iter(*_HIDDEN)):
        _remove(element)
    for element in list(body.iter(_CONTROL)):
        content = element.find(_CONTROL_CONTENT)
        _unwrap(element, [] if content is None else list(content))
    for element in list(body.iter(*_WRAPPERS)):
        if element.getparent() is not None and element.getparent().tag not in (qn("w:rPr"), qn("w:trPr")):
            _unwrap(element, list(element))


def _remove(element: Any) -> None:
    if element.getparent() is not None:
        element.getparent().remove(element)


def _unwrap(element: Any, children: list[Any]) -> None:
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    parent.remove(element)
    for offset, child in enumerate(children):
        parent.insert(at + offset, child)


def is_monospaced(font: str | None) -> bool:
    """Whether a font's name is that of a typewriter's face."""
    return bool(font and _MONOSPACED.search(font))


def paragraph_text(paragraph: Any) -> str:
    """The text of a `w:p`, formulas included, text boxes left out."""
    return "".join(_pieces(paragraph))


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in (qn("w:txbxContent"), qn("w:pPr"), qn("w:rPr")) or not isinstance(child.tag, str):
            continue
        if child.tag in (qn("w:t"), _MATH_TEXT):
            yield child.text or ""
        elif child.tag in _SPACED:
            yield _SPACED[child.tag] if child.get(qn("w:type")) in (None, "textWrapping") else "\n"
        else:
            yield from _pieces(child)


def rows_of(table: Any, depth: int = 0) -> Rows:
    """The rows of a `w:tbl` with equally many cells; a merged cell has its text in its first place."""
    rows = []
    for row in table.iterchildren(qn("w:tr")):
        cells: list[str] = []
        for cell in row.iterchildren(qn("w:tc")):
            merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            continued = merge is not None and merge.get(qn("w:val")) in (None, "continue")
            cells.append("" if continued else _cell_text(cell, depth))
            cells += [""] * (_span(cell) - 1)
        rows.append(cells)
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    return tuple(tuple(row + [""] * (width - len(row))) for row in rows)


def _span(cell: Any) -> int:
    span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
    value = span.get(qn("w:val"), "1") if span is not None else "1"
    return max(1, min(int(value), _WIDEST)) if value.isdigit() else 1


def _cell_text(cell: Any, depth: int) -> str:
    parts = []
    for child in cell:
        if child.tag == qn("w:p"):
            parts.append(paragraph_text(child))
            parts += [paragraph_text(inner) for box in child.iter(qn("w:txbxContent")) for inner in box.iter(qn("w:p"))]
        elif child.tag == qn("w:tbl") and depth < _DEEPEST:
            parts += [text for row in rows_of(child, depth + 1) for text in row]
    return " ".join(" ".join(parts).split())
