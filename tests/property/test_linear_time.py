"""Twice the text takes at most 2.3 times as long, whatever the text; and no length of line is too long."""

from __future__ import annotations

from uuid import UUID

import pytest
from timing import processor_seconds

from chunkers import sentences
from chunkers.assembly import cut
from chunkers.base import build
from chunkers.document import Block, Document, Kind
from chunkers.tokens import Characters

DOCUMENT = UUID(int=1)
SLACK = 0.05  #: seconds, for what a busy machine adds to a short measurement

UNITS = {
    "one word": "x",
    "prose": "The boat went up the river, slowly, in the rain. Nobody had seen it before; some waved. ",
    "lower case": "the boat went up the river, slowly, in the rain. nobody had seen it before; some waved. ",
    "no punctuation": "word other ",
    "Chinese": "今天天气很好，我们去公园吧。",
    "Chinese without marks": "今天天气很好我们去公园吧",
    "Russian": "Он родился в 1799 г. в Москве, на ул. Ленина. «Да!» — сказал он. ",
    "accents on one letter": "\u0301",
    "blank lines": "\n",
    "short lines": "a b\n",
    "full stops": ".",
    "initials": "A. ",
    "markers": "1. ",
    "backticks": "``````` ",
    "open brackets": "(",
    "quotes that never close": "“Word goes. Next ",
    "quotes and stops": '"Go. ',
    "closing brackets": "。」",
    "indented lines": "\n  x",
    "flags": "\U0001f1eb\U0001f1f7",
    "links": "[[[[a](b) ",
    "spaces": " ",
}


def document(text):
    blocks = (Block(Kind.PARAGRAPH, 0, len(text)),)
    return Document(text=text, blocks=blocks, media_type="text/plain", text_is_source=True)


def hexadecimal(length):
    return "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(length // 8))


def of_length(unit, length):
    return f"e{unit * (length // len(unit))}b"


def seconds(work, text):
    return processor_seconds(lambda: work(text))


def is_linear(work, half, whole):
    """Measured up to four times: what is not linear is so each time, a busy machine is not."""
    return any(seconds(work, whole) <= 2.3 * seconds(work, half) + SLACK for _ in range(4))


@pytest.mark.parametrize("name", ["fixed", "recursive", "structure"])
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_cutting_twice_the_text_takes_at_most_a_little_more_than_twice_as_long(name, unit):
    def work(text):
        assert cut(DOCUMENT, document(text), build(name), Characters(512)).children

    half, whole = (of_length(UNITS[unit], length) for length in (40_000, 80_000))
    assert is_linear(work, half, whole)


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_sentences_are_found_in_linear_time(unit):
    def work(text):
        found = sentences.spans(text, 0, len(text))
        assert found[-1][1] == sentences.passages(text, 0, len(text))[-1][1] == len(text)

    half, whole = (of_length(UNITS[unit], length) for length in (60_000, 120_000))
    assert is_linear(work, half, whole)


@pytest.mark.parametrize("name", ["fixed", "recursive"])
@pytest.mark.parametrize("make", [hexadecimal, lambda length: "x" * length], ids=["hexadecimal", "one letter"])
def test_a_line_of_ten_megabytes_without_spaces_is_cut(name, make):
    text = make(10_000_000)
    settings = {"unit": "characters", "size": 4000, "parent_size": 4000, "overlap": 0}
    parts = list(build(name, settings).cut(document(text), Characters()))
    pieces = [piece for part in parts for piece in part.pieces]
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert max(piece.end - piece.start for piece in pieces) <= 4000
