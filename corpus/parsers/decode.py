"""Bytes → text: one way for every format whose file is text."""

from __future__ import annotations

import codecs
import re
import string
from dataclasses import dataclass

from corpus.errors import ParseError

VERSION = 1  #: raised whenever the same bytes give another text; part of the fingerprint of every text parser

#: the longer marks first: UTF-32's little-endian mark begins with UTF-16's
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
#: what some writers take for UTF-8: surrogates as three bytes each, NUL as two; never a part of valid UTF-8
_ALMOST = re.compile(rb"(?:\xed[\xa0-\xbf][\x80-\xbf])+|\xc0\x80")
#: what a wrong encoding makes of letters: a sign amid them (`ci±gnie`) or before them (`£ódź`), a control, a hole
_TORN = re.compile(
    r"[^\W\d_][^\w\s\x00-\x7f\xb7\u2013-\u2019](?=[^\W\d_])|(?<!\w)[£±¶³²¹¼½¾¥¤¨´¸](?=[^\W\d_])|[\x80-\x9f\ufffd]"
)
_UNREADABLE_SHARE = 0.25  #: of the characters; above it the bytes are no text in any encoding known here
_DETECTION_BYTES = 2_000_000  #: the detector is slow; it sees the head, the middle and the tail of longer files

#: Encodings that the detector may answer: those that text files are really written in. Its full list has hundreds of
#: close relatives (EBCDIC, DOS code pages) that fit any bytes and make a short Latin text ambiguous.
_CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "koi8_r", "koi8_u", "cp866", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2",
    "iso8859_5", "iso8859_7", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "euc_kr", "cp949",
    "cp874", "mac_roman",
)  # fmt: skip
#: Those of Latin letters; the first is the answer unless the text speaks for another.
_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "mac_roman")
_HIGH = re.compile(rb"[\x80-\xff]+")
_ACCENTED = re.compile(rb"[A-Za-z][\x80-\xff]|[\x80-\xff][A-Za-z]")


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
    if not _UNSTORABLE.search(text):
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
    try:
        # ISO-2022-JP is made of ASCII bytes: its escapes are what tells it from UTF-8
        if b"\x1b$" not in data and b"\x1b(J" not in data:
            return data.decode("utf-8"), "utf-8", 0
        return data.decode("iso2022_jp"), "iso2022_jp", 0
    except UnicodeDecodeError:
        pass
    repaired, broken, removed = _almost_utf8(data)
    readable = sum(1 for character in repaired if character > "\x7f") - broken
    if readable + removed >= broken:  # multi-byte sequences do not come out right by accident: damaged UTF-8
        return repaired, "utf-8", broken + removed
    for encoding in (_known(declared), _detect(data)):
        if encoding and encoding != "utf-8":
            text = data.decode(encoding, "replace")
            faults = text.count("\ufffd")
            if faults < broken and faults <= 0.01 * len(text):
                return text, encoding, faults
    return repaired, "utf-8", broken + removed


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


def _detect(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    if len(data) > _DETECTION_BYTES:
        third, middle = _DETECTION_BYTES // 3, len(data) // 2
        data = data[:third] + data[middle : middle + third] + data[-third:]
    controls = sum(data.count(code) for code in range(0x20) if code not in b"\t\n\r\x0b\x0c\x1b")
    if controls:
        return None  # damage, not an encoding: no text encoding in use writes control bytes
    if _is_latin(data):
        return _latin(data)
    best = from_bytes(data, cp_isolation=list(_CANDIDATES), enable_fallback=False).best()
    if best is None or best.encoding not in _LATIN:
        return best.encoding if best else None
    return _latin(data)


def _is_latin(data: bytes) -> bool:
    """Whether bytes beyond ASCII are few and stand alone or in twos, as accents and signs amid Latin letters do.

    Few are not enough for a statistical detector: it takes `20 °C` for Chinese. Other scripts write words of them.
    """
    runs = [len(run) for run in _HIGH.findall(data)]
    letters = len(data) - len(data.translate(None, string.ascii_letters.encode()))
    return sum(length for length in runs if length > 2) <= 0.2 * sum(runs) and sum(runs) <= 0.3 * letters


def _latin(data: bytes) -> str:
    """The Latin encoding under which the fewest words look torn and the text is most like a language.

    The fewer accented letters there are, the more has another to be ahead of the first.
    """
    from corpus.parsers.language import likeness

    ahead = 1 / (1 + len(_ACCENTED.findall(data)))

    def merit(encoding: str) -> tuple[int, float]:
        text = data.decode(encoding, "replace")
        return -len(_TORN.findall(text)), round(likeness(text), 2) + (ahead if encoding == _LATIN[0] else 0.0)

    return max(_LATIN, key=merit)
