"""An embedder without a model: texts that share words lie near each other."""

from __future__ import annotations

import re
from hashlib import blake2b

import numpy as np
from word_pieces import word_pieces

_WORD = re.compile(r"\w+")
_DIMENSIONS = 64


class WordVectors:
    """Feature hashing: each word adds one to the dimension that its hash chooses; no word at all is a direction too."""

    fingerprint = "words/64"

    def __init__(self, reads: int = 256) -> None:
        self.ruler = word_pieces(reads)
        self.seen: list[str] = []  #: all that was looked at

    def embed(self, texts):
        """(n, 64) float32, rows of unit length."""
        self.seen += texts
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower()) or [""]:
                row[blake2b(word.encode(), digest_size=2).digest()[0] % _DIMENSIONS] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
