"""What `semantic` and `cluster` share: sections that are too long, seen through a model, as runs of their units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import likeness, sizes
from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.embedder import Embedder
from chunkers.errors import ConfigError
from chunkers.headers import room
from chunkers.likeness import Numbers, Vectors
from chunkers.pieces import Cutter, Measured
from chunkers.prose import units
from chunkers.sections import Leaf, Section, leaves, sections
from chunkers.splitting import Measure, Unit, segments
from chunkers.structure import parts_of_sections
from chunkers.tokens import Ruler

SHARE = 4  #: the default least size is one in so many of the size

Run = tuple[int, int]  #: the units `[first, last)` of a stretch


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive units of a section that is too long, none of them longer than the room for a child's text."""

    lengths: Numbers  #: (n,), of each unit, in the unit of the recipe's sizes
    vectors: Vectors  #: (n, dimensions), rows of unit length
    room: int  #: for the text of a child
    least: int  #: the length below which a run is too short
    level: float  #: the mean likeness of two units of the document

    def across(self, buffer: int) -> list[float]:
        """The likenesses at the n - 1 boundaries; see `chunkers.likeness.across`."""
        found: list[float] = likeness.across(self.vectors, buffer).tolist()
        return found

    def best(self, first: int, last: int) -> list[Run]:
        """The units `[first, last)` in the runs that hang together best; see `chunkers.likeness.runs`."""
        lengths, vectors = self.lengths[first:last], self.vectors[first:last]
        found = likeness.runs(vectors, lengths, self.level, self.room, self.least)
        return [(first + a, first + b) for a, b in found]


Choose = Callable[[Sequence[Stretch]], list[list[Run]]]  #: all stretches of a document → the runs of each


def look(embedder: Embedder, texts: Sequence[str], language: str | None) -> Vectors:
    """(n, dimensions) float64, rows of unit length: where each text lies.

    A text that is longer than the model reads is looked at in parts; its vector is the mean of theirs.
    """
    ruler = embedder.ruler
    measure, reads = Measure(ruler), ruler.cap - ruler.overhead
    parts: list[str] = []
    owners: list[int] = []
    for owner, (text, size) in enumerate(zip(texts, measure.sizes(texts), strict=True)):
        spans = segments(text, 0, len(text), measure, reads, language) if size > reads else ()
        of_text = [text[span.start : span.end] for span in spans] or [text]
        parts += of_text
        owners += [owner] * len(of_text)
    seen = np.asarray(embedder.embed(parts), dtype=np.float64)
    vectors = np.zeros((len(texts), seen.shape[1]))
    np.add.at(vectors, owners, seen)
    return likeness.unit(vectors)


@dataclass(frozen=True, slots=True)
class Looker:
    """Cuts a document by what a model sees in it."""

    embedder: Embedder
    choose: Choose
    size: int | None
    min_size: int | None
    parent_size: int
    unit: Unit

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Sections and runs of tiny ones as `structure` cuts them; those that are too long, by `choose`.

        What one child holds is not looked at.
        """
        measure = Measure(ruler, self.unit)
        size = sizes.resolve(self.size, self.unit, ruler)
        least = size // SHARE if self.min_size is None else self.min_size
        if least >= size:
            raise ConfigError(f"min_size must be below size {size}, not {least}")
        found = sections(leaves(document, document.blocks, measure))
        cutter = Cutter(document, ruler, measure, size)
        long = [section for section in found if len(cutter.pieces(section.leaves)) > 1]
        runs = self._runs(document, [_split(cutter, section) for section in long], least)
        seen = _Seen(document, ruler, measure, size, {_place(leaves): of_section for leaves, of_section in runs})
        yield from parts_of_sections(seen, found, self.parent_size)

    def _runs(
        self, document: Document, split: Sequence[_Split], least: int
    ) -> Iterator[tuple[Sequence[Leaf], list[list[Leaf]]]]:
        """For each section its leaves and the runs of finer leaves that it is cut into."""
        stretches = self._stretches(document, split, least)
        chosen = iter(self.choose(stretches) if stretches else [])
        for section in split:
            of_section: list[list[Leaf]] = []
            for group in section.groups:
                runs = next(chosen) if len(group) > 1 else [(0, 1)]
                of_section += [[leaf for unit in group[first:last] for leaf in unit] for first, last in runs]
            yield section.leaves, of_section

    def _stretches(self, document: Document, split: Sequence[_Split], least: int) -> list[Stretch]:
        """The groups of more than one unit, all looked at together."""
        together = [(group, section.room) for section in split for group in section.groups if len(group) > 1]
        seen = [unit for group, _ in together for unit in group]
        if not seen:
            return []
        texts = [document.text[unit[0].start : unit[-1].block.end] for unit in seen]
        vectors = look(self.embedder, texts, document.language)
        lengths = np.array([_size(unit) for unit in seen], dtype=np.float64)
        level = likeness.mean(vectors, lengths)
        found = []
        at = 0
        for group, left in together:
            stop = at + len(group)
            found.append(Stretch(lengths[at:stop], vectors[at:stop], left, min(least, left), level))
            at = stop
        return found


@dataclass(frozen=True, slots=True)
class _Split:
    """A section that is too long, in groups of units; a unit that is too long itself is a group of its own."""

    leaves: Sequence[Leaf]
    groups: list[list[list[Leaf]]]
    room: int


def _split(cutter: Cutter, section: Section) -> _Split:
    left = cutter.size
    if cutter.measure.unit == "tokens":
        left = room(cutter.document, section.path, "", cutter.ruler, cutter.size)
    groups: list[list[list[Leaf]]] = []
    alone = True
    for unit in units(cutter.document, section.leaves, cutter.measure):
        too_long = _size(unit) > left
        if alone or too_long:
            groups.append([])
        groups[-1].append(unit)
        alone = too_long
    return _Split(section.leaves, groups, left)


def _size(unit: Sequence[Leaf]) -> int:
    return sum(leaf.size for leaf in unit)


def _place(leaves: Sequence[Leaf]) -> tuple[int, int]:
    return leaves[0].start, leaves[-1].stop


@dataclass(frozen=True, slots=True)
class _Seen(Cutter):
    """A cutter that knows how the sections that were looked at are to be cut."""

    runs: Mapping[tuple[int, int], Sequence[Sequence[Leaf]]]  #: by the place of the section

    def pieces(self, leaves: Sequence[Leaf], *, again: str = "") -> list[Measured]:
        """As `Cutter.pieces`, run by run."""
        runs = self.runs.get(_place(leaves), (leaves,))
        return [measured for run in runs for measured in Cutter.pieces(self, run, again=again)]
