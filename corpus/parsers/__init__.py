"""Bytes → `Document`: what a file is, which parser reads it, and what the parser could not know.

Imports nothing heavy by itself: `parse` runs in a sandbox process that is started for untrusted input, and loads
only the parser that it needs.
"""

from __future__ import annotations

from dataclasses import replace

from chunkers.document import Document
from chunkers.identity import fingerprint as _fingerprint
from corpus.errors import KerfError, ParseError
from corpus.parsers import decode, detect, fidelity, language
from corpus.parsers.base import PARSERS, Settings, declared, parser_for

__all__ = ["Settings", "called", "fingerprint", "parse"]

DEFAULTS = Settings()

READ_HTML = frozenset({"markdown", "mail", "notebook"})  #: parsers that hand HTML to the parser of it


def parse(data: bytes, *, uri: str, settings: Settings = DEFAULTS) -> Document:
    """Parse one file.

    Raises `UnsupportedFormat`, `ParseError` or `LimitExceeded`, each with `uri` and stage `parse`. A file without
    anything to index is an error, never an empty document. What did not arrive is in the document's `missing` and
    `fidelity`; whether that is acceptable is not decided here.
    """
    try:
        if not data:
            raise ParseError("the file is empty", hint="0 bytes: fill it, remove it, or exclude it")
        media_type = detect.detect(data, uri)
        parsed = parser_for(media_type).parse(data, media_type, settings)
        document = parsed.document
        if not any(document.text[block.start : block.end].strip() for block in document.body):
            raise _nothing(document)
    except KerfError as error:
        error.uri, error.stage = uri, "parse"
        raise
    document = replace(document, fidelity=fidelity.measure(data, parsed))
    return document if document.language else replace(document, language=language.of(document), language_guessed=True)


def fingerprint(media_type: str, settings: Settings) -> str:
    """What a document of this type was parsed with: another fingerprint means another parse may come out."""
    parser = declared(media_type)
    read = {
        "detect": detect.VERSION,
        "decode": decode.VERSION,
        "fidelity": fidelity.VERSION,
        "language": language.VERSION,
        **({"html": declared("text/html").version} if parser.name in READ_HTML else {}),
        **{name: getattr(settings, name) for name in sorted(parser.reads)},
    }
    return _fingerprint(f"parse/{parser.name}", parser.version, read)


def called(media_type: str | None) -> str | None:
    """Name and version of the parser that reads this type, for people: `markdown 3`; None: there is none."""
    if media_type not in PARSERS:
        return None
    parser = declared(media_type)
    return f"{parser.name} {parser.version}"


def _nothing(document: Document) -> ParseError:
    if document.blocks:
        return ParseError("there is nothing to index: the file holds only metadata", hint="fill it, or exclude it")
    if not document.text.strip():
        return ParseError("there is nothing to index: the file holds no text", hint="fill it, or exclude it")
    return ParseError("the parser found no text in the file", hint="the file may be damaged; open it, or exclude it")
