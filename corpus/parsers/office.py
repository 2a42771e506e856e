"""Word and PowerPoint: the archive is looked at before it is opened, then unstructured and the styles do the rest."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, ClassVar

from lxml import etree

from chunkers.document import Document
from corpus.errors import KerfError, LimitExceeded, ParseError
from corpus.parsers.decode import clean
from corpus.parsers.draft import write

MAX_ENTRIES = 20_000
MAX_UNPACKED = 1 << 30  #: bytes of all parts together
MAX_PART = 256 << 20  #: bytes of one part that is XML; it is held in memory as a tree
MAX_RATIO = 200  #: unpacked to packed, of parts above `RATIO_FROM`
RATIO_FROM = 16 << 20

_POWERPOINT = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LIBRARIES = frozenset({"python-docx", "python-pptx"})
_NOT_PEOPLE = _LIBRARIES | frozenset({"Microsoft Office User", "user", "User", "admin"})
#: when the templates of these libraries were made: the date of every file whose author never set one
_TEMPLATES = frozenset(
    map(datetime.fromisoformat, ("2013-12-23T23:15:00", "2013-01-27T09:14:16", "2013-01-27T09:15:58"))
)
_NOT_TITLES = frozenset({"PowerPoint Presentation", "PowerPoint-Präsentation", "Word Document", "Untitled"})


class OfficeParser:
    """Headings with levels, lists with depth, tables with rows, code, notes; slides are pages."""

    name: ClassVar[str] = "office"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:  # noqa: ARG002
        """Parse a DOCX or a PPTX file; slides are not limited, what is unpacked is.

        Raises `ParseError` if it is damaged or encrypted, `LimitExceeded` if it unpacks to more than it should.
        """
        _guard(data)
        try:
            return _document(data, media_type)
        except (KerfError, MemoryError, RecursionError):
            raise
        except (etree.XMLSyntaxError, zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
            raise _damaged(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error
        except Exception as error:
            if type(error).__name__ in ("PackageNotFoundError", "InvalidXmlError", "PythonDocxError"):
                raise _damaged(str(error)) from error
            raise


def _document(data: bytes, media_type: str) -> Document:
    if media_type == _POWERPOINT:
        from corpus.parsers import office_pptx

        drafts, properties = office_pptx.read(data)
        text, blocks = write(drafts)
        blocks = office_pptx.outside_foreign_sections(blocks)
    else:
        from corpus.parsers import office_docx

        drafts, properties = office_docx.read(data)
        text, blocks = write(drafts)
    return Document(
        text=text,
        blocks=blocks,
        media_type=media_type,
        text_is_source=False,
        title=_said(properties.title, _NOT_TITLES),
        author=_said(properties.author, _NOT_PEOPLE),
        date=_day(properties),
    )


def _guard(data: bytes) -> None:
    """Refuse what is no archive, and what would unpack to too much, from the archive's directory alone."""
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise ParseError("the file is encrypted with a password", hint="remove the password, or exclude the file")
        raise ParseError("the file has the binary format of Office before 2007", hint="save it as DOCX or PPTX")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_sizes(entries)
            _refuse_doctypes(archive, entries)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
        raise _damaged(str(error)) from error


def _check_sizes(entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise _too_large(f"holds {len(entries):,} parts, the limit is {MAX_ENTRIES:,}")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_UNPACKED:
        raise _too_large(f"unpacks to {unpacked:,} bytes, the limit is {MAX_UNPACKED:,}")
    for entry in entries:
        ratio = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > RATIO_FROM and ratio > MAX_RATIO:
            raise _too_large(f"has a part of {entry.file_size:,} bytes packed {ratio:.0f}-fold: {entry.filename[:80]}")
        if entry.filename.endswith((".xml", ".rels")) and entry.file_size > MAX_PART:
            raise _too_large(
                f"has a part of {entry.file_size:,} bytes, the limit is {MAX_PART:,}: {entry.filename[:80]}"
            )
        if entry.flag_bits & 1:
            raise ParseError("the archive is encrypted", hint="remove the password, or exclude the file")


def _refuse_doctypes(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> None:
    """Office writes none; one that is there is there to make a reader open files or swell without end."""
    for entry in entries:
        if entry.filename.endswith((".xml", ".rels")):
            with archive.open(entry) as part:
                if b"<!DOCTYPE" in part.read(4096).replace(b"\x00", b""):
                    raise ParseError(
                        f"the file has a document type definition in {entry.filename[:80]}, as attacks have",
                        hint="open it and save it again, or exclude it",
                    )


def _too_large(what: str) -> LimitExceeded:
    return LimitExceeded(f"the file {what}", hint="exclude it if it is not meant to be read")


def _damaged(why: str) -> ParseError:
    return ParseError(f"the file is damaged: {why}", hint="open it and save it again, or exclude it")


def _said(text: str | None, never: frozenset[str]) -> str | None:
    said = " ".join(clean(text or "")[0].split())
    return said if said and said not in never else None


def _day(properties: Any) -> str | None:
    try:
        moment = properties.modified or properties.created
    except ValueError:
        return None
    if not isinstance(moment, datetime) or moment.replace(tzinfo=None) in _TEMPLATES:
        return None
    return moment.date().isoformat()
