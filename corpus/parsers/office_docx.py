"""Word: unstructured walks the file; styles give headings, list depth, code, captions; text boxes come once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import groupby
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.table import Table

from chunkers.document import Kind
from corpus.parsers.draft import Draft
from corpus.parsers.office_unstructured import Found, ListItem, docx_elements
from corpus.parsers.office_xml import flatten, is_monospaced, paragraph_text, rows_of

_HEADING = re.compile(r"(?i)^heading (\d)$")
_LIST_STYLE = re.compile(r"(?i)^list(?: (?:bullet|number|continue|paragraph))?(?: (\d))?$")
_CODE_STYLE = re.compile(
    r"(?i)^(?:source ?code|code(?: ?block| ?text| ?listing)?|html preformatted|preformatted(?: text)?|macro text"
    r"|plain code|program ?listing|verbatim|listing|console|terminal|codeblock)$"
)
_CODE_CHARACTERS = re.compile(r"[{};=<>$\\|]|\w\(|\(\)|^\s{2,}\S|::|->|--\w|^[#$>] ", re.MULTILINE)
_CONTENTS_STYLE = re.compile(r"(?i)^(?:toc \d|table of figures)$")
_NOTES = (("footnotes", "footnote"), ("endnotes", "endnote"))
_BULLETS = "•·▪◦●-– "
_BOLD = -1  #: level of a paragraph that is all bold, until it is known whether styles make the headings
_HEADING_LENGTH = 110  #: characters of a bold paragraph that may be a heading where no style is used


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style says, its ancestors included."""

    name: str
    outline: int | None  #: 0 is the outermost
    face: str | None  #: font


class _Reader:
    """Turns what unstructured found in one document into drafts."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._styles: dict[str | None, _Style] = {}

    def drafts(self) -> Iterator[Draft]:
        for found in docx_elements(self._document):
            if isinstance(found.origin, Table):
                yield from _table(found.origin)
            else:
                yield from self._paragraph(found)

    def _paragraph(self, found: Found) -> Iterator[Draft]:
        source = found.origin._p  # noqa: SLF001
        style = self._style(found.origin)
        text = paragraph_text(source)
        if text.strip(_BULLETS).strip() and not _CONTENTS_STYLE.match(style.name):
            yield _draft(found, style, text)
        for box in source.iter(qn("w:txbxContent")):
            if not any(above.tag == qn("w:txbxContent") for above in box.iterancestors()):
                yield from self._text_box(box)

    def _text_box(self, box: Any) -> Iterator[Draft]:
        """What stands in a text box, after the paragraph that it is anchored to."""
        for child in box:
            if child.tag == qn("w:p"):
                words = " ".join(paragraph_text(child).split())
                if words:
                    yield Draft(Kind.PARAGRAPH, words)
            elif child.tag == qn("w:tbl"):
                yield from _table(Table(child, self._document))

    def _style(self, paragraph: Any) -> _Style:
        """Looked up once for each style id: python-docx searches all styles for the default one every time."""
        key = paragraph._p.style  # noqa: SLF001
        if key not in self._styles:
            self._styles[key] = _read_style(paragraph.style)
        return self._styles[key]


def read(data: bytes) -> tuple[list[Draft], Any]:
    """The blocks of a Word file, and its core properties."""
    document = docx.Document(BytesIO(data))
    flatten(document.element.body)
    drafts = [*_Reader(document).drafts(), *_notes(document)]
    return _with_levels(_merged(drafts)), document.core_properties


def _read_style(style: Any) -> _Style:
    name = (style.name if style is not None else None) or "Normal"
    outline, face = None, None
    for _ in range(20):  # a style chain may be a ring
        if style is None:
            break
        level = style.element.xpath("./w:pPr/w:outlineLvl/@w:val")
        if outline is None and level and level[0].isdigit():
            outline = int(level[0])
        face = face or style.font.name
        style = style.base_style
    return _Style(name, outline, face)


def _draft(found: Found, style: _Style, text: str) -> Draft:
    paragraph = found.origin
    words = " ".join(text.split())
    level = _heading_level(paragraph, style)
    if level is not None:
        return Draft(Kind.HEADING, _labelled(found.label, words), level=level)
    if _is_code(paragraph, style, text):
        return Draft(Kind.CODE, text.expandtabs(4))
    if isinstance(found.element, ListItem):
        marker = found.label if any(char.isalnum() for char in found.label) else "-"
        return Draft(Kind.LIST_ITEM, words.lstrip(_BULLETS), level=_list_depth(paragraph, style), marker=marker)
    words = _labelled(found.label, words)
    if style.name.lower() in ("quote", "intense quote"):
        return Draft(Kind.QUOTE, words)
    if style.name.lower() == "caption":
        return Draft(Kind.CAPTION, words)
    if len(words) < _HEADING_LENGTH and not words.endswith((".", ":", ",", ";")) and _is_bold(paragraph):
        return Draft(Kind.PARAGRAPH, words, level=_BOLD)
    return Draft(Kind.PARAGRAPH, words)


def _table(table: Any) -> Iterator[Draft]:
    rows = rows_of(table._tbl)  # noqa: SLF001
    if sum(len(row) for row in rows) == 1:  # a frame around a text
        yield Draft(Kind.PARAGRAPH, " ".join(rows[0][0].split()))
    elif rows:
        yield Draft(Kind.TABLE, "", rows=rows)


def _notes(document: Any) -> Iterator[Draft]:
    """Footnotes and endnotes, at the end of the document as Word prints the latter."""
    for relation in document.part.rels.values():
        for ending, tag in _NOTES:
            if relation.reltype.endswith(f"/{ending}") and not relation.is_external:
                root = parse_xml(relation.target_part.blob)
                for note in root.iter(qn(f"w:{tag}")):
                    number = note.get(qn("w:id")) or ""
                    words = " ".join(" ".join(map(paragraph_text, note.iter(qn("w:p")))).split())
                    if words and note.get(qn("w:type")) in (None, "normal"):
                        yield Draft(Kind.FOOTNOTE, f"[{number}] {words}")


def _labelled(label: str, words: str) -> str:
    return f"{label} {words}" if label and any(char.isalnum() for char in label) else words


def _heading_level(paragraph: Any, style: _Style) -> int | None:
    """0 for the title of the document, 1 and more for headings."""
    if match := _HEADING.match(style.name):
        return int(match[1])
    if style.name == "Title":
        return 0
    own = paragraph._p.xpath("./w:pPr/w:outlineLvl/@w:val")  # noqa: SLF001
    outline = int(own[0]) if own and own[0].isdigit() else style.outline
    return outline + 1 if outline is not None and outline < 9 else None


def _list_depth(paragraph: Any, style: _Style) -> int:
    own = paragraph._p.xpath("./w:pPr/w:numPr/w:ilvl/@w:val")  # noqa: SLF001
    if own and own[0].isdigit():
        return min(int(own[0]), 8) + 1
    match = _LIST_STYLE.match(style.name)
    return int(match[1]) if match and match[1] else 1


def _is_code(paragraph: Any, style: _Style, text: str) -> bool:
    """A style for code, or a typewriter's font and characters that prose has not."""
    if _CODE_STYLE.match(style.name):
        return True
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(is_monospaced(run.font.name or style.face) for run in runs) and _looks_like_code(text)


def _looks_like_code(text: str) -> bool:
    return bool(_CODE_CHARACTERS.search(text)) or not re.search(r"\w+ \w+ \w+ \w+", text)


def _is_bold(paragraph: Any) -> bool:
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)


def _merged(drafts: Sequence[Draft]) -> list[Draft]:
    """Consecutive paragraphs of code are one block."""
    merged: list[Draft] = []
    for kind, run in groupby(drafts, key=lambda draft: draft.kind):
        if kind is Kind.CODE:
            merged.append(Draft(Kind.CODE, "\n".join(draft.text for draft in run)))
        else:
            merged += run
    return merged


def _with_levels(drafts: Sequence[Draft]) -> list[Draft]:
    """Levels from 1: a title stands above the first level; bold lines are headings where no style makes any."""
    headings = [draft for draft in drafts if draft.kind is Kind.HEADING]
    shift = 1 if any(draft.level == 0 for draft in headings) else 0
    levelled = []
    for draft in drafts:
        if draft.kind is Kind.HEADING:
            levelled.append(replace(draft, level=(draft.level or 0) + shift))
        elif draft.level == _BOLD:
            levelled.append(replace(draft, level=None) if headings else replace(draft, kind=Kind.HEADING, level=1))
        else:
            levelled.append(draft)
    return levelled
