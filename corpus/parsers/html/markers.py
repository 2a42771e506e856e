"""The numbers and letters that a browser puts before the items of a list."""

from __future__ import annotations

import re
from collections.abc import Callable

from corpus.parsers.html.tree import Node

_NUMBER = re.compile(r"\s*([-+]?\d{1,9})")
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]{0,60}?\b((?:lower|upper)-(?:alpha|latin|roman|greek)|decimal)\b")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
_LATIN = "abcdefghijklmnopqrstuvwxyz"


class Markers:
    """Those of one `ol`, by its `type`, `start`, `reversed` and style, and by `value` and `type` of its items."""

    def __init__(self, node: Node) -> None:
        self._step = -1 if "reversed" in node.attributes else 1
        first = sum(child.tag == "li" for child in node.elements()) if self._step < 0 else 1
        self._number = _integer(node.get("start"), first)
        self._style = _style_of(node) or "decimal"

    def next(self, item: Node) -> str:
        """The marker of the next item, as `c.`, `iv.` or `3.`; what letters cannot count is counted in digits."""
        number = _integer(item.get("value"), self._number)
        self._number = number + self._step
        write = _WRITERS.get(_style_of(item) or self._style)
        return f"{(write(number) if write else '') or number}."


def _integer(value: str, default: int) -> int:
    found = _NUMBER.match(value)
    return int(found[1]) if found else default


def _style_of(node: Node) -> str:
    """The style of a list or an item; empty if it does not say."""
    if found := _STYLE.search(node.get("style").lower()):
        return found[1]
    return _TYPES.get(node.get("type").strip(), "")


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return ""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _letters(alphabet: str) -> Callable[[int], str]:
    def write(number: int) -> str:
        text = ""
        while number > 0:
            number, letter = divmod(number - 1, len(alphabet))
            text = alphabet[letter] + text
        return text

    return write


#: `type` of a list → its style
_TYPES = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}
_WRITERS: dict[str, Callable[[int], str]] = {
    "lower-alpha": _letters(_LATIN),
    "lower-latin": _letters(_LATIN),
    "lower-roman": _roman,
    "lower-greek": _letters(_GREEK),
    "upper-alpha": _letters(_LATIN.upper()),
    "upper-latin": _letters(_LATIN.upper()),
    "upper-roman": lambda number: _roman(number).upper(),
}
