"""LangChain's text splitters, without overlap."""

from __future__ import annotations

from importlib.metadata import version as _version

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter  # type: ignore[import-not-found]

from bench.cutters.base import Cutter, Plain, counter

_LANGUAGES = {"Markdown": Language.MARKDOWN, "Python": Language.PYTHON}


def version() -> str:
    """Which langchain-text-splitters this is."""
    return _version("langchain-text-splitters")


def cutter(way: str, size: int, tokenizer: str | None) -> Cutter:
    """`recursive`, or with the separators of a language."""
    settings = {"chunk_size": size, "chunk_overlap": 0, "length_function": counter(tokenizer)}
    splitter = (
        RecursiveCharacterTextSplitter(**settings)
        if way == "recursive"
        else RecursiveCharacterTextSplitter.from_language(_LANGUAGES[way], **settings)
    )
    return Plain(splitter.split_text)
