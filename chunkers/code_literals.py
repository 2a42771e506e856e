"""The strings and comments of source code that hold line breaks, as the lexical rules of its language know them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkers.document import Document
from chunkers.splitting import Span

#: What may hold line breaks, and what hides its marks: the letter that it begins with, and what follows that letter.
#: Each matches from its mark on whether it is closed or not, so that nothing is looked at twice.
_Mark = tuple[str, str]
_DOUBLE, _SINGLE = ('"', r"(?:\\.|[^\"\\\n])*+\"?"), ("'", r"(?:\\.|[^'\\\n])*+'?")
_LONG_DOUBLE, _LONG_SINGLE = ('"', r"(?:[^\"\\]++|\\.)*+\"?"), ("'", r"(?:[^'\\]++|\\.)*+'?")
_SLASHES, _HASH = ("/", r"(?:/[^\n]*|\*.*?(?:\*/|\Z))"), ("#", r"(?<!\S#)[^\n]*")
_COMMENT, _ANY_HASH = ("/", r"\*.*?(?:\*/|\Z)"), ("#", r"[^\n]*")
_TRIPLE = ('"', r"\"\".*?(?:\"\"\"|\Z)")
_TRIPLES = (
    ('"', r"\"\"(?:[^\"\\]++|\\.|\"(?!\"\"))*+(?:\"\"\"|\Z)"),
    ("'", r"''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\Z)"),
)
_TICKED = ("`", r"(?:[^`\\]++|\\.)*+`?")
_HEREDOC = (
    "<",
    r"<<?[-~]?(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w{0,60}+)(?P=quote)[^\n]{0,200}+\n.*?(?:^[ \t]*(?P=word)\b|\Z)",
)
_C_LIKE = (_SLASHES, _DOUBLE, _SINGLE)
_SCRIPT = (*_C_LIKE, _TICKED)
_MARKS: dict[str, tuple[_Mark, ...]] = {
    "text/x-python": (_ANY_HASH, *_TRIPLES, _DOUBLE, _SINGLE),
    "text/javascript": _SCRIPT,
    "text/typescript": _SCRIPT,
    "text/tsx": _SCRIPT,
    "text/x-go": (*_C_LIKE, ("`", r"[^`]*+`?")),
    "text/x-sql": (("-", r"-[^\n]*"), _COMMENT, ("'", r"(?:[^']|'')*+'?")),
    "text/x-java": (_TRIPLE, *_C_LIKE),
    "text/x-kotlin": (_TRIPLE, *_C_LIKE),
    "text/x-csharp": (_TRIPLE, ("@", r"\"(?:[^\"]|\"\")*+\"?"), *_C_LIKE),
    "text/x-rust": (
        ("r", r"(?<!\wr)(?P<hashes>#{0,9}+)\".*?(?:\"(?P=hashes)|\Z)"),
        _SLASHES,
        ("'", r"(?:\\.|[^'\\\n])'"),
        _LONG_DOUBLE,
    ),
    "text/x-c": _C_LIKE,
    "text/x-c++": (("R", r"\"(?P<mark>[^\s()\\\"]{0,16}+)\(.*?(?:\)(?P=mark)\"|\Z)"), *_C_LIKE),
    "text/x-ruby": (_HASH, _HEREDOC, ("=", r"(?<![^\n]=)begin\b.*?(?:^=end\b|\Z)"), _LONG_DOUBLE, _LONG_SINGLE),
    "text/x-php": (_HASH, _HEREDOC, *_C_LIKE),
    "text/x-shellscript": (_HASH, _HEREDOC, ("\\", r"."), ("'", r"[^']*+'?"), _LONG_DOUBLE),
    "text/x-dockerfile": (_HASH, _HEREDOC),
    "text/css": (_COMMENT, _DOUBLE, _SINGLE),
    "application/toml": (_ANY_HASH, *_TRIPLES, _DOUBLE, ("'", r"[^'\n]*+'?")),
}


def _pattern(marks: Sequence[_Mark]) -> re.Pattern[str]:
    """One pattern for all marks that begins with a set of letters: what holds none of them is passed over fast."""
    begins = "".join(dict.fromkeys(re.escape(letter) for letter, _ in marks))
    ways = "|".join(f"(?<={re.escape(letter)}){rest}" for letter, rest in marks)
    return re.compile(f"[{begins}](?:{ways})", re.DOTALL | re.MULTILINE)


_LITERALS = {media_type: _pattern(marks) for media_type, marks in _MARKS.items()}


def literals(document: Document, start: int, end: int) -> Iterator[Span]:
    """The strings and comments in `[start, end)` that hold line breaks; one that is never closed ends the search."""
    pattern, text = _LITERALS.get(document.media_type), document.text
    for found in pattern.finditer(text, start, end) if pattern is not None else ():
        opens, closes = found.span()
        if closes == end:
            return
        if text.find("\n", opens, closes) >= 0:
            yield opens, closes
