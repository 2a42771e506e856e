"""Where the tables of a sheet lie: cells in their places to captions, paragraphs and rows.

Pure. A table ends at an empty row, unless what follows goes on with its columns and has no header of its own; tables
side by side are parted by an empty column. Rows with a single cell above a table are its caption.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from chunkers.document import Kind
from chunkers.tables import shape
from corpus.errors import LimitExceeded
from corpus.parsers.draft import Draft, Rows
from corpus.parsers.spreadsheet.cells import Row

Region = list[tuple[int, Row]]  #: rows, each with its number

MAX_PLACES = 20_000_000  #: rows times columns of one table
_DEEPEST = 4  #: how often a region is looked at again for tables beside and below each other
_LONG_CAPTION = 200  #: characters; above it the text over a table is a paragraph
_PROSE = 60  #: characters of a cell on average; a column of such cells is text, not a table
_PARAGRAPHS = 500  #: rows of a lone column; with more it is a table


def drafts(rows: dict[int, Row]) -> Iterator[Draft]:
    """The blocks of a sheet in reading order; what is above comes first, then what is left."""
    for region in _joined(_regions(list(rows.items()), 0)):
        yield from _blocks(region)


def _regions(rows: Region, depth: int) -> Iterator[Region]:
    for run in _runs(rows):
        spans = _spans(run) if depth < _DEEPEST else []
        parts = _parted(run, spans)
        if len(parts) < 2 or not _are_tables(parts):
            yield run
            continue
        for part in parts:
            yield from _regions(part, depth + 1)


def _runs(rows: Region) -> Iterator[Region]:
    """Rows without an empty one between them."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at][0] > rows[at - 1][0] + 1:
            yield rows[start:at]
            start = at


def _spans(run: Region) -> list[tuple[int, int]]:
    """The runs of columns without an empty one between them; none if one of them is a single column."""
    used = sorted({column for _, row in run for column in row})
    starts = [used[0], *(after for before, after in pairwise(used) if after > before + 1)]
    ends = [*(before for before, after in pairwise(used) if after > before + 1), used[-1]]
    spans = list(zip(starts, ends, strict=True))
    return [] if any(first == last for first, last in spans) else spans


def _parted(run: Region, spans: list[tuple[int, int]]) -> list[Region]:
    """The rows of each span of columns, as far as they hold something there."""
    if len(spans) < 2:
        return [run]
    starts = [first for first, _ in spans]
    parts: list[Region] = [[] for _ in spans]
    for number, row in run:
        inside: dict[int, Row] = {}
        for column, text in row.items():
            inside.setdefault(bisect_right(starts, column) - 1, {})[column] = text
        for at, cells in inside.items():
            parts[at].append((number, cells))
    return parts


def _are_tables(parts: list[Region]) -> bool:
    """Whether parts side by side are tables of their own: figures without labels beside them are not."""
    for part in parts:
        first = min(column for _, row in part for column in row)
        if not any(shape(row[first]) == "text" for _, row in part[1:] if first in row):
            return False
    return True


@dataclass(slots=True)
class _Grown:
    """A region as it grows, with what is asked of it again and again."""

    rows: Region
    body: int  #: rows below the titles
    columns: set[int]  #: of those

    @classmethod
    def of(cls, region: Region) -> _Grown:
        body = _without_titles(region)
        return cls(list(region), len(body), {column for _, row in body for column in row})

    def goes_on_with(self, region: Region) -> bool:
        """Whether a region below has no header of its own and figures where this one has them."""
        if self.body < 2 or len(self.columns) < 2 or region[0][0] <= self.rows[-1][0]:
            return False
        if not all(column in self.columns for _, row in region for column in row):
            return False
        last, first = self.rows[-1][1], region[0][1]
        figures = [column for column, text in first.items() if shape(text) not in ("text", "year")]
        return bool(figures) and all(shape(last.get(column, first[column])) != "text" for column in figures)

    def take(self, region: Region) -> None:
        """Put the rows of a region at the end."""
        self.rows += region
        self.body += len(region)


def _joined(found: Iterable[Region]) -> Iterator[Region]:
    """Regions, where one that goes on with the columns of the one above it has become a part of it."""
    grown: _Grown | None = None
    for region in found:
        if grown and grown.goes_on_with(region):
            grown.take(region)
            continue
        if grown:
            yield grown.rows
        grown = _Grown.of(region)
    if grown:
        yield grown.rows


def _without_titles(region: Region) -> Region:
    at = 0
    while at < len(region) and len(region[at][1]) == 1:
        at += 1
    return region[at:]


def _blocks(region: Region) -> Iterator[Draft]:
    table = _without_titles(region)
    if not table and not _is_prose(region):
        table = region
    for number, (_, row) in enumerate(region[: len(region) - len(table)], 1):
        text = next(iter(row.values()))
        above_table = table and number == len(region) - len(table) and len(text) <= _LONG_CAPTION
        yield Draft(Kind.CAPTION if above_table else Kind.PARAGRAPH, text)
    if table:
        yield Draft(Kind.TABLE, "", rows=_grid(table))


def _is_prose(region: Region) -> bool:
    texts = [text for _, row in region for text in row.values()]
    if len(texts) > _PARAGRAPHS:
        return False
    return len(texts) < 3 or sum(map(len, texts)) > _PROSE * len(texts)


def _grid(region: Region) -> Rows:
    columns = sorted({column for _, row in region for column in row})
    if len(columns) * len(region) > MAX_PLACES:
        raise LimitExceeded(
            f"a table of {len(region):,} rows and {len(columns):,} columns has more than {MAX_PLACES:,} places",
            hint="split it, or exclude it",
        )
    return tuple(tuple(row.get(column, "") for column in columns) for _, row in region)
