"""Leaves → blocks that leave out no line: what no leaf claims joins a neighbour or stands for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from chunkers.document import Block, Kind
from corpus.parsers.markdown_inline import Inline
from corpus.parsers.markdown_leaves import Leaf, Leaves

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_TABLE = re.compile(r"\s*<table\b", re.IGNORECASE)
_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
#: kinds that a line of marks may join; it would spoil a heading's words, a table's rows, code
_OPEN_KINDS = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE})


def blocks_of(text: str, body: str, found: Leaves, inline: Inline) -> tuple[Block, ...]:
    """The blocks of `text`; `body` is the same text with the front matter's lines blanked."""
    lines = body.split("\n")
    shift = len(text) - len(body)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    leaves = list(found.leaves)
    owners = _owners(lines, leaves)
    _join_tables(lines, leaves, owners)
    _fill(lines, leaves, owners, found)
    path: list[tuple[int, str]] = []
    blocks = []
    for kind, leaf, first, last in _runs(lines, leaves, owners):
        start, end = starts[first] + shift, starts[last - 1] + len(lines[last - 1].rstrip()) + shift
        if kind not in (Kind.CODE, Kind.LIST_ITEM):
            start += len(lines[first]) - len(lines[first].lstrip())
        if kind is Kind.HEADING:
            level = leaf.level or 1
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, inline.heading(leaf.content)))
        rows = _rows(leaf, text[start:end], inline) if kind is Kind.TABLE else None
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


def _join_tables(lines: Sequence[str], leaves: Sequence[Leaf], owners: list[int]) -> None:
    """Make a raw `<table>` one leaf. Markdown ends raw HTML at a blank line, a browser does not."""
    for at, leaf in enumerate(leaves):
        if not leaf.html or owners[leaf.first] != at or not _TABLE.match(lines[leaf.first]):
            continue
        depth = 0
        for line in range(leaf.first, len(lines)):
            depth += sum(-1 if closing else 1 for closing in _TABLE_TAG.findall(lines[line]))
            if depth <= 0:
                leaf.kind, leaf.last = Kind.TABLE, max(line + 1, leaf.last)
                owners[leaf.first : leaf.last] = [at] * (leaf.last - leaf.first)
                break
        else:
            return  # not closed: then no later one is, either


def _fill(lines: Sequence[str], leaves: list[Leaf], owners: list[int], found: Leaves) -> None:
    """Give every line that is not blank an owner.

    What no leaf claims are thematic breaks, bare marks of quotes and lists, fences of containers, tags without text,
    link definitions, and what is nested deeper than the library goes.
    """
    after = _following(lines, leaves, owners, found)
    claimed = len(leaves)
    previous = -1  # the owner of the last line that has one
    for line, source in enumerate(lines):
        if owners[line] < 0 and source.strip():
            opens = line in found.opening
            marks = line in found.closing or not _has_words(source)
            if marks and not opens and previous >= 0 and leaves[previous].kind in _OPEN_KINDS:
                owners[line] = previous
            elif (marks or opens) and after[line] >= 0:
                owners[line] = after[line]
            else:
                owners[line] = _own(lines, leaves, owners, line, claimed)
        if owners[line] >= 0:
            previous = owners[line]


def _own(lines: Sequence[str], leaves: list[Leaf], owners: Sequence[int], line: int, claimed: int) -> int:
    """The leaf that an unclaimed line makes, alone or with the unclaimed line right above it."""
    item = bool(_ITEM.match(lines[line]))
    if not item and line and owners[line - 1] >= claimed:
        return owners[line - 1]
    leaves.append(Leaf(Kind.LIST_ITEM if item else Kind.PARAGRAPH, line, line + 1, level=1 if item else None))
    return len(leaves) - 1


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


def _runs(lines: Sequence[str], leaves: Sequence[Leaf], owners: Sequence[int]) -> Iterator[tuple[Kind, Leaf, int, int]]:
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


def _rows(leaf: Leaf, source: str, inline: Inline) -> tuple[tuple[str, ...], ...]:
    if leaf.rows is not None:
        return tuple(tuple(inline.plain(cell) for cell in row) for row in leaf.rows)
    from corpus.parsers.html import rows_of

    return rows_of(source)
