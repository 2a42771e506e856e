"""What a file is: its content first, then its name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus.errors import ParseError, UnsupportedFormat
from corpus.parsers import detect_binary
from corpus.parsers.decode import marked, unmarked_utf16
from corpus.parsers.delimited.dialect import looks_delimited, sniff
from corpus.parsers.detect_names import DOCX, PPTX, PROMISES, XLSX, by_interpreter, by_name, extension_of
from corpus.parsers.log_lines import looks_like_log

__all__ = ["DOCX", "PPTX", "VERSION", "XLSX", "detect", "is_text"]

VERSION = 3  #: raised whenever the same bytes and name give another media type

#: control bytes that text does not have; tab, newlines, form feed, backspace and the escape of terminals it has
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\x0b\x0c\r\x08\x1b") + b"\x7f"
_LOOK = 65536  #: bytes at the head, the middle and the end that decide whether it is text
_JSON = 8 << 20  #: bytes; a longer file is not read whole to know whether it is JSON

_PROLOGUE = re.compile(r"(?:\s+|<\?xml\b[^<>]{0,500}\?>|<!--(?:(?!-->).){0,20000}-->)+", re.DOTALL)
_ROOT = re.compile(r"<!doctype\s+html\b|<(?:html|head|body)(?=[\s>/])", re.IGNORECASE)
_FRAGMENT = re.compile(r"<(?:title|meta|link|h[1-6]|p|div|table|ul|ol|article|main|section)(?=[\s>/])", re.IGNORECASE)
_DRAWING = re.compile(r"(?:<!DOCTYPE svg\b[^\[>]{0,500}(?:\[[^\]]{0,5000}\])?\s*>\s*)?<(?:svg:)?svg(?=[\s>])")
_PHP = re.compile(r"<\?(?:php\b|=|\s)")

_HEADER = re.compile(r"([!-9;-~]{1,60}):[ \t]*([^\n]*)")
#: a memo has a sender and a date as well, these only the post writes
_OF_THE_POST = frozenset({"received", "message-id", "mime-version", "return-path", "delivered-to"})
_OF_MAIL = _OF_THE_POST | {"from", "to", "cc", "subject", "date", "reply-to", "content-type"}
_ENVELOPE = re.compile(r"From \S+ +\w{3} \w{3} +\d{1,2} \d\d:\d\d(?::\d\d)? .{0,10}\d{4}\n")

_DIRECTIVE = re.compile(
    r"^\.\. (?:[\w-]+:)?[\w-]+::(?:\s|$)|:(?:ref|doc|class|func|meth|mod|setting):`[^`\n]+`", re.MULTILINE
)
_UNDERLINE = re.compile(r"^[^\s.].{2,80}\n([=\-~^*\"'#+])\1{3,80}$", re.MULTILINE)

_PLAIN = frozenset({None, "text/plain"})
_TABULAR = frozenset({"text/csv", "text/tab-separated-values"})
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class _Look:
    """What the rules see of a file that is text."""

    data: bytes
    head: str  #: its first characters
    extension: str
    named: str | None  #: the media type that its name stands for


def detect(data: bytes, uri: str) -> str:
    """The media type of `data`, which lies at `uri`.

    Raises `UnsupportedFormat` for bytes that no parser reads, and `ParseError` for a file that is damaged, encrypted
    or not what its name says.
    """
    extension = extension_of(uri)
    text = is_text(data)
    marker = data.find(b"%PDF-", 0, 1024)
    if marker == 0 or (marker > 0 and (not text or extension == ".pdf" or not data[:marker].strip())):
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return detect_binary.of_archive(data, extension)
    if data.startswith(detect_binary.OLE):
        raise detect_binary.of_compound(data)
    if not text:
        raise detect_binary.of_binary(data, extension)
    look = _Look(data, _head(data), extension, by_name(uri))
    found = next((found for rule in _RULES if (found := rule(look))), None)
    if found:
        return found
    if extension in PROMISES:
        raise ParseError(
            f"the name says {PROMISES[extension]}, but the bytes are not one",
            hint="replace the file by the real one, or give it the extension of what it is",
        )
    return look.named or "text/plain"


def is_text(data: bytes) -> bool:
    """Whether bytes are text in some encoding. A few NULs or broken sequences do not make a text binary."""
    if marked(data) in ("utf-16", "utf-32") or unmarked_utf16(data):
        sample = _head(data)
        odd = sum(1 for character in sample if not (character.isprintable() or character.isspace()))
        return odd <= 0.1 * len(sample)
    middle = max(len(data) // 2, _LOOK)
    sample_bytes = data[:_LOOK] + data[middle : middle + _LOOK] + data[max(middle + _LOOK, len(data) - _LOOK) :]
    controls = len(sample_bytes) - len(sample_bytes.translate(None, _CONTROLS))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        # One byte in nine of random or compressed data is a control byte; no legacy encoding has any.
        return controls <= 0.06 * len(sample_bytes)
    return controls <= 0.3 * len(sample_bytes)


def _head(data: bytes) -> str:
    encoding = marked(data) or unmarked_utf16(data) or "utf-8"
    return data[:_LOOK].decode(encoding, "replace").removeprefix("\ufeff").replace("\x00", "").replace("\r\n", "\n")


def _unread(look: _Look) -> str | None:
    """Formats that are text and that no parser reads: raises `UnsupportedFormat`."""
    unread = ""
    if look.head.startswith("{\\rtf"):
        unread, hint = "RTF", "save it as DOCX, or exclude it"
    elif look.head.startswith("%!PS"):
        unread, hint = "a PostScript file", "convert it to PDF, or exclude it"
    elif look.named not in _PAGES and _DRAWING.match(look.head, _after_prologue(look.head)):
        unread, hint = "an SVG drawing", "exclude it"
    if unread:
        raise UnsupportedFormat(f"no parser reads this: it is {unread}", hint=hint)
    return None


def _page(look: _Look) -> str | None:
    """A page, by its root or, under a name that says nothing, by an element of one.

    A Markdown file may begin with any HTML but a document's root; PHP may begin with that too.
    """
    if look.named == "text/x-php" or _PHP.match(look.head):
        return None
    start = _after_prologue(look.head)
    is_page = _ROOT.match(look.head, start) or (
        look.named is None and look.extension not in PROMISES and _FRAGMENT.match(look.head, start)
    )
    if not is_page:
        return None
    return "application/xhtml+xml" if look.named == "application/xhtml+xml" else "text/html"


def _xml(look: _Look) -> str | None:
    """XML under the name of a programming language: there is no parser for XML in general, so it is plain text."""
    return "text/plain" if look.named not in _PAGES and look.head.lstrip().startswith("<?xml") else None


def _notebook(look: _Look) -> str | None:
    may_be = look.named in (None, "text/plain", "application/json")
    if may_be and b'"nbformat"' in look.data and b'"cells"' in look.data:
        found = _json_of(look.data)
        if isinstance(found, dict) and "nbformat" in found and isinstance(found.get("cells"), list):
            return "application/x-ipynb+json"
    return None


def _mail(look: _Look) -> str | None:
    if look.named not in (None, "text/plain", "message/rfc822"):
        return None
    head = look.head.lstrip("\n")
    if envelope := _ENVELOPE.match(head):
        head = head[envelope.end() :]
    names = set()
    for line in head.split("\n")[:200]:
        if not line.strip():
            break
        if found := _HEADER.fullmatch(line):
            names.add(found[1].lower())
        elif not line[0].isspace():
            return None
    return "message/rfc822" if len(names & _OF_MAIL) >= 3 and names & _OF_THE_POST else None


def _json_lines(look: _Look) -> str | None:
    """Records of JSON, one a line: a log, whatever is in them."""
    if look.named not in (None, "text/plain", "text/x-log", "application/json") or not look.head.startswith("{"):
        return None
    lines = [line for line in look.head.split("\n")[:20] if line.strip()]
    if len(look.data) > _LOOK and len(lines) > 1:
        lines.pop()
    return "text/x-log" if len(lines) > 1 and all(isinstance(_json_of(line), dict) for line in lines) else None


def _json(look: _Look) -> str | None:
    if look.named in (None, "text/plain", *_TABULAR) and look.head.lstrip()[:1] in ("{", "["):
        found = _json_of(look.data)
        return "application/json" if found and isinstance(found, dict | list) else None
    return None


def _json_of(text: bytes | str) -> Any:
    """What JSON says; None if it is none."""
    if len(text) > _JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _script(look: _Look) -> str | None:
    return by_interpreter(look.head) if look.named is None else None


def _log(look: _Look) -> str | None:
    return "text/x-log" if look.named in _PLAIN and looks_like_log(look.head) else None


def _restructured(look: _Look) -> str | None:
    if look.named not in _PLAIN or len(_DIRECTIVE.findall(look.head)) < 2:
        return None
    return "text/x-rst" if _UNDERLINE.search(look.head) else None


def _table(look: _Look) -> str | None:
    if look.named not in _PLAIN or look.extension in PROMISES or not looks_delimited(look.head):
        return None
    found = sniff(look.head)
    return "text/tab-separated-values" if found and found.delimiter == "\t" else "text/csv"


def _after_prologue(head: str) -> int:
    prologue = _PROLOGUE.match(head)
    return prologue.end() if prologue else 0


#: the first that knows what it sees decides; the name does where none does
_RULES: tuple[Callable[[_Look], str | None], ...] = (
    _unread, _page, _xml, _notebook, _mail, _json_lines, _json, _script, _log, _restructured, _table,
)  # fmt: skip
