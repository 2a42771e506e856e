"""The share of a source's own words that arrived: what lowers it, what does not, and that it cannot be fooled."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_making import Page, pdf
from timing import processor_seconds

from chunkers.document import Block, Document, Kind
from corpus.parsers import crude, fidelity
from corpus.parsers.base import Parsed, Settings, parser_for

WORDS = [f"word{number:03}" for number in range(100)]
OPEN_XML = "application/vnd.openxmlformats-officedocument."


def arrived(text: str, media_type: str, *left_out: str, page: int | None = None, **fields) -> Parsed:
    """A parse that came to `text`, in one block."""
    block = Block(Kind.PARAGRAPH, 0, len(text), page=page)
    return Parsed(Document(text, (block,), media_type, text_is_source=False, **fields), left_out)


def page_of(words: list[str]) -> bytes:
    return f"<html><head><title>T</title></head><body><p>{' '.join(words)}</p></body></html>".encode()


def archive(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


def test_half_of_the_words_is_a_half():
    assert fidelity.measure(page_of(WORDS), arrived(" ".join(WORDS[:50]), "text/html")) == pytest.approx(0.5)


def test_words_left_out_on_purpose_are_not_asked_for():
    menu = " ".join(WORDS[50:])
    assert fidelity.measure(page_of(WORDS), arrived(" ".join(WORDS[:50]), "text/html", menu)) == 1.0


def test_a_word_that_stands_twice_must_arrive_twice():
    assert fidelity.measure(page_of(["fee", "fee"]), arrived("fee", "text/html")) == 0.5


def test_order_case_ligatures_and_breaks_within_words_make_no_difference():
    source = page_of(["Efficient", "infor", "mation", "flow"])
    assert fidelity.measure(source, arrived("flow information EFFICIENT".replace("FFI", "\ufb03"), "text/html")) == 1.0


def test_right_to_left_text_may_have_been_read_from_either_end():
    assert fidelity.share(Counter(["شريذپ"]), Counter(["پذيرش"])) == 1.0


def test_chinese_counts_by_the_character():
    assert fidelity.measure(page_of(["如何重置密码"]), arrived("如何重置", "text/html")) == pytest.approx(
        4 / 6, abs=1e-3
    )


def test_a_source_without_words_has_no_figure():
    assert fidelity.measure(page_of([]), arrived("x", "text/html")) is None


def test_where_the_text_is_the_source_what_lies_in_no_block_is_lost():
    text = "one two three four\n\nfive six seven eight\n"
    document = Document(text, (Block(Kind.PARAGRAPH, 0, 18),), "text/plain", text_is_source=True, encoding="utf-8")
    assert fidelity.measure(text.encode(), Parsed(document)) == 0.5


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_what_decoding_lost_counts_too(newline):
    source = newline.join(WORDS).encode()
    text = "\n".join(WORDS[:25])
    document = Document(text, (Block(Kind.PARAGRAPH, 0, len(text)),), "text/plain", text_is_source=True)
    assert fidelity.measure(source, Parsed(document)) == 0.25


def test_a_page_of_a_pdf_that_did_not_arrive_lowers_the_figure():
    lines = [" ".join(WORDS[at : at + 5]) for at in range(0, 100, 5)]
    data = pdf([Page().lines(72, 100, lines[:10]), Page().lines(72, 100, lines[10:])])
    whole = parser_for("application/pdf").parse(data, "application/pdf", Settings())
    assert fidelity.measure(data, whole) == 1.0
    assert fidelity.measure(data, arrived(" ".join(WORDS[:50]), "application/pdf", page=1)) == 0.5


def test_what_ocr_read_on_pages_without_a_text_layer_makes_up_for_nothing():
    data = pdf([Page().text(72, 100, "alpha beta gamma delta"), Page().image()])
    assert fidelity.measure(data, arrived("alpha beta gamma delta", "application/pdf", page=2)) == 0.0


def test_a_pdf_that_the_second_reader_cannot_open_has_no_figure():
    assert fidelity.measure(b"%PDF-1.4 broken", arrived("text", "application/pdf")) is None


@given(st.lists(st.sampled_from(WORDS[:12]), min_size=1, max_size=30), st.lists(st.sampled_from(WORDS[:12])))
def test_the_figure_is_a_share_and_more_words_never_lower_it(own: list[str], more: list[str]):
    source, got = Counter(own), Counter(more)
    figure = fidelity.share(source, got)
    assert figure is not None
    assert 0 <= figure <= 1
    for word in own:
        assert (fidelity.share(source, got + Counter([word])) or 0) >= figure
    assert fidelity.share(source, source + got) == 1.0
    assert fidelity.share(source, Counter()) == 0.0


# The second reader

CRUDE = {
    "scripts, styles, comments and the head": (
        "<head><title>no</title></head><script>no()</script><style>no{}</style><!-- no --><p>yes</p>",
        ["yes"],
    ),
    "inline elements within a word": ("<p>re<b>lea</b>se <i>notes</i></p>", ["release", "notes"]),
    "block elements between words": ("<td>a</td><td>b</td><br>c", ["a", "b", "c"]),
    "references": ("<p>caf&eacute; &#38; &lt;b&gt;</p>", ["café", "b"]),
    "a sign in an attribute": ('<p title="a > b">yes</p>', ["yes"]),
    "signs that open no tag": ("<p>1 < 2 and 3 <4</p>", ["1", "2", "and", "3", "4"]),
    "soft hyphens": ("<p>hy&shy;phen</p>", ["hyphen"]),
    "a comment without an end": ("<p>yes</p><!-- no", ["yes"]),
    "a script without an end": ("<p>yes</p><script>no", ["yes"]),
    "what Word hides for other readers": ("<![if !vml]><p>yes</p><![endif]>", ["yes"]),
    "character data": ("<p><![CDATA[yes]]></p>", ["yes"]),
    "a letter whose small form is two": ("İ<script>no</script><p>yes</p>", ["i", "yes"]),
    "a header is not the head": ("<header>yes</header>", ["yes"]),
}


@pytest.mark.parametrize(("source", "words"), CRUDE.values(), ids=CRUDE)
def test_between_tags_stand_the_words_that_a_reader_sees(source, words):
    found = crude.texts(source.encode(), arrived("x", "text/html").document)
    assert [word for text in (found or {}).values() for word in fidelity.words(text)] == words


@pytest.mark.parametrize("hostile", ["<!--", "<script>", '<a "', "<a '\"", "<", "&", "<a>", "<p x='>"])
def test_a_hostile_page_takes_linear_time(hostile):
    document = arrived("x", "text/html").document

    def seconds(times: int) -> float:
        source = (hostile * times).encode()
        return processor_seconds(lambda: crude.texts(source, document))

    seconds(1000)
    assert seconds(400_000) < 40 * max(seconds(40_000), 0.01)


def test_runs_of_a_word_document_make_words_and_text_boxes_count_once():
    body = (
        "<w:p><w:r><w:t>Re</w:t></w:r><w:r><w:t xml:space='preserve'>lease </w:t></w:r><w:r><w:tab/></w:r></w:p>"
        "<w:p><mc:AlternateContent><mc:Choice><w:t>box &amp; co</w:t></mc:Choice>"
        "<mc:Fallback><w:t>box &amp; co</w:t></mc:Fallback></mc:AlternateContent></w:p>"
    )
    data = archive(
        {"word/document.xml": body, "word/footnotes.xml": "<w:t>note</w:t>", "word/header1.xml": "<w:t>no</w:t>"}
    )
    found = crude.texts(data, arrived("x", f"{OPEN_XML}wordprocessingml.document").document)
    assert Counter(fidelity.words((found or {})[None])) == Counter(["release", "box", "co", "note"])


def test_slides_are_read_in_their_order_with_notes():
    data = archive({f"ppt/slides/slide{n}.xml": f"<a:p><a:t>s{n}</a:t></a:p>" for n in (10, 2)})
    found = crude.texts(data, arrived("x", f"{OPEN_XML}presentationml.presentation").document)
    assert list(fidelity.words((found or {})[None])) == ["s2", "s10"]


def test_cells_refer_to_the_texts_of_a_workbook():
    strings = "<sst><si><t>north</t></si><si><r><t>so</t></r><r><t>uth</t></r></si><si/></sst>"
    cells = (
        '<c r="A1" t="s"><v>1</v></c><c r="B1"><v>42</v></c><c r="C1" t="s"><v>1</v></c>'
        '<c r="D1" t="inlineStr"><is><t>west &lt;</t></is></c>'
    )
    data = archive({"xl/sharedStrings.xml": strings, "xl/worksheets/sheet1.xml": cells})
    found = crude.texts(data, arrived("x", f"{OPEN_XML}spreadsheetml.sheet").document)
    assert list(fidelity.words((found or {})[None])) == ["south", "south", "west"]


def test_of_a_mails_alternatives_one_is_read():
    data = (
        b'Subject: no\r\nContent-Type: multipart/alternative;\r\n boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; '
        b"charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9 o=\r\npen\r\n--b\r\n"
        b"Content-Type: text/html\r\n\r\n<p>caf&eacute; open</p>\r\n--b--\r\n"
    )
    found = crude.texts(data, arrived("x", "message/rfc822").document)
    assert list(fidelity.words((found or {})[None])) == ["café", "open"]


def test_the_cells_of_a_notebook_are_its_words():
    notebook = {"cells": [{"source": ["# Plan\n", "now"]}, {"source": "print(1)", "outputs": [{"text": ["no"]}]}]}
    found = crude.texts(json.dumps(notebook).encode(), arrived("x", "application/x-ipynb+json").document)
    assert list(fidelity.words((found or {})[None])) == ["plan", "now", "print", "1"]


def test_marks_of_restructuredtext_are_no_words():
    source = ".. note:: Read\n   :name: no\n\n   :ref:`here <no>` and *there*.\n\n.. _no:\n"
    found = crude.texts(source.encode(), arrived("x", "text/x-rst").document)
    assert list(fidelity.words((found or {})[None])) == ["read", "no", "here", "and", "there"]


def test_a_word_that_only_one_of_two_readers_of_a_pdf_sees_is_not_asked_for(monkeypatch):
    data = pdf([Page().lines(72, 100, WORDS[:10])])
    seen = arrived(" ".join(WORDS[:10]), "application/pdf", page=1)
    honest = crude.texts(data, seen.document) or {}
    monkeypatch.setattr(crude, "texts", lambda *_: {1: honest[1] + " invented words"})
    assert fidelity.measure(data, seen) == 1.0
    assert fidelity.measure(data, arrived(" ".join(WORDS[:5]), "application/pdf", page=1)) == 0.5
