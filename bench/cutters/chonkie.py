"""Chonkie's chunkers for prose. The one for code downloads its grammars while it runs."""

from __future__ import annotations

from importlib.metadata import version as _version
from typing import Any

import chonkie  # type: ignore[import-not-found]

from bench.cutters.base import Cutter, Plain, loaded

_CHUNKERS: dict[str, Any] = {
    "recursive": chonkie.RecursiveChunker,
    "sentence": chonkie.SentenceChunker,
    "token": chonkie.TokenChunker,
}


def version() -> str:
    """Which Chonkie this is."""
    return _version("chonkie")


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:
    """`recursive`, `sentence`, `token`; or `fast`, which counts bytes and knows no tokens."""
    if way == "fast":
        chunker = chonkie.FastChunker(chunk_size=size)
    else:
        chunker = _CHUNKERS[way](tokenizer=loaded(tokenizer) if tokenizer else "character", chunk_size=size)
    return Plain(lambda text: [chunk.text for chunk in chunker.chunk(text)])
