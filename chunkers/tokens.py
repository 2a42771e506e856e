"""The ruler: how long a text is, as the model that will embed it counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

_HELD = 8_000_000  #: characters of words that are remembered; then all are forgotten
_JOINING = re.compile("[\x00\x0b\x0c\x1c-\x1f\x85]")  #: white space to Python, and nothing or less to a tokenizer
#: Each of these is one token of a tokenizer that puts white space around ideographs and reads marks alone.
_SINGLE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff、。，！？；：（）《》「」『』【】“”]+")


class Ruler(Protocol):
    """Counts tokens. The model's own tokenizer is the ruler; what loads one lives in `corpus.embedding`."""

    @property
    def id(self) -> str:
        """Name and hash of the tokenizer with its cap: part of the cut fingerprint."""

    @property
    def cap(self) -> int:
        """The longest input in tokens, special ones and the model's own prefix included."""

    @property
    def overhead(self) -> int:
        """Tokens that every input costs beside its text: special ones and the model's own prefix."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, without `overhead`."""


class Characters:
    """A ruler that counts code points: for `unit: characters`, and where no model is at hand."""

    overhead = 0

    def __init__(self, cap: int = 1_000_000) -> None:
        self.cap = cap
        self.id = f"characters/{cap}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Code points of each text."""
        return [len(text) for text in texts]


class Cached:
    """A ruler that remembers what it has counted: one for each document."""

    __slots__ = ("_counts", "_ruler")

    def __init__(self, ruler: Ruler) -> None:
        self._ruler = ruler
        self._counts: dict[str, int] = {}

    @property
    def id(self) -> str:
        """As the ruler behind it."""
        return self._ruler.id

    @property
    def cap(self) -> int:
        """As the ruler behind it."""
        return self._ruler.cap

    @property
    def overhead(self) -> int:
        """As the ruler behind it."""
        return self._ruler.overhead

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; each distinct text is counted once."""
        unknown = list(dict.fromkeys(text for text in texts if text not in self._counts))
        if unknown:
            self._counts.update(zip(unknown, self._ruler.count(unknown), strict=True))
        return [self._counts[text] for text in texts]


class ByWord:
    """Counts of a tokenizer that reads every word alone, each distinct word read once.

    For tokenizers that split at white space first: then the tokens of a text are those of its words. `ideographs`: it
    also reads each CJK ideograph and each mark alone. `count` is the tokenizer's own. What is remembered is bounded
    and changes no result.
    """

    __slots__ = ("_count", "_held", "_ideographs", "_known")

    def __init__(self, count: Callable[[list[str]], list[int]], *, ideographs: bool = False) -> None:
        self._count = count
        self._ideographs = ideographs
        self._known: dict[str, int] = {}
        self._held = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, as the tokenizer would count them."""
        known = self._known
        totals: list[int] = []
        later: list[tuple[int, list[str]]] = []
        unknown: dict[str, None] = {}
        for at, text in enumerate(texts):
            words, single = self._words(text)
            try:
                totals.append(single + sum(map(known.__getitem__, words)))
            except KeyError:
                totals.append(single)
                later.append((at, words))
                unknown.update(dict.fromkeys(word for word in words if word not in known))
        if unknown:
            new = list(unknown)
            known.update(zip(new, self._count(new), strict=True))
            self._held += sum(map(len, new))
            for at, words in later:
                totals[at] += sum(map(known.__getitem__, words))
            if self._held > _HELD:
                self._known, self._held = {}, 0
        return totals

    def _words(self, text: str) -> tuple[list[str], int]:
        """What is to be counted word by word, and how many tokens there are beside."""
        if _JOINING.search(text):
            return [text], 0
        if not self._ideographs or text.isascii():
            return text.split(), 0
        others = _SINGLE.split(text)
        rest = " ".join(others)
        return rest.split(), len(text) - len(rest) + len(others) - 1
