"""A symbol that is too long → runs of its statements, as indentation shows them, one level after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from chunkers.code_atoms import lengths, packed
from chunkers.code_literals import literals
from chunkers.document import Document
from chunkers.packing import pack
from chunkers.splitting import Measure, Span, segments

DEEPEST = 12  #: levels of statements within statements that are told apart; what is deeper is cut between its lines
_TINY = 16  #: a run below one in so many of the cap goes with the one beside it

_ROW = re.compile(r"^([^\S\n]*+)\S[^\n]*+\n?", re.MULTILINE)  #: a line that is not blank
#: what goes on with the statement above it, and what begins the next clause of that
_CLAUSE = re.compile(
    r"(?:\}\s*)?(?:else|elif|elsif|elseif|except|catch|rescue|ensure|finally|then|do|loop)\b", re.IGNORECASE
)
_CLAUSE_BEGINS = frozenset("}eEcCrRfFtTdDlL")
_CLOSER = re.compile(r"[)\]}>]|(?:end|fi|done|esac)\b", re.IGNORECASE)
_CLOSER_BEGINS = frozenset(")]}>eEfFdD")
_OPENER_BEGINS = frozenset("{bw")
_BOUND = re.compile(r"where\b(?!\s*=)")  #: what is asked of the types in a signature
_ABOVE = ("#", "//", "--", "/*", "*", "@")  #: what begins a line that belongs to the one below it

_WITHIN_LINE, _LINE, _BLANK_LINE = range(3)  #: how strong a boundary between lines is


def cut_lines(document: Document, start: int, end: int, measure: Measure, cap: int) -> list[Span]:
    """Runs of statements that tile `text[start:end]`, each of at most `cap`; only a line that is longer is cut itself.

    A statement that fits is not cut, and a run holds statements of one level: those of a function, or those of a loop
    in it that is too long. Where a run ends is chosen by content, blank lines first. A docstring, another string or a
    comment of several lines is cut where nothing else will do.
    """
    found = _Statements(document, start, end, measure, cap).runs()
    spans: list[Span] = []
    last = 0
    for begins, ends, size in found:
        if spans and min(size, last) * _TINY < cap and last + size <= cap:
            spans[-1] = (spans[-1][0], ends)
            last += size
        else:
            spans.append((begins, ends))
            last = size
    return spans


@dataclass(slots=True)
class _Statements:
    """The rows of a stretch of code: its lines, blank ones with the one above, those of a string or comment as one."""

    document: Document
    start: int
    end: int
    measure: Measure
    cap: int
    _starts: list[int] = field(init=False)  #: of the rows, and where the last one ends
    _places: list[int] = field(init=False)  #: where the text of each row begins
    _indents: list[int] = field(init=False)  #: columns, a tab reaching to the next multiple of 8
    _sums: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._starts, self._places, self._indents = _rows(self.document, self.start, self.end)
        self._sums = [0, *accumulate(lengths(self.document.text, list(pairwise(self._starts)), self.measure))]

    def runs(self) -> list[tuple[int, int, int]]:
        """Start, end and size of each run."""
        rows = len(self._indents)
        return self._cut(0, 0, rows, rows, 0)

    def _size(self, first: int, last: int) -> int:
        return self._sums[last] - self._sums[first]

    def _cut(self, lead: int, first: int, last: int, tail: int, depth: int) -> list[tuple[int, int, int]]:
        """The runs of rows `[lead, tail)`, cut among `[first, last)`.

        What is before `first` opens the first statement, what is from `last` on closes the last one.
        """
        if self._size(lead, tail) <= self.cap:
            return [(self._starts[lead], self._starts[tail], self._size(lead, tail))]
        if depth == DEEPEST or last - first < 2:
            return self._lines(lead, tail)
        units = self._units(first, last, clauses=False)
        if len(units) == 1:
            units = self._units(first, last, clauses=True)
        if len(units) == 1:
            begins, ends = self._body(first, last)
            return self._cut(lead, begins, ends, tail, depth + 1)
        if self._size(lead, units[0][1]) <= self.cap:
            units[0] = (lead, units[0][1])
        elif lead < first and self._size(*units[0]) <= self.cap:
            units.insert(0, (lead, first))
        if self._size(units[-1][0], tail) <= self.cap:
            units[-1] = (units[-1][0], tail)
        elif last < tail and self._size(*units[-1]) <= self.cap:
            units.append((last, tail))
        found: list[tuple[int, int, int]] = []
        fitting: list[Span] = []
        for unit in units:
            if self._size(*unit) <= self.cap:
                fitting.append(unit)
                continue
            found += self._packed(fitting)
            fitting = []
            before = lead if unit[0] == first else unit[0]
            after = tail if unit[1] == last else unit[1]
            found += self._cut(before, *unit, after, depth + 1)
        found += self._packed(fitting)
        return found

    def _units(self, first: int, last: int, *, clauses: bool) -> list[Span]:
        """The statements of rows `[first, last)`, or the `clauses` of the one statement that they are."""
        text, places, indents = self.document.text, self._places, self._indents
        base = min(indents[first:last])
        begins = [first]
        decorates = text.startswith("@", places[first])
        for at in range(first + 1, last):
            if indents[at] > base:
                continue
            place = places[at]
            letter = text[place]
            closes = letter in _CLOSER_BEGINS and _CLOSER.match(text, place) is not None
            if decorates and not clauses and not closes:
                decorates = letter == "@"
            elif letter in _CLAUSE_BEGINS and _CLAUSE.match(text, place):
                if clauses:
                    begins.append(at)
            elif not clauses and not closes and not self._goes_on(at, place):
                begins.append(at)
                decorates = letter == "@"
        return list(pairwise([*begins, last]))

    def _goes_on(self, at: int, place: int) -> bool:
        """Whether the row, whose text begins at `place`, belongs to the row above it."""
        text = self.document.text
        above = text[self._starts[at - 1] : self._starts[at]].strip()
        if above.endswith(("(", "{", "[", "\\")) or (above.endswith(":") and not above.endswith("::")):
            return True
        if above.startswith(_ABOVE):
            return text.count("\n", self._starts[at - 1] + len(above), place) < 2 or above.startswith("@")
        if text[place] not in _OPENER_BEGINS:
            return False
        row = text[place : self._starts[at + 1]].strip()
        if row in ("{", "begin"):
            return above[-1:] not in (",", ";", "}", "]") or (
                above[-1] == "," and self._indents[at - 1] > self._indents[at]
            )
        return _BOUND.match(row) is not None

    def _body(self, first: int, last: int) -> Span:
        """What is between the rows that open a clause and those that close it."""
        indents, text = self._indents, self.document.text
        base = min(indents[first:last])
        begins = first + 1
        while last - 1 > begins and indents[last - 1] <= base:
            last -= 1
        for at in range(last - 1, first, -1):
            if indents[at] <= base and text[self._starts[at] : self._starts[at + 1]].rstrip().endswith(
                ("{", ":", "=>", "(", "[", "=")
            ):
                begins = at + 1
                break
        least = min(indents[begins:last], default=0)
        while begins < last and indents[begins] > least:  # a signature of several lines goes on farther in
            begins += 1
        return (begins, last) if begins < last else (first + 1, last)

    def _packed(self, units: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
        """Neighbours together as long as they fit, blank lines between them being the better places to cut at."""
        for first, last in packed([self._size(*unit) for unit in units], lambda: self._priced(units), self.cap):
            a, b = units[first][0], units[last - 1][1]
            yield self._starts[a], self._starts[b], self._size(a, b)

    def _priced(self, units: Sequence[Span]) -> tuple[list[str], list[int]]:
        text, starts = self.document.text, self._starts
        keys = [text[starts[a] : starts[b]].strip() for a, b in units]
        return keys, [int(text.count("\n", starts[b - 1], starts[b]) > 1) for _, b in units]

    def _lines(self, first: int, last: int) -> list[tuple[int, int, int]]:
        """Rows `[first, last)` between their lines; a line above the cap between its words."""
        text, measure, cap = self.document.text, self.measure, self.cap
        spans: list[Span] = []
        sizes: list[int] = []
        grades: list[int] = []
        lines = list(_lines(text, self._starts[first], self._starts[last]))
        for (a, b), size in zip(lines, lengths(text, lines, measure), strict=True):
            if size <= cap:
                spans.append((a, b))
                sizes.append(size)
            else:
                for part in segments(text, a, b, measure, cap, self.document.language):
                    spans.append((part.start, part.end))
                    sizes.append(part.size)
                    grades.append(_WITHIN_LINE)
                grades.pop()
            grades.append(_BLANK_LINE if text.count("\n", a, b) > 1 else _LINE)
        keys = [text[a:b].strip() for a, b in spans]
        return [(spans[a][0], spans[b - 1][1], sum(sizes[a:b])) for a, b in pack(sizes, keys, grades, cap)]


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of `[start, end)`, each with the blank ones below it."""
    begins = [start, *(found.start() for found in _ROW.finditer(text, start, end) if found.start() > start), end]
    return pairwise(begins)


def _rows(document: Document, start: int, end: int) -> tuple[list[int], list[int], list[int]]:
    """Where the rows of `[start, end)` begin, and `end`; where their text does; and how far they stand in."""
    text = document.text
    starts: list[int] = []
    places: list[int] = []
    found_literals = literals(document, start, end)
    opens, closes = next(found_literals, (end, end))
    for found in _ROW.finditer(text, start, end):
        at, place = found.span(1)
        while closes <= at:
            opens, closes = next(found_literals, (end, end))
        if opens >= at or not starts:
            starts.append(at)
            places.append(place)
    if text.find("\t", start, end) < 0:
        indents = [place - at for at, place in zip(starts, places, strict=True)]
    else:
        indents = [len(text[at:place].expandtabs(8)) for at, place in zip(starts, places, strict=True)]
    if not starts or starts[0] != start:
        starts.insert(0, start)
        places.insert(0, start)
        indents.insert(0, indents[0] if indents else 0)
    hashes = [at for at, place in enumerate(places) if text[place] == "#"]
    for at in reversed(hashes):  # comments and directives stand where they like
        beside = indents[at - 1 : at] + indents[at + 1 : at + 2]
        indents[at] = max(indents[at], min(beside)) if beside else indents[at]
    return [*starts, end], places, indents
