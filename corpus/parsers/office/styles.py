"""What a paragraph of Word is, by its style: names that Word, LibreOffice, Google Docs and pandoc write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

_DEEPEST = 20  #: styles on top of each other; a chain may be a ring
#: Word writes the English names whatever language it speaks; other programs translate them
_HEADING = re.compile(
    r"(?i)^(?:heading|überschrift|titre|título|titolo|titulo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|başlık"
    r"|encabezado|intestazione|заголовок|标题|標題|見出し|제목)\s?([1-9])$"
)
_TITLE = re.compile(r"(?i)^(?:title|titel|titre|título|titolo|название|标题|標題|表題|제목)$")
_LIST = re.compile(r"(?i)^list(?: (?:bullet|number|continue|paragraph))?(?: (\d))?$")
_CODE = re.compile(
    r"(?i)^(?:source ?code|code(?: ?block| ?text| ?listing)?|html preformatted|preformatted(?: text)?|macro text"
    r"|plain code|program ?listing|verbatim|listing|console|terminal|codeblock)$"
)
_CONTENTS = re.compile(r"(?i)^(?:toc \d|toc heading|table of figures|contents \d|contents heading|toa heading)$")
_CAPTION = re.compile(r"(?i)^(?:(?:table |image |figure )?caption|beschriftung|légende|题注|図表番号|illustration)$")
_QUOTE = re.compile(r"(?i)^(?:intense )?quote$|^block text$|^quotations?$")


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says, its ancestors included."""

    heading: int | None  #: 0 for the title of the document, 1 and more for headings
    depth: int | None  #: of a list, from 1
    face: str | None  #: font
    is_code: bool
    is_contents: bool
    is_caption: bool
    is_quote: bool


def read_style(style: Any) -> Style:
    """Read a python-docx style; None stands for the default one."""
    names: list[str] = []
    outline, depth, face = None, None, None
    for _ in range(_DEEPEST):
        if style is None:
            break
        names.append(" ".join((style.name or "").split()))
        outline = _value(style.element, "w:outlineLvl") if outline is None else outline
        depth = _value(style.element, "w:numPr", "w:ilvl") if depth is None else depth
        face = face or style.font.name
        style = style.base_style
    listed = next((match for name in names if (match := _LIST.match(name))), None)
    return Style(
        heading=_heading(names, outline),
        depth=depth + 1 if depth is not None else int(listed[1]) if listed and listed[1] else None,
        face=face,
        is_code=any(_CODE.match(name) for name in names),
        is_contents=any(_CONTENTS.match(name) for name in names),
        is_caption=any(_CAPTION.match(name) for name in names),
        is_quote=any(_QUOTE.match(name) for name in names),
    )


def own_outline(paragraph: Any) -> int | None:
    """The outline level that a `w:p` has by itself, from 0; 9 says that it is no heading."""
    return _value(paragraph, "w:outlineLvl")


def own_depth(paragraph: Any) -> int | None:
    """The list level that a `w:p` has by itself, from 0."""
    return _value(paragraph, "w:numPr", "w:ilvl")


def _heading(names: list[str], outline: int | None) -> int | None:
    for name in names:
        if match := _HEADING.match(name):
            return int(match[1])
        if _TITLE.match(name):
            return 0
        if name.lower() == "toc heading":
            return None
    return outline + 1 if outline is not None and outline < 9 else None


def _value(element: Any, *path: str) -> int | None:
    found = element.find("/".join([qn("w:pPr"), *map(qn, path)]))
    value = found.get(qn("w:val"), "") if found is not None else ""
    return int(value) if re.fullmatch(r"[0-9]", value) else None
