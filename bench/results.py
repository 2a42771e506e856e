"""What the peers did: checks passed by kind, table scores, pages a second."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

from bench.blocks import TABLE
from bench.peers import ICDAR, PDF
from bench.running import Measured
from bench.scoring import checks, icdar

LETTERS = 100  #: a page, on average, of a PDF that counts as having a text layer


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the test data."""

    path: Path
    checks: tuple[Sequence[Any], ...] = ()
    pages: int = (
        0  #: PDF: as pdfium counts them, whatever a peer says; 0 without a text layer or if it cannot be opened
    )


def sources(folder: Path) -> dict[str, Source]:
    """The files of a folder by name, the smallest first: with their checks, if it has any, and PDF files' pages."""
    facts = folder / "checks.json"
    asked = json.loads(facts.read_text(encoding="utf-8")) if facts.exists() else {}
    suffixes = (".pdf",) if folder.name in (PDF, ICDAR) else (".html", ".htm", ".docx", ".pptx")
    paths = sorted((p for p in folder.iterdir() if p.suffix in suffixes), key=lambda p: (p.stat().st_size, p.name))
    return {
        path.name: Source(path, tuple(asked.get(path.name, {}).get("checks", ())), text_pages(path)) for path in paths
    }


def text_pages(path: Path) -> int:
    """Pages of a PDF that has a text layer, and 0 of any other file."""
    if path.suffix != ".pdf":
        return 0
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError:
        return 0
    with document:
        letters = sum(page.get_textpage().count_chars() for page in document)
        return len(document) if letters >= LETTERS * len(document) else 0


@dataclass(frozen=True)
class Result:
    """What one peer made of one folder."""

    folder: Path
    sources: Mapping[str, Source]
    measured: tuple[Measured, ...]

    @cached_property
    def failed(self) -> Mapping[str, tuple[Sequence[Any], ...]]:
        """The checks that did not hold, by file. A file that could not be read fails all of its checks."""
        failed = {}
        for one in self.measured:
            asked = self.sources[one.path.name].checks
            checker = checks.of_folder(self.folder.name, one.reading.blocks) if one.reading else None
            failed[one.path.name] = tuple(check for check in asked if not (checker and checker.holds(check)))
        return failed

    @property
    def compared(self) -> Result:
        """The same, of the files alone that every peer reads: those with checks, or with the truth of their tables."""
        scored = (one for one in self.measured if self.folder.name == ICDAR or self.sources[one.path.name].checks)
        return Result(self.folder, self.sources, tuple(scored))

    @property
    def asked(self) -> Counter[str]:
        """How many checks there are of each kind."""
        return _by_kind(check for one in self.measured for check in self.sources[one.path.name].checks)

    @property
    def passed(self) -> Counter[str]:
        """How many of them hold."""
        return self.asked - _by_kind(check for failed in self.failed.values() for check in failed)

    @cached_property
    def tables(self) -> Mapping[str, icdar.Score]:
        """The score of each file's tables."""
        readings = {one.path.name: one.reading for one in self.measured}

        def found(_: bytes, name: str) -> Iterable[icdar.Rows]:
            reading = readings[name]
            return [block.rows for block in reading.blocks if block.kind == TABLE] if reading else []

        return icdar.score(self.folder, found)

    @property
    def pages(self) -> int:
        """Pages of the PDF files with a text layer of which something came."""
        return sum(self.sources[one.path.name].pages for one in self.measured if one.reading and one.reading.blocks)

    @property
    def seconds(self) -> float:
        """What reading those files took by the clock; of a folder without PDF files, what reading all of them took."""
        return sum(one.seconds for one in self.measured if self.must_be_read(one.path.name))

    @property
    def cpu(self) -> float:
        """The same in seconds of the processor, which other work on the machine does not change."""
        return sum(one.cpu for one in self.measured if self.must_be_read(one.path.name))

    def must_be_read(self, name: str) -> bool:
        """Whether everybody can read a file: PDF files need a text layer and no password."""
        return self.folder.name not in (PDF, ICDAR) or self.sources[name].pages > 0

    @property
    def peak_mb(self) -> int:
        """Highest resident memory while reading any of the files."""
        return max((one.peak_mb for one in self.measured), default=0)

    @property
    def empty(self) -> tuple[Measured, ...]:
        """The files that nothing came of, with an error or without."""
        return tuple(one for one in self.measured if not (one.reading and one.reading.blocks))


def _by_kind(some: Iterable[Sequence[Any]]) -> Counter[str]:
    return Counter(checks.ABOUT[check[0]] for check in some)
