"""Edit locality: how many children are new after one sentence was inserted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import regex  # type: ignore[import-untyped]
from numpy.typing import NDArray

from chunkers.chunk import Cut, Place
from chunkers.document import Document, Kind
from chunkers.embedder import Embedder
from chunkers.quality import percentile
from chunkers.quality_endings import CLOSERS, MARKS, Endings
from chunkers.tokens import Ruler

EDITS = 20

_PROSE = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE, Kind.ANSWER})
_END = regex.compile(f"[{MARKS}][{MARKS}{CLOSERS}]*+")
_SAMPLE = 400  #: characters before a place that show its script

#: a sentence in the script of its surroundings, and what parts it from the one before
_SENTENCES = (
    (regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]"), "第{}句话昨天还不在这里。", ""),
    (regex.compile(r"\p{Cyrillic}"), "Вчера предложения {} здесь ещё не было.", " "),
    (regex.compile(r"\p{Arabic}"), "لم تكن الجملة {} هنا بالأمس.", " "),
)
_ELSEWHERE = ("Sentence {} was not here yesterday.", " ")
_LETTER = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True)
class Locality:
    """What inserting one sentence costs. A child is new if what its vector is made of was not there before the edit."""

    edits: int  #: sentences inserted, each on its own into the document as it was
    mean: float  #: new children for each
    p95: int  #: new children (nearest rank)
    tokens: float  #: embedded anew, headers and special tokens included: mean for each edit

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return asdict(self)


class Remembered:
    """An embedder that embeds each text once: what it is cut through again and again changes by a sentence."""

    __slots__ = ("_embedder", "_vectors")

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def fingerprint(self) -> str:
        """As the embedder behind it."""
        return self._embedder.fingerprint

    @property
    def ruler(self) -> Ruler:
        """As the embedder behind it."""
        return self._embedder.ruler

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions) float32, rows of unit length."""
        if not texts:
            return self._embedder.embed(texts)
        unknown = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if unknown:
            self._vectors.update(zip(unknown, self._embedder.embed(unknown), strict=True))
        return np.stack([self._vectors[text] for text in texts])


def edit_locality(
    document: Document, recut: Callable[[Document], Cut], *, edits: int = EDITS, seed: int = 0
) -> Locality | None:
    """Insert a sentence into the document's prose in `edits` places (at least one), each time into the original.

    The places are ends of sentences, the same for the same seed. `recut` cuts a document; it is called `edits` + 1
    times. The edited documents are not parsed again: a block grows by the sentence, those after it move. So this works
    for every format. Nothing is returned for a document without a sentence in prose: code, tables, records.
    """
    places = list(_places(document))
    if not places:
        return None
    cut = recut(document)
    before, read = _vectors(cut), {each.embedded_text for each in cut.read}
    counts, tokens = [], 0
    for number, at in enumerate(random.Random(seed).choices(places, k=edits), 1):  # noqa: S311 - a sample, no secret
        cut = recut(inserted(document, at, _sentence(document.text, at, number)))
        counts.append(len(_vectors(cut) - before))
        tokens += sum({each.embedded_text: each.tokens for each in cut.read if each.embedded_text not in read}.values())
    return Locality(edits, sum(counts) / edits, percentile(sorted(counts), 95), tokens / edits)


def _vectors(cut: Cut) -> set[tuple[str, Place | None]]:
    """What the vectors of a cut are made of."""
    return {(child.embedded_text, child.place) for child in cut.children}


def inserted(document: Document, at: int, text: str) -> Document:
    """The document with `text` put in at `at`, into the block that ends there or has it inside."""
    grown = len(text)
    return replace(
        document,
        text=document.text[:at] + text + document.text[at:],
        blocks=tuple(
            block
            if block.end < at
            else replace(block, start=block.start + (grown if block.start >= at else 0), end=block.end + grown)
            for block in document.blocks
        ),
    )


def _places(document: Document) -> Iterator[int]:
    """Where a sentence of prose ends, and another one could stand."""
    endings = Endings(document)
    for block in document.blocks:
        if block.kind in _PROSE:
            for match in _END.finditer(document.text, block.start, block.end):
                if not endings.amid(block.start, match.end()):
                    yield match.end()


def _sentence(text: str, at: int, number: int) -> str:
    around = text[max(0, at - _SAMPLE) : at]
    letters = len(_LETTER.findall(around))
    sentence, joint = next(
        ((said, joint) for script, said, joint in _SENTENCES if len(script.findall(around)) * 2 > letters), _ELSEWHERE
    )
    return joint + sentence.format(number)
