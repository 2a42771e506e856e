"""Bytes → text: one way for every format whose file is text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from corpus.errors import ParseError
from corpus.parsers.encodings import detect

VERSION = 2  #: raised whenever the same bytes give another text; part of the fingerprint of every text parser

#: the longer marks first: UTF-32's little-endian mark begins with UTF-16's
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: escape → encodings that have it
_ESCAPES = (
    (b"\x1b$)C", ("iso2022_kr",)),
    (b"\x1b$", ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext")),
    (b"\x1b(J", ("iso2022_jp",)),
    (b"~{", ("hz",)),
)
_ESCAPED = 4  #: characters beyond ASCII that make an escape more than an accident; fewer do in a short text
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
#: what some writers take for UTF-8: surrogates as three bytes each, NUL as two; never a part of valid UTF-8
_ALMOST = re.compile(rb"(?:\xed[\xa0-\xbf][\x80-\xbf])+|\xc0\x80")
_UNREADABLE_SHARE = 0.25  #: of the characters; above it the bytes are no text in any encoding known here


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with Unix newlines, without a byte order mark, NUL or lone surrogate."""

    text: str
    encoding: str  #: as Python names it
    replaced: int  #: characters removed, or replaced by U+FFFD


def clean(text: str) -> tuple[str, int]:
    """`text` without what no database and no UTF-8 can hold, and how many characters that were.

    Surrogates that make a pair become the character that they stand for; lone ones and NUL go.
    """
    if (text.isascii() and "\x00" not in text) or not _UNSTORABLE.search(text):
        return text, 0
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _UNSTORABLE.subn("", paired)


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode a whole file; `declared` is the encoding that it says it has, if any.

    In this order: byte order mark, strict UTF-8, UTF-16 without a mark, what is declared, detection over the whole
    file, UTF-8 with replacements. Raises `ParseError` if more than a quarter of it would be replaced.
    """
    text, encoding, replaced = _decode(data, declared)
    if replaced > _UNREADABLE_SHARE * max(len(text), 1):
        raise ParseError(
            f"{replaced} of {len(text)} characters cannot be read in any encoding",
            hint="the file is damaged or not a text; replace it, or exclude it",
        )
    text, removed = clean(text.removeprefix("\ufeff"))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, encoding, replaced + removed)


def marked(data: bytes) -> str | None:
    """The encoding that a byte order mark names."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def unmarked_utf16(data: bytes) -> str | None:
    """The byte order of UTF-16 without a mark: every other byte of mostly ASCII text is then NUL."""
    head = data[:4096]
    half = len(head) // 2
    if half < 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.7 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.7 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _decode(data: bytes, declared: str | None) -> tuple[str, str, int]:
    if encoding := marked(data):
        text = data.decode(encoding, "replace")
        return text, encoding, _replacements(text, data, encoding)
    if encoding := unmarked_utf16(data):
        text = data.decode(encoding, "replace")
        return text, encoding, text.count("\ufffd")
    if encoding := _seven_bit(data):
        return data.decode(encoding), encoding, 0
    try:
        return data.decode("utf-8"), "utf-8", 0
    except UnicodeDecodeError:
        pass
    repaired, broken, removed = _almost_utf8(data)
    # Sequences of several bytes do not come out right by accident, those of two bytes only now and then.
    pairs = sum("\x7f" < character <= "\u07ff" for character in repaired)
    longer = sum(character > "\u07ff" for character in repaired) - broken
    if pairs / 2 + longer + removed >= broken:
        return repaired, "utf-8", broken + removed
    for encoding in (_known(declared), detect(data)):
        if encoding and encoding != "utf-8":
            text = data.decode(encoding, "replace")
            faults = text.count("\ufffd")
            if faults < broken and faults <= 0.01 * len(text):
                return text, encoding, faults
    return repaired, "utf-8", broken + removed


def _seven_bit(data: bytes) -> str | None:
    """The encoding of East Asia that bytes are in although all of them are ASCII: its escapes tell."""
    for mark, encodings in _ESCAPES:
        if mark not in data or not data.isascii():
            continue
        for encoding in encodings:
            try:
                beyond = sum(character > "\x7f" for character in data.decode(encoding))
            except UnicodeDecodeError:
                continue
            if beyond >= min(_ESCAPED, len(data) // 16 + 1):
                return encoding
    return None


def _almost_utf8(data: bytes) -> tuple[str, int, int]:
    """The text of bytes as UTF-8, how many U+FFFD in it stand for broken bytes, and how many characters were removed.

    Surrogates that make a pair become the character that they stand for; lone ones and NUL go.
    """
    removed = 0

    def mend(found: re.Match[bytes]) -> bytes:
        nonlocal removed
        text, gone = clean(found[0].replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass"))
        removed += gone
        return text.encode("utf-8")

    text = _ALMOST.sub(mend, data).decode("utf-8", "replace")
    return text, text.count("\ufffd") - data.count(b"\xef\xbf\xbd"), removed


def _replacements(text: str, data: bytes, encoding: str) -> int:
    own = data.count(b"\xef\xbf\xbd") if encoding == "utf-8-sig" else 0
    return max(text.count("\ufffd") - own, 0)


def _known(declared: str | None) -> str | None:
    """The codec of a declared encoding. Browsers read Latin-1 as Windows-1252, and so does this."""
    try:
        name = codecs.lookup((declared or "").strip()).name
        b"".decode(name)
    except (LookupError, ValueError):
        return None
    return {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}.get(
        name, name
    )
