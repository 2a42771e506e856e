"""The words of an element, in one line or as they stand."""

from __future__ import annotations

from collections.abc import Set

from corpus.parsers.html.tree import Node

#: elements that begin and end a line
BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html",
        "label", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "search",
        "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
        "h1", "h2", "h3", "h4", "h5", "h6",
    }
)  # fmt: skip
_SHELL = r"{\displaystyle "
_PROGRAMS = frozenset({"script", "style"})


def words(node: Node, without: Set[Node] = frozenset()) -> str:
    """All text of an element in one line, white space folded; elements in `without` are passed over."""
    return " ".join("".join(_pieces(node, without, spaced=True)).split())


def verbatim(node: Node) -> str:
    """The text of preformatted content: line breaks and leading spaces stay, a no-break space becomes a space."""
    pieces = _pieces(node, frozenset(), spaced=False)
    text = "".join(pieces).replace("\xa0", " ").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def formula(node: Node) -> str:
    """The TeX source of a MathML element, if it carries one; else what it says for those who cannot see it."""
    for inner in node.walk():
        if inner.tag == "annotation" and "tex" in inner.get("encoding").lower():
            return tex(words(inner))
    return tex(node.get("alttext")) or words(node)


def tex(source: str) -> str:
    """TeX in one line, without the shell that MediaWiki puts around it."""
    folded = " ".join(source.split())
    shell = folded.startswith(_SHELL) and folded.endswith("}")
    return folded[len(_SHELL) : -1].strip() if shell else folded


def _pieces(node: Node, without: Set[Node], *, spaced: bool) -> list[str]:
    pieces: list[str] = []
    stack: list[Node | str] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif item.tag in _PROGRAMS or item in without:
            continue
        elif item.tag == "br":
            pieces.append(" " if spaced else "\n")
        elif item.tag == "math" and item is not node:
            pieces.append(formula(item))
        else:
            edge = item.tag in BLOCKS and item is not node
            if edge and spaced:
                stack.append(" ")
                pieces.append(" ")
            elif edge and pieces and not pieces[-1].endswith("\n"):
                pieces.append("\n")  # code whose lines are elements of their own
            stack.extend(reversed(item.children))
    return pieces
