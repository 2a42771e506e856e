"""The ruler of the model in the box, with another cap where a test wants to reach it sooner."""

from __future__ import annotations

from functools import cache

from corpus.config import MODEL_IN_THE_BOX
from corpus.rulers import TokenizerRuler, model_folder


@cache
def word_pieces(cap: int = 256) -> TokenizerRuler:
    """It reads 256 word pieces, two of them its own."""
    made = TokenizerRuler(model_folder(MODEL_IN_THE_BOX))
    made.cap = cap
    made.id = f"word pieces/{cap}"
    return made
