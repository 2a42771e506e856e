from __future__ import annotations

import csv
import time
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind, uncovered
from chunkers.router import route
from chunkers.tables import table_of
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.delimited.parser import DelimitedParser


def tables(document: Document) -> list[tuple[tuple[str, ...], ...]]:
    return [block.rows for block in document.blocks if block.rows is not None]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("a,b\n1,2\n3,4\n", (("a", "b"), ("1", "2"), ("3", "4"))),
        ("a;b\n1,5;2,0\n3,1;4,9\n", (("a", "b"), ("1,5", "2,0"), ("3,1", "4,9"))),
        ("a\tb\n1\t2\n3\t4\n", (("a", "b"), ("1", "2"), ("3", "4"))),
        ("a|b\n1|2\n3|4\n", (("a", "b"), ("1", "2"), ("3", "4"))),
        ("sep=;\na;b\n1;2\n", (("a", "b"), ("1", "2"))),
        ('a,b\n"x, y","He said ""no"""\n', (("a", "b"), ("x, y", 'He said "no"'))),
        ('a,b\n"two\nlines",2\n3,4\n', (("a", "b"), ("two lines", "2"), ("3", "4"))),
        ('a, b\n1, "x, y"\n2, z\n', (("a", "b"), ("1", "x, y"), ("2", "z"))),
        ("a,b,c\n1,2\n3,4,5\n", (("a", "b", "c"), ("1", "2", ""), ("3", "4", "5"))),
        ("name\nAnn\nBob\nCarol\n", (("name",), ("Ann",), ("Bob",), ("Carol",))),
        ("\ufeffид;имя\r\n1;Анна\r\n2;Борис\r\n", (("ид", "имя"), ("1", "Анна"), ("2", "Борис"))),
        ('h1,h2\n5" pipe,1\n6" pipe,2\n', (("h1", "h2"), ('5" pipe', "1"), ('6" pipe', "2"))),
        ('a,b\n"never closed,1\nx,2\ny,3\n', (("a", "b"), ('"never closed', "1"), ("x", "2"), ("y", "3"))),
    ],
)  # fmt: skip
def test_rows_are_the_cells_of_each_record(source: str, rows: tuple[tuple[str, ...], ...]) -> None:
    document = parse(source.encode(), uri="a.csv")
    assert tables(document) == [rows]
    assert document.text_is_source
    assert document.media_type == "text/csv"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "cp1251"])
def test_an_encoding_is_found_out(encoding: str) -> None:
    text = "имя;город\nАнна;Москва\nБорис;Казань\n" if encoding == "cp1251" else "Name;Größe\nMüller;5\nKöhler;7\n"
    document = parse(text.encode(encoding), uri="a.csv")
    assert document.text == text


def test_titles_above_a_table_are_paragraphs_and_an_empty_line_parts_tables_of_other_columns() -> None:
    source = "Sales report\n\nregion,units\nNorth,5\nSouth,7\n\ncode,meaning,since\nN,North,2020\nS,South,2021\n"
    document = parse(source.encode(), uri="a.csv")
    kinds = [(block.kind, document.text[block.start : block.end].split("\n")[0]) for block in document.blocks]
    assert kinds == [
        (Kind.PARAGRAPH, "Sales report"),
        (Kind.TABLE, "region,units"),
        (Kind.TABLE, "code,meaning,since"),
    ]


def test_an_empty_line_amid_rows_of_one_table_parts_nothing() -> None:
    document = parse(b"region,units\nNorth,5\n\nSouth,7\n", uri="a.csv")
    assert tables(document) == [(("region", "units"), ("North", "5"), ("South", "7"))]


def test_prose_under_the_name_of_a_table_is_text() -> None:
    prose = "This is no table at all.\n\nIt has a comma, here. And this sentence has none of them.\n\nThe end\n"
    document = parse(prose.encode(), uri="a.csv")
    assert {block.kind for block in document.blocks} == {Kind.PARAGRAPH}


def test_a_table_is_cut_between_rows_also_where_a_cell_has_several_lines() -> None:
    rows = "".join(f'{n},"first line of {n}\nsecond line of {n}"\n' for n in range(50))
    document = parse(f"id,note\n{rows}".encode(), uri="a.csv")
    found = table_of(document.text, document.blocks[0])
    assert found is not None
    assert found.header == "id,note"
    assert [document.text[a:b].strip() for a, b in found.rows][1:3] == [
        '0,"first line of 0\nsecond line of 0"',
        '1,"first line of 1\nsecond line of 1"',
    ]
    assert len(found.rows) == 51


def test_without_a_header_no_row_is_repeated_as_one() -> None:
    document = parse(b"1,North,2026-03-01\n2,South,2026-03-02\n3,East,2026-03-03\n", uri="a.csv")
    found = table_of(document.text, document.blocks[0])
    assert found is not None
    assert found.header == ""


def test_a_table_gets_the_recipe_that_cuts_between_rows() -> None:
    document = parse(b"a,b\n1,2\n3,4\n", uri="a.csv")
    assert route(document, uri="a.csv").recipe == "structure"


def test_a_hundred_thousand_rows_take_seconds() -> None:
    source = "id,name,amount\n" + "".join(f'{n},"Person {n}, Jr.",{n}.50\n' for n in range(100_000))
    started = time.monotonic()
    document = parse(source.encode(), uri="a.csv")
    assert time.monotonic() - started < 20
    assert len(document.blocks) == 1
    assert document.blocks[0].rows is not None
    assert len(document.blocks[0].rows) == 100_001


CELLS = st.text(st.sampled_from('abc ,;\t|"\n5é'), max_size=6)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=8), st.sampled_from(",;\t|"))
@settings(max_examples=150, deadline=None)
def test_every_character_lies_in_a_block_and_rows_stay_whole(rows: list[list[str]], delimiter: str) -> None:
    written = StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows(rows)
    document = DelimitedParser().parse(written.getvalue().encode(), "text/csv", Settings()).document
    spans = [(block.start, block.end) for block in document.blocks]
    assert not [
        document.text[a:b] for a, b in uncovered(document, spans) if any(c.isalnum() for c in document.text[a:b])
    ]


@given(
    st.lists(
        st.lists(st.text(st.sampled_from('abc ,"\n5é'), min_size=1, max_size=6), min_size=3, max_size=3),
        min_size=3,
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_what_a_writer_of_csv_wrote_comes_back(rows: list[list[str]]) -> None:
    written = StringIO()
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    document = DelimitedParser().parse(written.getvalue().encode(), "text/csv", Settings()).document
    expected = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    found = [row for table in tables(document) for row in table]
    titles = "".join(document.text[b.start : b.end] for b in document.blocks if b.rows is None)
    texts = titles.replace('""', '"')  # a quote in a cell is written twice, and a title stands as it is written
    assert [row for row in expected if any(row) and row not in found and not all(cell in texts for cell in row)] == []
