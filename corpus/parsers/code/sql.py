"""SQL → statements, by its lexical rules alone.

No grammar knows all dialects, and one statement that a grammar does not know changes what it makes of the ones
around it. What separates statements is the same everywhere: a semicolon outside of quotes, comments and bodies.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from chunkers.document import Symbol
from corpus.parsers.code.blocks import Role, Seen

_TOKEN = re.compile(
    r"""(?P<line>^[ \t]*(?:(?:GO|/)[ \t]*$|DELIMITER[ \t]+(?P<delimiter>\S+)[^\n]*|\\[a-z!?][^\n]*))
      | (?P<comment>--[^\n]*|/\*|^[ \t]*\#[^\n]*)
      | (?P<quote>['"`])
      | (?P<dollar>(?<![\w$])\$(?:[^\W\d]\w*)?\$)
      | (?P<semicolon>;)
      | (?P<word>[^\W\d]\w*)
      | (?P<mark>[()])
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"(?<![\w$])\$(?:[^\W\d]\w*)?\$")
_NON_BLANK = re.compile(r"\S")
_COMMENT_MARK = re.compile(r"/\*|\*/")
_END_OF_DATA = re.compile(r"^\\\.$", re.MULTILINE)
_COPY = re.compile(r"COPY\b.*\bFROM\s+STDIN\b", re.IGNORECASE | re.DOTALL)
_PART = r"""(?:"(?:[^"]|"")+"|`[^`]+`|\[[^\]\n]+\]|[^\W\d][\w$]*)"""
_NAME_PART = re.compile(_PART)
_KINDS = (
    "table|view|function|procedure|proc|trigger|index|type|domain|schema|sequence|extension|role|user|policy|database|"
    "aggregate|rule|event|package body|package|server|publication|subscription|tablespace|collation|synonym|macro"
)
_CREATE = re.compile(
    r"(?:CREATE|REPLACE)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?"
    r"(?:(?!(?:" + _KINDS + r")\b)[A-Z_]+\s+){0,5}?(?P<kind>" + _KINDS.replace(" ", r"\s+") + r")\s+"
    r"(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>" + _PART + r"(?:\s*\.\s*" + _PART + r")*)",
    re.IGNORECASE,
)
_ROUTINES = frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT"})
_BLOCK_ENDS = frozenset({"IF", "LOOP", "WHILE", "REPEAT", "FOR"})  #: `END IF` ends no BEGIN
_HEAD = 12  #: words that can tell what a statement creates
_LONGEST = 240  #: characters of a signature


@dataclass(slots=True)
class _Statement:
    """One statement, as its tokens come in."""

    start: int
    nests: bool  #: whether BEGIN … END are looked at
    words: list[str] = field(default_factory=list)  #: the first ones, upper case
    asides: list[tuple[int, int]] = field(default_factory=list)  #: comments inside
    parenthesis: int | None = None  #: the first one
    body: int | None = None  #: what follows AS, BEGIN or a dollar quote
    depth: int = 0  #: of parentheses
    blocks: int = 0  #: of BEGIN … END
    previous: str = ""  #: word
    semicolon: int | None = None  #: the first one

    def take(self, lexeme: str, at: int) -> None:
        """Take a token into account."""
        if lexeme == "(":
            self.parenthesis = at if self.parenthesis is None else self.parenthesis
            self.depth += 1
        elif lexeme == ")":
            self.depth = max(0, self.depth - 1)
        elif lexeme == ";":
            self.semicolon = at if self.semicolon is None else self.semicolon
            self.previous = ""
        elif lexeme[0] == "$":
            self.body = at if self.body is None else self.body
        elif lexeme[0] not in "'\"`":
            self._word(lexeme.upper(), at)

    def _word(self, word: str, at: int) -> None:
        if len(self.words) < _HEAD:
            self.words.append(word)
        if self.body is None and not self.depth and word in ("AS", "IS", "BEGIN"):
            self.body = at
        if self.nests and self.words[0] in ("CREATE", "ALTER") and not _ROUTINES.isdisjoint(self.words):
            ended = self.previous == "END"
            if word == "BEGIN" or (word == "CASE" and not ended) or (ended and word in _BLOCK_ENDS):
                self.blocks += 1
            elif word == "END" or (self.previous == "BEGIN" and word in ("TRAN", "TRANSACTION", "WORK")):
                self.blocks = max(0, self.blocks - 1)
        self.previous = word

    def seen(self, text: str, end: int) -> _Span:
        """The statement, which ends at `end`, and what it creates."""
        limit = min(end, self.start + 8 * _LONGEST)
        asides = [(start, stop) for start, stop in self.asides if start < limit]
        last = max([limit, *(stop for _, stop in asides)])
        cuts = [self.start, *(place for aside in asides for place in aside), last]
        bare = " ".join(text[start:stop] for start, stop in zip(cuts[::2], cuts[1::2], strict=True))
        created = _CREATE.match(bare)
        if created is None or created["name"].upper() == "ON":
            return self.start, end, Role.LOOSE, None
        kind = " ".join(created["kind"].lower().split())
        kind = "procedure" if kind == "proc" else kind
        stops = [limit, self.body] if kind != "table" else [limit, self.body, self.parenthesis]
        stop = min(place for place in stops if place is not None)
        before = [min(place, stop) for place in cuts]
        head = " ".join(text[start:until] for start, until in zip(before[::2], before[1::2], strict=True))
        signature = " ".join(head.split()).rstrip(" ;")
        if len(signature) > _LONGEST:
            signature = signature[:_LONGEST].rsplit(" ", 1)[0] + " …"
        return self.start, end, Role.SYMBOL, Symbol(_plain(created["name"]), kind, signature)


_Span = tuple[int, int, Role, Symbol | None]


def statements(text: str) -> Iterator[Seen]:
    """Statements and comments of `text`, in order, their places in bytes of its UTF-8 form."""
    at = before = 0
    ascii_only = text.isascii()
    for start, end, role, symbol in _scan(text):
        path = (symbol.name,) if symbol else ()
        if ascii_only:
            yield Seen(start, end, role, path, symbol)
            continue
        first = at + len(text[before:start].encode("utf-8"))
        at = first + len(text[start:end].encode("utf-8"))
        before = end
        yield Seen(first, at, role, path, symbol)


def _scan(text: str) -> Iterator[_Span]:
    quotes = _Quotes(text)
    separator = ";"
    current: _Statement | None = None
    at = 0
    balanced = True  #: as long as every BEGIN has had its END
    while True:
        found = _TOKEN.search(text, at)
        gap = found.start() if found else len(text)
        if current is None and (something := _NON_BLANK.search(text, at, gap)):
            current = _Statement(something.start(), balanced)
        if separator != ";" and (stop := text.find(separator, at, gap + len(separator))) >= 0:
            at = stop + len(separator)
            yield (current or _Statement(stop, balanced)).seen(text, at)
            current = None
            continue
        if found is None:
            if current is None:
                return
            if current.blocks and current.semicolon is not None:
                balanced = False
                at = current.semicolon + 1
                yield current.seen(text, at)
                current = None
                continue
            yield current.seen(text, len(text.rstrip()))
            return
        at = found.end()
        kind = found.lastgroup if found["delimiter"] is None else "line"
        if kind == "line":
            if current is not None:
                yield current.seen(text, gap)
                current = None
            yield at - len(found[0].lstrip()), at, Role.LOOSE, None
            separator = found["delimiter"] or separator
        elif kind == "comment":
            at = _comment_end(text, gap) if found[0] == "/*" else at
            if current is None:
                yield at - len(text[gap:at].lstrip()), at, Role.COMMENT, None
            else:
                current.asides.append((gap, at))
        else:
            current = current or _Statement(gap, balanced)
            at = quotes.end(gap, found[0]) if kind in ("quote", "dollar") else at
            current.take(found[0], gap)
            if found[0] == separator and not current.blocks:
                at = _data_end(text, current.start, at)
                yield current.seen(text, at)
                current = None


class _Quotes:
    """Where quoted text ends, in linear time even if nothing is ever closed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._escapes = "`" in text  # only the dialects that quote names with it have backslashes in all strings
        self._unclosed: set[str] = set()  # after a quote without an end, its mark means nothing
        self._tags: dict[str, list[int]] = {}
        for tag in _TAG.finditer(text):
            self._tags.setdefault(tag[0], []).append(tag.start())

    def end(self, start: int, mark: str) -> int:
        """The place after the quote that opens with `mark` at `start`; what is never closed is no quote."""
        text = self._text
        if len(mark) > 1:
            places = self._tags[mark]
            after = bisect_right(places, start)
            return places[after] + len(mark) if after < len(places) else start + len(mark)
        if mark in self._unclosed:
            return start + 1
        escapes = mark == "'" and (self._escapes or text[max(0, start - 1) : start] in ("e", "E"))
        at = start + 1
        while (at := text.find(mark, at)) >= 0:
            if escapes and self._is_escaped(start + 1, at):
                at += 1
            elif text.startswith(mark, at + 1):
                at += 2
            else:
                return at + 1
        self._unclosed.add(mark)
        return start + 1

    def _is_escaped(self, start: int, at: int) -> bool:
        """Whether an odd number of backslashes stands before `at`."""
        before = at
        while before > start and self._text[before - 1] == "\\":
            before -= 1
        return (at - before) % 2 == 1


def _comment_end(text: str, start: int) -> int:
    """The place after the block comment at `start`; such comments nest."""
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _data_end(text: str, start: int, end: int) -> int:
    """The end of the data that follow a `COPY … FROM STDIN;`."""
    if end - start < 2000 and _COPY.match(text, start, end):
        stop = _END_OF_DATA.search(text, end)
        return stop.end() if stop else end
    return end


def _plain(name: str) -> str:
    """A name without its quotes."""
    parts: list[str] = _NAME_PART.findall(name)
    return ".".join(part[1:-1].replace('""', '"') if part[0] in '"`[' else part for part in parts)
