"""What no cutter can do without: the tokenizer, and the parser of code, each alone."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as _version

import tree_sitter_python
from tree_sitter import Language, Parser

from bench.cutters.base import Cutter, Plain, loaded


def version() -> str:
    """Which tokenizer and which parser these are."""
    return f"tokenizers {_version('tokenizers')}, tree-sitter {_version('tree-sitter')}"


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:  # noqa: ARG001 - nothing is cut
    """`tokenizer`: each line once, all of a text in one call. `parser`: each text parsed once. No chunks."""
    return Plain(_parsing() if way == "parser" else _counting(tokenizer or ""))


def _parsing() -> Callable[[str], list[str]]:
    parser = Parser(Language(tree_sitter_python.language()))

    def parse(text: str) -> list[str]:
        parser.parse(text.encode())
        return []

    return parse


def _counting(tokenizer: str) -> Callable[[str], list[str]]:
    encode = loaded(tokenizer).encode_batch_fast

    def count(text: str) -> list[str]:
        encode(text.splitlines(), add_special_tokens=False)
        return []

    return count
