"""`kerf` as a person and a script use it: a process of its own, its output and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns. Dogs travel free of charge.\n"


@pytest.fixture
def kerf(site):
    """Run `kerf` against the site; returns the finished process."""

    def run(*arguments: str, config: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        assert site.config.corpora
        command = [str(Path(sys.executable).parent / "kerf")]
        command += ["--config", str(site.config_file)] if config else []
        return subprocess.run(
            [*command, *arguments],
            env=os.environ | {"KERF_DATABASE_URL": site.dsn, "OMP_NUM_THREADS": "1"} | environment,
            cwd=site.root,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run


def read(process: subprocess.CompletedProcess[str]):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_sync_plan_search_and_status_speak_json(site, kerf):
    site.write("ferry.md", PAGE)
    site.write("empty.md", b"")
    planned = read(kerf("plan", site.name, "--json"))
    assert planned["documents"] == {
        "new": 1, "changed": 0, "moved": 0, "unchanged": 0, "deleted": 0, "quarantined": 1,
    }  # fmt: skip
    assert planned["tokens_to_embed"] > 0
    assert planned["price"] == 0
    quick = read(kerf("plan", site.name, "--quick", "--json"))
    assert quick["documents"]["new"] == 2  # nothing is parsed, so nothing is known of the empty one
    synced = read(kerf("sync", site.name, "--json"))
    assert set(synced) >= {"run_id", "documents", "parsed", "children", "embedded", "reused", "rows_written", "seconds"}
    assert set(synced["seconds"]) == {"plan", "prepare", "embed", "publish"}
    found = read(kerf("search", site.name, "What does a ticket cost?", "--limit", "1", "--json"))
    (result,) = found["results"]
    assert set(result) >= {
        "child_id", "parent_id", "document_id", "uri", "section_path", "pages", "score", "text", "context",
    }  # fmt: skip
    assert result["uri"] == "ferry.md"
    assert "four crowns" in result["context"]
    assert found["tokens"] > 0
    (state,) = read(kerf("status", "--json"))["corpora"]
    assert (state["corpus"], state["documents"], state["quarantined"]) == (site.name, 1, 1)
    (bad,) = read(kerf("quarantine", "list", "--json"))["quarantine"]
    assert (bad["uri"], bad["error_class"]) == ("empty.md", "ParseError")
    assert read(kerf("quarantine", "retry", site.name, "empty.md", "--json")) == {"retry": 1}
    assert read(kerf("quarantine", "forget", site.name, "empty.md", "--json")) == {"forget": 1}


def test_people_get_text_that_names_what_happened(site, kerf):
    site.write("ferry.md", PAGE)
    site.write("empty.md", b"")
    synced = kerf("sync", site.name)
    assert synced.returncode == 0
    assert "new 1" in synced.stdout
    assert "quarantine" in synced.stderr
    listed = kerf("quarantine", "list")
    assert "empty.md" in listed.stdout
    assert "the file is empty" in listed.stdout
    assert "ferry.md" in kerf("search", site.name, "When does the ferry leave?").stdout
    assert site.name in kerf("status").stdout


def test_a_budget_bounds_the_context(site, kerf):
    for number in range(6):
        site.write(f"{number}.md", PAGE.replace("nine", f"{number} o'clock"))
    kerf("sync", site.name)
    found = read(kerf("search", site.name, "When does the ferry leave?", "--budget", "40", "--json"))
    assert 0 < found["tokens"] <= 40
    assert len(found["results"]) < 6


def test_cut_needs_no_database_and_no_configuration(site, kerf):
    file = site.write("ferry.md", PAGE)
    made = read(
        kerf("cut", str(file), "--json", config=False, KERF_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    )
    document = made["document"]
    assert set(document) >= {
        "uri", "media_type", "language", "title", "source_url", "date", "author", "tags", "text", "blocks",
    }  # fmt: skip
    assert (document["uri"], document["media_type"], document["title"]) == ("ferry.md", "text/markdown", "Ferry")
    assert {"kind", "start", "end", "level", "page", "section_path", "rows", "symbol"} <= set(document["blocks"][0])
    assert made["recipe"]["name"] == "structure"
    assert made["recipe"]["because"]
    for child in made["children"]:
        assert document["text"][child["start"] : child["end"]] == child["text"]
        assert child["parent_id"] in {parent["id"] for parent in made["parents"]}
        assert child["lines"][0] <= child["lines"][1]
    fixed = read(kerf("cut", str(file), "--recipe", "fixed", "--json", config=False))
    assert fixed["recipe"]["name"] == "fixed"
    assert "structure" in kerf("cut", str(file), config=False).stdout


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["sync", "nowhere"], 2, "no corpus is called 'nowhere'"),
        (["frobnicate"], 2, "No such command"),
        (["cut", "missing.md"], 2, "cannot read missing.md"),
        (["cut", "source/empty.md"], 3, "the file is empty"),
        (["cut", "source/ferry.md", "--recipe", "nonsense"], 2, "no recipe is called 'nonsense'"),
        (["search", "site", "anything"], 2, "has not been synced yet"),
        (["quarantine", "forget", "site", "x.md"], 2, "x.md of corpus site is not in quarantine"),
    ],
)
def test_errors_are_one_readable_line_and_a_status(site, kerf, arguments, status, says):
    site.write("ferry.md", PAGE)
    site.write("empty.md", b"")
    process = kerf(*arguments)
    assert process.returncode == status, process.stderr
    assert says in process.stderr
    assert "Traceback" not in process.stderr
    assert process.stdout == ""


def test_a_failed_run_is_status_1(site, kerf):
    site.write("ferry.md", PAGE)
    site.source.rename(site.root / "away")
    process = kerf("sync", site.name, "--json")
    assert process.returncode == 1
    assert "SourceError" in process.stderr
    assert process.stdout == ""


def test_a_wrong_configuration_is_status_2_and_names_the_key(site, kerf):
    site.settings = {"cutting": {"size": 300}}
    site.write("ferry.md", PAGE)
    process = kerf("sync", site.name)
    assert process.returncode == 2
    assert "size 300 is more than the model reads" in process.stderr
    assert site.rows("SELECT FROM quarantine") == []
