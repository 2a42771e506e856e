"""What Kerf must reach in `make bench-parse`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.goals import Goal
from bench.peers import HTML, ICDAR, OFFICE, PDF
from bench.results import Result
from bench.scoring.icdar import Score

Results = Mapping[str, Result]  #: Kerf's, by folder


def _checks(folder: str) -> Callable[[Results], float]:
    return lambda results: float(results[folder].passed.total())


def _tables(results: Results) -> float:
    return sum(results[ICDAR].tables.values(), Score()).f1


def _pages_a_second(results: Results) -> float:
    pages, seconds = (sum(getattr(results[folder], name) for folder in (PDF, ICDAR)) for name in ("pages", "cpu"))
    return pages / seconds if seconds else 0.0


def _whole(results: Results) -> float:
    """Share of the documents that a corpus with the default settings would take as they are."""
    documents = [one for result in results.values() for one in result.measured if result.must_be_read(one.path.name)]
    return sum(1 for one in documents if one.reading and not one.reading.partial) / max(len(documents), 1)


GOALS: tuple[Goal[Results], ...] = (
    Goal("checks passed on PDF files, of 65", 60, _checks(PDF)),
    Goal("checks passed on HTML pages, of 51", 50, _checks(HTML)),
    Goal("checks passed on office files, of 27", 27, _checks(OFFICE)),
    Goal("F1 of table cells, ICDAR 2013", 0.88, _tables, places=3),
    Goal("pages a second of CPU, PDF with a text layer", 40, _pages_a_second),
    Goal("share of documents read whole, fidelity at or above the floor", 1.0, _whole, places=3),
)
