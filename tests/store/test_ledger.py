"""What a run writes down of itself, the history of documents, and what is cleared away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hash_models import HASH_A, register
from own_server import make_folder, remove

from corpus import pipeline
from corpus.database import open_connection, start
from corpus.errors import KerfError
from corpus.migrations import migrate
from corpus.queries import sql_folder
from corpus.records import Reprocess
from corpus.sources.filesystem import Filesystem
from corpus.store import Store

FERRY = "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns. Dogs travel free of charge.\n"
CRANE = "# Crane\n\nThe crane lifts twelve tonnes.\n"
PRICE = {"price_per_million_tokens": 2_000_000.0}  #: two for each token


@pytest.fixture(autouse=True)
def a_model_that_costs_nothing(site):
    register()
    site.settings = {"embedding": {"model": HASH_A.name}}


def history(site, uri: str) -> list[tuple]:
    """Event, version and children new, moved and gone, the oldest first."""
    rows = site.rows("SELECT * FROM sync_versions WHERE uri = %(uri)s ORDER BY id", uri=uri)
    return [(row["event"], row["version"], row["inserted"], row["moved"], row["deleted"]) for row in rows]


def stages(site, run: int) -> dict[str, dict]:
    return {row["stage"]: row for row in site.rows("SELECT * FROM sync_stages WHERE run_id = %(run)s", run=run)}


def finish(site, run: int) -> dict:
    for texts in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, texts.number)
    done = pipeline.publish(site.config, site.dsn, run)
    pipeline.settle(site.config, site.dsn, run)
    return done


def prepare(site, planned) -> None:
    for batch in planned.batches:
        pipeline.prepare(site.config, site.dsn, planned.run_id, batch.number)


def test_each_stage_says_what_it_did_and_the_summary_adds_it_up(site):
    site.settings["embedding"] |= PRICE
    files = [site.write("ferry.md", FERRY), site.write("crane.md", CRANE)]
    done = site.sync()
    size = sum(file.stat().st_size for file in files)
    children = site.rows("SELECT key, tokens FROM children")
    tokens = sum(row["tokens"] for row in children)
    counted = stages(site, done["run_id"])
    assert {name: row["documents"] for name, row in counted.items()} == {
        "plan": 2, "prepare": 2, "embed": 0, "publish": 2,
    }  # fmt: skip
    assert counted["prepare"]["bytes"] == size
    assert counted["publish"]["chunks"] == counted["prepare"]["chunks"] == len(children)
    assert done["tokens"] == {"embedded": tokens, "reused": 0}
    assert done["bytes"] == size
    assert done["price"] == pytest.approx(2 * tokens)
    assert done["kind"] == "sync"
    assert done["changes"]["content"] == 2
    assert all(seconds > 0 for seconds in done["seconds"].values())


def test_a_run_that_changes_nothing_writes_nothing_and_leaves_no_history(site):
    site.write("ferry.md", FERRY)
    site.sync()
    before, written = site.rows("SELECT * FROM sync_versions"), site.written()
    done = site.sync()
    assert done["rows_written"] == 0
    assert done["tokens"] == {"embedded": 0, "reused": 0}
    assert site.rows("SELECT * FROM sync_versions") == before
    assert site.written() == written


def test_the_history_of_a_document_names_each_version_its_run_and_its_children(site):
    site.write("crane.md", CRANE)
    site.write("ferry.md", FERRY)
    first = site.sync()["run_id"]
    site.write(
        "ferry.md", FERRY + "\n## Bicycles\n\nA bicycle costs two crowns, and stands on the deck.\n", at=1_700_000_100
    )
    second = site.sync()["run_id"]
    (site.source / "ferry.md").unlink()
    third = site.sync()["run_id"]
    rows = site.rows("SELECT * FROM sync_versions WHERE uri = 'ferry.md' ORDER BY id")
    assert [(row["run_id"], row["event"], row["version"]) for row in rows] == [
        (first, "published", 1), (second, "published", 2), (third, "deleted", 2),
    ]  # fmt: skip
    assert rows[0]["inserted"] == rows[0]["children"] > 0
    assert rows[1]["children"] == rows[0]["children"] + rows[1]["inserted"] - rows[1]["deleted"]
    assert rows[0]["content_hash"] != rows[1]["content_hash"] == rows[2]["content_hash"]


def test_a_moved_document_says_where_it_came_from(site):
    site.write("old.md", FERRY)
    site.sync()
    (site.source / "old.md").rename(site.source / "new.md")
    done = site.sync()
    (old,) = site.rows("SELECT id FROM documents WHERE uri = 'old.md'")
    (new,) = site.rows("SELECT * FROM sync_versions WHERE uri = 'new.md'")
    assert new["moved_from"] == old["id"]
    assert done["changes"]["moved"] == 1
    assert done["tokens"]["embedded"] == 0
    assert history(site, "old.md")[-1][0] == "deleted"


def test_a_served_document_whose_new_bytes_fail_is_stale_until_it_is_published_again(site):
    site.write("ferry.md", FERRY)
    site.sync()
    site.write("ferry.md", b"", at=1_700_000_100)
    site.sync()
    (since,) = site.rows("SELECT stale_since FROM documents")
    assert since["stale_since"] is not None
    site.sync()
    assert site.rows("SELECT stale_since FROM documents") == [since]
    site.write("ferry.md", FERRY.replace("nine", "ten"), at=1_700_000_200)
    site.sync()
    assert site.rows("SELECT stale_since FROM documents") == [{"stale_since": None}]
    assert [event for event, *_ in history(site, "ferry.md")] == ["published", "quarantined", "published"]


def test_a_document_whose_good_bytes_come_back_is_not_stale_and_its_version_stays(site):
    site.write("ferry.md", FERRY)
    site.sync()
    site.write("ferry.md", b"", at=1_700_000_100)
    site.sync()
    site.write("ferry.md", FERRY, at=1_700_000_200)
    site.sync()
    assert site.rows("SELECT stale_since, version FROM documents") == [{"stale_since": None, "version": 1}]
    assert site.rows("SELECT * FROM quarantine") == []
    assert [event for event, *_ in history(site, "ferry.md")] == ["published", "quarantined", "published"]


def test_what_is_past_the_retention_is_forgotten_and_the_runs_and_their_cost_stay(site):
    site.settings |= {"history": {"days": 30}}
    site.write("ferry.md", FERRY)
    first = site.sync()
    with open_connection(site.dsn, autocommit=True) as connection:
        connection.execute("UPDATE sync_versions SET at = at - interval '31 days'")
        connection.execute("UPDATE sync_runs SET finished_at = finished_at - interval '31 days'")
    site.write("crane.md", CRANE)
    site.sync()
    assert [row["uri"] for row in site.rows("SELECT uri FROM sync_versions")] == ["crane.md"]
    assert {row["uri"] for row in site.rows("SELECT uri FROM sync_items")} == {"crane.md"}
    with Store(site.dsn) as store:
        kept = pipeline.summary(store.run(first["run_id"]))
    assert kept == first


def test_a_sync_that_ends_well_empties_what_failed_runs_before_it_staged(site):
    site.write("ferry.md", FERRY)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, planned)
    pipeline.publish(site.config, site.dsn, planned.run_id)  # without vectors: it fails
    assert site.rows("SELECT count(staged) AS staged FROM sync_items") == [{"staged": 1}]
    site.sync()
    left = site.rows("SELECT count(staged) AS staged, count(keys) AS keys FROM sync_items")
    assert left == [{"staged": 0, "keys": 0}]
    assert site.rows("SELECT * FROM sync_texts") == []
    with pytest.raises(KerfError, match="looked at the whole source since"):
        pipeline.settle(site.config, site.dsn, planned.run_id)
    content = site.content()
    prepare(site, planned)
    finish(site, planned.run_id)
    assert site.content() == content


def test_a_failed_run_keeps_what_it_staged_until_then(site):
    site.write("ferry.md", FERRY)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, planned)
    pipeline.publish(site.config, site.dsn, planned.run_id)
    done = finish(site, planned.run_id)
    assert (done["state"], done["parsed"], done["documents"]["new"]) == ("succeeded", 1, 1)


def test_publishing_twice_at_once_does_everything_once(site):
    for number in range(30):
        site.write(f"{number}.md", FERRY.replace("nine", f"{number} o'clock"))
    planned = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, planned)
    for texts in pipeline.plan_embeddings(site.config, site.dsn, planned.run_id):
        pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    config = site.config
    with ThreadPoolExecutor(3) as threads:
        done = list(threads.map(lambda _: pipeline.publish(config, site.dsn, planned.run_id), range(3)))
    pipeline.settle(site.config, site.dsn, planned.run_id)
    assert all(one["state"] == "succeeded" for one in done)
    assert site.rows("SELECT count(*) AS n, max(version) AS version FROM documents") == [{"n": 30, "version": 1}]
    assert site.rows("SELECT count(*) AS n FROM sync_versions") == [{"n": 30}]
    counted = stages(site, planned.run_id)["publish"]
    assert (counted["documents"], counted["chunks"]) == (30, len(site.rows("SELECT id FROM children")))


def test_publishing_again_after_success_leaves_the_run_as_it_ended(site):
    site.write("ferry.md", FERRY)
    first = site.sync()
    site.write("crane.md", CRANE)
    site.sync()
    assert pipeline.publish(site.config, site.dsn, first["run_id"]) == first
    pipeline.settle(site.config, site.dsn, first["run_id"])
    with Store(site.dsn) as store:
        assert pipeline.summary(store.run(first["run_id"])) == first


def test_a_stage_that_fails_counts_its_seconds_too(site, monkeypatch):
    site.write("ferry.md", FERRY)
    planned = pipeline.plan(site.config, site.dsn, site.name)

    def refuse(*_):
        raise KerfError("the model is not there")

    prepare(site, planned)
    (texts,) = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    before = stages(site, planned.run_id)["embed"]["seconds"]
    monkeypatch.setattr(Store, "batch_texts", refuse)
    with pytest.raises(KerfError, match="not there"):
        pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    assert stages(site, planned.run_id)["embed"]["seconds"] >= before


def test_a_run_knows_its_kind_and_why_it_was_asked_for(site):
    model = {"fingerprint": "f", "name": "m", "dimensions": 3, "max_tokens": 10}
    with Store(site.dsn) as store:
        again = store.begin_run(site.name, model, key="k", reprocess=Reprocess("a/**", "cut", "a better splitter"))
        assert again.row["kind"] == "reprocess"
        assert again.row["reprocess"] == {"glob": "a/**", "stage": "cut", "reason": "a better splitter"}
        assert store.begin_run(site.name, model, key="k").id == again.id
        assert store.run(again.id).row["reprocess"] is None
        assert store.run(again.id).row["kind"] == "sync"


def test_what_could_not_be_read_now_counts_what_was_read_before(site, monkeypatch):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    read = Filesystem.read

    def sometimes(self, uri):
        if uri == "b.md":
            raise pipeline.TransientError("the share is away")
        return read(self, uri)

    monkeypatch.setattr(Filesystem, "read", sometimes)
    with pytest.raises(pipeline.TransientError):
        prepare(site, planned)
    monkeypatch.undo()
    prepare(site, planned)
    done = finish(site, planned.run_id)
    assert stages(site, planned.run_id)["prepare"]["documents"] == 2
    assert done["bytes"] == len(FERRY) + len(CRANE)


def test_the_seconds_of_runs_before_the_migration_stay(tmp_path, monkeypatch):
    old = tmp_path / "migrations"
    old.mkdir()
    for file in sorted((sql_folder() / "migrations").glob("*.sql")):
        if int(file.name[:3]) < 42:
            (old / file.name).write_text(file.read_text())
    folder = make_folder()
    try:
        uri = start(folder).uri("postgres")
        monkeypatch.setenv("KERF_SQL", str(tmp_path))
        migrate(uri)
        with open_connection(uri, autocommit=True) as connection:
            connection.execute("INSERT INTO corpora (name) VALUES ('docs')")
            connection.execute(
                "INSERT INTO embedding_models (fingerprint, name, dimensions, max_tokens) VALUES ('f', 'm', 3, 9)"
            )
            connection.execute(
                "INSERT INTO sync_runs (corpus, state, listing_sequence, model_id, seconds) VALUES"
                ' (\'docs\', \'succeeded\', 1, 1, \'{"plan": 0.5, "prepare": 2, "embed": 3.25, "publish": 0}\')'
            )
        monkeypatch.undo()
        migrate(uri)
        with Store(uri) as store:
            assert pipeline.summary(store.run(1))["seconds"] == {
                "plan": 0.5, "prepare": 2, "embed": 3.25, "publish": 0,
            }  # fmt: skip
    finally:
        remove(folder)
