"""Documents for property tests: every kind of block, in Latin, Cyrillic, Chinese, Arabic, Hebrew and emoji.

A document is drawn as blocks with their own text and joined as a Markdown file would be, so that spans are right by
construction.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from word_pieces import word_pieces

from chunkers.document import Block, Document, Kind, with_section_paths
from chunkers.tokens import Characters

WORDS = {
    "latin": [
        "house",
        "Übung",
        "naïve",
        "e.g.",
        "3.14",
        "4.2.1",
        "v2.0",
        "https://a.example/b?c=d.e",
        "№5",
        "Dr.",
        "I",
        "x" * 130,
    ],
    "cyrillic": ["дом", "вода", "т. е.", "ул.", "И.", "Ёлка", "1999 г.", "«да»", "слово", "мир"],
    "chinese": ["今天", "天气", "很好，", "我们去公园", "“好的。”", "（真的）", "版本2.0", "吗？", "价格3.5元"],
    "emoji": ["👩‍👩‍👧‍👦", "🇫🇷🇩🇪", "👍🏽", "e\u0301a\u0308", "o\u0323\u0302", "क्षि", "🏳️‍🌈"],
    "rtl": ["שלום", "עולם", "مرحبا", "بالعالم،", "نعم؟"],
}
ENDS = {"latin": ". ", "cyrillic": ". ", "chinese": "。", "emoji": "! ", "rtl": ". "}

words = st.sampled_from(sorted(WORDS)).flatmap(
    lambda script: st.tuples(st.just(script), st.sampled_from(WORDS[script]))
)


@st.composite
def sentences(draw, most=30):
    script = draw(st.sampled_from(sorted(WORDS)))
    joint = "" if script == "chinese" else " "
    chosen = draw(st.lists(st.sampled_from(WORDS[script]), min_size=1, max_size=most))
    return joint.join(chosen) + ENDS[script]


@st.composite
def paragraphs(draw, most=8):
    return "".join(draw(st.lists(sentences(), min_size=1, max_size=most))).strip()


titles = st.builds(" ".join, st.lists(words.map(lambda drawn: drawn[1]), min_size=1, max_size=6))


@dataclass(frozen=True)
class Drawn:
    """The text of one block to be, and the blocks in it as offsets into that text."""

    text: str
    blocks: tuple[tuple[Kind, int, int, int | None], ...]


def one(kind, text, level=None):
    return Drawn(text, ((kind, 0, len(text), level),))


@st.composite
def headings(draw):
    level = draw(st.integers(1, 4))
    return one(Kind.HEADING, "#" * level + " " + draw(titles), level)


@st.composite
def lists(draw):
    items = draw(st.lists(st.tuples(st.integers(1, 3), sentences(most=12)), min_size=1, max_size=8))
    text = ""
    blocks = []
    if draw(st.booleans()):
        text = draw(sentences(most=5)).strip() + ":"
        blocks.append((Kind.PARAGRAPH, 0, len(text), None))
        text += "\n\n"
    for depth, item in items:
        start = len(text)
        text += "  " * (depth - 1) + "- " + item.strip()
        blocks.append((Kind.LIST_ITEM, start, len(text), depth))
        text += "\n"
    return Drawn(text.rstrip("\n"), tuple(blocks))


@st.composite
def tables(draw):
    columns = draw(st.integers(1, 4))
    cells = words.map(lambda drawn: drawn[1].replace("|", "/"))
    rows = draw(st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=2, max_size=25))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * columns)
    return one(Kind.TABLE, "\n".join(lines))


@st.composite
def fences(draw):
    lines = draw(
        st.lists(st.sampled_from(["", "def f(x):", "    return x", "# not a heading", "y = f(1)  # да"]), max_size=30)
    )
    return one(Kind.CODE, "\n".join(["```python", *lines, "```"]))


@st.composite
def questions(draw):
    asked = "Q: " + draw(sentences(most=8)).strip()
    answered = "A: " + draw(paragraphs(most=4))
    joint = draw(st.sampled_from(["\n", "\n\n"]))
    if joint == "\n":
        return one(Kind.PARAGRAPH, asked + joint + answered)
    start = len(asked) + len(joint)
    text = asked + joint + answered
    return Drawn(text, ((Kind.PARAGRAPH, 0, len(asked), None), (Kind.PARAGRAPH, start, len(text), None)))


metadata = st.just(one(Kind.METADATA, "---\ntitle: never cut\n---"))
loose = st.sampled_from(["***", "[1]: https://example.org/loose", ":::"]).map(lambda text: Drawn(text, ()))

blocks = st.one_of(
    headings(),
    headings(),
    paragraphs().map(lambda text: one(Kind.PARAGRAPH, text)),
    paragraphs().map(lambda text: one(Kind.PARAGRAPH, text)),
    paragraphs(most=3).map(lambda text: one(Kind.QUOTE, text)),
    paragraphs(most=2).map(lambda text: one(Kind.CAPTION, text)),
    lists(),
    tables(),
    fences(),
    questions(),
    metadata,
    loose,
)


def join(drawn, media_type="text/markdown", *, per_page=5, joint="\n\n"):
    """The document that a list of drawn blocks makes; a new page begins every `per_page` of them."""
    text = ""
    placed = []
    for number, each in enumerate(drawn):
        for kind, start, end, level in each.blocks:
            if each.text[start:end].strip():
                page = number // per_page + 1
                placed.append(Block(kind, len(text) + start, len(text) + end, level=level, page=page))
        text += each.text + joint
    return Document(
        text=text, blocks=with_section_paths(text, placed), media_type=media_type, text_is_source=True, language="en"
    )


documents = st.builds(
    join,
    st.lists(blocks, max_size=16),
    st.sampled_from(
        [
            "text/markdown",
            "text/plain",
            "text/x-log",
            "application/pdf",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ]
    ),
)


rulers = st.sampled_from(["word pieces/256", "word pieces/48", "characters/2000", "characters/120"]).map(
    lambda name: (
        word_pieces(int(name.split("/")[1])) if name.startswith("word") else Characters(int(name.split("/")[1]))
    )
)
