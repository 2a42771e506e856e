"""Formulas of Word and PowerPoint (OMML) in one line, as one would type them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_M = f"{{{NAMESPACE}}}"


def formula(element: Any) -> str:
    """The text of `m:oMath` or of anything in it: `x=(-b±√(b^2-4ac))/(2a)`."""
    name = str(element.tag).rpartition("}")[2]
    if name == "t":
        return element.text or ""
    write = _WRITERS.get(name)
    return write(element) if write else _all(element)


def _all(element: Any) -> str:
    return "".join(formula(child) for child in element if isinstance(child.tag, str) and not child.tag.endswith("Pr"))


def _part(element: Any, name: str) -> str:
    part = element.find(_M + name)
    return _all(part) if part is not None else ""


def _parts(element: Any, name: str) -> list[str]:
    return [_all(part) for part in element.findall(_M + name)]


def _property(element: Any, name: str, otherwise: str) -> str:
    """A property's value; one without a value says `nothing`, and one that is not there what is usual."""
    found = next(element.iterfind(f"./*/{_M}{name}"), None)
    return otherwise if found is None else str(found.get(f"{_M}val", ""))


def _held(text: str) -> str:
    """In brackets, unless it is one name or number, or in brackets already."""
    return text if text.isalnum() or len(text) == 1 or not text else f"({text})"


def _fraction(element: Any) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    return f"C({above},{below})" if _property(element, "type", "") == "noBar" else f"{_held(above)}/{_held(below)}"


def _scripts(element: Any) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    return _held(_part(element, "e")) + (f"_{_held(low)}" if low else "") + (f"^{_held(high)}" if high else "")


def _before(element: Any) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    return (f"_{_held(low)}" if low else "") + (f"^{_held(high)}" if high else "") + _held(_part(element, "e"))


def _root(element: Any) -> str:
    degree = _part(element, "deg")
    return (f"root_{_held(degree)}" if degree else "√") + f"({_part(element, 'e')})"


def _operator(element: Any) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    sign = _property(element, "chr", "∫") + (f"_{_held(low)}" if low else "") + (f"^{_held(high)}" if high else "")
    return f"{sign} {_part(element, 'e')}"


def _brackets(element: Any) -> str:
    between = _property(element, "sepChr", "|").join(_parts(element, "e"))
    return _property(element, "begChr", "(") + between + _property(element, "endChr", ")")


def _matrix(element: Any) -> str:
    return "[" + "; ".join(", ".join(_parts(row, "e")) for row in element.findall(f"{_M}mr")) + "]"


def _limit(element: Any) -> str:
    return f"{_part(element, 'e')}_{_held(_part(element, 'lim'))}"


def _function(element: Any) -> str:
    name, of = _part(element, "fName"), _part(element, "e")
    return f"{name}{of}" if of.startswith("(") else f"{name} {of}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _before,
    "rad": _root,
    "nary": _operator,
    "d": _brackets,
    "m": _matrix,
    "limLow": _limit,
    "limUpp": _limit,
    "func": _function,
    "acc": lambda element: _part(element, "e") + _property(element, "chr", "\u0302"),
    "eqArr": lambda element: "; ".join(_parts(element, "e")),
    "oMathPara": lambda element: "; ".join(_parts(element, "oMath")),
}
