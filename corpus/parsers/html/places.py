"""Where the elements of a page stand, while some of them are put elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.parsers.html.tree import Node

#: may stand around what names something, for its looks or to say that it is a title
_DRESS = frozenset(
    {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "div", "span", "p", "header", "strong", "b", "center"}
)
_DEEPEST = 6  #: elements around another that hold nothing else
_NEAR = 6  #: what is looked at beside an element


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element stands: in its parent, and in the order of the page up to the last that is in it."""

    parent: Node | None
    index: int
    first: int
    last: int


class Page:
    """The places of a page's elements; one that was put elsewhere is known by not being at its place any more."""

    def __init__(self, root: Node) -> None:
        self.ids: dict[str, Node] = {}
        self._places: dict[Node, _Place] = {}
        order: list[tuple[Node, Node | None, int]] = []
        stack: list[tuple[Node, Node | None, int]] = [(root, None, 0)]
        while stack:
            node, parent, index = stack.pop()
            order.append((node, parent, index))
            self.ids.setdefault(node.get("id"), node)
            inner = [(child, node, at) for at, child in enumerate(node.children) if isinstance(child, Node)]
            stack.extend(reversed(inner))
        last: dict[Node, int] = {}
        for first, (node, parent, index) in reversed(list(enumerate(order))):
            end = last.get(node, first)
            if parent is not None:
                last.setdefault(parent, end)
            self._places[node] = _Place(parent, index, first, end)

    def parent(self, node: Node) -> Node | None:
        """What an element stands in, if it still stands there."""
        place = self._places[node]
        parent = place.parent
        if parent is None or place.index >= len(parent.children) or parent.children[place.index] is not node:
            return None
        return parent

    def put(self, node: Node, other: Node | str) -> None:
        """Put something in the place of an element that still stands there."""
        parent = self.parent(node)
        assert parent is not None
        parent.children[self._places[node].index] = other

    def holds(self, outer: Node, inner: Node) -> bool:
        """Whether one element is in the other, or is it."""
        return self._places[outer].first <= self._places[inner].first <= self._places[outer].last

    def is_below(self, node: Node, other: Node) -> bool:
        """Whether one element begins after the end of the other."""
        return self._places[node].first > self._places[other].last

    def beside(self, node: Node) -> Node | None:
        """The next element with text, if no bare text parts them."""
        parent = self.parent(node)
        start = self._places[node].index + 1
        for child in parent.children[start : start + _NEAR] if parent else ():
            if isinstance(child, Node) and child.size:
                return child
            if isinstance(child, str) and child.strip():
                return None
        return None

    def around(self, node: Node) -> Node:
        """The largest element that holds nothing but this one, and is there for its looks."""
        for _ in range(_DEEPEST):
            parent = self.parent(node)
            if parent is None or parent.size != node.size or parent.tag not in _DRESS:
                break
            node = parent
        return node
