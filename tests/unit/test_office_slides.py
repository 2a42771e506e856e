"""PowerPoint files with what python-pptx cannot make put into their XML."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from office_making import SPACES, changed
from pptx.util import Inches
from test_office import add_slide, saved

from chunkers.document import Document
from corpus.errors import LimitExceeded
from corpus.parsers import progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.detect import PPTX
from corpus.parsers.office.parser import OfficeParser

PML = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
ONE_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)


def parsed(build: Callable[[Any], None], pages: int = 5000) -> Parsed:
    made = pptx.Presentation()
    build(made)
    return OfficeParser().parse(saved(made), PPTX, Settings(pages=pages))


def shown(document: Document) -> list[tuple[str, int | None, str]]:
    return [(b.kind.value, b.level, document.text[b.start : b.end]) for b in document.blocks]


def append(element: Any, markup: str) -> None:
    element.append(etree.fromstring(f"<x {SPACES} {PML}>{markup}</x>")[0])


def shape(number: int, text: str, placeholder: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="S"/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr>'
        '<p:spPr><a:xfrm><a:off x="914400" y="5486400"/><a:ext cx="300000" cy="400000"/></a:xfrm></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_more_slides_than_allowed_are_refused_with_the_numbers() -> None:
    def build(made: Any) -> None:
        for _ in range(3):
            add_slide(made, 5, "Numbers")

    with pytest.raises(LimitExceeded, match="3 slides, the limit is 2"):
        parsed(build, pages=2)
    assert len(parsed(build, pages=3).document.blocks) == 3
    assert OfficeParser.reads == {"pages"}


def test_it_says_which_slide_it_has_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(progress, "_listeners", [lambda place, _: heard.append(place)])
    parsed(lambda made: [add_slide(made, 5, "Numbers") for _ in range(2)])
    assert heard == ["slide 1 of 2", "slide 2 of 2"]


def test_hidden_slides_are_read_and_said_to_be_hidden() -> None:
    document = parsed(lambda made: add_slide(made, 5, "Backup")._element.set("show", "0")).document
    assert document.text == "# Backup"
    assert document.warnings == ("slide 1 is hidden in the show; it was read",)


def test_of_a_shape_in_two_versions_the_newer_one_is_read() -> None:
    versions = (
        f"<mc:AlternateContent><mc:Choice Requires='p14'>{shape(77, 'new')}</mc:Choice>"
        f"<mc:Fallback>{shape(77, 'old')}</mc:Fallback></mc:AlternateContent>"
    )
    document = parsed(lambda made: append(add_slide(made, 5, "T").shapes._spTree, versions)).document
    assert [text for _, _, text in shown(document)] == ["# T", "new"]


def test_formulas_on_slides_are_read() -> None:
    formula = (
        "<a:p><a:r><a:t>Let </a:t></a:r><mc:AlternateContent><mc:Choice Requires='a14'><a:m><m:oMathPara><m:oMath><m:f>"
        "<m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></a:m>"
        "</mc:Choice><mc:Fallback><a:r><a:t>?</a:t></a:r></mc:Fallback></mc:AlternateContent></a:p>"
    )

    def build(made: Any) -> None:
        slide = add_slide(made, 1, "T", [(0, "one")])
        append(slide.placeholders[1].text_frame._txBody, formula)

    assert shown(parsed(build).document)[1:] == [("list_item", 1, "- one"), ("list_item", 1, "- Let a/b")]


def test_footers_dates_and_slide_numbers_are_left_out_and_declared() -> None:
    def build(made: Any) -> None:
        tree = add_slide(made, 5, "T").shapes._spTree
        for number, kind in enumerate(("ftr", "dt", "sldNum"), 50):
            append(tree, shape(number, f"GONE {kind}", f'<p:ph type="{kind}" sz="quarter" idx="{number}"/>'))

    result = parsed(build)
    assert result.document.text == "# T"
    assert set(result.left_out) == {"GONE ftr", "GONE dt", "GONE sldNum"}


def test_numbered_lists_have_their_numbers() -> None:
    def build(made: Any) -> None:
        slide = add_slide(made, 1, "T", [(0, "a"), (1, "b"), (1, "c"), (0, "d"), (0, "e")])
        for at, paragraph in enumerate(slide.placeholders[1].text_frame.paragraphs):
            if at < 4:
                append(paragraph._p.get_or_add_pPr(), '<a:buAutoNum type="arabicPeriod"/>')

    assert [text for _, _, text in shown(parsed(build).document)[1:]] == ["1. a", "1. b", "2. c", "2. d", "- e"]


def test_pictures_and_objects_are_described_or_named_in_a_warning() -> None:
    def build(made: Any) -> None:
        shapes = add_slide(made, 6).shapes
        told = shapes.add_picture(io.BytesIO(ONE_PIXEL), Inches(1), Inches(1))
        told._element.nvPicPr.cNvPr.set("descr", "Five boxes in a row")
        shapes.add_picture(io.BytesIO(ONE_PIXEL), Inches(3), Inches(1))
        shapes.add_ole_object(io.BytesIO(b"x"), "Excel.Sheet.12", Inches(5), Inches(1))

    document = parsed(build).document
    assert shown(document) == [("paragraph", None, "Five boxes in a row")]
    assert document.warnings == (
        "slide 1: a picture was not read",
        "slide 1: an embedded object (Excel.Sheet.12) was not read",
    )


@pytest.mark.parametrize(
    "main",
    [
        "vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
        "vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
        "vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
        "vnd.openxmlformats-officedocument.presentationml.template.main+xml",
    ],
)
def test_shows_templates_and_files_with_macros_are_read(main: str) -> None:
    usual = b"vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    made = pptx.Presentation()
    add_slide(made, 5, "Numbers")
    data = changed(saved(made), lambda _, part: part.replace(usual, main.encode()))
    assert OfficeParser().parse(data, PPTX, Settings()).document.text == "# Numbers"


WORDS = st.from_regex(r"[a-zж中]{3}\d{2}", fullmatch=True)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["title", "body", "box", "group", "cell", "notes"]), WORDS), min_size=1, max_size=8
    )
)
def test_every_word_of_a_presentation_arrives(pieces: list[tuple[str, str]]) -> None:
    def build(made: Any) -> None:
        for at, (kind, word) in enumerate(pieces):
            slide = add_slide(made, 1, word if kind == "title" else None)
            place = (Inches(at % 3), Inches(2), Inches(1), Inches(1))
            if kind == "body":
                slide.placeholders[1].text_frame.text = word
            elif kind == "box":
                slide.shapes.add_textbox(*place).text_frame.text = word
            elif kind == "group":
                inner = slide.shapes.add_group_shape().shapes.add_group_shape().shapes
                inner.add_textbox(*place).text_frame.text = word
            elif kind == "cell":
                slide.shapes.add_table(2, 2, *place).table.cell(1, 0).text = word
            elif kind == "notes":
                slide.notes_slide.notes_text_frame.text = word

    document = parsed(build).document
    assert Counter(re.findall(r"[a-zж中]{3}\d{2}", document.text)) == Counter(word for _, word in pieces)
    assert Document.from_dict(document.to_dict()) == document
