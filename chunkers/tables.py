"""Tables that are too long for one piece: cut between rows, the header row repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkers.document import Block
from chunkers.splitting import Grade, Measure, Segment, segments

_LOOK = 20  #: rows below the first that tell whether it is a header
_RULE = re.compile(r"[\s|:+=\-]*[-=]{2,}[\s|:+=\-]*")
_ROW_END = re.compile(r"</tr\s*>\s*", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_SHAPES = (
    ("year", re.compile(r"(?:19|20)\d\d")),
    (
        "number",
        re.compile(r"[^\w\s]{0,4} ?[^\w\s]?\d[\d.,' \u00a0\u202f]*(?:[eE][+-]?\d{1,3})? ?(?:[^\w\s]{0,3}|[A-Z]{3})\)?"),
    ),
    (
        "time",
        re.compile(
            r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].{0,20})?"
            r"|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AaPp][Mm])?"
            r"|\d{1,2} [A-Z][a-z]{2,8} \d{4}"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Table:
    """Where a table's rows lie. The first span holds the header row and the rule below it."""

    start: int
    header: str  #: the header row, as pieces without it repeat it
    rows: tuple[tuple[int, int], ...]

    def segments(self, text: str, stop: int, measure: Measure, cap: int, first_cap: int, last: Grade) -> list[Segment]:
        """Rows as units of at most `cap`; header and first row are one if they fit `first_cap` together."""
        spans = list(self.rows)
        spans[-1] = (spans[-1][0], stop)
        limit = min(cap, first_cap)
        if len(spans) > 1 and measure.size(text[spans[0][0] : spans[1][1]]) <= limit:
            spans[:2] = [(spans[0][0], spans[1][1])]
        found: list[Segment] = []
        sizes = measure.sizes([text[a:b] for a, b in spans])
        for at, ((a, b), size) in enumerate(zip(spans, sizes, strict=True)):
            grade = last if b == stop else Grade.SENTENCE
            if size <= (limit if at == 0 else cap):
                found.append(Segment(a, b, size, grade))
            else:
                found += segments(text, a, b, measure, limit if at == 0 else cap, None, last=grade)
        return found


def table_of(text: str, block: Block) -> Table | None:
    """The rows of a table block that is written as lines of cells or as HTML; nothing if it is one row.

    Its header is empty if the first row holds figures like those below it.
    """
    source = text[block.start : block.end]
    ends = [match.end() for match in _ROW_END.finditer(source)]
    if ends:
        if source[ends[-1] :].strip():
            ends[-1] = len(source)
        header = " ".join(_TAG.sub(" ", source[: ends[0]]).split())
        first = 1
    else:
        ends = list(_row_ends(source, len(block.rows) if block.rows else 0))
        header = " ".join(source[: ends[0]].split("\n")).strip()
        rule = source[ends[0] : ends[1]].strip() if len(ends) > 1 else ""
        first = 2 if rule and _RULE.fullmatch(rule) else 1
    if first == 1 and block.rows and not has_header(block.rows):
        header = ""
    starts = [0, *ends[first - 1 : -1]]
    rows = tuple((block.start + a, block.start + b) for a, b in zip(starts, ends[first - 1 :], strict=True) if a < b)
    return Table(block.start, header, rows) if len(rows) > 1 else None


def _row_ends(source: str, rows: int) -> Iterator[int]:
    """Where each row ends: with its line, or a line later if a quoted cell goes on there.

    Whether quotes count is known from the number of rows that the parser saw.
    """
    lines = source.split("\n")
    quoted = 0 < rows < sum(1 for line in lines if line.strip()) and '"' in source
    at, is_open = 0, False
    for line in lines:
        at += len(line) + 1
        is_open ^= quoted and line.count('"') % 2 == 1
        if not is_open:
            yield min(at, len(source))
    if is_open:
        yield len(source)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it holds no figure of the kind that stands below it.

    Years and the numbers 1, 2, 3 … over columns of figures name them too.
    """
    if len(rows) < 2:
        return False
    figures = {at: kind for at, cell in enumerate(rows[0]) if (kind := shape(cell)) not in ("text", "")}
    if not figures:
        return True
    below = {at: [shape(row[at]) for row in rows[1 : 1 + _LOOK] if at < len(row) and row[at].strip()] for at in figures}
    alike = [at for at, kind in figures.items() if below[at] and below[at].count(kind) > len(below[at]) // 2]
    if not alike:
        return True
    counted = [rows[0][at].strip() for at in alike]
    return len(alike) > 1 and counted == [str(at) for at in range(1, len(alike) + 1)]


def shape(cell: str) -> str:
    """What a cell holds: `number`, `year`, `time` (of day, or a day), `text`, or nothing."""
    cell = cell.strip()
    if not cell or len(cell) > 40:
        return "text" if cell else ""
    return next((name for name, pattern in _SHAPES if pattern.fullmatch(cell)), "text")
