"""Macros that no grammar of C or C++ can know: blanked before parsing, so that what they decorate is understood."""

from __future__ import annotations

import re

_MACRO = rb"(?:__\w++|_*+[A-Z][A-Z0-9_]{2,}+(?!\w))"
_GIVEN = rb"(?:\((?:[^()\n]|\([^()\n]*+\))*+\))"
_MACROS = re.compile(
    # after the parameters: `int f(int) __THROW __nonnull ((1));`
    rb"\)(?P<after>\s*+(?:" + _MACRO + rb"\s*+" + _GIVEN + rb"?\s*+){1,8})(?=[;{])"
    # before the name of a type: `class EXPORT Shelf {`
    rb"|\b(?:class|struct|union|enum)[ \t]++(?P<before>" + _MACRO + _GIVEN + rb"?)[ \t]++"
    rb"(?=[A-Za-z_]\w*+\s*+(?:final\b\s*+)?[:{])"
    # alone in a line, unless its body follows or it is a part of another: `BEGIN_DECLS`, `Q_OBJECT`, `REGISTER(Shelf)`
    rb"|(?<!\\\n)^[ \t]*+(?P<alone>" + _MACRO + _GIVEN + rb"?)(?=[ \t]*+$)(?!\s*+\{)",
    re.MULTILINE,
)


def blanked(data: bytes) -> bytes:
    """`data` with spaces in the places of such macros: as long as it was, and with the same lines."""
    return _MACROS.sub(_spaces, data)


def _spaces(found: re.Match[bytes]) -> bytes:
    start, end = found.span(found.lastgroup or 0)
    whole = found[0]
    first, last = start - found.start(), end - found.start()
    blank = bytes(byte if byte in b"\r\n" else 0x20 for byte in whole[first:last])
    return whole[:first] + blank + whole[last:]
