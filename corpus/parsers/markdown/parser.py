"""Markdown: CommonMark with tables, footnotes, definition lists, boxes, formulas, shortcodes and front matter.

The text is the source, so a block is a run of its lines; nothing is rewritten, and every line that is not blank is in a
block. A line of marks alone (a break, an empty quote, the end of a box) goes with the paragraph, item, quote, footnote
or caption above it, else with the one below it, else it is a paragraph.

What no reader sees (comments, link definitions, scripts and styles, lists of attributes) is metadata at the head of the
file, before a heading and at the end. Elsewhere it is a paragraph, because nothing is cut across metadata and a comment
is no reason to part a heading from its text.
"""

from __future__ import annotations

from typing import ClassVar

from chunkers.document import Block, Document, Kind
from corpus.parsers import decode
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.markdown.blocks import blocks_of
from corpus.parsers.markdown.front import FrontMatter, read_front_matter
from corpus.parsers.markdown.inline import Inline
from corpus.parsers.markdown.leaves import leaves_of


class MarkdownParser:
    """Reads Markdown into spans of its source."""

    name: ClassVar[str] = "markdown"
    version: ClassVar[int] = 2
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        text = decoded.text
        front = read_front_matter(text)
        # The front matter's lines are blanked, not cut off, so that line numbers stay those of the file.
        body = "\n" * text.count("\n", 0, front.end) + text[front.end :]
        leaves, references = leaves_of(body)
        blocks = blocks_of(text, body, leaves, Inline(references))
        return Parsed(
            Document(
                text=text,
                blocks=(*_metadata(text, front), *blocks),
                media_type=media_type,
                text_is_source=True,
                language=front.language,
                title=front.title or _first_heading(blocks),
                source_url=front.source_url,
                date=front.date,
                author=front.author,
                description=front.description,
                tags=front.tags,
                encoding=decoded.encoding,
                replaced=decoded.replaced,
                warnings=front.warnings,
            )
        )


def _metadata(text: str, front: FrontMatter) -> tuple[Block, ...]:
    source = text[: front.end]
    start, end = len(source) - len(source.lstrip()), len(source.rstrip())
    return (Block(Kind.METADATA, start, end),) if start < end else ()


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
