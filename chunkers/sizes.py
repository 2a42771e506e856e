"""The sizes that every recipe has: checked when a recipe is built, resolved when it meets a ruler."""

from __future__ import annotations

from typing import get_args

from chunkers.errors import ConfigError
from chunkers.splitting import Unit
from chunkers.tokens import Ruler

SIZE = 400  #: tokens of a child, where the model reads as many
SIZE_IN_CHARACTERS = 1_200
CHARACTERS_A_TOKEN = 4  #: of a parent, where sizes are in characters


def check(size: int | None, parent_size: int, overlap: int | None = None, unit: Unit = "tokens") -> None:
    """Raise `ConfigError` for settings that no ruler could make sense of."""
    for name, value, least in (("size", size, 1), ("parent_size", parent_size, 1), ("overlap", overlap, 0)):
        if value is None and name != "parent_size":
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"{name} must be a whole number of at least {least}, not {value!r}")
    if unit not in get_args(Unit):
        raise ConfigError(f"unit must be one of {', '.join(get_args(Unit))}, not {unit!r}")
    below = size if size is not None else SIZE if unit == "tokens" else SIZE_IN_CHARACTERS
    if overlap is not None and overlap >= below:
        raise ConfigError(f"overlap must be at least 0 and below size {below}, not {overlap}")


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


def resolve_overlap(overlap: int | None, size: int, default: int) -> int:
    """What neighbours share; raises `ConfigError` if that is not less than the size that the ruler left."""
    chosen = default if overlap is None else overlap
    if chosen >= size:
        raise ConfigError(f"overlap must be at least 0 and below size {size}, not {chosen}")
    return chosen


def resolve_parent(parent_size: int, unit: Unit, size: int) -> int:
    """The size of a parent in `unit`, from its tokens; never less than that of a child."""
    return max(size, parent_size * CHARACTERS_A_TOKEN if unit == "characters" else parent_size)
