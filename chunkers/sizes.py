"""The sizes that every recipe has: checked when a recipe is built, resolved when it meets a ruler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from chunkers.errors import ConfigError
from chunkers.splitting import CHARACTERS_PER_TOKEN, Unit
from chunkers.tokens import Ruler

SIZE = 400  #: tokens of a child, where the model reads as many
SIZE_IN_CHARACTERS = 1_200
CHARACTERS_A_TOKEN = 4  #: of a parent, where sizes are in characters
MOST_SHARED = 0.2  #: of a child's size: a larger overlap is cut, with a warning


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


def fit(settings: Mapping[str, Any], ruler: Ruler, *, parent_asked: bool) -> int:
    """The size of a child, in its unit, for all the settings of a strategy.

    Raises `ConfigError` for sizes that do not fit each other or the ruler: what a strategy would refuse at its first
    document, a parent below its child if somebody asked for it, and characters that no text the model reads can have.
    """
    unit: Unit = settings.get("unit", "tokens")
    size = resolve(settings.get("size"), unit, ruler)
    resolve_overlap(settings.get("overlap"), size, 0)
    least, parent_size = settings.get("min_size"), settings["parent_size"]
    if least is not None and least >= size:
        raise ConfigError(f"min_size must be below size {size}, not {least}")
    a_token = CHARACTERS_A_TOKEN if unit == "characters" else 1
    if parent_asked and parent_size * a_token < size:
        counted = f", {a_token} characters each, are" if a_token > 1 else " is"
        raise ConfigError(
            f"parent_size {parent_size}{counted} less than size {size}",
            hint=f"set parent_size to at least {-(-size // a_token)}, or size to at most {parent_size * a_token}",
        )
    reads = ruler.cap - ruler.overhead
    if unit == "characters" and size > reads * CHARACTERS_PER_TOKEN:
        raise ConfigError(
            f"size {size} characters is more than a text has that the model reads ({reads} tokens)",
            hint=f"set size to at most {reads * CHARACTERS_A_TOKEN}: most texts have {CHARACTERS_A_TOKEN} a token",
        )
    return size


def doubts(settings: Mapping[str, Any], ruler: Ruler) -> Iterator[str]:
    """What can be cut so, and is likely not meant: settings that `fit`, and what is wrong with them."""
    unit: Unit = settings.get("unit", "tokens")
    size, overlap = resolve(settings.get("size"), unit, ruler), settings.get("overlap") or 0
    if overlap > MOST_SHARED * size:
        yield (
            f"overlap {overlap} is {overlap / size:.1%} of size {size}, more than {MOST_SHARED:.0%}: the same text is "
            f"embedded and found again and again; set overlap to at most {int(MOST_SHARED * size)}"
        )
    reads = ruler.cap - ruler.overhead
    if unit == "characters" and settings.get("size") is not None and size > reads * CHARACTERS_A_TOKEN:
        yield (
            f"size {size} characters is more than the model reads of most texts ({reads} tokens, about "
            f"{reads * CHARACTERS_A_TOKEN} characters): children that are too long for it are cut in two"
        )
