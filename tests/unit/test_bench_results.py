"""What the bench makes of what it measured: sums, tables, goals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import html
from pdf_making import Page, pdf

from bench.blocks import HEADING, PARAGRAPH, Block, Reading
from bench.parse_goals import GOALS
from bench.peers.html_rows import rows_of
from bench.peers.kerf import blocks_of
from bench.report import reached, tables
from bench.results import Result, sources
from bench.running import Measured
from corpus.parsers import parse

WORDS = "All documents of this kind have a layer of text that can be read without looking at the picture of a page."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two PDF files with checks, one without, and one that is only a picture."""
    made = tmp_path / "pdfs"
    made.mkdir()
    (made / "one.pdf").write_bytes(pdf([Page().text(72, 100, WORDS)]))
    (made / "two.pdf").write_bytes(pdf([Page().text(72, 100, WORDS), Page().text(72, 100, WORDS)]))
    (made / "unasked.pdf").write_bytes(pdf([Page().text(72, 100, WORDS)]))
    (made / "picture.pdf").write_bytes(pdf([Page().image()]))
    checks = {
        "one.pdf": {"checks": [["p", "layer of text"], ["h", "All documents", 1]]},
        "two.pdf": {"checks": [["o", "All", "page"], ["p", "layer of text"]]},
    }
    (made / "checks.json").write_text(json.dumps(checks))
    return made


def read(path: Path, cpu: float, *blocks: Block, fidelity: float | None = 1.0, partial: str = "") -> Measured:
    return Measured(path, Reading(blocks, fidelity, partial), 2 * cpu, cpu, peak_mb=50)


@pytest.fixture
def result(folder: Path) -> Result:
    paragraph = Block(PARAGRAPH, WORDS, page=1)
    return Result(
        folder,
        sources(folder),
        (
            read(folder / "one.pdf", 0.5, paragraph),
            Measured(folder / "two.pdf", None, error="took longer than 180 s"),
            read(folder / "unasked.pdf", 0.5, paragraph, fidelity=0.9, partial="not read: 10.0% of the words"),
            read(folder / "picture.pdf", 9.0),
        ),
    )


def test_pages_are_those_of_files_with_a_text_layer(folder: Path):
    assert {name: source.pages for name, source in sources(folder).items()} == {
        "one.pdf": 1, "two.pdf": 2, "unasked.pdf": 1, "picture.pdf": 0,
    }  # fmt: skip


def test_a_file_that_was_not_read_fails_its_checks(result: Result):
    assert result.asked == {"text": 2, "headings": 1, "order": 1}
    assert result.passed == {"text": 1}
    assert result.failed["one.pdf"] == (["h", "All documents", 1],)
    assert len(result.failed["two.pdf"]) == 2


def test_speed_counts_only_what_was_read_and_has_a_text_layer(result: Result):
    assert (result.pages, result.cpu, result.seconds) == (2, 1.0, 2.0)
    assert (result.compared.pages, result.compared.cpu) == (1, 0.5)
    assert [one.path.name for one in result.empty] == ["two.pdf", "picture.pdf"]


def test_the_tables_name_every_fault(result: Result):
    shown = {table.title: table for table in tables({"pdfs": {"Kerf": result}}, {"Kerf": "0.1"})}
    assert ("text", "1/2") in [tuple(row) for row in shown["PDF"].rows]
    assert ("all checks", "1/4") in [tuple(row) for row in shown["PDF"].rows]
    faults = [tuple(row) for row in shown["Kerf: not as it should be"].rows]
    assert ("pdfs/two.pdf", "not read: took longer than 180 s") in faults
    assert ("pdfs/unasked.pdf", "not read: 10.0% of the words") in faults
    assert ("pdfs/one.pdf", 'check failed: ["h", "All documents", 1]') in faults
    assert "| text | 1/2 |" in shown["PDF"].markdown()


def test_goals_count_only_when_everything_was_measured(result: Result):
    assert reached({"pdfs": {"Kerf": result}})
    assert not reached({name: {"Kerf": result} for name in ("pdfs", "icdar", "html", "office")})


def test_a_figure_below_its_goal_never_looks_like_it():
    goal = next(goal for goal in GOALS if goal.places == 3)
    assert goal.shown(0.8799) == "0.879"
    assert goal.shown(0.88) == "0.880"


def test_a_merged_cell_is_in_its_first_place():
    source = "<table><tr><th colspan=2>a</th><td rowspan=9>b</td></tr><tr><td>c</td><td colspan=x>d</td></tr></table>"
    assert rows_of(html.fromstring(source)) == [["a", "", "b"], ["c", "d", ""]]


def test_blocks_of_kerf_are_without_the_marks_that_it_writes():
    source = "---\ntitle: t\n---\n# A *heading*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    heading, table = blocks_of(parse(source.encode(), uri="a.md"))
    assert (heading.kind, heading.text, heading.level) == (HEADING, "A *heading*", 1)
    assert (table.rows, table.text) == ((("a", "b"), ("1", "2")), "a b\n1 2")
