"""Which lines of a Markdown source make which leaf, as markdown-it sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunkers.document import Kind
from corpus.parsers.markdown import boxes
from corpus.parsers.markdown.captions import is_caption, is_image
from corpus.parsers.markdown.delimited import add_delimited
from corpus.parsers.markdown.html import leaves_of_html
from corpus.parsers.markdown.leaf import Leaf, Leaves

#: The library drops what is nested deeper; the lines are then found by `markdown_blocks` as lines without a leaf.
_DEEPEST = 60
#: tokens that open something → what it is to what stands in it
_CONTAINERS = {
    "blockquote": "quote", "list_item": "item", "footnote_reference": "footnote", "dd": "definition", "box": "box",
    "part": "part", "figure": "figure",
}  # fmt: skip
#: directives whose body is neither code nor Markdown: names of files, an image's options
_PLAIN_DIRECTIVES = frozenset({"image", "include", "toctree", "contents", "bibliography", "tableofcontents"})
_ATTRIBUTES = re.compile(r"\s*\{:[^{}]*\}\s*\Z")  #: `{: .no_toc }` of kramdown, for the block above or below it


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    footnote_plugin(markdown)
    deflist_plugin(markdown)
    boxes.add_boxes(markdown)
    add_delimited(markdown)
    return markdown


def leaves_of(body: str) -> tuple[Leaves, Mapping[str, Any]]:
    """The leaves of a source, and its link definitions.

    Only blocks are parsed: what stands inside a line is nobody's span, and parsing it is where hostile input hurts.
    """
    markdown = _markdown()
    environment: dict[str, Any] = {}
    tokens: list[Token] = []
    # The rules of plugins look one character beyond the last line.
    markdown.block.parse(body + "\n\n", markdown, environment, tokens)
    references = environment.get("references", {})
    found = _Reader(body.split("\n")).read(tokens)
    definitions = (*references.values(), *environment.get("duplicate_refs", ()))
    found.leaves += _adjoining(sorted(tuple(definition["map"]) for definition in definitions))
    return found, references


def _adjoining(spans: Iterable[tuple[int, int]]) -> list[Leaf]:
    """Metadata for spans of lines in order, one for those that follow each other without a gap."""
    leaves: list[Leaf] = []
    for first, last in spans:
        if leaves and leaves[-1].last == first:
            leaves[-1].last = last
        else:
            leaves.append(Leaf(Kind.METADATA, first, last))
    return leaves


class _Reader:
    """Walks the flat list of tokens and keeps the containers that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._found = Leaves()
        self._open: list[str] = []  # quote, item, footnote, definition, box, part, figure in the order of nesting
        self._items: list[int] = []
        self._count = 0

    def read(self, tokens: Sequence[Token]) -> Leaves:
        for at, token in enumerate(tokens):
            self._enter(token)
            match token.type:
                case "heading_open":
                    self._heading(token, tokens[at + 1])
                case "paragraph_open":
                    self._paragraph(token)
                case "dt_open":
                    self._add(Leaf(Kind.PARAGRAPH, *self._span(token, 1)))
                case "fence" | "code_block":
                    self._add(Leaf(_fence_kind(token), *self._span(token)))
                case "math_block":
                    self._add(Leaf(Kind.FORMULA, *self._span(token)))
                case "caption":
                    self._add(Leaf(Kind.CAPTION, *self._span(token)))
                case "html_block":
                    self._html(token)
                case "table_open":
                    self._table(token, _rows(tokens, at))
                case "closing mark":
                    self._found.closing.add(self._span(token)[0])
                case "box_open" | "part_open" | "figure_open" | "opening mark":
                    self._found.opening.update(range(*self._span(token)))
        return self._found

    def _enter(self, token: Token) -> None:
        name = _CONTAINERS.get(token.type.removesuffix("_open").removesuffix("_close"))
        if name and token.nesting == 1:
            self._open.append(name)
            if name == "item":
                self._count += 1
                self._items.append(self._count)
        elif name and token.nesting == -1:
            self._open.pop()
            if name == "item":
                self._items.pop()

    def _heading(self, token: Token, inline: Token) -> None:
        first, last = self._span(token)
        if self._is_inside():
            self._text(first, last)  # a heading inside a list, a quote or a box does not head the document's sections
        else:
            self._add(Leaf(Kind.HEADING, first, last, level=int(token.tag[1]), content=inline.content))

    def _is_inside(self) -> bool:
        """Whether what comes stands in something that is no part of the document's own outline."""
        return any(name != "part" for name in self._open)

    def _paragraph(self, token: Token) -> None:
        first, last = self._span(token)
        if last - first == 1 and _ATTRIBUTES.match(self._lines[first]):
            self._add(Leaf(Kind.METADATA, first, last))
        else:
            self._text(first, last)

    def _text(self, first: int, last: int) -> None:
        inner = self._open[-1] if self._open else ""
        if "footnote" in self._open:
            self._add(Leaf(Kind.FOOTNOTE, first, last))
        elif inner == "item":
            self._item(first, last)
        elif inner == "figure" and not is_image(self._lines[first:last]):
            self._add(Leaf(Kind.CAPTION, first, last))
        else:
            self._add(Leaf(Kind.QUOTE if inner == "quote" else Kind.PARAGRAPH, first, last))

    def _item(self, first: int, last: int) -> None:
        leaves = self._found.leaves
        if leaves and leaves[-1].item == self._items[-1]:
            leaves[-1].last = last
            return
        self._add(Leaf(Kind.LIST_ITEM, first, last, level=len(self._items), item=self._items[-1]))

    def _table(self, token: Token, rows: list[list[str]]) -> None:
        first, last = self._span(token)
        # Without a blank line between, a caption is a row of one cell to the library.
        if len(rows) > 1 and "|" not in self._lines[last - 1] and is_caption(self._lines[last - 1], Kind.TABLE):
            self._add(Leaf(Kind.TABLE, first, last - 1, rows=rows[:-1]))
            self._add(Leaf(Kind.PARAGRAPH, last - 1, last))
        else:
            self._add(Leaf(Kind.TABLE, first, last, rows=rows))

    def _html(self, token: Token) -> None:
        for leaf in leaves_of_html(self._lines, *self._span(token), outline=not self._is_inside()):
            if leaf.tags:
                closes = self._lines[leaf.first].lstrip().startswith("</")
                (self._found.closing if closes else self._found.opening).update(range(leaf.first, leaf.last))
            else:
                self._add(leaf)

    def _span(self, token: Token, at_least: int = 0) -> tuple[int, int]:
        """The lines of a token; the library's map may end behind the last one."""
        first, last = token.map or (0, 0)
        return first, min(max(last, first + at_least), len(self._lines))

    def _add(self, leaf: Leaf) -> None:
        self._found.leaves.append(leaf)


def _fence_kind(token: Token) -> Kind:
    info = token.info.strip()
    name = boxes.directive(info)
    if name == "math":
        return Kind.FORMULA
    return Kind.PARAGRAPH if info.startswith("{") and name in _PLAIN_DIRECTIVES else Kind.CODE


def _rows(tokens: Sequence[Token], at: int) -> list[list[str]]:
    rows: list[list[str]] = []
    while tokens[at].type != "table_close":
        token = tokens[at]
        at += 1
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
    return rows
