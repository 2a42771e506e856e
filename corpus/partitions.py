"""Addresses that say of which day they are: `dt=2026-03-02/part-0.md`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from chunkers.errors import ConfigError

#: the directives of strftime by the unit of a date that they write, the coarsest first, and what stands for each
_UNITS = {
    "year": {"%Y": r"\d{4}", "%y": r"\d{2}"},
    "month": {"%m": r"\d{1,2}", "%b": r"[^\W\d_]+", "%B": r"[^\W\d_]+"},
    "day": {"%d": r"\d{1,2}", "%j": r"\d{1,3}"},
    "hour": {"%H": r"\d{1,2}"},
    "minute": {"%M": r"\d{1,2}"},
}
_WRITTEN = {directive: written for directives in _UNITS.values() for directive, written in directives.items()}


def check(pattern: str) -> None:
    """Raise `ConfigError` for a pattern that no date can be read with.

    A pattern is what strftime takes, such as `dt=%Y-%m-%d` or `%Y/%m/%d`: whole parts of an address, with a year in it
    and nothing finer without what is coarser, each once.
    """
    hint = "write it as strftime does, such as dt=%Y-%m-%d or year=%Y/month=%m"
    found = [directive for directive in re.findall("%.?", pattern) if directive != "%%"]
    if unknown := sorted(set(found) - _WRITTEN.keys()):
        raise ConfigError(f"partition {pattern!r} has {', '.join(unknown)}, which no date is read with", hint=hint)
    units = [unit for directive in found for unit, directives in _UNITS.items() if directive in directives]
    wanted = list(_UNITS)[: len(units)]
    if "%j" in found:  # the day of the year needs no month
        wanted = [unit for unit in list(_UNITS)[: len(units) + 1] if unit != "month"]
    if not units or sorted(units) != sorted(wanted):
        raise ConfigError(f"partition {pattern!r} does not say once of which date a document is", hint=hint)
    if "" in pattern.split("/"):
        raise ConfigError(f"partition {pattern!r} begins or ends with /, or has // in it", hint=hint)


def falls_within(pattern: str, window: tuple[datetime, datetime]) -> Callable[[str], bool]:
    """Whether an address is of a partition of the interval [start, end): a function of the address.

    Start and end are cut down to what the pattern can say, in UTC: with `dt=%Y-%m-%d` a night's interval from 2 o'clock
    to 2 o'clock is the day that it starts on, and with `%Y-%m` it is the month that it is in. Of several dates in an
    address the first counts; an address without one is of no partition.
    """
    check(pattern)
    start, end = (datetime.strptime(f"{moment.astimezone(UTC):{pattern}}", pattern) for moment in window)  # noqa: DTZ007
    pieces = (_WRITTEN.get(piece) or re.escape(piece.replace("%%", "%")) for piece in re.split("(%.)", pattern))
    dated = re.compile(f"(?:^|(?<=/))({''.join(pieces)})(?=/|$)")

    def holds(uri: str) -> bool:
        for found in dated.finditer(uri):
            try:
                date = datetime.strptime(found[1], pattern)  # noqa: DTZ007 - UTC, as start and end are
            except ValueError:
                continue
            return date == start or start <= date < end
        return False

    return holds
