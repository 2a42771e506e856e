from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind, uncovered
from corpus.errors import ParseError
from corpus.parsers import parse
from corpus.parsers.text import TextParser


def blocks(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_blank_lines_end_paragraphs() -> None:
    document = parse(b"NOT A HEADING\n\none\ntwo\n  \n\tthree  \n\n\n", uri="a.txt")
    assert blocks(document) == ["NOT A HEADING", "one\ntwo", "\tthree"]
    assert document.text_is_source
    assert {block.kind for block in document.blocks} == {Kind.PARAGRAPH}


def test_newlines_are_normalised_and_the_mark_is_gone() -> None:
    document = parse("\ufeffодин\r\nдва\r\rтри 😀".encode(), uri="a.txt")
    assert document.text == "один\nдва\n\nтри 😀"
    assert blocks(document) == ["один\nдва", "три 😀"]
    assert document.encoding == "utf-8-sig"


def test_a_record_of_a_log_keeps_its_stack_trace() -> None:
    log = (
        "2026-03-02 10:00:00 INFO start\n"
        "2026-03-02 10:00:01 ERROR failed\n"
        "Traceback (most recent call last):\n"
        '  File "x.py", line 1, in <module>\n'
        "ValueError: no\n"
        "2026-03-02 10:00:02 INFO end\n"
    )
    lines = log.splitlines()
    assert blocks(parse(log.encode(), uri="x.log")) == [lines[0], "\n".join(lines[1:5]), lines[5]]


def test_without_times_indented_lines_continue_a_record() -> None:
    document = parse(b"error: a\n    at b\n    at c\nCaused by: d\nerror: e\n", uri="x.log")
    assert blocks(document) == ["error: a\n    at b\n    at c\nCaused by: d", "error: e"]


def test_many_records_share_blocks_that_end_where_records_end() -> None:
    record = "2026-03-02 10:00:01 ERROR failed\n  because of this\n"
    started = time.monotonic()
    document = parse((record * 300_000).encode(), uri="x.log")
    assert time.monotonic() - started < 30
    assert len(document.blocks) < 20_000
    assert all(text.startswith("2026") and text.endswith("this") for text in blocks(document))


def test_bytes_that_are_no_text_are_refused_by_the_parser_itself() -> None:
    with pytest.raises(ParseError, match="cannot be read in any encoding"):
        TextParser().parse(bytes(range(128, 256)) * 20 + b"\x81\x8d\x8f\xff\x01" * 50, "text/plain", pages=1)


LINES = st.lists(
    st.sampled_from(
        ["2026-03-02 10:00:01 x", "  at y", "plain", "", "\t", " }", "Caused by: z", "日本語", "\x0c", "\x85"]
    )
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r\n"), max_size=12),
    max_size=30,
)


@given(LINES, st.sampled_from(["text/plain", "text/x-log"]))
@settings(max_examples=200, deadline=None)
def test_every_character_lies_in_a_block(lines: list[str], media_type: str) -> None:
    document = TextParser().parse("\n".join(lines).encode(), media_type, pages=1)
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
    assert all(document.text[block.start : block.end].strip() for block in document.blocks)
