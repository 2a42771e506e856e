"""Facts that a person read off the pages of real PDF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.peers.kerf import blocks_of
from bench.scoring.checks import Checker
from corpus.errors import DocumentError, ParseError
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.pdf.parser import PdfParser
from corpus.parsers.sandbox.pool import Sandbox

MINIMUM = 65  #: of 65 checks; 60 are asked for


def test_the_checks_that_passed_still_pass(data_folder: Path) -> None:
    folder = data_folder / "pdfs"
    failed, total = [], 0
    for name, entry in json.loads((folder / "checks.json").read_text()).items():
        checker = Checker(blocks_of(parse((folder / name).read_bytes(), uri=name)))
        total += len(entry["checks"])
        failed += [(name, check) for check in entry["checks"] if not checker.holds(check)]
    assert total - len(failed) >= MINIMUM, failed


def test_a_password_is_named(data_folder: Path) -> None:
    with pytest.raises(ParseError, match="encrypted with a password"):
        parse((data_folder / "pdfs/password.pdf").read_bytes(), uri="password.pdf")


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
    with Sandbox(seconds=10, memory_mb=1024) as sandbox:
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


def test_text_from_right_to_left_stands_in_the_order_in_which_it_is_typed(data_folder: Path) -> None:
    arabic = parse((data_folder / "pdfs/arabic.pdf").read_bytes(), uri="arabic.pdf")
    rows = [row for block in arabic.blocks for row in block.rows or ()]
    assert "اسمي Jeremy في الانجليزية" in [cell for row in rows for cell in row]
    assert ("عندي 47 قطط", "1234") in rows  # the first column is the one on the right
    persian = parse((data_folder / "pdfs/rtl3.pdf").read_bytes(), uri="rtl3.pdf")
    assert "کالای داخلی" in persian.text  # lam and alef are one glyph, which readers turn round
    assert "کاالی" not in persian.text


def test_formulas_are_letters_as_they_stand_and_no_commands(data_folder: Path) -> None:
    text = parse((data_folder / "pdfs/geotopo.pdf").read_bytes(), uri="geotopo.pdf").text
    assert "Teilmengen U1, U2" in " ".join(text.split())
    assert "\\mathbb" not in text


def test_designed_pages_are_read_column_by_column(data_folder: Path) -> None:
    document = parse((data_folder / "pdfs/reliance.pdf").read_bytes(), uri="reliance.pdf")
    assert "which has no final chapter and one which is continually updated" in document.text
    assert "The Reliance Integrated Annual Report has been prepared in alignment" in document.text


def test_text_beside_the_page_that_it_does_not_show_is_said_to_be_left_out(data_folder: Path) -> None:
    parsed = PdfParser().parse((data_folder / "pdfs/reliance.pdf").read_bytes(), "application/pdf", Settings())
    assert parsed.document.text.count("no final chapter") == 1  # the next page of the spread holds it too, out of sight
    assert any("chapter" in text for text in parsed.left_out)
