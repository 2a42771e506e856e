from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind, uncovered
from corpus.errors import ParseError
from corpus.parsers import parse
from corpus.parsers.base import Settings
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


LOGS = {
    "syslog": ["Mar  2 10:00:00 host sshd[1]: Accepted key", "Mar  2 10:00:05 host cron[2]: (root) CMD (x)"],
    "syslog with priority": [
        "<34>1 2026-03-02T10:00:00.003Z host su - ID47 - failed",
        "<34>1 2026-03-02T10:00:01Z host su - - x",
    ],
    "logfmt": [
        'time="2026-03-02T10:00:00Z" level=info msg="started"',
        'time="2026-03-02T10:00:01Z" level=warn msg="slow"',
    ],
    "logfmt by level": ["level=info ts=1 msg=a", "level=warn ts=2 msg=b"],
    "access": [
        '10.0.0.1 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5',
        '10.0.0.2 - ann [02/Mar/2026:10:00:01 +0000] "GET /x HTTP/1.1" 404 0',
    ],
    "nginx": ["2026/03/02 10:00:00 [error] 31#31: *1 open() failed", "2026/03/02 10:00:01 [warn] 31#31: x"],
    "java": [
        (
            "2026-03-02 10:00:00,123 ERROR [main] c.x.App - failed\njava.lang.RuntimeException: no\n"
            "\tat c.x.App.run(App.java:1)\nCaused by: java.io.IOException: gone\n\t... 12 more"
        ),
        "2026-03-02 10:00:01,000 INFO  [main] c.x.App - end",
    ],
    "java util": [
        "Mar 02, 2026 10:00:00 AM c.x.App run\nSEVERE: failed",
        "Mar 02, 2026 10:00:01 AM c.x.App run\nINFO: end",
    ],
    "python": [
        'ERROR:root:failed\nTraceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: no',
        "INFO:root:start",
        "INFO:root:end",
        "WARNING:root:slow",
    ],
    "kubernetes": [
        "I0302 10:00:00.123456       1 server.go:1] started",
        "E0302 10:00:01.000000       1 server.go:2] no",
    ],
    "container": ["2026-03-02T10:00:00.1Z stdout F started", "2026-03-02T10:00:01.2Z stderr F failed"],
    "compose": ["web-1  | 2026-03-02 10:00:00 started", "db-1   | 2026-03-02 10:00:01 ready"],
    "json": ['{"time": "2026-03-02T10:00:00Z", "msg": "a"}', '{"time": "2026-03-02T10:00:01Z", "msg": "b"}'],
    "kernel": ["[    0.000000] Linux version 6.1", "[   12.345678] usb 1-1: new device"],
    "ruby": ["I, [2026-03-02T10:00:00.1 #12]  INFO -- : a", "E, [2026-03-02T10:00:01.1 #12] ERROR -- : b"],
    "tomcat": ["02-Mar-2026 10:00:00.123 INFO [main] x", "02-Mar-2026 10:00:01.123 SEVERE [main] y"],
    "android": ["03-02 10:00:00.123  1234  5678 I Tag: a", "03-02 10:00:01.123  1234  5678 E Tag: b"],
    "coloured": ["\x1b[32m2026-03-02 10:00:00\x1b[0m INFO a", "\x1b[31m2026-03-02 10:00:01\x1b[0m ERROR b"],
}


@pytest.mark.parametrize("records", LOGS.values(), ids=list(LOGS))
def test_a_record_of_any_usual_form_is_a_block_and_tells_a_log_without_its_name(records: list[str]) -> None:
    log = "\n".join(records * 3) + "\n"
    assert blocks(parse(log.encode(), uri="x.log")) == records * 3
    assert parse(log.encode(), uri="output.txt").media_type == "text/x-log"


def test_levels_amid_records_with_times_begin_none() -> None:
    records = [
        "2026-03-02 10:00:00 start",
        "2026-03-02 10:00:01 it said:\nERROR: one\nERROR: two",
        "2026-03-02 10:00:02 end",
    ]
    assert blocks(parse("\n".join(records).encode(), uri="x.log")) == records


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02 10:00 we met.\n\nThen we talked about many things that do not matter here.\n\nAnd so on.\n",
        "INFO for travellers\nThe train leaves at ten.\nBring a coat.\nDo not be late.\nHave fun.\n",
        "key=value other=thing\nThis is a text about settings.\nIt explains key=value pairs.\nNothing more.\n",
    ],
)
def test_a_text_that_mentions_times_and_levels_is_no_log(text: str) -> None:
    assert parse(text.encode(), uri="a.txt").media_type == "text/plain"


def test_many_records_share_blocks_that_end_where_records_end() -> None:
    record = "2026-03-02 10:00:01 ERROR failed\n  because of this\n"
    started = time.monotonic()
    document = parse((record * 300_000).encode(), uri="x.log")
    assert time.monotonic() - started < 30
    assert len(document.blocks) < 20_000
    assert all(text.startswith("2026") and text.endswith("this") for text in blocks(document))


def test_bytes_that_are_no_text_are_refused_by_the_parser_itself() -> None:
    with pytest.raises(ParseError, match="cannot be read in any encoding"):
        TextParser().parse(bytes(range(128, 256)) * 20 + b"\x81\x8d\x8f\xff\x01" * 50, "text/plain", Settings())


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
    document = TextParser().parse("\n".join(lines).encode(), media_type, Settings()).document
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
    assert all(document.text[block.start : block.end].strip() for block in document.blocks)
