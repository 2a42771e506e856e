"""Kerf as `kerf sync` parses a file, fidelity measured; without the sandbox's process around it."""

from __future__ import annotations

from importlib.metadata import version as _version
from pathlib import Path

from bench.blocks import Block, Reading
from chunkers.document import Document, Kind, heading_text
from corpus.config import Corpus, FilesystemSource
from corpus.errors import PartialParse
from corpus.parsers import parse
from corpus.recipes import accepted, parse_settings

_CORPUS = Corpus(name="bench", source=FilesystemSource(path=Path()))
_SETTINGS = parse_settings(_CORPUS)


def version() -> str:
    """Which Kerf this is."""
    return _version("kerf")


def read(path: Path) -> Reading:
    """Parse a file; raises `KerfError`."""
    document = parse(path.read_bytes(), uri=path.name, settings=_SETTINGS)
    try:
        accepted(_CORPUS, document, path.name)
        partial = ""
    except PartialParse as error:
        partial = error.message
    return Reading(blocks_of(document), document.fidelity, partial)


def blocks_of(document: Document) -> tuple[Block, ...]:
    """A document's blocks as the checks see them; its metadata is no part of it."""
    return tuple(
        Block.table(block.rows, block.page)
        if block.rows is not None
        else Block(block.kind.value, _text(document, block.kind, block.start, block.end), block.page, block.level)
        for block in document.body
    )


def _text(document: Document, kind: Kind, start: int, end: int) -> str:
    written = document.text[start:end]
    return heading_text(written) if kind is Kind.HEADING else written
