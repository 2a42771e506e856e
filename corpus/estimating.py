"""How long a sync would take, from what the runs before it took. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import StatisticsError, linear_regression
from typing import Any


@dataclass(frozen=True, slots=True)
class Work:
    """What a sync would do."""

    read: int = 0  #: documents whose bytes are read and parsed
    bytes: int = 0  #: of them
    cut: int = 0  #: documents that are made from their stored parse
    tokens: int = 0  #: to embed
    publish: int = 0  #: documents


def seconds(work: Work, stages: Iterable[Mapping[str, Any]]) -> dict[str, float] | None:
    """Seconds by stage and in total, of one process; None if the ledger has not seen such work yet.

    `stages` are rows of stage, documents, bytes, tokens and seconds, one for each run and stage that did anything.
    """
    seen = list(stages)
    asked = (
        ("prepare", "bytes", work.bytes),
        ("prepare", "documents", work.cut),
        ("embed", "tokens", work.tokens),
        ("publish", "documents", work.publish),
    )
    found = dict.fromkeys(("prepare", "embed", "publish"), 0.0)
    for stage, unit, units in asked:
        if not units:
            continue
        took = estimate(units, [(row[unit], row["seconds"]) for row in seen if row["stage"] == stage and row[unit]])
        if took is None:
            return None
        found[stage] += took
    return {stage: round(took, 1) for stage, took in (found | {"total": sum(found.values())}).items()}


def estimate(units: float, seen: list[tuple[float, float]]) -> float | None:
    """The seconds that so many units take, on the line of least squares through (units, seconds) of earlier runs.

    Starting costs the same however much there is to do, so small runs say little about a large one. Where no such
    line can be drawn, or it says that more is faster, all that was done over all the time that it took decides.
    """
    if not seen:
        return None
    try:
        slope, start = linear_regression(*zip(*seen, strict=True))
    except StatisticsError:  # one run, or all of one size
        slope, start = 0.0, 0.0
    if slope <= 0 or start < 0:
        slope, start = sum(took for _, took in seen) / sum(done for done, _ in seen), 0.0
    return start + slope * units
