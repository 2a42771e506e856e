"""Tables of numbers whose labels stand far from them, as the statements of companies have them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_making import Page, pdf

from chunkers.document import Block, Document, Kind
from corpus.parsers.base import Settings
from corpus.parsers.pdf.figures import statements
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.numbers import number_lines
from corpus.parsers.pdf.parser import PdfParser

RIGHTS = (400, 480, 560)  #: right edges of the columns of numbers
DIGIT = 4.45  #: points; width of a digit of Helvetica at 8 points
PROSE = [
    "The board met four times in the year and heard the accounts of the three",
    "yards on each occasion. It found no cause to change the rules that it had",
    "set out for the yards in the year before, and asked for a new report soon.",
]


def parsed(page: Page) -> Document:
    return PdfParser().parse(pdf([page]), "application/pdf", Settings(ocr_languages=())).document


def tables(document: Document) -> list[Block]:
    return [block for block in document.blocks if block.kind is Kind.TABLE]


def width(number: str) -> float:
    narrow = sum(number.count(sign) for sign in ",.()-")
    return DIGIT * (len(number) - narrow) + 2.4 * narrow


def statement(page: Page, rows: Sequence[Sequence[str]], y: float, *, step: float = 9.6) -> float:
    """Labels at the left margin, numbers at the right edges of their columns, signs at their left; where it ends."""
    for number, (label, *values) in enumerate(rows):
        page.text(30, y + number * step, label, size=8)
        for right, value in zip(RIGHTS, values, strict=True):
            sign, _, digits = value.rpartition("$ ")
            if sign or value.startswith("$"):
                page.text(right - 62, y + number * step, "$", size=8)
            if digits:
                page.text(right - width(digits), y + number * step, digits, size=8)
    return y + len(rows) * step


def run(text: str, left: float, top: float) -> Item:
    return Item(text, left, top, len(text) * 4.5, 10.0, "Helvetica", 0)


def names(page: Page, y: float) -> None:
    """Bold names of the columns on two lines; the first stands over the first two columns."""
    page.text(391, y, "Half Year", size=8, font="B")
    page.text(540, y, "Year", size=8, font="B")
    page.text(30, y + 10, "Kind of debt", size=8, font="B")
    for right, name in zip(RIGHTS, ("July 2023", "July 2022", "July 2021"), strict=True):
        page.text(right - 40, y + 10, name, size=8, font="B")


DEBTS = (
    ("Notes of the northern yard", "$ 102", "$ 114", "$ 118"),
    ("Notes of the southern yard", "500", "500", "500"),
    ("Bills that fall due within a year (foreign)", "(50)", "56", "65"),
    ("Total", "$ 552", "$ 670", "$ 683"),
)


def test_labels_far_from_their_numbers_are_the_first_cells_of_rows_below_the_bold_names_of_columns() -> None:
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    end = statement(page, DEBTS, 142)
    document = parsed(page.lines(30, end + 24, PROSE[::-1], size=9))
    (table,) = tables(document)
    assert table.rows is not None
    assert table.rows[0] == ("", "Half Year", "", "Year")
    assert table.rows[1:] == (("Kind of debt", "July 2023", "July 2022", "July 2021"), *DEBTS)
    assert [block.kind for block in document.blocks] == [Kind.PARAGRAPH, Kind.TABLE, Kind.PARAGRAPH]
    assert document.text.count("Kind of debt") == document.text.count("southern yard") == 1


def test_two_tables_with_text_between_them_stand_where_their_first_lines_stand() -> None:
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    end = statement(page, DEBTS, 142)
    page.lines(30, end + 20, PROSE, size=9)
    names(page, end + 70)
    end = statement(page, [(label.replace("yard", "dock"), *rest) for label, *rest in DEBTS], end + 92)
    document = parsed(page.text(30, end + 20, "The signs are those of the last year.", size=9))
    kinds = [block.kind for block in document.blocks]
    assert kinds == [Kind.PARAGRAPH, Kind.TABLE, Kind.PARAGRAPH, Kind.TABLE, Kind.PARAGRAPH]
    assert [(table.rows or ())[-4][0] for table in tables(document)] == [
        "Notes of the northern yard",
        "Notes of the northern dock",
    ]


def test_a_label_on_two_lines_is_one_and_the_label_of_a_group_has_a_row() -> None:
    rows = [
        ("Money that came in:", "", "", ""),
        ("Sales of ships, of boats and of all", "", "", ""),
        ("that floats", "1,204", "987", "550"),
        ("Rents", "31", "-", "(4)"),
        ("Fees", "7", "8", "9"),
    ]
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    statement(page, rows, 142)
    (table,) = tables(parsed(page))
    assert (table.rows or ())[1:] == (
        ("Money that came in:", "", "", ""),
        ("Sales of ships, of boats and of all that floats", "1,204", "987", "550"),
        ("Rents", "31", "-", "(4)"),
        ("Fees", "7", "8", "9"),
    )


def test_a_year_at_the_margin_is_the_label_of_the_rows_below_it() -> None:
    rows = [
        ("2022", "", "", ""),
        ("Revenue of all yards", "$ 41,396", "$ 4,871", "$ 3,835"),
        ("Income before tax", "10,383", "550", "376"),
        ("2021", "", "", ""),
        ("Revenue of all yards", "$ 33,103", "$ 3,643", "$ 3,418"),
        ("Income before tax", "10,325", "460", "420"),
    ]
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    statement(page, rows, 142)
    (table,) = tables(parsed(page))
    assert (table.rows or ())[2:] == tuple(rows)


def test_prose_in_two_columns_with_numbers_in_it_stays_two_columns() -> None:
    left = [
        "In 2021 the yard sold 14 ships and",
        "bought 3 of them back within the year,",
        "while 27 others were laid up for the",
        "winter. The fleet then counted 1,204",
        "hulls, of which 310 were made of iron",
        "and 894 of oak. No more than 12 were",
        "lost, and 5 of these were found again",
        "by the coast guard in the year 2022.",
    ]
    right = [
        "The crews were paid 12 shillings and",
        "6 pence a week, which was raised to 14",
        "after the strike of 1923. Of the 4,100",
        "men who had signed on, 2,050 stayed for",
        "a second year and 1,998 for a third. The",
        "others, 52 in number, went over to the",
        "northern yard, where 15 shillings were",
        "paid to each man from 1924 on.",
    ]
    document = parsed(Page().lines(50, 80, left).lines(320, 80, right))
    assert tables(document) == []
    text = " ".join(document.text.split())
    assert " ".join(left) in text
    assert " ".join(right) in text


def test_prose_beside_a_table_of_numbers_in_the_next_column_is_not_its_label() -> None:
    left = [
        "In the first year the yard sold its old",
        "ships and bought some of them back, while",
        "others were laid up for the long winter.",
        "the fleet then had hulls of iron and oak,",
        "and none were lost but those that were",
        "found again by the coast guard, who had",
        "them towed to the roads of the northern",
        "yard and made fast there until spring.",
    ]
    items = [run(text, 50, 80 + number * 12) for number, text in enumerate(left)]
    for number, row in enumerate(
        [("Oak", "1,204", "987"), ("Pine", "550", "41"), ("Elm", "28", "17"), ("Ash", "9", "5")]
    ):
        items += [run(cell, x, 104 + number * 12) for x, cell in zip((330, 430, 500), row, strict=True)]
    assert list(statements(number_lines(items))) == []


def test_a_sentence_between_two_tables_of_the_same_columns_is_kept() -> None:
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    end = statement(page, DEBTS, 142)
    sentence = "What the southern docks owed in the years 2023, 2022 and 2021 at the close of the books was as follows:"
    page.text(30, end + 14, sentence, size=9)
    names(page, end + 32)
    statement(page, DEBTS, end + 54)
    document = parsed(page)
    assert len(tables(document)) == 2
    assert document.text.count(sentence) == 1


LABELS = st.lists(st.sampled_from(["Oak", "Pine", "Elm", "Birch", "Cedar", "Walnut"]), min_size=1, max_size=4)
NUMBERS = st.integers(-99999, 9999999).map(lambda n: f"({-n:,})" if n < 0 else f"{n:,}")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(LABELS.map(" ".join), NUMBERS, NUMBERS, NUMBERS), min_size=3, max_size=12))
def test_every_line_of_a_statement_is_a_row_and_no_word_comes_twice(rows: list[tuple[str, str, str, str]]) -> None:
    page = Page().lines(30, 60, PROSE, size=9)
    names(page, 120)
    statement(page, rows, 142)
    document = parsed(page)
    (table,) = tables(document)
    assert (table.rows or ())[2:] == tuple(rows)
    assert document.text.count("Kind of debt") == 1
