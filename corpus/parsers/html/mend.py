"""What a page says by other means than text between tags, brought into the text.

Pictures by their descriptions, drawings by their labels, formulas by their TeX, small pages inside the page, readings
beside characters, and lists as Word writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from corpus.parsers.captions import is_telling
from corpus.parsers.html.tree import Node, measure, parse_tree
from corpus.parsers.html.words import tex, words

_FIGURE = 200  #: elements of a figure that are looked at
_MATH_CLASS = re.compile(r"(?:^|[-_\s])(?:math|tex|latex|mwe-math\S*|formula|equation)(?:$|[-_\s])")
_WORD_LIST = re.compile(r"mso-list:\s*l\d+\s+level([1-9])")
_GOOGLE_LIST = re.compile(r"\blst-kix_\w{1,40}-([1-8])\b")
_EXPONENT_SIZE = 20  #: characters, and elements
_EXPONENT = re.compile(r"[-−–+]?\s?(?:\d+|[a-zαβγθ])(?:\s?[-−–+*/]\s?(?:\d+|[a-z])){0,3}")
_NUMBER = re.compile(r"(\d{1,9})[.)]?\Z")


def mend(root: Node) -> None:
    """Bring all of it into the tree, in place, and measure the tree again."""
    has_sources = any(node.tag == "script" and _is_tex(node) for node in root.walk())
    stack = [root]
    while stack:
        node = stack.pop()
        children: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node):
                mender = _MENDERS.get(child.tag)
                mended = mender(child, node, children) if mender else child
                if isinstance(mended, Node) and has_sources and mended.get("class").startswith("MathJax"):
                    mended = _unseen(mended)  # how a script has drawn the formula, next to its source
                if isinstance(mended, Node):
                    stack.append(mended)
                children.append(mended)
            else:
                children.append(child)
        node.children = children
    measure(root)


def _unseen(node: Node) -> Node:
    """The same, to be left out and declared as what it is."""
    return Node("template", {}, node.children)


def _picture(node: Node, parent: Node, before: list[Node | str]) -> Node | str:  # noqa: ARG001
    said = " ".join(node.get("alt").split())
    if not said or node.get("aria-hidden") == "true":
        return node if not _is_formula(node) else ""
    if _is_formula(node):
        return (
            ""
            if any(child.tag == "math" or "math" in child.holds for child in islice(parent.elements(), 50))
            else tex(said)
        )
    beside = " ".join(" ".join(child for child in parent.children[:50] if isinstance(child, str)).split())
    return f" {said} " if is_telling(said) and said not in beside else node


def _is_formula(node: Node) -> bool:
    return bool(_MATH_CLASS.search(node.get("class").lower()))


def _figure(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """A description that only says the caption again goes."""
    inner = list(islice(node.walk(), _FIGURE))
    caption = " ".join(words(one) for one in inner if one.tag == "figcaption")
    for one in inner:
        if one.tag == "img" and " ".join(one.get("alt").split()) in caption:
            one.attributes["alt"] = ""
    return node


def _drawing(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """The labels of a drawing, a line each; a drawing without any is an icon."""
    if node.get("aria-hidden") == "true" or parent.tag.startswith("mjx-"):
        return node
    lines: list[Node | str] = []
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner.tag not in ("text", "foreignobject"):
            stack.extend(reversed(list(inner.elements())))
        elif said := _label(inner):
            lines += [said, Node("br")]
    return Node("p", {}, lines) if lines else node


def _label(node: Node) -> str:
    if node.tag == "foreignobject":
        return words(node)
    parts = [child if isinstance(child, str) else words(child) for child in node.children]
    placed = any(child.get("x") or child.get("dy") for child in node.elements())
    return " ".join((" " if placed else "").join(parts).split())


def _source(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """A formula that a script of the page would draw."""
    if not _is_tex(node):
        return node
    shown = {"display": "block"} if "display" in node.get("type") else {}
    return Node("math", shown, [words(Node("span", {}, node.children))])


def _is_tex(node: Node) -> bool:
    return node.get("type").lower().startswith("math/tex")


def _frame(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    if not node.get("srcdoc").strip():
        return node
    inner, _ = parse_tree(node.get("srcdoc"))
    return Node("div", {}, inner.children)


def _template(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """A template is no text, unless it is what its element shows."""
    return Node("div", {}, node.children) if node.get("shadowrootmode") else node


def _ruby(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """`漢字(かんじ)`: the word in one piece, then how it is read."""
    base: list[Node | str] = []
    readings: list[str] = []
    for child in node.children:
        if isinstance(child, Node) and child.tag in ("rt", "rtc"):
            readings.append(words(child))
        elif not (isinstance(child, Node) and child.tag == "rp"):
            base.append(child.strip() if isinstance(child, str) else child)
    said = "".join(readings)
    return Node("span", {}, [*base, f"({said})"] if said else base)


def _raised(node: Node, parent: Node, before: list[Node | str]) -> Node:
    """`10^6` is another number than `106`, and `memory[1]` is no word."""
    inner = [parent, *islice(node.walk(), _EXPONENT_SIZE)]
    if node.size > _EXPONENT_SIZE or len(inner) > _EXPONENT_SIZE:
        return node
    said = words(node)
    if any(one.tag == "a" and one.get("href").startswith("#") for one in inner):
        return Node("span", {}, [f"[{said}]"]) if said.isalnum() else node
    last = before[-1] if before else ""
    stem = last[-1:] if isinstance(last, str) else words(last)[-1:] if last.size <= _EXPONENT_SIZE else ""
    if not (stem.isalnum() or stem == ")") or not _EXPONENT.fullmatch(said):
        return node
    return Node("span", {}, [f"^{said}" if said.isalnum() else f"^({said})"])


def _paragraph(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """Word saves titles and the items of lists as paragraphs, each item with its bullet or number in a span."""
    if node.get("class") == "MsoTitle":
        return Node("h1", {}, node.children)
    found = _WORD_LIST.search(node.get("style"))
    if not found:
        return node
    marker = ""
    for inner in node.walk():
        for at, child in enumerate(inner.children):
            if isinstance(child, Node) and "mso-list:ignore" in child.get("style").replace(" ", "").lower():
                marker = marker or words(child)
                inner.children[at] = _unseen(child)
    number = _NUMBER.match(marker)
    if not number and any(character.isalnum() for character in marker) and marker != "o":
        node.children.insert(0, f"{marker} ")
    listed = Node("ol", {"start": number[1]}) if number else Node("ul")
    listed.children.append(Node("li", {}, node.children))
    for _ in range(int(found[1]) - 1):
        listed = Node("ul", {}, [Node("li", {}, [listed])])
    return listed


def _list(node: Node, parent: Node, before: list[Node | str]) -> Node:  # noqa: ARG001
    """Google Docs saves a list inside a list beside it, with its depth in the class."""
    found = _GOOGLE_LIST.search(node.get("class"))
    if not found:
        return node
    node.attributes["class"] = ""
    for _ in range(int(found[1])):
        node = Node("ul", {}, [Node("li", {}, [node])])
    return node


_MENDERS: dict[str, Callable[[Node, Node, list[Node | str]], Node | str]] = {
    "img": _picture,
    "figure": _figure,
    "svg": _drawing,
    "script": _source,
    "iframe": _frame,
    "template": _template,
    "ruby": _ruby,
    "sup": _raised,
    "p": _paragraph,
    "ul": _list,
    "ol": _list,
}
