"""Tables that are too long for one piece: cut between rows, the header row repeated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkers.document import Block
from chunkers.splitting import Grade, Measure, Segment, segments

_LOOK = 20  #: rows below the first that tell whether it is a header
_DEEPEST = 4  #: rows of a header
_LONG = 240  #: characters; of a header above that, the upper rows are not repeated
_BLANK_CELLS = re.compile(r"(?:\|[^\S\n]*+){2,}$")
_RULE = re.compile(r"[\s|:+=-]++")  #: between a header and what it names, if there is a stroke in it
_STROKE = re.compile(r"[-=]{2}")
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
    """Where a table's rows lie. A rule below the first is part of it."""

    start: int
    header: str  #: the rows of the header, as pieces without them repeat them
    rows: tuple[tuple[int, int], ...]
    named: int = 1  #: rows at the top that stay together with the first one below them, if there is room

    def segments(self, text: str, stop: int, measure: Measure, cap: int, first_cap: int, last: Grade) -> list[Segment]:
        """Rows as units of at most `cap`; header and first row are one if they fit `first_cap` together."""
        spans = list(self.rows)
        spans[-1] = (spans[-1][0], stop)
        limit = min(cap, first_cap)
        for joined in range(min(self.named + 1, len(spans)), 1, -1):
            if measure.size(text[spans[0][0] : spans[joined - 1][1]]) <= limit:
                spans[:joined] = [(spans[0][0], spans[joined - 1][1])]
                break
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
    rule = 0
    if ends:
        if source[ends[-1] :].strip():
            ends[-1] = len(source)
    else:
        ends = _row_ends(source, len(block.rows) if block.rows else 0)
        rule = _rule(source, ends)
    found = header_rows(block.rows) if block.rows else 1
    if found > 1 and (not block.rows or len(ends) != len(block.rows) + bool(rule)):
        found = 1
    found = max(found, rule)
    lines = [source[a:b] for a, b in pairwise([0, *ends[: found + 1]])]
    if rule:
        del lines[rule : rule + 1], ends[rule - 1]  # the rule is a part of the row above it
    rows = tuple((block.start + a, block.start + b) for a, b in pairwise([0, *ends]) if a < b)
    return Table(block.start, _header(lines[:found]) if found else "", rows, max(1, found)) if len(rows) > 1 else None


def _rule(source: str, ends: Sequence[int]) -> int:
    """How many rows stand above the rule that closes a header; none, if there is no rule."""
    for number, (a, b) in enumerate(pairwise(ends[: _DEEPEST + 1]), 1):
        line = source[a:b].strip()
        if _RULE.fullmatch(line) and _STROKE.search(line) and (number == 1 or "---" in line):
            return number
    return 0


def _header(rows: Sequence[str]) -> str:
    """The rows of a header as they are repeated: one line each, without tags and without blank cells at the end."""
    lines = [" ".join(_TAG.sub(" ", row).split() if _ROW_END.search(row) else row.split("\n")).strip() for row in rows]
    lines = [_BLANK_CELLS.sub("|", line) for line in lines]
    while len(lines) > 1 and sum(map(len, lines)) > _LONG:
        del lines[0]
    return "\n".join(lines)


def _row_ends(source: str, rows: int) -> list[int]:
    """Where each row ends: with its line and the blank ones after it, or later if a quoted cell goes on there.

    Whether quotes count is known from the number of rows that the parser saw.
    """
    lines = source.split("\n")
    quoted = 0 < rows < sum(1 for line in lines if line.strip()) and '"' in source
    at, is_open = 0, False
    ends: list[int] = []
    for line in lines:
        at += len(line) + 1
        is_open ^= quoted and line.count('"') % 2 == 1
        if is_open:
            continue
        if ends and not line.strip():
            ends.pop()
        ends.append(min(at, len(source)))
    return [*ends, len(source)] if is_open else ends


def header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top name the columns: none, one, or more where the first ones leave cells blank.

    Those are titles of the whole table or of some of its columns. The row below them names columns if it fills what
    they left blank and stands over figures, or if it fills every cell below a title of one.
    """
    if not has_header(rows):
        return 0
    count = 1
    named = [bool(cell.strip()) for cell in rows[0]]
    while count < min(_DEEPEST, len(rows) - 1):
        row = [cell.strip() for cell in rows[count]]
        fresh = sum(1 for at, cell in enumerate(row) if cell and not (at < len(named) and named[at]))
        is_title = count == 1 and sum(named) == 1 and named[0] and len(row) > 2 and all(row)
        if not fresh or not has_header(rows[count:]) or not (is_title or _over_figures(rows[count:]) > 1):
            break
        named = [bool(cell) or (at < len(named) and named[at]) for at, cell in enumerate(row)]
        count += 1
    return count


def _over_figures(rows: Sequence[Sequence[str]]) -> int:
    """How many columns have figures in most rows below the first and words in it."""
    columns = 0
    for at, cell in enumerate(rows[0]):
        if shape(cell) in ("text", "year"):
            below = [shape(row[at]) for row in rows[1 : 1 + _LOOK] if at < len(row) and row[at].strip()]
            columns += below.count("number") * 2 > len(below)
    return columns


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it holds no figure of the kind that stands below it.

    Years and numbers at even steps (1, 2, 3 …, 10, 20, 30 …) over columns of figures name them too.
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
    if not all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in counted) or len(counted) < 2:
        return False
    steps = {int(after) - int(before) for before, after in pairwise(counted)}
    return len(steps) == 1 and min(steps) > 0 and (len(counted) > 2 or counted == ["1", "2"])


def shape(cell: str) -> str:
    """What a cell holds: `number`, `year`, `time` (of day, or a day), `text`, or nothing."""
    cell = cell.strip()
    if not cell or len(cell) > 40:
        return "text" if cell else ""
    return next((name for name, pattern in _SHAPES if pattern.fullmatch(cell)), "text")
