"""PDF: liteparse reads the pages; what it gets wrong is put right here, step by step.

Read (`source`), blocks (`blocks`), tables made whole (`whole_tables`, `statements`), running headers and footers out
(`furniture`), broken paragraphs together (`flow`), headings and their levels (`headings`). A page without
a text layer goes through OCR first (`ocr.pages`), and then the same way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from chunkers.document import Document, Kind
from corpus.errors import ParseError
from corpus.parsers import progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.draft import Draft, write
from corpus.parsers.pdf import unstructured
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.blocks import blocks_of
from corpus.parsers.pdf.captions import with_captions_apart
from corpus.parsers.pdf.code import body_font, is_monospaced
from corpus.parsers.pdf.continued import continued_tables, with_captions_beside
from corpus.parsers.pdf.flow import joined
from corpus.parsers.pdf.furniture import without_furniture
from corpus.parsers.pdf.headings import with_headings
from corpus.parsers.pdf.labels import page_labels
from corpus.parsers.pdf.ocr.pages import with_scans
from corpus.parsers.pdf.orphans import stamps
from corpus.parsers.pdf.said import title_of, without_meaning
from corpus.parsers.pdf.source import Source, read
from corpus.parsers.pdf.statements import with_statements
from corpus.parsers.pdf.whole_tables import whole_tables


class PdfParser:
    """Text, headings with levels, lists, tables with rows, code, captions; each with its page and box."""

    name: ClassVar[str] = "pdf"
    version: ClassVar[int] = 3
    reads: ClassVar[frozenset[str]] = frozenset({"pages", "pdf", "ocr_languages"})

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:
        """Parse a PDF.

        Raises `ParseError` if it is damaged, encrypted with a password, or a scan that OCR cannot read;
        `LimitExceeded` if it has more pages than it may.
        """
        source = read(data, settings.pages)
        if settings.pdf != "layout":
            return unstructured.parsed(data, media_type, source, settings)
        scans = with_scans(data, source.pages, settings)
        source = replace(source, pages=scans.pages)
        blocks, left_out = _blocks(source)
        if scans.nothing or not any(block.text or block.rows for block in blocks):
            raise scans.nothing or ParseError("the PDF has no text: its pages are blank", hint="exclude it")
        glyphs = without_meaning(source.pages)
        text, placed = write(map(_draft, blocks))
        return Parsed(
            Document(
                text=text,
                blocks=placed,
                media_type=media_type,
                text_is_source=False,
                title=source.title or title_of(blocks),
                date=source.date,
                author=source.author,
                page_labels=page_labels(source.pages),
                replaced=source.replaced,
                warnings=(*scans.warnings, *glyphs.warnings),
                missing=(*scans.missing, *glyphs.missing),
            ),
            left_out=tuple(left_out),
        )


def _blocks(source: Source) -> tuple[list[PdfBlock], list[str]]:
    """The blocks in reading order, and the texts that were left out on purpose."""
    code_by_font = not is_monospaced(body_font(source.pages))
    blocks: list[PdfBlock] = []
    left_out: list[str] = []
    for page in source.pages:
        progress.reached(f"page {page.number} of {len(source.pages)}")
        whole = whole_tables(blocks_of(page, code_by_font=code_by_font), page.items)
        blocks += with_captions_apart(with_statements(whole, page), page.items)
        left_out += [*page.hidden, *stamps(page)]
    blocks, furniture = without_furniture(blocks, source.pages, source.outline)
    blocks, repeated = continued_tables(joined(blocks, source.outline))
    return with_captions_beside(with_headings(blocks, source.outline)), left_out + furniture + repeated


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
