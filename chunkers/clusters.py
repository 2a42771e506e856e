"""Leaves that belong together, and what can be said of several leaves at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunkers.document import Kind
from chunkers.sections import Leaf
from chunkers.splitting import Grade

_LEADS_IN = re.compile(r"[:：][\s*_`)）]*$")
_LED = frozenset({Kind.TABLE, Kind.CODE, Kind.QUOTE, Kind.FORMULA, Kind.CAPTION, Kind.PARAGRAPH})


def clusters(text: str, leaves: Sequence[Leaf]) -> list[list[Leaf]]:
    """Leaves that are not to be parted when they fit: a list with its lead-in, a caption with its table, and so on."""
    found: list[list[Leaf]] = []
    for leaf in leaves:
        if found and _belongs(text, found[-1][-1], leaf):
            found[-1].append(leaf)
        else:
            found.append([leaf])
    return found


def _belongs(text: str, before: Leaf, after: Leaf) -> bool:
    kinds = (before.kind, after.kind)
    if kinds in (
        (Kind.LIST_ITEM, Kind.LIST_ITEM),
        (Kind.PARAGRAPH, Kind.LIST_ITEM),
        (Kind.CAPTION, Kind.TABLE),
        (Kind.TABLE, Kind.CAPTION),
    ):
        return True
    if before.kind is Kind.QUESTION:
        return after.kind is not Kind.HEADING
    if before.kind is Kind.ANSWER:
        return after.kind is Kind.ANSWER
    return (
        before.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM)
        and after.kind in _LED
        and _LEADS_IN.search(text, max(before.start, before.block.end - 8), before.block.end) is not None
    )


def net(leaves: Sequence[Leaf]) -> int:
    """The size of consecutive leaves without the white space at their end."""
    return sum(leaf.size for leaf in leaves) - leaves[-1].gap


def grade_between(before: Leaf, after: Leaf | None) -> Grade:
    """How strong the boundary between two leaves of a cluster is; that after the last one is a block's."""
    if after is None:
        return Grade.BLOCK
    if after.kind is Kind.LIST_ITEM and (after.block.level or 1) > 1:
        return Grade.SENTENCE
    return Grade.LINE if before.kind is Kind.LIST_ITEM else Grade.SENTENCE


def common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest path that all of `paths` begin with."""
    shortest, longest = min(paths, default=()), max(paths, default=())
    depth = 0
    while depth < min(len(shortest), len(longest)) and shortest[depth] == longest[depth]:
        depth += 1
    return shortest[:depth]


def kind_of(leaves: Sequence[Leaf]) -> Kind:
    """The kind of most of the leaves' text, headings aside."""
    weights: dict[Kind, int] = {}
    for leaf in leaves:
        if leaf.kind is not Kind.HEADING:
            weights[leaf.kind] = weights.get(leaf.kind, 0) + leaf.size
    return max(weights, key=lambda kind: weights[kind]) if weights else Kind.HEADING
