"""Small documents as different people write them, and where a reader would cut them.

Each case names the recipe that the router chooses, or the one that is asked for, and how each child begins, in order:
children leave nothing out, so that says where the cuts are. The sentences are a table of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chunkers import sentences
from corpus.config import RecipeRule
from corpus.cutting import CutDocument, cut, default_corpus

CASES = Path(__file__).parent.parent / "data" / "cut_cases"


@dataclass(frozen=True)
class Case:
    """A document and its cut, as it is to be."""

    file: str
    recipe: str
    begins: tuple[str, ...]  #: the beginning of each child
    settings: dict[str, Any] = field(default_factory=dict)  #: with settings or `asked`, the router is not
    asked: bool = False


QA = (
    Case("faq_headings.md", "qa", ("# Freq", "## Billing", "### Can I", "### What does", "### Where", "## Contact")),
    Case("faq_bold.md", "qa", ("# Help", "**What if", "**Can I", "*Is there", "**Opening hours**")),
    Case("faq_letters_es.md", "qa", ("# Preg", "P: ¿Puedo", "P: ¿Dónde")),
    Case("faq_words_es.md", "qa", ("# Preg", "**Pregunta:** ¿Puedo", "**Pregunta:** Quiero")),
    Case("faq_de.md", "qa", ("# Häufige", "Frage: Kann", "Frage: Was")),
    Case("faq_letters_fr.md", "qa", ("# Foire", "Q : Puis-je", "Q : Où")),
    Case("faq_words_fr.md", "qa", ("# Foire", "Question : Puis-je", "Question : Où")),
    Case("faq_zh.md", "qa", ("# 常见问题", "问：多久", "问题：可以")),
    Case("faq_numbered_zh.md", "qa", ("# 常见问题", "问题2", "Q3")),
    Case("faq_ru.txt", "qa", ("Вопросы и ответы\n\nВопрос 1", "Вопрос 2", "Вопрос 3")),
    Case("faq_ja.txt", "qa", ("質問：返品", "質問：送料", "質問：支払い")),
    Case("faq_ko.txt", "qa", ("문: 환불", "문: 배송", "문: 카드")),
    Case("faq_ar.txt", "qa", ("س: كم", "س: هل", "س: أين")),
    Case("faq_q1.txt", "qa", ("FREQUENTLY ASKED QUESTIONS\n\nQ1", "Q2", "Q3")),
    Case("faq_numbers.txt", "qa", ("FAQ\n\n1. ", "2. ", "3. ")),
    Case("faq_one_line.txt", "qa", ("Q: Is it free? A: Yes", "Q: Is there", "Q: Who")),
    Case("faq_list.md", "qa", ("# FAQ\n\n- **Q:** Is it", "- **Q:** Is there", "- **Q:** Who")),
    Case("faq_run_in.md", "qa", ("# Common questions\n\n**Is it free?** Yes", "**Is there", "**Who made it?** A")),
    Case("faq_terms.html", "qa", ("# FAQ\n\nHow do I", "Is there", "Who pays")),
    Case("faq_details.md", "qa", ("# FAQ\n\n<details>\n<summary>Is it", "<details>\n<summary>Is there", "<details>")),
    Case("faq_mixed.md", "qa", ("# Product X FAQ", "## General", "**Q: Is it loud?**", "**Q: Who sells", "## Contact")),
    Case("faq_brackets.txt", "qa", ("[Q] How", "[Q] Where", "[Q] And")),
    Case("faq_bold.html", "qa", ("# Häufig", "Was kostet er?\n\n- bis 5 kg", "## Zahlung")),
    Case("quiz.md", "qa", ("# Quiz\n\n## Question 1", "## Question 2", "## Question 3")),
    Case("glossary.md", "qa", ("# Glossary\n\nKerf", "Chunk", "Token")),
    Case("quarters.md", "qa", ("# Report",), asked=True),
    Case("faq_long_answers.md", "qa", ("# Support\n\n**Q1.", "**Q2.", "**Q3.")),
)
STRUCTURE = (
    Case("quarters.md", "structure", ("# Report",)),
    Case("manual.md", "structure", ("# Manual",)),
    Case("contacts.txt", "recursive", ("Contact details",)),
    Case(
        "deep.md", "structure", ("# A\n\n## B\n\n### C\n\nText of C.", "#### D", "##### E", "# A\n\nSecond A.", "## B")
    ),
    Case(
        "pump_station.md",
        "structure",
        (
            "Preliminary words",
            "# Pump station\n\n### Alarm `P-101`",
            "## Notes\n\nFirst notes.\n\n## Notes\n\nSecond",
            "Setext major\n=",
            "Setext minor\n-",
            "## Empty\n\n## After empty",
        ),
    ),
    Case(
        "router.html",
        "structure",
        ("# Router setup", "## Before", "## Set up", "#### Lamps", "## Reference\n\nTable 1"),
    ),
)
ALL = (*QA, *STRUCTURE)


#: A document, a recipe with a size that does not hold it all, and what has to be in one child
TOGETHER = (
    ("terms.txt", "structure", 100, "1.1 In this Agreement", '(c) "Fees" means the fees set out in Schedule 2.'),
    ("terms.txt", "structure", 100, "2.2 The Customer shall:", "(c) obtain and maintain all necessary licences."),
    ("travel.md", "structure", 90, "The following expenses are refunded:", "- taxis between 10 p.m. and 6 a.m."),
    ("travel.md", "structure", 60, "What is never refunded:", "3. Upgrades."),
    ("travel.md", "recursive", 64, "1. Open the form:", "claim new --trip 2024-17\n   ```"),
    ("router.html", "structure", 40, "You need:", "- the code from the sticker"),
    ("router.html", "structure", 50, "Table 1. Ports", "| 2–5 | LAN |"),
    ("duties.html", "structure", 60, "4.1 The Customer shall:", "c. follow the law."),
    ("api.md", "structure", 60, "Parameters:", "e.g. `42` |"),
    ("api.md", "structure", 60, "Example:", "HTTP/1.1\n```"),
    ("api.md", "structure", 60, "1. First, call `GET`.", "the answer is 204."),
    ("mail.txt", "recursive", 50, "Open points:", "2) Bob asks legal."),
    ("travel.md", "structure", 90, "Steps to claim:", "claim send\n   ```"),
    ("processing.md", "structure", 130, "**2.1** The Processor shall:", "(d) assist the Controller."),
    ("faq_headings.md", "qa", 60, "### What does it cost?", "Prices are without tax."),
)


def made(case: Case) -> CutDocument:
    """The case's document, cut."""
    corpus = default_corpus()
    if case.settings:
        rule = RecipeRule(glob="**", recipe=case.recipe, settings=case.settings)
        corpus = corpus.model_copy(update={"recipes": [rule]})
    asked = case.recipe if case.settings or case.asked else None
    return cut((CASES / case.file).read_bytes(), uri=case.file, recipe=asked, corpus=corpus)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file}-{case.recipe}")
def test_a_document_is_cut_where_a_reader_would_cut_it(case: Case) -> None:
    found = made(case)
    assert found.route.recipe == case.recipe
    children = [child.text for child in found.children]
    assert len(children) == len(case.begins), children
    assert [text[: len(begin)] for text, begin in zip(children, case.begins, strict=True)] == list(case.begins)


@pytest.mark.parametrize(("file", "recipe", "size", "first", "last"), TOGETHER)
def test_what_belongs_together_is_in_one_child(file: str, recipe: str, size: int, first: str, last: str) -> None:
    found = made(Case(file, recipe, (), {"size": size}))
    assert len(found.children) > 1
    whole = found.document.text
    together = whole[whole.index(first) : whole.index(last) + len(last)]
    assert any(together in child.text for child in found.children)


def test_a_section_is_known_by_its_headings_without_their_marks() -> None:
    found = made(Case("pump_station.md", "structure", ()))
    assert {child.section_path[-1:] for child in found.children} >= {("Setext major",), ("Setext minor",)}
    small = made(Case("pump_station.md", "structure", (), {"size": 40}))
    assert ("Pump station", "Alarm P-101 and reset") in {child.section_path for child in small.children}


def test_an_answer_in_parts_has_the_question_in_every_later_header() -> None:
    question = "**Q1. What is covered by the warranty?**"
    marked = made(Case("faq_long_answers.md", "qa", (), {"size": 70})).children
    second = next(at for at, child in enumerate(marked) if child.text.startswith("**Q2."))
    assert second > 1
    assert question in marked[0].text
    assert all(question in child.header for child in marked[1:second])
    assert not any(question in child.header for child in marked[second:])
    heading = made(Case("faq_shipping.md", "qa", (), {"size": 60})).children
    later = [child for child in heading if "###" not in child.text]
    assert later
    assert {child.header for child in later} == {"FAQ > Shipping > When is my order shipped?"}


def _sentences() -> list[tuple[str, tuple[str, ...]]]:
    lines = (CASES / "sentences.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition("\t") for line in lines if line and not line.startswith("#")]
    return [(language, tuple(text.split("|"))) for language, _, text in rows]


@pytest.mark.parametrize(
    ("language", "expected"), _sentences(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_sentences_end_where_a_reader_would_end_them(language: str, expected: tuple[str, ...]) -> None:
    text = "".join(expected)
    assert tuple(text[a:b] for a, b in sentences.spans(text, 0, len(text), language)) == expected
