"""HTML: a page's own content as Markdown-like text, its furniture left out."""

from __future__ import annotations

import re
from typing import ClassVar

from chunkers.document import Document, Kind
from corpus.parsers import decode
from corpus.parsers.html_main import main_part
from corpus.parsers.html_meta import read_head
from corpus.parsers.html_tables import grid
from corpus.parsers.html_tree import parse_tree
from corpus.parsers.html_write import Walk

_CHARSET = re.compile(
    rb"""<meta\b[^<>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]+)"""
    rb"""|<\?xml\b[^<>]{0,100}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARATION = re.compile(r"\A\s*<\?xml\b[^<>]{0,500}\?>")
_DOCTYPE = re.compile(r"\A\s*<!DOCTYPE[^\[<>]{0,500}\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)


class HtmlParser:
    """Reads pages: headings, paragraphs, lists, tables with merged cells, code as it stands."""

    name: ClassVar[str] = "html"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:  # noqa: ARG002 - a page is one page
        """Parse; raises `ParseError` for bytes that are not text, `PartialParse` if most of the page got lost."""
        found = _CHARSET.search(data[:4096])
        declared = (found[1] or found[2]).decode("ascii", "replace") if found else None
        decoded = decode.decode(data, declared)
        # Entities that a document declares itself are never expanded.
        source = _DOCTYPE.sub("", _DECLARATION.sub("", decoded.text), count=1)
        root, removed = parse_tree(source)
        head = read_head(root)
        main = main_part(root)
        text = Walk(root.size).run(main)
        blocks = tuple(text.blocks)
        heading = next((block.section_path[-1] for block in blocks if block.kind is Kind.HEADING), None)
        return Document(
            text=str(text),
            blocks=blocks,
            media_type=media_type,
            text_is_source=False,
            language=head.language,
            title=head.title or heading,
            source_url=head.source_url,
            date=head.date,
            author=head.author,
            tags=head.tags,
            encoding=decoded.encoding,
            replaced=decoded.replaced + removed,
        )


def rows_of(source: str) -> tuple[tuple[str, ...], ...]:
    """The rows of the first table in a piece of HTML, a merged cell in its first place."""
    root, _ = parse_tree(source)
    return next((grid(node) for node in root.walk() if node.tag == "table"), ())
