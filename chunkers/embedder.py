"""The seam through which a chunker looks at a text with a model: whoever has a model hands one in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from chunkers.tokens import Ruler

if TYPE_CHECKING:  # whoever reads a configuration needs no arrays
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """A model that gives texts places in a space where those about the same thing are near each other."""

    @property
    def fingerprint(self) -> str:
        """The model id: part of the cut fingerprint of the strategies that look through it."""

    @property
    def ruler(self) -> Ruler:
        """How the model counts, and how much it reads."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions) float32, rows of unit length. No text is longer than the model reads."""
