"""Paragraphs that only a wider gap between their lines tells apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.parsers.draft import Box
from corpus.parsers.pdf_source import Item
from corpus.parsers.pdf_tables import lines_of
from corpus.parsers.pdf_text import key

_WIDER = 1.35  #: as many times the usual distance of lines is a gap
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


def bounds(items: Sequence[Item]) -> Box:
    """The box around items."""
    return (
        min(item.left for item in items),
        min(item.top for item in items),
        max(item.right for item in items),
        max(item.bottom for item in items),
    )


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
