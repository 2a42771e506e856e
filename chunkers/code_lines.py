"""A symbol that is too long → runs of its lines, cut between statements as far as their indentation shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkers.document import Document
from chunkers.packing import pack
from chunkers.splitting import Measure, Span, segments

_GRADES = 4  #: levels of indentation that are told apart
_BLANK_LINE = 1  #: what a blank line adds to a boundary
_CLOSER = re.compile(
    r"[)\]}>]|(?:else|elif|elsif|elseif|except|catch|rescue|ensure|finally|end|fi|done|esac|then|do|loop)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"#|//|--|/?\*|@|(?:.*[({\[\\]$)|(?:.*[^:]:$)")  #: a line that belongs to the one below it
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
_LITERALS = {media_type: "|".join(marks) for media_type, marks in _MARKS.items()}
_WITHIN_LINE = 0  #: grade of a boundary inside a line
_LINE = 1  #: grade of the weakest boundary between lines


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int  #: newline and blank lines below it included
    text: str  #: without white space around it
    indent: int  #: columns, a tab reaching to the next multiple of 8
    blank_below: bool


def cut_lines(document: Document, start: int, end: int, measure: Measure, cap: int) -> list[tuple[int, int]]:
    """Runs of lines of `text[start:end]`, each of at most `cap`; only a line that is longer is cut itself.

    The places are chosen by how far the line below stands in, blank lines first, and among equal ones by content. A
    docstring, another string or a comment of several lines is cut where nothing else will do.
    """
    text = document.text
    lines = _lines(text, start, end)
    sizes = measure.sizes([text[line.start : line.end] for line in lines])
    grades = _grade(lines, _literals(document, start, end))
    units: list[tuple[int, int]] = []
    unit_sizes: list[int] = []
    strengths: list[int] = []
    for line, size, grade in zip(lines, sizes, grades, strict=True):
        if size <= cap:
            units.append((line.start, line.end))
            unit_sizes.append(size)
        else:
            for part in segments(text, line.start, line.end, measure, cap, document.language):
                units.append((part.start, part.end))
                unit_sizes.append(part.size)
                strengths.append(_WITHIN_LINE)
            strengths.pop()
        strengths.append(grade)
    keys = [text[a:b].strip() for a, b in units]
    return [(units[first][0], units[last - 1][1]) for first, last in pack(unit_sizes, keys, strengths, cap)]


def _lines(text: str, start: int, end: int) -> list[_Line]:
    lines: list[_Line] = []
    at = start
    while at < end:
        newline = text.find("\n", at, end)
        stop = newline + 1 if newline >= 0 else end
        content = text[at:stop]
        stripped = content.strip()
        if stripped or not lines:
            lead = content[: len(content) - len(content.lstrip())]
            lines.append(_Line(at, stop, stripped, len(lead.expandtabs(8)), blank_below=False))
        else:
            above = lines[-1]
            lines[-1] = _Line(above.start, stop, above.text, above.indent, blank_below=True)
        at = stop
    return lines


def _literals(document: Document, start: int, end: int) -> Iterator[Span]:
    """The strings and comments in `[start, end)` that hold line breaks; one that is never closed ends the search."""
    pattern = _LITERALS.get(document.media_type)
    for found in re.compile(pattern, re.DOTALL | re.MULTILINE).finditer(document.text, start, end) if pattern else ():
        if found.end() == end:
            return
        if "\n" in found[0]:
            yield found.span()


def _grade(lines: Sequence[_Line], literals: Iterator[Span]) -> list[int]:
    """How strong the boundary after each line is: the less the line below stands in, the stronger."""
    indents = [line.indent for line in lines[1:] if line.text and not _CLOSER.match(line.text)]
    levels = {indent: rank for rank, indent in enumerate(sorted(set(indents)))}
    grades = []
    literal = next(literals, None)
    for line, below in pairwise(lines):
        while literal is not None and literal[1] <= below.start:
            literal = next(literals, None)
        within = literal is not None and literal[0] < below.start
        grade = _LINE
        if not _CLOSER.match(below.text) and not _LEAD_IN.match(line.text):
            grade += 0 if within else (_BLANK_LINE + 1) * max(0, _GRADES - levels[below.indent])
            grade += _BLANK_LINE if line.blank_below else 0
        grades.append(grade)
    return [*grades, _LINE]
