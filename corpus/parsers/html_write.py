"""A page's content → Markdown-like text and the blocks in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chunkers.document import Kind
from chunkers.questions import is_question
from corpus.parsers.html_tables import grid, heads, is_layout, strays
from corpus.parsers.html_text import Text
from corpus.parsers.html_tree import Node
from corpus.parsers.html_words import BLOCKS, formula, verbatim, words

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})
_LISTS = frozenset({"ul", "ol", "dir", "menu"})
_REMARKS = frozenset(
    {"note", "tip", "warning", "caution", "important", "danger", "hint", "admonition", "callout", "alert", "notice"}
)
_FOLDED = "folded "  #: a definition or a `details` without a question, before what it is in
#: what is open → the kind of the text in it
_KINDS = {"caption": Kind.CAPTION, "footnote": Kind.FOOTNOTE, "question": Kind.QUESTION, "answer": Kind.ANSWER}
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|brush:?)[-\s]([\w+#-]+)")
_NUMBERED_CAPTION = re.compile(r"(?:table|figure|example|listing|exhibit)\s+[\dIVX]", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0\u2000-\u200a\u202f\u3000]+")
_BREAKS = re.compile(r"\n\s*\n\s*")


class _Close:
    """Stands on the stack for an element's end."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node


class Walk:
    """Walks an element in document order, on a stack of its own: depth costs no recursion."""

    def __init__(self, total: int) -> None:
        self.text = Text()
        self._total = total  # the page's size, to know a page that is one `pre`
        self._run: list[str] = []  # inline text that no block has yet
        self._item: list[str] = []  # paragraphs of the list item that is open
        self._frames: list[str] = []  # open: ul, ol, item, quote, caption, footnote, remark, question, answer
        self._asked = False  # whether the last `dt` or `summary` is a question
        self._counters: list[int] = []  # of the open lists
        self._tables: list[Node] = []  # open tables with data; each is written when what strays in it is
        self._marker = ""  # of the item that is open, until it is written

    def run(self, root: Node) -> Text:
        """Write all of `root`."""
        stack: list[Node | str | _Close] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                self._run.append(_SPACE.sub(" ", item))
            elif isinstance(item, _Close):
                self._leave(item.node)
            elif (inner := self._enter(item)) is not None:
                stack.append(_Close(item))
                stack.extend(reversed(inner))
        self._flush()
        self._end_item()
        return self.text

    def _enter(self, node: Node) -> list[Node | str] | None:
        """Begin an element and say what of it is to be walked; None if it has been dealt with."""
        tag = node.tag
        if tag == "br":
            self._run.append("\n")
        elif tag in _HEADINGS or node.get("role") == "heading":
            self._break()
            if "remark" in self._frames:  # "Note", "Warning": the text after the box is not below it
                self.text.add(Kind.PARAGRAPH, words(node))
            else:
                self.text.add(Kind.HEADING, words(node), level=_HEADINGS.get(tag) or _aria_level(node))
        elif tag in _PREFORMATTED:
            self._break()
            self._preformatted(node)
        elif tag == "table" and not is_layout(node):
            self._break()
            self._tables.append(node)
            return list(strays(node))
        elif tag == "math":
            self._formula(node)
        else:
            self._open(node)
            return node.children
        return None

    def _open(self, node: Node) -> None:
        tag = node.tag
        if tag in _LISTS:
            self._break()
            self._frames.append("ol" if tag == "ol" else "ul")
            start = node.get("start")
            self._counters.append(int(start) if re.fullmatch(r"\d{1,9}", start) else 1)
        elif tag == "li":
            self._break()
            self._frames.append("item")
            self._marker = self._next_marker()
        elif tag == "blockquote":
            self._break()
            self._frames.append("quote")
        elif _is_caption(node):
            self._flush()
            self._frames.append("caption")
        elif _is_footnote(node):
            self._flush()
            self._frames.append("footnote")
        elif self._is_remark(node):
            self._break()
            self._frames.append("remark")
        elif tag in ("dt", "summary"):
            self._flush()
            self._asked = is_question(words(node))
            self._frames.append("question" if self._asked else _FOLDED + self._inner())
        elif tag in ("dd", "details"):
            self._flush()
            self._frames.append("answer" if self._asked and tag == "dd" else _FOLDED + self._inner())
        elif tag in BLOCKS:
            self._flush()

    def _leave(self, node: Node) -> None:
        tag = node.tag
        if self._tables and self._tables[-1] is node:
            self._break()
            self._table(self._tables.pop())
        elif tag in _LISTS:
            self._break()
            self._frames.pop()
            self._counters.pop()
        elif tag in ("li", "blockquote"):
            self._break()
            self._frames.pop()
            self._marker = ""
        elif _is_caption(node) or _is_footnote(node):
            self._flush()
            self._frames.pop()
        elif self._is_remark(node):
            self._break()
            self._frames.pop()
        elif tag in ("dt", "summary", "dd", "details"):
            self._flush()
            self._frames.pop()
            if tag == "summary" and self._asked and self._frames and self._frames[-1].startswith(_FOLDED):
                self._frames[-1] = "answer"  # what follows in the element that folds out
        elif tag in BLOCKS:
            self._flush()

    def _inner(self) -> str:
        """What the text that comes is in."""
        return self._frames[-1].removeprefix(_FOLDED) if self._frames else ""

    def _is_remark(self, node: Node) -> bool:
        boxed = node.tag in ("div", "aside", "section") and not _REMARKS.isdisjoint(node.names)
        return boxed and 2 * node.size < self._total

    def _next_marker(self) -> str:
        if not self._counters or "item" not in self._frames or self._frames[-2:-1] != ["ol"]:
            return "- "
        self._counters[-1] += 1
        return f"{self._counters[-1] - 1}. "

    def _flush(self) -> None:
        """End the inline run: it makes paragraphs, or goes on with the open list item."""
        paragraphs = _paragraphs("".join(self._run))
        self._run.clear()
        inner = self._inner()
        if inner == "item":
            self._item += paragraphs
            return
        for paragraph in paragraphs:
            if inner == "quote":
                self.text.add(Kind.QUOTE, "> " + paragraph.replace("\n", "\n> "))
            else:
                self.text.add(_KINDS.get(inner, Kind.PARAGRAPH), paragraph)

    def _break(self) -> None:
        """End the inline run and the open list item's text."""
        self._flush()
        self._end_item()

    def _end_item(self) -> None:
        if not self._item:
            return
        depth = max(1, self._frames.count("item"))
        indent = "  " * (depth - 1) if depth <= 20 else ""
        marker = self._marker or "  "
        text = "\n".join(self._item).replace("\n", f"\n{indent}  ")
        self._item.clear()
        self._marker = ""
        if marker.strip():
            text = marker + text
        else:
            indent += marker
        self.text.add(Kind.LIST_ITEM, text, level=depth, indent=indent)

    def _preformatted(self, node: Node) -> None:
        text = verbatim(node)
        is_code = any(inner.tag in ("code", "samp", "kbd") or inner.get("class") for inner in node.walk())
        if not is_code and 2 * node.size > self._total:
            for paragraph in re.split(r"\n[ \t]*\n", text):  # a page that is one `pre` is plain text
                self.text.add(Kind.PARAGRAPH, paragraph.strip("\n").rstrip())
            return
        if text:
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
            self.text.add(Kind.CODE, f"{fence}{_language(node)}\n{text}\n{fence}")

    def _table(self, node: Node) -> None:
        for child in node.elements():
            if child.tag == "caption":
                self.text.add(Kind.CAPTION, words(child))
        rows = grid(node)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        head = heads(node)
        if 0 < head < len(rows):
            lines.insert(head, f"|{' --- |' * max(len(row) for row in rows[:head])}")
        self.text.add(Kind.TABLE, "\n".join(lines), rows=rows)

    def _formula(self, node: Node) -> None:
        source = formula(node)
        if node.get("display") == "block":
            self._break()
            self.text.add(Kind.FORMULA, f"$$\n{source}\n$$" if source else "")
        else:
            self._run.append(source)


def _paragraphs(run: str) -> Iterable[str]:
    """Inline text → paragraphs: two line breaks in a row end one, a single one stays a line break."""
    for part in _BREAKS.split(run):
        lines = [folded for line in part.split("\n") if (folded := " ".join(line.split()))]
        if lines:
            yield "\n".join(lines)


def _aria_level(node: Node) -> int:
    level = node.get("aria-level")
    return min(int(level), 6) if re.fullmatch(r"[1-9]\d?", level) else 2


def _is_caption(node: Node) -> bool:
    if node.tag in ("caption", "figcaption"):
        return True
    return (
        node.tag == "p"
        and bool({"title", "caption"}.intersection(node.names))
        and bool(_NUMBERED_CAPTION.match(words(node)))
    )


def _is_footnote(node: Node) -> bool:
    return node.get("role") in ("doc-footnote", "doc-endnote") or (
        "footnote" in node.names and node.tag in ("div", "aside", "p", "section")
    )


def _language(node: Node) -> str:
    for inner in [node, *node.elements()]:
        if found := _LANGUAGE.search(inner.get("class")):
            return found[1].lower()
    return ""
