"""Sentence boundaries in three scripts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.sentences import WINDOW, spans

CASES = [
    ("en", "Dr. Smith paid $3.50. He left.", ["Dr. Smith paid $3.50. ", "He left."]),
    ("en", "It rose by 2.5 kg. Then it fell.", ["It rose by 2.5 kg. ", "Then it fell."]),
    (
        "en",
        "See cl. 4.2.1 of it. Read Fig. 3 and No. 5. Then go.",
        ["See cl. 4.2.1 of it. ", "Read Fig. 3 and No. 5. ", "Then go."],
    ),
    ("en", "Go to https://a.b.c/d.e?f=1.2 now. Or not.", ["Go to https://a.b.c/d.e?f=1.2 now. ", "Or not."]),
    ("en", "Use e.g. this one, i.e. the first. Done.", ["Use e.g. this one, i.e. the first. ", "Done."]),
    ("en", "J. R. R. Tolkien wrote it. We read it.", ["J. R. R. Tolkien wrote it. ", "We read it."]),
    ("en", '"Stop!" he said. She did.', ['"Stop!" he said. ', "She did."]),
    ("en", "Wait... what? Yes!", ["Wait... what? ", "Yes!"]),
    ("en", "Python 3.11.7 is out. Get v2.0.1 too.", ["Python 3.11.7 is out. ", "Get v2.0.1 too."]),
    ("en", "1. First do this. 2. Then do that.", ["1. First do this. ", "2. Then do that."]),
    ("en", "The answer is no. Then we left.", ["The answer is no. ", "Then we left."]),
    (
        "ru",
        "А. С. Пушкин родился в 1799 г. в Москве. Он поэт.",
        ["А. С. Пушкин родился в 1799 г. в Москве. ", "Он поэт."],
    ),
    ("ru", "Он живёт на ул. Ленина, д. 5, кв. 3. Это рядом.", ["Он живёт на ул. Ленина, д. 5, кв. 3. ", "Это рядом."]),
    ("ru", "Это верно, т. е. почти верно. Идём.", ["Это верно, т. е. почти верно. ", "Идём."]),
    ("ru", "«Да!» — сказал он. Она молчала.", ["«Да!» — сказал он. ", "Она молчала."]),
    ("ru", "Цена 3 тыс. руб. за штуку. Дорого!", ["Цена 3 тыс. руб. за штуку. ", "Дорого!"]),
    ("zh", "今天天气很好。我们走吧！去哪里？", ["今天天气很好。", "我们走吧！", "去哪里？"]),
    ("zh", "他说：“你好。”然后走了。", ["他说：“你好。”", "然后走了。"]),
    ("zh", "价格是3.5元。版本2.0。", ["价格是3.5元。", "版本2.0。"]),
    ("en", "Mixed text. 今天很好。Да. Yes.", ["Mixed text. ", "今天很好。", "Да. ", "Yes."]),
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_sentences_end_where_a_reader_would_end_them(language, text, expected):
    assert [text[start:end] for start, end in spans(text, 0, len(text), language)] == expected


@pytest.mark.parametrize(("language", "text", "expected"), [case for case in CASES if case[0] != "en"])
def test_the_script_is_seen_without_being_told(language, text, expected):
    assert [text[start:end] for start, end in spans(text, 0, len(text), "en")] == expected
    assert [text[start:end] for start, end in spans(text, 0, len(text))] == expected


pieces = st.sampled_from(
    [
        "Да. ",
        "word ",
        "Dr. ",
        "3.14 ",
        "。",
        "“好。”",
        "!",
        "? ",
        "\n",
        "\n\n",
        "👩‍👩‍👧‍👦",
        "e\u0301",
        "т. е. ",
        "https://a.b/c.d ",
        "«",
        "… ",
        "(",
        ") ",
        "שלום. ",
        "x" * 40,
    ]
)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(pieces, max_size=80), before=st.integers(0, 5), after=st.integers(0, 5))
def test_spans_tile_the_text_and_none_is_blank(parts, before, after):
    text = "#" * before + "".join(parts) + "#" * after
    start, end = before, len(text) - after
    found = spans(text, start, end)
    assert [at for a, b in found for at in range(a, b)] == list(range(start, end))
    if text[start:end].strip():
        assert sum(not text[a:b].strip() for a, b in found) <= 1


def test_windows_do_not_cut_a_sentence_that_fits_one():
    text = "".join(f"This is sentence number {number} of a long text without paragraphs. " for number in range(3000))
    assert len(text) > 5 * WINDOW
    found = [text[start:end] for start, end in spans(text, 0, len(text))]
    assert len(found) == 3000
    assert all(sentence.startswith("This is") for sentence in found)


@pytest.mark.parametrize("unit", ["word. ", "(a. ", "a", "。", "Да. ", '"', "A. ", "\n", "1. "])
def test_time_is_linear(unit):
    def seconds(count):
        text = unit * count
        taken = []
        for _ in range(3):
            begun = time.process_time()
            spans(text, 0, len(text))
            taken.append(time.process_time() - begun)
        return min(taken)

    assert seconds(40_000) <= 3 * seconds(20_000) + 0.05
