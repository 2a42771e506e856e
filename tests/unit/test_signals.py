"""What the router sees in a document: which plain texts are records, what is prose, and what refers back."""

from __future__ import annotations

import json
import random
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from chunking import document, made
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import processor_seconds

import chunkers.fixed
from chunkers.document import Block, Document, Kind
from chunkers.router import route
from chunkers.signals import is_of_records, signals
from corpus.parsers.base import Settings
from corpus.parsers.text import TextParser

NAMES = ("river", "stone", "market", "letter", "house", "garden", "winter", "paper", "window", "morning", "silver")
PEOPLE = ("Smith John", "Garcia Ana", "Li Wei", "O Brien Pat")
IDEOGRAPHS = "的一是在不了有和人这中大为上个国我以要他时来用们"


def plain(text: str) -> Document:
    return TextParser().parse(text.encode(), "text/plain", Settings()).document


def words(at: random.Random, count: int) -> str:
    return " ".join(at.choice(NAMES) for _ in range(count))


def lines(form, count: int = 40, joint: str = "\n") -> str:
    """So many lines of a form, each with a source of chance of its own."""
    return joint.join(form(number, random.Random(number)) for number in range(count)) + "\n"


def justified(at: random.Random, count: int, width: int = 66) -> str:
    """Prose set in lines of exactly one length, with blanks put between its words."""
    made = []
    for line in textwrap.wrap(words(at, count), width):
        apart = line.split()
        while len(line) < width and len(apart) > 1:
            apart[at.randrange(len(apart) - 1)] += " "
            line = " ".join(apart)
        made.append(line)
    return "\n".join(made)


RECORDS = {
    "an export of fixed width, with its heads": "ACCOUNT   NAME                 CITY        BALANCE\n"
    + lines(
        lambda n, at: (
            f"{n * 7919:08d}  {at.choice(PEOPLE):20s} {at.choice(NAMES):10s} {at.randrange(10**6) / 100:>8.2f}"
        )
    ),
    "fields that touch": lines(
        lambda n, at: f"{n:08d}{at.choice(PEOPLE):12s}{20200101 + at.randrange(9000)}{at.randrange(10**9):010d}"
    ),
    "a listing of files": "total 48\n"
    + lines(
        lambda n, at: (
            f"-rw-r--r-- 1 root root {at.randrange(10**6):>7d} Jan {1 + n % 28:>2d} {n % 24:02d}:30 {at.choice(NAMES)}"
        )
    ),
    "measurements": lines(lambda n, at: f"{at.choice(NAMES):12s}{n * 13 % 999:6d}{at.random():9.3f}"),
    "columns made with tabs": lines(
        lambda n, at: f"{n * 37:05d}\t{at.choice(NAMES)}\t{at.randrange(100, 1000)}\t{words(at, 2)}"
    ),
    "settings with sections and comments": "# written by hand\n[main]\n"
    + lines(lambda n, at: f"{at.choice(NAMES)}.{n}={words(at, 3)}"),
    "settings with blanks": lines(lambda n, at: f"app.{at.choice(NAMES)}.{n} = {at.randrange(1000)}"),
    "variables of a shell": lines(lambda n, at: f"export {at.choice(NAMES).upper()}_{n}={words(at, 1)}"),
    "several pairs a line": lines(lambda n, at: f"service={at.choice(NAMES)} code={n} took={at.randrange(99)}ms"),
    "requests to a web server": lines(
        lambda n, at: (
            f'10.0.0.{n} - - [10/Oct/2026:13:55:{n:02d} +0000] "GET /{at.choice(NAMES)} HTTP/1.1" 200 {n * 31}'
        )
    ),
    "requests from hosts with names": lines(
        lambda n, at: f'host{n}.example.org - bob [10/Oct/2026:13:55:{n:02d} +0000] "GET /{at.choice(NAMES)}" 200 7'
    ),
    "requests from addresses of six": lines(
        lambda n, at: f'2001:db8::{n:x} - - [10/Oct/2026:13:55:{n:02d} +0000] "GET /{at.choice(NAMES)}" 404 12'
    ),
    "objects of JSON": lines(lambda n, at: json.dumps({"id": n, "said": words(at, 4)})),
    "arrays of JSON": lines(lambda n, at: json.dumps([words(at, 1), n, words(at, 3)])),
    "times": lines(lambda n, at: f"2026-11-29 02:{n:02d}:00 {words(at, 5)}"),
}

NO_RECORDS = {
    "a poem": lines(lambda n, at: words(at, 4 + n % 4) + (",", ".", "")[n % 3] + "\n" * (n % 4 == 3)),
    "a litany": lines(lambda n, at: "I have seen the " + words(at, 4) + ","),
    "an indented litany": lines(lambda n, at: "     And he said unto them " + words(at, 3)),
    "prose in lines of like length": "\n\n".join(textwrap.fill(words(random.Random(n), 120), 70) for n in range(6)),
    "prose in lines of one length": "\n\n".join(justified(random.Random(n), 200) for n in range(5)),
    "figures in prose in lines of like length": textwrap.fill(
        lines(lambda n, at: f"In {1900 + n} the {words(at, 3)} had {at.randrange(999)} of {at.randrange(99)}.", 60), 72
    ),
    "Chinese in lines of one length": lines(lambda n, at: "".join(at.choice(IDEOGRAPHS) for _ in range(36))),
    "words": lines(lambda n, at: at.choice(NAMES), 200),
    "words in columns": lines(lambda n, at: "".join(f"{at.choice(NAMES):15s}" for _ in range(4))),
    "words with their meanings in a column": lines(lambda n, at: f"{at.choice(NAMES):14s}{words(at, 6)}"),
    "a list": lines(lambda n, at: "- " + words(at, 6)),
    "a list with boxes": lines(lambda n, at: f"- [{'x' if n % 2 else ' '}] {words(at, 6)}"),
    "a numbered list": lines(lambda n, at: f"{n + 1}. {words(at, 6)}"),
    "a numbered list with figures": lines(lambda n, at: f"{n + 100}. {at.randrange(10, 99)} {words(at, 3)}"),
    "sources": lines(lambda n, at: f"[{n + 10}] {words(at, 8)}, {1950 + n}."),
    "addresses in blocks": lines(
        lambda n, at: f"{words(at, 2)}\n{at.randrange(999)} {at.choice(NAMES)} Street\nSpringfield, IL {60601 + n}",
        20,
        "\n\n",
    ),
    "addresses in lines": lines(
        lambda n, at: f"{words(at, 2)}, {at.randrange(999)} {at.choice(NAMES)} Street, {at.choice(NAMES)} {60601 + n}"
    ),
    "what is said on a stage": lines(lambda n, at: f"{('HAMLET', 'OPHELIA')[n % 2]}: {words(at, 8)}."),
    "verses with numbers": lines(lambda n, at: f"{n + 1:>3}  {words(at, 6)}"),
    "chapter and verse": lines(lambda n, at: f"{1 + n // 30}:{n % 30 + 1} {words(at, 9)}."),
    "contents with pages": lines(lambda n, at: f"{words(at, 3)} ".ljust(50 + n % 7, ".") + f" {n * 7}"),
    "ingredients": lines(lambda n, at: f"{n % 9 + 1} {at.choice(('cups', 'g', 'tbsp'))} {words(at, 2)}"),
    "source code of Python": Path(chunkers.fixed.__file__).read_text(encoding="utf-8"),
    "statements with assignments among them": lines(
        lambda n, at: (f"{at.choice(NAMES)} = f({n})", f"    return {words(at, 1)}", f"if x == {n}:", "    y += 1")[
            n % 4
        ],
        80,
    ),
    "source code of C": lines(
        lambda n, at: (
            f"int {at.choice(NAMES)}{n}(int a)\n{{\n    if (a > {n}) {{\n        return a + {n};\n    }}\n}}\n"
        )
    ),
    "too few to tell": lines(lambda n, at: f"2026-11-29 02:{n:02d}:00 {words(at, 5)}", 19),
    "nothing": "",
}


@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS)
def test_records_are_known_by_lines_that_are_built_alike(text):
    source = plain(text)
    assert is_of_records(source)
    chosen = route(source, uri="a.txt")
    assert chosen.recipe == "fixed"
    found = signals(source)
    assert chosen.because == f"records: {found.records} of {found.lines} lines {found.record_form}"
    assert found.lines == len([line for line in text.split("\n") if line.strip()])


@pytest.mark.parametrize("text", NO_RECORDS.values(), ids=NO_RECORDS)
def test_what_only_looks_like_records_is_not_taken_for_them(text):
    source = plain(text)
    assert not is_of_records(source)
    assert route(source, uri="a.txt").recipe == "recursive"


def test_other_text_than_plain_has_no_records():
    text = RECORDS["several pairs a line"]
    assert is_of_records(plain(text))
    assert not is_of_records(replace(plain(text), media_type="text/markdown"))


def test_of_very_many_lines_some_are_looked_at_from_the_first_to_the_last():
    text = lines(lambda n, at: f"key.{n}={n}", 30_000)
    found = signals(plain(text))
    assert 900 <= found.lines <= 1_100
    assert found.record_share == 1
    half_prose = text + lines(lambda n, at: words(at, 6), 30_000)
    assert signals(plain(half_prose)).record_share == pytest.approx(0.5, abs=0.05)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 .,=-[\t\n"), max_size=400))
def test_any_text_has_figures_within_their_bounds(text):
    found = signals(plain(text))
    assert 0 <= found.records <= found.lines
    for share in (found.table_share, found.symbol_share, found.code_share, found.prose_share, found.question_share):
        assert 0 <= share <= 1
    assert found == signals(plain(text))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 400_000,
        " " * 400_000 + "x",
        "=" * 400_000,
        "1" * 400_000,
        "a." * 200_000,
        "他" * 200_000,
        "k=v\n" * 100_000,
    ],
    ids=["a word", "blanks", "marks", "figures", "stops", "pronouns", "pairs"],
)
def test_twice_the_text_takes_about_twice_the_time(text):
    once, twice = (Document(t, (Block(Kind.PARAGRAPH, 0, len(t)),), "text/plain", True, "zh") for t in (text, text * 2))
    short = min(processor_seconds(lambda: signals(once)) for _ in range(3))
    long = min(processor_seconds(lambda: signals(twice)) for _ in range(3))
    assert long < 3 * short + 0.05


def test_looking_costs_a_small_part_of_a_cut():
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    sentences = (
        " ".join("".join(chance.choices(letters, k=chance.randrange(2, 9))) for _ in range(12)).capitalize() + "."
        for _ in range(4_000)
    )
    source = replace(plain("\n\n".join(" ".join(batch) for batch in zip(*[sentences] * 8, strict=True))), language="en")
    looking = min(processor_seconds(lambda: signals(source)) for _ in range(3))
    cutting = processor_seconds(lambda: made(source, "recursive"))
    assert looking < cutting / 4


def test_shares_are_of_what_is_cut_so_front_matter_counts_for_nothing():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    found = signals(document(f"---\ntitle: {'long ' * 200}\n---\n\n{table}\n"))
    assert found.table_share == 1
    assert found.tables == 1


def test_code_in_fences_counts_as_code_and_not_as_symbols():
    found = signals(document("Some words.\n\n```\n" + "call(1)\n" * 50 + "```\n"))
    assert found.code_share > 0.9
    assert (found.symbol_share, found.code_blocks) == (0, 1)


NARRATIVES = {
    "en": "John came home late. He put his keys on the table and looked for her. She had left them a note. ",
    "ru": "Иван пришёл поздно. Он положил свои ключи и стал её искать. Она оставила ему записку. Это его удивило. ",
    "zh": "王先生很晚才回家。他把钥匙放在桌上，然后去找她。她给他留了一张纸条。这让他很吃惊。",
}
MANUALS = {
    "en": "The server reads the file at start. Set the limit to ten seconds. A restart takes a minute at most. ",
    "ru": "Сервер читает файл при запуске. Предел равен десяти секундам. Перезапуск занимает минуту. ",
    "zh": "服务器启动时读取文件。时间限制为十秒。重新启动最多需要一分钟。",
}


@pytest.mark.parametrize("language", NARRATIVES)
def test_stories_refer_back_and_manuals_do_not(language):
    told, set_down = (
        signals(replace(plain(texts[language] * 100), language=language)).pronouns for texts in (NARRATIVES, MANUALS)
    )
    assert set_down == 0
    assert told > 8


def test_pronouns_are_counted_to_a_hundred_words():
    found = signals(replace(plain("He saw it there. One two three four five six.\n"), language="en"))
    assert found.pronouns == pytest.approx(100 * 2 / 10)
    assert signals(replace(plain("该公司在此。"), language="zh")).pronouns == pytest.approx(100 * 2 / 5)


def test_words_that_only_hold_a_pronoun_are_none():
    text = "Items sheet theme hitherto. Quilted ether. 其实其他其余此外。"
    assert signals(replace(plain(text), language="en")).pronouns == 0
    assert signals(replace(plain(text), language="zh")).pronouns == 0


def test_in_a_language_without_a_list_pronouns_are_unknown():
    assert signals(replace(plain("Er sah sie dort."), language="de")).pronouns is None
    assert signals(replace(plain("He saw it there."), language=None)).pronouns is None
