"""Tables of real documents: no row is cut that fits, and every part but the first has the header row above it."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from timing import processor_seconds
from word_pieces import word_pieces

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.document import Block, Document, Kind
from chunkers.tables import header_rows, table_of
from corpus.errors import DocumentError
from corpus.parsers import parse

EXAMPLES = Path(__file__).parents[2] / "examples"
KINDS = (".html", ".htm", ".docx", ".pptx", ".md", ".rst", ".csv", ".pdf")
LARGEST = 400_000  #: bytes; what is larger takes too long for a test


def documents(folder: Path) -> list[tuple[str, Document]]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in KINDS or path.stat().st_size > LARGEST:
            continue
        try:
            document = parse(path.read_bytes(), uri=path.name)
        except DocumentError:
            continue
        if any(block.kind is Kind.TABLE for block in document.blocks):
            found.append((path.name, document))
    return found


def rows_of(document: Document, table: Block) -> list[tuple[int, int]]:
    """The lines that hold cells: those of the block, found by the first cells of the rows that the parser saw."""
    found, at = [], table.start
    for line in document.text[table.start : table.end].split("\n"):
        if line.strip():
            found.append((at, at + len(line.rstrip())))
        at += len(line) + 1
    return found


def words(text: str) -> list[str]:
    return [word for word in text.replace("|", " ").replace("…", " ").split() if any(map(str.isalnum, word))]


def check(name: str, document: Document, recipe: str, size: int | None) -> int:
    """Cut, look at every table that was cut between rows; how many parts had a header to repeat."""
    ruler = word_pieces()
    children = cut(UUID(int=1), document, build(recipe, {"size": size} if size else {}), ruler).children
    parts = 0
    for table in (block for block in document.blocks if block.kind is Kind.TABLE and block.rows):
        rows = rows_of(document, table)
        if len(rows) != len(table.rows or ()):  # ruled, or with line breaks in quoted cells: not one line a row
            continue
        holding = [child for child in children if child.start < table.end and table.start < child.end]
        for start, end in rows:
            if any(child.start <= start and end <= child.end for child in holding):
                continue
            alone = ruler.count([document.text[start:end]])[0]
            above = max(ruler.count([child.header for child in holding]))
            room = min(size or ruler.cap, ruler.cap - ruler.overhead - above - 2)
            assert alone > room - 4, (name, recipe, size, document.text[start:end])
        named = header_rows(table.rows or ())
        if not named:
            continue
        last = words(document.text[slice(*rows[named - 1])])
        for child in holding:
            if child.start >= rows[named - 1][1]:
                shown = words(child.header.partition("\n")[2] or child.header)
                assert last[:1] == [] or last[0] in shown, (name, recipe, size, child.header, child.text[:80])
                parts += 1
    return parts


@pytest.mark.parametrize("folder", ["html", "office", "pdfs"])
def test_tables_of_real_files_are_cut_between_rows_under_their_header(data_folder: Path, folder: str) -> None:
    found = documents(data_folder / folder)
    assert found
    parts = [
        check(name, document, recipe, size)
        for name, document in found
        for recipe in ("layout", "structure")
        for size in (None, 60, 120)
    ]
    assert folder == "office" or sum(parts) > 0


def test_tables_of_the_examples_are_cut_between_rows_under_their_header() -> None:
    found = documents(EXAMPLES)
    assert found
    parts = [check(name, document, "structure", size) for name, document in found for size in (None, 60, 120)]
    assert sum(parts) > 10


ROWS = "\n".join(f"| Region {number} | {number * 3} | {number * 7} | {number / 10} |" for number in range(60))
STACKED = f"| Sales by region |  |  |  |\n|  | 2023 |  | Share |\n| Region | Spring | Autumn | of all |\n{ROWS}"


@pytest.mark.parametrize("recipe", ["layout", "structure"])
@pytest.mark.parametrize("size", [40, 60, 120, None])
def test_a_header_of_several_rows_is_repeated_in_every_part(recipe: str, size: int | None) -> None:
    document = Document(
        text=STACKED,
        blocks=(Block(Kind.TABLE, 0, len(STACKED), rows=cells(STACKED)),),
        media_type="application/pdf",
        text_is_source=False,
    )
    first, *others = cut(UUID(int=1), document, build(recipe, {"size": size} if size else {}), word_pieces()).children
    assert first.text.startswith("| Sales by region |")
    assert others
    for child in others:
        if "Region 0 " not in child.text and child.start > STACKED.index("Region 0 "):
            assert "| Region | Spring | Autumn | of all |" in child.header
            assert all(line.count("|") == 5 for line in child.text.split("\n"))


TWO_STOREYS = "| Year | Flour | |\n| | kg | € |\n| --- | --- | --- |\n" + "\n".join(
    f"| {1990 + number} | {3 * number} | {7 * number} |" for number in range(40)
)


@pytest.mark.parametrize("gap", ["", "\n"])
def test_all_rows_above_the_rule_are_repeated_and_a_blank_line_is_no_row(gap: str) -> None:
    first, *rest = TWO_STOREYS.split("\n| 2010")
    text = f"{first}\n{gap}| 2010{rest[0]}"
    block = Block(Kind.TABLE, 0, len(text), rows=tuple(row for row in cells(text) if any(row) and "---" not in row))
    table = table_of(text, block)
    assert table is not None
    assert table.header == "| Year | Flour |\n| | kg | € |"  # without blank cells at the end
    assert [text[a:b].strip() for a, b in table.rows[2:]] == text.replace("\n\n", "\n").split("\n")[3:]


def test_a_long_row_that_is_nearly_a_rule_takes_no_time() -> None:
    text = f"| a | b |\n|{'-' * 100_000}x |\n| 1 | 2 |"
    block = Block(Kind.TABLE, 0, len(text), rows=(("a", "b"), ("-", ""), ("1", "2")))
    assert processor_seconds(lambda: table_of(text, block)) < 0.5


def cells(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.split("\n"))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("Name", "Age"), ("Ann", "3"), ("Ben", "4")], 1),
        ([("Ann", "3"), ("Ben", "4"), ("Cem", "5")], 0),
        ([("Report", "", ""), ("Name", "Role", "City"), ("Ann", "cook", "Ulm"), ("Ben", "smith", "Bonn")], 2),
        ([("", "2023", ""), ("Name", "Spring", "Autumn"), ("Ann", "1", "2"), ("Ben", "3", "4")], 2),
        ([("", "File", ""), ("F", "Y", "yes"), ("H", "N", "no")], 1),
        ([("Site", "10", "20", "30"), ("A", "0.8", "0.7", "0.9"), ("B", "0.1", "0.2", "0.4")], 1),
        ([("Site", "10", "25", "30"), ("A", "11", "24", "31"), ("B", "9", "28", "33")], 0),
        ([("Name", "City"), ("Ann", "Ulm"), ("", "Bonn")], 1),
        ([("Only", "row")], 0),
    ],
)
def test_the_rows_that_name_the_columns_are_known_by_what_stands_below(rows, expected: int) -> None:
    assert header_rows(rows) == expected
