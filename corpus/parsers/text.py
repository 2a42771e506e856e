"""Plain text and logs. The text is the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from chunkers.document import Block, Document, Kind
from corpus.parsers import decode
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.log_lines import records

_PARAGRAPH = re.compile(r"(?:^[^\n]*\S[^\n]*\n?)+", re.MULTILINE)


class TextParser:
    """Reads plain text by its blank lines, and logs by their records.

    No line is guessed to be a heading. A record is a line with what continues it: indented lines, and in a log whose
    records begin with a time, every line that does not.
    """

    name: ClassVar[str] = "text"
    version: ClassVar[int] = 2
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        spans = records(decoded.text) if media_type == "text/x-log" else paragraphs(decoded.text)
        return Parsed(
            Document(
                text=decoded.text,
                blocks=tuple(Block(Kind.PARAGRAPH, start, end) for start, end in spans),
                media_type=media_type,
                text_is_source=True,
                encoding=decoded.encoding,
                replaced=decoded.replaced,
            )
        )


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that are not blank."""
    for match in _PARAGRAPH.finditer(text):
        yield match.start(), match.start() + len(match[0].rstrip())
