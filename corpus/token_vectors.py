"""Vectors of places in a text: the model reads the text once, and pools the tokens of each place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkers.chunk import Place
from corpus.errors import ConfigError

_POOLED = ("Transformer", "Pooling")  #: the first two modules of a model whose tokens have vectors


def has_token_vectors(folder: Path) -> bool:
    """Whether a model makes its vectors by pooling those of tokens; its files tell, nothing is loaded."""
    file = folder / "modules.json"
    if not file.is_file():
        return True  # sentence-transformers itself pools the tokens of a model that says nothing
    modules = [str(module["type"]).rpartition(".")[2] for module in json.loads(file.read_text(encoding="utf-8"))]
    return tuple(modules[:2]) == _POOLED


def pooled(
    model: Any, texts: Sequence[str], places: Sequence[Sequence[Place]], *, prefix: str, batch: int
) -> Iterator[NDArray[np.float32]]:
    """For each text (places, dimensions) float32, rows of unit length; `prefix` goes before each text.

    `model` is a `SentenceTransformer`. The tokens of a place are those that touch it, and with them the model's own
    and the prefix's, which every vector that it makes is pooled from; so a place that is the whole text gets the
    vector that the text alone gets. A model that reads a vector off its last token has that of the place's last one,
    and one that reads it off its first, which stands before the text, the mean. A place without any token gets the
    vector of the whole text.
    """
    import torch

    tokenizer, rest = model.tokenizer, _Rest(model)
    written = [prefix + text for text in texts]
    read = model.encode(written, batch_size=batch, output_value=None, show_progress_bar=False)
    encoded = tokenizer(written, return_offsets_mapping=True)
    for features, ids, offsets, wanted in zip(
        read, encoded["input_ids"], encoded["offset_mapping"], places, strict=True
    ):
        there = features["attention_mask"].bool().cpu()
        if features["input_ids"].cpu()[there].tolist() != ids:
            raise ConfigError(
                "the model reads other tokens than its tokenizer gives",
                hint="it cannot be used for late chunking: its tokens have no place in the text",
                stage="embed",
            )
        tokens = features["token_embeddings"][there.to(features["token_embeddings"].device)]
        masks = torch.tensor([_mask(offsets, place, len(prefix), own=rest.own) for place in wanted])
        vectors = rest(tokens, masks.to(tokens.device))
        yield np.asarray(torch.nn.functional.normalize(vectors, dim=-1).cpu(), dtype=np.float32)


def _mask(offsets: Sequence[tuple[int, int]], place: Place, before: int, *, own: bool) -> list[int]:
    start, end = place[0] + before, place[1] + before
    touched = [int(first < end and last > start and first < last) for first, last in offsets]
    if not any(touched):
        return [1] * len(offsets)
    if own:
        return [int(hit or last <= before) for hit, (_, last) in zip(touched, offsets, strict=True)]
    return touched


class _Rest:
    """What comes after a model's tokens: its own pooling over some of them, and all that follows it."""

    def __init__(self, model: Any) -> None:
        from sentence_transformers.sentence_transformer.modules import Pooling

        _, pooling, *self._after = model
        modes = [pooling.pooling_mode] if isinstance(pooling.pooling_mode, str) else list(pooling.pooling_mode)
        modes = ["mean" if mode == "cls" else mode for mode in modes]
        self._pool = Pooling(pooling.embedding_dimension, modes)
        self.own = "lasttoken" not in modes  #: whether a vector is pooled from the model's own tokens too

    def __call__(self, tokens: Any, masks: Any) -> Any:
        """(n, dimensions) of tokens (t, d) and masks (n, t)."""
        import torch

        features = {"token_embeddings": tokens.expand(len(masks), -1, -1), "attention_mask": masks}
        with torch.inference_mode():
            for module in (self._pool, *self._after):
                features = module(features)
        return features["sentence_embedding"]
