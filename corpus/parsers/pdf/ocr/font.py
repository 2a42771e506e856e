"""A TrueType font with one glyph, a rectangle: what every machine has in common, whatever fonts are installed there.

A PDF whose fonts are not in it is measured with whatever the machine has in their place.
"""

from __future__ import annotations

import struct

EM = 1000  #: units to the font's size
ASCENT, DESCENT = 750, -250  #: together the size, so that a line is as high as its font is large
WIDTH = 500
GLYPH = 1  #: the rectangle's number

_TALL = 700


def font() -> bytes:
    """The font's file, by the OpenType specification; no table that a reader of PDF does not need."""
    outline = struct.pack(">5h", 1, 0, 0, WIDTH, _TALL)  # one contour and its extent
    outline += struct.pack(">2H4B", 3, 0, 1, 1, 1, 1)  # its last point, no program, four points on the curve
    outline += struct.pack(">8h", 0, 0, WIDTH, 0, 0, _TALL, 0, -_TALL)  # from point to point
    outline += bytes(-len(outline) % 4)
    version, magic = 0x00010000, 0x5F0F3CF5
    return _file(
        {
            b"glyf": outline,
            b"head": struct.pack(
                ">4I2H2q4h2H3h", version, version, 0, magic, 0, EM, 0, 0, 0, DESCENT, WIDTH, ASCENT, 0, 8, 2, 1, 0
            ),
            b"hhea": struct.pack(
                ">I3hH11hH", version, ASCENT, DESCENT, 0, WIDTH, 0, 0, WIDTH, 1, 0, 0, 0, 0, 0, 0, 0, 1
            ),
            b"hmtx": struct.pack(">Hhh", WIDTH, 0, 0),
            b"loca": struct.pack(">3I", 0, 0, len(outline)),  # the glyph for what is missing is empty
            b"maxp": struct.pack(">I14H", version, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        }
    )


def _file(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(">I4H", 0x00010000, count, power * 16, power.bit_length() - 1, (count - power) * 16)
    at = len(head) + 16 * count
    entries, contents = b"", b""
    for name, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) % 2**32
        entries += struct.pack(">4s3I", name, total, at + len(contents), len(table))
        contents += padded
    return head + entries + contents
