"""PDF: liteparse reads the pages; what it gets wrong is put right here, step by step.

Read (`pdf_source`), blocks (`pdf_blocks`), tables made whole (`pdf_whole_tables`), running headers and footers out
(`pdf_furniture`), broken paragraphs together (`pdf_flow`), headings and their levels (`pdf_headings`). A page without
a text layer is not read here: it needs OCR, and the document says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from chunkers.document import Document, Kind
from corpus.errors import ParseError
from corpus.parsers.draft import Draft, write
from corpus.parsers.pdf_blocks import PdfBlock, blocks_of, body_font, is_monospaced
from corpus.parsers.pdf_flow import joined
from corpus.parsers.pdf_furniture import without_furniture
from corpus.parsers.pdf_headings import with_headings
from corpus.parsers.pdf_source import Source, read
from corpus.parsers.pdf_whole_tables import whole_tables

_FEW = 8  #: page numbers that a warning spells out


class PdfParser:
    """Text, headings with levels, lists, tables with rows, code, captions; each with its page and box."""

    name: ClassVar[str] = "pdf"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:
        """Parse a PDF.

        Raises `ParseError` if it is damaged, encrypted with a password, or a scan without a text layer;
        `LimitExceeded` if it has more than `pages` pages.
        """
        source = read(data, pages)
        blocks = _blocks(source)
        if len(source.unread) == len(source.pages) or not any(block.text or block.rows for block in blocks):
            raise _without_text(source)
        text, placed = write(map(_draft, blocks))
        return Document(
            text=text,
            blocks=placed,
            media_type=media_type,
            text_is_source=False,
            title=source.title or _title(blocks),
            date=source.date,
            author=source.author,
            replaced=source.replaced,
            warnings=_warnings(source),
        )


def _blocks(source: Source) -> list[PdfBlock]:
    code_by_font = not is_monospaced(body_font(source.pages))
    blocks = [
        block for page in source.pages for block in whole_tables(blocks_of(page, code_by_font=code_by_font), page.items)
    ]
    blocks = without_furniture(blocks, source.pages, source.outline)
    return with_headings(joined(blocks, source.outline), source.outline)


def _draft(block: PdfBlock) -> Draft:
    return Draft(
        kind=block.kind,
        text=block.text,
        level=block.level if block.kind in (Kind.HEADING, Kind.LIST_ITEM) else None,
        page=block.page,
        box=block.box,
        rows=block.rows,
        marker=block.marker,
    )


def _title(blocks: Sequence[PdfBlock]) -> str | None:
    """A heading on the first page that is set larger than everything else there."""
    first = [block for block in blocks if block.page == 1]
    largest = max((block.size for block in first), default=0.0)
    titles = [block for block in first if block.size >= 0.99 * largest]
    return titles[0].text if len(titles) == 1 and titles[0].kind is Kind.HEADING else None


def _without_text(source: Source) -> ParseError:
    if source.unread:
        return ParseError(
            "the PDF is a scan without a text layer and needs OCR",
            hint="run OCR on it (for example ocrmypdf) and put the result in its place, or exclude it",
        )
    return ParseError("the PDF has no text: its pages are blank", hint="exclude it")


def _warnings(source: Source) -> tuple[str, ...]:
    if not source.unread:
        return ()
    listed = ", ".join(map(str, source.unread[:_FEW]))
    more = f" and {len(source.unread) - _FEW} more" if len(source.unread) > _FEW else ""
    what = "page" if len(source.unread) == 1 else "pages"
    return (f"{what} {listed}{more} of {len(source.pages)} without a text layer: not read, OCR is needed",)
