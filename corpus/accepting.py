"""What a corpus asks of the parsers, and how much of a document must have arrived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from chunkers.document import Document
from corpus import parsers
from corpus.config import Corpus
from corpus.errors import PartialParse

PDF = "application/pdf"


def parse_settings(corpus: Corpus) -> parsers.Settings:
    """What a corpus asks of the parsers."""
    parsing = corpus.parsing
    return parsers.Settings(
        pages=corpus.limits.pages,
        pdf=parsing.pdf,
        ocr_languages=tuple(parsing.ocr_languages),
        ocr_seconds=parsing.ocr_seconds,
    )


class Arrived(Protocol):
    """What is known of how much of a document arrived."""

    @property
    def media_type(self) -> str | None:
        """What it is."""

    @property
    def missing(self) -> Sequence[str]:
        """What its parser knows that it did not get."""

    @property
    def fidelity(self) -> float | None:
        """The share of the source's own words that came through; None: not known."""


def not_read(corpus: Corpus, document: Arrived) -> str:
    """What did not arrive, in words; empty if that is nothing, or as little as the corpus allows."""
    parsing, missing = corpus.parsing, list(document.missing)
    floor = parsing.pdf_fidelity if document.media_type == PDF else parsing.fidelity
    if document.fidelity is not None and document.fidelity < floor:
        missing.append(f"{1 - document.fidelity:.1%} of the source's words ({1 - floor:.1%} may be)")
    return f"not read: {'; '.join(missing)}" if missing else ""


def accepted(corpus: Corpus, document: Document, uri: str) -> Document:
    """The document as it may be published: with a warning for all that is missing, if the corpus accepts that.

    Raises `PartialParse` if it does not: something is known to be missing, or too few of the source's own words came
    through.
    """
    said = not_read(corpus, document)
    if not said:
        return document
    if not corpus.parsing.accept_partial:
        raise PartialParse(
            said,
            hint="mend the file, exclude it, or set parsing.accept_partial to have such documents as they are",
            uri=uri,
            stage="parse",
        )
    return replace(document, warnings=(*document.warnings, said))
