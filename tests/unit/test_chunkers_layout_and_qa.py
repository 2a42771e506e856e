"""`layout`: slides, captions, pages; `qa`: questions in all their forms."""

from __future__ import annotations

import pytest
from chunking import document, made, prose, texts

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def test_a_slide_is_a_section_however_small_and_whatever_its_title():
    slides = "# Results\n\nUp by 3 %.\n\n\f# Results\n\nMore of it.\n\n\fA slide without a title.\n"
    found = made(document(slides, PPTX, pages=True), "layout")
    assert texts(found) == ["# Results\n\nUp by 3 %.", "# Results\n\nMore of it.", "A slide without a title."]
    assert [child.pages for child in found.children] == [(1,), (2,), (3,)]


def test_a_title_slide_does_not_join_the_next_slide():
    found = made(document("# Review\n\n\f# Agenda\n\nFirst this.\n", PPTX, pages=True), "layout")
    assert texts(found) == ["# Review", "# Agenda\n\nFirst this."]


def test_a_section_of_a_pdf_runs_over_its_pages():
    found = made(document("# A\n\nFirst page.\n\n\fSecond page.\n", "application/pdf", pages=True), "layout")
    assert [child.pages for child in found.children] == [(1, 2)]
    assert [parent.pages for parent in found.parents] == [(1, 2)]


@pytest.mark.parametrize("below", [False, True])
def test_a_caption_stays_with_its_table(below):
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| {number} | value |" for number in range(20))
    pair = [table, "Table 1: what was found"] if below else ["Table 1: what was found", table]
    text = "\n\n".join([prose(15), *pair, prose(15)])
    found = made(document(text, "application/pdf", pages=True), "layout")
    assert sum("\n\n".join(pair) in child for child in texts(found)) == 1


def test_the_caption_of_a_long_table_goes_with_its_first_or_last_rows():
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| {number} | value |" for number in range(200))
    above = made(document(f"Table 1: above\n\n{table}\n", "application/pdf"), "layout")
    assert texts(above)[0].startswith("Table 1: above\n\n| a | b |")
    below = made(document(f"{table}\n\nTable 1: below\n", "application/pdf"), "layout")
    assert texts(below)[-1].endswith("| 199 | value |\n\nTable 1: below")


def test_headings_that_ask_are_children_with_their_answers_however_small():
    text = "# FAQ\n\n## Is it free?\n\nYes.\n\n## How do I log in?\n\nWith a password.\n\n## Why?\n\nBecause.\n"
    found = made(text, "qa")
    assert texts(found) == [
        "# FAQ\n\n## Is it free?\n\nYes.",
        "## How do I log in?\n\nWith a password.",
        "## Why?\n\nBecause.",
    ]
    assert [child.header for child in found.children[1:]] == ["FAQ", "FAQ"]
    assert len(found.parents) == 1


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Q: Is it free?", "A: Yes."),
        ("Q1. Free?", "A1. Yes."),
        ("**Q:** Free?", "**A:** Yes."),
        ("问：免费吗？", "答：是的。"),
        ("Вопрос: Это бесплатно?", "Ответ: Да."),
    ],
)
@pytest.mark.parametrize("joint", ["\n", "\n\n"])
def test_marked_questions_are_children_with_their_answers(question, answer, joint):
    pairs = [question + joint + answer + f" {number}." for number in range(3)]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs
    if joint == "\n":
        assert texts(made("\n".join(pairs), "qa")) == pairs


@pytest.mark.parametrize(
    "pairs",
    [
        [
            "**How do I log in?**\n\nWith a password.",
            "**Is it free?**\n\nIt is.",
            "**Why?**\n\nBecause.\n\n- one\n- two",
        ],
        ["How long does it take?\nTwo days.", "Do you ship abroad?\nYes.", "What if it breaks?\nSend a photo."],
        ["Q. Is there more?\nA. No.", "Q. Who asks?\nA. A. Smith.", "Question. Really?\nAnswer. Really."],
        ["Term\n: What it means.", "What is a kerf?\n: A slit.", "Chunk\n: A piece.\n: Of text."],
        ["**Вопрос 1.** Сколько?\n**Ответ.** Два.", "**Вопрос 2.** Где?\n**Ответ.** Там."],
        ["这是什么？\n一本书。", "多少钱？\n十元。"],
    ],
)
def test_questions_without_marks_are_children_with_their_answers(pairs):
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_questions_in_prose_and_in_lists_without_answers_are_none():
    listed = "- Who asks?\n- What for?\n- And when?"
    asked = f"{prose(2)}\nBut is it true? Nobody knows.\n\n{listed}\n\nIt is so. Is it?\n\n{prose(2)}"
    assert texts(made(asked, "qa")) == [asked]


def test_an_initial_at_the_beginning_of_a_line_answers_nothing():
    text = "A. Smith wrote it.\n\nA. Jones read it."
    assert texts(made(text, "qa")) == [text]


def test_an_answer_of_several_paragraphs_and_a_list_stays_with_its_question():
    first = f"Q: What is in it?\n\nA: {prose(3)}\n\nAnd these:\n\n- one\n- two\n\n{prose(2)}"
    assert texts(made(f"{first}\n\nQ: And then?\n\nA: Nothing.", "qa")) == [first, "Q: And then?\n\nA: Nothing."]


def test_an_answer_that_does_not_fit_repeats_its_question_in_the_headers():
    found = made(f"Q: What is in it?\n\nA: {prose(60)}\n\nQ: And then?\n\nA: Nothing.", "qa")
    assert texts(found)[0].startswith("Q: What is in it?\n\nA: Sentence 0")
    assert {child.header for child in found.children[1:-1]} == {"Q: What is in it?"}
    assert texts(found)[-1] == "Q: And then?\n\nA: Nothing."
    assert found.children[-1].header == ""


def test_what_is_not_a_question_is_cut_by_its_structure():
    text = f"# FAQ\n\n## About\n\n{prose(10)}\n\n## Is it free?\n\nYes.\n"
    assert texts(made(text, "qa")) == [f"# FAQ\n\n## About\n\n{prose(10)}", "## Is it free?\n\nYes."]
