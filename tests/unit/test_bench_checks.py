"""The scorers of the bench: what passes a check, by the definitions beside the files of checks."""

from __future__ import annotations

import pytest

from bench.blocks import CODE, FURNITURE, HEADING, LIST_ITEM, PARAGRAPH, Block, Reading
from bench.scoring.checks import ABOUT, Checker, PageChecker, of_folder

REPORT = (
    Block(HEADING, "2. Methods", page=1, level=1),
    Block(PARAGRAPH, "The hydro-\nlogical year of the station’s record", page=1),
    Block(HEADING, "2.3. *Statistical* analyses", page=2, level=2),
    Block.table([["Site", "Flow", None], ["Traralgon Ck", "9.68", "12"], ["Traralgon Ck upper", "9.69", "x"]], page=2),
    Block(LIST_ITEM, "• Only unused ports", page=2, level=1),
    Block(CODE, "def f():\n    return 1", page=3),
    Block(FURNITURE, "Journal of Hydrology 310", page=3),
    Block(PARAGRAPH, "12", page=3),
)


@pytest.mark.parametrize(
    "check",
    [
        ["h", "Methods", 1],  # a number before it is not needed
        ["h", "2. methods", 1],
        ["h", "2.3. Statistical", 2],
        ["hh", "2. Methods", "2.3. Statistical analyses", 1],
        ["noth", "Only unused ports", 2],
        ["t", 2, 3, 3, ["9.68", "Traralgon Ck"]],
        ["t", 2, None, None, ["Flow"]],
        ["tr", 2, ["Traralgon Ck", "12"]],
        ["o", "hydrological year", "Traralgon Ck"],
        ["x", "Journal of Hydrology", [1, 3]],
        ["x", "12", [1, 2]],  # short: only a block that is nothing else counts, and that is on page 3
        ["p", "station's record"],
        ["code", "\n    return 1"],
        ["list", "unused ports"],
        ["once", "Only unused"],
    ],
    ids=str,
)
def test_passes(check: list):
    assert Checker(REPORT).holds(check)


@pytest.mark.parametrize(
    "check",
    [
        ["h", "Methods", 2],
        ["h", "Only unused ports", 2],
        ["hh", "2. Methods", "2.3. Statistical analyses", 2],
        ["hh", "2. Methods", "3. Results", 1],
        ["noth", "2. Methods", 1],
        ["t", 2, 2, 3, ["9.68"]],
        ["t", 1, 3, 3, ["9.68"]],
        ["t", 2, 3, 3, ["9.68", "9.69"]],  # not of one row
        ["tr", 2, ["12", "Traralgon Ck"]],
        ["tr", 2, ["Traralgon Ck", "9"]],  # short texts have to fill their cells
        ["tr", 2, ["Ck upper", "upper"]],  # a cell of its own for each
        ["o", "Traralgon Ck", "Methods"],
        ["o", "Methods", "not there"],
        ["x", "unused ports", [1, 3]],
        ["x", "12", [3, 3]],
        ["p", "Journal of Hydrology"],
        ["code", "\n  return 1"],
        ["list", "Methods"],
        ["once", "Traralgon"],
    ],
    ids=str,
)
def test_fails(check: list):
    assert not Checker(REPORT).holds(check)


@pytest.mark.parametrize("check", [["noth", "a", 1], ["x", "a text", [1, 1]], ["x", "a", None]], ids=str)
def test_nothing_at_all_passes_no_check_of_what_must_be_absent(check: list):
    assert not Checker(()).holds(check)
    assert Checker((Block(PARAGRAPH, "something else", page=1),)).holds(check)


PAGE = (
    Block(HEADING, "8.1. Numeric Types", level=2),
    Block(PARAGRAPH, "from -32768 on"),
    Block.table([["", "Bars", "890"], ["smallint", "2 bytes", "\u221232768"]]),
    Block(CODE, "let\xa0x = 1;"),
    Block(LIST_ITEM, "Nested  detail", level=2),
)


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        (["h", 1, "8.1. numeric"], True),  # the level is for information
        (["h", None, "Numeric"], False),
        (["hh", "8.1. Numeric Types", "8.1. Numeric Types", 0], True),
        (["row", ["", "Bars"]], True),
        (["row", ["", "890"]], False),
        (["row", ["", "Bars", "890", ""]], False),  # it has three cells
        (["row", ["smallint", "", "-32768"]], True),
        (["rowany", ["890", "Bars"]], True),
        (["rowany", ["890", "smallint"]], False),
        (["x", "Privacy policy"], True),
        (["x", "numeric types"], False),
        (["p", "FROM -32768"], True),
        (["code", "let x = 1;"], True),
        (["list", "nested detail"], True),
        (["list", "Bars"], False),
    ],
    ids=str,
)
def test_a_page_is_scored_by_rules_of_its_own(check: list, holds: bool):
    assert PageChecker(PAGE).holds(check) is holds


def test_the_folder_says_which_rules_hold():
    assert type(of_folder("html", PAGE)) is PageChecker
    assert type(of_folder("office", REPORT)) is type(of_folder("pdfs", REPORT)) is Checker


def test_each_kind_of_check_has_its_row_in_the_table():
    kinds = {name[1:] for name in dir(PageChecker) if not name.startswith("__") and name[0] == "_"}
    assert set(ABOUT) == kinds - {"on", "headings", "tables"}


def test_a_reading_survives_the_way_between_processes():
    reading = Reading(REPORT, fidelity=0.99, partial="page 3 was not read")
    assert Reading.from_dict(reading.to_dict()) == reading
