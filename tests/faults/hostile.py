"""Hostile files that are made when a test runs, most because they are too big to be kept; well under a second each."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO

from pdf_making import Page, assembled, pdf

_MIB = 2**20


def flate_bomb() -> bytes:
    """A page whose content is 2 GiB of spaces, deflated to 2 MB."""
    packed = _deflated(b" " * _MIB, 2048)
    size = 2048 * _MIB
    first = 1 + size * ord(" ")  # the sums of Adler-32 over equal bytes
    second = size + ord(" ") * (size * (size + 1) // 2)
    content = b"\x78\x9c" + packed + struct.pack(">HH", second % 65521, first % 65521)
    return assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
            b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    )


def many_pages(pages: int = 10_000) -> bytes:
    """Pages that share one content stream."""
    content = b"BT /F 12 Tf 72 700 Td (Hello page text here) Tj ET"
    kids = b" ".join(b"%d 0 R" % (5 + page) for page in range(pages))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</Font<</F 4 0 R>>>>>>"
    return assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            *[page] * pages,
        ]
    )


def truncated() -> bytes:
    """A good PDF, cut off in the middle."""
    whole = pdf([Page().text(72, 100, f"This is page {number} of a report", size=12) for number in range(1, 21)])
    return whole[: len(whole) // 2]


def deep_divs() -> bytes:
    """50,000 `<div>` around two words."""
    return b"<html><body>" + b"<div>" * 50_000 + b"hello deep" + b"</div>" * 50_000 + b"</body></html>"


def deep_spans() -> bytes:
    """50,000 inline elements, two kinds in turn, around two words."""
    return b"<html><body><p>" + b"<b><i>" * 25_000 + b"hello deep" + b"</i></b>" * 25_000 + b"</p></body></html>"


def big_attribute() -> bytes:
    """An attribute of 20 MB."""
    return b'<html><body><p title="' + b"x" * 20_000_000 + b'">hello</p></body></html>'


def long_paragraph(words: int = 1_000_000) -> bytes:
    """One paragraph of 5 MB."""
    return b"<html><body><p>" + b"word " * words + b"</p></body></html>"


def deep_list(items: int = 3000) -> bytes:
    """Each item two spaces deeper than the last; 9 MB."""
    return b"".join(b"  " * depth + b"- a\n" for depth in range(items))


def backticks(runs: int = 2999) -> bytes:
    """Runs of 1, 2, 3 … backticks with a space between them; 4.5 MB."""
    return b" ".join(b"`" * length for length in range(1, runs + 1)) + b"\n"


def zip_bomb() -> bytes:
    """A DOCX whose text is 1 GB in paragraphs, packed to some megabytes."""
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    types = (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Target="word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument/'
        '2006/relationships/officeDocument"/></Relationships>'
    )
    paragraph = b"<w:p><w:r><w:t>" + b"A" * 9_960 + b"</w:t></w:r></w:p>"
    chunk = paragraph * 100
    head = f'<?xml version="1.0"?><w:document xmlns:w="{main}"><w:body>'.encode()
    tail = b"</w:body></w:document>"
    times = 1_000_000_000 // len(chunk)
    packed = _deflated(head, 1, last=False) + _deflated(chunk, times, last=False) + _deflated(tail, 1)
    check = zlib.crc32(head)
    for _ in range(times):
        check = zlib.crc32(chunk, check)
    check = zlib.crc32(tail, check)
    size = len(head) + times * len(chunk) + len(tail)
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations)
        entry = zipfile.ZipInfo("word/document.xml")
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.header_offset, entry.CRC, entry.compress_size, entry.file_size = out.tell(), check, len(packed), size
        out.write(entry.FileHeader(zip64=False) + packed)
        archive.filelist.append(entry)
        archive.start_dir = out.tell()
    return out.getvalue()


def many_parts(parts: int = 200_000) -> bytes:
    """An archive that lists one part so many times: the list is what fills the memory of whoever reads it."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "")
    small = out.getvalue()
    start, end = small.index(b"PK\x01\x02"), small.index(b"PK\x05\x06")
    entry = small[start:end]
    count = min(parts, 0xFFFF)
    return (
        small[:start]
        + entry * parts
        + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(entry) * parts, start, 0)
    )


def broken_types() -> bytes:
    """A DOCX in which the part that says what it is cannot be unpacked."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types>" + "<Default/>" * 100 + "</Types>")
        archive.writestr("word/document.xml", "<w:document/>")
    whole = bytearray(out.getvalue())
    start = whole.index(b"[Content_Types].xml") + len("[Content_Types].xml")
    whole[start : start + 12] = b"\xff" * 12
    return bytes(whole)


def _deflated(chunk: bytes, times: int, *, last: bool = True) -> bytes:
    """Raw deflate of `chunk`, so many times over: packed once, since a full flush forgets what stood before."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    once = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    return once * times + (packer.flush() if last else b"")


#: file name → how to make it
BIG: dict[str, Callable[[], bytes]] = {
    "flatebomb.pdf": flate_bomb,
    "pages10k.pdf": many_pages,
    "trunc.pdf": truncated,
    "deep_div.html": deep_divs,
    "deep_span.html": deep_spans,
    "big_attr.html": big_attribute,
    "long_p.html": long_paragraph,
    "deep_list.md": deep_list,
    "ticks.md": backticks,
    "zipbomb.docx": zip_bomb,
    "many_parts.docx": many_parts,
    "broken_types.docx": broken_types,
}
