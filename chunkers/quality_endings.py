"""Whether a chunk ends in mid-sentence, told from its last characters and from what follows them.

Nothing here comes from `chunkers.sentences`, so that a cut is not judged by the rules that made it. The marks that end
a sentence are those of Unicode's property Sentence_Terminal, in whatever script, and the ellipsis.
"""

from __future__ import annotations

from bisect import bisect_right

import regex  # type: ignore[import-untyped]

from chunkers.document import Block, Document, Kind

_AROUND = 80  #: characters looked at before an end, and after it
_REFERENCE_LENGTH = 16
_CAPITALS = 200  #: a document with less than one capital in so many letters is in lower case throughout

#: kinds whose lines are not parts of sentences
_OF_LINES = frozenset({Kind.TABLE, Kind.CODE, Kind.SYMBOL, Kind.FORMULA})

MARKS = r"\p{Sentence_Terminal}…⋯"
#: what may stand between a sentence's mark and its end: quotes, brackets, emphasis, note signs, emoji with their parts
CLOSERS = r"\p{Pe}\p{Pf}\p{Pi}\p{No}\p{So}\p{Sk}\p{Mn}\p{Cf}\"'*_~`"
_QUOTES = frozenset("\"'»«”“’‘›‹")

_MARK = regex.compile(f"[{MARKS}]")
_CLOSER = regex.compile(f"[{CLOSERS}]")
_REFERENCE = regex.compile(r"\[\^?[\w,\-–]{1,12}\]$")
_INITIAL = regex.compile(r"(?<![^\s.(\[«“\"'])\p{Lu}\.$")
_CASED = regex.compile(r"[\p{Lu}\p{Ll}\p{N}]")
_SPACED_SCRIPT = regex.compile(r"[\p{Thai}\p{Lao}]")
#: Georgian is left out: its letters count as lower case, and it begins sentences with them
_GOES_ON = regex.compile(r"(?V1)[\s\p{Pd}]*+[\p{Ll}--\p{Georgian}]")
_LINE_ENDS = regex.compile(r"[^\S\n]*+(?:\n|$)")
_WORD = regex.compile(r"\S{1,80}+")


class Endings:
    """Judges the ends of spans of one document.

    A span ends in mid-sentence unless, the white space at its end aside,

    1. it ends with its block (heading, paragraph, list item, …), before a blank line, with a line of a block that
       consists of lines (table, code, symbol, formula), with a line of text in no block, or with a line that its author
       broke: the next line's first word would have fitted into the width of the block's widest line; or
    2. the last character before any closing quotes, brackets, marks of emphasis, emoji and note references (`[3]`, `²`)
       is a mark that ends a sentence (Unicode's Sentence_Terminal, `…`), and does so here: a `.` or an ellipsis is not
       followed by a word in lower case (an abbreviation, a pause), nor is a mark in a closing quote (`“No!” he said`),
       unless the document is in lower case throughout; a `.` does not stand behind a single capital (an initial); and
       none of `.`, `!`, `?` is followed by a cased letter or a digit without a space (a number, a name, an address); or
    3. its last letter is Thai or Lao, which have no such marks, and white space follows.

    It knows no abbreviations: an end between `Dr.` and `Smith` counts as a sentence's, one behind `Plan B.` does not.
    """

    __slots__ = ("_blocks", "_starts", "_text", "_uncased", "_widths")

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._blocks = document.blocks
        self._starts = [block.start for block in document.blocks]
        self._widths: dict[int, int] = {}  #: of a block's widest line, by the block's start
        capitals = sum(map(str.isupper, document.text))
        self._uncased = capitals * _CAPITALS < capitals + sum(map(str.islower, document.text))

    def amid(self, start: int, end: int) -> bool:
        """Whether `[start, end)` ends in mid-sentence; a blank span does not."""
        text = self._text
        while end > start and text[end - 1].isspace():
            end -= 1
        return start < end and not self._with_block(end) and not _with_sentence(text, start, end, uncased=self._uncased)

    def _with_block(self, end: int) -> bool:
        """The first of the three."""
        at = bisect_right(self._starts, end - 1) - 1
        block = self._blocks[at] if at >= 0 and self._blocks[at].end >= end else None
        line = _LINE_ENDS.match(self._text, end)
        if block is None or block.kind in _OF_LINES:
            return line is not None
        following = _WORD.search(self._text, end, block.end)
        if following is None or self._text.count("\n", end, following.start()) > 1:
            return True
        return line is not None and self._broken(block, end, following)

    def _broken(self, block: Block, end: int, following: regex.Match[str]) -> bool:
        if block.start not in self._widths:
            self._widths[block.start] = max(map(len, self._text[block.start : block.end].split("\n")))
        start = max(block.start, self._text.rfind("\n", block.start, end) + 1)
        return end - start + 1 + len(following[0]) <= self._widths[block.start]


def _with_sentence(text: str, start: int, end: int, *, uncased: bool) -> bool:
    """The second and the third."""
    floor = max(start, end - _AROUND)
    at = end
    while at > floor:
        reference = _REFERENCE.search(text, max(floor, at - _REFERENCE_LENGTH), at)
        if reference is None and not _CLOSER.match(text, at - 1) and not text[at - 1].isspace():
            break
        at = reference.start() if reference else at - 1
    if at == floor:
        return False
    last = text[at - 1]
    if not _MARK.match(last):
        return _SPACED_SCRIPT.match(last) is not None and text[end : end + 1].isspace()
    if last in ".!?．" and at == end and _CASED.match(text, end):
        return False
    if last == "." and _INITIAL.search(text, max(floor, at - 3), at):
        return False
    pauses = last in ".…⋯．" or not _QUOTES.isdisjoint(text[at:end])
    return not (pauses and not uncased and _GOES_ON.match(text, end, end + _AROUND))
