"""What is refused before an archive is opened."""

from __future__ import annotations

import io
import zipfile

import pytest

from corpus.errors import LimitExceeded, ParseError
from corpus.parsers.archive import guard


def archive(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, body in parts.items():
            target.writestr(name, body)
    return out.getvalue()


def encrypted(data: bytes) -> bytes:
    """The archive with the mark of encryption at its first entry in the directory."""
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 8] + b"\x01" + data[at + 9 :]


def test_an_ordinary_archive_passes() -> None:
    guard(archive({"word/document.xml": b"<w:document/>", "word/media/a.png": bytes(range(256)) * 100}))


def test_a_bomb_is_refused_from_the_directory_of_the_archive() -> None:
    with pytest.raises(LimitExceeded, match="67,108,864 bytes packed"):
        guard(archive({"word/document.xml": b"A" * (64 << 20)}))


def test_too_many_parts_are_refused() -> None:
    with pytest.raises(LimitExceeded, match="20,001 parts"):
        guard(archive({f"word/{number}": b"" for number in range(20_001)}))


def test_a_document_type_definition_is_refused() -> None:
    swelling = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>'
    with pytest.raises(ParseError, match="document type definition"):
        guard(archive({"word/document.xml": swelling}))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_document_type_definition_does_not_hide_in_another_encoding(encoding: str) -> None:
    swelling = '\ufeff<?xml version="1.0" encoding="utf-16"?><!DOCTYPE d [<!ENTITY x "y">]><d>&x;</d>'
    with pytest.raises(ParseError, match="document type definition"):
        guard(archive({"xl/workbook.xml": swelling.encode(encoding)}))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (archive({"word/document.xml": b"<d/>"})[:40], "damaged"),
        (b"PK\x03\x04" + bytes(300), "damaged"),
        (encrypted(archive({"word/document.xml": b"<d/>"})), "encrypted"),
    ],
    ids=["truncated", "no archive", "encrypted part"],
)
def test_what_cannot_be_read_is_an_error_with_advice(data: bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said) as refused:
        guard(data)
    assert refused.value.hint
