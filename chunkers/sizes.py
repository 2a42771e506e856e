"""The sizes that every recipe has: checked when a recipe is built, resolved when it meets a ruler."""

from __future__ import annotations

from chunkers.errors import ConfigError
from chunkers.splitting import Unit
from chunkers.tokens import Ruler

SIZE = 400  #: tokens of a child, where the model reads as many
SIZE_IN_CHARACTERS = 1_200


def check(size: int | None, parent_size: int, overlap: int | None = None) -> None:
    """Raise `ConfigError` for sizes that no ruler could make sense of."""
    if size is not None and size < 1:
        raise ConfigError(f"size must be at least 1, not {size}")
    if parent_size < 1:
        raise ConfigError(f"parent_size must be at least 1, not {parent_size}")
    if overlap is not None and not 0 <= overlap < (size if size is not None else SIZE):
        below = f"size {size}" if size is not None else f"the default size {SIZE}"
        raise ConfigError(f"overlap must be at least 0 and below {below}, not {overlap}")


def resolve(size: int | None, unit: Unit, ruler: Ruler) -> int:
    """The size of a child's text, in `unit`; the default is the smaller of 400 tokens and what the model reads.

    Raises `ConfigError` for a size in tokens that was asked for and that the model cannot read.
    """
    reads = ruler.cap - ruler.overhead
    if reads < 1:
        raise ConfigError(f"a model that reads {ruler.cap} tokens, {ruler.overhead} of them its own, reads no text")
    if unit == "characters":
        return size if size is not None else SIZE_IN_CHARACTERS
    if size is None:
        return min(SIZE, reads)
    if size > reads:
        raise ConfigError(
            f"size {size} is more than the model reads ({reads})", hint=f"set size to at most {reads}, or leave it out"
        )
    return size
