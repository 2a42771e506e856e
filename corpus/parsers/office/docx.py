"""Word: unstructured walks the file; styles give headings, list depth, code, captions; notes follow their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from docx.oxml.ns import qn
from docx.table import Table

from chunkers.document import Kind
from corpus.parsers import progress
from corpus.parsers.captions import is_caption
from corpus.parsers.draft import Draft
from corpus.parsers.office.drawing import graphics
from corpus.parsers.office.flat import flatten
from corpus.parsers.office.notes import Notes, aside
from corpus.parsers.office.package import Content, open_word
from corpus.parsers.office.styles import Style, own_depth, own_outline, read_style
from corpus.parsers.office.unstructured import Found, ListItem, docx_elements
from corpus.parsers.office.xml import is_formula, is_grid, is_monospaced, paragraph_text, rows_of

_CODE_CHARACTERS = re.compile(r"[{};=<>$\\|]|\w\(|\(\)|^\s{2,}\S|::|->|--\w|^[#$>] ", re.MULTILINE)
_BULLETS = "•·▪◦●-– "
_BOLD = -1  #: level of a paragraph that is all bold, until it is known whether styles make the headings
_HEADING_LENGTH = 110  #: characters of a bold paragraph that may be a heading where no style is used
_TOLD = 200  #: elements between two words on how far the parser is
_INSERTED = (("w:altChunk", "a file that was inserted as a whole"), ("w:subDoc", "a part of a master document"))


class _Reader:
    """Turns what unstructured found in one document into drafts."""

    def __init__(self, document: Any, content: Content) -> None:
        self._document = document
        self._content = content
        self._notes = Notes(document)
        self._styles: dict[str | None, Style] = {}

    def drafts(self) -> Iterator[Draft]:
        waiting: list[Draft] = []  # footnotes of the list, or the code, that may still go on
        previous: Kind | None = None
        for number, found in enumerate(docx_elements(self._document)):
            if number % _TOLD == 0:
                progress.reached(f"paragraph {number + 1}")
            source = found.origin._element  # noqa: SLF001
            for draft in self._drafts(found):
                if waiting and not (draft.kind is previous and previous in (Kind.LIST_ITEM, Kind.CODE)):
                    yield from waiting
                    waiting.clear()
                previous = draft.kind
                yield draft
            waiting += self._notes.of(source)
        yield from waiting
        yield from self._notes.rest(self._document.element.body)
        self._content.left_out += self._notes.left_out

    def _drafts(self, found: Found) -> Iterator[Draft]:
        source = found.origin._element  # noqa: SLF001
        if isinstance(found.origin, Table):
            if rows := rows_of(source):
                yield Draft(Kind.TABLE, "", rows=rows)
        else:
            style = self._style(found.origin)
            text = paragraph_text(source)
            if style.is_contents:
                self._content.left_out.append(text)
            elif text.strip(_BULLETS).strip():
                yield _draft(found, style, text)
        for kept in _drawn(source):
            yield from graphics(kept, self._blob, self._content)

    def _blob(self, relation: str) -> bytes:
        blob: bytes = self._document.part.related_parts[relation].blob
        return blob

    def _style(self, paragraph: Any) -> Style:
        """Looked up once for each style id: python-docx searches all styles for the default one every time."""
        key = paragraph._p.style  # noqa: SLF001
        if key not in self._styles:
            self._styles[key] = read_style(paragraph.style)
        return self._styles[key]


def read(data: bytes) -> Content:
    """What a Word file says."""
    document, content = open_word(data)
    body = document.element.body
    content.left_out += [*flatten(body), *filter(None, aside(document))]
    content.missing += [said for tag, said in _INSERTED if body.find(f".//{qn(tag)}") is not None]
    drafts = _with_levels(_merged(list(_Reader(document, content).drafts())))
    content.drafts = _with_captions(drafts)
    return content


def _drawn(source: Any) -> Iterator[Any]:
    """The drawings of a paragraph or a table; those in text boxes and in tables of their own come with these."""
    for element in source.iter(qn("w:drawing"), qn("w:pict"), qn("w:object")):
        if source.tag == qn("w:tbl"):
            holder = next((table for table in element.iterancestors(qn("w:tbl")) if is_grid(table)), source)
        else:
            holder = next(element.iterancestors(qn("w:p")), None)
        if holder is source:
            yield element


def _draft(found: Found, style: Style, text: str) -> Draft:
    paragraph = found.origin
    source = paragraph._p  # noqa: SLF001
    words = " ".join(text.split())
    outline = own_outline(source)
    level = style.heading if outline is None or style.heading == 0 else outline + 1 if outline < 9 else None
    if level is not None:
        return Draft(Kind.HEADING, _labelled(found.label, words), level=level)
    if _is_code(paragraph, style, text):
        return Draft(Kind.CODE, text.expandtabs(4))
    if is_formula(source):
        return Draft(Kind.FORMULA, words)
    if isinstance(found.element, ListItem):
        marker = found.label if any(char.isalnum() for char in found.label) else "-"
        depth = own_depth(source)
        level = depth + 1 if depth is not None else style.depth or 1
        return Draft(Kind.LIST_ITEM, words.lstrip(_BULLETS), level=level, marker=marker)
    words = _labelled(found.label, words)
    if style.is_quote:
        return Draft(Kind.QUOTE, words)
    if style.is_caption:
        return Draft(Kind.CAPTION, words)
    if len(words) < _HEADING_LENGTH and not words.endswith((".", ":", ",", ";")) and _is_bold(paragraph):
        return Draft(Kind.PARAGRAPH, words, level=_BOLD)
    return Draft(Kind.PARAGRAPH, words)


def _labelled(label: str, words: str) -> str:
    return f"{label} {words}" if label and any(char.isalnum() for char in label) else words


def _is_code(paragraph: Any, style: Style, text: str) -> bool:
    """A style for code, or a typewriter's font and characters that prose has not."""
    if style.is_code:
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


def _with_captions(drafts: Sequence[Draft]) -> list[Draft]:
    """Paragraphs that are captions by their words, `Table 3: Boxes`, whatever their style."""
    kinds = [None, *(draft.kind for draft in drafts), None]
    return [
        replace(draft, kind=Kind.CAPTION)
        if draft.kind is Kind.PARAGRAPH and is_caption(draft.text, by_table=Kind.TABLE in (kinds[at], kinds[at + 2]))
        else draft
        for at, draft in enumerate(drafts)
    ]
