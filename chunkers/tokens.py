"""The ruler: how long a text is, as the model that will embed it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


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
