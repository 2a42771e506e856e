"""The hashed model as Kerf wants a model: `register` makes it known to this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.syncing import hashed
from chunkers.identity import fingerprint
from chunkers.tokens import Ruler
from corpus.config import MODEL_IN_THE_BOX, Embedding
from corpus.embedding import ENGINES, Vectors, no_token_vectors, refuse_truncation
from corpus.rulers import RULERS, TokenizerRuler, model_folder, ruler

MODEL = "hashed"


class Hashed:
    """Measured with the tokenizer of the model in the box; see `corpus.embedding.Embedder`."""

    name = MODEL
    dimensions = hashed.DIMENSIONS
    pools_tokens = False
    fingerprint = fingerprint("model", 1, {"name": MODEL})

    def __init__(self, settings: Embedding) -> None:
        self.ruler = ruler(MODEL, settings.passage_prefix)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages."""
        refuse_truncation(texts, self.ruler, self.name)
        return np.asarray(hashed.vectors(texts), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Embed a question."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def embed_places(self, texts: Sequence[str], places: Sequence[Any]) -> list[Vectors]:  # noqa: ARG002
        """It gives no token vectors."""
        raise no_token_vectors(self.name)


def _ruler(prefix: str) -> Ruler:
    return TokenizerRuler(model_folder(MODEL_IN_THE_BOX), prefix=prefix)


def register() -> None:
    """Make the model known."""
    ENGINES[MODEL] = Hashed
    RULERS[MODEL] = _ruler
