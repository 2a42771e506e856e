"""`cluster`: the runs of sentences that hang together best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.embedder import Embedder
from chunkers.semantic import check
from chunkers.splitting import Unit
from chunkers.tokens import Ruler

if TYPE_CHECKING:
    from chunkers.looking import Run, Stretch


@register("cluster")
@dataclass(frozen=True, slots=True)
class Cluster:
    """Of all ways to cut a section into runs of sentences, the one whose runs are most alike within themselves.

    Assumes that the subject changes within a section, gradually too: where `semantic` looks at one boundary at a time,
    this weighs whole runs against each other. Alike means more so than two sentences of the document are on average.
    Fails where the model does not know the language, and on a document about one thing, where the average tells little
    and runs get short. It costs an embedding of every sentence of the sections that are too long, each time their
    document is cut anew; an edit is felt as far as the best runs around it change. Sections still bound, tables, lists
    and code stay whole, and what one child holds is not looked at.

    After the ClusterSemanticChunker of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma,
    2024), with sentences in place of pieces of 50 tokens, weighted by their sizes.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    min_size: int | None = None  #: of a child, in `unit`, where it can be had; default: a quarter of the size
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        check(self.size, self.min_size, self.parent_size, self.unit)

    def cut_through(self, document: Document, ruler: Ruler, embedder: Embedder) -> Iterator[Part]:
        """Yield the parts in order."""
        from chunkers.looking import Looker  # here: reading a configuration needs no arrays

        looker = Looker(embedder, _choose, self.size, self.min_size, self.parent_size, self.unit)
        yield from looker.cut(document, ruler)


def _choose(stretches: Sequence[Stretch]) -> list[list[Run]]:
    return [stretch.best(0, len(stretch.lengths)) for stretch in stretches]
