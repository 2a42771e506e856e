"""The words of a PDF: what the text layer and liteparse add to them is taken off."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from corpus.parsers.decode import clean

BULLETS = "•◦▪▫■□●○‣⁃∙·–—➢➤✓❖➔►▶"
_SYMBOL_BULLETS = "\uf0b7\uf0a7\uf0a8\uf0d8\uf076\uf0fc\uf0e0\uf02d\uf0be"  #: of the fonts Symbol and Wingdings
_AS_BULLET = str.maketrans(dict.fromkeys(_SYMBOL_BULLETS, "•"))

MATH = re.compile(r"\$[^$\n]*[\\^_][^$\n]*\$")  #: as liteparse writes formulas: its backslashes are its own
COMMAND = re.compile(r"\\[a-zA-Z]{2,}")  #: of a formula of which only a part is there
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*+|~~)")  #: a star of the document itself is escaped
_CELL_EMPHASIS = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_LEADERS = re.compile(r"(?:[ \t]*\.){4,}|(?:[ \t]*…){2,}|_{5,}")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_CONTROL = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f\u200b\ufeff\ufffe\uffff]")
_LIGATURES = re.compile("[\ufb00-\ufb06]")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\)?$")
HYPHEN_AT_END = re.compile(r"\w[-\u2010]$")
#: Chinese and Japanese are written without blanks, and so are their line ends.
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uff60]{2}")
_SOFT_HYPHEN = re.compile("\u00ad\\s*")


def storable(text: str) -> tuple[str, int]:
    """`text` without NUL, lone surrogates, control and private-use characters, and how many of these there were.

    A private-use character is a glyph of a font that says nothing of its meaning; those known as bullets become one.
    """
    text, removed = clean(text.translate(_AS_BULLET))
    text, private = _PRIVATE.subn("", text)
    text = _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return _CONTROL.sub(" ", text), removed + private


def plain(text: str) -> str:
    """The words of a text block: Markdown marks and escapes undone, leaders and soft hyphens out, spaces folded."""
    parts, at = [], 0
    for match in MATH.finditer(text):
        parts += [_unmarked(text[at : match.start()]), match[0]]
        at = match.end()
    parts.append(_unmarked(text[at:]))
    return _folded("".join(parts))


def plain_cell(text: str) -> str:
    """The words of a table cell, which liteparse does not escape."""
    return _folded(_CELL_EMPHASIS.sub(r"\1", text).replace("<br>", " "))


@lru_cache(maxsize=8192)
def key(text: str) -> str:
    """What two ways of writing the same heading have in common: letters and digits."""
    return "".join(re.findall(r"\w", unicodedata.normalize("NFKC", text).lower()))


def is_enumerator(text: str) -> bool:
    """Whether a text is the number of an item and nothing else: `3.`, `(b)`, `iv)`."""
    return bool(_ENUMERATOR.match(text))


def together(above: str, below: str) -> str:
    """Two lines as one text; a word that the line end broke is whole again."""
    if above and HYPHEN_AT_END.search(above) and below:
        return above[:-1] + below if below[0].islower() else above + below
    apart = "" if above and below and _UNSPACED.fullmatch(above[-1] + below[0]) else " "
    return f"{above}{apart}{below}".strip()


def _unmarked(text: str) -> str:
    return _ESCAPE.sub(r"\1", _EMPHASIS.sub("", text))


def _folded(text: str) -> str:
    text = _SOFT_HYPHEN.sub("", text)
    return " ".join(_LEADERS.sub(" ", text).split())
