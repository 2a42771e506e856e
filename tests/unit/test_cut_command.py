"""`kerf cut --stats` and `--compare`, as a person and a script call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECTION = "## Section {0}\n\n" + " ".join(f"Sentence {{0}}.{n} says something of rivers, Dr. Brook." for n in range(12))
PROSE = "\n\n".join(" ".join(f"River {n} floods meadow {m}, and nobody minds." for m in range(9)) for n in range(14))
CORPORA = """\
corpora:
  large: {source: {path: .}, cutting: {size: 300}}
  rule: {source: {path: .}, recipes: [{glob: a, recipe: qa}, {glob: b, recipe: fixed, settings: {size: 999}}]}
  shared: {source: {path: .}, cutting: {size: 100, overlap: 30}}
  ruled:
    source: {path: .}
    recipes:
      - {glob: "*.md", recipe: fixed, settings: {size: 50, overlap: 20}}
      - {glob: "*.txt", recipe: sentence_window, settings: {window: 1}}
  told: {source: {path: .}, cutting: {prose: late}}
"""
PAGE = "# Rivers\n\n" + "\n\n".join(SECTION.format(number) for number in range(6)) + "\n"
CODE = "def first(x):\n    return x + 1\n\n\ndef second(x):\n    return x + 2\n"
LENGTHS = {"mean", "minimum", "p5", "median", "p95", "maximum"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cut")
    (made / "rivers.md").write_text(PAGE, encoding="utf-8")
    (made / "code.py").write_text(CODE, encoding="utf-8")
    (made / "prose.txt").write_text(PROSE, encoding="utf-8")
    (made / "corpora.yaml").write_text(CORPORA, encoding="utf-8")
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
        (["--compare", "recursive:size=9000"], "recursive:size=9000: size 9000 is more than the model reads"),
        (["--compare", "fixed:overlap=300"], "fixed:overlap=300: overlap must be at least 0 and below size 254"),
        (["--compare", "fixed", "--recipe", "qa"], "--recipe names one recipe, --compare several"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_wrong_usage(kerf, arguments, says):
    process = kerf("rivers.md", *arguments)
    assert process.returncode == 2, process.stderr
    assert says in process.stderr
    assert "Traceback" not in process.stderr
    assert process.stdout == ""


@pytest.mark.parametrize(
    ("corpus", "says"),
    [
        ("large", "corpora.large.cutting: size 300 is more than the model reads (254) (set size to at most 254"),
        ("rule", "corpora.rule.recipes[1].settings: recipe fixed: size 999 is more than the model reads (254)"),
    ],
)
def test_a_corpus_whose_sizes_do_not_fit_cuts_nothing_whatever_the_file(kerf, corpus, says):
    process = kerf("rivers.md", "--corpus", corpus, "--json")
    assert process.returncode == 2, process.stderr
    assert says in " ".join(process.stderr.split())
    assert "Traceback" not in process.stderr
    assert process.stdout == ""


def test_what_is_likely_not_meant_is_among_the_warnings(kerf):
    said = "corpora.shared.cutting: overlap 30 is 30.0% of size 100, more than 20%"
    found = read(kerf("prose.txt", "--corpus", "shared", "--json"))
    assert [warning.partition(":")[0] for warning in found["warnings"]] == ["corpora.shared.cutting"]
    assert found["warnings"][0].startswith(said)
    assert f"warning: {said}" in kerf("prose.txt", "--corpus", "shared").stdout
    ruled = read(kerf("rivers.md", "--corpus", "ruled", "--json"))
    assert ruled["recipe"]["because"] == "corpora.yaml says so for *.md"
    assert ruled["warnings"][0].startswith("corpora.ruled.recipes[0].settings: recipe fixed: overlap 20 is 40.0%")
    other = read(kerf("prose.txt", "--corpus", "ruled", "--json"))
    assert (other["recipe"]["name"], other["warnings"]) == ("sentence_window", [])


def test_each_recipe_of_a_comparison_has_its_own_warnings(kerf):
    asked = "recursive:size=100:overlap=50,recursive,fixed:size=1100:unit=characters"
    columns = read(kerf("prose.txt", "--compare", asked, "--json"))["recipes"]
    assert [len(column["warnings"]) for column in columns] == [1, 0, 1]
    assert columns[0]["warnings"][0].startswith("recursive:size=100:overlap=50: overlap 50 is 50.0% of size 100")
    assert "size 1100 characters is more than the model reads of most texts" in columns[2]["warnings"][0]
    assert kerf("prose.txt", "--compare", asked).stdout.count("warning: recursive:size=100:overlap=50: overlap") == 1


def test_the_reason_says_what_the_corpus_wants_for_long_prose(kerf):
    found = read(kerf("prose.txt", "--corpus", "told", "--json"))["recipe"]
    assert found["name"] == "late"
    assert found["because"].startswith("long prose: about ")
    assert found["because"].endswith("; cutting.prose is late")


def test_late_chunking_says_what_is_read_for_each_child(kerf):
    cut = read(kerf("prose.txt", "--recipe", "late", "--json"))
    assert len(cut["children"]) > 1
    for child in cut["children"]:
        context = child["context"]
        assert context["start"] <= child["start"] < child["end"] <= context["end"]
        assert child["tokens"] < context["tokens"] <= 256
    assert " contexts" in kerf("prose.txt", "--recipe", "late").stdout
    assert {child["context"] for child in read(kerf("rivers.md", "--json"))["children"]} == {None}
