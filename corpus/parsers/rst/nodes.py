"""The nodes of docutils to blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from docutils import nodes

from chunkers.document import Kind
from corpus.parsers.draft import Draft
from corpus.parsers.rst.tables import grid
from corpus.parsers.rst.text import line_texts, numeral, text_of

_DEEPEST = 6  #: heading level that Markdown can write
_WORST = 3  #: level of a message of docutils that stands for a piece of the source, which is then not elsewhere
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1*\s*")


class Walk:
    """Walks a tree in order."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.left_out: list[str] = []
        self.warnings: list[str] = []
        self.title: str | None = None
        self._level = 0  # of the section that is open
        self._depth = 0  # of the list that is open
        self._quoted = False

    def document(self, tree: Any) -> None:
        """Write all of a document."""
        self.left_out += [str(image.get("uri", "")) for image in tree.findall(nodes.image)]
        for note in tree.findall(nodes.footnote):  # a name that a number stands for
            self.left_out += note.get("names", ()) if note.get("auto") else ()
        for mark in tree.findall(nodes.footnote_reference):
            self.left_out.append(mark.rawsource if mark.get("auto") else "")
        for link in tree.findall(nodes.reference):
            if link.children and isinstance(link.children[0], nodes.image):
                self.left_out.append(str(link.get("refuri", "")))
        for child in tree.children:
            if isinstance(child, nodes.title | nodes.subtitle):
                self._level += 1
                self._heading(child)
            else:
                self._block(child)

    def _blocks(self, children: Iterable[Any]) -> None:
        for child in children:
            self._block(child)

    def _block(self, node: Any) -> None:
        writer = next((_WRITERS[kind] for kind in type(node).__mro__ if kind in _WRITERS), None)
        if writer is not None:
            writer(self, node)
        elif isinstance(node, nodes.TextElement):
            self._paragraph(node)
        else:
            self._blocks(node.children)

    def _put(self, kind: Kind, text: str, **more: Any) -> None:
        if text.strip():
            self.drafts.append(Draft(Kind.QUOTE if kind is Kind.PARAGRAPH and self._quoted else kind, text, **more))

    def _heading(self, node: Any) -> None:
        text = text_of(node)
        self.title = self.title or text
        self._put(Kind.HEADING, text, level=min(max(self._level, 1), _DEEPEST))

    def _section(self, node: Any) -> None:
        self._level += 1
        for child in node.children:
            if isinstance(child, nodes.title):
                self._heading(child)
            else:
                self._block(child)
        self._level -= 1

    def _paragraph(self, node: Any) -> None:
        self._put(Kind.PARAGRAPH, text_of(node))

    def _list(self, node: Any) -> None:
        self._depth += 1
        number = int(node.get("start", 1))
        for item in node.children:
            marker = "-"
            if isinstance(node, nodes.enumerated_list):
                numbered = numeral(node.get("enumtype", "arabic"), number)
                marker = f"{node.get('prefix', '')}{numbered}{node.get('suffix', '.')}"
                number += 1
            self._item(item.children, marker)
        self._depth -= 1

    def _item(self, children: Iterable[Any], marker: str = "-", head: str = "") -> None:
        """A list item: its first paragraphs are its text, what else is in it follows."""
        texts = [head] if head else []
        rest = list(children)
        while rest and isinstance(rest[0], nodes.paragraph | nodes.comment):
            node = rest.pop(0)
            if isinstance(node, nodes.paragraph):
                texts.append(text_of(node))
            else:
                self._comment(node)
        self._put(Kind.LIST_ITEM, "\n".join(filter(None, texts)), level=max(self._depth, 1), marker=marker)
        self._blocks(rest)

    def _definitions(self, node: Any) -> None:
        self._depth += 1
        for item in node.children:
            term = " : ".join(
                text_of(part) for part in item.children if isinstance(part, nodes.term | nodes.classifier)
            )
            inside = [child for part in item.children if isinstance(part, nodes.definition) for child in part.children]
            self._item(inside, head=term)
        self._depth -= 1

    def _fields(self, node: Any) -> None:
        self._depth += 1
        for field in node.findall(nodes.field):
            if field.parent is node:
                name, body = field.children[0], field.children[-1]
                first = body.children[0] if body.children else None
                if isinstance(first, nodes.paragraph):
                    self._item(body.children[1:], head=f"{text_of(name)}: {text_of(first)}")
                else:
                    self._item(body.children, head=f"{text_of(name)}:")
        self._depth -= 1

    def _docinfo(self, node: Any) -> None:
        """Bibliographic fields: author and day go into the metadata, and all of them stand in the text."""
        for child in node.children:
            if isinstance(child, nodes.field):
                name = text_of(child.children[0])
                self._put(Kind.PARAGRAPH, f"{name}: {text_of(child.children[-1])}")
            elif isinstance(child, nodes.authors):
                names = ", ".join(text_of(author) for author in child.children)
                self._put(Kind.PARAGRAPH, f"Authors: {names}")
            else:
                self._put(Kind.PARAGRAPH, f"{type(child).__name__.capitalize()}: {text_of(child)}")

    def _options(self, node: Any) -> None:
        self._depth += 1
        for item in node.children:
            flags = ", ".join(text_of(option) for option in item.children[0].children)
            inside = list(item.children[1].children)
            first = text_of(inside.pop(0)) if inside and isinstance(inside[0], nodes.paragraph) else ""
            self._item(inside, head=f"{flags}  {first}".strip())
        self._depth -= 1

    def _code(self, node: Any) -> None:
        text = node.astext()
        language = next((name for name in node.get("classes", ()) if name not in ("code", "")), "")
        if not text.strip():
            return
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
        self._put(Kind.CODE, f"{fence}{language}\n{text}\n{fence}")

    def _formula(self, node: Any) -> None:
        self._put(Kind.FORMULA, node.astext())

    def _lines(self, node: Any) -> None:
        self._put(Kind.PARAGRAPH, "\n".join(line_texts(node, 0)))

    def _quote(self, node: Any) -> None:
        # Several terms on top of a definition: docutils knows one, and takes the definition for a quote.
        is_definition = "glossary" in node.parent.get("classes", ())
        outer, self._quoted = self._quoted, self._quoted or not is_definition
        for child in node.children:
            if isinstance(child, nodes.attribution):
                self._put(Kind.PARAGRAPH, f"— {text_of(child)}")
            else:
                self._block(child)
        self._quoted = outer

    def _admonition(self, node: Any) -> None:
        """A note: its name leads its first paragraph."""
        children = list(node.children)
        name = type(node).__name__.capitalize()
        if children and isinstance(children[0], nodes.title):
            name = text_of(children.pop(0))
        first = text_of(children.pop(0)) if children and isinstance(children[0], nodes.paragraph) else ""
        self._put(Kind.PARAGRAPH, f"{name}: {first}".rstrip())
        self._blocks(children)

    def _titled(self, node: Any) -> None:
        """A topic or a sidebar: its title is no heading, since what follows the box does not lie under it."""
        if "contents" in node.get("classes", ()):
            self.left_out.append(node.astext())
            return
        self._blocks(node.children)

    def _table(self, node: Any) -> None:
        for child in node.children:
            if isinstance(child, nodes.title):
                self._put(Kind.CAPTION, text_of(child))
        for group in node.findall(nodes.tgroup):
            if group.parent is node:
                rows = grid(group, _cell)
                if rows:
                    self.drafts.append(Draft(Kind.TABLE, "", rows=rows))

    def _caption(self, node: Any) -> None:
        self._put(Kind.CAPTION, text_of(node))

    def _image(self, node: Any) -> None:
        self._put(Kind.PARAGRAPH, str(node.get("alt", "")))

    def _footnote(self, node: Any) -> None:
        label = next((text_of(child) for child in node.children if isinstance(child, nodes.label)), "")
        rest = [child for child in node.children if not isinstance(child, nodes.label)]
        first = text_of(rest.pop(0)) if rest and isinstance(rest[0], nodes.paragraph) else ""
        self._put(Kind.FOOTNOTE, f"[{label}] {first}".strip())
        self._blocks(rest)

    def _comment(self, node: Any) -> None:
        self.left_out.append(node.astext())

    def _substitution(self, node: Any) -> None:
        self.left_out.append(node.rawsource or node.astext())

    def _target(self, node: Any) -> None:
        self.left_out.append(str(node.get("refuri", "")))

    def _message(self, node: Any) -> None:
        """What docutils could not read stands in its message: it is a part of the document all the same."""
        if int(node.get("level", 0)) >= _WORST:
            for child in node.children:
                if isinstance(child, nodes.literal_block):
                    self._unread(node, child.astext())

    def _unread(self, message: Any, source: str) -> None:
        """A piece of the source as it stands; a title at a place where docutils expects none is one all the same."""
        lines = [line for line in source.split("\n") if line.strip()]
        marks = [line for line in lines if _UNDERLINE.fullmatch(line)]
        if len(lines) - len(marks) != 1 or not marks:
            self._put(Kind.CODE, source)
            return
        title = next(line.strip() for line in lines if line not in marks)
        if isinstance(message.parent, nodes.section | nodes.document):
            self._put(Kind.HEADING, title, level=min(self._level + 1, _DEEPEST))
        else:
            self._put(Kind.PARAGRAPH, title)

    def _meta(self, node: Any) -> None:
        self.left_out.append(" ".join(f"{name} {value}" for name, value in node.attlist() if isinstance(value, str)))

    def _nothing(self, node: Any) -> None:
        """Rules between paragraphs, and what is waiting for a transform."""


def _cell(entry: Any) -> str:
    """The text of a cell, whatever is in it."""
    inside = Walk()
    inside._blocks(entry.children)
    texts = [
        " ".join(cell for row in draft.rows for cell in row) if draft.rows else draft.text for draft in inside.drafts
    ]
    return " ".join(" ".join(texts).split())


# The methods are this module's own.
# ruff: noqa: SLF001
_WRITERS: dict[type, Callable[[Walk, Any], None]] = {
    nodes.section: Walk._section,
    nodes.bullet_list: Walk._list,
    nodes.enumerated_list: Walk._list,
    nodes.definition_list: Walk._definitions,
    nodes.field_list: Walk._fields,
    nodes.docinfo: Walk._docinfo,
    nodes.option_list: Walk._options,
    nodes.literal_block: Walk._code,
    nodes.doctest_block: Walk._code,
    nodes.math_block: Walk._formula,
    nodes.line_block: Walk._lines,
    nodes.block_quote: Walk._quote,
    nodes.Admonition: Walk._admonition,
    nodes.topic: Walk._titled,
    nodes.sidebar: Walk._titled,
    nodes.table: Walk._table,
    nodes.caption: Walk._caption,
    nodes.image: Walk._image,
    nodes.footnote: Walk._footnote,
    nodes.citation: Walk._footnote,
    nodes.comment: Walk._comment,
    nodes.raw: Walk._comment,
    nodes.decoration: Walk._comment,
    nodes.substitution_definition: Walk._substitution,
    nodes.target: Walk._target,
    nodes.system_message: Walk._message,
    nodes.transition: Walk._nothing,
    nodes.pending: Walk._nothing,
    nodes.meta: Walk._meta,
}
