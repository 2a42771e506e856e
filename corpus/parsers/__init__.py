"""Bytes → `Document`: what a file is, which parser reads it, and what the parser could not know.

Imports nothing heavy by itself: `parse` runs in a sandbox process that is started for untrusted input, and loads
only the parser that it needs.
"""

from __future__ import annotations

from dataclasses import replace

from chunkers.document import Document
from chunkers.identity import fingerprint as _fingerprint
from corpus.errors import KerfError, ParseError
from corpus.parsers import decode, detect, language
from corpus.parsers.base import parser_for

__all__ = ["fingerprint", "parse"]

#: parsers that look at pages, and so depend on the limit
_PAGED = frozenset({"pdf"})


def parse(data: bytes, *, uri: str, pages: int = 5000) -> Document:
    """Parse one file; `pages` is the most pages that may be read.

    Raises `UnsupportedFormat`, `ParseError`, `PartialParse` or `LimitExceeded`, each with `uri` and stage `parse`. A
    file without anything to index is an error, never an empty document.
    """
    try:
        if not data:
            raise ParseError("the file is empty", hint="0 bytes: fill it, remove it, or exclude it")
        media_type = detect.detect(data, uri)
        document = parser_for(media_type).parse(data, media_type, pages=pages)
        if not any(document.text[block.start : block.end].strip() for block in document.body):
            raise _nothing(document)
    except KerfError as error:
        error.uri, error.stage = uri, "parse"
        raise
    return document if document.language else replace(document, language=language.of(document), language_guessed=True)


def fingerprint(media_type: str, *, pages: int) -> str:
    """What a document of this type was parsed with: another fingerprint means another parse may come out."""
    parser = parser_for(media_type)
    settings = {
        "detect": detect.VERSION,
        "decode": decode.VERSION,
        "language": language.VERSION,
        **({"html": parser_for("text/html").version} if parser.name == "markdown" else {}),  # reads raw tables
        **({"pages": pages} if parser.name in _PAGED else {}),
    }
    return _fingerprint(f"parse/{parser.name}", parser.version, settings)


def _nothing(document: Document) -> ParseError:
    if document.blocks:
        return ParseError("there is nothing to index: the file holds only metadata", hint="fill it, or exclude it")
    if not document.text.strip():
        return ParseError("there is nothing to index: the file holds no text", hint="fill it, or exclude it")
    return ParseError("the parser found no text in the file", hint="the file may be damaged; open it, or exclude it")
