r"""Globs over addresses, as `corpora.yaml` writes them.

- `*` and `?` stand for characters within one folder's name, `[a-z]` and `[!a-z]` for one such character;
- `**` crosses folders: `docs/**` is everything below `docs`, `**/*.md` also matches `a.md` at the top;
- everything else stands for itself, upper and lower case apart. `[*]` is a star.

A leading `/` or `./` is dropped (addresses start at the source's root), and `docs/` means `docs/**`. Globs are
brought to NFC, as addresses are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, TypeVar


class HasGlob(Protocol):
    """A rule of the configuration."""

    @property
    def glob(self) -> str:
        """Over addresses."""


R = TypeVar("R", bound=HasGlob)


def matches(glob: str, uri: str) -> bool:
    """Whether the whole address matches."""
    return _compiled(glob).fullmatch(uri) is not None


def first(rules: Iterable[R], uri: str) -> R | None:
    """The first rule whose glob matches, or None."""
    return next((rule for rule in rules if matches(rule.glob, uri)), None)


def included(uri: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether some glob includes the address and none excludes it."""
    return any(matches(glob, uri) for glob in include) and not any(matches(glob, uri) for glob in exclude)


def covers(glob: str, folder: str) -> bool:
    """Whether the glob is sure to match every address below `folder`: such a folder need not be looked into.

    False says nothing: `*` and `?` may still match all that is there.
    """
    glob = _tidy(glob)
    if glob == "**":
        return True
    above = glob.removesuffix("/**")
    if above == glob:
        return False
    parts = folder.split("/")
    return any(matches(above, "/".join(parts[:depth])) for depth in range(1, len(parts) + 1))


def _tidy(glob: str) -> str:
    glob = unicodedata.normalize("NFC", glob).removeprefix("./").lstrip("/")
    return f"{glob}**" if glob.endswith("/") else glob


@lru_cache(maxsize=4096)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile("".join(_pieces(_tidy(glob))), re.DOTALL)


def _pieces(glob: str) -> Iterable[str]:
    at = 0
    while at < len(glob):
        character = glob[at]
        if character == "*":
            end = at
            while end < len(glob) and glob[end] == "*":
                end += 1
            starts_a_name = at == 0 or glob[at - 1] == "/"
            if end - at == 1:
                yield "[^/]*"
            elif starts_a_name and glob[end : end + 1] == "/":
                yield "(?:[^/]+/)*"
                while glob.startswith("**/", end + 1):  # says the same again, and would cost as much again
                    end += 3
                end += 1
            elif starts_a_name and end == len(glob):
                yield ".+"
            else:
                yield ".*"
            at = end
        elif character == "?":
            yield "[^/]"
            at += 1
        elif character == "[" and (end := _end_of_class(glob, at)) > 0:
            yield _class(glob[at + 1 : end])
            at = end + 1
        else:
            yield re.escape(character)
            at += 1


def _end_of_class(glob: str, at: int) -> int:
    """Where the class that opens at `at` closes; -1 if it does not. A `]` that comes first belongs to the class."""
    start = at + 2 if glob[at + 1 : at + 2] == "!" else at + 1
    return glob.find("]", start + 1)


def _class(body: str) -> str:
    negated = body.startswith("!")
    body = body[1:] if negated else body
    members, at = "", 0
    while at < len(body):
        low = high = body[at]
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            high = body[at + 2]
            at += 2
        at += 1
        if low <= high:
            members += f"{re.escape(low)}-{re.escape(high)}"
    if not members:
        return "[^/]" if negated else r"(?!)"
    return f"(?!/)[{'^' if negated else ''}{members}]"
