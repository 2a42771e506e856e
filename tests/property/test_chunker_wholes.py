"""What is not cut when it fits: tables, lists with their lead-in, fences of code, questions with their answers."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import fences, headings, join, lists, one, paragraphs, questions, rulers, tables
from word_vectors import WordVectors

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.document import Kind
from chunkers.headers import room
from chunkers.splitting import Measure

DOCUMENT = UUID(int=1)

some = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

prose = paragraphs().map(lambda text: one(Kind.PARAGRAPH, text))


def around(whole, after=None):
    """One drawn block with headings and paragraphs before it, and after it unless `after` says what."""
    others = st.lists(st.one_of(headings(), prose), max_size=4)
    return st.tuples(others, whole, others if after is None else after)


ended = st.one_of(st.just([]), headings().map(lambda heading: [heading]))  #: what cannot belong to an answer


def fits(document, start, end, ruler, size):
    """Whether the text fits a piece under the longest header that it can have, by more than the joints' worth.

    Its size is the chunkers' own: a word without end, which the model takes for a single unknown one, has its length.
    """
    block = next(block for block in document.blocks if block.end > start)
    left = room(document, block.section_path, "", ruler, size)
    measure = Measure(ruler)
    text = document.text[start:end]
    by_line = sum(measure.size(line) for line in text.split("\n"))
    return max(by_line, measure.size(text)) <= left


def assert_whole(recipe, drawn, ruler, size):
    before, whole, after = drawn
    document = join([*before, whole, *after])
    start = sum(len(each.text) + 2 for each in before)
    end = start + len(whole.text)
    start += len(whole.text) - len(whole.text.lstrip())
    size = min(size, ruler.cap - ruler.overhead)
    made = cut(DOCUMENT, document, build(recipe, {"size": size}), ruler, embedder=WordVectors())
    inside = any(child.start <= start and end <= child.end for child in made.children)
    claimed = end - len(whole.text)
    if whole.blocks[0][0] is Kind.LIST_ITEM and before and before[-1].blocks[-1][0] is Kind.PARAGRAPH:
        claimed -= len(before[-1].text) + 2  # a list and what leads it in are whole if the two of them fit
    assert inside or not fits(document, claimed, end, ruler, size)


@pytest.mark.parametrize("recipe", ["structure", "layout", "qa", "semantic", "cluster", "sentence_window", "late"])
@some
@given(drawn=around(st.one_of(tables(), lists(), fences())), ruler=rulers, size=st.sampled_from([40, 120, 254]))
def test_a_table_a_list_with_its_lead_in_and_a_fence_are_whole_if_they_fit(recipe, drawn, ruler, size):
    assert_whole(recipe, drawn, ruler, size)


@some
@given(drawn=around(questions(), ended), ruler=rulers, size=st.sampled_from([40, 120, 254]))
def test_a_question_and_its_answer_are_whole_if_they_fit(drawn, ruler, size):
    assert_whole("qa", drawn, ruler, size)
