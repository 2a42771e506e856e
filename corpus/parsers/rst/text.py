"""The words of docutils' nodes, without markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from docutils import nodes


def text_of(node: Any) -> str:
    """The text of a node with inline markup, on one line."""
    return " ".join(_inline(node).split())


def _inline(node: Any) -> str:
    if isinstance(node, nodes.Text):
        return str(node).replace("\x00", "")
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference):
        return f" [{node.astext()}]"
    if isinstance(node, nodes.option_argument):
        return f"{node.get('delimiter', ' ')}{node.astext()}"
    if isinstance(node, nodes.image):
        return str(node.get("alt", ""))
    if isinstance(node, nodes.system_message | nodes.comment | nodes.raw):
        return ""
    return "".join(map(_inline, node.children))


def line_texts(node: Any, depth: int) -> Iterable[str]:
    """The lines of a line block; inner ones are indented."""
    for child in node.children:
        if isinstance(child, nodes.line_block):
            yield from line_texts(child, depth + 1)
        else:
            yield "  " * depth + text_of(child)


def numeral(kind: str, number: int) -> str:
    """A number as docutils' `enumtype` names its form."""
    return _NUMERALS.get(kind, str)(number)


def _roman(number: int) -> str:
    found = ""
    for value, letters in ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
                           (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):  # fmt: skip
        while number >= value:
            found, number = found + letters, number - value
    return found


_NUMERALS: dict[str, Callable[[int], str]] = {
    "arabic": str,
    "loweralpha": lambda number: chr(96 + (number - 1) % 26 + 1),
    "upperalpha": lambda number: chr(64 + (number - 1) % 26 + 1),
    "lowerroman": _roman,
    "upperroman": lambda number: _roman(number).upper(),
}
