"""What can be said of chunks by looking at them and at their source: whoever made them, by one rule."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

_CLOSING = "\"'”’»)]）】》」』*_`"
_ENDS_ANYWHERE = "。！？…"
_ENDS = ".!?"
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\[\"“])(?:al|approx|ca|cf|Dr|ed|eq|eqs|e\.g|fig|figs|i\.e|lit|Mr|Mrs|Ms|no|nos|pp|Prof|sec|St|vs|vol)\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[\s(.])[A-Z]\.$")
_SPACE = re.compile(r"\s*")


def ends_mid_sentence(text: str, end: int) -> bool:
    """Whether a cut after `text[:end]`, whose last character is no white space, goes through a sentence.

    It does unless the line or the text ends there, or a full stop, a question or an exclamation mark stands before
    it, closing quotes and brackets aside, which belongs to no abbreviation, initial or number.
    """
    after = _SPACE.match(text, end)
    assert after
    if after.end() == len(text) or "\n" in after[0]:
        return False
    before = text[max(0, end - 40) : end].rstrip(_CLOSING)
    if before[-1:] and before[-1] in _ENDS_ANYWHERE:
        return False
    if not before or before[-1] not in _ENDS or (not after[0] and text[end].isalnum()):
        return True
    following = text[after.end()]
    return before[-1] == "." and (
        _INITIAL.search(before) is not None
        or (_ABBREVIATED.search(before) is not None and (following.islower() or following.isdigit()))
    )


class Source:
    """A text in which chunks are found again, whatever white space they lost."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._solid = solid(text)
        self._places = array("L", (at for at, character in enumerate(text) if not character.isspace()))

    def cuts(self, chunks: Iterable[str]) -> Iterator[bool | None]:
        """For each chunk but one that ends the text, whether a sentence goes on where it ends.

        None: the chunk is not in the text, white space aside.
        """
        start = 0
        for chunk in filter(None, map(solid, chunks)):
            at = self._solid.find(chunk, start)
            if at < 0:
                yield None
                continue
            start = at + 1
            if at + len(chunk) < len(self._solid):
                yield ends_mid_sentence(self._text, self._places[at + len(chunk) - 1] + 1)

    def is_rebuilt_from(self, chunks: Iterable[str]) -> bool:
        """Whether the chunks in their order are the text, white space aside."""
        return solid("".join(chunks)) == self._solid


def solid(text: str) -> str:
    """The text without its white space."""
    return "".join(text.split())


def parses(chunk: str) -> bool:
    """Whether a piece of Python stands on its own, moved to the left."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SyntaxWarning: what the standard library writes is its own affair
        try:
            ast.parse(textwrap.dedent(chunk))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def new_chunks(before: Sequence[str], after: Sequence[str]) -> int:
    """How many chunks are there after an edit that were not there before it."""
    return (Counter(after) - Counter(before)).total()


def percentile(figures: Sequence[float], share: float) -> float:
    """The least figure that this share of all figures does not exceed."""
    ranked = sorted(figures)
    return ranked[max(0, -(-len(ranked) * round(share * 100) // 100) - 1)]
