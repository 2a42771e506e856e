"""Finding questions loses nothing: whatever the lines are, the blocks hold the same text in the same order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document
from chunkers.questions import pairs, share
from corpus.parsers import parse

LINES = st.sampled_from(
    [
        *(
            "Q: Is it?",
            "A: It is.",
            "Q1. Who?",
            "A. Smith",
            "P: 030 12",
            "R: sí",
            "Frage 3) was",
            "Antwort: das",
            "问：谁？",
        ),
        *(
            "答：我。",
            "Q: a? A: b.",
            "**Is it?** Yes.",
            "**Is it?**",
            "**Hours**",
            "Term",
            ": Meaning.",
            "Why?",
            "It is so.",
        ),
        *(
            "- Q: one?",
            "- two",
            "# Question 1",
            "## Answer",
            "### Why?",
            "> A: quoted",
            "<summary>Why?</summary>",
            "```\nQ: c\n```",
        ),
        *("*" * 9, "?", ":", "Q:", "A:", "[Q] x?", "Q - y?", "| a |", "Question", "Ответ", " "),
    ]
)
TEXTS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\n\n"])), max_size=24).map(
    lambda rows: "".join(map("".join, rows))
)


def _words(source: Document, blocks) -> str:
    return "".join("".join(source.text[block.start : block.end].split()) for block in blocks)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_the_blocks_with_questions_hold_the_same_text(text):
    source = parse(f"Words.\n\n{text}".encode(), uri="a.md")
    found = list(pairs(source))
    Document(source.text, tuple(found), source.media_type, text_is_source=True)  # in order, not overlapping
    assert _words(source, found) == _words(source, source.blocks)
    assert not any(source.text[block.start].isspace() or source.text[block.end - 1].isspace() for block in found)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_share_of_questions_is_a_share(text):
    found, count = share(parse(f"Words.\n\n{text}".encode(), uri="a.md"))
    assert 0 <= found <= 1
    assert count >= 0
