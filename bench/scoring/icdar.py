"""The score of the ICDAR 2013 table competition: adjacency relations of cells, against the truth of a data folder."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

Rows = Sequence[Sequence[str]]
Relations = Counter[tuple[str, str, str]]  #: (text, neighbour's text, "right" or "below")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and the rows and columns that it covers, both ends included."""

    text: str
    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Score:
    """Relations that truth and parser share, that the parser found, and that there are."""

    shared: int = 0
    found: int = 0
    there: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.shared + other.shared, self.found + other.found, self.there + other.there)

    @property
    def precision(self) -> float:
        """Share of what was found that is there; 1 if nothing was found."""
        return self.shared / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of what is there that was found; 1 if nothing is there."""
        return self.shared / self.there if self.there else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.shared / (self.found + self.there) if self.found + self.there else 1.0


def score(folder: Path, tables: Callable[[bytes, str], Iterable[Rows]]) -> dict[str, Score]:
    """The score of each file of a folder, by file name; `tables` gives the rows of every table of a file.

    It is called with the file's bytes and name. Where a file has two truths, the one that fits better counts. Over the
    files: `sum(scores.values(), Score()).f1`.
    """
    scores = {}
    for path in sorted(folder.glob("*.pdf")):
        found: Relations = Counter()
        for rows in tables(path.read_bytes(), path.name):
            found += relations(cells_of(rows))
        truths = [_truth(folder / f"{stem}-str.xml") for stem in _stems(path)]
        scores[path.name] = max((_compared(found, truth) for truth in truths), key=lambda one: one.f1)
    return scores


def cells_of(rows: Rows) -> list[Cell]:
    """The cells of a table that is given as rows of texts."""
    return [Cell(text, (r, r), (c, c)) for r, row in enumerate(rows) for c, text in enumerate(row)]


def relations(cells: Iterable[Cell]) -> Relations:
    """Each cell with the nearest cell right of it in each of its rows, and below it in each of its columns."""
    full = [cell for cell in cells if normal(cell.text)]
    by_row: dict[int, list[Cell]] = {}
    by_column: dict[int, list[Cell]] = {}
    for cell in full:
        for row in range(cell.rows[0], cell.rows[1] + 1):
            by_row.setdefault(row, []).append(cell)
        for column in range(cell.columns[0], cell.columns[1] + 1):
            by_column.setdefault(column, []).append(cell)
    met: set[tuple[int, int, str]] = set()
    found: Relations = Counter()
    for direction, lines in (("right", by_row), ("below", by_column)):
        for line in lines.values():
            line.sort(key=lambda cell: cell.columns if direction == "right" else cell.rows)
            for one, two in pairwise(line):
                if (id(one), id(two), direction) not in met:
                    met.add((id(one), id(two), direction))
                    found[normal(one.text), normal(two.text), direction] += 1
    return found


def normal(text: str) -> str:
    """Lower case letters and digits; the text without white space if it has none."""
    text = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\W_]", "", text) or re.sub(r"\s", "", text)


def _stems(path: Path) -> list[str]:
    """The names of a file's truths: `NAMEa.pdf` has those of `NAMEa` and `NAMEb`."""
    stem = path.stem
    stems = [stem, f"{stem[:-1]}b"] if stem.endswith("a") else [stem]
    return [stem for stem in stems if (path.parent / f"{stem}-str.xml").exists()]


def _truth(path: Path) -> Relations:
    found: Relations = Counter()
    for region in ElementTree.parse(path).iter("region"):  # noqa: S314 - a file of the test data
        found += relations(map(_cell, region.iter("cell")))
    return found


def _cell(element: ElementTree.Element) -> Cell:
    def span(name: str) -> tuple[int, int]:
        start = int(element.attrib[f"start-{name}"])
        return start, int(element.attrib.get(f"end-{name}", start))

    return Cell(element.findtext("content") or "", span("row"), span("col"))


def _compared(found: Relations, truth: Relations) -> Score:
    return Score((found & truth).total(), found.total(), truth.total())
