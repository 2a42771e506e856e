"""The score of table cells: relations between neighbours, as the folder's README defines them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.scoring.icdar import Cell, Score, cells_of, normal, relations, score

RIGHT, BELOW = "right", "below"


def test_every_cell_is_related_to_its_nearest_neighbours():
    assert relations(cells_of([["a", "b"], ["c", "d"]])) == {
        ("a", "b", RIGHT): 1, ("c", "d", RIGHT): 1, ("a", "c", BELOW): 1, ("b", "d", BELOW): 1,
    }  # fmt: skip


def test_empty_cells_are_stepped_over():
    assert relations(cells_of([["a", " ", "b"], ["", "c", ""]])) == {("a", "b", RIGHT): 1}


def test_a_cell_that_spans_has_the_neighbours_of_each_row_and_column_once():
    head = Cell("head", rows=(0, 0), columns=(0, 1))
    side = Cell("side", rows=(0, 1), columns=(2, 2))
    found = relations([head, side, *(Cell(text, (1, 1), (at, at)) for at, text in enumerate("ab"))])
    assert found == {
        ("head", "side", RIGHT): 1, ("a", "b", RIGHT): 1, ("b", "side", RIGHT): 1,
        ("head", "a", BELOW): 1, ("head", "b", BELOW): 1,
    }  # fmt: skip
    tall = Cell("tall", rows=(0, 1), columns=(0, 0))
    wide = Cell("wide", rows=(0, 1), columns=(1, 1))
    assert relations([tall, wide]) == {("tall", "wide", RIGHT): 1}  # met in two rows


def test_the_same_relation_in_two_places_counts_twice():
    assert relations(cells_of([["x", "1"], ["x", "1"]]))["x", "1", RIGHT] == 2


@pytest.mark.parametrize(
    ("text", "same"), [("Total, 2010 ", "total2010"), ("…", "..."), (" – ", "–"), ("snake_case", "snakecase"), ("", "")]
)
def test_texts_are_compared_by_letters_and_digits_if_they_have_any(text: str, same: str):
    assert normal(text) == same


def truth(rows: list[list[str]]) -> str:
    cells = "".join(
        f'<cell start-row="{r}" start-col="{c}"><content>{text}</content></cell>'
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    return f'<document><table><region page="1">{cells}</region></table></document>'


def test_precision_and_recall_are_summed_over_the_files_and_the_better_of_two_truths_counts(tmp_path: Path):
    for name, rows in {
        "one": [["a", "b"], ["c", "d"]],
        "twoa": [["never", "so"]],
        "twob": [["a", "b", "c"]],
    }.items():
        (tmp_path / f"{name}-str.xml").write_text(truth(rows))
    for name in ("one.pdf", "twoa.pdf"):
        (tmp_path / name).write_bytes(b"")
    found = {"one.pdf": [[["a", "b"]], [["no", "table"]]], "twoa.pdf": [[["a", "b", "c"]]]}
    scores = score(tmp_path, lambda _, name: found[name])
    assert scores == {"one.pdf": Score(shared=1, found=2, there=4), "twoa.pdf": Score(shared=2, found=2, there=2)}
    whole = sum(scores.values(), Score())
    assert (whole.precision, whole.recall, whole.f1) == (3 / 4, 3 / 6, 6 / 10)


def test_nothing_found_where_nothing_is_there_is_right():
    assert Score().f1 == 1.0
    assert Score(there=3).f1 == 0.0
