"""Documents for property tests: every kind of block, in a dozen scripts, and the settings that recipes have.

A document is drawn as blocks with their own text and joined as a Markdown file would be, so that spans are right by
construction; or shattered: any text, with blocks of any kind anywhere in it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise

from hypothesis import strategies as st
from word_pieces import word_pieces

from chunkers.base import build
from chunkers.document import Block, Document, Kind, Symbol, with_section_paths
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
    "japanese": ["今日は", "いい", "天気です。", "カタカナ", "ﾊﾝｶｸ", "（笑）", "が\u3099"],
    "greek": ["σπίτι", "Ἀθήνα", "π.χ.", "κ.", "«ναι»", "τί;", "μέρα·"],
    "emoji": [
        "👩‍👩‍👧‍👦",
        "🇫🇷🇩🇪",
        "👍🏽",
        "🏳️‍🌈",
        "1️⃣",
        "‼️",
        "⁉️",
        "❤️‍🔥",
        "\U0001f1eb\U0001f1f7" * 20,
    ],
    "marks": [
        "e\u0301a\u0308",
        "o\u0323\u0302",
        "Z\u0351\u036b\u0343",
        "q\u0307,",
        "x.\u0301",
        "…",
        "a\u200db",
        "。\ufe00",
    ],
    "indic": ["नमस्ते", "क्षि", "दुनिया।", "हाँ,", "क्या?", "தமிழ்", "বাংলা।"],
    "thai": ["สวัสดี", "ครับ", "น้ำ", "ที่นี่", "กำลัง", "ๆ"],
    "hangul": ["안녕", "하세요.", "\u1112\u1161\u11ab", "집에", "간다.", "정말?"],
    "arabic": ["مرحبا", "بالعالم،", "نعم؟", "می\u200cخواهم", "لِسَانٌ", "۱۲٫۵"],
    "hebrew": ["שלום", "עולם", "שָׁלוֹם", 'צה"ל', "ג׳"],
}
ENDS = {"chinese": "。", "japanese": "。", "indic": "। ", "thai": " ", "arabic": "۔ ", "greek": ". ", "emoji": "! "}
UNSPACED = frozenset({"chinese", "japanese", "thai"})

words = st.sampled_from(sorted(WORDS)).flatmap(
    lambda script: st.tuples(st.just(script), st.sampled_from(WORDS[script]))
)


@st.composite
def sentences(draw, most=30):
    script = draw(st.sampled_from(sorted(WORDS)))
    joint = "" if script in UNSPACED else draw(st.sampled_from([" ", " ", " ", "\n", ""]))
    chosen = draw(st.lists(st.sampled_from(WORDS[script]), min_size=1, max_size=most))
    if draw(st.integers(0, 9)) == 0:  # mixed
        chosen += draw(st.lists(words.map(lambda drawn: drawn[1]), max_size=4))
    return joint.join(chosen) + ENDS.get(script, ". ")


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


MEDIA_TYPES = (
    "text/markdown",
    "text/plain",
    "text/x-log",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
)

documents = st.builds(join, st.lists(blocks, max_size=16), st.sampled_from(MEDIA_TYPES))

scraps = st.one_of(
    words.map(lambda drawn: drawn[1]),
    sentences(most=20),
    st.sampled_from(
        [" ", "\n", "\n\n", "\t", "\u3000", "\u200b", "x", "。", ":", "Q: ", "| a | b |\n", "- ", "\u0301", "\xa0"]
    ),
)


@st.composite
def shattered(draw):
    """Blocks of any kind anywhere in any text: side by side, with text between them, blank, of one character."""
    text = "".join(draw(st.lists(scraps, max_size=40)))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=24)))
    placed = []
    page = 1
    for start, end in pairwise(edges):
        kind = draw(st.sampled_from([None, *Kind]))
        page += draw(st.integers(0, 1))
        if kind is not None:
            level = draw(st.integers(1, 3)) if kind in (Kind.HEADING, Kind.LIST_ITEM) else None
            name = text[start:end].strip()[:20]
            symbol = Symbol(name, "function", f"def {name}") if kind is Kind.SYMBOL else None
            placed.append(Block(kind, start, end, level=level, page=draw(st.sampled_from([page, None])), symbol=symbol))
    media_type = draw(st.sampled_from([*MEDIA_TYPES, "text/x-python", "application/json"]))
    return Document(
        text=text,
        blocks=with_section_paths(text, placed),
        media_type=media_type,
        text_is_source=draw(st.booleans()),
        language=draw(st.sampled_from(["en", "ru", "zh", None])),
    )


def moved(document, before):
    """The document with `before`, in no block, at its head."""
    far = len(before)
    blocks = tuple(replace(block, start=block.start + far, end=block.end + far) for block in document.blocks)
    return replace(document, text=before + document.text, blocks=blocks)


rulers = st.sampled_from(["word pieces/256", "word pieces/48", "characters/2000", "characters/120"]).map(
    lambda name: (
        word_pieces(int(name.split("/")[1])) if name.startswith("word") else Characters(int(name.split("/")[1]))
    )
)


@st.composite
def recipes(draw, name, ruler):
    """A recipe with settings from those that it has, from tiny to more than any document has."""
    known = {field.name for field in fields(build(name))}
    chosen = {}
    if "unit" in known:
        chosen["unit"] = draw(st.sampled_from(["tokens", "characters"]))
    most = ruler.cap - ruler.overhead
    largest = most if chosen.get("unit", "tokens") == "tokens" else 5_000
    size = draw(st.one_of(st.none(), st.integers(1, 12), st.integers(1, largest)))
    size = size if size is None else min(size, largest)
    if size is not None:
        chosen["size"] = size
        if "overlap" in known:
            chosen["overlap"] = draw(st.sampled_from([0, size // 10, size // 2, size - 1]))
        if "min_size" in known:
            chosen["min_size"] = draw(st.sampled_from([0, size // 4, size - 1]))
    chosen["parent_size"] = draw(st.sampled_from([1, size or 1, (size or 1) + 1, 1_200, 100_000]))
    if "window" in known:
        chosen["window"] = draw(st.sampled_from([0, 1, 3, 50]))
    return build(name, chosen)
