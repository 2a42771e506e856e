"""How large and how heavy the type on a picture is: what a heading is known by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from corpus.parsers.draft import Box

CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")

# Shares of a font's size, as usual text faces have them.
_LOW, _DOTTED, _TALL, _FALL, _SQUARE = 0.46, 0.64, 0.70, 0.21, 0.88
_LOW_LETTERS = frozenset("acegmnopqrsuvwxyzагежиклмнопрстухцчшщъыьэюяαγεηικμνοπρςστυχω")
_DOTTED_LETTERS = frozenset("tij")
_FALLING = frozenset("gjpqyQ,;()[]{}|/ßçруцщфβγζημξρφχψ")
_GROUND = 0.6  #: of the paper's brightness; what is darker is ink


def size_of(text: str, height: float) -> float | None:
    """The size of the font in which `text` is `height` high, ink from top to bottom; None if it has no letter."""
    if CJK.search(text):
        return height / _SQUARE
    letters = [character for character in text if character.isalnum()]
    if not letters:
        return None
    rises = (
        _LOW if character in _LOW_LETTERS else _DOTTED if character in _DOTTED_LETTERS else _TALL
        for character in text
        if character.isalnum() or unicodedata.category(character) in ("Ps", "Pe", "Pi", "Pf")
    )
    fall = _FALL if any(character in _FALLING for character in text) else 0.0
    return height / (max(rises) + fall)


def usual(sizes: Iterable[tuple[float | None, int]], otherwise: float) -> float:
    """The median of sizes, each as often as the number beside it says."""
    known = [size for size, count in sizes if size for _ in range(count)]
    return median(known) if known else otherwise


@dataclass(frozen=True, slots=True)
class Ink:
    """A picture in black (1) and white (0), a byte for each pixel, row by row."""

    pixels: bytes
    width: int

    @classmethod
    def of(cls, grey: bytes, width: int, paper: int) -> Ink:
        """The ink of a picture in 256 greys on a ground of `paper`; of light letters on dark paper there is none."""
        return cls(grey.translate(bytes(level < paper * _GROUND for level in range(256))), width)

    def strokes(self, box: Box) -> tuple[int, int]:
        """Dark pixels in a box, which is given in pixels, and how many runs they are in, line by line."""
        left, top, right, bottom = (max(0, round(side)) for side in box)
        dark = runs = 0
        for row in range(top, bottom):
            line = self.pixels[row * self.width + left : row * self.width + min(right, self.width)]
            dark += line.count(1)
            runs += line.count(b"\0\1") + line.startswith(b"\1")
        return dark, runs
