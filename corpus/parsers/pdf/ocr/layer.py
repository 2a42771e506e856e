"""Words of a scan as a PDF of nothing but text and lines, so that what lays out a text page lays them out too.

The characters of its font are all alike; they are stretched to the width of the word on the page, and a table in the
file says which character is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from corpus.parsers.pdf.ocr.font import ASCENT, DESCENT, EM, GLYPH, WIDTH, font
from corpus.parsers.pdf.ocr.words import Line, Reading

_SPACE = 0.8  #: of a line's size: white that is as wide or less is the space between two words
_TURNS = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}
_NUMBERS = re.compile(r"\d[\d.,:/]*\d|[A-Za-z]+")  #: in a word that reads from right to left
_AT_ONCE = 100  #: entries of a table of characters, by the specification

_FONTS = ("Words", "Words-Bold")  #: objects 6 to 8 and 9 to 11 of the file; 3 to 5 are what both are made of
_FIRST_PAGE = 12
_RESOURCES = "/Resources<</Font<</F0 6 0 R/F1 9 0 R>>>>"


def layer(pages: Sequence[Reading]) -> bytes:
    """A PDF file with a page for each of `pages`, of the same size, and its words where they stand."""
    codes: dict[str, int] = {}
    contents = ["\n".join(_content(page, codes)) for page in pages]
    kids = " ".join(f"{_FIRST_PAGE + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        _stream(_meanings(codes)),
        _hexadecimal(GLYPH.to_bytes(2, "big") * (len(codes) + 1)),
        _hexadecimal(font()),
        *_font(_FONTS[0], 6),
        *_font(_FONTS[1], 9),
    ]
    for number, (page, content) in enumerate(zip(pages, contents, strict=True)):
        box = f"/MediaBox[0 0 {page.width:.2f} {page.height:.2f}]"
        at = _FIRST_PAGE + 2 * number + 1
        objects += [f"<</Type/Page/Parent 2 0 R{box}{_RESOURCES}/Contents {at} 0 R>>", _stream(content)]
    return _file(objects)


def _font(name: str, first: int) -> tuple[str, str, str]:
    """The three objects of a font, of which `first` is the number of the first."""
    system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
    extent = f"/FontBBox[0 {DESCENT} {WIDTH} {ASCENT}]/ItalicAngle 0/Ascent {ASCENT}/Descent {DESCENT}"
    codes = f"/Encoding/Identity-H/ToUnicode 3 0 R/DescendantFonts[{first + 1} 0 R]"
    descriptor = f"/FontDescriptor {first + 2} 0 R/CIDToGIDMap 4 0 R"
    return (
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}{codes}>>",
        f"<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/DW {WIDTH}{descriptor}{system}>>",
        f"<</Type/FontDescriptor/FontName/{name}/Flags 4{extent}/CapHeight {ASCENT}/StemV 80/FontFile2 5 0 R>>",
    )


def _content(page: Reading, codes: dict[str, int]) -> Iterator[str]:
    for left, top, right, foot in page.rules:
        x, y = (left + right) / 2, page.height - (top + foot) / 2
        if right - left > foot - top:
            yield f"{left:.2f} {y:.2f} m {right:.2f} {y:.2f} l S"
        else:
            yield f"{x:.2f} {page.height - foot:.2f} m {x:.2f} {page.height - top:.2f} l S"
    yield "BT 3 Tr"
    for line in page.lines:
        for word, following in zip(line.words, (*line.words[1:], None), strict=True):
            left, right, text = word.box[0], word.box[2], word.text
            if following and 0 < following.box[0] - right <= _SPACE * line.size and not line.angle:
                yield _set(" ", right, line.base, following.box[0] - right, line, page.height, codes)
            x, y, length = left, line.base, right - left
            if line.angle in (90, 270):
                length = word.box[3] - word.box[1]
                x, y = (right, word.box[3]) if line.angle == 90 else (left, word.box[1])
            elif line.angle == 180:
                x, y = right, word.box[1]
            yield _set(text, x, y, length, line, page.height, codes)
    yield "ET"


def _set(text: str, x: float, y: float, length: float, line: Line, height: float, codes: dict[str, int]) -> str:
    """Set `text` over `length` points from (x, y) on, y from the top of the page."""
    a, b, c, d = _TURNS[line.angle]
    stretched = 100 * length / (WIDTH / EM * line.size * len(text))
    shown = "".join(f"{codes.setdefault(character, len(codes) + 1):04x}" for character in _as_set(text))
    place = f"{a} {b} {c} {d} {x:.2f} {height - y:.2f}"
    return f"/F{line.bold:d} {line.size:.2f} Tf {stretched:.2f} Tz {place} Tm <{shown}> Tj"


def _as_set(text: str) -> str:
    """A word's characters from left to right: letters that read from right to left turned around, numbers not."""
    if not any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return text
    return _NUMBERS.sub(lambda number: number[0][::-1], text[::-1])


def _meanings(codes: Mapping[str, int]) -> str:
    """The table from codes to characters (a ToUnicode CMap)."""
    entries = [f"<{code:04x}> <{character.encode('utf-16-be').hex()}>" for character, code in codes.items()]
    groups = [entries[at : at + _AT_ONCE] for at in range(0, len(entries), _AT_ONCE)]
    tables = "\n".join(f"{len(group)} beginbfchar\n{chr(10).join(group)}\nendbfchar" for group in groups)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Words def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{tables}\nendcmap end end"
    )


def _stream(content: str) -> str:
    return f"<</Length {len(content)}>>stream\n{content}\nendstream"


def _hexadecimal(content: bytes) -> str:
    return (
        f"<</Length {2 * len(content)}/Length1 {len(content)}/Filter/ASCIIHexDecode>>stream\n{content.hex()}\nendstream"
    )


def _file(objects: Sequence[str]) -> bytes:
    written, places = "%PDF-1.7\n", []
    parts = [written]
    at = len(written)
    for number, content in enumerate(objects, 1):
        places.append(at)
        parts.append(f"{number} 0 obj\n{content}\nendobj\n")
        at += len(parts[-1])
    entries = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    parts.append(f"xref\n0 {size}\n0000000000 65535 f \n{entries}trailer<</Size {size}/Root 1 0 R>>\n")
    parts.append(f"startxref\n{at}\n%%EOF\n")
    return "".join(parts).encode("ascii")
