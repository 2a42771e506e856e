"""A document as sections of leaves: what structure, layout and qa cut.

A leaf is a block with the text up to the next one, so that leaves tile the document but for metadata. A section is a
heading with the leaves up to the next heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chunkers.document import Block, Document, Kind
from chunkers.packing import pack
from chunkers.splitting import Measure

_WORD = re.compile(r"\w")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A block, and how far it reaches."""

    block: Block
    stop: int  #: where the next leaf starts, or where metadata stops this one
    size: int  #: of `[start, stop)`
    gap: int  #: of the white space at its end
    barrier: bool  #: metadata lies between this leaf and the next

    @property
    def start(self) -> int:
        """Where the block starts."""
        return self.block.start

    @property
    def kind(self) -> Kind:
        """The block's kind."""
        return self.block.kind

    @property
    def path(self) -> tuple[str, ...]:
        """The block's section path."""
        return self.block.section_path


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive leaves that belong together, with a heading (or none) at their start."""

    leaves: tuple[Leaf, ...]

    @property
    def size(self) -> int:
        """The sum of its leaves' sizes."""
        return sum(leaf.size for leaf in self.leaves)

    @property
    def path(self) -> tuple[str, ...]:
        """The path of its last leaf: for a heading that was joined to the section below it, the lower one's."""
        return self.leaves[-1].path

    @property
    def bare(self) -> bool:
        """Nothing but headings."""
        return all(leaf.kind is Kind.HEADING for leaf in self.leaves)


def leaves(document: Document, blocks: Iterable[Block], measure: Measure) -> list[Leaf]:
    """The leaves of `blocks` (the document's own, or finer ones), and of any text that no block holds.

    What is between blocks and has no word in it (a rule, a fence of colons) belongs to the leaf before it.
    """
    text = document.text
    placed: list[Block] = []
    barriers: dict[int, int] = {}
    at = 0
    for block in [*blocks, None]:
        begins = block.start if block is not None else len(text)
        if (between := text[at:begins]) and not between.isspace():
            loose = _paragraphs(text, at, begins, placed[-1] if placed else None)
            if placed and len(placed) - 1 not in barriers:
                loose = [found for found in loose if _WORD.search(text, found.start, found.end)]
            placed += loose
        if block is None:
            break
        at = block.end
        if block.kind is not Kind.METADATA:
            placed.append(block)
        elif placed:
            barriers.setdefault(len(placed) - 1, begins)
    nexts = [*(block.start for block in placed[1:]), len(text)]
    stops = [barriers.get(number, nexts[number]) for number in range(len(placed))]
    sizes = measure.of_spans(text, [(block.start, stop) for block, stop in zip(placed, stops, strict=True)])
    ends = [_end(text, block, stop) for block, stop in zip(placed, stops, strict=True)]
    gaps = measure.of_spans(text, list(zip(ends, stops, strict=True)))
    return [
        Leaf(block, stop, size, gap, number in barriers)
        for number, (block, stop, size, gap) in enumerate(zip(placed, stops, sizes, gaps, strict=True))
    ]


def _end(text: str, block: Block, stop: int) -> int:
    """Where the white space begins that a leaf ends with."""
    begin = block.start if text[block.end - 1].isspace() else block.end
    return begin + len(text[begin:stop].rstrip())


def _paragraphs(text: str, start: int, end: int, before: Block | None) -> list[Block]:
    """Text between blocks, as paragraphs of the section and on the page of the block before."""
    found = []
    at = start
    for cut in [*(match.end() for match in _BLANK_LINE.finditer(text, start, end)), end]:
        a, b = at, cut
        while a < b and text[a].isspace():
            a += 1
        while b > a and text[b - 1].isspace():
            b -= 1
        if a < b:
            page, path = (before.page, before.section_path) if before else (None, ())
            found.append(Block(Kind.PARAGRAPH, a, b, page=page, section_path=path))
        at = cut
    return found


def sections(found: Sequence[Leaf], *, at_pages: bool = False) -> list[Section]:
    """Cut the leaves before each heading and, with `at_pages`, where another page (a slide) begins.

    A heading without text of its own joins the section below or beside it that follows.
    """
    cut: list[list[Leaf]] = []
    for leaf in found:
        turned = at_pages and cut and leaf.block.page != cut[-1][-1].block.page
        if not cut or turned or leaf.kind is Kind.HEADING or cut[-1][-1].barrier:
            cut.append([])
        cut[-1].append(leaf)
    made: list[Section] = []
    held: tuple[Leaf, ...] = ()
    for number, group in enumerate(cut):
        after = cut[number + 1] if number + 1 < len(cut) else []
        section = Section((*held, *group))
        held = ()
        last = section.leaves[-1]
        if (
            section.bare
            and after
            and after[0].kind is Kind.HEADING
            and len(after[0].path) >= len(last.path)
            and not last.barrier
            and not (at_pages and after[0].block.page != last.block.page)
        ):
            held = section.leaves
        else:
            made.append(section)
    return made


def families(
    document: Document,
    found: Sequence[Section],
    floor: int,
    cap: int,
    apart: Callable[[Section], bool] | None = None,
) -> list[list[Section]]:
    """Put runs of consecutive sections below `floor` under one heading together, up to `cap`; the others stay alone.

    Which sections meet depends on those of the run and on nothing else, so that an edit is felt in its own run only.
    What stands between a heading and the first one below it is not of that run; a section that is `apart` is of none.
    """
    runs: list[list[Section]] = []
    previous: tuple[str, ...] | None = None
    for section in found:
        tiny = section.size < floor and not (apart and apart(section))
        if tiny and section.path[:-1] == previous:
            runs[-1].append(section)
        else:
            runs.append([section])
        previous = section.path[:-1] if tiny and not section.leaves[-1].barrier else None
    grouped: list[list[Section]] = []
    for run in runs:
        texts = [document.text[section.leaves[0].start : section.leaves[-1].stop] for section in run]
        packed = pack([section.size for section in run], texts, [1] * len(run), cap)
        grouped += [run[first:last] for first, last in packed]
    return grouped
