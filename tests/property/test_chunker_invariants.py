"""What every cut of every chunker promises, over generated documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from promises import cut, hold, torn_graphemes
from strategies import (
    MEDIA_TYPES,
    WORDS,
    documents,
    join,
    moved,
    one,
    paragraphs,
    recipes,
    rulers,
    shattered,
    tables,
    word_pieces,
)

from chunkers.base import build, names
from chunkers.document import Block, Document, Kind, with_section_paths
from chunkers.errors import ConfigError
from chunkers.headers import room
from chunkers.splitting import Measure
from chunkers.tokens import Characters

NAMES = names()
#: Recipes under which a section that fits is a child whatever stands beside it, if it is not tiny.
BY_SECTION = [name for name in NAMES if name not in ("code", "fixed", "recursive")]

some = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
more = settings(some, max_examples=25)


def made_by(draw, name, drawn):
    """A drawn document, cut by a drawn recipe under a drawn ruler."""
    ruler = draw(rulers)
    document, chunker = draw(drawn), draw(recipes(name, ruler))
    return document, cut(document, chunker, ruler), ruler, chunker


@pytest.mark.parametrize("name", NAMES)
@more
@given(data=st.data())
def test_every_promise_is_kept_with_any_settings(name, data):
    document, made, ruler, chunker = made_by(data.draw, name, documents)
    hold(document, made, ruler)
    assert cut(document, chunker, ruler) == made
    assert not list(torn_graphemes(document, made, ruler, chunker))
    if not hasattr(chunker, "overlap"):
        assert all(before.end <= after.start for before, after in pairwise(made.children))


@pytest.mark.parametrize("name", NAMES)
@more
@given(data=st.data())
def test_every_promise_is_kept_wherever_the_blocks_are(name, data):
    document, made, ruler, chunker = made_by(data.draw, name, shattered())
    hold(document, made, ruler)
    assert cut(document, chunker, ruler) == made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("script", sorted(WORDS))
@pytest.mark.parametrize("joint", ["", " "], ids=["unspaced", "spaced"])
def test_no_cut_falls_inside_a_grapheme(name, script, joint):
    ruler = word_pieces()
    document = join([one(Kind.PARAGRAPH, joint.join(WORDS[script] * 40)), one(Kind.QUOTE, joint.join(WORDS[script]))])
    for size in (12, 40, 120):
        for unit in ("tokens", "characters"):
            if unit == "characters" and name in ("layout", "qa"):
                continue
            chunker = build(name, {"size": size, "unit": unit} if unit == "characters" else {"size": size})
            made = cut(document, chunker, ruler)
            hold(document, made, ruler)
            assert not list(torn_graphemes(document, made, ruler, chunker))


@pytest.mark.parametrize("name", NAMES)
@some
@given(document=documents)
def test_headers_can_be_left_out_without_another_cut(name, document):
    ruler = word_pieces()
    without = cut(document, build(name), ruler, headers=False)
    assert all(child.header == "" for child in without.children)
    hold(document, without, ruler)
    with_them = cut(document, build(name), ruler)
    assert [child.id for child in without.children] == [child.id for child in with_them.children]
    assert [child.parent_id for child in without.children] == [child.parent_id for child in with_them.children]


@pytest.mark.parametrize("name", NAMES)
@some
@given(data=st.data(), before=st.sampled_from(["\n", "\n\n\n", "  \n", "---\ntitle: x\n---\n\n"]))
def test_ids_say_nothing_of_where_a_text_stands(name, data, before):
    document, made, ruler, chunker = made_by(data.draw, name, documents)
    further = replace(moved(document, before), title="Another", date="2026-11-30", author="Somebody")
    if before.strip():
        front = Block(Kind.METADATA, 0, len(before.rstrip()))
        further = replace(further, blocks=(front, *further.blocks))
    again = cut(further, chunker, ruler)
    assert [(child.id, child.parent_id) for child in again.children] == [
        (child.id, child.parent_id) for child in made.children
    ]
    assert {child.start - len(before) for child in again.children} == {child.start for child in made.children}


@pytest.mark.parametrize("name", BY_SECTION)
@some
@given(texts=st.lists(paragraphs(most=2), min_size=1, max_size=5), new=paragraphs(most=2), whole=st.booleans())
def test_a_new_section_at_the_head_leaves_the_ids_of_the_others(name, texts, new, whole):
    """Those of sections that are children by themselves, and of longer ones where the text alone decides the cuts."""

    def page(*opening):
        drawn = list(opening)
        for number, text in enumerate(texts):
            body = ((text + " ") * 300)[: 300 if whole else 2_000].strip()
            drawn += [one(Kind.HEADING, f"# Chapter {number}", 1), one(Kind.PARAGRAPH, body)]
        return join(drawn, per_page=100)

    if name in ("semantic", "cluster") and not whole:
        return  # what is alike and what is not is a matter of the whole document
    ruler = Characters(400)
    before = cut(page(), build(name), ruler)
    after = cut(page(one(Kind.HEADING, "# New", 1), one(Kind.PARAGRAPH, new)), build(name), ruler)
    assert {child.id for child in before.children} <= {child.id for child in after.children}


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
    twice = cut(pages(text, between, text), build(name), ruler)
    assert cut(pages(text, between, text), build(name), ruler) == twice
    assert len({child.id for child in twice.children}) == len(twice.children)


@pytest.mark.parametrize("name", ["structure", "layout", "qa"])
def test_removing_one_of_two_equal_paragraphs_removes_one_id(name):
    filler = " ".join(f"Word {number} of the long filler." for number in range(20))
    same = " ".join(f"Sentence {number} is there twice." for number in range(25))

    def ids(*texts):
        document = join([one(Kind.PARAGRAPH, text) for text in texts])
        made = cut(document, build(name, {"size": 200}), word_pieces())
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
    made = cut(document, build(name), word_pieces())
    assert (made.parents, made.children) == ((), ())


@pytest.mark.parametrize("name", NAMES)
def test_a_document_of_metadata_alone_has_no_children(name):
    text = "---\ntitle: x\n---\n"
    document = Document(
        text=text, blocks=(Block(Kind.METADATA, 0, len(text) - 1),), media_type="text/markdown", text_is_source=True
    )
    assert cut(document, build(name), word_pieces()).children == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["x", "今", "\u0301", "👩‍👩‍👧‍👦", ".", "\n\nx", "-\n"])
def test_a_document_of_one_character_is_one_child(name, text):
    bare = Document(text=text, blocks=(), media_type="text/plain", text_is_source=True)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    for kind in (None, Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM, Kind.TABLE, Kind.CODE, Kind.QUESTION):
        document = bare if kind is None else replace(bare, blocks=with_section_paths(text, [Block(kind, start, end)]))
        made = cut(document, build(name), word_pieces())
        assert [child.text for child in made.children] == [text.strip()]
        hold(document, made, word_pieces())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("code", "fixed")])
@some
@given(
    before=st.lists(paragraphs(most=1).map(lambda text: one(Kind.PARAGRAPH, text)), max_size=2),
    table=tables(),
    size=st.integers(24, 254),
)
def test_no_row_of_a_table_is_cut_that_fits_under_its_header(name, before, table, size):
    ruler = word_pieces()
    document = join([one(Kind.HEADING, "## Of rows", 2), *before, table])
    chunker = build(name, {"size": size})
    made = cut(document, chunker, ruler)
    header, _, *rows = table.text.split("\n")
    overlap = size // 10 if hasattr(chunker, "overlap") else 0
    left = room(document, ("Of rows",), header, ruler, size - overlap)
    at = document.text.rindex(table.text) + len(table.text) - len("\n".join(rows))
    for row in rows:
        fits = Measure(ruler).size(row + "\n") <= left
        assert not fits or any(child.start <= at and at + len(row) <= child.end for child in made.children), row
        at += len(row) + 1


@some
@given(document=documents)
def test_no_child_lies_on_two_slides(document):
    slides = replace(document, media_type=MEDIA_TYPES[-1])
    made = cut(slides, build("layout"), word_pieces())
    assert all(len(child.pages) <= 1 for child in made.children)


@settings(max_examples=60, deadline=None)
@given(
    length=st.integers(1, 1_500),
    size=st.integers(1, 254),
    share=st.floats(0, 0.99),
    parent_size=st.integers(1, 2_000),
    script=st.sampled_from(["house ", "水 ", "水", "か"]),
)
def test_windows_of_tokens_are_as_many_as_the_formula_says(length, size, share, parent_size, script):
    """Over words of one token each, in which no rule moves a cut."""
    ruler, overlap = word_pieces(), int(size * share)
    document = join([one(Kind.PARAGRAPH, (script * length).strip())], "text/plain")
    chunker = build("fixed", {"size": size, "overlap": overlap, "parent_size": parent_size})
    windows = cut(document, chunker, ruler)
    assert len(windows.children) == max(1, ceil((length - overlap) / (size - overlap)))
    hold(document, windows, ruler)


@settings(max_examples=60, deadline=None)
@given(length=st.integers(1, 1_500), size=st.integers(1, 120), share=st.floats(0, 0.99))
def test_windows_of_a_log_are_as_many_as_the_formula_says_in_lines(length, size, share):
    """Over lines of ten characters each, where the sizes are whole lines."""
    overlap = max(1, int(size * share)) if size > 1 else 0
    text = "".join(f"{number:09}\n" for number in range(length))
    document = join([one(Kind.PARAGRAPH, text.rstrip())], "text/x-log", joint="\n")
    chunker = build("fixed", {"unit": "characters", "size": size * 10, "overlap": overlap * 10})
    windows = cut(document, chunker, Characters())
    if overlap:  # without one the lines' own content decides
        assert len(windows.children) == max(1, ceil((length - overlap) / (size - overlap)))
    assert all(len(line) == 9 for child in windows.children for line in child.text.split("\n"))
    hold(document, windows, Characters())


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(build(name), "overlap")])
@pytest.mark.parametrize("unit", ["tokens", "characters"])
@given(size=st.integers(1, 500), above=st.integers(0, 100))
def test_an_overlap_that_is_not_below_the_size_is_a_configuration_error(name, unit, size, above):
    with pytest.raises(ConfigError, match="overlap must be"):
        build(name, {"size": size, "overlap": size + above, "unit": unit})


@pytest.mark.parametrize("name", NAMES)
def test_a_giant_word_is_cut_although_its_tokenizer_calls_it_one_token(name):
    text = "x" * 200_000
    document = Document(
        text=text, blocks=(Block(Kind.PARAGRAPH, 0, len(text)),), media_type="text/plain", text_is_source=True
    )
    made = cut(document, build(name), word_pieces())
    assert max(len(child.text) for child in made.children) <= 12 * 254


def test_a_model_that_reads_next_to_nothing_is_a_configuration_error():
    document = join([one(Kind.PARAGRAPH, "Some words.")])
    with pytest.raises(ConfigError):
        cut(document, build("structure"), word_pieces(2))
