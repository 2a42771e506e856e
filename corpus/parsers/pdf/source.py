"""Reading a PDF file: what liteparse sees on its pages, and what pypdfium2 knows of the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.errors import LimitExceeded, ParseError
from corpus.parsers.pdf.account import with_whole_text
from corpus.parsers.pdf.pages import Page, damaged, pages_of
from corpus.parsers.pdf.text import key, storable

OUTLINE_ENTRIES = 20_000

_NO_TITLE = re.compile(
    r"(?i)^untitled|^unnamed|^unknown$|^doi:|^microsoft (?:word|powerpoint|excel) - |^powerpoint presentation$"
    r"|^(?:document|slide|page|title)\s?\d*$|^(?:user|admin\w*|owner|author)$"
    r"|\.(?:docx?|pdf|dvi|tex|qxd|indd|pptx?|xlsx?|ps|pmd)$"
)


@dataclass(frozen=True, slots=True)
class Source:
    """All that later steps read."""

    pages: tuple[Page, ...]
    outline: Mapping[tuple[int, str], int]  #: (page, key of the title) → depth, 1 is the outermost
    title: str | None
    author: str | None
    date: str | None
    replaced: int  #: characters of the text layer that cannot be stored or say nothing


def read(data: bytes, pages: int) -> Source:
    """Open a PDF of at most `pages` pages.

    Raises `ParseError` if it is encrypted with a password, damaged, or has no pages; `LimitExceeded` if it has more.
    """
    with _opened(data) as document:
        count = len(document)
        if count == 0:
            raise ParseError("the PDF has no pages", hint="it may be damaged; open it and save it again, or exclude it")
        if count > pages:
            raise LimitExceeded(
                f"the PDF has {count} pages, the limit is {pages}",
                hint="raise limits.pages in corpora.yaml, or split it",
            )
        shown = tuple(with_whole_text(page, document) for page in pages_of(data, document))
        metadata = document.get_metadata_dict()
        return Source(
            pages=shown,
            outline=_outline(document),
            title=_said(metadata.get("Title")),
            author=_said(metadata.get("Author")),
            date=iso_date(metadata.get("ModDate") or "") or iso_date(metadata.get("CreationDate") or ""),
            replaced=sum(page.replaced for page in shown),
        )


def iso_date(text: str) -> str | None:
    """The day in a date as PDF writes it (`D:20221208103327Z`), if there is one."""
    match = re.match(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?", text.strip())
    if not match:
        return None
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    if not (1900 < year < 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{year:04}-{month:02}-{day:02}"


def _opened(data: bytes) -> Any:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise ParseError(
                "the PDF is encrypted with a password", hint="remove the password, or exclude the file"
            ) from error
        raise damaged(str(error)) from error


def _outline(document: Any) -> dict[tuple[int, str], int]:
    outline: dict[tuple[int, str], int] = {}
    try:
        for number, entry in enumerate(document.get_toc(max_depth=15)):
            if number >= OUTLINE_ENTRIES:
                break
            target = entry.get_dest()
            page = target.get_index() if target else None
            title = key(entry.get_title())
            if page is not None and title:
                outline.setdefault((page + 1, title), entry.level + 1)
    except (pdfium.PdfiumError, UnicodeDecodeError):  # a broken outline costs levels, not the document
        return outline
    return outline


def _said(text: str | None) -> str | None:
    """What the document's information says, if a person may have written it; no program's, file's or key's name."""
    said = " ".join(storable(text or "")[0].split())
    letters = sum(map(str.isalpha, said))
    if letters < max(2, 0.4 * len(said.replace(" ", ""))) or _NO_TITLE.search(said):
        return None
    return said
