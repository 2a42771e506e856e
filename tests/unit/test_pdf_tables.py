"""Tables on pages that are written here, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_making import HEIGHT, Page, pdf

from chunkers.document import Block, Document, Kind
from corpus.parsers.base import Settings
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.captions import with_captions_apart
from corpus.parsers.pdf.header import header_rows
from corpus.parsers.pdf.items import Item
from corpus.parsers.pdf.parser import PdfParser
from corpus.parsers.pdf.rtl import in_order
from corpus.parsers.pdf.tables import Grid, with_signs
from corpus.parsers.pdf.whole_tables import whole_tables

BODY = [
    "The catalogue lists every letter that the harbour master received in",
    "the years between the two great storms, and most of the answers that",
    "were sent. It was copied by hand in 1931 and checked twice since then.",
]


def parsed(pages: list[Page]) -> Document:
    return PdfParser().parse(pdf(pages), "application/pdf", Settings(ocr_languages=())).document


def tables(document: Document) -> list[Block]:
    return [block for block in document.blocks if block.kind is Kind.TABLE]


def line(page: Page, x1: float, y1: float, x2: float, y2: float) -> None:
    page.marks.append(b"%g %g m %g %g l S" % (x1, HEIGHT - y1, x2, HEIGHT - y2))


def ruled(page: Page, rows: Sequence[Sequence[str]], x: float, y: float, *, width: float = 90) -> Page:
    """A table with a line around each cell; `None` in place of a text: the cell on its left reaches here."""
    for number, row in enumerate(rows):
        top = y + number * 20
        line(page, x, top, x + len(row) * width, top)
        line(page, x, top, x, top + 20)
        for column, cell in enumerate(row):
            if cell:
                page.text(x + 4 + column * width, top + 14, cell)
            if column + 1 == len(row) or row[column + 1] is not None:
                line(page, x + (column + 1) * width, top, x + (column + 1) * width, top + 20)
    line(page, x, y + len(rows) * 20, x + len(rows[0]) * width, y + len(rows) * 20)
    return page


def spaced(
    page: Page, rows: Sequence[Sequence[str]], x: float, y: float, *, columns: Sequence[float], step: float = 14
) -> Page:
    """A table without lines: each text at the left of its column."""
    for number, row in enumerate(rows):
        for cell, left in zip(row, columns, strict=True):
            if cell:
                page.text(x + left, y + number * step, cell)
    return page


WORDS = st.text("abcdefghijklmnop0123456789", min_size=1, max_size=9)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=2, max_size=9)))
def test_every_word_in_a_ruled_table_stands_in_its_cell(rows: list[list[str]]) -> None:
    (table,) = tables(parsed([ruled(Page().lines(72, 80, BODY), rows, 72, 160)]))
    assert table.rows == tuple(map(tuple, rows))


def test_a_cell_over_several_columns_has_its_text_in_the_first_of_them() -> None:
    rows = [["Box", "Letters", None], ["North", "sent", "kept"], ["South", "12", "900"]]
    (table,) = tables(parsed([ruled(Page().lines(72, 80, BODY), rows, 72, 160)]))  # type: ignore[arg-type]
    assert table.rows == (("Box", "Letters", ""), ("North", "sent", "kept"), ("South", "12", "900"))


def test_a_frame_around_text_is_no_table() -> None:
    page = Page()
    for x1, y1, x2, y2 in ((60, 80, 480, 80), (60, 200, 480, 200), (60, 80, 60, 200), (480, 80, 480, 200)):
        line(page, x1, y1, x2, y2)
    document = parsed([page.lines(72, 100, BODY).lines(72, 150, BODY)])
    assert tables(document) == []
    assert "the harbour master received in the years" in document.text


def test_tables_in_cards_side_by_side_are_two_and_read_one_after_the_other() -> None:
    page = Page()
    for x, name in ((50, "left"), (330, "right")):
        page.text(x, 80, f"The {name} card of the pair", size=14, font="B")
        rows = [[f"{name} shop", f"{name} bonus"], [f"{name} bread", "ten"], [f"{name} fish", "nine"]]
        ruled(page, rows, x, 100, width=110)
        page.lines(
            x,
            190 + (x > 100) * 5,
            [f"Each {name} bonus is paid at the end", f"of the month in which the {name}", "shop was open."],
        )
    document = parsed([page])
    assert [table.rows[1] for table in tables(document) if table.rows] == [
        ("left bread", "ten"),
        ("right bread", "ten"),
    ]
    assert document.text.index("of the month in which the left") < document.text.index("The right card of the pair")


FIGURES = [
    ("Region", "Ships", "Tons", "Crew"),
    ("North coast", "41", "1,204", "310"),
    ("South coast", "28", "987", "205"),
]
MORE = [("East river", "11", "550", "90"), ("West river", "17", "312", "120"), ("Lake", "9", "210", "55")]
COLUMNS = (0, 140, 220, 300)


def test_the_label_of_a_group_of_rows_is_a_row_of_the_table() -> None:
    rows = [*FIGURES, ("Rivers and lakes", "", "", ""), *MORE]
    (table,) = tables(parsed([spaced(Page().lines(72, 80, BODY), rows, 72, 170, columns=COLUMNS)]))
    assert table.rows == tuple(rows)


def test_two_tables_with_a_text_between_them_stay_two() -> None:
    page = spaced(Page().lines(72, 80, BODY), FIGURES * 2, 72, 160, columns=COLUMNS)
    page.lines(72, 270, BODY)
    spaced(page, FIGURES[:1] + MORE, 72, 340, columns=COLUMNS)
    assert len(tables(parsed([page]))) == 2


@pytest.mark.parametrize("repeats", [True, False])
def test_a_table_that_goes_on_is_joined_when_its_header_repeats(repeats: bool) -> None:
    header, *rows = FIGURES
    first = ruled(Page().lines(72, 80, BODY), [header, *rows], 72, 600)
    second = ruled(Page(), [header, *MORE] if repeats else MORE, 72, 130).lines(72, 300, BODY)
    found = tables(parsed([first, second]))
    if repeats:
        assert [table.rows for table in found] == [(header, *rows, *MORE)]
        assert found[0].page == 1
    else:
        assert [table.rows for table in found] == [(header, *rows), tuple(MORE)]


def test_what_says_that_a_table_goes_on_goes_with_the_repeated_header() -> None:
    header, *rows = FIGURES
    first = ruled(Page().lines(72, 80, BODY), [header, *rows], 72, 600)
    second = ruled(Page().text(72, 120, "Table 4 (continued)"), [header, *MORE], 72, 130).lines(72, 300, BODY)
    result = PdfParser().parse(pdf([first, second]), "application/pdf", Settings(ocr_languages=()))
    (table,) = tables(result.document)
    assert table.rows == (header, *rows, *MORE)
    assert "continued" not in result.document.text
    assert {"Table 4 (continued)", "Region Ships Tons Crew"} <= set(result.left_out)


def test_a_caption_stands_right_above_its_table() -> None:
    page = Page().lines(72, 80, BODY).text(72, 150, "Table 3. Ships by coast")
    document = parsed([ruled(page, FIGURES, 72, 160).lines(72, 300, BODY)])
    kinds = [block.kind for block in document.blocks]
    assert kinds == [Kind.PARAGRAPH, Kind.CAPTION, Kind.TABLE, Kind.PARAGRAPH]


def test_signs_in_columns_of_their_own_belong_to_their_numbers() -> None:
    rows = (
        ("", "", "2023", "", "2022", ""),
        ("Sales", "$", "94,943", "", "93,775", ""),
        ("Costs", "", "31,089", "", "29,855", ""),
        ("Share", "", "33", "%", "32", "%"),
        ("Loss", "", "(49", ")", "53", ""),
    )
    places = tuple((n * 50.0, n * 50.0 + 40) for n in range(6))
    assert with_signs(Grid(rows, places)).rows == (
        ("", "2023", "2022"),
        ("Sales", "$ 94,943", "93,775"),
        ("Costs", "31,089", "29,855"),
        ("Share", "33%", "32%"),
        ("Loss", "(49)", "53"),
    )


def items(*lines: Sequence[tuple[float, str]]) -> list[Item]:
    return [
        Item(text, left, 100.0 + 12 * number, 5.0 * len(text), 10.0, "Helvetica", 0)
        for number, parts in enumerate(lines)
        for left, text in parts
    ]


def test_a_header_of_several_lines_names_groups_and_columns() -> None:
    columns = ((0.0, 90.0), (100.0, 150.0), (200.0, 250.0), (300.0, 350.0), (400.0, 450.0))
    header = items(
        [(145, "13 weeks ended"), (345, "52 weeks ended")],
        [(100, "January"), (200, "January"), (300, "January"), (400, "January")],
        [(100, "28, 2023"), (200, "29, 2022"), (300, "28, 2023"), (400, "29, 2022")],
    )
    assert header_rows(header, columns) == (
        ("", "13 weeks ended", "", "52 weeks ended", ""),
        ("", "January 28, 2023", "January 29, 2022", "January 28, 2023", "January 29, 2022"),
    )


def test_a_sentence_above_a_table_is_no_header() -> None:
    columns = ((0.0, 90.0), (100.0, 150.0), (200.0, 250.0))
    assert header_rows(items([(0, "The following table lists the ships of both coasts.")]), columns) == ()


def test_words_from_right_to_left_are_put_in_the_order_of_reading() -> None:
    seen = items([(0, "بيت"), (40, "left"), (80, "to"), (120, "قطط"), (160, "عندي")])
    assert [item.text for item in in_order(seen)] == ["عندي", "قطط", "left", "to", "بيت"]
    latin = items([(0, "one"), (40, "قطط"), (80, "three")])
    assert in_order(latin) == latin


def test_rows_that_a_text_below_a_table_begins_with_are_rows_of_the_table() -> None:
    columns = ((72.0, 160.0), (220.0, 260.0), (300.0, 340.0))
    size: dict[str, Any] = {"size": 10.0, "page": 1}
    table = PdfBlock(Kind.TABLE, "", box=(72, 60, 340, 99), rows=(("Ships", "41", "28"),), columns=columns, **size)
    found = items([(72, "Fee"), (220, "$ 82"), (300, "$ 74")], [(72, "(a) The fee is that of a year and no more.")])
    below = PdfBlock(Kind.PARAGRAPH, "Fee $ 82 $ 74 (a) The fee", box=(72, 100, 340, 122), **size)
    grown, rest = whole_tables([table, below], found)
    assert grown.rows == (("Ships", "41", "28"), ("Fee", "$ 82", "$ 74"))
    assert rest.text == "(a) The fee is that of a year and no more."


FLOWS = [["Pump", "Flow l/s", "Power kW"], ["P-1", "1.5", "10"], ["P-2", "2.5", "20"], ["P-3", "3.5", "30"]]


@pytest.mark.parametrize(
    ("caption", "below"),
    [
        ("Table 1: Flow of each pump", False),
        ("Tableau 1. Débit de chaque pompe", False),
        ("Table 1: Flow of each pump", True),
    ],
)
def test_a_caption_close_to_a_table_is_no_row_of_it(caption: str, below: bool) -> None:
    page = Page().lines(72, 80, BODY)
    page.text(72, 150 + below * 82, caption)
    document = parsed([spaced(page, FLOWS, 72, 170, columns=(0, 120, 240), step=15)])
    (table,) = tables(document)
    assert table.rows == tuple(map(tuple, FLOWS))
    (block,) = [block for block in document.blocks if block.kind is Kind.CAPTION]
    assert document.text[block.start : block.end] == caption
    assert (block.start > table.start) is below


def a_table(rows: list[list[str]]) -> PdfBlock:
    columns = tuple((100.0 * at, 100.0 * at + 80) for at in range(len(rows[0])))
    return PdfBlock(Kind.TABLE, "", 1, (0, 0, 300, 15 * len(rows)), rows=tuple(map(tuple, rows)), columns=columns)


def test_a_caption_in_a_cell_over_all_columns_goes_and_its_column_with_it() -> None:
    rows = [["", "Таблица 2. Насосы", ""], ["A", "", "1"], ["B", "", "2"]]
    caption, table = with_captions_apart([a_table(rows)], [])
    assert (caption.kind, caption.text) == (Kind.CAPTION, "Таблица 2. Насосы")
    assert table.rows == (("A", "1"), ("B", "2"))
    assert len(table.columns) == 2


def test_a_list_of_tables_is_no_table_with_captions() -> None:
    rows = [["Table 1: Boxes", "4"], ["Table 2: Letters", "7"], ["Table 3: Ships", "9"]]
    assert [block.rows for block in with_captions_apart([a_table(rows)], [])] == [tuple(map(tuple, rows))]


def test_a_row_about_a_table_stays() -> None:
    rows = [["Table 1", "Table 2"], ["4", "7"], ["9", "3"]]
    assert [block.rows for block in with_captions_apart([a_table(rows)], [])] == [tuple(map(tuple, rows))]
