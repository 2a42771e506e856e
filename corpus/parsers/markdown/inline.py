"""The words of a heading or of a table's cell, without the marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt

_MARKS = re.compile(r"[\\`*_~!\[\]<&]")
_ANCHOR = re.compile(r" ?\{:?\s*[#.][^{}]*\}\Z")  #: of a source with white space folded
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|\n]{0,200}\|)?([^\[\]|\n]{1,200})\]\]")  #: `[[page|words]]`
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]")
_LONGEST = 4000  #: characters; a longer "heading" is not worth a parse, its words stay as they are


class Inline:
    """Renders inline Markdown as plain text; `references` are the document's link definitions."""

    __slots__ = ("_markdown", "_references")

    def __init__(self, references: Mapping[str, Any]) -> None:
        self._markdown = MarkdownIt("commonmark", {"maxNesting": 50}).enable("strikethrough")
        self._references = references

    def plain(self, source: str) -> str:
        """`The *way* of [a](b) ``c``` → `The way of a c`, white space folded."""
        source = _WIKI_LINK.sub(r"\1", source)
        if len(source) > _LONGEST or not _MARKS.search(source):
            return " ".join(source.split())
        pieces: list[str] = []
        for token in self._markdown.parseInline(source, {"references": self._references}):
            for child in token.children or ():
                if child.type in ("text", "code_inline", "text_special"):
                    pieces.append(child.content)
                elif child.type in ("softbreak", "hardbreak") or child.content.startswith("<br"):
                    pieces.append(" ")
                elif child.type == "image":
                    pieces += [inner.content for inner in child.children or ()]
        return " ".join("".join(pieces).split())

    def heading(self, source: str) -> str:
        """The words of a heading: as `plain`, without footnotes' marks and the `{#anchor}` at its end."""
        return self.plain(_ANCHOR.sub("", " ".join(_FOOTNOTE.sub("", source).split())))
