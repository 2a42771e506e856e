"""Embedding models that cost next to nothing: a vector is drawn from a hash of its text.

For tests and benches of everything around the model. They mean nothing: no search through them finds anything.

    from hash_models import HASH_A, register

    register()  # once in a process, before a configuration is used
    embedding = {"model": HASH_A.name}  # in corpora.yaml
    before = HASH_A.texts
    ...  # a sync in this process
    handed = HASH_A.texts - before  # how many texts the model was handed

The product knows none of them: a process that did not call `register` fails on their names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from chunkers.identity import fingerprint
from corpus.config import MODEL_IN_THE_BOX
from corpus.embedding import ENGINES, refuse_truncation
from corpus.errors import TransientError
from corpus.rulers import RULERS, TokenizerRuler, model_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunkers.chunk import Place
    from chunkers.tokens import Ruler
    from corpus.config import Embedding
    from corpus.embedding import Vectors

DIMENSIONS = 16
PIECES = 256  #: word pieces that the model in the box reads


class WordsRuler:
    """Another tokenizer: three tokens for each word, and one for every eighth character of it."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.overhead = 1
        self.id = f"three a word/{cap}/{self.overhead}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [sum(3 + len(word) // 8 for word in text.split()) for text in texts]


@dataclass(eq=False)
class HashModel:
    """A model by its name, and what it was handed so far in this process, by whatever configuration."""

    name: str
    reads: int = PIECES
    own_tokenizer: bool = False  #: `WordsRuler` instead of the one of the model in the box
    handed: Counter[str] = field(default_factory=Counter)  #: passages, and how often each was embedded
    down_for: str | None = None  #: passages with this in them cannot be embedded now

    @property
    def texts(self) -> int:
        """Passages that it was handed, each as often as it was."""
        return self.handed.total()

    def ruler(self, prefix: str) -> Ruler:
        """As `corpus.rulers.RULERS` wants it."""
        if self.own_tokenizer:
            return WordsRuler(self.reads)
        made = TokenizerRuler(model_folder(MODEL_IN_THE_BOX), prefix=prefix)
        made.id = made.id.replace(f"/{made.cap}/", f"/{self.reads}/")
        made.cap = self.reads
        return made

    def engine(self, settings: Embedding) -> HashEmbedder:
        """As `corpus.embedding.ENGINES` wants it."""
        return HashEmbedder(self, settings)


class HashEmbedder:
    """A `HashModel` with the prefixes of a configuration."""

    pools_tokens = True
    dimensions = DIMENSIONS

    def __init__(self, model: HashModel, settings: Embedding) -> None:
        self.name = model.name
        self.ruler = model.ruler(settings.passage_prefix)
        self._model = model
        self._prefixes = (settings.passage_prefix, settings.query_prefix)
        self.fingerprint = fingerprint("model", 1, {"name": self.name, "prefixes": self._prefixes})

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages; see `corpus.embedding.Embedder`."""
        self._hand(texts)
        return self._vectors([self._prefixes[0] + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; see `corpus.embedding.Embedder`."""
        return self._vectors([self._prefixes[1] + text])[0]

    def embed_places(self, texts: Sequence[str], places: Sequence[Sequence[Place]]) -> list[Vectors]:
        """Embed places in passages; see `corpus.embedding.Embedder`."""
        self._hand(texts)
        return [
            self._vectors([f"{start} {end} {self._prefixes[0]}{text}" for start, end in wanted])
            for text, wanted in zip(texts, places, strict=True)
        ]

    def _hand(self, texts: Sequence[str]) -> None:
        refuse_truncation(texts, self.ruler, self.name)
        down_for = self._model.down_for
        if down_for is not None and any(down_for in text for text in texts):
            raise TransientError(f"{self.name} is down", stage="embed")
        self._model.handed.update(texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        drawn = b"".join(
            blake2b(f"{self.name}\0{text}".encode(), digest_size=DIMENSIONS * 2).digest() for text in texts
        )
        raw = np.frombuffer(drawn, dtype="<i2").reshape((len(texts), DIMENSIONS)).astype(np.float32)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


HASH_A = HashModel("hash-a")
HASH_B = HashModel("hash-b")  #: reads as much, measures alike, other vectors
HASH_SMALL = HashModel("hash-small", reads=PIECES // 2)  #: reads less
HASH_OTHER = HashModel("hash-other", own_tokenizer=True)  #: measures otherwise
HASH_OTHER_SMALL = HashModel("hash-other-small", reads=100, own_tokenizer=True)  #: both
MODELS = (HASH_A, HASH_B, HASH_SMALL, HASH_OTHER, HASH_OTHER_SMALL)


def register() -> None:
    """Make the models known to this process; harmless when repeated."""
    for model in MODELS:
        ENGINES[model.name] = model.engine
        RULERS[model.name] = model.ruler
