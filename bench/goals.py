"""What Kerf must reach; a bench fails below it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bench.rendering import Table

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Goal(Generic[R]):
    """A figure and the least, or the most, that it may be."""

    what: str
    bound: float
    figure: Callable[[R], float]
    places: int = 0  #: decimal places shown
    at_most: bool = False

    def holds(self, results: R) -> bool:
        """Whether it is reached."""
        figure = self.figure(results)
        return figure <= self.bound if self.at_most else figure >= self.bound

    def shown(self, figure: float) -> str:
        """A figure of this goal as the table shows it: rounded so that it never looks reached when it is not."""
        scale = 10**self.places
        whole = math.ceil(figure * scale - 1e-9) if self.at_most else math.floor(figure * scale + 1e-9)
        return f"{whole / scale:.{self.places}f}"


def goals_table(goals: Sequence[Goal[R]], results: R) -> Table:
    """Each goal with what it asks for, what there is, and whether that is enough."""
    rows = [
        (
            goal.what,
            f"{'≤' if goal.at_most else '≥'} {goal.shown(goal.bound)}",
            goal.shown(goal.figure(results)),
            "ok" if goal.holds(results) else "MISSED",
        )
        for goal in goals
    ]
    return Table("Goals", ["", "goal", "Kerf", ""], rows)
