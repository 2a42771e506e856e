"""Source code: split where symbols begin, then merge small siblings (after cAST, arXiv 2506.15655)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part, Piece
from chunkers.code_atoms import Atom, Limits, Path, common, glued, lengths, packed, stretches_of
from chunkers.code_lines import cut_lines
from chunkers.document import Document, Kind
from chunkers.splitting import Measure, Span, Unit
from chunkers.tokens import Ruler

_CALLABLE = frozenset({"function", "method"})  #: kinds whose signature is repeated for everything inside

_AROUND = frozenset({None, "package", "namespace", "module"})  #: what may stand above a file's imports

#: kinds whose signature says no more than the path in the header does
_SELF_EVIDENT = frozenset({"key", "table", "element", "document", "rule", "at-rule"})


@register("code")
@dataclass(frozen=True, slots=True)
class Code:
    """Symbols whole where they fit, small siblings together, long symbols between statements.

    What is before the first symbol of a file that is cut (its documentation, its imports) shares no piece with it.

    Assumes blocks with symbol paths, as the parser of source code gives them. Fails on generated and minified code,
    whose symbols say nothing about what they do. What is merged and where a long symbol is cut depends on the code
    itself and not on how much stands before it, so an edit in one symbol leaves the pieces of the others alone.
    """

    version: ClassVar[int] = 3

    size: int | None = None  #: in `unit`; default: the smaller of 400 tokens and what the model reads
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, unit=self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order: a class with its members, a long function, a run of small symbols."""
        measure = Measure(ruler, self.unit)
        size = sizes.resolve(self.size, self.unit, ruler)
        limits = Limits(document, ruler, self.unit, size)
        for stretch in stretches_of(document):
            atoms = glued(document.text, stretch, measure, limits)
            pieces = list(_Cutter(document, atoms, measure, limits).pieces())
            yield from _parts(document.text, pieces, measure, sizes.resolve_parent(self.parent_size, self.unit, size))


class _Row:
    """Consecutive spans, and how long any stretch of them is."""

    def __init__(self, text: str, spans: Sequence[Span], measure: Measure) -> None:
        gaps = [(before[1], after[0]) for before, after in pairwise(spans)]
        sizes = lengths(text, [*spans, *gaps], measure)
        self._gaps = [*sizes[len(spans) :], 0]
        self.lengths = [size + gap for size, gap in zip(sizes, self._gaps, strict=False)]
        self._sums = [0, *accumulate(self.lengths)]

    def size(self, first: int, last: int) -> int:
        """Of the spans `[first, last)` and what is between them."""
        return self._sums[last] - self._sums[first] - self._gaps[last - 1]

    def reach(self, first: int, last: int) -> int:
        """As `size`, with what is between them and the next span."""
        return self._sums[last] - self._sums[first]


@dataclass(slots=True)
class _Cutter:
    """Cuts one stretch of atoms into pieces."""

    document: Document
    atoms: Sequence[Atom]
    measure: Measure
    limits: Limits
    _row: _Row = field(init=False)
    _signatures: dict[Path, str] = field(init=False)  #: of functions with inner ones that have blocks of their own
    _opening: int = field(init=False)  #: atoms before the first symbol: the file's own documentation, its imports

    def __post_init__(self) -> None:
        text = self.document.text
        self._row = _Row(text, [(atom.start, atom.end) for atom in self.atoms], self.measure)
        self._signatures = {
            atom.block.section_path: atom.block.symbol.signature
            for atom in self.atoms
            if atom.block.symbol is not None and atom.block.symbol.kind in _CALLABLE
        }
        kinds = [atom.block.symbol.kind if atom.block.symbol else None for atom in self.atoms]
        self._opening = next((at for at, kind in enumerate(kinds) if kind not in _AROUND), 0)

    def pieces(self) -> Iterator[Piece]:
        """In order: what fits is one piece, what does not is looked at one level of its path deeper."""
        paths = [atom.path for atom in self.atoms]
        stretches = [(0, len(self.atoms), 0)]
        while stretches:
            first, last, depth = stretches.pop()
            if self._fits(first, last):
                yield self._whole(first, last)
            elif last - first == 1:
                yield from self._long(self.atoms[first])
            else:
                deeper: list[tuple[int, int, int]] = []
                run: list[Span] = []
                for unit in _units(paths, first, last, depth):
                    if unit[0] == self._opening:
                        deeper += [(*merged, depth + 1) for merged in self._merged(run)]
                        run = []
                    if self._fits(*unit):
                        run.append(unit)
                    else:
                        deeper += [(*merged, depth + 1) for merged in self._merged(run)]
                        deeper.append((*unit, depth + 1))
                        run = []
                deeper += [(*merged, depth + 1) for merged in self._merged(run)]
                stretches += reversed(deeper)

    def _fits(self, first: int, last: int) -> bool:
        size = self._row.size(first, last)
        return size <= self.limits.size and (
            self.limits.unit == "characters" or size <= self.limits.of(*self._header(first, last))
        )

    def _header(self, first: int, last: int) -> tuple[Path, str]:
        """The path that the atoms share, and the signature of the function that they are in but do not show."""
        atoms = self.atoms[first:last]
        path = common([atom.path for atom in atoms]) if len(atoms) > 1 else atoms[0].path
        signature = self._signatures.get(path, "")
        shown = signature and any(atom.path == path and atom.block.symbol is not None for atom in atoms)
        return path, "" if shown else signature

    def _whole(self, first: int, last: int) -> Piece:
        path, repeated = self._header(first, last)
        kinds = [atom.block.kind for atom in self.atoms[first:last]]
        kind = next((kind for kind in (Kind.SYMBOL, Kind.CODE) if kind in kinds), kinds[0])
        return Piece(self.atoms[first].start, self.atoms[last - 1].end, kind, path, repeated)

    def _merged(self, units: Sequence[Span]) -> Iterator[Span]:
        """Neighbours together, as long as they fit under the header of what is around them."""
        if len(units) < 2:
            yield from units
            return
        path, _ = self._header(units[0][0], units[-1][1])
        limit = self.limits.of(path, self._signatures.get(path, ""))
        sizes = [self._row.reach(*unit) for unit in units]
        for first, last in packed(sizes, lambda: self._priced(units), limit):
            yield units[first][0], units[last - 1][1]

    def _priced(self, units: Sequence[Span]) -> tuple[list[str], list[int]]:
        """What the boundaries after the units are known by, and how many line breaks lie there, up to three."""
        text, atoms, end = self.document.text, self.atoms, len(self.atoms) - 1
        breaks = [min(3, text.count("\n", atoms[last - 1].end, atoms[min(last, end)].start)) for _, last in units]
        return [self._key(*unit) for unit in units], breaks

    def _key(self, first: int, last: int) -> str:
        """What a boundary is known by: the symbol before it by its name, so that an edit inside moves nothing."""
        atom = self.atoms[last - 1]
        if atom.block.symbol is not None:
            return f"{last - first == 1} {atom.block.symbol.kind} {atom.block.symbol.name}"
        return self.document.text[atom.start : atom.end]

    def _long(self, atom: Atom) -> Iterator[Piece]:
        """An atom that is too long, cut between its lines, its signature above all but the first."""
        text, symbol = self.document.text, atom.block.symbol
        signature = symbol.signature if symbol is not None else self._signatures.get(atom.path, "")
        signature = "" if symbol is not None and symbol.kind in _SELF_EVIDENT else signature
        limit = self.limits.of(atom.path, signature)
        for start, end in cut_lines(self.document, atom.start, atom.end, self.measure, limit):
            content = len(text[start:end].rstrip())
            if content:
                shown = symbol is not None and start == atom.start
                yield Piece(start, start + content, atom.block.kind, atom.path, "" if shown else signature)


def _units(paths: Sequence[Path], first: int, last: int, depth: int) -> Iterator[Span]:
    """Runs that are one thing at `depth`: a class's head with its members. What lies directly there stands alone."""
    start = first
    for at in range(first + 1, last + 1):
        here = paths[start][: depth + 1]
        if at == last or len(here) <= depth or paths[at][: depth + 1] != here:
            yield start, at
            start = at


def _parts(text: str, pieces: Sequence[Piece], measure: Measure, parent_size: int) -> Iterator[Part]:
    """A class or a long symbol is a part if it fits; single pieces beside each other share parts."""
    row = _Row(text, [(piece.start, piece.end) for piece in pieces], measure)
    paths = [piece.section_path for piece in pieces]

    def priced(places: Sequence[int]) -> tuple[list[str], list[int]]:
        """A piece is known by its first line."""
        texts = [text[pieces[at].start : pieces[at].end] for at in places]
        return [piece.lstrip().partition("\n")[0] for piece in texts], [0] * len(places)

    def runs(first: int, last: int, depth: int) -> list[tuple[Span, int]]:
        """The units at `depth`, single pieces packed, the last one first."""
        found: list[Span] = []
        single: list[int] = []
        for unit in [*_units(paths, first, last, depth), (last, last)]:
            if unit[1] - unit[0] == 1:
                single.append(unit[0])
                continue
            sizes = [row.lengths[at] for at in single]
            runs_of_single = packed(sizes, partial(priced, single), parent_size)
            found += [(single[start], single[stop - 1] + 1) for start, stop in runs_of_single]
            found += [unit] if unit[0] < unit[1] else []
            single = []
        return [(unit, depth + 1) for unit in reversed(found)]

    stretches = runs(0, len(pieces), 0)
    while stretches:
        (first, last), depth = stretches.pop()
        inner = pieces[first:last]
        if last - first == 1 or row.size(first, last) <= parent_size:
            yield Part(inner[0].start, inner[-1].end, common(paths[first:last]), tuple(inner))
        else:
            stretches += runs(first, last, depth)
