"""Leaves → blocks that leave out no line: what no leaf claims joins a neighbour or stands for itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from chunkers.document import Block, Kind
from corpus.parsers.markdown.captions import Run, with_captions
from corpus.parsers.markdown.html import whole_elements
from corpus.parsers.markdown.inline import Inline
from corpus.parsers.markdown.leaf import Leaf, Leaves

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
#: kinds that a line of marks may join; it would spoil a heading's words, a table's rows, code
_OPEN_KINDS = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE, Kind.CAPTION})


def blocks_of(text: str, body: str, found: Leaves, inline: Inline) -> tuple[Block, ...]:
    """The blocks of `text`; `body` is the same text with the front matter's lines blanked."""
    lines = body.split("\n")
    shift = len(text) - len(body)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    leaves = list(found.leaves)
    owners = _owners(lines, leaves)
    whole_elements(lines, leaves, owners)
    _fill(lines, leaves, owners, found)
    path: list[tuple[int, str]] = []
    blocks = []
    for kind, leaf, first, last in _in_their_places(with_captions(list(_runs(lines, leaves, owners)), lines)):
        start, end = starts[first] + shift, starts[last - 1] + len(lines[last - 1].rstrip()) + shift
        if kind not in (Kind.CODE, Kind.LIST_ITEM):
            start += len(lines[first]) - len(lines[first].lstrip())
        if kind is Kind.HEADING:
            level = leaf.level or 1
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, inline.heading(leaf.content)))
        rows = (_rows(leaf, text[start:end], inline) or None) if kind is Kind.TABLE else None
        if kind is Kind.TABLE and rows is None:  # raw HTML that a browser would make no table of
            kind = Kind.PARAGRAPH
        level_of = leaf.level if kind in (Kind.HEADING, Kind.LIST_ITEM) else None
        titles = tuple(title for _, title in path)
        blocks.append(Block(kind, start, end, level=level_of, section_path=titles, rows=rows))
    return tuple(blocks)


def _owners(lines: Sequence[str], leaves: Sequence[Leaf]) -> list[int]:
    """For each line the leaf that claims it, or -1. The first claim stands, whatever a plugin's map says."""
    owners = [-1] * len(lines)
    for at, leaf in enumerate(leaves):
        for line in range(max(leaf.first, 0), min(leaf.last, len(lines))):
            if owners[line] < 0:
                owners[line] = at
    return owners


def _fill(lines: Sequence[str], leaves: list[Leaf], owners: list[int], found: Leaves) -> None:
    """Give every line that is not blank an owner.

    What no leaf claims are thematic breaks, bare marks of quotes and lists, fences of containers, tags without text,
    link definitions, and what is nested deeper than the library goes.
    """
    after = _following(lines, leaves, owners, found)
    claimed = len(leaves)
    previous = -1  # the owner of the last line that has one
    depths = _Depths()
    for line, source in enumerate(lines):
        if owners[line] < 0 and source.strip():
            opens = line in found.opening
            marks = line in found.closing or not _has_words(source)
            if marks and not opens and previous >= 0 and leaves[previous].kind in _OPEN_KINDS:
                owners[line] = previous
            elif (marks or opens) and after[line] >= 0:
                owners[line] = after[line]
            elif _ITEM.match(source):
                leaves.append(Leaf(Kind.LIST_ITEM, line, line + 1, level=depths.of(source)))
                owners[line] = len(leaves) - 1
            elif claimed <= previous and (opens or owners[line - 1] == previous):
                owners[line] = previous
            else:
                leaves.append(Leaf(Kind.PARAGRAPH, line, line + 1))
                owners[line] = len(leaves) - 1
        if owners[line] >= 0:
            if owners[line] != previous:
                depths.pass_by(leaves[owners[line]], source)
            previous = owners[line]


class _Depths:
    """How deep an item of a list stands that is nested deeper than the library goes: by its indentation."""

    def __init__(self) -> None:
        self._items: list[tuple[int, int]] = []  # indentation and level of the items that are open

    def of(self, source: str) -> int:
        indent = len(source) - len(source.lstrip())
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        return self._items[-1][1] + 1 if self._items else 1

    def pass_by(self, leaf: Leaf, source: str) -> None:
        if leaf.kind is Kind.LIST_ITEM and leaf.level:
            self.of(source)
            self._items.append((len(source) - len(source.lstrip()), leaf.level))


def _following(lines: Sequence[str], leaves: Sequence[Leaf], owners: Sequence[int], found: Leaves) -> list[int]:
    """For each line the leaf that a line of marks there may join below: -1 if words come between."""
    after = [-1] * len(lines)
    nearest = -1
    for line in range(len(lines) - 1, -1, -1):
        after[line] = nearest
        if owners[line] >= 0:
            nearest = owners[line] if leaves[owners[line]].kind in _OPEN_KINDS else -1
        elif _has_words(lines[line]) and line not in found.opening and line not in found.closing:
            nearest = -1
    return after


def _has_words(source: str) -> bool:
    return any(character.isalnum() for character in source)


def _runs(lines: Sequence[str], leaves: Sequence[Leaf], owners: Sequence[int]) -> Iterator[Run]:
    """Yield kind, leaf, and lines `[first, last)` of each run of one owner; blank lines inside belong to the run."""
    seen: set[int] = set()
    current, first, last = -1, 0, 0
    for line, owner in enumerate([*owners, -2]):
        if owner == -1 or (owner >= 0 and not lines[line].strip()):
            continue
        if owner == current:
            last = line + 1
            continue
        if current >= 0:
            leaf = leaves[current]
            again = current in seen and leaf.kind in (Kind.HEADING, Kind.TABLE)
            yield (Kind.PARAGRAPH if again else leaf.kind), leaf, first, last
            seen.add(current)
        current, first, last = owner, line, line + 1


def _in_their_places(runs: Iterable[Run]) -> list[Run]:
    """The same runs; metadata only at the head, before a heading and at the end, elsewhere it is a paragraph.

    Nothing is cut across metadata, and a comment shall not part a heading from its text.
    """
    placed: list[Run] = []
    boundary = True
    for kind, leaf, first, last in reversed(list(runs)):
        placed.append((kind if kind is not Kind.METADATA or boundary else Kind.PARAGRAPH, leaf, first, last))
        boundary = kind is Kind.HEADING or (boundary and kind is Kind.METADATA)
    placed.reverse()
    for at, (_, leaf, first, last) in enumerate(placed):
        if leaf.kind is not Kind.METADATA:
            break
        placed[at] = Kind.METADATA, leaf, first, last
    return placed


def _rows(leaf: Leaf, source: str, inline: Inline) -> tuple[tuple[str, ...], ...]:
    if leaf.rows is not None:
        return tuple(tuple(inline.plain(cell) for cell in row) for row in leaf.rows)
    from corpus.parsers.html.parser import rows_of

    return rows_of(source)
