"""What a cut of code is made of: blocks with the scraps beside them, and how long a piece may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers.document import Block, Document, Kind
from chunkers.headers import room
from chunkers.packing import pack
from chunkers.splitting import Measure, Span, Unit
from chunkers.tokens import Ruler

_CLOSES = re.compile(r"[)\]}]|end\b|#endif|\?>")
_BARE_HEAD = re.compile(r"(?:class|module)\b[^;]*\Z")  #: of a scope that `end` closes
_SCRAP = 24  #: characters; a bracket or an `else:` of at most so many goes with the block beside it

Path = tuple[str, ...]


class Atom(NamedTuple):
    """A block with the scraps beside it."""

    start: int
    end: int
    block: Block
    path: Path  #: of the block, or of what is around it and the scraps


def lengths(text: str, spans: Sequence[Span], measure: Measure) -> list[int]:
    """The size of each span of `text`."""
    if measure.unit == "characters":
        return [end - start for start, end in spans]
    return measure.sizes([text[start:end] for start, end in spans])


def packed(
    sizes: Sequence[int], priced: Callable[[], tuple[Sequence[bytes | int | str], Sequence[int]]], cap: int
) -> list[Span]:
    """As `pack`; the keys and strengths that `priced` gives are made only where something has to be cut."""
    if len(sizes) < 2 or sum(sizes) <= cap:
        return [(0, len(sizes))] if sizes else []
    return pack(sizes, *priced(), cap)


def stretches_of(document: Document) -> Iterator[list[Atom]]:
    """The atoms of each stretch between metadata; together they hold all of its text."""
    text = document.text
    blocks: list[Block] = []
    begins = 0
    for block in [*document.blocks, None]:
        if block is not None and block.kind is not Kind.METADATA:
            blocks.append(block)
            continue
        ends = block.start if block is not None else len(text)
        if not blocks and text[begins:ends].strip():
            blocks = [Block(Kind.CODE, begins, ends)]
        if blocks:
            yield _filled(text, begins, ends, blocks)
        blocks, begins = [], block.end if block is not None else len(text)


def _filled(text: str, begins: int, ends: int, blocks: Sequence[Block]) -> list[Atom]:
    """One atom for each block, longer than the block where text between blocks belongs to none."""
    atoms = []
    start = blocks[0].start if not text[begins : blocks[0].start].strip() else begins
    for block, stop in zip(blocks, [*(after.start for after in blocks[1:]), ends], strict=True):
        end = block.end
        atoms.append(Atom(start, stop if not is_blank(text, end, stop) else end, block, block.section_path))
        start = stop
    return atoms


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is empty or white space."""
    return start >= end or text[start:end].isspace()


@dataclass(slots=True)
class Limits:
    """How long the text of a piece may be below its header."""

    document: Document
    ruler: Ruler
    unit: Unit
    size: int
    _known: dict[tuple[Path, str], int] = field(default_factory=dict)

    def of(self, path: Path, repeated: str) -> int:
        """In `unit`, for a piece with `path` and `repeated` in its header."""
        if self.unit == "characters":
            return self.size
        key = (path, repeated)
        if key not in self._known:
            self._known[key] = room(self.document, path, repeated, self.ruler, self.size)
        return self._known[key]


def glued(text: str, atoms: Sequence[Atom], measure: Measure, limits: Limits) -> list[Atom]:
    """A closing bracket goes with what is before it, a short opening (`try:`, `class A {`) with what comes after it.

    Both only if there is room.

    Where there is not, the bracket of a class may still find it under the class's own path, which is the shorter one.
    """
    sizes = lengths(text, [(atom.start, atom.end) for atom in atoms], measure)

    def has_room(at: int, scrap: int) -> bool:
        limit = limits.of(atoms[at].path, "")
        return sizes[at] > limit or sizes[at] + 2 * scrap <= limit

    glued: list[Atom] = []
    opened: int | None = None
    for at, atom in enumerate(atoms):
        content = text[atom.start : atom.end].strip() if atom.end - atom.start <= 2 * _SCRAP else ""
        is_short = 0 < len(content) <= _SCRAP
        is_scrap = is_short and atom.block.symbol is None
        is_head = is_short and at + 1 < len(atoms) and _is_below(atoms[at + 1].path, atom.path)
        opens = (is_scrap or is_head) and (content[-1] in "([{:" or (is_head and _BARE_HEAD.match(content)))
        if opens and at + 1 < len(atoms) and has_room(at + 1, sizes[at]):
            opened = atom.start if opened is None else opened
            continue
        if is_scrap and _CLOSES.match(content) and opened is None and glued:
            last = glued[-1]._replace(end=atom.end)
            around = last._replace(path=common([last.path, atom.path]))
            if has_room(at - 1, sizes[at]):
                glued[-1] = last
                continue
            if measure.size(text[last.start : last.end]) <= limits.of(around.path, ""):
                glued[-1] = around
                continue
        glued.append(atom if opened is None else atom._replace(start=opened))
        opened = None
    return glued


def _is_below(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def common(paths: Sequence[Path]) -> Path:
    """What all paths begin with."""
    low, high = min(paths), max(paths)
    if low == high:
        return low
    return low[: next((at for at, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), len(low))]
