"""A symbol that is too long → runs of its statements, as indentation shows them, one level after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from chunkers.document import Document
from chunkers.packing import pack
from chunkers.splitting import Measure, Span, segments

DEEPEST = 12  #: levels of statements within statements that are told apart; what is deeper is cut between its lines
_TINY = 16  #: a run below one in so many of the cap goes with the one beside it

_ROW = re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)
#: what goes on with the statement above it, and what begins the next clause of that
_CLAUSE = re.compile(
    r"(?:\}\s*)?(?:else|elif|elsif|elseif|except|catch|rescue|ensure|finally|then|do|loop)\b", re.IGNORECASE
)
_CLOSER = re.compile(r"[)\]}>]|(?:end|fi|done|esac)\b", re.IGNORECASE)
_ABOVE = ("#", "//", "--", "/*", "*", "@")  #: what begins a line that belongs to the one below it
#: What may hold line breaks, and what hides its marks. Each matches from its mark on whether it is closed or not, so
#: that nothing is looked at twice.
_DOUBLE, _SINGLE = r"\"(?:\\.|[^\"\\\n])*+\"?", r"'(?:\\.|[^'\\\n])*+'?"
_LONG_DOUBLE, _LONG_SINGLE = r"\"(?:\\.|[^\"\\])*+\"?", r"'(?:\\.|[^'\\])*+'?"
_SLASHES, _HASH = r"//[^\n]*|/\*.*?(?:\*/|\Z)", r"(?<!\S)#[^\n]*"
_TRIPLE, _TRIPLES = r"\"\"\".*?(?:\"\"\"|\Z)", r"(\"\"\"|''')(?:\\.|[^\\])*?(?:\1|\Z)"
_HEREDOC = (
    r"<<<?[-~]?(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w{0,60}+)(?P=quote)[^\n]{0,200}+\n.*?(?:^[ \t]*(?P=word)\b|\Z)"
)
_C_LIKE = (_SLASHES, _DOUBLE, _SINGLE)
_SCRIPT = (*_C_LIKE, r"`(?:\\.|[^`\\])*+`?")
_MARKS = {
    "text/x-python": (r"#[^\n]*", _TRIPLES, _DOUBLE, _SINGLE),
    "text/javascript": _SCRIPT,
    "text/typescript": _SCRIPT,
    "text/tsx": _SCRIPT,
    "text/x-go": (*_C_LIKE, r"`[^`]*+`?"),
    "text/x-sql": (r"--[^\n]*|/\*.*?(?:\*/|\Z)", r"'(?:[^']|'')*+'?"),
    "text/x-java": (_TRIPLE, *_C_LIKE),
    "text/x-kotlin": (_TRIPLE, *_C_LIKE),
    "text/x-csharp": (_TRIPLE, r"@\"(?:[^\"]|\"\")*+\"?", *_C_LIKE),
    "text/x-rust": (r"\br(?P<hashes>#{0,9}+)\".*?(?:\"(?P=hashes)|\Z)", _SLASHES, r"'(?:\\.|[^'\\\n])'", _LONG_DOUBLE),
    "text/x-c": _C_LIKE,
    "text/x-c++": (r"R\"(?P<mark>[^\s()\\\"]{0,16}+)\(.*?(?:\)(?P=mark)\"|\Z)", *_C_LIKE),
    "text/x-ruby": (_HASH, _HEREDOC, r"^=begin\b.*?(?:^=end\b|\Z)", _LONG_DOUBLE, _LONG_SINGLE),
    "text/x-php": (_HASH, _HEREDOC, *_C_LIKE),
    "text/x-shellscript": (_HASH, _HEREDOC, r"\\.", r"'[^']*+'?", _LONG_DOUBLE),
    "text/x-dockerfile": (_HASH, _HEREDOC),
    "text/css": (r"/\*.*?(?:\*/|\Z)", _DOUBLE, _SINGLE),
    "application/toml": (r"#[^\n]*", _TRIPLES, _DOUBLE, r"'[^'\n]*+'?"),
}
_WITHIN_LINE, _LINE, _BLANK_LINE = range(3)  #: how strong a boundary between lines is
_LITERALS = {media_type: "|".join(marks) for media_type, marks in _MARKS.items()}


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
    _indents: list[int] = field(init=False)  #: columns, a tab reaching to the next multiple of 8
    _sums: list[int] = field(init=False)

    def __post_init__(self) -> None:
        text = self.document.text
        self._starts, self._indents = _rows(self.document, self.start, self.end)
        sizes = self.measure.sizes([text[a:b] for a, b in pairwise(self._starts)])
        self._sums = [0, *accumulate(sizes)]

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
        text, starts, indents = self.document.text, self._starts, self._indents
        base = min(indents[first:last])
        begins = [first]
        decorates = text.startswith("@", starts[first] + len(self._lead(first)))
        for at in range(first + 1, last):
            if indents[at] > base:
                continue
            place = starts[at] + len(self._lead(at))
            if decorates and not clauses and not _CLOSER.match(text, place):
                decorates = text[place] == "@"
            elif _CLAUSE.match(text, place):
                if clauses:
                    begins.append(at)
            elif not clauses and not _CLOSER.match(text, place) and not self._goes_on(at, place):
                begins.append(at)
                decorates = text[place] == "@"
        return list(pairwise([*begins, last]))

    def _lead(self, at: int) -> str:
        found = _ROW.match(self.document.text, self._starts[at])
        return found[0] if found else ""

    def _goes_on(self, at: int, place: int) -> bool:
        """Whether the row, whose text begins at `place`, belongs to the row above it."""
        text = self.document.text
        above = text[self._starts[at - 1] : self._starts[at]].strip()
        if above.endswith(("(", "{", "[", "\\")) or (above.endswith(":") and not above.endswith("::")):
            return True
        if above.startswith(_ABOVE):
            return text.count("\n", self._starts[at - 1] + len(above), place) < 2 or above.startswith("@")
        opening = text[place : self._starts[at + 1]].strip() in ("{", "begin")
        return opening and above[-1:] not in (",", ";", "}", "]")

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
        return (begins, last) if begins < last else (first + 1, last)

    def _packed(self, units: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
        """Neighbours together as long as they fit, blank lines between them being the better places to cut at."""
        text, starts = self.document.text, self._starts
        if not units:
            return
        for first, last in pack(
            [self._size(*unit) for unit in units],
            [text[starts[a] : starts[b]].strip() for a, b in units],
            [int(text.count("\n", starts[b - 1], starts[b]) > 1) for _, b in units],
            self.cap,
        ):
            a, b = units[first][0], units[last - 1][1]
            yield starts[a], starts[b], self._size(a, b)

    def _lines(self, first: int, last: int) -> list[tuple[int, int, int]]:
        """Rows `[first, last)` between their lines; a line above the cap between its words."""
        text, measure, cap = self.document.text, self.measure, self.cap
        spans: list[Span] = []
        sizes: list[int] = []
        grades: list[int] = []
        lines = list(_lines(text, self._starts[first], self._starts[last]))
        for (a, b), size in zip(lines, measure.sizes([text[a:b] for a, b in lines]), strict=True):
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


def _rows(document: Document, start: int, end: int) -> tuple[list[int], list[int]]:
    """Where the rows of `[start, end)` begin, and `end`; and how far they stand in."""
    text = document.text
    starts: list[int] = []
    indents: list[int] = []
    literals = _literals(document, start, end)
    opens, closes = next(literals, (end, end))
    hashes: list[int] = []
    tabs = text.find("\t", start, end) >= 0
    for found in _ROW.finditer(text, start, end):
        at, place = found.span()
        while closes <= at:
            opens, closes = next(literals, (end, end))
        if opens < at and starts:
            continue
        if text[place] == "#":
            hashes.append(len(starts))
        starts.append(at)
        indents.append(len(found[0].expandtabs(8)) if tabs else place - at)
    if not starts or starts[0] != start:
        starts.insert(0, start)
        indents.insert(0, indents[0] if indents else 0)
        hashes = [at + 1 for at in hashes]
    for at in reversed(hashes):  # comments and directives stand where they like
        beside = indents[at - 1 : at] + indents[at + 1 : at + 2]
        indents[at] = max(indents[at], min(beside)) if beside else indents[at]
    return [*starts, end], indents


def _literals(document: Document, start: int, end: int) -> Iterator[Span]:
    """The strings and comments in `[start, end)` that hold line breaks; one that is never closed ends the search."""
    pattern = _LITERALS.get(document.media_type)
    for found in re.compile(pattern, re.DOTALL | re.MULTILINE).finditer(document.text, start, end) if pattern else ():
        if found.end() == end:
            return
        if "\n" in found[0]:
            yield found.span()
