"""An HTML page as a light tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from corpus.parsers.decode import clean

#: their text is never shown
UNSEEN = frozenset({"script", "style", "template", "noscript", "noframes", "iframe", "object", "svg", "canvas"})
#: `measure` notes where these are
WATCHED = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "table", "ul", "ol", "math"})

#: elements without an end, which libxml2 does not all know as such
VOID = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    }
)  # fmt: skip
#: places where a line may break, which no reader sees and no query contains
_UNSEEN_MARKS = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
#: a prefix for a language that pages are written in: its elements are those that have none
_PREFIX = re.compile(
    r"""\bxmlns:([A-Za-z][\w.-]{0,30})\s*=\s*["']http://www\.w3\.org/(?:1999/xhtml|1998/Math/MathML|2000/svg)["']"""
)


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


def parse_tree(source: str) -> tuple[Node, int]:
    """The page's root, measured, and how many characters were replaced because nothing can hold them."""
    from lxml import etree

    builder = _Builder(set(_PREFIX.findall(source)))
    target: Any = builder  # lxml's own type wants it to hear of comments, too
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, no_network=True)
    with suppress(etree.XMLSyntaxError):  # there is nothing in it
        etree.fromstring(source.encode("utf-8"), parser)
    measure(builder.root)
    return builder.root, max(0, builder.replaced - source.count("\ufffd"))


def measure(root: Node) -> None:
    """Fill in sizes and contents, from the leaves up."""
    order = list(root.walk())
    for node in reversed(order):
        node.size, node.linked = 0, 0
        if node.tag in UNSEEN or node.tag == "head":
            node.holds = frozenset()
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


class _Builder:
    """Hears what libxml2 reads. The tree that libxml2 builds itself ends, without a word, at a depth of 2,048."""

    def __init__(self, prefixes: set[str]) -> None:
        self.root = Node("html")
        self.replaced = 0
        self._open = [self.root]
        self._prefixes = prefixes

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        node = Node(self._name(tag))
        for attribute, value in attributes.items():
            node.attributes[attribute], _ = clean(value)
        self._open[-1].children.append(node)
        if node.tag not in VOID:
            self._open.append(node)

    def end(self, tag: str) -> None:
        # libxml2 says every end, that of the innermost element first
        if self._name(tag) not in VOID and len(self._open) > 1:
            self._open.pop()

    def data(self, text: str) -> None:
        kept, gone = clean(text)
        self.replaced += gone + kept.count("\ufffd")
        self._open[-1].children.append(kept.translate(_UNSEEN_MARKS))

    def _name(self, tag: str) -> str:
        prefix, _, name = tag.rpartition(":")
        return (name if prefix in self._prefixes else tag).lower()

    def close(self) -> None:
        """Called at the end; the tree is in `root`."""
