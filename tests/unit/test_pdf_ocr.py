"""Scans: pages that are pictures, pages beside them that are not, and machines that cannot read them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_making import Page, pdf
from scan_making import empty_sheet, needs, outlined, photograph, scanned, with_text_layer

from chunkers.document import Document, Kind
from corpus.errors import LimitExceeded, ParseError
from corpus.parsers import progress
from corpus.parsers.base import Settings
from corpus.parsers.pdf.ocr import tesseract
from corpus.parsers.pdf.ocr.layer import layer
from corpus.parsers.pdf.ocr.picture import drawn
from corpus.parsers.pdf.ocr.rules import rules_of
from corpus.parsers.pdf.ocr.type import Ink, size_of
from corpus.parsers.pdf.ocr.words import Line, Reading, Word, reading_of, turned
from corpus.parsers.pdf.parser import PdfParser

BODY = [
    "The catalogue lists every letter that the harbour master received in",
    "the years between the two great storms, and most of the answers that",
    "were sent. It was copied by hand in 1931 and checked twice since then.",
]
SENTENCES = " ".join(BODY)
STORMS = [
    "The first storm broke the northern pier and carried nine of the boats",
    "out of the basin; three of them were found again on the other shore.",
]

english = needs("eng")


def parsed(data: bytes, *languages: str, seconds: float = 60) -> Document:
    asked = Settings(ocr_languages=languages or ("eng",), ocr_seconds=seconds)
    return PdfParser().parse(data, "application/pdf", asked).document


def texts(document: Document, kind: Kind | None = None) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if kind in (None, b.kind)]


def article() -> Page:
    page = Page()
    page.text(72, 90, "Letters of the harbour", size=20, font="B")
    page.text(72, 140, "1 Where they are kept", size=14, font="B").lines(72, 165, BODY)
    page.text(72, 240, "2 What the storms did", size=14, font="B").lines(72, 265, STORMS)
    return page


@pytest.fixture
def no_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine on which there is none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    tesseract.available.cache_clear()
    tesseract.state.cache_clear()
    yield
    tesseract.available.cache_clear()
    tesseract.state.cache_clear()


@english
def test_a_scan_reads_like_the_page_that_was_scanned() -> None:
    page = pdf([article()])
    document, original = parsed(scanned(page)), parsed(page)
    assert texts(document) == texts(original)
    assert [(b.kind, b.level, b.page) for b in document.blocks] == [(b.kind, b.level, b.page) for b in original.blocks]
    for block, other in zip(document.blocks, original.blocks, strict=True):
        assert block.box == pytest.approx(other.box, abs=6)
    assert document.missing == ()
    assert document.warnings[0].startswith("page 1 of 1 read by OCR (eng), mean confidence 9")
    words = len(" ".join(texts(original)).replace("#", "").split())
    assert document.warnings[0].endswith(f"0 of {words} words are doubtful")


@english
@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_that_lay_turned_in_the_scanner_comes_out_upright(turned: int) -> None:
    page = Page().text(72, 90, "Letters of the harbour", size=20, font="B").lines(72, 165, BODY * 3)
    document = parsed(scanned(pdf([page]), turned=turned))
    assert texts(document)[0] == "# Letters of the harbour"
    assert document.text.count(SENTENCES) == 3
    assert document.blocks[0].box == pytest.approx((72, 74, 276, 94), abs=8)


@english
@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_of_few_words_is_read_whichever_way_up_it_lies(turned: int) -> None:
    page = Page().text(150, 300, "Annual Report 1987", size=24).text(150, 340, "of the Harbour Office", size=24)
    document = parsed(scanned(pdf([page]), turned=turned))
    assert document.text.split() == ["Annual", "Report", "1987", "of", "the", "Harbour", "Office"]


@english
def test_in_a_mixed_file_the_pages_without_a_text_layer_are_read_and_stay_in_their_place() -> None:
    pages = pdf([Page().lines(72, 90, BODY), Page().lines(72, 90, STORMS), Page().lines(72, 90, BODY)])
    document = parsed(scanned(pages, pages={2}))
    assert texts(document) == [SENTENCES, " ".join(STORMS), SENTENCES]
    assert [block.page for block in document.blocks] == [1, 2, 3]
    assert document.missing == ()
    (said,) = document.warnings
    assert said.startswith("page 2 of 3 read by OCR")


@english
def test_two_columns_of_a_scan_are_read_one_after_the_other() -> None:
    left = [
        "The keeper of the old light wrote",
        "down each ship that passed, with",
        "the hour, the wind and her flag.",
    ] * 5
    right = [
        "Prices of salt and rope were noted",
        "on the facing page, together with",
        "the names of those who paid late.",
    ] * 5
    document = parsed(scanned(pdf([Page().lines(72, 100, left).lines(330, 100, right)])))
    words = " ".join(texts(document))
    assert words.rindex("the hour, the wind and her flag.") < words.index("Prices of salt")


@english
def test_a_table_of_a_scan_has_rows_and_cells() -> None:
    rows = [
        ("Harbour", "Ships", "Storms"),
        ("Northern", "312", "14"),
        ("Southern", "208", "9"),
        ("Eastern", "95", "21"),
    ]
    page = Page().lines(72, 90, BODY)
    for number, row in enumerate(rows):
        for x, cell in zip((72, 240, 400), row, strict=True):
            page.text(x, 170 + 16 * number, cell, size=11)
    document = parsed(scanned(pdf([page])))
    (table,) = (block for block in document.blocks if block.kind is Kind.TABLE)
    assert table.rows == tuple(rows)


@english
def test_the_lines_of_a_ruled_table_close_in_its_cells() -> None:
    rows = [
        ("Name", "What is known of it"),
        ("Northern", "The longest pier of all,"),
        ("", "built twice."),
        ("Old", "Gone."),
    ]
    page = Page().lines(72, 90, BODY)
    for number, row in enumerate(rows):
        for x, cell in zip((80, 200), row, strict=True):
            page.text(x, 172 + 14 * number, cell)
    for y in (160, 178, 206, 222):  # the third line of words goes on in the second row
        page.marks.append(b"72 %d m 400 %d l S" % (page.height - y, page.height - y))
    for x in (72, 190, 400):
        page.marks.append(b"%d %d m %d %d l S" % (x, page.height - 160, x, page.height - 222))
    document = parsed(scanned(pdf([page])))
    (table,) = (block for block in document.blocks if block.kind is Kind.TABLE)
    assert table.rows == (
        ("Name", "What is known of it"),
        ("Northern", "The longest pier of all, built twice."),
        ("Old", "Gone."),
    )


@english
def test_the_bullets_of_a_list_make_it_one() -> None:
    page = Page().lines(72, 90, BODY)
    for number, words in enumerate(["Ropes of the northern pier", "Lamps and oil", "Letters that were sent back"]):
        page.text(80, 150 + 16 * number, "\u2022").text(94, 150 + 16 * number, words)
    document = parsed(scanned(pdf([page])))
    assert texts(document, Kind.LIST_ITEM) == [
        "- Ropes of the northern pier", "- Lamps and oil", "- Letters that were sent back",
    ]  # fmt: skip


@english
def test_letters_that_are_drawn_as_shapes_are_read() -> None:
    document = parsed(outlined(pdf([Page().lines(72, 90, BODY, size=12)])))
    assert SENTENCES in document.text


@english
def test_a_stamp_on_a_scan_does_not_pass_for_its_text_and_keeps_its_own_wording() -> None:
    page = scanned(pdf([Page().lines(72, 120, BODY * 2)]))
    stamp = pdf([Page().text(72, 60, "Rece1ved O0l at the arch1ve on 12 March 1987")])
    document = parsed(with_text_layer(page, stamp))
    assert document.text.count(SENTENCES) == 2
    assert "Rece1ved O0l at the arch1ve on 12 March 1987" in document.text


@english
def test_a_scan_whose_text_layer_has_all_its_words_keeps_that_layer() -> None:
    page = pdf([Page().lines(72, 30, BODY)])  # in the margin, where a stamp might stand
    document = parsed(with_text_layer(scanned(page), page))
    assert (document.text, document.warnings, document.missing) == (SENTENCES, (), ())


@english
def test_a_photograph_with_a_caption_of_its_own_is_that_caption() -> None:
    caption = pdf([Page(height=17).text(2, 14, "Plate 4", size=8)])
    assert parsed(with_text_layer(photograph(), caption)).text == "Plate 4"


@english
def test_a_photograph_beside_text_is_a_warning_and_no_loss() -> None:
    document = parsed(photograph(add_to=pdf([Page().lines(72, 90, BODY)])))
    assert document.missing == ()
    assert document.warnings == ("page 2 of 2: a picture, on which OCR finds no words",)


@english
def test_a_file_of_photographs_alone_is_an_error() -> None:
    with pytest.raises(ParseError, match="pictures only: it has no text layer, and OCR finds no words"):
        parsed(photograph())


@pytest.mark.usefixtures("no_tesseract")
def test_the_empty_back_of_a_sheet_is_nothing_that_needs_ocr() -> None:
    document = parsed(empty_sheet(add_to=pdf([Page().lines(72, 90, BODY)])))
    assert (document.missing, document.warnings) == ((), ())


@pytest.mark.usefixtures("no_tesseract")
def test_without_tesseract_a_scan_is_an_error_that_names_its_package() -> None:
    with pytest.raises(
        ParseError, match="is a scan without a text layer and needs OCR: tesseract is not installed"
    ) as e:
        parsed(scanned(pdf([article()])), "eng", "chi_sim")
    assert "apt-get install tesseract-ocr tesseract-ocr-eng tesseract-ocr-chi-sim" in e.value.hint
    assert tesseract.available() == frozenset()
    assert tesseract.state() == "none"


@pytest.mark.usefixtures("no_tesseract")
def test_without_tesseract_each_scanned_page_of_a_mixed_file_is_missing() -> None:
    pages = pdf([Page().lines(72, 90, BODY) for _ in range(6)])
    document = parsed(scanned(pages, pages={2, 3, 4, 6}))
    assert document.missing == ("pages 2–4, 6 of 6: no text layer, and tesseract is not installed",)
    assert {block.page for block in document.blocks} == {1, 5}
    assert document.warnings == ()


@english
def test_a_language_without_its_data_is_an_error_that_names_the_package() -> None:
    with pytest.raises(ParseError, match="tesseract has no data for nor") as error:
        parsed(scanned(pdf([article()])), "eng", "nor")
    assert "tesseract-ocr-nor" in error.value.hint


def test_no_languages_mean_no_ocr() -> None:
    settings = Settings(ocr_languages=())
    with pytest.raises(ParseError, match="needs OCR: OCR is off"):
        PdfParser().parse(scanned(pdf([article()])), "application/pdf", settings)


@english
def test_a_page_that_takes_too_long_is_missing_and_a_file_of_them_over_its_limit() -> None:
    pages = pdf([Page().lines(72, 90, BODY), article()])
    assert parsed(scanned(pages, pages={2}), seconds=0.01).missing == ("page 2 of 2: OCR took longer than 0.01 s",)
    with pytest.raises(LimitExceeded, match=r"OCR took longer than 0\.01 s"):
        parsed(scanned(pages), seconds=0.01)


@english
def test_a_page_in_a_script_that_was_not_asked_for_is_missing_and_no_gibberish(data_folder: Path) -> None:
    data = (data_folder / "pdfs" / "malformed932.pdf").read_bytes()
    with pytest.raises(ParseError, match=r"OCR is sure of .* it may be in another language than eng"):
        parsed(data)


@needs("chi_sim")
def test_chinese_is_read_where_the_text_layer_says_nothing(data_folder: Path) -> None:
    text = "".join(parsed((data_folder / "pdfs" / "malformed932.pdf").read_bytes(), "chi_sim").text.split())
    assert "重庆万州经济技术开发" in text
    assert "之签字页" in text


@needs("deu")
def test_german_is_read() -> None:
    words = [
        "Die Größe der Häfen wächst über die Jahre, und die Straße führt",
        "weiter zum Übergang an der alten Mühle.",
    ]
    assert " ".join(words) in parsed(scanned(pdf([Page().lines(72, 90, words, size=12)])), "deu").text


@english
@pytest.mark.parametrize("name", ["ocr_test.pdf", "ocr_test_rot90.pdf"])
def test_a_scan_of_another_tool_is_read(name: str, data_folder: Path) -> None:
    document = parsed((data_folder / "pdfs" / name).read_bytes())
    assert document.text == (
        "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained package"
    )


@english
def test_more_time_is_asked_for_each_page() -> None:
    heard: list[tuple[str, float]] = []
    progress.listen(lambda place, seconds: heard.append((place, seconds)))
    parsed(scanned(pdf([Page().lines(72, 90, BODY), Page().lines(72, 90, STORMS)])), seconds=45)
    progress.listen(lambda _place, _seconds: None)
    assert [said for said in heard if said[1]] == [("page 1 of 2, OCR", 45), ("page 2 of 2, OCR", 45)]


@english
def test_tesseract_dies_with_the_process_that_asked_it(tmp_path: Path) -> None:
    code = (
        "from corpus.parsers.pdf.ocr import tesseract; import random, time; n = 4000\n"
        "noise = random.Random(1).randbytes(n * n)\n"
        "tesseract.available(); print('ready', flush=True)\n"
        "tesseract.recognised(b'P5 %d %d 255\\n' % (n, n) + noise, ['eng'], deadline=time.monotonic() + 500)\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=tmp_path)
    try:
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"ready\n"
        children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
        child = _until(lambda: children.read_text().split())[0]
        _until(lambda: Path(f"/proc/{child}/comm").read_text() == "tesseract\n")
    finally:
        asking.kill()
        asking.communicate()
    _until(lambda: not Path(f"/proc/{child}").exists())


def _until(condition, seconds: float = 30):  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("size", [(2_000_000, 2_000_000), (2_000_000, 1), (20, 30), (612, 792), (3000, 4000)])
def test_a_page_of_any_size_is_drawn_within_reason(size: tuple[float, float]) -> None:
    page = Page(width=size[0], height=size[1]).text(10, 10, "words")
    with pdfium.PdfDocument(pdf([page])) as document:
        picture = drawn(document[0])
    assert len(picture.pixels) == picture.width * picture.height <= 25.5e6
    assert max(picture.width, picture.height) <= 32_000


@pytest.mark.parametrize(
    ("text", "height"), [("axe", 46), ("Ale", 70), ("gap", 67), ("Gap", 91), ("(a)", 91), ("字", 88)]
)
def test_the_size_of_type_is_known_from_the_letters_that_are_in_a_word(text: str, height: float) -> None:
    assert size_of(text, height) == pytest.approx(100)


def test_what_is_no_letter_has_no_size() -> None:
    assert size_of("—", 10) is None


@given(st.floats(-0.012, 0.012), st.integers(2, 6), st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_line_on_a_picture_is_found_though_it_leans_and_a_filled_area_is_none(
    slope: float, thick: int, flat: bool
) -> None:
    side, picture = 400, bytearray(400 * 400)
    for along in range(50, 350):
        for across in range(thick):
            beside = 200 + round(slope * along) + across
            picture[beside * side + along if flat else along * side + beside] = 1
    for row in range(20, 100):
        picture[row * side + 20 : row * side + 100] = b"\1" * 80
    rules = rules_of(Ink(bytes(picture), side), pixels=2)  # in one piece, or in some that lie on each other
    assert all((rule[2] - rule[0] > rule[3] - rule[1]) is flat for rule in rules)
    assert all((rule[1] if flat else rule[0]) == pytest.approx(100, abs=4) for rule in rules)
    ends = [(rule[0], rule[2]) if flat else (rule[1], rule[3]) for rule in rules]
    assert min(start for start, _ in ends) == pytest.approx(25, abs=16)
    assert max(end for _, end in ends) == pytest.approx(175, abs=16)


#: letters that are one character each, and read from left to right
LETTERS = st.characters(codec="cp1252", categories=("L", "N", "P")) | st.characters(
    min_codepoint=0x4E00, max_codepoint=0x9FA5
)
WORDS = st.text(LETTERS, min_size=1, max_size=12)


@pytest.mark.parametrize("words", [["مرحبا", "اسمي", "سلطان"], ["שלום", "לכל", "הספרנים"], ["عندي", "47", "قطط"]])
def test_words_that_read_from_right_to_left_come_out_in_the_order_in_which_they_are_read(words: list[str]) -> None:
    places = [(250.0 - 60 * number, 40.0, 290.0 - 60 * number, 50.0) for number in range(len(words))]
    line = Line(tuple(Word(text, box, 90) for text, box in zip(words, places, strict=True)), 10, 50)
    with pdfium.PdfDocument(layer([Reading(300, 500, (line,))])) as document:
        assert document[0].get_textpage().get_text_range().split() == words


@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=12), st.sampled_from([0, 90, 180, 270]))
@settings(max_examples=60, deadline=None)
def test_every_word_of_a_reading_is_in_its_layer(words: list[tuple[str, bool]], angle: int) -> None:
    lines = tuple(
        Line((Word(text, (50, 40 + 30 * number, 250, 50 + 30 * number), 90),), 10, 50 + 30 * number, angle, bold=bold)
        for number, (text, bold) in enumerate(words)
    )
    with pdfium.PdfDocument(layer([Reading(300, 500, lines), Reading(300, 500, lines)])) as document:
        assert len(document) == 2
        for page in document:
            found = page.get_textpage().get_text_range()
            assert "".join(found.split()) == "".join("".join(text.split()) for text, _ in words)


BOXES = st.tuples(*[st.floats(0, 100)] * 4).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
)


@given(st.lists(BOXES, min_size=1, max_size=5), st.sampled_from([90, 180, 270]))
@settings(max_examples=60, deadline=None)
def test_a_page_that_is_turned_back_is_as_it_was(boxes: list[tuple[float, float, float, float]], angle: int) -> None:
    page = Reading(100, 100, tuple(Line((Word("w", box, 90),), 10, box[3]) for box in boxes))
    again = turned(turned(page, angle), 360 - angle)
    assert [word.box for word in again.words] == [pytest.approx(word.box) for word in page.words]


SAID = (
    "bbox 1 2 30 12", "bbox 5 5 5 5", "bbox 1 2 3", "bbox -9 -9 99999 20", "textangle 90", "x_size 0",
    "baseline 0.01 -2", "baseline", "x_wconf 96", "x_wconf", "x_wconf much", "",
)  # fmt: skip


@given(st.lists(st.sampled_from(SAID), max_size=5), WORDS)
@settings(max_examples=100, deadline=None)
def test_hocr_with_anything_left_out_or_odd_is_read_without_a_fault(said: list[str], text: str) -> None:
    title = "; ".join(said)
    hocr = (
        f"<html><body><p class='ocr_par'><span class='ocr_line' title='{title}'>"
        f"<span class='ocrx_word' title='{title}'>{escape(text)}</span></span></p></body></html>"
    )
    page = reading_of(hocr.encode(), Ink(bytes(100 * 100), 100), width=50, height=50, pixels=2)
    if page.lines:
        assert layer([page]).startswith(b"%PDF-")
