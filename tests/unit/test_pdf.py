"""PDF files that are written here, line by line, so that what must come out is known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_making import HEIGHT, Page, assembled, pdf

from chunkers.document import Document, Kind
from corpus.errors import LimitExceeded, ParseError
from corpus.parsers.base import Settings
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.headings import with_headings
from corpus.parsers.pdf.parser import PdfParser
from corpus.parsers.pdf.source import iso_date
from corpus.parsers.pdf.text import plain, storable

BODY = [
    "The catalogue lists every letter that the harbour master received in",
    "the years between the two great storms, and most of the answers that",
    "were sent. It was copied by hand in 1931 and checked twice since then.",
]


def parsed(data: bytes, pages: int = 100) -> Document:
    return PdfParser().parse(data, "application/pdf", Settings(pages=pages)).document


def texts(document: Document, kind: Kind | None = None) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if kind in (None, b.kind)]


def headings(document: Document) -> list[tuple[int | None, str]]:
    found = [(b.level, document.text[b.start : b.end]) for b in document.blocks if b.kind is Kind.HEADING]
    return [(level, text.lstrip("# ")) for level, text in found]


def article() -> Page:
    page = Page()
    page.text(72, 90, "Letters of the harbour", size=20, font="B")
    page.text(72, 130, "1 Where they are kept", size=14, font="B").lines(72, 155, BODY)
    page.text(72, 220, "1.1 The first box", size=12, font="B").lines(72, 245, BODY)
    page.text(72, 310, "2 Who wrote them", size=14, font="B").lines(72, 335, BODY)
    return page


def test_levels_follow_the_numbering_below_the_title() -> None:
    document = parsed(pdf([article()]))
    assert headings(document) == [
        (1, "Letters of the harbour"),
        (2, "1 Where they are kept"),
        (3, "1.1 The first box"),
        (2, "2 Who wrote them"),
    ]
    box = next(b for b in document.blocks if b.section_path[-1:] == ("1.1 The first box",) and b.kind is Kind.PARAGRAPH)
    assert box.section_path == ("Letters of the harbour", "1 Where they are kept", "1.1 The first box")


def test_a_title_right_above_another_heading_heads_them_all() -> None:
    body = PdfBlock(Kind.PARAGRAPH, " ".join(BODY), 1, None, size=11)
    lines = [("Annual Report 2024", 24.0), ("1 Results", 16.0), ("1.1 Sales", 13.0), ("2 Outlook", 16.0)]
    title, *others = (PdfBlock(Kind.PARAGRAPH, text, 1, None, bold=True, size=size) for text, size in lines)
    found = with_headings([title, *(block for heading in others for block in (heading, body))], {})
    assert [(b.level, b.text) for b in found if b.kind is Kind.HEADING] == [
        (1, "Annual Report 2024"),
        (2, "1 Results"),
        (3, "1.1 Sales"),
        (2, "2 Outlook"),
    ]


@pytest.mark.parametrize("gap", [18, 22, 24])
def test_paragraphs_are_parted_by_a_wider_gap_between_their_lines(gap: int) -> None:
    page = Page().text(72, 90, "Letters of the harbour", size=20, font="B")
    for number in range(4):
        page.lines(72, 130 + number * (24 + gap), [f"Number {number}. {BODY[0]}", BODY[1], BODY[2]])
    document = parsed(pdf([page]))
    assert texts(document, Kind.PARAGRAPH) == [f"Number {number}. {' '.join(BODY)}" for number in range(4)]
    tops = [block.box[1] for block in document.blocks if block.kind is Kind.PARAGRAPH and block.box]
    assert tops == sorted(set(tops))


def test_a_gap_in_the_midst_of_a_sentence_parts_nothing() -> None:
    page = Page().text(72, 90, "Letters of the harbour", size=20, font="B")
    page.lines(72, 130, BODY[:1]).lines(72, 148, BODY[1:])
    assert texts(parsed(pdf([page])), Kind.PARAGRAPH) == [" ".join(BODY)]


def test_the_outline_decides_over_the_size_of_the_type() -> None:
    page = Page()
    page.text(72, 90, "Boxes", size=16, font="B").lines(72, 120, BODY)
    page.text(72, 200, "Labels", size=16, font="B").lines(72, 230, BODY)
    same_type = parsed(pdf([page]))
    assert [level for level, _ in headings(same_type)] == [1, 1]
    outlined = parsed(pdf([page], outline=[("Boxes", 0, 0), ("Labels", 1, 0)]))
    assert headings(outlined) == [(1, "Boxes"), (2, "Labels")]


def test_a_plain_line_that_the_outline_knows_is_a_heading() -> None:
    page = Page().text(72, 90, "How to read a label").lines(72, 120, BODY)
    assert headings(parsed(pdf([page]))) == []
    assert headings(parsed(pdf([page], outline=[("How to read a label", 0, 0)]))) == [(1, "How to read a label")]


def test_paragraphs_carry_their_page_and_their_place_on_it() -> None:
    document = parsed(pdf([Page().lines(72, 200, BODY), Page().lines(72, 400, BODY)]))
    assert [block.page for block in document.blocks] == [1, 2]
    left, top, right, bottom = document.blocks[1].box or (0, 0, 0, 0)
    assert 70 < left < 74
    assert 380 < top < 400 < bottom < 440
    assert right > 300


def test_the_lines_of_a_paragraph_become_one_text() -> None:
    assert texts(parsed(pdf([Page().lines(72, 200, BODY)]))) == [" ".join(BODY)]


def test_a_word_broken_at_a_line_end_is_put_together() -> None:
    lines = ["The oldest part of the collection is the corres-", "pondence with the city, which fills nine boxes."]
    assert "correspondence with the city" in parsed(pdf([Page().lines(72, 200, lines)])).text


def test_running_headers_footers_and_page_numbers_are_left_out() -> None:
    pages = []
    for number in range(1, 7):
        page = Page().text(72, 40, f"Harbour Archive   Annual Report   Section {number}", size=8)
        page.lines(72, 150, [f"Box {number} holds what was found in the year {1900 + number}.", *BODY])
        pages.append(page.text(300, 760, str(number + 20), size=8))
    document = parsed(pdf(pages))
    assert "Annual Report" not in document.text
    assert len(texts(document)) == 6
    for number in range(1, 7):
        assert f"in the year {1900 + number}" in document.text
        assert not any(text.strip() == str(number + 20) for text in texts(document))


def test_a_line_that_stands_once_at_the_top_of_a_page_stays() -> None:
    pages = [Page().lines(72, 150, BODY) for _ in range(6)]
    pages[3] = Page().text(72, 50, "Only here is the lighthouse mentioned.").lines(72, 150, BODY)
    assert "Only here is the lighthouse mentioned." in parsed(pdf(pages)).text


def test_a_page_with_a_single_line_at_its_edge_keeps_it() -> None:
    assert "A note at the very top" in parsed(pdf([Page().text(72, 20, "A note at the very top")])).text


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"Left line {n} tells of ships and tides" for n in range(1, 30)]
    right = [f"Right line {n} tells of men and ropes" for n in range(1, 30)]
    text = parsed(pdf([Page().lines(60, 120, left).lines(330, 120, right)])).text
    assert text.index("Left line 29") < text.index("Right line 1 ")


def test_code_keeps_its_indentation() -> None:
    code = ["def open_box(number):", "    if number > 9:", "        return None", "    return BOXES[number]"]
    page = Page().lines(72, 100, BODY)
    for number, line in enumerate(code):
        indent = len(line) - len(line.lstrip())
        page.text(100 + indent * 6, 200 + number * 12, line.lstrip(), font="C")
    page.lines(72, 300, BODY)
    assert texts(parsed(pdf([page])), Kind.CODE) == ["\n".join(code)]


def test_a_list_item_is_a_list_item() -> None:
    page = Page().lines(72, 100, BODY)
    for number, words in enumerate(("the first box", "the second box", "the third box")):
        page.text(90, 160 + 14 * number, "\u2022").text(105, 160 + 14 * number, words)
    assert texts(parsed(pdf([page])), Kind.LIST_ITEM) == ["- the first box", "- the second box", "- the third box"]


ROWS = [
    ("Box", "Year", "Letters"),
    ("North", "1901", "1,204"),
    ("South", "1902", "987"),
    ("East", "1903", "1,550"),
    ("West", "1904", "312"),
]


def ruled(page: Page, x: float, y: float) -> Page:
    for number, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            page.text(x + 5 + column * 100, y + 14 + number * 20, cell)
    bottom = y + len(ROWS) * 20
    for number in range(len(ROWS) + 1):
        page.marks.append(b"%g %g m %g %g l S" % (x, HEIGHT - y - number * 20, x + 300, HEIGHT - y - number * 20))
    for column in range(4):
        page.marks.append(b"%g %g m %g %g l S" % (x + column * 100, HEIGHT - y, x + column * 100, HEIGHT - bottom))
    return page


def test_a_ruled_table_has_its_rows_and_a_line_for_each() -> None:
    document = parsed(pdf([ruled(Page().lines(72, 80, BODY), 72, 160).lines(72, 320, BODY)]))
    (table,) = [block for block in document.blocks if block.kind is Kind.TABLE]
    assert table.rows == tuple(ROWS)
    assert document.text[table.start : table.end].split("\n") == ["| " + " | ".join(row) + " |" for row in ROWS]


def test_a_header_above_the_rule_belongs_to_the_table() -> None:
    page = Page().lines(72, 80, BODY)
    for number, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            page.text(77 + column * 120, 170 + number * 16 + (6 if number else 0), cell, font="F" if number else "B")
    page.marks.append(b"72 %g m 432 %g l S" % (HEIGHT - 176, HEIGHT - 176))
    (table,) = [block for block in parsed(pdf([page])).blocks if block.kind is Kind.TABLE]
    assert table.rows == tuple(ROWS)


def test_a_page_that_is_set_sideways_is_read_upright() -> None:
    page = Page()
    for number, line in enumerate(BODY * 2):
        page.marks.append(b"BT /F 10 Tf 0 1 -1 0 %g 100 Tm (%s) Tj ET" % (200 + 12 * number, line.encode()))
    assert " ".join(BODY) in parsed(pdf([page])).text.replace("\n\n", " ")


def test_marks_of_markdown_in_the_document_are_its_own() -> None:
    line = "The price is 5 * 3 ** 2 for a_name and #7 in C:\\boxes, the tag <b> and [x](y) as well."
    assert line in parsed(pdf([Page().lines(72, 100, [line])])).text


def test_title_author_and_date_come_from_the_metadata() -> None:
    info = {"Title": "Harbour letters", "Author": "A. Keeper", "CreationDate": "D:20240305120000+01'00'"}
    document = parsed(pdf([Page().lines(72, 100, BODY)], info=info))
    assert (document.title, document.author, document.date) == ("Harbour letters", "A. Keeper", "2024-03-05")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("D:20221208103327Z", "2022-12-08"),
        ("D:2022", "2022-01-01"),
        ("20220131", "2022-01-31"),
        ("D:20221340000000", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_iso_days_or_nothing(written: str, meant: str | None) -> None:
    assert iso_date(written) == meant


def test_blank_pages_alone_are_no_document() -> None:
    with pytest.raises(ParseError, match="no text"):
        parsed(pdf([Page()]))


def test_a_page_limit_names_both_numbers() -> None:
    data = pdf([Page().lines(72, 100, BODY)] * 12)
    with pytest.raises(LimitExceeded, match="12 pages, the limit is 11"):
        parsed(data, pages=11)
    assert parsed(data, pages=12).blocks[-1].page == 12


def test_no_page_is_lost_in_a_long_file() -> None:
    """liteparse stops after 1,000 pages unless it is told."""
    document = parsed(pdf([Page().text(72, 300, f"Sheet number {n} ends here.") for n in range(1, 1203)]), pages=2000)
    for number in (1, 999, 1000, 1001, 1202):
        assert f"Sheet number {number} ends here." in document.text


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.4\n" + bytes(range(256)) * 40,
        pdf([article()])[:900],
        assembled([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"]),
        assembled([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[2 0 R]>>"]),
    ],
    ids=["garbage", "truncated", "no pages", "page tree in itself"],
)
def test_what_cannot_be_read_is_an_error_with_advice(data: bytes) -> None:
    with pytest.raises(ParseError) as refused:
        parsed(data)
    assert refused.value.hint


def test_text_on_an_enormous_page_is_found() -> None:
    page = Page(width=2_000_000, height=2_000_000).text(72, 100, "Hello page text here", size=12)
    assert "Hello page text here" in parsed(pdf([page])).text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("**bold** and *slanted*", "bold and slanted"),
        (r"5 \* 3 \*\* 2", "5 * 3 ** 2"),
        (r"C:\\boxes", "C:\\boxes"),
        (r"the set $\mathfrak{T}_{2}$ is *open*", r"the set $\mathfrak{T}_{2}$ is open"),
        ("from $3 to $4", "from $3 to $4"),
        ("Chapter one ........ 12", "Chapter one 12"),
        ("co\u00ad operate", "cooperate"),
        ("  much \n space ", "much space"),
    ],
)
def test_marks_that_the_parser_adds_are_taken_off(written: str, meant: str) -> None:
    assert plain(written) == meant


def test_what_cannot_be_stored_is_removed_and_counted() -> None:
    assert storable("a\x00b\ud800c\ue123d\ufb01e") == ("abcdfie", 3)
    assert storable("\uf0b7 item") == ("• item", 0)


WORDS = st.text("abcdefghijklmnopqrstuvwxyzäöü", min_size=3, max_size=9)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=4, max_size=9), min_size=2, max_size=12))
def test_every_word_comes_out_and_equal_bytes_give_equal_documents(paragraphs: list[list[str]]) -> None:
    page = Page()
    for number, words in enumerate(paragraphs):
        page.text(72, 110 + 30 * number, " ".join(words))
    data = pdf([page])
    document = parsed(data)
    written = "".join(document.text.split())
    for words in paragraphs:
        assert "".join(words) in written
    assert parsed(data) == document
    assert Document.from_dict(document.to_dict()) == document
    covered = "".join(document.text[b.start : b.end] for b in document.blocks)
    assert "".join(covered.split()) == written
