"""`kerf runs`: the list, one run whole, two runs against each other."""

from __future__ import annotations

import pytest
from hash_models import HASH_A, register
from kerf_process import read

from corpus import pipeline
from corpus.database import open_connection
from corpus.errors import KerfError

FERRY = "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns. Dogs travel free of charge.\n"
CRANE = "# Crane\n\nThe crane lifts twelve tonnes.\n"
WHARF = "# 码头 [bold]\n\nThe wharf is closed on Sundays.\n"
LONG = "a-folder-with-a-rather-long-name/" * 4 + "码头 [red] [x].md"


@pytest.fixture(autouse=True)
def a_model_that_costs_nothing(site):
    register()
    site.settings = {"embedding": {"model": HASH_A.name}}


def test_nothing_was_run_yet(command):
    assert read(command("runs", "--json")) == {"runs": []}
    assert "kerf sync" in command("runs").stdout


def test_runs_are_listed_the_latest_first_with_what_they_did(site, command):
    site.write("ferry.md", FERRY)
    site.write(LONG, WHARF)
    site.write("empty.md", b"")
    first = site.sync()
    second = site.sync()
    runs = read(command("runs", "--json"))["runs"]
    assert [run["run_id"] for run in runs] == [second["run_id"], first["run_id"]]
    assert runs[1]["documents"] == first["documents"]
    assert runs[1]["tokens"]["embedded"] == first["tokens"]["embedded"] > 0
    assert runs[0]["tokens"] == {"embedded": 0, "reused": 0}
    assert all(run["finished_at"] > run["started_at"] for run in runs)
    assert [run["run_id"] for run in read(command("runs", "--limit", "1", "--json"))["runs"]] == [second["run_id"]]
    assert read(command("runs", site.name, "--json")) == {"runs": runs}
    said = command("runs", site.name).stdout
    assert "new 2, quarantined 1" in said
    assert "succeeded" in said


def test_one_run_is_shown_with_its_stages_and_every_document(site, command):
    site.write("ferry.md", FERRY)
    site.write(LONG, WHARF)
    site.write("empty.md", b"")
    run = site.sync()["run_id"]
    shown = read(command("runs", "show", str(run), "--json"))
    assert list(shown["stages"]) == ["plan", "prepare", "embed", "publish"]
    assert shown["stages"]["publish"]["documents"] == 2
    items = {item["uri"]: item for item in shown["items"]}
    assert next(iter(items)) == "empty.md", "what went wrong comes first"
    assert {uri: item["state"] for uri, item in items.items()} == {
        "ferry.md": "published", LONG: "published", "empty.md": "quarantined",
    }  # fmt: skip
    assert items["ferry.md"]["inserted"] == 2
    said = command("runs", "show", str(run)).stdout
    assert "码头 [red] [x].md" in "".join(said.split("\n")).replace("  ", " ")
    assert "empty.md: parse: the file is empty" in said


def test_a_run_that_failed_says_why(site, command):
    site.write("ferry.md", FERRY)
    site.source.rename(site.root / "away")
    with pytest.raises(KerfError):
        site.sync()
    (run,) = read(command("runs", "--json"))["runs"]
    assert run["state"] == "failed"
    assert run["error"] in " ".join(command("runs", "show", str(run["run_id"])).stdout.split())


def test_a_long_run_shows_the_first_documents_and_says_how_many_more(site, command):
    for number in range(55):
        site.write(f"{number:02}.md", b"")
    site.settings |= {"limits": {"failed_documents": 100}}
    run = str(site.sync()["run_id"])
    assert len(read(command("runs", "show", run, "--json"))["items"]) == 55
    assert "and 5 more: --all shows them" in command("runs", "show", run).stdout
    assert "54.md" in command("runs", "show", run, "--all").stdout


def test_two_runs_are_told_apart_by_what_became_of_the_documents_between_their_ends(site, command):
    site.write("stays.md", CRANE)
    site.write("changes.md", FERRY)
    site.write("moves.md", WHARF)
    site.write("goes.md", FERRY + "\nIt goes.\n")
    site.write("breaks.md", FERRY + "\nIt breaks.\n")
    first = str(site.sync()["run_id"])
    site.write("changes.md", FERRY.replace("nine", "five"), at=1_700_000_100)
    (site.source / "moves.md").rename(site.source / LONG.rpartition("/")[2])
    (site.source / "goes.md").unlink()
    site.write("breaks.md", b"", at=1_700_000_100)
    site.write("comes.md", CRANE + "\nIt comes.\n")
    site.write("passes.md", CRANE + "\nIt passes.\n")
    site.sync()
    (site.source / "passes.md").unlink()
    last = str(site.sync()["run_id"])
    found = read(command("runs", "diff", first, last, "--json"))
    assert {name: [row["uri"] for row in rows] for name, rows in found["documents"].items()} == {
        "new": ["comes.md"],
        "changed": ["changes.md"],
        "moved": ["码头 [red] [x].md"],
        "gone": ["goes.md"],
        "quarantined": ["breaks.md"],
    }
    assert found["documents"]["moved"][0]["from"] == "moves.md"
    assert (str(found["a"]["run_id"]), str(found["b"]["run_id"])) == (first, last)
    assert read(command("runs", "diff", last, first, "--json"))["documents"] == found["documents"]
    said = command("runs", "diff", first, last).stdout
    assert "new 1, changed 1, moved 1, gone 1, quarantined 1" in said
    assert "码头 [red] [x].md from moves.md" in said
    assert "changes.md version 1 to 2" in said
    same = read(command("runs", "diff", last, last, "--json"))["documents"]
    assert not any(same.values())


def test_a_document_whose_past_is_forgotten_is_changed_and_not_new(site, command):
    site.write("ferry.md", FERRY)
    site.sync()
    site.settings |= {"history": {"days": 1}}
    with open_connection(site.dsn, autocommit=True) as connection:
        connection.execute("UPDATE sync_versions SET at = at - interval '2 days'")
    first = str(site.sync()["run_id"])
    site.write("ferry.md", FERRY.replace("nine", "five"), at=1_700_000_100)
    last = str(site.sync()["run_id"])
    found = read(command("runs", "diff", first, last, "--json"))["documents"]
    assert [row["uri"] for row in found["changed"]] == ["ferry.md"]
    assert found["new"] == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "99"], "there is no run 99"),
        (["show", "first"], "Invalid value"),
        (["diff", "1", "99"], "there is no run 99"),
        (["diff", "1"], "Missing argument"),
        (["nowhere"], "no corpus is called 'nowhere'"),
        (["--limit", "0"], "Invalid value"),
    ],
)
def test_what_is_not_there_is_wrong_usage(site, command, arguments, says):
    site.write("empty.md", b"")
    pipeline.plan(site.config, site.dsn, site.name)
    process = command("runs", *arguments)
    assert process.returncode == 2
    assert says in process.stderr
    assert process.stdout == ""


def test_runs_of_two_corpora_cannot_be_compared(site, command):
    site.write("empty.md", b"")
    runs = [pipeline.plan(site.config, site.dsn, site.name).run_id]
    site.name = "another"
    runs.append(pipeline.plan(site.config, site.dsn, site.name).run_id)
    process = command("runs", "diff", *map(str, runs))
    assert process.returncode == 2
    assert "only runs of one corpus" in process.stderr
