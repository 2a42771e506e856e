"""Paragraphs that only a wider gap between their lines, or a bullet before each, tells apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.rtl import in_order
from corpus.parsers.pdf.tables import lines_of
from corpus.parsers.pdf.text import BULLETS, key, together

_SMALL = 0.93  #: of the text's size
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§])(?=\D|$)")
_WIDER = 1.35  #: as many times the usual distance of lines is a gap
BULLET = re.compile(rf"[*{re.escape(BULLETS)}](?:\s|$)")
_ENDED = re.compile(r"[.!?:…。！？：][\"'”’»)\]\d]*$")


def at_gaps(text: str, items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Item]]]:
    """A paragraph of liteparse's, which joins lines up to two heights apart, cut where a sentence and a gap end it.

    Yields each part with its items. Where the words of `text` are not those of `items`, there is one part.
    """
    runs = _runs(lines_of(items))
    sizes = [len(key(" ".join(item.text for item in run))) for run in runs]
    if len(runs) < 2 or sum(sizes) != len(key(text)):
        yield text, items
        return
    start = at = 0
    for run, size in zip(runs[:-1], sizes, strict=False):
        left = size
        while left > 0:
            left -= len(key(text[at]))
            at += 1
        rest = re.match(r"\S*", text[at:])
        at += rest.end() if rest else 0
        yield text[start:at].strip(), run
        start = at
    yield text[start:].strip(), runs[-1]


def at_bullets(items: Sequence[Item]) -> list[list[Item]]:
    """The items of a paragraph parted before each line that begins with a bullet; nothing if it is no list."""
    lines = lines_of(items)
    marked = [line for line in lines if BULLET.match(line[0].text)]
    if len(marked) < 2 or max(line[0].left for line in marked) - min(line[0].left for line in marked) > 3:
        return []
    runs: list[list[Item]] = []
    for line in lines:
        if not runs or BULLET.match(line[0].text):
            runs.append([])
        runs[-1] += line
    return runs


def at_small_print(text: str, items: Sequence[Item]) -> list[list[Item]]:
    """The items of a paragraph parted where footnotes in smaller type begin, and before each.

    Nothing if none begins there, or if `text` is not that of `items`, one line after the other.
    """
    lines = lines_with_scripts(items)
    sizes = [max(line, key=lambda item: item.width).height for line in lines]
    smaller = next((k for k in range(1, len(lines)) if max(sizes[k:]) < _SMALL * min(sizes[:k])), 0)
    runs = [[item for line in lines[:smaller] for item in line]] if smaller else []
    for line, size in zip(lines[smaller:], sizes[smaller:], strict=True):
        is_note = _NOTE.match(line[0].text) and line[0].height < 0.9 * size
        if not runs or is_note or (smaller and len(runs) == 1):
            runs.append([])
        runs[-1] += line
    if len(runs) < 2 or not any(_NOTE.match(run[0].text) for run in runs[1:]):
        return []
    return runs if key("".join(map(text_of, runs))) == key(text) else []


def text_of(items: Sequence[Item]) -> str:
    """The text of items that stand below each other, escaped as liteparse does it."""
    text = ""
    for line in lines_with_scripts(items):
        text = together(text, _written(in_order(line)))
    return re.sub(r"([*_`\\])", r"\\\1", text)


def lines_with_scripts(items: Sequence[Item]) -> list[list[Item]]:
    """Lines from left to right, with the small letters that stand a little above or below them where they belong."""
    if not items:
        return []
    usual = median(item.height for item in items)
    small = [item for item in items if item.height < 0.8 * usual]
    lines = lines_of(item for item in items if item.height >= 0.8 * usual)
    tops = [(min(item.top for item in line), max(item.bottom for item in line)) for line in lines]
    alone: list[Item] = []
    for item in small:
        overlap, index = max((min(item.bottom, low) - max(item.top, top), i) for i, (top, low) in enumerate(tops))
        if overlap > 0.3 * item.height:
            lines[index].append(item)
        else:
            alone.append(item)
    if alone:
        lines += lines_of(alone)
        lines.sort(key=lambda line: line[0].top + line[0].height / 2)
    return [sorted(line, key=lambda item: item.left) for line in lines]


def _written(line: Sequence[Item]) -> str:
    """The text of a line; items that touch each other are parts of one word."""
    text = line[0].text.strip()
    for one, two in pairwise(line):
        touches = abs(two.left - one.right) < 0.1 * max(one.height, two.height)
        text += ("" if touches else " ") + two.text.strip()
    return text


def _runs(lines: Sequence[Sequence[Item]]) -> list[list[Item]]:
    middles = [line[0].top + line[0].height / 2 for line in lines]
    distances = [below - above for above, below in pairwise(middles)]
    if len(distances) < 2:
        return [[item for line in lines for item in line]]
    usual = median(distances)
    runs = [list(lines[0])]
    for above, below, distance in zip(lines, lines[1:], distances, strict=False):
        parted = distance > _WIDER * usual and _ENDED.search(above[-1].text.strip())
        if parted and not below[0].text.lstrip()[:1].islower():
            runs.append([])
        runs[-1] += below
    return runs
