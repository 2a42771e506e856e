"""Facts that a person read off the pages of real PDF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from document_checks import Checker

from corpus.errors import DocumentError, ParseError
from corpus.parsers import parse
from corpus.parsers.sandbox import Sandbox

MINIMUM = 56  #: of 65 checks; what is not reached: side-by-side cards, right-to-left tables, a broken cost table


def test_the_checks_that_passed_still_pass(data_folder: Path) -> None:
    folder = data_folder / "pdfs"
    failed, total = [], 0
    for name, entry in json.loads((folder / "checks.json").read_text()).items():
        checker = Checker(parse((folder / name).read_bytes(), uri=name))
        total += len(entry["checks"])
        failed += [(name, check) for check in entry["checks"] if not checker.holds(check)]
    assert total - len(failed) >= MINIMUM, failed


def test_a_password_is_named(data_folder: Path) -> None:
    with pytest.raises(ParseError, match="encrypted with a password"):
        parse((data_folder / "pdfs/password.pdf").read_bytes(), uri="password.pdf")


@pytest.mark.parametrize("name", ["ocr_test.pdf", "ocr_test_rot90.pdf", "malformed932.pdf"])
def test_pictures_of_text_ask_for_ocr(data_folder: Path, name: str) -> None:
    with pytest.raises(ParseError, match="OCR"):
        parse((data_folder / "pdfs" / name).read_bytes(), uri=name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("amt.pdf", ["Boots Self-Locking Nut", "Stainless Steel Self-Locking Nut"]),
        ("copy-protected.pdf", ["A Unified Toolkit for Deep", "document image analysis"]),
        ("word365.pdf", ["Alouette", "Bibitte"]),
        ("foo.pdf", ["2.1.1 Drive Profile Subsample from Real-World Travel Survey"]),
    ],
)
def test_difficult_pages_have_their_text(data_folder: Path, name: str, words: list[str]) -> None:
    text = parse((data_folder / "pdfs" / name).read_bytes(), uri=name).text
    assert [word for word in words if word not in text] == []


READABLE = {"deeparr.pdf": "Hello page text here", "hugebox.pdf": "Hello page text here", "notpdf.pdf": "hello"}


def test_hostile_files_end_in_their_text_or_in_a_clear_error(data_folder: Path) -> None:
    paths = sorted((data_folder / "bad").glob("*.pdf"))
    assert len(paths) > len(READABLE)
    with Sandbox(seconds=10, memory_mb=1024, pages=5000) as sandbox:
        for path in paths:
            if path.name in READABLE:
                assert sandbox.parse(path.read_bytes(), path.name).text.strip() == READABLE[path.name]
                continue
            with pytest.raises(DocumentError) as refused:
                sandbox.parse(path.read_bytes(), path.name)
            assert refused.value.uri == path.name
            assert refused.value.hint


def test_every_state_has_a_row_of_its_own_in_a_dense_table(data_folder: Path) -> None:
    document = parse((data_folder / "pdfs/nics.pdf").read_bytes(), uri="nics.pdf")
    rows = [row for block in document.blocks for row in block.rows or ()]
    assert {row[0]: row[1] for row in rows if row[0] in ("Alabama", "Alaska", "Georgia")} == {
        "Alabama": "18,870",
        "Alaska": "209",
        "Georgia": "14,111",
    }
