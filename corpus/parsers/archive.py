"""Formats that are zip archives of XML: measured before anything in them is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO

from corpus.errors import LimitExceeded, ParseError

MAX_ENTRIES = 20_000
MAX_DIRECTORY = 4 << 20  #: bytes of the list of parts; an object is made of each of its entries
MAX_UNPACKED = 1 << 30  #: bytes of all parts together
MAX_PART = 256 << 20  #: bytes of one part that is XML; it is held in memory as a tree
MAX_RATIO = 200  #: unpacked to packed, of parts above `RATIO_FROM`
RATIO_FROM = 16 << 20


def guard(data: bytes) -> None:
    """Refuse what is no archive, and what would unpack to too much, from the archive's directory alone."""
    check_directory(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_sizes(entries)
            _refuse_doctypes(archive, entries)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError) as error:
        raise damaged(str(error)) from error


def check_directory(data: bytes) -> None:
    """Refuse an archive whose list of parts would fill the memory of whoever opens it."""
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - 22 - 65535))
    size = int.from_bytes(data[end + 12 : end + 16], "little") if end >= 0 else 0
    if end >= 76 and data[end - 20 : end - 16] == b"PK\x06\x07":  # the record of a large archive stands before it
        size = int.from_bytes(data[end - 76 + 40 : end - 76 + 48], "little")
    if MAX_DIRECTORY < size <= len(data):
        raise _too_large(f"has a list of parts of {size:,} bytes, the limit is {MAX_DIRECTORY:,}")


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


def damaged(why: str) -> ParseError:
    """The error for an archive that cannot be read, and why."""
    return ParseError(f"the file is damaged: {why}", hint="open it and save it again, or exclude it")
