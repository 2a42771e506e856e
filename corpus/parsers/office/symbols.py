"""Characters of the fonts Symbol and Wingdings, whose codes are no characters of Unicode."""

from __future__ import annotations

#: codes of Symbol from 0x41 on and from 0xA1 on; a space where there is nothing to say
_SYMBOL = {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0x5E: "⊥", 0x7E: "∼",
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(
        zip(
            range(0xA1, 0xE0),
            "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
            strict=False,
        )
    ),
    0xE0: "◊", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS = {
    0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑",
    0x75: "◆", 0x76: "❖", 0x77: "◆", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xE9: "⬆", 0xEA: "⬇", 0xEF: "⇦", 0xF0: "⇨", 0xF3: "⬄", 0xFB: "✗",
    0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}


def symbol(font: str, code: str) -> str:
    """The character that `font` shows for a code in hexadecimal; U+FFFD if it is not known which.

    Word adds 0xF000 to the codes of such fonts.
    """
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    table = _FONTS.get(font.strip().lower())
    if table is None:
        return chr(value) if 0x20 <= value < 0xD800 else "\ufffd"
    return table.get(value & 0xFF, chr(value & 0xFF) if table is _SYMBOL and 0x20 <= value & 0xFF < 0x7F else "\ufffd")
