"""`kerf cut --stats` and `--compare`, as a person and a script call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECTION = "## Section {0}\n\n" + " ".join(f"Sentence {{0}}.{n} says something of rivers, Dr. Brook." for n in range(12))
PAGE = "# Rivers\n\n" + "\n\n".join(SECTION.format(number) for number in range(6)) + "\n"
CODE = "def first(x):\n    return x + 1\n\n\ndef second(x):\n    return x + 2\n"
LENGTHS = {"mean", "minimum", "p5", "median", "p95", "maximum"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cut")
    (made / "rivers.md").write_text(PAGE, encoding="utf-8")
    (made / "code.py").write_text(CODE, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def kerf(folder):
    """Run `kerf cut` in the folder, without a database and without a configuration."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(Path(sys.executable).parent / "kerf"), "cut", *arguments],
            env={name: value for name, value in os.environ.items() if name != "KERF_CONFIG"} | {"OMP_NUM_THREADS": "1"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def read(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_stats_are_added_and_change_nothing_else(kerf):
    with_them, without = read(kerf("rivers.md", "--json", "--stats")), read(kerf("rivers.md", "--json"))
    stats = with_them.pop("stats")
    assert with_them == without
    children = without["children"]
    assert stats["children"] == len(children) > 1
    assert set(stats["tokens"]) == set(stats["characters"]) == LENGTHS
    assert stats["characters"]["maximum"] == max(len(child["text"]) for child in children)
    assert stats["index_tokens"] == sum(child["tokens"] for child in children)
    assert stats["text_tokens"] < stats["index_tokens"]
    assert stats["parents"] == len(without["parents"])
    assert (stats["coverage"], stats["overlap"], stats["mid_sentence"]) == (1.0, 0.0, 0.0)
    assert set(stats["edit_locality"]) == {"edits", "mean", "p95", "tokens"}
    assert 1 <= stats["edit_locality"]["mean"] <= stats["edit_locality"]["p95"] <= 2
    assert stats["notes"] == []


def test_people_get_the_figures_below_the_children(kerf):
    plain, with_them = kerf("rivers.md").stdout, kerf("rivers.md", "--stats").stdout
    assert with_them.startswith(plain)
    table = with_them.removeprefix(plain)
    for figure in ("children", "end in mid-sentence", "coverage", "to embed, with headers", "new children an edit"):
        assert figure in table


def test_what_cannot_be_measured_is_said(kerf):
    stats = read(kerf("code.py", "--json", "--stats"))["stats"]
    assert stats["edit_locality"] is None
    assert stats["notes"] == ["edit locality: there is no prose to put a sentence into"]
    assert stats["notes"][0] in kerf("code.py", "--stats").stdout


def test_recipes_are_compared_on_one_document(kerf):
    found = read(kerf("rivers.md", "--compare", "fixed, recursive,structure,recursive:size=40:overlap=0", "--json"))
    assert found["document"]["uri"] == "rivers.md"
    assert found["document"]["characters"] == len(PAGE)
    names = [column["name"] for column in found["recipes"]]
    assert names == ["fixed", "recursive", "structure", "recursive:size=40:overlap=0"]
    fixed, _, structure, small = found["recipes"]
    assert (small["settings"]["size"], small["settings"]["overlap"]) == (40, 0)
    assert small["stats"]["tokens"]["maximum"] <= 40
    assert small["stats"]["overlap"] == 0.0
    assert fixed["stats"]["mid_sentence"] > structure["stats"]["mid_sentence"] == 0.0
    assert all(column["stats"]["coverage"] == 1.0 for column in found["recipes"])
    alone = read(kerf("rivers.md", "--recipe", "structure", "--stats", "--json"))
    assert structure["stats"] == alone["stats"]


def test_people_get_a_column_for_each_recipe(kerf):
    shown = kerf("rivers.md", "--compare", "fixed,recursive:size=40").stdout
    header = next(line for line in shown.splitlines() if "fixed" in line)
    assert "recursive:size=40" in header
    row = next(line for line in shown.splitlines() if "coverage" in line)
    assert row.count("100.0%") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--compare", "fixed,nonsense"], "no recipe is called 'nonsense' (there are "),
        (["--compare", ""], "no recipe is called '' (there are "),
        (["--compare", "recursive:size"], "'recursive:size': 'size' is not a setting"),
        (["--compare", "recursive:length=3"], "recipe recursive has no setting length"),
        (["--compare", "recursive:size=many"], "'recursive:size=many': "),
        (["--compare", "recursive:size=["], "'recursive:size=[': "),
        (["--compare", "recursive:size=9000"], "size 9000 is more than the model reads"),
        (["--compare", "fixed", "--recipe", "qa"], "--recipe names one recipe, --compare several"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_wrong_usage(kerf, arguments, says):
    process = kerf("rivers.md", *arguments)
    assert process.returncode == 2, process.stderr
    assert says in process.stderr
    assert "Traceback" not in process.stderr
    assert process.stdout == ""
