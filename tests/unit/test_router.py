"""Which recipe a document gets, and why."""

from __future__ import annotations

from dataclasses import fields, replace
from string import Formatter
from typing import get_args

import pytest
from chunking import document, prose

from chunkers import base
from chunkers.document import Block, Document, Kind, Symbol
from chunkers.questions import is_question
from chunkers.router import BY_PRONOUNS, MANY_PRONOUNS, OF_PROSE, RULES, Prose, route
from chunkers.signals import Signals
from corpus.config import Cutting

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PAGE = f"# Guide\n\n{prose(5)}\n\n## Install\n\n{prose(5)}\n"


@pytest.mark.parametrize(
    ("text", "media_type", "recipe"),
    [
        ("x = 1\n", "text/x-python", "code"),
        ("select 1;\n", "text/x-sql", "code"),
        ("2026-01-01 start\n", "text/x-log", "fixed"),
        (PAGE, "application/pdf", "layout"),
        (PAGE, PPTX, "layout"),
        (PAGE, "text/markdown", "structure"),
        (PAGE, "text/html", "structure"),
        (PAGE, DOCX, "structure"),
        (prose(20), "text/markdown", "recursive"),
        (prose(20), "text/plain", "recursive"),
        ("", "text/plain", "recursive"),
        ("# FAQ\n\n## Is it free?\n\nYes.\n\n## How do I log in\n\nSo.\n\n## Why?\n\nSo.\n", "text/markdown", "qa"),
        (
            "# 常见问题\n\n## 如何登录\n\n这样。\n\n## 免费吗？\n\n是。\n\n## 为什么？\n\n因为。\n",
            "text/markdown",
            "qa",
        ),
        ("Q: Free?\n\nA: Yes.\n\nQ: Why?\n\nA: So.\n\nQ: And?\n\nA: No.\n", "text/plain", "qa"),
        ("问：免费吗？\n答：是。\n\n问：好吗？\n答：好。\n\n问：为何？\n答：因为。\n", "text/plain", "qa"),
        ("Вопрос: Да?\nОтвет: Да.\n\nВопрос: Нет?\nОтвет: Нет.\n\nВопрос: Как?\nОтвет: Так.\n", "text/markdown", "qa"),
    ],
)
def test_a_document_gets_the_recipe_for_what_it_is(text, media_type, recipe):
    chosen = route(document(text, media_type), uri="folder/a")
    assert chosen.recipe == recipe
    assert chosen.because
    assert chosen.recipe in base.names()


def test_a_page_with_a_question_or_two_among_its_headings_is_no_faq():
    text = (
        f"# Guide\n\n## Why?\n\n{prose(3)}\n\n## Install\n\nx\n\n## Use\n\nx\n\n## Is it fast?\n\nx\n\n## Limits\n\nx\n"
    )
    assert route(document(text), uri="a").recipe == "structure"


def test_a_faq_that_is_a_pdf_is_a_faq():
    text = "# FAQ\n\n## Is it free?\n\nYes.\n\n## Is it fast?\n\nYes.\n\n## Why?\n\nSo.\n"
    assert route(document(text, "application/pdf", pages=True), uri="a").recipe == "qa"


def test_plain_text_whose_lines_are_records_is_a_log():
    text = "".join(f"2026-11-29 02:{number:02}:00 INFO worker finished batch {number}\n" for number in range(60))
    chosen = route(document(text, "text/plain"), uri="notes.txt")
    assert chosen.recipe == "fixed"
    assert "60 of 60 lines" in chosen.because


def test_a_heading_or_two_do_not_make_a_long_text_structured():
    text = "# A novel\n\n" + "\n\n".join(prose(20, f"matter {number}") for number in range(40))
    assert route(document(text), uri="a").recipe == "recursive"


def test_mostly_symbols_are_code_whatever_the_media_type():
    text = "def f():\n    return 1\n"
    block = Block(Kind.SYMBOL, 0, len(text), symbol=Symbol("f", "function", "def f()"))
    source = Document(text=text, blocks=(block,), media_type="text/x-new", text_is_source=True)
    assert route(source, uri="a").recipe == "code"


def test_the_reason_names_the_rule_and_its_figures():
    assert route(document(PAGE), uri="a").because == f"headings: 2 headings in {len(PAGE)} characters"
    assert "12 headings" not in route(document(prose(3)), uri="folder/a.md").because
    assert "0 headings" in route(document(prose(3)), uri="folder/a.md").because


def test_the_name_of_the_file_decides_nothing():
    source = document(PAGE)
    assert len({route(source, uri=uri) for uri in ("faq.md", "app.log", "x.pdf", "main.py")}) == 1
    assert route(replace(source, media_type="application/pdf"), uri="a.md").recipe == "layout"


def test_every_rule_has_its_own_name():
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "heading",
    ["What is a tombstone?", "How do I log in", "Is it free", "Why does the run fail", "3. Can I undo it",
     "如何重置密码", "Как изменить пароль пользователя", "Q3: and then"],
)  # fmt: skip
def test_headings_that_ask_are_known_with_and_without_their_mark(heading):
    assert is_question(heading)


@pytest.mark.parametrize(
    "heading",
    ["Will be removed", "May 2024 release", "Must have features", "Can opener", "Do not use", "Is null",
     "Where clauses", "What changed", "How it works", "可以使用的参数"],
)  # fmt: skip
def test_headings_that_only_look_like_it_are_not_taken_for_questions(heading):
    assert not is_question(heading)


LONG = "\n\n".join(prose(12, f"matter {number}") for number in range(12))
STORY = "John came home late. He put his keys on the table and looked for her. She had left them a note. "
TOLD = "\n\n".join(f"Day {number}. {STORY * 6}" for number in range(12))


@pytest.mark.parametrize("chosen", ["recursive", "semantic", "cluster", "late"])
def test_long_prose_without_headings_gets_what_the_corpus_wants(chosen):
    found = route(document(LONG, "text/plain"), uri="a", prose=chosen)
    assert found.recipe == chosen
    assert found.of_prose
    assert found.because.startswith("long prose: about ")
    assert "in 12 paragraphs, 100% of the text" in found.because
    assert found.because.endswith(f"; cutting.prose is {chosen}")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (document(prose(20)), "short"),
        (document("# Guide\n\n" + LONG), "a heading"),
        (document(LONG + "\n\n```\n" + "call(1)\n" * 900 + "```\n"), "code"),
        (document("\n".join(f"- {prose(1)}" for _ in range(200))), "a list"),
        (document(LONG.replace(".", "")), "no sentences"),
        (document(LONG.replace(" ", " (x) = ")), "marks of code"),
        (document(LONG, "application/pdf"), "pages"),
        (document("\n\n".join(f"Q: Free {n}?\n\nA: {prose(6)}" for n in range(20)), "text/plain"), "questions"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_corpus_wants_for_long_prose_touches_nothing_else(source, why):
    found = {route(source, uri="a", prose=chosen) for chosen in get_args(Prose)}
    assert len(found) == 1, why
    assert not found.pop().of_prose


@pytest.mark.parametrize(
    ("text", "language", "recipe", "said"),
    [
        (TOLD, "en", "late", " of a hundred words refer back, 5 or more"),
        (LONG.replace("their", "wide"), "en", "semantic", " of a hundred words refer back, not 5"),
        (TOLD, "de", "semantic", "what refers back is not counted in the language de"),
        (TOLD, None, "semantic", "what refers back is not counted in the language unknown"),
        (
            "王先生很晚才回家。他把钥匙放在桌上，然后去找她。她给他留了一张纸条。\n\n" * 60,
            "zh",
            "late",
            "hundred characters",
        ),
        ("Иван пришёл поздно. Он положил свои ключи и стал её искать. " * 90, "ru", "late", "5 or more"),
    ],
)
def test_by_itself_prose_is_cut_late_where_much_refers_back(text, language, recipe, said):
    source = replace(document(text, "text/plain"), language=language)
    found = route(source, uri="a", prose="auto")
    assert found.recipe == recipe
    assert found.of_prose
    assert "cutting.prose is auto: " in found.because
    assert said in found.because


def test_long_prose_is_measured_in_what_a_model_reads_so_chinese_is_long_sooner():
    chinese = "王先生很晚才回家，把钥匙放在桌上。" * 65
    latin = prose(20)
    assert len(chinese) < len(latin)
    assert route(replace(document(chinese, "text/plain"), language="zh"), uri="a", prose="cluster").of_prose
    assert not route(document(latin, "text/plain"), uri="a", prose="cluster").of_prose


def test_the_configuration_and_the_router_know_the_same_recipes_for_prose():
    assert get_args(Cutting.model_fields["prose"].annotation) == get_args(Prose)
    assert {*OF_PROSE, "auto"} == set(get_args(Prose))
    assert set(BY_PRONOUNS) <= set(OF_PROSE)


def test_a_document_that_no_rule_takes_says_which_were_near():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40
    because = route(document(f"{prose(9)}\n\n{table}"), uri="folder/a.md").because
    assert because.startswith("no rule applies to a.md: text/markdown, 0 headings in ")
    assert "; nearest: tables (" in because
    assert because.endswith("% of its characters in tables, not 50%)")
    assert "nearest" not in route(document(prose(3)), uri="a.md").because


def test_lines_that_are_nearly_records_are_said_to_be():
    text = "\n".join(f"key.{n}={n}" if n % 4 else f"Of {n} nothing is known" for n in range(40))
    because = route(document(text, "text/plain"), uri="a.txt").because
    assert "nearest: records (75% of its lines alike, not 80%)" in because


def test_rules_speak_of_figures_that_there_are():
    known = {field.name for field in fields(Signals)}
    for rule in RULES:
        assert {name for _, name, _, _ in Formatter().parse(rule.says) if name} <= known
        assert {asked.figure for asked in rule.asks} <= known
        assert rule.media_types or rule.asks, "a rule without either would apply to everything"
        assert rule.recipe is None or rule.recipe in base.names()


def test_each_threshold_belongs_to_a_language_whose_pronouns_are_known():
    for language in MANY_PRONOUNS:
        assert "refer back" in route(replace(document(LONG), language=language), uri="a", prose="auto").because
