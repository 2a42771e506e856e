"""`semantic`: where one subject gives way to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.embedder import Embedder
from chunkers.errors import ConfigError
from chunkers.splitting import Unit
from chunkers.tokens import Ruler

if TYPE_CHECKING:
    from chunkers.looking import Run, Stretch


def check(size: int | None, min_size: int | None, parent_size: int, unit: Unit) -> None:
    """Raise `ConfigError` for sizes that no ruler could make sense of."""
    sizes.check(size, parent_size, unit=unit)
    if min_size is None:
        return
    if not isinstance(min_size, int) or isinstance(min_size, bool) or min_size < 0:
        raise ConfigError(f"min_size must be a whole number of at least 0, not {min_size!r}")
    if size is not None and min_size >= size:
        raise ConfigError(f"min_size must be below size {size}, not {min_size}")


@register("semantic")
@dataclass(frozen=True, slots=True)
class Semantic:
    """Between the neighbouring sentences that are least alike, measured against the others of the same document.

    Assumes that the subject changes within a section and that nothing in the text marks it: long prose without
    headings, transcripts, speeches. Fails where every sentence is about something else (then the breaks are drawn by
    chance), where the model does not know the language, and where a subject comes and goes. It costs an embedding of
    every sentence of the sections that are too long, each time their document is cut anew, and since the percentile
    is the document's own, an edit can move a break that was near it elsewhere. Sections still bound, tables, lists and
    code stay whole, and what one child holds is not looked at. A run below `min_size` joins the neighbour that is more
    like it; one above `size` is cut as `cluster` does.

    After Greg Kamradt, "The 5 Levels Of Text Splitting For Retrieval" (2024), level 4, with sizes held and with means
    of sentences compared that do not overlap.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    min_size: int | None = None  #: of a child, in `unit`, where it can be had; default: a quarter of the size
    percentile: float = 10.0  #: per cent of the boundaries between sentences, the least alike ones, that are breaks
    buffer: int = 1  #: sentences beyond the adjacent one that are looked at on each side of a boundary
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        check(self.size, self.min_size, self.parent_size, self.unit)
        if type(self.percentile) not in (int, float) or not 0 < self.percentile < 100:
            raise ConfigError(f"percentile must be above 0 and below 100, not {self.percentile!r}")
        if not isinstance(self.buffer, int) or isinstance(self.buffer, bool) or self.buffer < 0:
            raise ConfigError(f"buffer must be a whole number of at least 0, not {self.buffer!r}")

    def cut_through(self, document: Document, ruler: Ruler, embedder: Embedder) -> Iterator[Part]:
        """Yield the parts in order."""
        from chunkers.looking import Looker  # here: reading a configuration needs no arrays

        looker = Looker(embedder, self._choose, self.size, self.min_size, self.parent_size, self.unit)
        yield from looker.cut(document, ruler)

    def _choose(self, stretches: Sequence[Stretch]) -> list[list[Run]]:
        alike = [stretch.across(self.buffer) for stretch in stretches]
        ranked = sorted(each for at_boundaries in alike for each in at_boundaries)
        threshold = ranked[int(self.percentile / 100 * (len(ranked) - 1))]
        return [
            [run for whole in _merged(stretch, at, threshold) for run in _fitted(stretch, *whole)]
            for stretch, at in zip(stretches, alike, strict=True)
        ]


def _merged(stretch: Stretch, alike: Sequence[float], threshold: float) -> list[Run]:
    """The runs between the breaks but for those that make one too short; the most alike neighbours are joined first."""
    breaks = [at for at, each in enumerate(alike, 1) if each <= threshold]
    reached = [0.0, *accumulate(stretch.lengths.tolist())]
    after = dict(pairwise([0, *breaks, len(stretch.lengths)]))
    before = {right: left for left, right in after.items()}
    for at in sorted(breaks, key=lambda at: (-alike[at - 1], at)):
        left, right = before[at], after[at]
        if min(reached[at] - reached[left], reached[right] - reached[at]) < stretch.least:
            after[left], before[right] = right, left
            del after[at]
    return sorted(after.items())


def _fitted(stretch: Stretch, first: int, last: int) -> list[Run]:
    return [(first, last)] if sum(stretch.lengths[first:last]) <= stretch.room else stretch.best(first, last)
