"""What every cut of every chunker promises, from the design's words and not from the code that keeps them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from uuid import UUID

import regex
from tokenizers import Tokenizer
from word_vectors import WordVectors

from chunkers import assembly
from chunkers.base import Strategy
from chunkers.chunk import Child, Cut, embedded_text
from chunkers.document import Document, Kind
from chunkers.splitting import Measure
from chunkers.tokens import Ruler
from corpus.config import MODEL_IN_THE_BOX
from corpus.rulers import TokenizerRuler, model_folder

DOCUMENT = UUID(int=1)

_GRAPHEME = regex.compile(r"\X")


def cut(document: Document, chunker: Strategy, ruler: Ruler, *, headers: bool = True) -> Cut:
    """Cut a document; strategies that look see words and no more."""
    return assembly.cut(DOCUMENT, document, chunker, ruler, headers=headers, embedder=WordVectors())


def hold(document: Document, made: Cut, ruler: Ruler) -> None:
    """Assert every promise that needs nothing but the cut; time is linear in the document."""
    _children_hold(document, made)
    _parents_hold(document, made)
    _all_is_there(document, made)
    _places_hold(document, made)
    _lengths_hold(made, ruler)


def _children_hold(document: Document, made: Cut) -> None:
    text = document.text
    assert [child.ordinal for child in made.children] == list(range(len(made.children)))
    assert len({child.id for child in made.children}) == len(made.children)
    places = {parent.id: (parent.start, parent.end) for parent in made.parents}
    for child in made.children:
        assert text[child.start : child.end] == child.text
        assert child.text.strip()
        assert child.text.strip() == child.text or child.kind in (Kind.CODE, Kind.SYMBOL)
        start, end = places[child.parent_id]
        assert start <= child.start < child.end <= end
    for before, after in pairwise(made.children):
        assert before.start <= after.start


def _parents_hold(document: Document, made: Cut) -> None:
    assert [parent.ordinal for parent in made.parents] == list(range(len(made.parents)))
    assert len({parent.id for parent in made.parents}) == len(made.parents)
    assert {parent.id for parent in made.parents} == {child.parent_id for child in made.children}
    assert len([parent for parent in made.parents if parent.window]) in (0, len(made.parents))
    for parent in made.parents:
        assert document.text[parent.start : parent.end] == parent.text
    for before, after in pairwise(made.parents):
        assert before.end <= after.start or (before.window and after.window)


def _all_is_there(document: Document, made: Cut) -> None:
    """Coverage outside metadata, and no metadata in a child."""
    text = document.text
    covered = bytearray(len(text))
    forbidden = bytearray(len(text))
    for block in document.blocks:
        if block.kind is Kind.METADATA:
            forbidden[block.start : block.end] = b"\1" * (block.end - block.start)
    for child in made.children:
        assert forbidden.find(1, child.start, child.end) < 0, "metadata is embedded"
        covered[child.start : child.end] = b"\1" * (child.end - child.start)
    lost = [at for at, char in enumerate(text) if not covered[at] and not forbidden[at] and not char.isspace()]
    assert not lost, text[lost[0] : lost[0] + 40]


def _places_hold(document: Document, made: Cut) -> None:
    """Pages are those of the blocks that a span touches, lines those of the file."""
    starts = [0, *(at + 1 for at, char in enumerate(document.text) if char == "\n")]
    paged = [block for block in document.blocks if block.page is not None]
    ends = [block.end for block in paged]
    for each in (*made.children, *made.parents):
        touched = set()
        for block in paged[bisect_right(ends, each.start) :]:
            if block.start >= each.end:
                break
            touched.add(block.page)
        assert each.pages == tuple(sorted(touched))
    for child in made.children:
        lines = (bisect_right(starts, child.start), bisect_right(starts, child.end - 1))
        assert child.lines == (lines if document.text_is_source else None)


def _lengths_hold(made: Cut, ruler: Ruler) -> None:
    """No child with its header is longer than its model reads, as the model's own tokenizer counts."""
    for child, length in zip(made.children, lengths(made.children, ruler), strict=True):
        assert child.tokens == length <= ruler.cap, child.text[:60]
    headers = list({child.header for child in made.children})
    assert all(length * 3 <= ruler.cap - ruler.overhead for length in ruler.count(headers))


def lengths(children: tuple[Child, ...], ruler: Ruler) -> list[int]:
    """Of header and text as the model gets them, special tokens included."""
    texts = [embedded_text(child.header, child.text) for child in children]
    if not isinstance(ruler, TokenizerRuler):
        return [count + ruler.overhead for count in ruler.count(texts)]
    return [len(encoding.ids) for encoding in _tokenizer().encode_batch_fast(texts)]


@cache
def _tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(model_folder(MODEL_IN_THE_BOX) / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


def torn_graphemes(document: Document, made: Cut, ruler: Ruler, chunker: Strategy) -> Iterator[str]:
    """The graphemes that a child begins or ends in although they fit one beside its overlap, as chunkers measure."""
    size = getattr(chunker, "size", None)
    if size is not None and (overlap := getattr(chunker, "overlap", 0)) != 0:
        size -= size // 10 if overlap is None else overlap
    measure = Measure(ruler, getattr(chunker, "unit", "tokens"))
    edges = sorted({edge for child in made.children for edge in (child.start, child.end)})
    longest = max(ruler.count([child.header for child in made.children]), default=0) + 2
    for found in _GRAPHEME.finditer(document.text):
        start, end = found.span()
        if end - start == 1:
            continue
        at = bisect_right(edges, start)
        if at < len(edges) and edges[at] < end:
            fits_the_size = size is None or measure.size(found[0]) <= size
            if fits_the_size and Measure(ruler).size(found[0]) <= ruler.cap - ruler.overhead - longest:
                yield found[0]
