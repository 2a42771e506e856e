"""Which lines of a Markdown source make which leaf, as markdown-it sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunkers.document import Kind
from corpus.parsers.markdown_rules import add_rules

#: The library drops what is nested deeper; the lines are then found by `markdown_blocks` as lines without a leaf.
_DEEPEST = 60
#: directives whose body is no Markdown; the body of any other is
_VERBATIM = frozenset({"code", "code-block", "code-cell", "sourcecode", "math", "raw", "mermaid", "graphviz", "plot"})
_ADMONITIONS = frozenset(
    {
        "admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip",
        "warning", "versionadded", "versionchanged", "deprecated", "topic", "sidebar", "margin", "epigraph",
    }
)  # fmt: skip
#: tokens that open something → what it is to what stands in it
_CONTAINERS = {
    "blockquote": "quote", "list_item": "item", "footnote_reference": "footnote", "dd": "definition",
    "admonition": "box", "container_any": "box",
}  # fmt: skip
_HTML_HEADING = re.compile(r"\s*<h([1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
_HEADING_LINES = 20  #: that a heading of raw HTML may have
_ALT = re.compile(r"<img\b[^<>]*?\balt=([\"'])(.*?)\1[^<>]*>", re.IGNORECASE | re.DOTALL)
_PREFORMATTED = re.compile(r"\s*<pre\b", re.IGNORECASE)
_NO_OUTLINE = re.compile(r"\s*<(?:!--|script\b|style\b|textarea\b|table\b|\?|!\[CDATA)", re.IGNORECASE)
_TAGS_ONLY = re.compile(r"(?:\s|</?[A-Za-z][^<>]*>|&nbsp;)*\Z")
_SLASHES = re.compile(r"/{3,}(?:\s*\w.*)?\Z")  #: `/// note | Title` opens a block, `///` closes it


@dataclass(slots=True)
class Leaf:
    """Lines `[first, last)` of the source, counted from 0."""

    kind: Kind
    first: int
    last: int
    level: int | None = None
    content: str = ""  #: headings: the inline source
    rows: list[list[str]] | None = None  #: tables: the inline source of each cell
    html: bool = False  #: raw HTML
    item: int | None = None  #: list items: which one, so that its paragraphs stay together


@dataclass(slots=True)
class Leaves:
    """The leaves in order, and the lines that are marks and belong to what comes next or came before."""

    leaves: list[Leaf] = field(default_factory=list)
    opening: set[int] = field(default_factory=set)
    closing: set[int] = field(default_factory=set)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    footnote_plugin(markdown)
    deflist_plugin(markdown)
    # The container comes before the fence of colons, which takes what the container refuses.
    container_plugin(markdown, "any", validate=_is_container)
    colon_fence_plugin(markdown)
    admon_plugin(markdown)
    dollarmath_plugin(markdown)
    amsmath_plugin(markdown)
    add_rules(markdown)
    return markdown


def _is_container(info: str, markup: str) -> bool:  # noqa: ARG001 - the plugin passes both
    name = re.match(r"\s*\{?([\w-]*)", info)
    return bool(info.strip()) and (name is None or name[1].lower() not in _VERBATIM)


def leaves_of(body: str) -> tuple[Leaves, Mapping[str, Any]]:
    """The leaves of a source, and its link definitions.

    Only blocks are parsed: what stands inside a line is nobody's span, and parsing it is where hostile input hurts.
    """
    markdown = _markdown()
    environment: dict[str, Any] = {}
    tokens: list[Token] = []
    # The rules of plugins look one character beyond the last line.
    markdown.block.parse(body + "\n\n", markdown, environment, tokens)
    return _Reader(body.split("\n")).read(tokens), environment.get("references", {})


class _Reader:
    """Walks the flat list of tokens and keeps the containers that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._found = Leaves()
        self._open: list[str] = []  # quote, item, footnote, definition, in the order of nesting
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
                    self._add(Leaf(Kind.PARAGRAPH, *_lines(token, 1)))
                case "fence" | "colon_fence" | "code_block":
                    self._add(Leaf(_fence_kind(token), *_lines(token)))
                case "math_block" | "math_block_label":
                    self._add(Leaf(Kind.FORMULA, *_lines(token)))
                case "amsmath":  # the plugin's map leaves out the line that closes it
                    first, last = _lines(token)
                    self._add(Leaf(Kind.FORMULA, first, last + 1))
                case "html_block":
                    self._html(token)
                case "table_open":
                    self._add(Leaf(Kind.TABLE, *_lines(token), rows=_rows(tokens, at)))
                case "colons":
                    self._found.closing.add(_lines(token)[0])
                case "container_any_open" | "admonition_open" | "tab_open":
                    self._found.opening.add(_lines(token)[0])
        return self._found

    def _enter(self, token: Token) -> None:
        name = _CONTAINERS.get(token.type.removesuffix("_open").removesuffix("_close"))
        if token.type == "container_any_open" and not _is_box(token):
            name = "part"
        elif token.type == "container_any_close":
            name = next(inner for inner in reversed(self._open) if inner in ("box", "part"))
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
        first, last = _lines(token)
        if self._is_inside():
            self._text(first, last)  # a heading inside a list, a quote or a box does not head the document's sections
        else:
            self._add(Leaf(Kind.HEADING, first, last, level=int(token.tag[1]), content=inline.content))

    def _is_inside(self) -> bool:
        """Whether what comes stands in something that is no part of the document's own outline."""
        return any(name != "part" for name in self._open)

    def _paragraph(self, token: Token) -> None:
        first, last = _lines(token)
        marks = [_SLASHES.match(self._lines[line].strip()) for line in range(first, min(last, first + 3))]
        if last - first <= len(marks) and all(marks):
            for line in range(first, last):
                opens = self._lines[line].strip(" /") != ""
                (self._found.opening if opens else self._found.closing).add(line)
            return
        self._text(first, last)

    def _text(self, first: int, last: int) -> None:
        inner = self._open[-1] if self._open else ""
        if "footnote" in self._open:
            self._add(Leaf(Kind.FOOTNOTE, first, last))
        elif inner == "item":
            self._item(first, last)
        else:
            self._add(Leaf(Kind.QUOTE if inner == "quote" else Kind.PARAGRAPH, first, last))

    def _item(self, first: int, last: int) -> None:
        leaves = self._found.leaves
        if leaves and leaves[-1].item == self._items[-1]:
            leaves[-1].last = last
            return
        self._add(Leaf(Kind.LIST_ITEM, first, last, level=len(self._items), item=self._items[-1]))

    def _html(self, token: Token) -> None:
        first, last = _lines(token)
        if _PREFORMATTED.match(token.content):
            self._add(Leaf(Kind.CODE, first, last))
        elif self._is_inside() or _NO_OUTLINE.match(token.content):
            self._raw(first, last)
        else:
            for start, heading, end in _html_headings(self._lines, first, last):
                self._raw(first, start)
                self._add(heading)
                first = end
            self._raw(first, last)

    def _raw(self, first: int, last: int) -> None:
        """Raw HTML without headings."""
        content = "\n".join(self._lines[first:last])
        if not content.strip():
            return
        if _TAGS_ONLY.match(content) and len(content) < 5000:
            closes = content.lstrip().startswith("</")
            (self._found.closing if closes else self._found.opening).update(range(first, last))
            return
        self._add(Leaf(Kind.PARAGRAPH, first, last, html=True))

    def _add(self, leaf: Leaf) -> None:
        self._found.leaves.append(leaf)


def _is_box(token: Token) -> bool:
    """Whether a container of colons is a remark beside the text, and not a part of it such as a column."""
    name = re.match(r"\s*\{?\.?(?:callout-)?([\w-]*)", token.info)
    return name is not None and name[1].lower() in _ADMONITIONS


def _html_headings(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, Leaf, int]]:
    """The headings among lines of raw HTML that have their lines to themselves: first line, leaf, line after it."""
    line = first
    while line < last:
        opening = _HTML_HEADING.match(lines[line])
        end = line + 1
        if opening:
            closing = f"</h{opening[1]}>"
            content = lines[line][opening.end() :].rstrip()
            while closing not in content.lower() and end < min(last, line + _HEADING_LINES):
                content += f"\n{lines[end].rstrip()}"
                end += 1
            words = _ALT.sub(r" \2 ", content[: -len(closing)])
            if content.lower().find(closing) == len(content) - len(closing) and re.sub(r"<[^>]*>", "", words).strip():
                yield line, Leaf(Kind.HEADING, line, end, level=int(opening[1]), content=" ".join(words.split())), end
            else:
                end = line + 1
        line = end


def _lines(token: Token, at_least: int = 0) -> tuple[int, int]:
    first, last = token.map or (0, 0)
    return first, max(last, first + at_least)


def _fence_kind(token: Token) -> Kind:
    name = re.match(r"\{?([\w-]*)", token.info.strip())
    directive = name[1].lower() if name else ""
    if directive == "math":
        return Kind.FORMULA
    braced = token.info.lstrip().startswith("{")
    return Kind.PARAGRAPH if braced and directive in _ADMONITIONS else Kind.CODE


def _rows(tokens: Sequence[Token], at: int) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens[at:]:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
    return rows
