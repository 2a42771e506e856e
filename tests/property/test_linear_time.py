"""Twice the text takes at most 2.3 times as long, whatever the text; and no length of line is too long.

`KERF_TEST_LINEAR=1 pytest -s tests/property/test_linear_time.py -k sixteen` doubles every shape of document from 1 to
16 million characters under every recipe that has no model, prints the seconds, and takes an hour of a processor.
"""

from __future__ import annotations

import os
from itertools import pairwise

import pytest
from large_documents import SHAPES
from promises import cut
from timing import processor_seconds
from word_pieces import word_pieces

from chunkers import sentences
from chunkers.base import Looking, build, names
from chunkers.document import Block, Document, Kind
from chunkers.tokens import Characters, Ruler

SLACK = 0.05  #: seconds, for what a busy machine adds to a short measurement
NAMES = names()
WITHOUT_A_MODEL = [name for name in NAMES if not isinstance(build(name), Looking)]
APART = [name for name in NAMES if name not in ("cluster", "late", "layout")]  #: those whose code is not another's
MILLIONS = (1, 2, 4, 8, 16)  #: of characters

UNITS = {
    "one word": "x",
    "prose": "The boat went up the river, slowly, in the rain. Nobody had seen it before; some waved. ",
    "lower case": "the boat went up the river, slowly, in the rain. nobody had seen it before; some waved. ",
    "no punctuation": "word other ",
    "Chinese": "今天天气很好，我们去公园吧。",
    "Chinese without marks": "今天天气很好我们去公园吧",
    "Russian": "Он родился в 1799 г. в Москве, на ул. Ленина. «Да!» — сказал он. ",
    "accents on one letter": "\u0301",
    "words without end": "9f8e7d6c",
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


def is_linear(work, half, whole):
    """Measured up to four times: what is not linear is so each time, a busy machine is not."""
    return any(
        processor_seconds(lambda: work(whole)) <= 2.3 * processor_seconds(lambda: work(half)) + SLACK for _ in range(4)
    )


@pytest.mark.parametrize("name", APART)
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_cutting_twice_the_text_takes_at_most_a_little_more_than_twice_as_long(name, unit):
    def work(text):
        assert cut(document(text), build(name), Characters(512)).children

    half, whole = (of_length(UNITS[unit], length) for length in (40_000, 80_000))
    assert is_linear(work, half, whole)


def doubled(name: str, shape: str, ruler: Ruler, millions: tuple[int, ...]) -> list[float]:
    """Seconds that the cut of each length takes, after it was seen that no doubling takes too much longer."""
    chunker = build(name)
    documents = [SHAPES[shape](number * 1_000_000) for number in millions]

    def work(document: Document) -> None:
        assert cut(document, chunker, ruler).children

    found = [processor_seconds(lambda each=each: work(each)) for each in documents]
    for at, (half, whole) in enumerate(pairwise(documents)):
        assert found[at + 1] <= 2.3 * found[at] + SLACK or is_linear(work, half, whole), (name, shape, millions, found)
    return found


#: Of all pairs those in which a recipe does what it is there for.
TYPICAL = [
    ("code", "functions"),
    ("code", "one function"),
    ("code", "one list of code"),
    ("fixed", "log"),
    ("fixed", "Chinese without marks"),
    ("late", "headings"),
    ("layout", "pages"),
    ("layout", "one table"),
    ("qa", "questions"),
    ("qa", "marked questions"),
    ("recursive", "Chinese"),
    ("recursive", "one word"),
    ("sentence_window", "prose"),
    ("structure", "headings"),
    ("structure", "one list"),
]


@pytest.mark.parametrize(("name", "shape"), TYPICAL)
def test_two_megabytes_take_at_most_a_little_more_than_twice_as_long_as_one(name, shape):
    doubled(name, shape, Characters(1_000), (1, 2))


@pytest.mark.parametrize(("name", "shape"), [("recursive", "prose"), ("structure", "headings")])
def test_time_is_linear_in_the_tokens_of_the_model_in_the_box(name, shape):
    doubled(name, shape, word_pieces(), (1, 2))


@pytest.mark.skipif(not os.environ.get("KERF_TEST_LINEAR"), reason="takes an hour; KERF_TEST_LINEAR=1 runs it")
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("ruler", ["characters", "word pieces"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", WITHOUT_A_MODEL)
def test_time_is_linear_up_to_sixteen_megabytes(name, shape, ruler):
    if ruler == "word pieces" and name not in ("recursive", "structure"):
        pytest.skip("the tokenizer is the same for all")
    found = doubled(name, shape, word_pieces() if ruler == "word pieces" else Characters(1_000), MILLIONS)
    print(f"\n{name}, {shape}, {ruler}: " + " ".join(f"{seconds:.2f}" for seconds in found))


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
