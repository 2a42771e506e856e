"""Plain text and logs. The text is the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from chunkers.document import Block, Document, Kind
from corpus.parsers import decode
from corpus.parsers.detect import starts_record

_PARAGRAPH = re.compile(r"(?:^[^\n]*\S[^\n]*\n?)+", re.MULTILINE)
_RECORDS = 20_000  #: above it records share a block: a million small objects help nobody, a log is cut between lines
_LINES = 200  #: of such a shared block, at most


class TextParser:
    """Reads plain text by its blank lines, and logs by their records.

    No line is guessed to be a heading. A record is a line with what continues it: indented lines, and in a log whose
    records begin with a time, every line that does not.
    """

    name: ClassVar[str] = "text"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:  # noqa: ARG002 - text has no pages
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        spans = records(decoded.text) if media_type == "text/x-log" else paragraphs(decoded.text)
        return Document(
            text=decoded.text,
            blocks=tuple(Block(Kind.PARAGRAPH, start, end) for start, end in spans),
            media_type=media_type,
            text_is_source=True,
            encoding=decoded.encoding,
            replaced=decoded.replaced,
        )


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that are not blank."""
    for match in _PARAGRAPH.finditer(text):
        yield match.start(), match.start() + len(match[0].rstrip())


def records(text: str) -> list[tuple[int, int]]:
    """The records of a log, in order; neighbours are put together when there are more than 20,000."""
    lines = [match.span() for match in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if not lines:
        return []
    stamped = any(starts_record(text[start:end]) for start, end in lines[:50])
    begins = _is_stamped if stamped else _is_flush_left
    firsts = [at for at, (start, _) in enumerate(lines) if at == 0 or begins(text, start)]
    if len(firsts) > _RECORDS:
        kept = [0]
        for at in firsts:
            if at - kept[-1] >= _LINES:
                kept.append(at)
        firsts = kept
    ends = [*firsts[1:], len(lines)]
    return [
        (lines[first][0], lines[first][0] + len(text[lines[first][0] : lines[last - 1][1]].rstrip()))
        for first, last in zip(firsts, ends, strict=True)
    ]


def _is_stamped(text: str, start: int) -> bool:
    return starts_record(text[start : start + 200])


def _is_flush_left(text: str, start: int) -> bool:
    """Whether a line begins a record where there are no times: it does not go on with what came before it."""
    return not (text[start].isspace() or text.startswith(("}", "]", ")", "Caused by:", "Traceback "), start))
