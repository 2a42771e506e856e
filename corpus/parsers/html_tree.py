"""An HTML page as a light tree, from whichever parser read all of it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from corpus.errors import PartialParse
from corpus.parsers.decode import clean

#: their text is never shown
UNSEEN = frozenset({"script", "style", "template", "noscript", "noframes", "iframe", "object", "svg", "canvas"})

_SILENT = ("script", "style", "template", "noscript", "iframe", "svg")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_LOST = 0.97  #: of the text that a crude strip finds; below it the other parser is asked
_TOO_FEW = 0.3  #: below it the page counts as read in part
_NEGLIGIBLE = 50  #: characters: such a difference may be damage at the rim


@dataclass(slots=True, eq=False)
class Node:
    """An element. What is below the line is filled in by `measure`."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)
    size: int = 0  #: characters of text in it, white space aside
    linked: int = 0  #: as many of them stand in links
    holds: frozenset[str] = frozenset()  #: which of `WATCHED` are in it

    def get(self, name: str) -> str:
        """An attribute's value, or an empty string."""
        return self.attributes.get(name, "")

    @property
    def names(self) -> list[str]:
        """Classes and id, in lower case."""
        return f"{self.get('class')} {self.get('id')}".lower().split()

    def elements(self) -> Iterator[Node]:
        """The child elements."""
        return (child for child in self.children if isinstance(child, Node))

    def walk(self) -> Iterator[Node]:
        """This element and all below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed([child for child in node.children if isinstance(child, Node)]))


WATCHED = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "table", "ul", "ol"})


def parse_tree(source: str) -> tuple[Node, int]:
    """The page's root, measured, and how many characters were replaced because nothing can hold them.

    libxml2 is fast but stops without a word below a depth of 2,048; if less text comes out than a crude strip of the
    tags finds, lexbor, which knows no such limit, reads the page again. Raises `PartialParse` if both lost most of it.
    """
    expected = _crude_size(source)
    root, removed = _from_lxml(source)
    measure(root)
    if root.size < _LOST * expected and expected - root.size > 0:
        other, others_removed = _from_lexbor(source)
        measure(other)
        if other.size > root.size:
            root, removed = other, others_removed
    if root.size < _TOO_FEW * expected and expected - root.size > _NEGLIGIBLE:
        raise PartialParse(
            f"the page's markup is damaged: {root.size:,} of about {expected:,} characters of text could be read",
            hint="open the page in a browser and save it again, or exclude it",
        )
    return root, removed


def measure(root: Node) -> None:
    """Fill in sizes and contents, from the leaves up."""
    order = list(root.walk())
    for node in reversed(order):
        node.size, node.linked = 0, 0
        if node.tag in UNSEEN or node.tag == "head":
            continue
        holds = {node.tag} & WATCHED
        for child in node.children:
            if isinstance(child, str):
                node.size += len("".join(child.split()))
            else:
                node.size += child.size
                node.linked += child.linked
                holds |= child.holds
        node.holds = _shared(holds)
        if node.tag == "a":
            node.linked = node.size


_sets: dict[frozenset[str], frozenset[str]] = {}


def _shared(holds: set[str] | frozenset[str]) -> frozenset[str]:
    """One object for equal sets: a page has a hundred thousand elements and a dozen such sets."""
    key = frozenset(holds)
    return _sets.setdefault(key, key)


def _from_lxml(source: str) -> tuple[Node, int]:
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    top = Node("html")
    try:
        element = etree.fromstring(source.encode("utf-8"), parser)
    except etree.XMLSyntaxError:  # nothing in it
        return top, 0
    if element is None:
        return top, 0
    removed = 0
    opened = [top]
    for event, current in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            node = Node(str(current.tag).rpartition("}")[2].lower())
            for name, value in current.attrib.items():
                node.attributes[str(name)], _ = clean(str(value))
            opened[-1].children.append(node)
            opened.append(node)
            piece = current.text
        else:
            opened.pop()
            piece = current.tail
        if piece:
            kept, gone = clean(piece)
            removed += gone + kept.count("\ufffd")
            opened[-1].children.append(kept)
    return top, max(0, removed - source.count("\ufffd"))


def _from_lexbor(source: str) -> tuple[Node, int]:
    from selectolax.lexbor import LexborHTMLParser

    top = Node("html")
    removed = 0
    parsed: Any = LexborHTMLParser(source)
    stack: list[tuple[Any, Node]] = [(parsed.root, top)] if parsed.root is not None else []
    while stack:
        current, parent = stack.pop()
        follower = current.next
        if follower is not None:
            stack.append((follower, parent))
        if current.tag == "-text":
            kept, gone = clean(current.text_content or "")
            removed += gone + kept.count("\ufffd")
            parent.children.append(kept)
        elif not current.tag.startswith(("_", "-", "!")):
            attributes = {name: clean(value or "")[0] for name, value in current.attributes.items()}
            node = Node(current.tag.lower(), attributes)
            parent.children.append(node)
            if current.child is not None:
                stack.append((current.child, node))
    return top, max(0, removed - source.count("\ufffd"))


def _crude_size(source: str) -> int:
    """Characters that are left when tags, comments and what is never shown are taken out; linear in the source."""
    for name in _SILENT:
        source = _without(source, re.compile(rf"<{name}\b", re.IGNORECASE), re.compile(rf"</{name}\s*>", re.IGNORECASE))
    source = _without(source, re.compile("<!--"), re.compile("-->"))
    source = _without(source, re.compile(r"<head\b", re.IGNORECASE), re.compile(r"</head\s*>|<body\b", re.IGNORECASE))
    return len("".join(html.unescape(_TAG.sub(" ", source)).split()))


def _without(source: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    kept = []
    at = 0
    while start := opening.search(source, at):
        kept.append(source[at : start.start()])
        end = closing.search(source, start.end())
        if end is None:
            return "".join(kept)
        at = end.end()
    return "".join([*kept, source[at:]])
