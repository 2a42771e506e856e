"""Leaves into pieces and pieces into parts: what every recipe but `fixed` and `code` shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from chunkers.chunk import Part, Piece
from chunkers.clusters import clusters, common, fits, grade_between, groups, kind_of, leads
from chunkers.document import Document, Kind
from chunkers.headers import JOINT, SEPARATOR, header, room
from chunkers.packing import pack
from chunkers.sections import Leaf
from chunkers.splitting import Grade, Measure, Segment, lines, segments
from chunkers.tables import Table, table_of
from chunkers.tokens import Ruler

_PROSE = frozenset({Kind.PARAGRAPH, Kind.QUOTE, Kind.FOOTNOTE, Kind.HEADING})
_HEADING, _BLOCK = Kind.HEADING, Grade.BLOCK  #: a look at an enumeration takes long


class Measured(NamedTuple):
    """A piece with its size and the grade of the boundary after it."""

    piece: Piece
    size: int
    grade: Grade


class _Unit(NamedTuple):
    start: int
    stop: int
    size: int
    grade: Grade
    leaves: tuple[Leaf, ...]  #: those that it holds, or holds a part of
    table: Table | None = None  #: set for rows of a table that is cut


_made: Callable[[tuple[int, int, int, Grade, tuple[Leaf, ...], Table | None]], _Unit] = partial(tuple.__new__, _Unit)


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts consecutive leaves of a document into pieces of at most `size`."""

    document: Document
    ruler: Ruler
    measure: Measure
    size: int

    def pieces(self, leaves: Sequence[Leaf], *, again: str = "") -> list[Measured]:
        """The pieces of `leaves`: one if they fit, else runs of units whose ends their own content chooses.

        `again`, the question that the leaves answer, is repeated in the header of every piece that begins after it.
        """
        found: list[Measured] = []
        run: list[Leaf] = []
        for leaf in leaves:
            run.append(leaf)
            if leaf.barrier:
                found += self._run(run, again)
                run = []
        found += self._run(run, again)
        if not again:
            return found
        asked = next((leaf.start for leaf in leaves if leaf.kind is Kind.QUESTION), 0)
        return [_repeating(measured, again if measured.piece.start > asked else "") for measured in found]

    def _run(self, leaves: Sequence[Leaf], again: str) -> list[Measured]:
        if not leaves:
            return []
        whole = self._unit(leaves, Grade.HEADING)
        if self._fits_alone(whole):
            return [Measured(self._piece(whole), whole.size, whole.grade)]
        paths = dict.fromkeys([leaf.path for leaf in leaves])
        path = max(paths, key=lambda path: self._taken(SEPARATOR.join(path)))
        units = self._units(leaves, self._room(path, again), self._room(path, ""), again)
        found: list[Measured] = []
        for table, group in groupby(units, key=attrgetter("table")):
            repeated = "\n".join(part for part in (again, table.header if table else "") if part)
            found += self._packed(list(group), table, self._room(path, repeated))
        return found

    def _packed(self, units: Sequence[_Unit], table: Table | None, cap: int) -> list[Measured]:
        text, in_characters = self.document.text, self.measure.unit == "characters"
        packed = pack(
            [unit.size if in_characters else max(1, unit.size - self._credit(unit)) for unit in units],
            [text[unit.start : unit.stop].rstrip() for unit in units],
            [unit.grade for unit in units],
            cap,
        )
        found = []
        for first, last in packed:
            run = units[first:last]
            start, stop, leaves, grade = run[0].start, run[-1].stop, _held(run), run[-1].grade
            repeated = table.header if table and start > table.start else ""
            size = sum([unit.size for unit in run])
            found.append(Measured(Piece(start, stop, kind_of(leaves), _path(leaves), repeated), size, grade))
        return found

    def _room(self, path: tuple[str, ...], repeated: str) -> int:
        if self.measure.unit == "characters":
            return self.size
        return room(self.document, path, repeated, self.ruler, self.size)

    def _credit(self, unit: _Unit) -> int:
        """Tokens that the room's header has and this unit's has not, since the heading is in its text."""
        if self.measure.unit == "characters" or unit.leaves[0].kind is not Kind.HEADING:
            return 0
        path = unit.leaves[-1].path
        outer = header(self.document, replace(self._piece(unit), section_path=path), self.ruler)
        full = header(self.document, Piece(0, 0, Kind.PARAGRAPH, path), self.ruler)
        saved, all_of_it = self.ruler.count([outer, full])
        return max(0, min(all_of_it - saved, self.size - self._room(path, "")))

    def _fits_alone(self, unit: _Unit) -> bool:
        if unit.size > self.size + max(8, self.size // 8):
            return False
        text = self.document.text[unit.start : unit.stop].rstrip()
        size = self.measure.size(text)
        if size > self.size:
            return False
        if self.measure.unit == "characters":
            return True
        written = header(self.document, self._piece(unit), self.ruler)
        return size <= self.size - self._taken(written)

    def _taken(self, written: str) -> int:
        """What a header takes from a size that leaves it less than it needs."""
        if not written:
            return 0
        needs = self.ruler.count([written])[0] + JOINT
        return max(0, needs - (self.ruler.cap - self.ruler.overhead - self.size))

    def _fits(self, leaves: Sequence[Leaf], cap: int) -> bool:
        return fits(self.document.text, leaves, self.measure, cap)

    def _unit(self, leaves: Sequence[Leaf], grade: Grade) -> _Unit:
        return _Unit(leaves[0].start, leaves[-1].stop, sum(leaf.size for leaf in leaves), grade, tuple(leaves))

    def _piece(self, unit: _Unit) -> Piece:
        return Piece(unit.start, unit.stop, kind_of(unit.leaves), _path(unit.leaves))

    def _units(self, leaves: Sequence[Leaf], cap: int, asking: int, again: str) -> list[_Unit]:
        """Units of at most `cap`: clusters that fit, the parts of those that do not; headings go with what follows.

        A question with its answer may be as long as `asking`: it has no need to repeat itself. A cluster that stands
        alone may be as long as its own header leaves room for, where `cap` is what the longest header of all leaves.
        """
        found: list[_Unit] = []
        head: list[Leaf] = []
        for cluster in clusters(self.document.text, leaves):
            kind = cluster[0].block.kind
            if kind is _HEADING:
                if found and not head:
                    found[-1] = found[-1]._replace(grade=Grade.HEADING)
                head += cluster
                continue
            if kind in _PROSE and len(cluster) == 1 and not head:
                leaf = cluster[0]
                if self._fits(cluster, cap):
                    found.append(_made((leaf.block.start, leaf.stop, leaf.size, _BLOCK, (leaf,), None)))
                else:
                    found += self._split((), leaf, cap, _BLOCK)
                continue
            joined = self._unit([*head, *cluster], Grade.BLOCK)
            limit = asking if kind is Kind.QUESTION else cap
            if self._fits(joined.leaves, limit + self._credit(joined)):
                found.append(joined)
            elif not (len(cluster) == 1 and kind in _PROSE) and self._fits(
                cluster, max(limit, self._room(cluster[-1].path, again))
            ):
                found += self._apart(head, cap)
                found.append(self._unit(cluster, Grade.BLOCK))
            else:
                found += self._broken(head, cluster, cap)
            head = []
        if head:
            found += self._broken(head[:-1], head[-1:], cap)
        return found

    def _broken(self, head: Sequence[Leaf], cluster: Sequence[Leaf], cap: int) -> list[_Unit]:
        """The units of a cluster that is too long for one; what leads in goes with what it leads to, if that fits.

        A list that would fit without a long lead-in stays whole.
        """
        found: list[_Unit] = []
        text, lead = self.document.text, list(head)
        parted = groups(text, cluster, partial(self._fits, cap=cap))
        for group, following in zip(parted, [*parted[1:], None], strict=True):
            after = following.leaves[0] if following else None
            held, listed = group
            joined = self._unit([*lead, *held], grade_between(text, after, listed=listed))
            taken = joined.size - sum(leaf.size for leaf in held)
            whole = self._fits(joined.leaves, cap)
            if whole and after is not None and leads(text, group, after):
                lead += held
                continue
            if whole:
                if not self._caption_below(found, held[0], cap):
                    found.append(joined)
            elif len(held) > 1 and taken * 4 > cap:
                found += [*self._apart(lead, cap), self._unit(held, joined.grade)]
            else:
                for leaf, below in zip(held, [*held[1:], after], strict=True):
                    found += self._split(lead, leaf, cap, grade_between(text, below, listed=listed))
                    lead = []
            lead = []
        return found

    def _caption_below(self, found: list[_Unit], leaf: Leaf, cap: int) -> bool:
        """Put a caption to the last rows of the table above it that was cut, if it fits there."""
        if leaf.kind is not Kind.CAPTION or not found or (table := found[-1].table) is None:
            return False
        above = found[-1]
        if above.size + leaf.size > min(cap, self._room(leaf.path, table.header)):
            return False
        found[-1] = above._replace(stop=leaf.stop, size=above.size + leaf.size, leaves=(*above.leaves, leaf))
        return True

    def _apart(self, lead: Sequence[Leaf], cap: int) -> list[_Unit]:
        """A lead that is parted from what it leads to: one unit if it fits, else those of its leaves."""
        if not lead or self._fits(lead, cap):
            return [self._unit(lead, Grade.SENTENCE)] if lead else []
        return [unit for leaf in lead for unit in self._split((), leaf, cap, Grade.SENTENCE)]

    def _split(self, lead: Sequence[Leaf], leaf: Leaf, cap: int, last: Grade) -> list[_Unit]:
        """Lead and one leaf that do not fit together: the leaf's own parts, the lead with the first of them."""
        taken = sum(each.size for each in lead)
        table: Table | None = None
        before: list[_Unit] = []
        if self._fits((leaf,), cap) and (leaf.kind not in _PROSE or taken * 2 > cap):
            parts = [Segment(leaf.start, leaf.stop, leaf.size, last)]
        else:
            if taken * 2 > cap:
                before = self._apart(lead, cap)
                lead, taken = (), 0
            text, measure, language = self.document.text, self.measure, self.document.language
            if leaf.kind is Kind.TABLE and (table := table_of(text, leaf.block)):
                parts = table.segments(text, leaf.stop, measure, self._room(leaf.path, table.header), cap - taken, last)
            elif leaf.kind is Kind.CODE:
                parts = lines(text, leaf.start, leaf.stop, measure, cap - taken, language)
                parts[-1] = parts[-1]._replace(grade=last)
            else:
                parts = segments(text, leaf.start, leaf.stop, measure, cap - taken, language, last=last)
        alone = (leaf,)
        units = [_made((start, stop, size, grade, alone, table)) for start, stop, size, grade in parts]
        if not lead:
            return before + units
        first = units[0]
        if taken + first.size <= cap:
            units[0] = _Unit(lead[0].start, first.stop, taken + first.size, first.grade, (*lead, leaf), table)
            return before + units
        return [*before, *self._apart(lead, cap), *units]


def _held(run: Sequence[_Unit]) -> Sequence[Leaf]:
    """The leaves of consecutive units, each once."""
    leaves = run[0].leaves
    if leaves is run[-1].leaves:
        return leaves
    found = list(leaves)
    for unit in run[1:]:
        found += unit.leaves[1:] if unit.leaves[0] is found[-1] else unit.leaves
    return found


def _path(leaves: Sequence[Leaf]) -> tuple[str, ...]:
    return common([leaf.block.section_path for leaf in leaves])


def _repeating(measured: Measured, again: str) -> Measured:
    repeated = "\n".join(part for part in (again, measured.piece.repeated) if part)
    return measured._replace(piece=replace(measured.piece, repeated=repeated))


def parts(document: Document, pieces: Sequence[Measured], parent_size: int) -> Iterator[Part]:
    """One part if the pieces fit `parent_size` together, else runs of them, chosen by content."""
    packed = pack(
        [measured.size for measured in pieces],
        [document.text[measured.piece.start : measured.piece.end].rstrip() for measured in pieces],
        [measured.grade for measured in pieces],
        parent_size,
    )
    for first, last in packed:
        run = [measured.piece for measured in pieces[first:last]]
        yield Part(run[0].start, run[-1].end, common([piece.section_path for piece in run]), tuple(run))
