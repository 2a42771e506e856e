from __future__ import annotations

import datetime
import time
import zipfile
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from chunkers.document import Document, Kind
from chunkers.router import route
from chunkers.tables import has_header, shape, table_of
from corpus.errors import ParseError
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.spreadsheet.formats import shown
from corpus.parsers.spreadsheet.parser import SpreadsheetParser
from corpus.parsers.spreadsheet.tables import drafts

EPOCH = datetime.datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's days have no zone
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def book(**sheets: list[list[Any]]) -> Workbook:
    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return made


def saved(made: Workbook) -> bytes:
    buffer = BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def read(made: Workbook) -> Document:
    return parse(saved(made), uri="a.xlsx")


def tables(document: Document) -> list[tuple[tuple[str, ...], ...]]:
    return [block.rows for block in document.blocks if block.rows is not None]


def texts(document: Document, kind: Kind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]


# The examples are those of the descriptions of number formats in ECMA-376, part 1, 18.8.30 and 18.8.31, and of Excel.
@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (5, "General", "5"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1E+20"),
        (0.125, "0.0%", "12.5%"),
        (0.05, "0%", "5%"),
        (1234567, "#,##0", "1,234,567"),
        (1234.5, "$#,##0.00", "$1,234.50"),
        (-1234.5, "$#,##0.00", "-$1,234.50"),
        (-1234.5, "$#,##0.00_);[Red]($#,##0.00)", "($1,234.50)"),
        (0, '#,##0;-#,##0;"-"', "-"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (12345678, "0.00E+00", "1.23E+07"),
        (0.00012, "0.0E+00", "1.2E-04"),
        (1.25, "# ?/?", "1 1/4"),
        (0.5, "# ?/?", "1/2"),
        (1_500_000, '0.0,,"M"', "1.5M"),
        (123456789, "000-00-0000", "123-45-6789"),
        (7, "00000", "00007"),
        (2.5, "0.##", "2.5"),
        (2.005, "0.00", "2.01"),
        (120, '[>=100]"high";"low"', "high"),
        (3, '0" units"', "3 units"),
        (46083, "yyyy-mm-dd", "2026-03-02"),
        (46083, "mm-dd-yy", "2026-03-02"),
        (46083, "d mmm yyyy", "2 Mar 2026"),
        (46083, "[$-409]dddd, mmmm d, yyyy;@", "Monday, March 2, 2026"),
        (46083, 'yyyy"年"m"月"d"日"', "2026年3月2日"),
        (46083.5, "m/d/yy h:mm", "2026-03-02 12:00"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (46083.123456, "yyyy-mm-dd hh:mm:ss.000", "2026-03-02 02:57:46.598"),
        (99_999_999_999, "yyyy-mm-dd", "99999999999"),
        (-3, "yyyy-mm-dd", "-3"),
    ],
)
def test_a_number_is_as_it_is_shown(value: float, code: str, text: str) -> None:
    assert shown(value, code, EPOCH) == text


def test_a_sheet_is_a_section_with_a_table_whose_header_is_known() -> None:
    document = read(book(Sales=[["Region", "Units"], ["North", 5], ["South", 7]], Codes=[["Code", "Use"], ["N", "x"]]))
    assert [block.section_path for block in document.blocks] == [("Sales",), ("Sales",), ("Codes",), ("Codes",)]
    assert tables(document) == [(("Region", "Units"), ("North", "5"), ("South", "7")), (("Code", "Use"), ("N", "x"))]
    found = table_of(document.text, document.blocks[1])
    assert found is not None
    assert found.header == "| Region | Units |"
    assert route(document, uri="a.xlsx").recipe == "structure"


def test_formats_dates_and_truth_values_are_as_shown() -> None:
    made = book(S=[["When", "Share", "Open"], [datetime.date(2026, 3, 2), 0.125, True]])
    made["S"]["B2"].number_format = "0.0%"
    assert tables(read(made))[0][1] == ("2026-03-02", "12.5%", "TRUE")


def test_merged_cells_have_their_text_in_the_first_place() -> None:
    made = book(S=[["Region", "2026", None], [None, "Q1", "Q2"], ["North", 5, 6], ["South", 7, 8]])
    made["S"].merge_cells("B1:C1")
    made["S"].merge_cells("A1:A2")
    assert tables(read(made))[0][:2] == (("Region", "2026", ""), ("", "Q1", "Q2"))


def test_a_title_above_a_table_is_its_caption_and_text_before_it_a_paragraph() -> None:
    document = read(book(S=[["A report on sales"], ["Sales by region"], ["Region", "Units"], ["North", 5]]))
    assert texts(document, Kind.PARAGRAPH) == ["A report on sales"]
    assert texts(document, Kind.CAPTION) == ["Sales by region"]
    assert tables(document) == [(("Region", "Units"), ("North", "5"))]


def test_an_empty_row_parts_tables_unless_the_second_goes_on_with_the_first() -> None:
    rows = [["Region", "Units"], ["North", 5], [], ["Code", "Meaning"], ["N", "North"]]
    assert [table[0] for table in tables(read(book(S=rows)))] == [("Region", "Units"), ("Code", "Meaning")]
    rows = [["Region", "Units"], ["North", 5], [], ["Total", 5]]
    assert tables(read(book(S=rows))) == [(("Region", "Units"), ("North", "5"), ("Total", "5"))]


def test_tables_side_by_side_are_two_and_a_column_that_gives_room_parts_nothing() -> None:
    rows = [
        ["Region", "Units", None, "Code", "Meaning"],
        ["North", 5, None, "N", "North"],
        ["South", 7, None, "S", "S."],
    ]
    assert [table[0] for table in tables(read(book(S=rows)))] == [("Region", "Units"), ("Code", "Meaning")]
    rows = [["Item", None, 2025, None, 2026], ["Cash", None, 5, None, 6], ["Debt", None, 7, None, 8]]
    assert tables(read(book(S=rows))) == [(("Item", "2025", "2026"), ("Cash", "5", "6"), ("Debt", "7", "8"))]
    rows = [[None, None, None, 2025, 2026], ["1", "Cash", None, 5, 6], ["2", "Debt", None, 7, 8]]
    assert tables(read(book(S=rows))) == [(("", "", "2025", "2026"), ("1", "Cash", "5", "6"), ("2", "Debt", "7", "8"))]


def test_a_column_of_sentences_is_text() -> None:
    first = "This workbook holds the sales of the first quarter, by region and by product."
    second = "Ask the people of controlling before you change any of the numbers in it."
    document = read(book(About=[[first], [second]]))
    assert texts(document, Kind.PARAGRAPH) == [first, second]


def test_a_hidden_sheet_is_left_out_and_named_while_hidden_rows_are_read() -> None:
    made = book(S=[["Region", "Units"], ["North", 5], ["South", 7]], Lists=[["secret", "list"], ["a", "b"]])
    made["Lists"].sheet_state = "hidden"
    made["S"].row_dimensions[3].hidden = True  # as a filter does
    parsed = SpreadsheetParser().parse(saved(made), XLSX, Settings())
    assert "secret" not in parsed.document.text
    assert "secret" in parsed.left_out
    assert parsed.document.warnings == ("the hidden sheet 'Lists' is left out",)
    assert ("South", "7") in tables(parsed.document)[0]


def test_a_formula_without_a_value_stands_as_it_is_and_is_a_warning() -> None:
    document = read(book(S=[["a", "b"], [1, "=A2*2"]]))
    assert tables(document)[0][1] == ("1", "=A2*2")
    assert any("1 formulas have no stored value" in warning for warning in document.warnings)


def test_comments_follow_the_table_with_their_cell() -> None:
    made = book(S=[["a", "b"], [1, 2]])
    made["S"]["B2"].comment = Comment("Ann: Checked twice", "Ann")
    assert texts(read(made), Kind.FOOTNOTE) == ["B2 (Ann): Checked twice"]


def test_properties_become_metadata_and_a_file_without_a_day_has_none() -> None:
    made = book(S=[["a", "b"], [1, 2]])
    made.properties.title, made.properties.creator, made.properties.keywords = "Sales", "Ann Lee", "q1, north"
    document = read(made)
    assert (document.title, document.author, document.tags) == ("Sales", "Ann Lee", ("q1", "north"))
    bare = BytesIO()
    with zipfile.ZipFile(BytesIO(saved(made))) as source, zipfile.ZipFile(bare, "w") as target:
        for name in source.namelist():
            if name != "docProps/core.xml":
                target.writestr(name, source.read(name))
    assert parse(bare.getvalue(), uri="a.xlsx").date is None


def test_a_sheet_that_claims_a_million_rows_is_as_fast_as_what_it_holds() -> None:
    made = book(S=[["a", "b"], *([n, n] for n in range(10))])
    made["S"].cell(1_048_576, 16_384, "far away")
    started = time.monotonic()
    document = read(made)
    assert time.monotonic() - started < 10
    assert len(tables(document)[0]) == 11
    assert texts(document, Kind.PARAGRAPH) == ["far away"]


@pytest.mark.parametrize(
    "rows",
    [
        {2 * n: {1: "label", 2: str(n), 3: "5"} for n in range(1, 60_000)},
        {2 * n: {1: "label", 2: "words"} for n in range(1, 60_000)},
        {n: {column: "x" for column in range(1, 3000) if column % 3} for n in range(1, 100)},
        {n: {3 * n: "a", 3 * n + 1: "b"} for n in range(1, 1000)},
    ],
    ids=["gaps in a table", "many tables", "many side by side", "a staircase"],
)
def test_sheets_of_any_shape_take_linear_time(rows: dict[int, dict[int, str]]) -> None:
    started = time.monotonic()
    found = list(drafts(rows))
    assert time.monotonic() - started < 15
    assert sum(bool(cell) for draft in found for row in draft.rows or ((draft.text,),) for cell in row) == sum(
        map(len, rows.values())
    )


def changed(data: bytes, *pairs: tuple[bytes, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            for old, new in pairs:
                part = part.replace(old, new)
            target.writestr(name, part)
    return made.getvalue()


def test_strict_open_xml_and_styles_that_the_library_refuses_are_read() -> None:
    made = book(S=[["When", "Share"], [datetime.date(2026, 3, 2), 0.125]])
    made["S"]["B2"].number_format = '0.0"%%"'
    strict = changed(
        saved(made),
        (
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        ),
        (
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        ),
    )
    odd = changed(saved(made), (b'<patternFill patternType="gray125"', b'<patternFill patternType="of-its-own"'))
    for data in (strict, odd):
        document = parse(data, uri="a.xlsx")
        assert tables(document) == [(("When", "Share"), ("2026-03-02", "0.1%%"))]


def test_a_workbook_with_macros_is_read_and_a_damaged_one_is_an_error() -> None:
    made = saved(book(S=[["a", "b"], [1, 2]]))
    main = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    macros = changed(made, (main, b"application/vnd.ms-excel.sheet.macroEnabled.main+xml"))
    assert tables(parse(macros, uri="a.xlsm")) == [(("a", "b"), ("1", "2"))]
    with pytest.raises(ParseError, match="damaged"):
        parse(changed(made, (b"</sheetData>", b"<broken")), uri="a.xlsx")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["Name", "Age"], ["Ann", "34"]], True),
        ([["", "2025", "2026"], ["Cash", "1,204", "(33)"]], True),
        ([["1", "Ann", "34"], ["2", "Bob", "35"], ["3", "Carol", "36"]], False),
        ([["2026-03-01", "5"], ["2026-03-02", "6"]], False),
        ([["Item", "2026-01", "2026-02"], ["a", "5", "6"]], True),
        ([["1", "2", "3"], ["0.5", "0.6", "0.7"]], True),
        ([["only", "one"]], False),
    ],
)
def test_a_header_names_columns_and_holds_no_figures_like_those_below(rows: list[list[str]], expected: bool) -> None:
    assert has_header(rows) is expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1,204.50", "number"), ("(33)", "number"), ("$5", "number"), ("-12.5%", "number"), ("5 €", "number"),
        ("1e5", "number"), ("2026", "year"), ("2026-03-02", "time"), ("3/2/26", "time"), ("14:30", "time"),
        ("2 Mar 2026", "time"), ("Q1", "text"), ("A5", "text"), ("", ""), ("5 apples", "text"), ("(", "text"),
    ],
)  # fmt: skip
def test_figures_are_told_from_text(cell: str, expected: str) -> None:
    assert shape(cell) == expected
