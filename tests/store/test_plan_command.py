"""`kerf plan`: what it says is what a sync then does, and it changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hash_models import HASH_A, HASH_B, HASH_SMALL, register
from kerf_process import read

from corpus import pipeline
from corpus.store import Store

FERRY = "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns. Dogs travel free of charge.\n"
CRANE = "# Crane\n\nThe crane lifts twelve tonnes.\n"
WHARF = "# 码头 [bold]\n\nThe wharf is closed on Sundays.\n"
LATER = 1_700_000_100
SMALL = {"glob": "**", "recipe": "recursive", "settings": {"size": 12, "overlap": 0}}


@pytest.fixture(autouse=True)
def a_model_that_costs_nothing(site):
    register()
    site.settings = {"embedding": {"model": HASH_A.name}}


def rows_of_the_ledger(site):
    tables = ("sync_runs", "sync_items", "sync_stages", "sync_versions", "sync_documents", "sync_texts", "cost_ledger")
    return {table: site.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables}


def planned_and_done(site, **options):
    """What a plan says, and the summary of the sync after it; the plan has changed nothing."""
    before = site.content(), rows_of_the_ledger(site), site.written()
    said = pipeline.preview(site.config, site.dsn, site.name, **options)
    assert (site.content(), rows_of_the_ledger(site), site.written()) == before
    return said, site.sync(**options)


def hold(said, done):
    """That the sync did what the plan said."""
    assert said["documents"] == done["documents"]
    assert {name: said["children"][plan] for name, plan in (("inserted", "insert"), ("deleted", "delete"))} == {
        name: done["children"][name] for name in ("inserted", "deleted")
    }
    assert said["children"]["keep"] == done["children"]["kept"] + done["children"]["moved"]
    assert said["texts_to_embed"] == done["embedded"]
    assert said["tokens_to_embed"] == done["tokens"]["embedded"]
    assert said["tokens_reused"] == done["tokens"]["reused"]
    assert said["price"] == pytest.approx(done["price"])


def test_what_a_plan_says_is_what_a_sync_does(site):
    site.settings["embedding"] |= {"price_per_million_tokens": 1_000.0}
    site.write("ferry.md", FERRY)
    site.write("copy.md", FERRY)
    site.write("wharf.md", WHARF)
    site.write("empty.md", b"")
    said, done = planned_and_done(site)
    hold(said, done)
    assert (said["seconds"], said["asks"]) == (None, None)

    site.write("ferry.md", FERRY.replace("nine", "ten"), at=LATER)
    (site.source / "wharf.md").rename(site.source / "码头 [x].md")
    (site.source / "copy.md").unlink()
    site.write("crane.md", CRANE)
    site.write("empty.md", CRANE, at=LATER)
    said, done = planned_and_done(site)
    hold(said, done)
    assert {name: said["documents"][name] for name in ("moved", "unchanged", "deleted", "quarantined")} == {
        "moved": 1, "unchanged": 0, "deleted": 1, "quarantined": 0,
    }  # fmt: skip
    assert said["vanished"] == ["copy.md"]
    assert said["seconds"]["total"] > 0

    site.write("crane.md", b"", at=LATER)
    said, done = planned_and_done(site)
    hold(said, done)
    assert said["documents"]["quarantined"] == 1

    said, done = planned_and_done(site)
    hold(said, done)
    assert said["seconds"] == {"prepare": 0, "embed": 0, "publish": 0, "total": 0}


def test_of_other_permissions_and_other_metadata_every_child_is_kept(site):
    site.write("ferry.md", FERRY)
    site.write("crane.md", CRANE)
    site.sync()
    kept = {"insert": 0, "keep": len(site.rows("SELECT id FROM children")), "delete": 0}
    site.settings |= {"permissions": [{"glob": "**", "principals": ["staff"]}]}
    said, done = planned_and_done(site)
    hold(said, done)
    assert (said["children"], said["changes"]["permissions"]) == (kept, 2)
    site.settings |= {"metadata": [{"glob": "ferry*", "author": "The harbour"}]}
    said, done = planned_and_done(site)
    hold(said, done)
    assert (said["children"], said["changes"]["metadata"]) == (kept, 1)


def test_another_cut_says_what_it_would_cost_and_whether_it_would_ask(site):
    site.write("ferry.md", FERRY)
    site.sync()
    site.settings |= {"recipes": [SMALL]}
    assert pipeline.preview(site.config, site.dsn, site.name)["asks"] is None
    site.settings |= {"spending_guard": {"share": 0, "tokens": 0}}
    said = pipeline.preview(site.config, site.dsn, site.name)
    done = site.sync(yes=True)
    hold(said, done)
    assert said["changes"]["cut"] == 1
    spent = site.rows("SELECT spending FROM sync_runs ORDER BY id DESC LIMIT 1")[0]["spending"]
    assert spent["asks"]
    assert said["asks"] == spent["said"]
    assert pipeline.preview(site.config, site.dsn, site.name)["asks"] is None


@pytest.mark.parametrize("model", [HASH_B, HASH_SMALL])
def test_another_model_embeds_everything_and_asks(site, model):
    site.write("ferry.md", FERRY)
    site.write("long.md", "# Long\n\n" + "The crane lifts twelve tonnes, and no more than that. " * 40)
    site.sync()
    site.settings |= {"embedding": {"model": model.name}, "spending_guard": {"share": 0, "tokens": 0}}
    said = pipeline.preview(site.config, site.dsn, site.name)
    done = site.sync(yes=True)
    hold(said, done)
    assert said["tokens_to_embed"] >= sum(
        row["tokens"] for row in site.rows("SELECT DISTINCT key, tokens FROM children")
    )
    spent = site.rows("SELECT spending FROM sync_runs ORDER BY id DESC LIMIT 1")[0]["spending"]
    assert said["asks"] == spent["said"]


def test_what_a_backfill_would_do_is_what_it_does(site):
    site.write("ferry.md", FERRY)
    site.write("crane.md", CRANE, at=LATER + 1_000_000)
    site.sync()
    site.write("ferry.md", FERRY.replace("nine", "five"))  # same size and time
    window = (datetime.fromtimestamp(LATER - 1000, UTC), datetime.fromtimestamp(LATER + 1000, UTC))
    said, done = planned_and_done(site, window=window)
    hold(said, done)
    assert done["documents"]["changed"] == 1


def test_new_documents_never_ask(site):
    site.settings |= {"spending_guard": {"share": 0, "tokens": 0}}
    site.write("ferry.md", FERRY)
    assert pipeline.preview(site.config, site.dsn, site.name)["asks"] is None
    site.sync()
    site.write("crane.md", CRANE)
    assert pipeline.preview(site.config, site.dsn, site.name)["asks"] is None


def test_documents_only_is_quick(site, command):
    site.write("ferry.md", FERRY)
    site.write("empty.md", b"")
    said = read(command("plan", site.name, "--quick", "--json"))
    assert said["documents"]["new"] == 2
    assert said["changes"]["content"] == 2
    assert "children" not in said


def test_a_plan_is_readable(site, command):
    site.write("ferry.md", FERRY)
    site.write("码头 [x].md", WHARF)
    said = command("plan", site.name).stdout
    assert "site: new 2" in said
    assert "time: no history yet" in said
    site.sync()
    (site.source / "码头 [x].md").unlink()
    assert "gone: 码头 [x].md" in command("plan", site.name).stdout


class TestOneDocument:
    def ask(self, command, site, uri):
        return read(command("plan", site.name, "--document", uri, "--json"))

    def test_that_changed_shows_what_stays_what_comes_and_what_goes(self, site, command):
        site.write("ferry [x].md", FERRY)
        site.sync()
        stored = {str(row["id"]): row["text"] for row in site.children("ferry [x].md")}
        site.write("ferry [x].md", FERRY.replace("at nine", "[red] at noon, if at all"), at=LATER)
        said = self.ask(command, site, "ferry [x].md")
        assert said["document"]["action"] == "changed"
        assert "others than those of version 1" in said["document"]["because"]
        children = said["children"]
        readable = command("plan", site.name, "--document", "ferry [x].md").stdout
        site.sync()
        now = {str(row["id"]): row for row in site.children("ferry [x].md")}
        assert {child["id"] for child in children["keep"]} == stored.keys() & now.keys()
        assert {child["id"] for child in children["insert"]} == now.keys() - stored.keys()
        assert {child["id"] for child in children["delete"]} == stored.keys() - now.keys()
        for child in [*children["keep"], *children["insert"]]:
            row = now[child["id"]]
            assert (child["text"], child["tokens"], child["section_path"]) == (
                row["text"], row["tokens"], row["section_path"],
            )  # fmt: skip
            assert child["place"]["new"]["start"] == row["start_offset"]
        assert all(child["place"]["old"]["start"] != child["place"]["new"]["start"] for child in children["keep"])
        assert "leaves [red] at noon" in readable
        assert "children: kept 1, new 1, gone 1" in readable

    def test_that_is_new_comes_whole(self, site, command):
        site.write("ferry.md", FERRY)
        said = self.ask(command, site, "ferry.md")
        assert said["document"] == {
            "uri": "ferry.md", "action": "new", "stage": "parse", "because": "the ledger does not know it",
        }  # fmt: skip
        assert len(said["children"]["insert"]) == said["texts_to_embed"] == 2

    def test_that_is_unchanged_stays_whole(self, site, command):
        site.write("ferry.md", FERRY)
        site.sync()
        said = self.ask(command, site, "ferry.md")
        assert (said["document"]["action"], said["document"]["stage"]) == ("unchanged", None)
        assert len(said["children"]["keep"]) == 2
        assert said["tokens_to_embed"] == 0

    def test_that_is_gone_goes_whole_and_is_remembered_as_gone(self, site, command):
        site.write("ferry.md", FERRY)
        site.write("crane.md", CRANE)
        site.sync()
        (site.source / "ferry.md").unlink()
        said = self.ask(command, site, "ferry.md")
        assert (said["document"]["action"], len(said["children"]["delete"])) == ("deleted", 2)
        site.sync()
        said = self.ask(command, site, "ferry.md")
        assert "was deleted before" in said["document"]["because"]
        assert not any(said["children"].values())

    def test_that_moved_names_both_places(self, site, command):
        site.write("old.md", FERRY)
        site.sync()
        (site.source / "old.md").rename(site.source / "new.md")
        said = self.ask(command, site, "new.md")
        assert (said["document"]["action"], said["document"]["because"]) == (
            "moved", "its bytes were at old.md, which is gone",
        )  # fmt: skip
        assert said["tokens_to_embed"] == 0
        assert self.ask(command, site, "old.md")["document"]["because"] == "its bytes are now at new.md"

    def test_that_fails_is_served_as_it_was_and_says_why(self, site, command):
        site.write("ferry.md", FERRY)
        site.sync()
        site.write("ferry.md", b"", at=LATER)
        for says in ("it would go to quarantine: parse: the file is empty", "the parser that failed are the same"):
            said = self.ask(command, site, "ferry.md")
            assert said["document"]["action"] == "quarantined"
            assert says in said["document"]["because"]
            assert len(said["children"]["keep"]) == 2
            site.sync()
        with Store(site.dsn) as store:
            store.retry(site.name, "ferry.md")
        assert "would go to quarantine" in self.ask(command, site, "ferry.md")["document"]["because"]

    def test_that_is_due_names_the_stage(self, site, command):
        site.write("ferry.md", FERRY)
        site.sync()
        site.settings |= {"recipes": [SMALL]}
        said = self.ask(command, site, "ferry.md")
        assert (said["document"]["action"], said["document"]["stage"]) == ("due", "cut")
        site.settings |= {"recipes": [], "permissions": [{"glob": "**", "principals": ["staff"]}]}
        said = self.ask(command, site, "ferry.md")
        assert said["document"]["stage"] == "permissions"
        assert len(said["children"]["keep"]) == 2

    def test_that_nobody_knows_is_wrong_usage_and_says_what_is_near(self, site, command):
        site.write("manual/ferry.md", FERRY)
        site.sync()
        process = command("plan", site.name, "--document", "manual/ferri.md")
        assert process.returncode == 2
        assert "near it: manual/ferry.md" in process.stderr
        assert process.stdout == ""
        assert command("plan", site.name, "--document", "a.md", "--quick").returncode == 2


def test_what_a_reprocess_would_do_is_what_it_does(site):
    site.write("a/ferry.md", FERRY)
    site.write("b/crane.md", CRANE)
    site.sync()
    for stage in ("parse", "cut", "embed"):
        asked = pipeline.Reprocess("a/**", stage, "to be sure")
        said, done = planned_and_done(site, reprocess=asked)
        hold(said, done)
        assert said["changes"]["forced"] == done["changes"]["forced"] == 1
