"""astchunk. Its size counts characters that are not white space: two in three of Python's."""

from __future__ import annotations

from importlib.metadata import version as _version

from astchunk import ASTChunkBuilder  # type: ignore[import-not-found]

from bench.cutters.base import Cutter, Plain


def version() -> str:
    """Which astchunk this is."""
    return _version("astchunk")


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:  # noqa: ARG001 - it has one way, in characters
    """Its one way, for Python."""
    builder = ASTChunkBuilder(max_chunk_size=size * 2 // 3, language="python", metadata_template="none")
    return Plain(lambda text: [chunk["content"] for chunk in builder.chunkify(text)])
