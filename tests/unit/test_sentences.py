"""Sentence boundaries in three scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import processor_seconds

from chunkers.sentences import passages, spans

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
    ("en", "It cost 5 kg. of it. We ate.", ["It cost 5 kg. of it. ", "We ate."]),
    ("en", "Acme Inc. said so. Acme Inc. He left.", ["Acme Inc. said so. ", "Acme Inc. ", "He left."]),
    ("en", "We met at 10 a.m. EST. It rained.", ["We met at 10 a.m. EST. ", "It rained."]),
    ("en", "He said (so. It seems.) and left. She did.", ["He said (so. It seems.) and left. ", "She did."]),
    ("en", '"Go. Now go." he said. She went.', ['"Go. Now go." he said. ', "She went."]),
    ("en", "One ends (here.) Two ends “there.” Three.", ["One ends (here.) ", "Two ends “there.” ", "Three."]),
    ("en", "An open ( stays. It is alone. Yes.", ["An open ( stays. ", "It is alone. ", "Yes."]),
    ("en", "First\n\nSecond. Third", ["First\n\n", "Second. ", "Third"]),
    ("en", "the rate is set. the bank sets it.", ["the rate is set. ", "the bank sets it."]),
    (
        "de",
        "Er kam am 3. Oktober z. B. nach Bonn. Es war Nr. 5.",
        ["Er kam am 3. Oktober z. B. nach Bonn. ", "Es war Nr. 5."],
    ),
    ("fr", "M. Dupont est là. Mme. Curie aussi.", ["M. Dupont est là. ", "Mme. Curie aussi."]),
    ("ru", "Купили хлеб, сыр и т. д. Потом ушли.", ["Купили хлеб, сыр и т. д. ", "Потом ушли."]),
    ("ru", "Это было в 1999 г. Потом ушли.", ["Это было в 1999 г. ", "Потом ушли."]),
    ("zh", "他走了（见下文。很长。）然后回来。好。", ["他走了（见下文。很长。）", "然后回来。", "好。"]),
    ("zh", "第一句。2007年是第二句。好", ["第一句。", "2007年是第二句。", "好"]),
    ("ja", "「行く。」と彼は言った。雨だ。", ["「行く。」と彼は言った。", "雨だ。"]),
    ("en", "Clause 7.2.1. applies at 20 °C. in all. Yes.", ["Clause 7.2.1. applies at 20 °C. in all. ", "Yes."]),
    ("en", "The U.S. Army came. It left.", ["The U.S. Army came. ", "It left."]),
    ("en", "At Yahoo! and here. Part A-12.3-B. Yes.", ["At Yahoo! and here. ", "Part A-12.3-B. ", "Yes."]),
    ("en", "- It is one.\n- it is two.\n", ["- It is one.\n", "- it is two.\n"]),
    ("en", "Mixed text. 今天很好。Да. Yes.", ["Mixed text. ", "今天很好。", "Да. ", "Yes."]),
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_sentences_end_where_a_reader_would_end_them(language, text, expected):
    assert [text[start:end] for start, end in spans(text, 0, len(text), language)] == expected


@pytest.mark.parametrize(("language", "text", "expected"), [case for case in CASES if case[0] in ("ru", "zh", "ja")])
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
        "Messrs. ",
        "ab dept. ",
        "Hauptstr. ",
        "figs. ",
        "»Ja.« ",
        "„Ja.“ ",
        "« Oui. » ",
        "»",
        "Done.[1] ",
        "走吧！”他说。",
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
    assert len(text) > 150_000
    found = [text[start:end] for start, end in spans(text, 0, len(text))]
    assert len(found) == 3000
    assert all(sentence.startswith("This is") for sentence in found)


@pytest.mark.parametrize("unit", ["word. ", "(a. ", "a", "。", "Да. ", '"', "A. ", "\n", "1. "])
def test_time_is_linear(unit):
    def seconds(count):
        text = unit * count
        return min(processor_seconds(lambda: spans(text, 0, len(text))) for _ in range(3))

    assert seconds(40_000) <= 3 * seconds(20_000) + 0.05


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(pieces, max_size=80), before=st.integers(0, 5))
def test_passages_are_runs_of_whole_sentences(parts, before):
    text = "#" * before + "".join(parts) + "Then they went. Nobody knew. 今天很好。我们走。"
    ends = {end for _, end in spans(text, before, len(text))}
    found = passages(text, before, len(text))
    assert [at for a, b in found for at in range(a, b)] == list(range(before, len(text)))
    assert {end for _, end in found} <= ends
