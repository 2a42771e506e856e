"""Contextual headers: where a piece stands in its document, in the document's own words.

A header is the piece's heading path, `Guide > Install > Linux`, and below it what the piece needs repeated: a table's
header row, a symbol's signature. It is embedded with the text and never stored in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from chunkers.chunk import Piece
from chunkers.document import Document, Kind
from chunkers.errors import ConfigError
from chunkers.tokens import Ruler

SEPARATOR = " > "
SHARE = 3  #: a header takes at most one part in so many of what the model reads
JOINT = 2  #: tokens that a header and a text may cost together beyond their sum: the blank line between them


def header(document: Document, piece: Piece, ruler: Ruler) -> str:
    """The header of `piece`: its section path without the headings that lie in the piece, then what it repeats.

    At most a third of what the model reads: the outermost headings go first, then what is left is shortened.
    """
    above = piece.section_path
    inside = _headings_inside(document, piece.start, piece.end) if above and piece.kind is not Kind.SYMBOL else ()
    path = [title for depth, title in enumerate(above, 1) if title and above[:depth] not in inside]
    return _fit(path, piece.repeated.strip(), ruler)


def room(document: Document, section_path: tuple[str, ...], repeated: str, ruler: Ruler, size: int) -> int:
    """Tokens, from 1 to `size`, for the text of a piece under the header of `section_path` and `repeated`.

    Raises `ConfigError` if the ruler's cap is too small for any text.
    """
    written = _fit([title for title in section_path if title], repeated.strip(), ruler)
    taken = ruler.count([written])[0] + JOINT if written else 0
    left = min(size, ruler.cap - ruler.overhead - taken)
    if left <= 0:
        raise ConfigError(
            f"a model that reads {ruler.cap} tokens, {ruler.overhead} of them its own, has no room for the text of "
            f"{document.title or 'this document'}",
            hint="choose a model that reads more",
        )
    return left


def _headings_inside(document: Document, start: int, end: int) -> set[tuple[str, ...]]:
    inside = set()
    at = bisect_left(document.blocks, start, key=lambda block: block.start)
    while at < len(document.blocks) and (block := document.blocks[at]).end <= end:
        if block.kind is Kind.HEADING:
            inside.add(block.section_path)
        at += 1
    return inside


def _fit(path: Sequence[str], repeated: str, ruler: Ruler) -> str:
    if not path and not repeated:
        return ""
    budget = (ruler.cap - ruler.overhead - JOINT) // SHARE
    if budget < 1:
        return ""

    def fits(text: str) -> bool:
        return ruler.count([text])[0] <= budget

    for outermost in range(max(1, len(path))):
        written = _join(SEPARATOR.join(path[outermost:]), repeated)
        if not written or fits(written):
            return written
    heading = path[-1] if path else ""
    if repeated:
        heading = _longest(heading.split(), " ", lambda text: ruler.count([text])[0] <= budget // 2)
        lines = repeated.split("\n")
        whole = _longest(lines, "\n", lambda text: fits(_join(heading, text)))
        repeated = whole or _longest(lines[0].split(), " ", lambda text: fits(_join(heading, text)))
        return _join(heading, repeated)
    return _longest(heading.split(), " ", fits)


def _join(heading: str, repeated: str) -> str:
    return "\n".join(part for part in (heading, repeated) if part)


def _longest(parts: Sequence[str], joint: str, fits: Callable[[str], bool]) -> str:
    """As many of the first `parts` as fit, with `…` after them if some are left out; empty if not even one fits."""
    whole = joint.join(parts)
    if not whole or fits(whole):
        return whole
    low, high = 0, len(parts)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(joint.join(parts[:middle]) + "…"):
            low = middle
        else:
            high = middle
    return joint.join(parts[:low]) + "…" if low else ""
