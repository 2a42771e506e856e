"""unstructured's own PDF path: what becomes of its elements, and what it says where it is not installed."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from docx import Document as Word
from pdf_making import Page, pdf
from scan_making import scanned

from chunkers.document import Document, Kind
from corpus.errors import ConfigError, ParseError
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.office.parser import OfficeParser
from corpus.parsers.pdf import unstructured as pdf_unstructured
from corpus.parsers.pdf.parser import PdfParser
from corpus.parsers.sandbox.pool import Sandbox

BODY = [
    "The catalogue lists every letter that the harbour master received in",
    "the years between the two great storms, and most of the answers that",
    "were sent. It was copied by hand in 1931 and checked twice since then.",
]
FAST, HI_RES = Settings(pdf="unstructured-fast"), Settings(pdf="unstructured-hi-res")


def why_not() -> str:
    try:
        pdf_unstructured.check()
    except ConfigError as error:
        return error.message
    return ""


installed = pytest.mark.skipif(bool(why_not()), reason=why_not())
absent = pytest.mark.skipif(not why_not(), reason="unstructured's PDF path is installed")


def parsed(data: bytes, settings: Settings = FAST) -> Parsed:
    return PdfParser().parse(data, "application/pdf", settings)


def article() -> Page:
    page = Page().text(72, 90, "Letters of the harbour", size=20, font="B").lines(72, 130, BODY)
    for number, words in enumerate(["Ropes of the northern pier", "Lamps and oil for the old light"], 1):
        page.text(80, 190 + 30 * number, f"{number}. {words}")
    return page


def texts(document: Document, kind: Kind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]


@absent
@pytest.mark.parametrize("settings", [FAST, HI_RES])
def test_where_it_is_not_installed_the_setting_is_wrong_and_not_the_document(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="unstructured's PDF path is not installed") as error:
        parsed(pdf([article()]), settings)
    assert "pip install " in error.value.hint
    assert "--no-deps unstructured-inference" in error.value.hint


@absent
def test_the_sandbox_hands_it_on_as_an_error_of_the_configuration() -> None:
    with Sandbox(seconds=60, memory_mb=2000, settings=FAST) as sandbox:
        with pytest.raises(ConfigError, match="unstructured's PDF path is not installed"):
            sandbox.parse(pdf([article()]), "letters.pdf")
        assert sandbox.parse(b"# Letters\n\nText.\n", "letters.md").text


def test_a_password_and_damage_are_told_before_unstructured_sees_the_file(data_folder: Path) -> None:
    with pytest.raises(ParseError, match="encrypted with a password"):
        parsed((data_folder / "pdfs" / "password.pdf").read_bytes())
    with pytest.raises(ParseError, match="damaged or no PDF"):
        parsed(b"%PDF-1.7\nnothing follows")


@installed
def test_titles_lists_and_paragraphs_keep_their_kind_page_and_place() -> None:
    document = parsed(pdf([article(), article()], info={"Title": "Letters", "Author": "A. Clerk"})).document
    assert texts(document, Kind.HEADING) == ["# Letters of the harbour"] * 2
    assert texts(document, Kind.PARAGRAPH) == [" ".join(BODY)] * 2
    assert texts(document, Kind.LIST_ITEM)[:2] == [
        "1. Ropes of the northern pier",
        "2. Lamps and oil for the old light",
    ]
    assert {block.page for block in document.blocks} == {1, 2}
    assert (document.title, document.author) == ("Letters", "A. Clerk")
    heading = document.blocks[0]
    assert heading.box == pytest.approx((72, 72, 286, 94), abs=8)
    assert heading.level == 1


@installed
def test_the_outline_gives_headings_their_level() -> None:
    document = parsed(pdf([article()], outline=[("Part one", 0, 0), ("Letters of the harbour", 1, 0)])).document
    assert document.blocks[0].level == 2


@installed
def test_a_document_is_the_same_whatever_was_parsed_before() -> None:
    alone = parsed(pdf([article()]))
    word, file = Word(), BytesIO()
    word.add_paragraph(" ".join(BODY))
    word.save(file)
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    OfficeParser().parse(file.getvalue(), media_type, Settings())
    assert parsed(pdf([article()])) == alone


@installed
def test_a_scan_is_an_error_and_a_scanned_page_is_missing() -> None:
    with pytest.raises(ParseError, match=r"finds no text .* page 1 of 1: no text layer"):
        parsed(scanned(pdf([article()])))
    document = parsed(scanned(pdf([article(), article()]), pages={2})).document
    assert document.missing == ("page 2 of 2: no text layer, and unstructured-fast reads nothing there",)


@installed
def test_a_page_that_it_gives_up_on_is_an_error_and_no_empty_document(data_folder: Path) -> None:
    with pytest.raises(ParseError, match=r"page 1 of 1: unstructured-fast gives nothing of the text there"):
        parsed((data_folder / "pdfs" / "amt.pdf").read_bytes())


@installed
def test_a_layout_model_that_is_not_here_is_never_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match="layout model is not on this machine"):
        parsed(pdf([article()]), HI_RES)


def test_elements_become_blocks_with_rows_levels_and_places() -> None:
    elements = pytest.importorskip("unstructured.documents.elements")
    coordinates = pytest.importorskip("unstructured.documents.coordinates")
    metadata = elements.ElementMetadata(
        page_number=1,
        text_as_html="<table><tr><td colspan='2'>Ships</td></tr><tr><td>Old</td><td>12</td></tr></table>",
        coordinates=elements.CoordinatesMetadata(
            points=((100, 200), (100, 400), (500, 400), (500, 200)), system=coordinates.PixelSpace(1224, 1584)
        ),
    )
    from corpus.parsers.pdf.source import read

    source = read(pdf([article()]), 10)
    made = [
        pdf_unstructured.draft_of(element, source)
        for element in (
            elements.Table("Ships Old 12", metadata=metadata),
            elements.Table("no structure", metadata=elements.ElementMetadata(page_number=1)),
            elements.Title("A part", metadata=elements.ElementMetadata(page_number=1, category_depth=2)),
            elements.FigureCaption("Figure 1. A pier"),
            elements.Formula("a = b"),
            elements.CodeSnippet("if a:\n    b()"),
            elements.ListItem("(b) and so on"),
        )
    ]
    assert [draft.kind for draft in made] == [
        Kind.TABLE, Kind.PARAGRAPH, Kind.HEADING, Kind.CAPTION, Kind.FORMULA, Kind.CODE, Kind.LIST_ITEM,
    ]  # fmt: skip
    assert made[0].rows == (("Ships", ""), ("Old", "12"))
    assert made[0].box == pytest.approx((50, 100, 250, 200))
    assert made[2].level == 3
    assert made[5].text == "if a:\n    b()"
    assert (made[6].marker, made[6].text) == ("(b)", "and so on")
