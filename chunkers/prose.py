"""A section at its finest: the sentences of its prose one by one, and whole what is not prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkers import sentences
from chunkers.clusters import clusters
from chunkers.document import Document, Kind
from chunkers.sections import Leaf
from chunkers.splitting import Measure

PROSE = frozenset({Kind.PARAGRAPH, Kind.QUOTE, Kind.FOOTNOTE})

_WORD = re.compile(r"\w")


def units(document: Document, leaves: Sequence[Leaf], measure: Measure) -> list[list[Leaf]]:
    """The leaves in runs that are not to be parted, in order.

    A sentence is one; so are a table with its caption and a list with the sentence that leads it in. Headings go with
    what follows them.
    """
    found: list[list[Leaf]] = []
    head: list[Leaf] = []
    for cluster in clusters(document.text, _by_sentence(document, leaves, measure)):
        if cluster[0].kind is Kind.HEADING:
            head += cluster
            continue
        found.append([*head, *cluster])
        head = []
    return [*found, head] if head else found


def _by_sentence(document: Document, leaves: Sequence[Leaf], measure: Measure) -> list[Leaf]:
    """The leaves, with one for each sentence instead of those that are prose."""
    text = document.text
    finer: list[tuple[Leaf, int, int, bool]] = []
    for leaf in leaves:
        spans = list(_sentences(document, leaf)) if leaf.kind in PROSE else [(leaf.start, leaf.stop)]
        finer += [(leaf, start, stop, stop == leaf.stop) for start, stop in spans]
    sizes = measure.sizes([text[start:stop] for _, start, stop, _ in finer])
    gaps = measure.sizes([text[start + len(text[start:stop].rstrip()) : stop] for _, start, stop, _ in finer])
    return [
        Leaf(
            replace(leaf.block, start=start, end=leaf.block.end if last else start + len(text[start:stop].rstrip())),
            stop,
            size,
            gap,
            leaf.barrier and last,
        )
        for (leaf, start, stop, last), size, gap in zip(finer, sizes, gaps, strict=True)
    ]


def _sentences(document: Document, leaf: Leaf) -> Iterator[tuple[int, int]]:
    """Spans that tile the leaf; one without a word (`***`, an emoji) belongs to the sentence before it."""
    start = at = leaf.start
    worded = False
    for begin, end in sentences.spans(document.text, leaf.start, leaf.block.end, document.language):
        has_word = _WORD.search(document.text, begin, end) is not None
        if worded and has_word:
            yield start, at
            start, worded = begin, False
        worded = worded or has_word
        at = end
    yield start, leaf.stop
