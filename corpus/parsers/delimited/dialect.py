"""How a text of delimited values is written: what parts its cells, and whether quotes count."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

_DELIMITERS = (",", ";", "\t", "|")
_ROWS = 300  #: that are looked at
_LOOK = 65_536  #: characters that are looked at
_NAMED = re.compile(r"sep=(.)\n", re.IGNORECASE)
_CELL = 40  #: characters that cells of a table have on average at most, where no name says that it is one


@dataclass(frozen=True, slots=True)
class Dialect:
    """What parts cells."""

    delimiter: str
    width: int  #: cells of most rows
    share: float  #: of the rows that have so many
    spaced: bool = False  #: white space after a delimiter is not a part of the cell, so that a quote may follow it
    names_itself: bool = False  #: the first line only says what the delimiter is


def sniff(text: str) -> Dialect | None:
    """The dialect of delimited values; None if no delimiter parts most rows in equally many cells."""
    if named := _NAMED.match(text):
        found = _tried(text[named.end() :], named[1])
        return replace(found or Dialect(named[1], 1, 1.0), names_itself=True)
    tried = [found for delimiter in _DELIMITERS if (found := _tried(text, delimiter))]
    if not tried:  # a quote that is never closed takes all rows after it for one cell
        tried = [found for delimiter in _DELIMITERS if (found := _tried(text, delimiter, quotes=False))]
    return max(tried, key=lambda found: (round(found.share, 1), found.width), default=None)


def looks_delimited(text: str) -> bool:
    """Whether a text under no telling name is certainly a table: equally many short cells in each of several rows."""
    head = text[:_LOOK]
    lines = [line for line in head.split("\n") if line.strip()][:_ROWS]
    found = sniff(head)
    if len(lines) < 4 or found is None or found.share < 1:
        return False
    if found.width < (2 if found.delimiter in "\t;" else 3) or any(line[:1] in " \t>#*-+|" for line in lines):
        return False
    return sum(map(len, lines)) <= _CELL * found.width * len(lines) and _is_tight(lines, found.delimiter)


def _is_tight(lines: list[str], delimiter: str) -> bool:
    """Cells follow their comma at once; the words of prose do not."""
    return delimiter != "," or sum(line.count(", ") for line in lines) * 4 <= sum(line.count(",") for line in lines)


def _tried(text: str, delimiter: str, *, quotes: bool = True) -> Dialect | None:
    head = text[:_LOOK]
    lines = head.split("\n")
    if len(text) > _LOOK and len(lines) > 1:
        lines.pop()
    spaced = f'{delimiter} "' in head
    limit = csv.field_size_limit(2 * _LOOK)
    try:
        reader = csv.reader(
            (f"{line}\n" for line in lines),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
            skipinitialspace=spaced,
        )
        rows = [row for row in islice(reader, _ROWS) if row]
    except csv.Error:
        return None
    finally:
        csv.field_size_limit(limit)
    counts = Counter(len(row) for row in rows if len(row) > 1)
    if not counts:
        return None
    width, most = max(counts.items(), key=lambda item: (item[1], item[0]))
    share = most / len(rows)
    if share < 1 and not _is_tight(lines[:_ROWS], delimiter):
        return None
    is_ragged = counts.total() >= 0.8 * len(rows) and share >= 0.3
    if share <= 0.5 and not is_ragged and (share < 0.2 or most < 3):
        return None
    return Dialect(delimiter, width, share, spaced)
