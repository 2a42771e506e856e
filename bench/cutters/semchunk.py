"""semchunk. In characters it remembers nothing; of tokens it remembers each text's count, as it does by default."""

from __future__ import annotations

from importlib.metadata import version as _version

import semchunk  # type: ignore[import-not-found]

from bench.cutters.base import Cutter, Plain, counter


def version() -> str:
    """Which semchunk this is."""
    return _version("semchunk")


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:  # noqa: ARG001 - it has one way
    """Its one way."""
    return Plain(semchunk.chunkerify(counter(tokenizer), size, memoize=tokenizer is not None))
