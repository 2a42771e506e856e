"""Small Markdown-like documents and the model's own ruler, for the tests of chunkers."""

from __future__ import annotations

import re
from uuid import UUID

from word_pieces import word_pieces

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.chunk import Cut
from chunkers.document import Block, Document, Kind, with_section_paths
from chunkers.tokens import Ruler

DOCUMENT = UUID(int=7)

_KINDS = (
    (Kind.METADATA, re.compile(r"---\n")),
    (Kind.HEADING, re.compile(r"#{1,6} ")),
    (Kind.CODE, re.compile(r"```")),
    (Kind.TABLE, re.compile(r"\|")),
    (Kind.CAPTION, re.compile(r"(Table|Figure) \d+:")),
    (Kind.QUOTE, re.compile(r"> ")),
)
_ITEM = re.compile(r"( *)[-*] ")


def document(text: str, media_type: str = "text/markdown", *, pages: bool = False) -> Document:
    """Blocks are what blank lines part, told apart by their first characters; `\\f` turns the page if `pages`."""
    blocks: list[Block] = []
    page = 1
    for match in re.finditer(r"```.*?```|---\n.*?\n---|(?:[^\n]+\n?)+", text, re.DOTALL):
        start, end = match.start(), match.start() + len(match[0].rstrip())
        if "\f" in match[0]:
            page += match[0].count("\f")
            start += match[0].index("\f") + 1
        if start >= end:
            continue
        source = text[start:end]
        if _ITEM.match(source):
            at = start
            for line in source.split("\n"):
                depth = len(_ITEM.match(line)[1]) // 2 + 1
                blocks.append(Block(Kind.LIST_ITEM, at, at + len(line), level=depth, page=page if pages else None))
                at += len(line) + 1
            continue
        kind = next((kind for kind, begins in _KINDS if begins.match(source)), Kind.PARAGRAPH)
        level = len(source) - len(source.lstrip("#")) if kind is Kind.HEADING else None
        blocks.append(Block(kind, start, end, level=level, page=page if pages else None))
    return Document(
        text=text, blocks=with_section_paths(text, blocks), media_type=media_type, text_is_source=True, language="en"
    )


def made(text: str | Document, recipe: str, ruler: Ruler | None = None, **settings) -> Cut:
    """Cut a text with a recipe."""
    source = document(text) if isinstance(text, str) else text
    return cut(DOCUMENT, source, build(recipe, settings), ruler or word_pieces())


def texts(found: Cut) -> list[str]:
    """The children's texts."""
    return [child.text for child in found.children]


def prose(sentences: int, about: str = "rivers") -> str:
    """So many different sentences, about eleven word pieces each."""
    return " ".join(f"Sentence {number} says something about {about} and their banks." for number in range(sentences))
