"""Which texts a run wants embedded, in which batches; and which vectors nobody needs any more."""

from __future__ import annotations

import tracemalloc

import psycopg
import pytest
from hash_models import HASH_A, HASH_B, register
from site_under_test import OLD, Site

from chunkers.identity import context_key, embedding_key
from corpus import pipeline
from corpus.queries import query
from corpus.store import Store
from corpus.texts import texts_of

LATE = {"recipes": [{"glob": "late/**", "recipe": "late", "settings": {"size": 40}}]}
TEXT = "It stands at the head of a fjord.\n\nThe old town burned down and was built again behind the walls."


@pytest.fixture(autouse=True)
def _hash_models() -> None:
    register()


@pytest.fixture
def staged(site: Site) -> tuple[Site, int]:
    """A corpus with a run whose documents are staged, some of them cut by `late`, and equal texts among them."""
    site.settings = {**LATE, "embedding": {"model": HASH_A.name, "task_texts": 5}}
    for number in range(4):
        body = "\n\n".join(f"## City {part}\n\n{TEXT}" for part in range(number + 2))
        site.write(f"late/{number}.md", f"# Cities\n\n{body}\n")
        site.write(f"plain/{number}.md", f"# Cities {number % 2}\n\n{body}\n")
    return site, planned(site)


def planned(site: Site) -> int:
    plan = pipeline.plan(site.config, site.dsn, site.name)
    for batch in plan.batches:
        pipeline.prepare(site.config, site.dsn, plan.run_id, batch.number)
    return plan.run_id


def finish(site: Site, run: int) -> None:
    for batch in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, batch.number)
    pipeline.publish(site.config, site.dsn, run)
    pipeline.settle(site.config, site.dsn, run)


def texts(site: Site) -> list[dict]:
    return site.rows("SELECT * FROM sync_texts ORDER BY batch, tokens, key")


def unreferenced(site: Site, model: int = 1) -> set[bytes]:
    return {row["key"] for row in site.rows(query("unreferenced_vectors"), model=model)}


def test_every_key_that_is_staged_is_in_one_text_under_the_key_that_python_gives_it(staged):
    site, run = staged
    batches = pipeline.plan_embeddings(site.config, site.dsn, run)
    rows = texts(site)
    wanted = {row["key"] for row in site.rows("SELECT DISTINCT unnest(keys) AS key FROM sync_items")}
    found = texts_of(rows)
    assert sorted(key for text in found for key in text.keys) == sorted(wanted)
    for text in found:
        if not text.places:
            assert text.key == embedding_key(text.text)
        for key, place in text.places.items():
            assert key == embedding_key(text.text, place)
    assert any(text.places for text in found)
    for row in rows:
        assert row["key"] == (context_key(row["text"]) if row["places"] else embedding_key(row["text"]))
    assert [batch.texts for batch in batches] == [5] * (len(rows) // 5) + [len(rows) % 5] * (len(rows) % 5 > 0)
    lengths = [row["tokens"] for row in sorted(rows, key=lambda row: (row["tokens"], row["key"]))]
    assert [row["tokens"] for row in rows] == lengths


def test_what_is_published_and_staged_alike_is_wanted_once_and_what_is_replaced_not_at_all(staged):
    site, run = staged
    finish(site, run)
    site.settings["embedding"]["model"] = HASH_B.name
    body = f"# Cities 0\n\n## City 0\n\n{TEXT}\n\nIt is new.\n"
    site.write("plain/0.md", body, at=OLD + 100)
    run = planned(site)
    pipeline.plan_embeddings(site.config, site.dsn, run)
    served = site.rows(
        "SELECT DISTINCT c.key FROM children c JOIN documents d ON d.id = c.document_id WHERE d.uri <> 'plain/0.md'"
    )
    new = site.rows("SELECT unnest(keys) AS key FROM sync_items WHERE run_id = %(run)s", run=run)
    assert sorted({row["key"] for row in [*served, *new]}) == sorted(
        key for text in texts_of(texts(site)) for key in text.keys
    )
    guarded = {key for text in texts_of([row for row in texts(site) if row["guarded"]]) for key in text.keys}
    free = {row["key"] for row in new} - {row["key"] for row in served}
    assert free
    assert guarded.isdisjoint(free)
    assert guarded == {row["key"] for row in [*served, *new]} - free
    finish(site, run)
    assert site.sync()["embedded"] == 0


def test_planning_a_run_of_many_texts_holds_none_of_them_in_memory(site):
    site.settings = {"embedding": {"model": HASH_A.name}}
    site.write("seed.md", "# Seed\n\nA text.\n")
    run = planned(site)
    many = 20_000
    with psycopg.connect(site.dsn) as connection:  # as many children as a large corpus has, all new, of 1 kB each
        connection.execute(
            """
            WITH made AS (
                SELECT n, sha256(convert_to(t.text, 'UTF8')) AS key, t.text, n / 100 AS document
                FROM generate_series(1, %(many)s) n, LATERAL (SELECT n || repeat(' text', 200) AS text) t
            )
            INSERT INTO sync_items (run_id, document_id, uri, action, state, staged, keys)
            SELECT %(run)s, gen_random_uuid(), document::text, 'new', 'staged',
                   jsonb_build_object('contexts', '[]'::jsonb, 'children', jsonb_agg(jsonb_build_object(
                       'key', encode(key, 'hex'), 'tokens', n %% 200, 'header', '', 'text', text,
                       'context_id', NULL, 'context_start', NULL, 'context_end', NULL))),
                   array_agg(key)
            FROM made GROUP BY document
            """,
            {"many": many, "run": run},
        )
    pipeline.plan_embeddings(site.config, site.dsn, run)  # whatever is loaded once is loaded
    tracemalloc.start()
    batches = pipeline.plan_embeddings(site.config, site.dsn, run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(batch.texts for batch in batches) == many + 1
    assert peak < 1_000_000


def test_the_counts_of_embedding_are_kept_by_the_run(staged):
    site, run = staged
    finish(site, run)
    site.settings["embedding"]["price_per_million_tokens"] = 1e6
    site.write("copy.md", (site.source / "plain" / "1.md").read_text(), at=OLD)
    site.write("new.md", "# New\n\nIt has a text of its own.\n")
    done = site.sync()
    (stage,) = site.rows("SELECT s.* FROM sync_stages s WHERE stage = 'embed' AND run_id = %(run)s", run=done["run_id"])
    (new,) = site.children("new.md")
    assert (stage["chunks"], stage["tokens"], stage["price"]) == (1, new["tokens"], new["tokens"])
    copied = {child["key"]: child["tokens"] for child in site.children("copy.md")}
    assert (done["reused"], stage["reused"]) == (len(copied), sum(copied.values()))


def test_no_vector_that_somebody_needs_is_unreferenced(staged):
    site, run = staged
    for batch in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, batch.number)
    assert unreferenced(site) == set()  # nothing is published yet
    pipeline.publish(site.config, site.dsn, run)
    assert unreferenced(site) == set()
    site.write("plain/3.md", "# Other\n\nAll of it is new.\n", at=OLD + 100)
    run = planned(site)
    for batch in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, batch.number)
    assert unreferenced(site) == set()  # the old version is served, the new one is staged
    pipeline.publish(site.config, site.dsn, run)
    left = unreferenced(site)
    needed = {row["key"] for row in site.rows("SELECT key FROM children")}
    assert left
    assert left == {row["key"] for row in site.rows("SELECT key FROM embeddings")} - needed
    (site.source / "plain" / "2.md").unlink()
    site.sync()
    assert unreferenced(site) == left  # a tombstone may be revived


def test_a_plan_that_is_made_again_forgets_nothing_and_adds_nothing(staged):
    site, run = staged
    first = pipeline.plan_embeddings(site.config, site.dsn, run)
    before = texts(site)
    assert pipeline.plan_embeddings(site.config, site.dsn, run) == first
    assert texts(site) == before
    pipeline.embed(site.config, site.dsn, run, 0)
    rest = pipeline.plan_embeddings(site.config, site.dsn, run)
    assert sum(batch.texts for batch in rest) == len(before) - 5
    with Store(site.dsn) as store:
        reused = store.run(run).row["reused"]
    assert reused == 0  # what this run has embedded itself is not reused
