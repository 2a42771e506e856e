"""Opens Word and PowerPoint files of every variant: with macros, templates, strict, with parts that are not there."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from docx.opc.part import PartFactory as WordParts
from docx.package import Package as WordPackage
from docx.parts.document import DocumentPart
from lxml import etree
from pptx.opc.package import PartFactory as SlideParts
from pptx.package import Package as SlidePackage
from pptx.parts.presentation import PresentationPart

from corpus.parsers.archive import damaged
from corpus.parsers.draft import Draft

_TYPE = "application/vnd.openxmlformats-officedocument."
#: python-docx and python-pptx open the first of each by themselves; macros are a part of their own that nobody opens
_WORD_TYPES = (
    f"{_TYPE}wordprocessingml.document.main+xml",
    f"{_TYPE}wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_SLIDE_TYPES = (
    f"{_TYPE}presentationml.presentation.main+xml",
    f"{_TYPE}presentationml.template.main+xml",
    f"{_TYPE}presentationml.slideshow.main+xml",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
)
WordParts.part_type_for.update(dict.fromkeys(_WORD_TYPES, DocumentPart))
SlideParts.part_type_for.update(dict.fromkeys(_SLIDE_TYPES, PresentationPart))

#: relations to parts with text that a parser reads
_TEXTS = frozenset({"footnotes", "endnotes", "chart", "diagramData", "slide", "notesSlide", "aFChunk", "subDocument"})
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(extendedProperties|customProperties|\w+)")
_STRICT_NAMES = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}


@dataclass(slots=True)
class Content:
    """What was read from an office file."""

    properties: Any | None = None  #: core properties, as python-docx and python-pptx have them
    drafts: Sequence[Draft] = ()
    left_out: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def open_word(data: bytes) -> tuple[Any, Content]:
    """A python-docx document, and its metadata with what is known to be lost."""

    def opened(source: bytes) -> Any:
        part = WordPackage.open(BytesIO(source)).main_document_part
        if not isinstance(part, DocumentPart):
            raise damaged(f"its main part is {part.content_type}, not a document")
        return part.document

    return _opened(data, opened)


def open_slides(data: bytes) -> tuple[Any, Content]:
    """A python-pptx presentation, and its metadata with what is known to be lost."""

    def opened(source: bytes) -> Any:
        part = SlidePackage.open(BytesIO(source)).main_document_part
        if not isinstance(part, PresentationPart):
            raise damaged(f"its main part is {part.content_type}, not a presentation")
        return part.presentation

    return _opened(data, opened)


def _opened(data: bytes, open_with: Callable[[bytes], Any]) -> tuple[Any, Content]:
    content = Content()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if any(b"purl.oclc.org/ooxml" in archive.read(name) for name in archive.namelist() if name == "_rels/.rels"):
            data = _rewritten(archive, lambda _, part: _STRICT.sub(_transitional, part))
    try:
        opened = open_with(data)
    except KeyError:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            mended = _without_dangling(archive, content)
        if not content.missing and not content.warnings:
            raise
        opened = open_with(mended)
    content.properties = _core_properties(opened.part.package)
    return opened, content


def _core_properties(package: Any) -> Any | None:
    """None if there are none in the file: the libraries would make some up."""
    relations = package.rels if isinstance(package, WordPackage) else package._rels  # noqa: SLF001
    if not any(relation.reltype.endswith("/core-properties") for relation in relations.values()):
        return None
    return package.core_properties


def _transitional(found: re.Match[bytes]) -> bytes:
    return b"http://schemas.openxmlformats.org/" + found[1] + b"/2006/" + _STRICT_NAMES.get(found[2], found[2])


def _without_dangling(archive: zipfile.ZipFile, content: Content) -> bytes:
    """The file without relations to parts that it does not have; those parts go on record in `content`."""
    present = {name.lower() for name in archive.namelist()}

    def mend(name: str, part: bytes) -> bytes:
        if not name.endswith(".rels"):
            return part
        base = posixpath.dirname(posixpath.dirname(name))
        relations = etree.fromstring(part, etree.XMLParser(resolve_entities=False))
        for relation in list(relations):
            target = posixpath.normpath(posixpath.join("/", base, relation.get("Target", "").split("#")[0])).lstrip("/")
            if relation.get("TargetMode") != "External" and target.lower() not in present:
                has_text = relation.get("Type", "").rpartition("/")[2] in _TEXTS
                (content.missing if has_text else content.warnings).append(f"the file does not hold its part {target}")
                relations.remove(relation)
        mended: bytes = etree.tostring(relations)
        return mended

    return _rewritten(archive, mend)


def _rewritten(archive: zipfile.ZipFile, change: Callable[[str, bytes], bytes]) -> bytes:
    """The archive with each part of XML changed."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        for name in dict.fromkeys(archive.namelist()):
            part = archive.read(name)
            target.writestr(name, change(name, part) if name.endswith((".xml", ".rels")) else part)
    return out.getvalue()
