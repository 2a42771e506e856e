"""Word files in raw XML, as different programs write them."""

from __future__ import annotations

import contextlib
import html
import io
import re
import zipfile
from collections import Counter
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_making import (
    SPACES,
    WORD,
    changed,
    field,
    field_begin,
    notes,
    paragraph,
    picture,
    run,
    style,
    table,
    text_box,
    word_file,
)
from test_office import saved

from chunkers.document import Document, Kind
from corpus.errors import ParseError
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.detect import DOCX, detect
from corpus.parsers.office.parser import OfficeParser

HEADINGS = style("H1", "heading 1", properties='<w:outlineLvl w:val="0"/>')


def parsed(data: bytes) -> Parsed:
    return OfficeParser().parse(data, DOCX, Settings())


def shown(document: Document) -> list[tuple[str, int | None, str]]:
    return [(b.kind.value, b.level, document.text[b.start : b.end]) for b in document.blocks]


def texts(data: bytes) -> list[str]:
    return [text for _, _, text in shown(parsed(data).document)]


CONTENTS = (
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>'
    f"{paragraph('Contents')}{paragraph('Letters 1')}</w:sdtContent></w:sdt>"
)

LONG_FIELD = (
    f"<w:p>{field_begin('TOC 1-3')}{run('Letters 1')}</w:p><w:p>{run('Boxes 2')}{field('PAGEREF x', run('2'))}"
    "<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>"
)


@pytest.mark.parametrize(
    "contents",
    [
        CONTENTS,
        LONG_FIELD,
        f"<w:p><w:fldSimple w:instr=' TOC c Table '>{run('Letters 1')}</w:fldSimple></w:p>",
        paragraph("Letters 1", "C1"),
    ],
    ids=["control", "field over paragraphs", "simple field", "style"],
)
def test_a_table_of_contents_is_left_out_and_declared(contents: str) -> None:
    data = word_file(contents + paragraph("Letters", "H1") + paragraph("Body."), styles=HEADINGS + style("C1", "toc 1"))
    result = parsed(data)
    assert [text for _, _, text in shown(result.document)] == ["# Letters", "Body."]
    assert "Letters 1" in " ".join(result.left_out)


def test_a_field_without_an_end_takes_nothing_away() -> None:
    assert texts(word_file(f"<w:p>{field_begin('TOC')}{run('kept')}</w:p>{paragraph('also')}")) == ["kept", "also"]


@pytest.mark.parametrize(
    ("styles", "used", "level"),
    [
        (style("berschrift2", "heading 2"), "berschrift2", 2),
        (style("Heading1", "heading 1") + style("Chapter", "My Chapter", "Heading1"), "Chapter", 1),
        (style("u3", "Überschrift 3"), "u3", 3),
        (style("z2", "标题 2"), "z2", 2),
        (style("z1", "Заголовок 1"), "z1", 1),
        (style("own", "Own", properties='<w:outlineLvl w:val="3"/>'), "own", 4),
        (style("ring", "Ring", "ring", '<w:outlineLvl w:val="0"/>'), "ring", 1),
    ],
)
def test_headings_are_known_by_style_in_any_language_and_by_outline(styles: str, used: str, level: int) -> None:
    assert shown(parsed(word_file(paragraph("X", used), styles=styles)).document) == [
        ("heading", level, f"{'#' * level} X")
    ]


def test_numbers_of_headings_come_from_their_styles() -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, text in enumerate(("%1.", "%1.%2"))
    )
    numbering = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    styles = "".join(
        style(
            f"H{at + 1}",
            f"heading {at + 1}",
            properties=f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="1"/></w:numPr>',
        )
        for at in (0, 1)
    )
    data = word_file(
        paragraph("A", "H1") + paragraph("B", "H2") + paragraph("C", "H2"), styles=styles, numbering=numbering
    )
    assert texts(data) == ["# 1. A", "## 1.1 B", "## 1.2 C"]


def test_footnotes_follow_their_paragraph_and_endnotes_the_text() -> None:
    def reference(kind: str, number: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'

    body = paragraph("One", inner=reference("footnote", 3)) + paragraph("Two", inner=reference("endnote", 2))
    body += paragraph("Three", inner=reference("footnote", 2))
    parts = {"footnotes.xml": notes("footnote", "second", "first"), "endnotes.xml": notes("endnote", "end")}
    assert shown(parsed(word_file(body, parts=parts)).document) == [
        ("paragraph", None, "One"),
        ("footnote", None, "[1] first"),
        ("paragraph", None, "Two"),
        ("paragraph", None, "Three"),
        ("footnote", None, "[2] second"),
        ("footnote", None, "[1] end"),
    ]


def test_what_no_reader_sees_is_left_out_and_declared() -> None:
    parts = {
        "header1.xml": ("header", f"{WORD}header+xml", f"<w:hdr {SPACES}>{paragraph('Confidential')}</w:hdr>"),
        "comments.xml": (
            "comments",
            f"{WORD}comments+xml",
            f'<w:comments {SPACES}><w:comment w:id="0">{paragraph("Really?")}</w:comment></w:comments>',
        ),
    }
    inner = run("hidden", "<w:vanish/>") + run("seen", '<w:vanish w:val="0"/>')
    inner += f"<w:moveFrom>{run('moved')}</w:moveFrom><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
    result = parsed(word_file(paragraph("Body ", inner=inner), parts=parts))
    assert result.document.text == "Body seen"
    assert set(result.left_out) == {"hidden", "moved", "deleted", "Confidential", "Really?"}


def test_what_is_in_a_text_box_is_read_once_as_what_it_is() -> None:
    inner = paragraph("Cover", "T") + f"<w:sdt><w:sdtContent>{paragraph('By Ann')}</w:sdtContent></w:sdt>"
    inner += table(("k", "v"), ("1", "2")) + paragraph("", inner=text_box(paragraph("inmost")))
    data = word_file(paragraph("", inner=text_box(inner)) + paragraph("Body."), styles=style("T", "Title"))
    assert texts(data) == ["# Cover", "By Ann", "| k | v |\n| 1 | 2 |", "inmost", "Body."]


def test_a_table_of_one_cell_is_a_frame() -> None:
    code = "".join(
        paragraph("", inner=run(line, '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/>'))
        for line in ("def f():", "    return 1")
    )
    assert shown(parsed(word_file(table((code,)))).document) == [("code", None, "def f():\n    return 1")]


def test_a_table_with_rows_and_columns_in_a_cell_is_a_table_of_its_own() -> None:
    inner = table(("a", "b"), ("c", "d"))
    document = parsed(word_file(table(("k", "v"), ("x", f"<w:p/>{inner}{paragraph('y')}")))).document
    assert [block.rows for block in document.blocks] == [(("k", "v"), ("x", "y")), (("a", "b"), ("c", "d"))]


def test_cells_that_begin_later_or_stand_in_controls_keep_their_column() -> None:
    late = f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc>{paragraph("late")}</w:tc></w:tr>'
    control = f"<w:sdt><w:sdtContent><w:tc>{paragraph('held')}</w:tc></w:sdtContent></w:sdt>"
    held = f"<w:tr>{control}<w:tc>{paragraph('free')}</w:tc></w:tr>"
    (block,) = parsed(
        word_file(f"<w:tbl>{held}<w:sdt><w:sdtContent>{late}</w:sdtContent></w:sdt></w:tbl>")
    ).document.blocks
    assert block.rows == (("held", "free"), ("", "late"))


def math(inner: str) -> str:
    return f"<m:oMath>{inner}</m:oMath>"


def mr(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f"<m:f><m:num>{mr('a+b')}</m:num><m:den>{mr('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:sSup><m:e>{mr('x')}</m:e><m:sup>{mr('n+1')}</m:sup></m:sSup>", "x^(n+1)"),
        (f"<m:sSubSup><m:e>{mr('x')}</m:e><m:sub>{mr('i')}</m:sub><m:sup>{mr('2')}</m:sup></m:sSubSup>", "x_i^2"),
        (f"<m:rad><m:deg/><m:e>{mr('y')}</m:e></m:rad>", "√(y)"),
        (f"<m:rad><m:deg>{mr('3')}</m:deg><m:e>{mr('y')}</m:e></m:rad>", "root_3(y)"),
        (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{mr("i=1")}</m:sub><m:e/></m:nary>', "∑_(i=1)"),
        (f'<m:d><m:dPr><m:begChr m:val="["/></m:dPr><m:e>{mr("a")}</m:e><m:e>{mr("b")}</m:e></m:d>', "[a|b)"),
        (f"<m:m><m:mr><m:e>{mr('1')}</m:e><m:e>{mr('2')}</m:e></m:mr><m:mr/></m:m>", "[1, 2; ]"),
        (f"<m:func><m:fName>{mr('sin')}</m:fName><m:e>{mr('x')}</m:e></m:func>", "sin x"),
    ],
)  # fmt: skip
def test_formulas_are_written_in_one_line(inner: str, text: str) -> None:
    assert texts(word_file(paragraph("Let ", inner=math(inner)))) == [f"Let {text}"]
    alone = word_file(f"<w:p><m:oMathPara>{math(inner)}</m:oMathPara></w:p>")
    assert shown(parsed(alone).document) == [("formula", None, text)]


def test_characters_that_are_no_plain_text_are_read_as_they_are_shown() -> None:
    inner = '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'
    inner += (
        run(" co\u00adop")
        + "<w:r><w:softHyphen/></w:r>"
        + run("erate non")
        + "<w:r><w:noBreakHyphen/></w:r>"
        + run("stop ")
    )
    inner += f"<w:r><w:ruby><w:rt>{run('かん')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby></w:r>"
    assert texts(word_file(paragraph("x", inner=inner))) == ["xα✓ cooperate non-stop 漢(かん)"]


def test_pictures_are_read_by_their_descriptions_or_named_in_a_warning() -> None:
    body = paragraph("", inner=picture("A map of the harbour with three piers"))
    body += paragraph("", inner=picture("A picture containing text, boat Description automatically generated"))
    document = parsed(word_file(body + paragraph("Figure 1. The harbour"))).document
    assert shown(document) == [
        ("paragraph", None, "A map of the harbour with three piers"),
        ("caption", None, "Figure 1. The harbour"),
    ]
    assert document.warnings == ("a picture was not read",)


def test_embedded_objects_are_named_in_a_warning() -> None:
    inner = '<w:r><w:object><v:shape><v:imagedata/></v:shape><o:OLEObject ProgID="Excel.Sheet.12"/></w:object></w:r>'
    document = parsed(word_file(paragraph("Body.", inner=inner))).document
    assert document.warnings == ("an embedded object (Excel.Sheet.12) was not read",)


def test_files_that_were_inserted_as_a_whole_are_missing() -> None:
    chunk = {"a.html": ("aFChunk", "text/html", "<p>x</p>")}
    assert parsed(word_file(f"{paragraph('Body.')}<w:altChunk r:id='rId10'/>", parts=chunk)).document.missing
    with pytest.raises(ParseError, match="inserted as a whole"):
        parsed(word_file("<w:altChunk r:id='rId10'/>", parts=chunk))


def point(index: int, value: str) -> str:
    return f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>'


CHART = (
    f"<c:chartSpace {SPACES}><c:chart><c:title><a:p><a:r><a:t>Letters</a:t></a:r></a:p></c:title>"
    f"<c:plotArea><c:barChart><c:ser><c:tx><c:strCache>{point(0, 'North')}</c:strCache></c:tx><c:cat><c:numRef>"
    "<c:numCache><c:formatCode>"
    f"d/m/yyyy</c:formatCode>{point(0, '46000')}{point(1, '46001')}</c:numCache></c:numRef></c:cat><c:val><c:numCache>"
    f"{point(0, '1234567')}{point(1, '0.1')}</c:numCache></c:val></c:ser></c:barChart><c:valAx><c:title><a:p><a:r><a:t>"
    "count</a:t></a:r></a:p></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>"
)
DIAGRAM = (
    f"<dgm:dataModel {SPACES}><dgm:pt><a:p><a:r><a:t>Collect</a:t></a:r></a:p></dgm:pt>"
    "<dgm:pt><a:p><a:r><a:t>Sort</a:t></a:r></a:p></dgm:pt></dgm:dataModel>"
)


def test_charts_are_tables_and_diagrams_are_lists() -> None:
    inner = '<w:r><w:drawing><c:chart r:id="rId10"/></w:drawing></w:r>'
    inner += '<w:r><w:drawing><dgm:relIds r:dm="rId11"/></w:drawing></w:r>'
    parts = {
        "charts/chart1.xml": ("chart", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", CHART),
        "diagrams/data1.xml": ("diagramData", "application/xml", DIAGRAM),
    }
    document = parsed(word_file(paragraph("", inner=inner), parts=parts)).document
    assert shown(document) == [
        ("caption", None, "Letters (count)"),
        ("table", None, "|  | North |\n| 2025-12-09 | 1234567 |\n| 2025-12-10 | 0.1 |"),
        ("list_item", 1, "- Collect"),
        ("list_item", 1, "- Sort"),
    ]
    assert not document.missing


def test_a_chart_that_is_not_in_the_file_is_missing() -> None:
    inner = '<w:r><w:drawing><c:chart r:id="rId77"/></w:drawing></w:r>'
    assert parsed(word_file(paragraph("x", inner=inner))).document.missing == ("a chart that the file does not hold",)


@pytest.mark.parametrize(
    "main",
    [
        f"{WORD}template.main+xml",
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    ],
)
def test_templates_and_files_with_macros_are_read(main: str) -> None:
    macros = {"vbaProject.bin": ("x/vbaProject", "application/vnd.ms-office.vbaProject", "no program")}
    assert texts(word_file(paragraph("Body."), main=main, parts=macros)) == ["Body."]


def test_the_strict_form_is_read() -> None:
    def strict(_: str, part: bytes) -> bytes:
        part = part.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006", b"http://purl.oclc.org/ooxml/wordprocessingml"
        )
        return part.replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006", b"http://purl.oclc.org/ooxml/officeDocument"
        )

    data = word_file(paragraph("Letters", "H1") + table(("a", "b"), ("c", "d")), styles=HEADINGS)
    assert texts(changed(data, strict)) == ["# Letters", "| a | b |\n| c | d |"]


def test_parts_that_are_not_there_do_not_hide_those_that_are() -> None:
    parts = {
        "media/a.png": ("image", "image/png", "x"),
        "footnotes.xml": notes("footnote", "lost"),
    }
    data = word_file(paragraph("Body."), parts=parts)
    document = parsed(changed(data, lambda name, part: None if name[5:] in parts else part)).document
    assert document.text == "Body."
    assert document.warnings == ("the file does not hold its part word/media/a.png",)
    assert document.missing == ("the file does not hold its part word/footnotes.xml",)


def test_a_file_without_properties_has_none() -> None:
    document = parsed(word_file(paragraph("Body."))).document
    assert (document.title, document.author, document.date, document.tags) == (None, None, None, ())


def test_subject_and_keywords_are_description_and_tags() -> None:
    made = docx.Document()
    made.core_properties.subject, made.core_properties.keywords = "Of boxes", "boxes; letters, boxes"
    made.add_paragraph("Body.")
    document = parsed(saved(made)).document
    assert (document.description, document.tags) == ("Of boxes", ("boxes", "letters"))


def crude_words(data: bytes) -> Counter[str]:
    """Words of the runs of body and notes, with no library but zip and regular expressions."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        names = [
            name
            for name in source.namelist()
            if re.fullmatch(r"word/(document|footnotes|endnotes)\.xml|ppt/slides/slide\d+\.xml", name)
        ]
        paragraphs = [
            part for name in names for part in re.split(r"</[aw]:p>|<[aw]:(?:br|tab|cr)\b", source.read(name).decode())
        ]
    runs = ("".join(re.findall(r"<[aw]:t(?: [^<>]*)?>([^<]*)<", part)) for part in paragraphs)
    return Counter(re.findall(r"\w+", html.unescape(" ".join(runs))))


W = st.from_regex(r"[a-zäж中]{2,6}\d{2}", fullmatch=True)
PIECES = st.recursive(
    W.map(paragraph)
    | W.map(lambda word: paragraph(word, "H1"))
    | W.map(lambda word: paragraph("", inner=f"<w:ins>{run(word)}</w:ins>"))
    | W.map(lambda word: paragraph("", inner=f"<w:hyperlink>{run(word)}</w:hyperlink>"))
    | W.map(lambda word: paragraph("x ", inner=field("REF a", run(word))))
    | st.tuples(W, W).map(lambda words: table(words, words)),
    lambda inner: (
        inner.map(lambda markup: paragraph("", inner=text_box(markup)))
        | inner.map(lambda markup: f"<w:sdt><w:sdtContent>{markup}</w:sdtContent></w:sdt>")
        | inner.map(lambda markup: table((markup + "<w:p/>",)))
        | st.tuples(inner, inner).map(
            lambda pair: table((f"<w:p/>{pair[0]}<w:p/>", "a"), ("b", f"<w:p/>{pair[1]}<w:p/>"))
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=4), W)
def test_every_word_of_body_boxes_and_notes_arrives(pieces: list[str], note: str) -> None:
    body = "".join(pieces) + paragraph("end", inner='<w:r><w:footnoteReference w:id="2"/></w:r>')
    result = parsed(word_file(body, styles=HEADINGS, parts={"footnotes.xml": notes("footnote", note)}))
    document = result.document
    arrived = " ".join(document.text[block.start : block.end] for block in document.blocks)
    expected = [*re.findall(r"[a-zäж中]{2,6}\d{2}", re.sub(r"<mc:Fallback>.*?</mc:Fallback>", " ", body)), note]
    found = Counter(re.findall(r"[a-zäж中]{2,6}\d{2}", arrived))
    for word in expected:
        assert found[word], word
    assert not document.missing


@pytest.mark.parametrize(
    "name", ["code.docx", "hdrftr.docx", "lists.docx", "textbox.docx", "sample.pptx", "handbook872.docx"]
)
def test_every_word_of_real_files_arrives(data_folder: Path, name: str) -> None:
    data = (data_folder / "office" / name).read_bytes()
    result = OfficeParser().parse(data, detect(data, name), Settings())
    left_out = Counter(re.findall(r"\w+", " ".join(result.left_out)))
    assert not crude_words(data) - left_out - Counter(re.findall(r"\w+", result.document.text))


def test_tables_in_text_boxes_are_tables() -> None:
    document = parsed(word_file(paragraph("x", inner=text_box(table(("k", "v"), ("1", "2")))))).document
    assert [block.kind for block in document.blocks] == [Kind.PARAGRAPH, Kind.TABLE]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["<", "</w:t>", "w:val", '"1"', "w:p", "rId", "styles", "Relationship", "numId"]), st.data())
def test_damage_is_a_parse_error_or_read_over(mark: str, data: st.DataObject) -> None:
    good = word_file(
        paragraph("Letters", "H1") + table(("a", "b"), ("c", "d")) + paragraph("end", inner=text_box(paragraph("box"))),
        styles=HEADINGS,
        parts={"footnotes.xml": notes("footnote", "x")},
    )
    at = data.draw(st.integers(0, 30))
    new = data.draw(st.sampled_from(["", "x", "-1", "99999999999"]))

    def damage(_: str, part: bytes) -> bytes:
        pieces = part.decode().split(mark)
        where = at % len(pieces)
        return (mark.join(pieces[:where]) + new + mark.join(pieces[where:])).encode()

    with contextlib.suppress(ParseError):
        assert parsed(changed(good, damage)).document.text
