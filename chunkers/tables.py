"""Tables that are too long for one piece: cut between rows, the header row repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunkers.document import Block
from chunkers.splitting import Grade, Measure, Segment, segments

_RULE = re.compile(r"[\s|:+=\-]*[-=]{2,}[\s|:+=\-]*")
_ROW_END = re.compile(r"</tr\s*>\s*", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


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
    """The rows of a table block that is written as lines of cells or as HTML; nothing if it is one row."""
    source = text[block.start : block.end]
    ends = [match.end() for match in _ROW_END.finditer(source)]
    if ends:
        if source[ends[-1] :].strip():
            ends[-1] = len(source)
        header = " ".join(_TAG.sub(" ", source[: ends[0]]).split())
        first = 1
    else:
        lines = source.split("\n")
        ends = []
        at = 0
        for line in lines:
            at += len(line) + 1
            ends.append(min(at, len(source)))
        header = lines[0].strip()
        first = 2 if len(lines) > 1 and _RULE.fullmatch(lines[1]) else 1
    starts = [0, *ends[first - 1 : -1]]
    rows = tuple((block.start + a, block.start + b) for a, b in zip(starts, ends[first - 1 :], strict=True) if a < b)
    return Table(block.start, header, rows) if len(rows) > 1 else None
