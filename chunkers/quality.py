"""What can be said of a cut without a question: how many chunks, how long, how they end, what they cover and cost.

What an edit costs is said by `chunkers.quality_edits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunkers.chunk import Cut
from chunkers.document import Document, Kind
from chunkers.quality_endings import Endings
from chunkers.tokens import Ruler


@dataclass(frozen=True, slots=True)
class Lengths:
    """How a number of lengths is spread. Percentiles are lengths that occur (nearest rank)."""

    mean: float
    minimum: int
    p5: int
    median: int
    p95: int
    maximum: int

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Lengths | None:
        """The spread of `lengths`; nothing of none."""
        if not lengths:
            return None
        ordered = sorted(lengths)
        p5, median, p95 = (percentile(ordered, share) for share in (5, 50, 95))
        return cls(sum(ordered) / len(ordered), ordered[0], p5, median, p95, ordered[-1])


@dataclass(frozen=True, slots=True)
class Quality:
    """The figures of one cut, or of the cuts of several documents together."""

    children: int
    tokens: Lengths | None  #: of the children's texts as the ruler counts, without header and special tokens
    characters: Lengths | None  #: of the children's texts, in code points
    mid_sentence: float  #: share of the children that end in mid-sentence (`quality_endings.Endings`), 0 to 1
    coverage: float  #: share of the characters outside metadata, blank ones aside, that are in a child; 1.0 of none
    overlap: float  #: share of the characters in children, blank ones aside, that are in more than one; 0.0 of none
    text_tokens: int  #: of all children's texts: what is stored
    index_tokens: int  #: of all that is embedded, headers and special tokens included: children, or their contexts
    parents: int
    parent_tokens: float | None  #: mean
    parent_characters: float | None  #: mean, in code points

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return asdict(self)


def assess(cuts: Iterable[tuple[Document, Cut]], ruler: Ruler) -> Quality:
    """Say of cuts what there is to say; documents are taken one at a time, and linear in their length.

    `ruler` is the one that the documents were cut with.
    """
    tokens: list[int] = []
    characters: list[int] = []
    parents: list[tuple[int, int]] = []
    index_tokens = amid = whole = covered = shared = 0
    for document, cut in cuts:
        texts = [child.text for child in cut.children]
        tokens += ruler.count(texts)
        characters += map(len, texts)
        parents += [(parent.tokens, len(parent.text)) for parent in cut.parents]
        index_tokens += sum(read.tokens for read in cut.read)
        endings = Endings(document)
        amid += sum(endings.amid(child.start, child.end) for child in cut.children)
        for start, end, times in _layers(document, cut):
            visible = sum(map(len, document.text[start:end].split()))
            whole += visible
            covered += visible if times else 0
            shared += visible if times > 1 else 0
    count = len(parents)
    return Quality(
        children=len(tokens),
        tokens=Lengths.of(tokens),
        characters=Lengths.of(characters),
        mid_sentence=amid / len(tokens) if tokens else 0.0,
        coverage=covered / whole if whole else 1.0,
        overlap=shared / covered if covered else 0.0,
        text_tokens=sum(tokens),
        index_tokens=index_tokens,
        parents=count,
        parent_tokens=sum(length for length, _ in parents) / count if count else None,
        parent_characters=sum(length for _, length in parents) / count if count else None,
    )


def percentile(ordered: Sequence[int], share: int) -> int:
    """The least of `ordered`, which is sorted and not empty, that at least `share` percent do not exceed."""
    return ordered[max(0, -(-share * len(ordered) // 100) - 1)]


def _layers(document: Document, cut: Cut) -> Iterator[tuple[int, int, int]]:
    """The stretches between metadata, each with the number of children that it lies in."""
    metadata = [(block.start, block.end) for block in document.blocks if block.kind is Kind.METADATA]
    edges: dict[int, list[int]] = {len(document.text): [0, 0]}
    for which, spans in enumerate(([(child.start, child.end) for child in cut.children], metadata)):
        for span in spans:
            for at, change in zip(span, (1, -1), strict=True):
                edges.setdefault(at, [0, 0])[which] += change
    reached = times = outside = 0
    for at in sorted(edges):
        if not outside and reached < at:
            yield reached, at, times
        times, outside, reached = times + edges[at][0], outside + edges[at][1], at
