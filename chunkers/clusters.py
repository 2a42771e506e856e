"""Leaves that belong together, and what can be said of several leaves at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from chunkers.document import Block, Kind
from chunkers.sections import Leaf
from chunkers.splitting import Grade, Measure

_LEADS_IN = re.compile(r"[:：][\s*_`)）]*$")
_MAY_LEAD_IN = frozenset(":：*_`)）")  #: what the text of a lead-in ends with, if not with white space
_INSIDE = frozenset({Kind.TABLE, Kind.CODE, Kind.QUOTE, Kind.FORMULA, Kind.CAPTION, Kind.PARAGRAPH})
_LEADING = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.ANSWER})
_TOGETHER = frozenset(
    {
        (Kind.LIST_ITEM, Kind.LIST_ITEM),
        (Kind.PARAGRAPH, Kind.LIST_ITEM),
        (Kind.CAPTION, Kind.TABLE),
        (Kind.TABLE, Kind.CAPTION),
        (Kind.ANSWER, Kind.ANSWER),
        (Kind.ANSWER, Kind.LIST_ITEM),
    }
)
_BEFORE_ANY = frozenset({Kind.PARAGRAPH, Kind.CAPTION, Kind.QUESTION, Kind.QUOTE})  #: what follows goes with these
_LIST_ITEM, _PARAGRAPH = Kind.LIST_ITEM, Kind.PARAGRAPH
_MARK_WITHIN = 9  #: characters, of which one closes the mark of an item
#: An item of a clause, or what a term means, that a parser takes for a paragraph: `(a) …`, `**(ii)** …`, `b) …`, `: …`
_MARKED = re.compile(
    r"[*_]{0,2}(?:[(（](?:[a-zA-Z]{1,2}|[ivxIVX]{1,6}|\d{1,2}|[一二三四五六七八九十]{1,3})[)）]|(?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\))"
    r"(?:[*_]{0,2}\s|(?<=）))|:[ \t]"
)
_CONTINUES = re.compile(r"\s*+[(（]?(?:[2-9]|[1-9]\d{1,2}|[b-hj-z]|[ivx]{2,6})[.)）](?!\S)")  #: no list begins so
_BETWEEN = 4  #: blocks that may stand between two items without being indented
_INDENT = re.compile(r"[ \t]{2}|\t")


def clusters(text: str, leaves: Sequence[Leaf]) -> list[list[Leaf]]:
    """Leaves that are not to be parted when they fit: a list with its lead-in, a caption with its table, and so on."""
    found = [[leaf] for leaf in leaves[:1]]
    reach = 0
    for number, (before, after) in enumerate(pairwise(leaves), 1):
        if before.block.kind is _LIST_ITEM and after.block.kind in _INSIDE:
            reach = _reach(text, leaves, number)
        if number < reach or _belongs(text, before.block, after.block):
            found[-1].append(after)
        else:
            found.append([after])
    return found


def _belongs(text: str, before: Block, after: Block) -> bool:
    if after.kind is _PARAGRAPH and before.kind in _LEADING and _is_marked(text, after):
        return True
    if (before.kind, after.kind) in _TOGETHER:
        return True
    if before.kind not in _LEADING:
        return before.kind is Kind.QUESTION and after.kind is not Kind.HEADING
    return after.kind in _INSIDE and _leads_in(text, before)


def _is_marked(text: str, block: Block) -> bool:
    begins = text[block.start : block.start + _MARK_WITHIN]
    return (")" in begins or "）" in begins or begins[0] == ":") and _MARKED.match(text, block.start) is not None


def _leads_in(text: str, block: Block) -> bool:
    last = text[block.end - 1]
    if last not in _MAY_LEAD_IN and not last.isspace():
        return False
    return _LEADS_IN.search(text, max(block.start, block.end - 8), block.end) is not None


def _reach(text: str, leaves: Sequence[Leaf], number: int) -> int:
    """Up to where leaves belong to the list before leaf `number`: what stands in its last item, and the next item.

    A block is known to stand in an item where it is indented, or where the item after it is not the first of its list.
    """
    at = number
    while at < len(leaves) and leaves[at].block.kind in _INSIDE and _indent(text, leaves[at].block):
        at += 1
    indented = at
    while at < len(leaves) and at - indented <= _BETWEEN and leaves[at].block.kind in _INSIDE:
        at += 1
    if at == len(leaves) or leaves[at].block.kind is not _LIST_ITEM:
        return indented
    return at + 1 if at == indented or _CONTINUES.match(text, leaves[at].start) else indented


def _indent(text: str, block: Block) -> bool:
    """Whether a block begins below the text of an item, not below its mark."""
    line = text.rfind("\n", max(0, block.start - _MARK_WITHIN), block.start) + 1
    return _INDENT.match(text, line if line and text[line : block.start].isspace() else block.start) is not None


def _is_item(text: str, leaf: Leaf) -> bool:
    kind = leaf.block.kind
    return kind is _LIST_ITEM or (kind is _PARAGRAPH and _is_marked(text, leaf.block))


def _level(text: str, leaf: Leaf) -> int:
    return leaf.block.level or (2 if _indent(text, leaf.block) else 1)


class Group(NamedTuple):
    """Leaves of a cluster that stay together when the cluster does not."""

    leaves: Sequence[Leaf]
    listed: bool  #: of its list, not of what leads in to it


def groups(text: str, cluster: Sequence[Leaf], fit: Callable[[Sequence[Leaf]], bool]) -> list[Group]:
    """The cluster's leaves one by one, but a list that fits in one, or else its items, each with what stands in it."""
    first = next((number for number, leaf in enumerate(cluster) if _is_item(text, leaf)), len(cluster))
    found = [Group([leaf], False) for leaf in cluster[:first]]
    listed = cluster[first:]
    if len(listed) > 1 and fit(listed):
        return [*found, Group(listed, True)]
    items: list[list[Leaf]] = []
    for leaf in listed:
        if not items or _is_item(text, leaf):
            items.append([])
        items[-1].append(leaf)
    for item in items:
        found += [Group(item, True)] if len(item) > 1 and fit(item) else [Group([leaf], True) for leaf in item]
    return found


def leads(text: str, group: Group, after: Leaf) -> bool:
    """Whether a group is the lead-in of the leaf after it in their cluster."""
    before = group.leaves[-1].block
    if not group.listed:
        return before.kind in _BEFORE_ANY or (
            before.kind is Kind.ANSWER
            and (_is_item(text, after) or (after.kind in _INSIDE and _leads_in(text, before)))
        )
    if len(group.leaves) > 1 or not _leads_in(text, before):
        return False
    return not _is_item(text, after) or _level(text, after) > _level(text, group.leaves[0])


def fits(text: str, leaves: Sequence[Leaf], measure: Measure, cap: int) -> bool:
    """Whether consecutive leaves, without the white space at their end, are at most `cap` long.

    Alone, white space may count for more tokens than it does after a word.
    """
    last, size = leaves[-1], sum([leaf.size for leaf in leaves])
    if size <= cap or size - last.gap > cap or measure.unit == "characters":
        return size - last.gap <= cap
    return size - last.size + measure.size(text[last.start : last.stop].rstrip()) <= cap


def grade_between(text: str, after: Leaf | None, *, listed: bool) -> Grade:
    """How strong the boundary before a leaf of a cluster is, in its list or before; None: the one after the last."""
    if after is None:
        return Grade.BLOCK
    if not _is_item(text, after):
        return Grade.ITEM if listed else Grade.SENTENCE
    level = _level(text, after)
    if level > 2:
        return Grade.ITEM
    return Grade.LINE if listed and level == 1 else Grade.SENTENCE


def common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest path that all of `paths` begin with."""
    if paths and paths.count(paths[0]) == len(paths):
        return paths[0]
    shortest, longest = min(paths, default=()), max(paths, default=())
    depth = 0
    while depth < min(len(shortest), len(longest)) and shortest[depth] == longest[depth]:
        depth += 1
    return shortest[:depth]


def kind_of(leaves: Sequence[Leaf]) -> Kind:
    """The kind of most of the leaves' text, headings aside."""
    if len(leaves) == 1:
        return leaves[0].block.kind
    weights: dict[Kind, int] = {}
    for leaf in leaves:
        kind = leaf.block.kind
        weights[kind] = weights.get(kind, 0) + leaf.size
    if len(weights) > 1:
        weights.pop(Kind.HEADING, None)
    return max(weights, key=lambda kind: weights[kind])
