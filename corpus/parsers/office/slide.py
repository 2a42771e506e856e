"""DrawingML: the text of paragraphs on slides, and what stands in a slide in two versions."""

from __future__ import annotations

from typing import Any

from pptx.oxml.ns import qn

from corpus.parsers.office.math import NAMESPACE, formula

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = (f"{{{NAMESPACE}}}oMath", f"{{{NAMESPACE}}}oMathPara")
_UNSEEN_MARKS = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")


def unfold(slide: Any) -> None:
    """Put the newer version of each thing in its place, as python-pptx passes over both; the other one goes."""
    for versions in list(slide.iter(f"{_MC}AlternateContent")):
        parent = versions.getparent()
        choice = versions.find(f"{_MC}Choice")
        if parent is None:
            continue
        if choice is None or not len(choice):
            choice = versions.find(f"{_MC}Fallback")
        at = parent.index(versions)
        parent.remove(versions)
        for offset, element in enumerate(list(choice) if choice is not None else []):
            parent.insert(at + offset, element)


def paragraph_text(paragraph: Any) -> str:
    """The text of an `a:p`, with line breaks, fields and formulas."""
    parts: list[str] = []
    for child in paragraph:
        if child.tag in (qn("a:r"), qn("a:fld")):
            parts += [text.text or "" for text in child.iter(qn("a:t"))]
        elif child.tag == qn("a:br"):
            parts.append("\n")
        else:
            parts += [formula(inner) for inner in child.iter(*_MATH) if inner.getparent().tag not in _MATH]
    return "".join(parts).replace("\v", "\n").translate(_UNSEEN_MARKS)


def list_number(paragraph: Any, level: int, numbers: dict[int, int]) -> str:
    """The number that a slide shows before an `a:p`, `3.`; empty if it shows none. Counts in `numbers`, by level."""
    for deeper in [key for key in numbers if key > level]:
        del numbers[deeper]
    mark = paragraph.find(f"{qn('a:pPr')}/{qn('a:buAutoNum')}")
    if mark is None:
        numbers.pop(level, None)
        return ""
    start = mark.get("startAt", "1")
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1
    numbers[level] = numbers[level] + 1 if level in numbers else first
    return f"{numbers[level]}."
