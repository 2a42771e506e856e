"""What PDF pages have beside their text: running lines, numbers, notes, columns, and what cannot be read of them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_making import HEIGHT, Page, assembled, pdf

from chunkers.document import Document, Kind
from corpus.parsers import progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.pdf.parser import PdfParser

BODY = [
    "The catalogue lists every letter that the harbour master received in",
    "the years between the two great storms, and most of the answers that",
    "were sent. It was copied by hand in 1931 and checked twice since then.",
]


def parsed(data: bytes) -> Parsed:
    return PdfParser().parse(data, "application/pdf", Settings(ocr_languages=()))


def texts(document: Document, kind: Kind) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind is kind]


def test_running_lines_are_said_to_be_left_out() -> None:
    pages = [
        Page().text(72, 40, "Harbour Archive", size=8).lines(72, 150, BODY).text(300, 760, str(n)) for n in range(5, 10)
    ]
    result = parsed(pdf(pages))
    assert "Harbour Archive" not in result.document.text
    assert sorted(result.left_out) == sorted([*["Harbour Archive"] * 5, *"56789"])


def test_a_heading_that_several_pages_happen_to_begin_with_stays() -> None:
    pages = []
    for number in range(20):
        head = (
            "Conclusions of the board"
            if number in (3, 9, 15)
            else f"Chapter of the {'abcdefghijklmnopqrst'[number] * 4}"
        )
        pages.append(Page().text(72, 50, head, size=10, font="B").lines(72, 80, BODY))
    assert parsed(pdf(pages)).document.text.count("Conclusions of the board") == 3


def test_a_row_of_numbers_at_the_top_of_a_page_is_no_page_number() -> None:
    pages = [
        Page().text(72, 50, "2023").text(200, 50, "2022").text(330, 50, "2021").lines(72, 150, BODY) for _ in range(4)
    ]
    assert "2023" in parsed(pdf(pages)).document.text


def test_a_number_under_a_page_that_is_filled_only_half_is_its_label_and_no_text() -> None:
    pages = [Page().lines(72, 100 + 10 * n, BODY).text(300, 200 + 40 * n, str(n + 31)) for n in range(5)]
    document = parsed(pdf(pages)).document
    assert document.page_labels == ("31", "32", "33", "34", "35")
    assert not any(str(n) in document.text.split() for n in range(31, 36))


def test_roman_numbers_of_a_preface_are_labels_too() -> None:
    labels = ["ii", "iii", "iv", "1", "2", "3", "4"]
    pages = [Page().lines(72, 100, BODY).text(300, 765, label, size=8) for label in labels]
    assert parsed(pdf(pages)).document.page_labels == tuple(labels)


def test_pages_without_numbers_have_no_labels() -> None:
    assert parsed(pdf([Page().lines(72, 100, BODY)] * 4)).document.page_labels == ()


def test_footnotes_come_after_the_text_of_their_page() -> None:
    page = Page().lines(72, 100, [*BODY, "The letters were never read by anyone but the"])
    page.text(72, 730, "1 See the second box, which was lost.", size=7)
    following = Page().lines(72, 100, ["harbour master himself.", *BODY])
    document = parsed(pdf([page, following])).document
    assert texts(document, Kind.FOOTNOTE) == ["1 See the second box, which was lost."]
    kinds = [block.kind for block in document.blocks if block.page == 1]
    assert kinds[-1] is Kind.FOOTNOTE


def test_three_columns_are_read_one_after_the_other() -> None:
    page = Page()
    for column, name in enumerate(("one", "two", "three")):
        page.lines(45 + 180 * column, 100, [f"line {n} of column {name} is here" for n in range(1, 31)])
    text = " ".join(parsed(pdf([page])).document.text.split())
    assert text.index("line 30 of column one") < text.index("line 1 of column two")
    assert text.index("line 30 of column two") < text.index("line 1 of column three")


def test_a_stamp_in_the_margin_is_left_out_and_said_to_be() -> None:
    page = Page().lines(72, 100, BODY * 4)
    page.marks.append(b"BT /F 12 Tf 0 1 -1 0 30 200 Tm (arXiv:2004.04906v3 [cs.CL]) Tj ET")
    result = parsed(pdf([page]))
    assert "arXiv" not in result.document.text
    assert any("arXiv" in text for text in result.left_out)


def test_a_page_that_cannot_be_loaded_is_missing_and_the_others_are_read() -> None:
    content = b"BT /F 12 Tf 72 700 Td (The first box is blue.) Tj ET"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    data = assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 3/Kids[3 0 R 99 0 R 3 0 R]>>",
            page,
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )
    document = parsed(data).document
    assert [block.page for block in document.blocks] == [1, 3]
    assert any("page 2 of 3" in phrase for phrase in document.missing)


def test_the_largest_heading_of_the_first_page_is_the_title_where_the_file_has_none() -> None:
    page = Page().text(72, 90, "Letters of the harbour", size=20, font="B").lines(72, 130, BODY)
    assert parsed(pdf([page])).document.title == "Letters of the harbour"
    assert parsed(pdf([page], info={"Title": "0000764478-23-000006"})).document.title == "Letters of the harbour"
    assert parsed(pdf([page], info={"Title": "Microsoft Word - x.doc"})).document.title == "Letters of the harbour"
    assert parsed(pdf([page], info={"Title": "Harbour letters, 1931"})).document.title == "Harbour letters, 1931"
    assert parsed(pdf([Page().lines(72, 130, BODY)])).document.title is None


def test_a_parser_says_which_page_it_reads() -> None:
    heard: list[str] = []
    progress.listen(lambda place, seconds: heard.append(place))
    try:
        parsed(pdf([Page().lines(72, 100, BODY)] * 3))
    finally:
        progress.listen(lambda place, seconds: None)
    assert {"page 1 of 3", "page 3 of 3"} <= set(heard)


WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=9)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([50, 220, 330, 440]), st.integers(5, 75), st.lists(WORDS, min_size=1, max_size=3)),
        min_size=1,
        max_size=30,
    ),
    st.lists(st.tuples(st.integers(3, 50), st.integers(3, 70), st.integers(1, 30), st.integers(1, 30)), max_size=8),
)
def test_wherever_words_and_lines_stand_each_word_arrives_or_is_said_to_be_left_out(
    marks: list[tuple[int, int, list[str]]], boxes: list[tuple[int, int, int, int]]
) -> None:
    page = Page()
    for x, y in {(x, y) for x, y, _ in marks}:
        page.text(x, y * 10, next(" ".join(words) for a, b, words in marks if (a, b) == (x, y)))
    for x, y, width, height in boxes:
        page.marks.append(b"%d %d %d %d re S" % (x * 10, HEIGHT - (y + height) * 10, width * 10, height * 10))
    result = parsed(pdf([page]))
    arrived = "".join((result.document.text + "".join(result.left_out)).split()).replace("|", "")
    for x, y in {(x, y) for x, y, _ in marks}:
        for word in next(words for a, b, words in marks if (a, b) == (x, y)):
            assert word in arrived
