"""The embedder of every tool: it costs the same for each, so that what is measured is the tool around it.

The standard library alone: it runs in two Pythons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

DIMENSIONS = 384


@dataclass
class Count:
    """What the model was handed in this process."""

    calls: int = 0
    texts: int = 0


handed = Count()


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """A vector of unit length for each text, drawn from its hash."""
    handed.calls += 1
    handed.texts += len(texts)
    return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    digest = sha256(text.encode()).digest()
    drawn = [byte - 127.5 for byte in digest]
    scale = (sum(value * value for value in drawn) * DIMENSIONS / len(drawn)) ** -0.5
    return [value * scale for value in drawn] * (DIMENSIONS // len(drawn))
