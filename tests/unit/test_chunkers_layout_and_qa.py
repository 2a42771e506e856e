"""`layout`: slides, captions, pages; `qa`: questions in all their forms."""

from __future__ import annotations

import pytest
from chunking import document, made, prose, texts

from chunkers.document import Block, Document, Kind
from chunkers.questions import share

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
        ("【问】如何退款", "【答】在订单页面。"),
        ("[Q1] Tell me more", "[A] Yes."),
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


def pages_of_tables(*tables: tuple[int, list[list[str]]], between: str = "") -> Document:
    """Tables, each on its page, as the parser of PDF writes them."""
    text, blocks = "", []
    for page, rows in tables:
        text += between if text else ""
        written = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        blocks.append(
            Block(Kind.TABLE, len(text), len(text) + len(written), page=page, rows=tuple(tuple(row) for row in rows))
        )
        text += f"{written}\n\n"
    return Document(text=text, blocks=tuple(blocks), media_type="application/pdf", text_is_source=False, language="en")


def figures(first: int, last: int) -> list[list[str]]:
    return [[f"P-{number}", f"{number}.5", str(number * 10)] for number in range(first, last)]


HEAD = [["Pump", "Flow", "Power"]]


@pytest.mark.parametrize("again", [[], HEAD])
def test_a_table_that_goes_on_over_pages_is_one_table_with_its_header_in_every_part(again):
    table = pages_of_tables((1, HEAD + figures(1, 30)), (2, again + figures(30, 60)), (3, again + figures(60, 80)))
    found = made(table, "layout")
    assert len(found.children) > 2
    assert all(child.header == "| Pump | Flow | Power |" for child in found.children[1:])
    assert {page for child in found.children for page in child.pages} == {1, 2, 3}
    rows = [row for child in texts(found) for row in child.split("\n") if row.strip()]
    assert rows == [row for row in table.text.split("\n") if row.strip()]


@pytest.mark.parametrize(
    "below",
    [
        (3, figures(30, 60)),  # not the next page
        (2, [row[:2] for row in figures(30, 60)]),  # fewer columns
        (2, [["Valve", "Width", "Weight"], *figures(30, 60)]),  # names of its own
    ],
)
def test_another_table_on_the_next_page_keeps_its_own_header(below):
    found = made(pages_of_tables((1, HEAD + figures(1, 30)), below), "layout")
    assert any("| P-31 |" in child.text and "Pump" not in child.header for child in found.children)


def test_a_table_below_a_text_on_the_next_page_is_another_one():
    found = made(
        pages_of_tables((1, HEAD + figures(1, 9)), (2, figures(9, 20)), between="A line of text.\n\n"), "layout"
    )
    assert "A line of text." in "\n".join(texts(found))


@pytest.mark.parametrize(
    ("asks", "answers"),
    [("P", "R"), ("Q", "R"), ("F", "A"), ("D", "R"), ("П", "В"), ("문", "답"), ("س", "ج"), ("Q", "A"), ("В", "О")],
)
def test_letters_of_many_languages_mark_questions_where_they_come_by_turns(asks, answers):
    pairs = [f"{asks}: number {number}\n{answers}: yes" for number in range(3)]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_letters_that_do_not_come_by_turns_mark_nothing():
    text = "P: 030 123456\nF: 030 123457\nR: third floor\n\nP: 030 987654"
    assert texts(made(text, "qa")) == [text]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Frage", "Antwort"),
        ("Pregunta", "Respuesta"),
        ("Pergunta", "Resposta"),
        ("Question", "Réponse"),
        ("Domanda", "Risposta"),
        ("Vraag", "Antwoord"),
        ("Pytanie", "Odpowiedź"),
        ("Питання", "Відповідь"),
        ("質問", "回答"),
        ("질문", "답변"),
        ("سؤال", "جواب"),
    ],
)
@pytest.mark.parametrize(
    "shape", ["{0}: eins\n{1}: zwei", "**{0} 3:** eins\n\n**{1}:** zwei", "{0} #3. eins\n{1} 3) zwei"]
)
def test_words_of_many_languages_mark_questions(question, answer, shape):
    pairs = [shape.format(question, answer) + f" {number}." for number in range(3)]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_marked_questions_without_marked_answers_are_answered_by_what_follows():
    pairs = ["Q1. What is it?\nA saw.\n\nIt cuts.", "Q2. Who sells it?\n\n- we\n- they", "Q3. Why?\nSo."]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_quarters_of_a_year_are_no_questions():
    text = "Q1: up by 3 %.\n\nQ2: down.\n\nQ3: flat.\n\nQ4: up."
    assert texts(made(text, "qa")) == [text]


def test_an_answer_on_the_line_of_its_question_belongs_to_it():
    pairs = ["Q: Is it free? A: Yes.", "Q: Is there more? A: A lot. See below.", "**Q:** Why? **A:** So."]
    assert texts(made("\n".join(pairs), "qa")) == pairs


def test_a_bold_beginning_that_asks_is_a_question():
    pairs = ["**Is it free?** Yes.", "**Is there an app?** For both:\n\n- one\n- two", "**Who?** We. Why we? So."]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_bold_lines_among_bold_questions_are_entries_too():
    pairs = ["**Is it free?**\n\nYes.", "**Why?**\n\nSo.", "**Opening hours**\n\nNine to five."]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs
    bold = "**Note**\n\nIt is so.\n\n**Warning**\n\nIt is not."
    assert texts(made(bold, "qa")) == [bold]


def test_headings_beside_those_that_ask_are_entries_too():
    text = (
        "# FAQ\n\n## Is it free?\n\nYes.\n\n## Returns\n\nIn a month.\n\n## Refunds\n\nIn a week.\n\n## Why?\n\nSo.\n"
    )
    assert [child.split("\n\n")[-1] for child in texts(made(text, "qa"))] == [
        "Yes.",
        "In a month.",
        "In a week.",
        "So.",
    ]


@pytest.mark.parametrize(("asks", "answers"), [("### Question 1", "### Answer"), ("### Вопрос 3", "#### Ответ 3")])
def test_a_heading_that_only_names_an_answer_stays_with_its_question(asks, answers):
    pairs = [f"{asks}\n\nWhat is {number}?\n\n{answers}\n\n{prose(2)}\n\n- it" for number in range(2)]
    found = made("# Quiz\n\n" + "\n\n".join(pairs), "qa")
    assert texts(found) == [f"# Quiz\n\n{pairs[0]}", pairs[1]]
    assert found.children[1].section_path == ("Quiz", asks.lstrip("# "))


def test_a_summary_is_a_question_with_its_details():
    pairs = [f"<details>\n<summary>{asked}</summary>\n\nYes.\n\n</details>" for asked in ("Is it?", "Was it?", "More")]
    assert texts(made("\n\n".join(pairs), "qa")) == pairs


def test_a_title_goes_with_the_first_question_and_an_introduction_does_not():
    asked = "Q: Free?\nA: Yes.\n\nQ: Why?\nA: So."
    assert texts(made(f"COMMON QUESTIONS\n\n{asked}", "qa"))[0] == "COMMON QUESTIONS\n\nQ: Free?\nA: Yes."
    assert texts(made(f"Here is what people ask.\n\n{asked}", "qa"))[0] == "Here is what people ask."


@pytest.mark.parametrize("asked", ["Q: What is it?\n\nA: A saw.", "**What is it?**\n\nA saw."])
def test_the_share_of_questions_counts_long_answers(asked):
    long = f"{asked}\n\nIt cuts.\n\nIt is old.\n\n- red\n- blue\n- green\n\nIt is sold here."
    assert share(document("\n\n".join([long] * 3))) == (1.0, 3)


def test_the_share_of_questions_in_prose_is_small():
    text = "\n\n".join(
        [*["It is so. And it is not."] * 8, "But why?", *["It is so."] * 8, "Who knows?", *["So it is."] * 8]
    )
    found, count = share(document(text))
    assert count == 2
    assert found < 0.3


def test_questions_that_nobody_answers_are_no_share():
    asked = "\n\n".join(f"Q{number}. Who was number {number}?" for number in range(9))
    assert share(document(f"# Exam\n\n{asked}\n\nGood luck."))[0] == 0


def test_a_list_that_answers_stays_whole_when_its_answer_is_cut():
    items = "\n".join(f"- point {number} of it" for number in range(8))
    found = texts(made(f"Q: What is in it?\n\n{items}\n\n{prose(9)}\n\nQ: Why?\n\nSo.", "qa", size=80))
    assert found[0].startswith(f"Q: What is in it?\n\n{items}")
