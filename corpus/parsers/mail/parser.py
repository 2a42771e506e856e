"""Mail: a message is a section under its subject, with its sender, its text and what is attached as text.

Through the `email` package of Python, not through unstructured: its partitioner drops the addresses of a message, takes
attached messages for files, and asks a language model what each line is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr
from itertools import pairwise
from typing import Any, ClassVar

from chunkers.document import Block, Document, Kind, with_section_paths
from corpus.errors import KerfError, LimitExceeded
from corpus.parsers import decode, detect, progress
from corpus.parsers.base import Parsed, Settings, parser_for
from corpus.parsers.draft import Draft
from corpus.parsers.mail.reading import Reading
from corpus.parsers.mail.text import plain_drafts, words

_ADDRESSES = ("From", "To", "Cc")
_ENVELOPE = re.compile(rb"(?:\A|\n\r?\n)(?=From \S+ +\w{3} \w{3} +\d{1,2} \d\d:\d\d[^\n]{0,40}\r?\n[!-9;-~]+:)")
_SEALED = {"application/pkcs7-mime": "S/MIME", "application/x-pkcs7-mime": "S/MIME", "multipart/encrypted": "PGP"}
_SIGNATURES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
     "application/pgp-encrypted"}
)  # fmt: skip
_NEVER_READ = frozenset({"image", "audio", "video", "font"})
_READ = ("text/", "application/json", "application/yaml", "application/toml", "application/xhtml+xml")
_ADDRESS = re.compile(
    r"\[(?:cid|image|https?):[^\]\n]{0,2000}\]|<(?:https?:|mailto:)[^<>\s]{0,4000}>|https?://[^\s<>]+"
)
#: what the standard library raises over some broken headers
_BROKEN_HEADER = (ValueError, IndexError, TypeError, AttributeError, OverflowError)
_RAW = re.compile("[\udc80-\udcff]")  #: bytes that no encoded word announces
_DEEPEST = 10  #: messages inside messages
_LOST = 0.02  #: share of the words of a message's plain form that its HTML form may not have
_STUB = 3  #: times the words of its plain form that an HTML form has at least, if the plain one is only a note
#: never the better form of a text
_SECOND_FORMS = frozenset({"text/calendar", "text/x-amp-html", "text/enriched", "text/rtf"})


class MailParser:
    """Reads messages (EML, MHTML) and mailboxes of them (mbox).

    Of a text in several forms one is taken: HTML, unless it says less than the plain one. Attached texts and messages
    are read as sections; what else is attached is named in a warning. Nothing is fetched.
    """

    name: ClassVar[str] = "mail"
    version: ClassVar[int] = 1
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:
        """Parse; an encrypted message is `missing`."""
        reading = Reading(settings)
        messages = list(_messages(data))
        for number, one in enumerate(messages, 1):
            if len(messages) > 1:
                progress.reached(f"message {number} of {len(messages)}")
            _read(reading, message_from_bytes(one, policy=default), 0)
        first: Any = message_from_bytes(messages[0], policy=default)
        text = "".join(reading.parts)
        alone = len(messages) == 1  # a mailbox has no author
        keywords = _header(first, "Keywords").split(",") if alone else []
        return Parsed(
            Document(
                text=text,
                blocks=with_section_paths(text, reading.blocks),
                media_type=media_type,
                text_is_source=False,
                title=(_header(first, "Subject") or None) if alone else None,
                author=(_sender(first) or None) if alone else None,
                date=_date(first) if alone else None,
                tags=tuple(word for word in map(str.strip, keywords) if word),
                encoding=next(iter(reading.encodings), None),
                replaced=reading.replaced,
                warnings=tuple(reading.warnings),
                missing=tuple(reading.missing),
            ),
            tuple(reading.left_out),
        )


def _messages(data: bytes) -> Iterator[bytes]:
    """The messages of a mailbox; a file that is none is one message."""
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    starts = [found.end() for found in _ENVELOPE.finditer(data)] if data.startswith(b"From ") else []
    if not starts:
        yield data
        return
    for start, end in pairwise([*starts, len(data)]):
        body = data.find(b"\n", start) + 1
        yield re.sub(rb"^>(>*From )", rb"\1", data[body:end], flags=re.MULTILINE)


def _read(reading: Reading, message: Any, level: int) -> None:
    if level > _DEEPEST:
        raise LimitExceeded(
            f"messages lie inside each other more than {_DEEPEST} deep", hint="exclude it if it is not meant to be read"
        )
    subject = _header(message, "Subject")
    head = [Draft(Kind.HEADING, subject or "(no subject)", level=1)] if subject or level else []
    lines = [f"{name}: {value}" for name in _ADDRESSES if (value := _header(message, name))]
    if date := _header(message, "Date"):
        lines.append(f"Date: {date}")
    if lines:
        head.append(Draft(Kind.PARAGRAPH, "\n".join(lines)))
    reading.say(head, level)
    _read_part(reading, message, level + 1, is_body=True)


def _read_part(reading: Reading, part: Any, level: int, *, is_body: bool) -> None:
    """Read one part and what is in it: the text of the message where `is_body`, else what is attached."""
    kind = part.get_content_type()
    if kind in _SEALED and not part.get_param("smime-type", "").lower().startswith("signed"):
        reading.missing.append(f"the text of a message that is encrypted ({_SEALED[kind]})")
    elif kind == "message/rfc822" or (kind == "message/external-body" and part.is_multipart()):
        for inner in part.get_payload():
            _read(reading, inner, level)
    elif kind == "multipart/alternative":
        _read_alternative(reading, list(part.iter_parts()), level)
    elif part.is_multipart():
        for number, inner in enumerate(part.iter_parts() if kind != "message/delivery-status" else ()):
            first = number == 0 or inner.get_content_disposition() != "attachment"
            _read_part(reading, inner, level, is_body=is_body and first)
        if kind == "message/delivery-status":
            text = "\n\n".join(str(inner).strip() for inner in part.get_payload())
            reading.say(plain_drafts(text), level)
    elif part.get_content_disposition() == "attachment" or (part.get_filename() and not _is_text(part)):
        _read_attachment(reading, part, level)
    elif kind == "text/html":
        reading.add(*_page(reading, part), level)
    elif _is_text(part):
        reading.say(_plain(reading, part), level)
    elif kind not in _SIGNATURES:
        _name(reading, part)


def _read_alternative(reading: Reading, parts: list[Any], level: int) -> None:
    """One form of a text: the last one that is read and has all words of the plain one, else the plain one.

    What the plain one says of links and pictures is not counted: the other has them in its markup. A plain form that
    only says that there is another one is left out.
    """
    plain = next((part for part in parts if part.get_content_type() == "text/plain"), None)
    text = "\n".join(draft.text for draft in _plain(Reading(reading.settings), plain)) if plain else ""
    said = words(_ADDRESS.sub(" ", text))
    for part in reversed(parts):
        if part is plain or part.get_content_type() in _SECOND_FORMS:
            continue
        tried = Reading(reading.settings)
        _read_part(tried, part, 0, is_body=True)
        found = words("".join(tried.parts))
        is_stub = said.total() * _STUB < found.total()
        if found and (is_stub or (said - found).total() <= _LOST * said.total()):
            reading.take(tried, level)
            reading.left_out += [text] if is_stub else _ADDRESS.findall(text)
            return
    for part in [plain] if plain else parts[:1]:
        _read_part(reading, part, level, is_body=True)


def _read_attachment(reading: Reading, part: Any, level: int) -> None:
    """An attached text as a section under its file's name; anything else is named."""
    data = part.get_payload(decode=True) or b""
    name = _file_name(part)
    if not data.strip():
        return
    if part.get_content_maintype() in _NEVER_READ:
        _name(reading, part)
        return
    try:
        media_type = "text/html" if part.get_content_type() == "text/html" else detect.detect(data, name)
        parsed = parser_for(media_type).parse(data, media_type, reading.settings) if _is_read(media_type) else None
    except KerfError:
        parsed = None
    if parsed is None:
        _name(reading, part)
        return
    document = parsed.document
    reading.say([Draft(Kind.HEADING, name, level=1)], level)
    reading.add(document.text, document.blocks, level + 1)
    reading.left_out += parsed.left_out
    reading.missing += document.missing


def _is_read(media_type: str) -> bool:
    return media_type.startswith(_READ)


def _page(reading: Reading, part: Any) -> tuple[str, tuple[Block, ...]]:
    """The text of an HTML part; what its `Content-Type` says of the encoding is what counts."""
    decoded = _decoded(reading, part)
    try:
        parsed = parser_for("text/html").parse(decoded.encode("utf-8-sig"), "text/html", reading.settings)
    except KerfError:
        return "", ()
    reading.left_out += parsed.left_out
    reading.missing += parsed.document.missing
    return parsed.document.text, parsed.document.blocks


def _plain(reading: Reading, part: Any) -> list[Draft]:
    flowed = part.get_param("format", "").lower() == "flowed"
    return plain_drafts(_decoded(reading, part), flowed=flowed, joined=part.get_param("delsp", "").lower() == "yes")


def _decoded(reading: Reading, part: Any) -> str:
    data = part.get_payload(decode=True) or b""
    declared = part.get_content_charset()
    try:
        found = decode.decode(data, declared if declared not in (None, "us-ascii", "utf-8") else None)
    except KerfError:
        reading.missing.append(f"a part ({part.get_content_type()}) whose bytes are no text")
        return ""
    reading.encodings.append(found.encoding)
    reading.replaced += found.replaced
    return found.text


def _is_text(part: Any) -> bool:
    return bool(part.get_content_maintype() == "text")


def _name(reading: Reading, part: Any) -> None:
    """Say that something is attached that is not read; pictures that a text shows are part of its look."""
    shown_inside = part.get_content_maintype() == "image" and (
        part["Content-ID"] or part.get_content_disposition() == "inline"
    )
    if not shown_inside:
        reading.warnings.append(f"the attachment {_file_name(part)!r} ({part.get_content_type()}) is not read")


def _file_name(part: Any) -> str:
    return _tidy(part.get_filename() or "") or f"unnamed.{part.get_content_subtype()}"


def _header(message: Any, name: str) -> str:
    """A header's text, encoded words decoded; empty if it is not there or cannot be read."""
    raw = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    if _RAW.search(raw):
        return _tidy(raw)
    try:
        return _tidy(str(message[name] or ""))
    except _BROKEN_HEADER:
        return _tidy(raw)


def _tidy(text: str) -> str:
    with suppress(KerfError, UnicodeEncodeError):
        text = decode.decode(text.encode("utf-8", "surrogateescape")).text
    return " ".join(decode.clean(text)[0].split())


def _sender(message: Any) -> str:
    name, address = parseaddr(_header(message, "From"))
    return name or address


def _date(message: EmailMessage) -> str | None:
    try:
        moment = getattr(message["Date"], "datetime", None)
    except _BROKEN_HEADER:
        return None
    return moment.isoformat() if isinstance(moment, datetime) else None
