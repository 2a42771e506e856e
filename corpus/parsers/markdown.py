"""Markdown: CommonMark with tables, footnotes, definition lists, admonitions, containers and formulas.

The text is the source, so a block is a run of its lines; nothing is rewritten.
"""

from __future__ import annotations

from typing import ClassVar

from chunkers.document import Block, Document, Kind
from corpus.parsers import decode
from corpus.parsers.markdown_blocks import blocks_of
from corpus.parsers.markdown_front import FrontMatter, read_front_matter
from corpus.parsers.markdown_inline import Inline
from corpus.parsers.markdown_leaves import leaves_of


class MarkdownParser:
    """Reads Markdown into spans of its source."""

    name: ClassVar[str] = "markdown"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:  # noqa: ARG002 - Markdown has no pages
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        text = decoded.text
        front = read_front_matter(text)
        # The front matter's lines are blanked, not cut off, so that line numbers stay those of the file.
        body = "\n" * text.count("\n", 0, front.end) + text[front.end :]
        leaves, references = leaves_of(body)
        blocks = blocks_of(text, body, leaves, Inline(references))
        return Document(
            text=text,
            blocks=(*_metadata(text, front), *blocks),
            media_type=media_type,
            text_is_source=True,
            language=front.language,
            title=front.title or _first_heading(blocks),
            source_url=front.source_url,
            date=front.date,
            author=front.author,
            tags=front.tags,
            encoding=decoded.encoding,
            replaced=decoded.replaced,
            warnings=front.warnings,
        )


def _metadata(text: str, front: FrontMatter) -> tuple[Block, ...]:
    end = len(text[: front.end].rstrip())
    return (Block(Kind.METADATA, 0, end),) if end else ()


def _first_heading(blocks: tuple[Block, ...]) -> str | None:
    """The text of the first heading of the first level."""
    return next(
        (
            block.section_path[-1]
            for block in blocks
            if block.kind is Kind.HEADING and block.level == 1 and block.section_path[-1]
        ),
        None,
    )
