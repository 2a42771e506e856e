"""What every cut of every chunker promises, over generated and over real documents."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
import regex
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import documents, join, one, paragraphs, rulers, word_pieces
from timing import processor_seconds
from word_vectors import WordVectors

from chunkers import assembly
from chunkers.base import build, names
from chunkers.chunk import embedded_text
from chunkers.document import Block, Document, Kind, pages_of
from chunkers.errors import ConfigError
from chunkers.tokens import Characters
from corpus.parsers.base import Settings

DOCUMENT = UUID(int=1)
NAMES = names()
PROSE = ["cluster", "fixed", "recursive", "semantic", "sentence_window", "structure"]  #: with sizes in characters too

some = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def cut(document_id, document, chunker, ruler, **settings):
    return assembly.cut(document_id, document, chunker, ruler, embedder=WordVectors(), **settings)


def hold(document, made, ruler):
    """Every promise, from the design's words and not from the code that keeps them."""
    text = document.text
    parents = {parent.id: parent for parent in made.parents}
    assert len(parents) == len(made.parents)
    assert len({child.id for child in made.children}) == len(made.children)

    covered = bytearray(len(text))
    forbidden = bytearray(len(text))
    for block in document.blocks:
        if block.kind is Kind.METADATA:
            forbidden[block.start : block.end] = b"\1" * (block.end - block.start)
    for child in made.children:
        assert text[child.start : child.end] == child.text
        assert child.text.strip() == child.text or child.kind in (Kind.CODE, Kind.SYMBOL)
        assert child.text.strip()
        assert not any(forbidden[child.start : child.end]), "metadata is embedded"
        covered[child.start : child.end] = b"\1" * (child.end - child.start)
        parent = parents[child.parent_id]
        assert parent.start <= child.start < child.end <= parent.end
        assert child.pages == pages_of(document.blocks, child.start, child.end)
        lines = (text.count("\n", 0, child.start) + 1, text.count("\n", 0, child.end - 1) + 1)
        assert child.lines == (lines if document.text_is_source else None)
    lost = [at for at, char in enumerate(text) if not char.isspace() and not covered[at] and not forbidden[at]]
    assert not lost, text[lost[0] : lost[0] + 40]

    for before, after in zip(made.parents, made.parents[1:], strict=False):
        assert before.end <= after.start or (before.window and after.window)
    assert len([parent for parent in made.parents if parent.window]) in (0, len(made.parents))
    for parent in made.parents:
        assert text[parent.start : parent.end] == parent.text
        assert parent.id in {child.parent_id for child in made.children}

    lengths = ruler.count([embedded_text(child.header, child.text) for child in made.children])
    for child, length in zip(made.children, lengths, strict=True):
        assert child.tokens == length + ruler.overhead <= ruler.cap
    for header in {child.header for child in made.children}:
        assert ruler.count([header])[0] * 3 <= ruler.cap - ruler.overhead


@pytest.mark.parametrize("name", NAMES)
@some
@given(document=documents, ruler=rulers, size=st.sampled_from([None, 1, 7, 40, 100]))
def test_every_invariant_holds(name, document, ruler, size):
    if size is not None and size > ruler.cap - ruler.overhead:
        size = ruler.cap - ruler.overhead
    made = cut(DOCUMENT, document, build(name, {"size": size}), ruler)
    hold(document, made, ruler)
    assert cut(DOCUMENT, document, build(name, {"size": size}), ruler) == made


@pytest.mark.parametrize("name", PROSE)
@some
@given(document=documents, size=st.integers(1, 300), share=st.floats(0, 0.99), parent_size=st.integers(1, 2000))
def test_any_size_and_overlap_make_progress(name, document, size, share, parent_size):
    chosen = {"size": size, "unit": "characters", "parent_size": parent_size}
    if name in ("fixed", "recursive"):
        chosen["overlap"] = int(size * share)
    ruler = word_pieces()
    hold(document, cut(DOCUMENT, document, build(name, chosen), ruler), ruler)


@pytest.mark.parametrize("name", NAMES)
@some
@given(document=documents)
def test_no_cut_falls_inside_a_grapheme(name, document):
    ruler = word_pieces()
    made = cut(DOCUMENT, document, build(name), ruler)
    starts = {match.start() for match in regex.finditer(r"\X", document.text)} | {len(document.text)}
    assert {child.start for child in made.children} | {child.end for child in made.children} <= starts


@pytest.mark.parametrize("name", NAMES)
@some
@given(document=documents)
def test_headers_can_be_left_out_without_another_cut(name, document):
    ruler = word_pieces()
    without = cut(DOCUMENT, document, build(name), ruler, headers=False)
    assert all(child.header == "" for child in without.children)
    hold(document, without, ruler)
    with_them = cut(DOCUMENT, document, build(name), ruler)
    assert [child.id for child in without.children] == [child.id for child in with_them.children]


@pytest.mark.parametrize("name", NAMES)
@some
@given(text=paragraphs(most=3), between=paragraphs(most=3))
@example(text="The same paragraph.", between="Something else.")
def test_equal_paragraphs_are_two_children_with_stable_ids(name, text, between):
    def pages(*texts):
        blocks = []
        for number, each in enumerate(texts):
            blocks += [one(Kind.HEADING, f"## Section {number}", 2), one(Kind.PARAGRAPH, each)]
        return join(blocks)

    ruler = Characters(100_000)
    twice = cut(DOCUMENT, pages(text, between, text), build(name), ruler)
    assert cut(DOCUMENT, pages(text, between, text), build(name), ruler) == twice
    assert len({child.id for child in twice.children}) == len(twice.children)


@pytest.mark.parametrize("name", ["structure", "layout", "qa"])
def test_removing_one_of_two_equal_paragraphs_removes_one_id(name):
    filler = " ".join(f"Word {number} of the long filler." for number in range(20))
    same = " ".join(f"Sentence {number} is there twice." for number in range(25))

    def ids(*texts):
        document = join([one(Kind.PARAGRAPH, text) for text in texts])
        made = cut(DOCUMENT, document, build(name, {"size": 200}), word_pieces())
        assert [child.text for child in made.children] == list(texts)
        return {child.id for child in made.children}

    twice, once = ids(same, filler, same), ids(same, filler)
    assert len(twice) == 3
    assert once < twice
    assert len(twice - once) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "   \n\n \t", "\n" * 1000])
def test_a_blank_document_has_no_children(name, text):
    document = Document(text=text, blocks=(), media_type="text/plain", text_is_source=True)
    made = cut(DOCUMENT, document, build(name), word_pieces())
    assert (made.parents, made.children) == ((), ())


@pytest.mark.parametrize("name", NAMES)
def test_a_document_of_metadata_alone_has_no_children(name):
    text = "---\ntitle: x\n---\n"
    document = Document(
        text=text, blocks=(Block(Kind.METADATA, 0, len(text) - 1),), media_type="text/markdown", text_is_source=True
    )
    assert cut(DOCUMENT, document, build(name), word_pieces()).children == ()


LINES = {
    "one word": lambda n: "x" * n,
    "hexadecimal": lambda n: "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(n // 8)),
    "no punctuation": lambda n: "word other " * (n // 11),
    "Chinese": lambda n: "今天天气很好，我们去公园吧。" * (n // 14),
    "Chinese without marks": lambda n: "今天天气很好我们去公园吧" * (n // 12),
    "one grapheme": lambda n: "e" + "\u0301" * n,
    "blank lines": lambda n: "a" + "\n" * n + "b",
    "short lines": lambda n: "a b\n" * (n // 4),
    "full stops": lambda n: "." * n,
}


@pytest.mark.parametrize("name", PROSE)
@pytest.mark.parametrize("line", sorted(LINES))
def test_time_is_linear_whatever_the_text(name, line):
    def seconds(length):
        text = LINES[line](length)
        document = Document(
            text=text,
            blocks=(Block(Kind.PARAGRAPH, 0, len(text)),),
            media_type="text/plain",
            text_is_source=True,
        )
        chunker = build(name)
        return min(processor_seconds(lambda: cut(DOCUMENT, document, chunker, Characters(512))) for _ in range(2))

    assert seconds(120_000) <= 3 * seconds(60_000) + 0.05


@pytest.mark.parametrize("name", PROSE)
def test_a_giant_word_is_cut_although_its_tokenizer_calls_it_one_token(name):
    text = "x" * 200_000
    document = Document(
        text=text, blocks=(Block(Kind.PARAGRAPH, 0, len(text)),), media_type="text/plain", text_is_source=True
    )
    made = cut(DOCUMENT, document, build(name), word_pieces())
    assert max(len(child.text) for child in made.children) <= 12 * 254


def test_a_model_that_reads_next_to_nothing_is_a_configuration_error():
    document = join([one(Kind.PARAGRAPH, "Some words.")])
    with pytest.raises(ConfigError):
        cut(DOCUMENT, document, build("structure"), word_pieces(2))


@pytest.mark.parametrize("name", NAMES)
def test_every_invariant_holds_on_real_documents(name, data_folder: Path):
    from corpus.parsers.base import parser_for

    ruler = word_pieces()
    media_types = {".md": "text/markdown", ".html": "text/html", ".log": "text/x-log"}
    files = [*(data_folder / "demo-corpus").rglob("*"), *(data_folder / "chroma-eval" / "corpora").glob("s*.md")]
    seen = 0
    for file in sorted(files):
        if media_type := media_types.get(file.suffix):
            document = parser_for(media_type).parse(file.read_bytes(), media_type, Settings()).document
            hold(document, cut(DOCUMENT, document, build(name), ruler), ruler)
            seen += 1
    assert seen > 20
