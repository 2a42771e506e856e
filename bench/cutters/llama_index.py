"""LlamaIndex' splitters, without overlap; the one for code with the grammar that is installed."""

from __future__ import annotations

from importlib.metadata import version as _version

import tree_sitter_python
from llama_index.core.node_parser import CodeSplitter, SentenceSplitter  # type: ignore[import-not-found]
from tree_sitter import Language, Parser

from bench.cutters.base import Cutter, Plain, loaded


def version() -> str:
    """Which llama-index-core this is."""
    return _version("llama-index-core")


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:
    """`sentence` or `code`."""
    if way == "code":
        parser = Parser(Language(tree_sitter_python.language()))
        return Plain(CodeSplitter("python", max_chars=size, parser=parser).split_text)
    made = loaded(tokenizer) if tokenizer else None
    tokens = (lambda text: made.encode(text, add_special_tokens=False).ids) if made else str
    return Plain(SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=tokens).split_text)
