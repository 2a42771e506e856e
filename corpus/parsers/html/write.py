"""A page's content → Markdown-like text and the blocks in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from chunkers.document import Kind
from chunkers.questions import is_question
from corpus.parsers.html.markers import Markers
from corpus.parsers.html.roles import Role, holds_footnotes, language_of, role_of
from corpus.parsers.html.tables import grid, heads, is_layout, nested, strays
from corpus.parsers.html.text import Text
from corpus.parsers.html.tree import Node
from corpus.parsers.html.words import formula, verbatim, words

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0\u2000-\u200a\u202f\u3000]+")
_BREAKS = re.compile(r"\n\s*\n\s*")
_NOTE_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[a-z]|[*†‡§]{1,3})[\])]?\.?")
_QUESTION = 400  #: characters of one
_DEEPEST_INDENT = 20


@dataclass(slots=True)
class _Frame:
    """An element that is open and decides what the text in it is."""

    role: Role
    kind: Kind  #: of the text in it, unless it is in an item
    in_item: bool
    notes: bool  #: items in it are footnotes
    language: str  #: of code in it
    markers: Markers | None = None  #: of the items of a list; None if they have bullets
    asked: bool = False  #: definition lists and `details`: the last term or summary is a question


@dataclass(frozen=True, slots=True)
class _Close:
    """Stands on the stack for an element's end."""

    node: Node
    framed: bool  #: it has a frame


class Walk:
    """Walks an element in document order, on a stack of its own: depth costs no recursion."""

    def __init__(self, total: int) -> None:
        self.text = Text()
        self._total = total  # the page's size, to know a page that is one `pre`
        self._run: list[str] = []  # inline text that no block has yet
        self._item: list[str] = []  # paragraphs of the list item that is open
        self._terms: list[str] = []  # of a definition that has not begun yet
        self._frames = [_Frame(Role.BLOCK, Kind.PARAGRAPH, in_item=False, notes=False, language="")]
        self._items = 0  # open items
        self._remarks = 0  # open boxes
        self._marker = ""  # of the item that is open, until it is written
        self._note = ""  # the same of a footnote

    def run(self, root: Node) -> Text:
        """Write all of `root`."""
        stack: list[Node | str | _Close] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                self._run.append(_SPACE.sub(" ", item))
            elif isinstance(item, _Close):
                self._leave(item)
            else:
                stack.extend(reversed(self._enter(item)))
        self._break()
        self._end_terms()
        return self.text

    def _enter(self, node: Node) -> list[Node | str | _Close]:
        """Begin an element and say what is to be walked next."""
        tag = node.tag
        if tag == "br":
            self._run.append("\n")
        elif tag in _HEADINGS or node.get("role") == "heading":
            self._break()
            if self._remarks:  # "Note", "Warning": the text after the box is not below it
                self._put(Kind.PARAGRAPH, words(node))
            else:
                self._put(Kind.HEADING, words(node), level=_HEADINGS.get(tag) or _aria_level(node))
        elif tag in _PREFORMATTED:
            self._break()
            self._preformatted(node)
        elif tag == "table" and not is_layout(node):
            self._break()
            return [*strays(node), _Close(node, framed=False), *nested(node)]
        elif tag == "math":
            self._formula(node)
        else:
            return [*node.children, _Close(node, framed=self._open(node))]
        return []

    def _open(self, node: Node) -> bool:
        """End what an element ends by its beginning; whether it has a frame."""
        outer = self._frames[-1]
        role = role_of(node, self._total)
        if role is Role.ITEM and outer.notes:
            role = Role.FOOTNOTE
        if role is Role.INLINE:
            return False
        if role in (Role.LIST, Role.ITEM, Role.QUOTE, Role.REMARK):
            self._break()
        else:
            self._flush()
        language = language_of(node) if node.attributes else ""
        notes = holds_footnotes(node) if node.attributes else False
        if role is Role.BLOCK and not language and not notes:
            return False
        frame = _Frame(role, outer.kind, outer.in_item, outer.notes or notes, language or outer.language)
        self._frames.append(frame)
        match role:
            case Role.LIST:
                frame.markers = Markers(node) if node.tag == "ol" else None
            case Role.ITEM:
                self._items += 1
                frame.in_item = True
                self._marker = f"{outer.markers.next(node)} " if outer.markers and outer.role is Role.LIST else "- "
            case Role.QUOTE:
                frame.kind, frame.in_item = Kind.QUOTE, False
            case Role.CAPTION:
                frame.kind, frame.in_item = Kind.CAPTION, False
            case Role.FOOTNOTE:
                frame.kind, frame.in_item = Kind.FOOTNOTE, False
                if outer.markers:
                    self._note = f"[{outer.markers.next(node).removesuffix('.')}] "
            case Role.REMARK:
                self._remarks += 1
            case Role.TERM | Role.SUMMARY:
                outer.asked = node.size <= _QUESTION and ("asked" in node.attributes or is_question(words(node)))
                if outer.asked:
                    frame.kind, frame.in_item = Kind.QUESTION, False
            case Role.DEFINITION if outer.asked:
                frame.kind, frame.in_item = Kind.ANSWER, False
        return True

    def _leave(self, closing: _Close) -> None:
        node = closing.node
        if node.tag == "table" and not closing.framed and not is_layout(node):
            self._break()
            self._table(node)
        elif not closing.framed:
            if role_of(node, self._total) is not Role.INLINE:
                self._flush()
        else:
            self._close()

    def _close(self) -> None:
        role = self._frames[-1].role
        if role in (Role.LIST, Role.ITEM, Role.QUOTE, Role.REMARK):
            self._break()
        else:
            self._flush()
        self._frames.pop()
        outer = self._frames[-1]
        if role is Role.FOOTNOTE:
            self._put(Kind.FOOTNOTE, self._note)
            self._note = ""
        if role is Role.ITEM:
            self._items -= 1
            self._marker = ""
        elif role is Role.REMARK:
            self._remarks -= 1
        elif role is Role.SUMMARY and outer.asked and outer.role is Role.DETAILS:
            outer.kind, outer.in_item = Kind.ANSWER, False

    def _put(self, kind: Kind, text: str, *, level: int | None = None, indent: str = "") -> None:
        """Add a block; the first paragraph of a definition goes with its term."""
        if self._terms and kind is Kind.PARAGRAPH and any(frame.role is Role.DEFINITION for frame in self._frames[-3:]):
            text = "\n".join([*self._terms, text])
            self._terms.clear()
        self._end_terms()
        self.text.add(kind, text, level=level, indent=indent)

    def _end_terms(self) -> None:
        terms, self._terms = self._terms, []
        for term in terms:
            self.text.add(Kind.PARAGRAPH, term)

    def _flush(self) -> None:
        """End the inline run: it makes paragraphs, or goes on with the open list item."""
        if not self._run:
            return
        paragraphs = _paragraphs("".join(self._run))
        self._run.clear()
        frame = self._frames[-1]
        if frame.in_item:
            self._item += paragraphs
            return
        for paragraph in paragraphs:
            if frame.kind is Kind.QUOTE:
                self._put(Kind.QUOTE, "> " + paragraph.replace("\n", "\n> "))
            elif frame.kind is Kind.FOOTNOTE:
                self._footnote(paragraph)
            elif frame.role is Role.TERM and frame.kind is Kind.PARAGRAPH:
                self._terms.append(paragraph)
            else:
                self._put(frame.kind, paragraph)

    def _footnote(self, paragraph: str) -> None:
        """A number that stands alone goes with the text that comes."""
        if _NOTE_MARK.fullmatch(paragraph) and not self._note:
            self._note = f"{paragraph} "
        else:
            self._put(Kind.FOOTNOTE, self._note + paragraph)
            self._note = ""

    def _break(self) -> None:
        """End the inline run and the open list item's text."""
        self._flush()
        if not self._item:
            return
        depth = max(1, self._items)
        indent = "  " * (depth - 1) if depth <= _DEEPEST_INDENT else ""
        marker = self._marker or "  "
        text = "\n".join(self._item).replace("\n", f"\n{indent}  ")
        self._item.clear()
        self._marker = ""
        if marker.strip():
            text = marker + text
        else:
            indent += marker
        self._put(Kind.LIST_ITEM, text, level=depth, indent=indent)

    def _preformatted(self, node: Node) -> None:
        text = verbatim(node)
        is_code = any(inner.tag in ("code", "samp", "kbd") or inner.get("class") for inner in node.walk())
        if not is_code and 2 * node.size > self._total:
            for paragraph in re.split(r"\n[ \t]*\n", text):  # a page that is one `pre` is plain text
                self._put(Kind.PARAGRAPH, paragraph.strip("\n").rstrip())
            return
        if text:
            named = [language_of(inner) for inner in (node, *node.elements())]
            language = next((name for name in named if name), self._frames[-1].language)
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
            self._put(Kind.CODE, f"{fence}{language}\n{text}\n{fence}")

    def _table(self, node: Node) -> None:
        for child in node.elements():
            if child.tag == "caption":
                self._put(Kind.CAPTION, words(child))
        self._end_terms()
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
            self._put(Kind.FORMULA, f"$$\n{source}\n$$" if source else "")
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
