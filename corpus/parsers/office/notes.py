"""What belongs to a Word file beside its body: footnotes and endnotes, running heads and feet, comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import qn
from lxml import etree

from chunkers.document import Kind
from corpus.parsers.draft import Draft
from corpus.parsers.office.flat import flatten, lines
from corpus.parsers.office.xml import paragraph_text

_NOTES = (("footnotes", "footnote"), ("endnotes", "endnote"))
#: relations to parts that are left out on purpose
_ASIDE = ("header", "footer", "comments")


class Notes:
    """The notes of a document, to be had where the text refers to them."""

    def __init__(self, document: Any) -> None:
        self.left_out: list[str] = []
        self._texts: dict[tuple[str, str], str] = {}  # kind and id → text
        self._numbers = {"footnote": 0, "endnote": 0}
        for relation in document.part.rels.values():
            for part, kind in _NOTES:
                if relation.reltype.endswith(f"/{part}") and not relation.is_external:
                    self._read(relation.target_part.blob, kind)

    def _read(self, blob: bytes, kind: str) -> None:
        root = parse_xml(blob)
        self.left_out += flatten(root)
        for note in root.iter(qn(f"w:{kind}")):
            words = " ".join(" ".join(map(paragraph_text, note.iter(qn("w:p")))).split())
            if words and note.get(qn("w:type")) in (None, "normal"):
                self._texts[kind, note.get(qn("w:id")) or ""] = words

    def of(self, element: Any) -> Iterator[Draft]:
        """The footnotes that `element` refers to, with the numbers that the page shows."""
        for reference in element.iter(qn("w:footnoteReference")):
            yield from self._numbered("footnote", reference)

    def rest(self, body: Any) -> Iterator[Draft]:
        """The endnotes, and footnotes that nothing refers to: what follows the text."""
        for reference in body.iter(qn("w:endnoteReference")):
            yield from self._numbered("endnote", reference)
        for words in self._texts.values():
            yield Draft(Kind.FOOTNOTE, words)
        self._texts.clear()

    def _numbered(self, kind: str, reference: Any) -> Iterator[Draft]:
        mark = ""
        if reference.get(qn("w:customMarkFollows")) is None:
            self._numbers[kind] += 1
            mark = f"[{self._numbers[kind]}] "
        words = self._texts.pop((kind, reference.get(qn("w:id")) or ""), "")
        if words:
            yield Draft(Kind.FOOTNOTE, mark + words)


def aside(document: Any) -> Iterator[str]:
    """The texts of running heads and feet and of comments."""
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] in _ASIDE:
            try:
                root = parse_xml(relation.target_part.blob)
            except etree.XMLSyntaxError:
                continue
            yield lines(root)
