"""What the modules of the libraries have in common. The standard library alone: they run in two Pythons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Cutter(Protocol):
    """A way to cut."""

    def prepare(self, name: str, text: str) -> Any:
        """What `cut` is given; its time is not counted."""

    def cut(self, prepared: Any) -> Sequence[str]:
        """The chunks, in order."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A function from a text to its chunks."""

    function: Callable[[str], Sequence[str]]

    def prepare(self, name: str, text: str) -> str:  # noqa: ARG002 - a text needs no name
        """The text."""
        return text

    def cut(self, prepared: str) -> Sequence[str]:
        """The chunks of the text."""
        return self.function(prepared)


def loaded(tokenizer: str) -> Any:
    """The tokenizer of a `tokenizer.json`, which neither truncates nor pads."""
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(tokenizer)
    made.no_truncation()
    made.no_padding()
    return made


def counter(tokenizer: str | None) -> Callable[[str], int]:
    """Tokens of a text without special ones, by the fastest call that there is; characters without a tokenizer."""
    if tokenizer is None:
        return len
    encode = loaded(tokenizer).encode_batch_fast
    return lambda text: len(encode([text], add_special_tokens=False)[0].ids)
