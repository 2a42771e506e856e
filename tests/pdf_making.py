"""Writes small PDF files: text at given places, images, an outline, metadata."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

WIDTH, HEIGHT = 612, 792
FONTS = {"F": "Helvetica", "B": "Helvetica-Bold", "C": "Courier"}


@dataclass
class Page:
    """Marks on a page; `y` is measured from the top, in points."""

    marks: list[bytes] = field(default_factory=list)
    rotate: int = 0
    width: float = WIDTH
    height: float = HEIGHT

    def text(self, x: float, y: float, words: str, *, size: float = 10, font: str = "F") -> Page:
        escaped = words.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        self.marks.append(b"BT /%s %g Tf %g %g Td (%s) Tj ET" % (font.encode(), size, x, self.height - y, escaped))
        return self

    def lines(self, x: float, y: float, lines: list[str], *, size: float = 10, font: str = "F") -> Page:
        for number, line in enumerate(lines):
            self.text(x, y + number * size * 1.2, line, size=size, font=font)
        return self

    def image(self) -> Page:
        """A grey picture that fills the page."""
        self.marks.append(b"q %g 0 0 %g 0 0 cm /I Do Q" % (self.width, self.height))
        return self


def pdf(
    pages: list[Page],
    *,
    outline: list[tuple[str, int, int]] = (),  # type: ignore[assignment]
    info: dict[str, str] | None = None,
) -> bytes:
    """A file of these pages; `outline` has (title, depth from 0, page from 0), `info` the document's metadata."""
    objects: list[bytes] = [b"", b""]  # catalogue and page tree, when their contents are known

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    fonts = {
        key: add(b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % name.encode())
        for key, name in FONTS.items()
    }
    image = add(
        b"<</Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8/Length 4>>"
        b"stream\n\x10\x80\x80\x10\nendstream"
    )
    used = b" ".join(b"/%s %d 0 R" % (key.encode(), number) for key, number in fonts.items())
    numbers = []
    for page in pages:
        content = zlib.compress(b"\n".join(page.marks))
        stream = add(b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(content), content))
        numbers.append(
            add(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Rotate %d/Contents %d 0 R"
                b"/Resources<</Font<<%s>>/XObject<</I %d 0 R>>>>>>"
                % (page.width, page.height, page.rotate, stream, used, image)
            )
        )
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), kids)
    objects[0] = b"<</Type/Catalog/Pages 2 0 R%s>>" % (_outline(objects, outline, numbers) if outline else b"")
    trailer = b""
    if info:
        entries = b"".join(b"/%s(%s)" % (key.encode(), value.encode("latin-1")) for key, value in info.items())
        trailer = b"/Info %d 0 R" % add(b"<<%s>>" % entries)
    return assembled(objects, trailer)


def _outline(objects: list[bytes], outline: list[tuple[str, int, int]], pages: list[int]) -> bytes:
    """Each entry hangs under the last one that is less deep; numbers are known because they are given out in order."""
    objects.append(b"")
    root = len(objects)
    first = root + 1
    parents: list[int] = []
    above: list[tuple[int, int]] = [(-1, root)]
    for index, (_, depth, _) in enumerate(outline):
        while above[-1][0] >= depth:
            above.pop()
        parents.append(above[-1][1])
        above.append((depth, first + index))
    children = {parent: [first + i for i, p in enumerate(parents) if p == parent] for parent in {root, *parents}}
    for index, (title, _, page) in enumerate(outline):
        number, siblings = first + index, children[parents[index]]
        at = siblings.index(number)
        body = b"/Title(%s)/Parent %d 0 R/Dest[%d 0 R/Fit]" % (title.encode(), parents[index], pages[page])
        if at + 1 < len(siblings):
            body += b"/Next %d 0 R" % siblings[at + 1]
        if number in children:
            body += b"/First %d 0 R/Last %d 0 R/Count 1" % (children[number][0], children[number][-1])
        objects.append(b"<<%s>>" % body)
    found = children[root]
    objects[root - 1] = b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count 1>>" % (found[0], found[-1])
    return b"/Outlines %d 0 R" % root


def assembled(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A file of numbered objects; the first is the catalogue."""
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body or b"null")
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)


def form_bomb(levels: int = 11) -> bytes:
    """Drawings inside drawings, each drawn ten times by the one above: ten to the power of `levels` words."""
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<%s>>/Length %d>>stream\n%s\nendstream"
    word = b"BT /F 12 Tf 72 700 Td (x) Tj ET"
    calls = b"/X Do " * 10
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(calls), calls),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    objects += [form % (b"/XObject<</X %d 0 R>>" % (7 + n), len(calls), calls) for n in range(levels - 1)]
    objects.append(form % (b"/Font<</F 5 0 R>>", len(word), word))
    return assembled(objects)


def flate_bomb(megabytes: int) -> bytes:
    """One page whose content is that many megabytes of spaces."""
    packer = zlib.compressobj(1)
    content = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    return assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
            b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    )
