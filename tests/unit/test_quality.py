"""What is said of a cut without a question."""

from __future__ import annotations

import json
import re
from uuid import UUID

import numpy as np
import pytest
from chunking import document, made, prose
from timing import processor_seconds
from word_pieces import word_pieces

from chunkers.chunk import Child, Cut, Parent
from chunkers.document import Block, Document, Kind
from chunkers.quality import Lengths, assess, percentile
from chunkers.quality_edits import Remembered, edit_locality, inserted
from chunkers.quality_endings import Endings
from chunkers.tokens import Characters

ENDS = [
    "It rained.| Then it stopped.",
    "Did it rain?| It did.",
    "It rained (all day).| Then it stopped.",
    'She said "it rains."| Then she left.',
    "It rained **all day.**| Then it stopped.",
    "It rained.[3]| Then it stopped.",
    "It rained.[^note]| Then it stopped.",
    "It rained.²| Then it stopped.",
    "It rained! 😀| Then it stopped.",
    "Wait!| we said.",  # no speech, no abbreviation: a mark of its own
    "It was 20 °C.| Then it froze.",
    "Дождь шёл.| Потом перестал.",
    "Родился в 1799 г.| Умер позже.",
    "他说：“你好。”|然后走了。",
    "下雨了。|我们走吧。",
    "你好!|今天很好。",
    "هل هطل المطر؟| نعم.",
    "بارش ہوئی۔| پھر رک گئی۔",
    "वर्षा हुई।| फिर रुक गई।",
    "Անձրև եկավ։| Հետո դադարեց։",
    "იწვიმა.| მერე გადაიღო.",
    "ฝนตก| แล้วหยุด",
    "A paragraph without a mark|",
    "A lead-in:|\n\nThe rest.",
    "12 High Street|\nSpringfield, somewhere in the north\nUSA",
]
AMID = [
    "It rained| all day.",
    "It rained,| then it stopped.",
    "See e.g.| this one.",
    "Wait...| what?",
    "Wait…| what?",
    '"Stop!"| he said.',
    "«Да!»| — сказал он.",
    "It cost 3.|50 in all.",
    "See www.|example.org for it.",
    "Ask J.| R. R. Tolkien.",
    "In the U.S.| Congress it failed.",
    "Это т. е.| почти верно.",
    "А. С.| Пушкин",
    "今天天气很好，|我们去公园。",
    "版本2.|0。",
    "今天|很好。",
    "مرحبا| بالعالم.",
    "ฝน|ตก แล้วหยุด",
    "A line that was wrapped because the next\nword of the sentence did not fit into|\nwidths such as this.",
]


@pytest.mark.parametrize("marked", ENDS)
def test_an_end_of_a_sentence_or_of_a_block_is_no_mid_sentence(marked):
    assert not amid(marked)


@pytest.mark.parametrize("marked", AMID)
def test_any_other_end_is_in_mid_sentence(marked):
    assert amid(marked)


def amid(marked):
    return Endings(document(marked.replace("|", ""), "text/plain")).amid(0, marked.index("|"))


def test_text_in_lower_case_throughout_has_sentences_too():
    text = "the rate rose. it fell again. we expect no change. that is all."
    endings = Endings(document(text))
    assert not endings.amid(0, text.index(" it fell"))
    assert endings.amid(0, text.index(" rose"))


def test_rows_and_lines_of_code_are_not_sentences():
    table = "| a | b |\n| --- | --- |\n| one | two |\n| three | four |"
    code = "```\nx = 1\ny = 2\n```"
    text = f"{table}\n\n{code}"
    endings = Endings(document(text))
    assert not endings.amid(0, text.index("\n| three"))
    assert endings.amid(0, text.index(" | two"))
    assert not endings.amid(text.index("x = 1"), text.index("\ny = 2"))
    assert endings.amid(text.index("x = 1"), text.index(" = 2"))


def test_a_blank_line_ends_a_paragraph_even_inside_a_block():
    text = "<div class=wide>A picture of a river and of its banks\n\nA river and its banks\nin spring</div>"
    endings = Endings(Document(text, (Block(Kind.PARAGRAPH, 0, len(text)),), "text/html", text_is_source=False))
    assert not endings.amid(0, text.index("\n\n"))
    assert endings.amid(0, text.index(" of its banks"))


def test_white_space_at_an_end_is_not_looked_at():
    text = "It rained. Then it stopped"
    endings = Endings(document(text))
    assert not endings.amid(0, text.index("Then"))
    assert endings.amid(0, text.index("stopped"))
    assert not endings.amid(text.index(" Then"), text.index("Then"))


def cut_at(text, *spans):
    """Spans as children, each its own parent, with a header that costs six characters."""
    numbered = [(UUID(int=number + 1), number, a, b) for number, (a, b) in enumerate(spans)]
    return Cut(
        tuple(Parent(uuid, number, a, b, (), (), text[a:b], tokens=b - a) for uuid, number, a, b in numbered),
        tuple(
            Child(uuid, uuid, number, a, b, (), (), None, Kind.PARAGRAPH, "Head", text[a:b], tokens=b - a + 6)
            for uuid, number, a, b in numbered
        ),
    )


def test_the_figures_of_a_cut_are_those_of_the_drawing():
    text = "abcd efgh.\n\nijkl"  # 13 visible characters
    found = assess([(document(text), cut_at(text, (0, 9), (5, 10)))], Characters())
    assert found.children == 2
    assert found.characters == found.tokens == Lengths(7.0, 5, 5, 5, 9, 9)
    assert found.coverage == 9 / 13
    assert found.overlap == 4 / 9
    assert found.mid_sentence == 0.5
    assert found.text_tokens == 14
    assert found.index_tokens == 14 + 2 * 6
    assert (found.parents, found.parent_tokens, found.parent_characters) == (2, 7.0, 7.0)
    assert json.loads(json.dumps(found.to_dict()))["characters"]["p95"] == 9


def test_metadata_counts_for_nothing():
    text = "---\na: b\n---\n\nBody."
    body = text.index("Body")
    found = assess([(document(text), cut_at(text, (body, len(text))))], Characters())
    assert (found.coverage, found.overlap) == (1.0, 0.0)


def test_no_children_are_no_lengths_and_no_error():
    for text in ("", "---\na: b\n---\n"):
        found = assess([(document(text), Cut((), ()))], Characters())
        assert (found.children, found.tokens, found.parents, found.parent_tokens) == (0, None, 0, None)
        assert (found.coverage, found.overlap, found.mid_sentence) == (1.0, 0.0, 0.0)
    assert assess([(document("Text."), Cut((), ()))], Characters()).coverage == 0.0


def test_the_figures_of_several_documents_are_of_all_their_children():
    ruler = word_pieces()
    sources = [document(prose(60)), document(prose(5, "lakes"))]
    cuts = [(source, made(source, "recursive")) for source in sources]
    both, one, other = assess(cuts, ruler), assess(cuts[:1], ruler), assess(cuts[1:], ruler)
    assert both.children == one.children + other.children
    assert both.index_tokens == one.index_tokens + other.index_tokens
    assert both.tokens.maximum == max(one.tokens.maximum, other.tokens.maximum)
    assert one.overlap > both.overlap > other.overlap == 0.0


def test_percentiles_are_lengths_that_occur():
    assert [percentile(range(1, 101), share) for share in (0, 5, 50, 95, 100)] == [1, 5, 50, 95, 100]
    assert [percentile([7], share) for share in (0, 5, 50, 95, 100)] == [7] * 5
    assert percentile([1, 2], 51) == 2


def test_overlap_is_what_the_recipe_was_asked_to_share():
    text = "x" * 1000
    source = Document(text, (Block(Kind.PARAGRAPH, 0, 1000),), "text/plain", text_is_source=True)
    found = made(source, "fixed", Characters(), unit="characters", size=100, overlap=20)
    figures = assess([(source, found)], Characters())
    # windows begin every 80: twelve of them, each but the first shares 20 of the 1,000 characters with the one before
    assert figures.children == 13 - 1 + (1000 > 12 * 80 + 20)
    assert figures.overlap == 20 * (figures.children - 1) / 1000


def test_an_edit_in_one_of_many_sections_costs_its_own_children_only():
    text = "\n\n".join(f"## Section {number}\n\n{prose(10, f'topic {number}')}" for number in range(12))
    source = document(text)
    found = edit_locality(source, lambda edited: made(edited, "structure"), edits=10)
    assert found.edits == 10
    assert found.mean == found.p95 == 1


def test_an_edit_moves_all_fixed_windows_after_it():
    source = document(prose(200))
    fixed = edit_locality(source, lambda edited: made(edited, "fixed"), edits=10)
    recursive = edit_locality(source, lambda edited: made(edited, "recursive"), edits=10)
    assert fixed.mean > 2 * recursive.mean
    assert fixed.tokens > 2 * recursive.tokens


def test_the_same_seed_makes_the_same_edits():
    source = document(prose(100))

    def measured(seed):
        seen = []

        def recut(edited):
            seen.append(edited.text)
            return made(edited, "recursive")

        return edit_locality(source, recut, edits=5, seed=seed), seen

    assert measured(1) == measured(1)
    assert measured(1)[1] != measured(2)[1]
    assert len(measured(1)[1]) == 6


def test_an_inserted_sentence_is_of_the_script_around_it_and_whole():
    sources = {
        "今天下雨了。我们没有出去。明天会好的。": r"第\d+句",
        "Сегодня шёл дождь. Мы остались дома.": "предложения",
        "هطل المطر اليوم. بقينا في البيت.": "الجملة",
        "It rained today. We stayed at home.": "Sentence",
    }
    for text, expected in sources.items():
        seen = []

        def recut(edited, seen=seen):
            seen.append(edited)
            return made(edited, "recursive")

        edit_locality(document(text), recut, edits=3)
        for edited in seen[1:]:
            assert re.search(expected, edited.text)
            assert edited.text[edited.blocks[0].start : edited.blocks[0].end] == edited.text


class Letters:
    """A space of two dimensions: how much of a text is `a`, how much is not. It knows what it was asked."""

    fingerprint = "letters"
    ruler = Characters()

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        shares = np.array([[text.count("a"), len(text) - text.count("a")] for text in texts], dtype=np.float32)
        return shares.reshape(len(texts), 2) / (np.linalg.norm(shares, axis=1, keepdims=True) if texts else 1)


def test_what_is_looked_at_again_is_not_embedded_again():
    letters = Letters()
    remembered = Remembered(letters)
    assert (remembered.fingerprint, remembered.ruler) == (letters.fingerprint, letters.ruler)
    assert remembered.embed([]).shape == (0, 2)
    first, second = ["aa", "ab", "aa"], ["ab", "bb"]
    assert np.array_equal(remembered.embed(first), Letters().embed(first))
    assert np.array_equal(remembered.embed(second), Letters().embed(second))
    assert letters.asked == ["aa", "ab", "bb"]


def test_code_and_tables_have_no_prose_to_edit():
    for text in ("```\nx = 1. y\n```", "| It rained. | So. |\n| --- | --- |\n| a. | b. |", "# Heading."):
        assert edit_locality(document(text), lambda edited: made(edited, "recursive")) is None


def test_an_insertion_grows_its_block_and_moves_those_after_it():
    source = document("# Title\n\nOne. Two.\n\n- item\n\nLast.")
    edited = inserted(source, source.text.index(" Two"), " New.")
    assert edited.text == "# Title\n\nOne. New. Two.\n\n- item\n\nLast."
    assert edited.blocks == document(edited.text).blocks


@pytest.mark.parametrize("text", ["x" * 400_000, ". " * 200_000, "." * 400_000, "a.\n" * 130_000, "[1]" * 130_000])
def test_time_is_linear_whatever_the_text(text):
    def seconds(length):
        some = text[:length]
        source = Document(some, (Block(Kind.PARAGRAPH, 0, length),), "text/plain", text_is_source=True)
        cut = cut_at(some, *((at, at + 50) for at in range(0, length - 50, 50)))
        return min(processor_seconds(lambda: assess([(source, cut)], Characters())) for _ in range(3))

    assert seconds(390_000) <= 3 * seconds(195_000) + 0.05
