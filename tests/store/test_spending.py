"""What a changed configuration alone would embed: when somebody is asked first, and what is done meanwhile."""

from __future__ import annotations

import pytest
from hash_models import HASH_A, HASH_B, register
from site_under_test import OLD, Site

from corpus import pipeline, spending
from corpus.config import Corpus
from corpus.errors import NeedsApproval
from corpus.records import Reprocess

PAGE = "# Page {0}\n\n{1}\n"
TEXT = " ".join(f"The ferry number {number} leaves at nine." for number in range(30))
STRICT = {"share": 0.2, "tokens": 50}
YES = {"yes": True}


@pytest.fixture(autouse=True)
def _hash_models() -> None:
    register()


@pytest.fixture
def guarded(site: Site) -> Site:
    """A corpus of five documents that asks early."""
    site.settings = {
        "spending_guard": STRICT,
        "embedding": {"model": HASH_A.name, "price_per_million_tokens": 1e6, "task_texts": 2},
    }
    for number in range(5):
        page(site, number)
    site.sync()
    return site


def page(site: Site, number: int, *, at: int = OLD, more: str = "") -> None:
    site.write(f"page-{number}.md", PAGE.format(number, TEXT.replace("ferry", f"ferry {number}") + more), at=at)


def run_of(site: Site) -> dict:
    return site.rows("SELECT * FROM sync_runs ORDER BY id DESC LIMIT 1")[0]


def test_the_first_sync_of_a_corpus_asks_nobody(guarded):
    run = run_of(guarded)
    assert (run["state"], run["spending"]["tokens"], run["spending"]["asks"]) == ("succeeded", 0, False)


def test_new_bytes_moves_and_revivals_ask_nobody_however_much_they_are(guarded):
    for number in range(5):
        page(guarded, number, at=OLD + 100, more=f" New in {number}.")
    (guarded.source / "page-0.md").rename(guarded.source / "moved.md")
    done = guarded.sync()
    assert done["embedded"] > 0
    assert run_of(guarded)["spending"]["tokens"] == 0


def test_another_model_asks_and_embeds_nothing_until_somebody_says_yes(guarded):
    guarded.settings["embedding"]["model"] = HASH_B.name
    handed = HASH_B.texts
    with pytest.raises(NeedsApproval) as error:
        guarded.sync()
    assert HASH_B.texts == handed
    whole = guarded.rows("SELECT sum(tokens)::int AS tokens FROM children")[0]["tokens"]
    said = str(error.value)
    for part in (f"{whole:,} tokens", "5 documents", "100% of the corpus", f"{HASH_A.name} → {HASH_B.name}", "--yes"):
        assert part in said
    assert f"price {whole:,.4f}" in said
    run = run_of(guarded)
    assert (run["state"], run["approved_by"], run["spending"]["tokens"]) == ("failed", None, whole)
    done = guarded.sync(**YES)
    assert (done["state"], done["embedded"]) == ("succeeded", HASH_B.texts - handed)
    assert run_of(guarded)["approved_by"] == "--yes"
    assert guarded.sync()["embedded"] == 0


def test_another_recipe_asks_and_what_is_free_is_embedded_and_published_meanwhile(guarded):
    guarded.settings["cutting"] = {"size": 40}
    page(guarded, 0, at=OLD + 100, more=" And there is news.")
    guarded.write("new.md", PAGE.format("new", "It has a text of its own."))
    with pytest.raises(NeedsApproval, match=r"of 4 documents.*the recipes, their sizes, or the ruler"):
        guarded.sync()
    versions = {row["uri"]: row["version"] for row in guarded.rows("SELECT uri, version FROM documents")}
    assert versions == {"page-0.md": 2, "new.md": 1} | {f"page-{number}.md": 1 for number in range(1, 5)}
    with pytest.raises(NeedsApproval):
        guarded.sync()
    guarded.sync(**YES)
    assert all(row["version"] == 2 for row in guarded.rows("SELECT version FROM documents WHERE uri <> 'new.md'"))


@pytest.mark.parametrize("guard", [{"share": 1.0, "tokens": 0}, {"share": 0.0, "tokens": 1_000_000}])
def test_it_takes_more_than_both_the_share_and_the_tokens_to_be_asked(guarded, guard):
    guarded.settings["spending_guard"] = guard
    guarded.settings["embedding"]["model"] = HASH_B.name
    assert guarded.sync()["state"] == "succeeded"
    assert run_of(guarded)["spending"]["tokens"] > 0


def test_each_batch_is_free_or_guarded_and_the_free_ones_come_first(guarded):
    guarded.settings["cutting"] = {"size": 40}
    page(guarded, 0, at=OLD + 100, more=" And there is news.")
    planned = pipeline.plan(guarded.config, guarded.dsn, guarded.name)
    for batch in planned.batches:
        pipeline.prepare(guarded.config, guarded.dsn, planned.run_id, batch.number)
    batches = pipeline.plan_embeddings(guarded.config, guarded.dsn, planned.run_id)
    assert [batch.number for batch in batches] == list(range(len(batches)))
    flags = [batch.guarded for batch in batches]
    assert flags == sorted(flags)
    assert set(flags) == {False, True}
    assert all(batch.texts <= 2 for batch in batches)
    found = pipeline.spending(guarded.config, guarded.dsn, planned.run_id)
    assert (found.asks, found.documents) == (True, 4)
    assert found.tokens == guarded.rows("SELECT sum(tokens)::int AS n FROM sync_texts WHERE guarded")[0]["n"]
    (free,) = {batch.number for batch in batches if not batch.guarded} & {0}
    assert pipeline.embed(guarded.config, guarded.dsn, planned.run_id, free)["embedded"] > 0
    handed = HASH_A.texts
    with pytest.raises(NeedsApproval):
        pipeline.embed(guarded.config, guarded.dsn, planned.run_id, batches[-1].number)
    assert HASH_A.texts == handed
    pipeline.approve(guarded.config, guarded.dsn, planned.run_id, by="anna")
    pipeline.approve(guarded.config, guarded.dsn, planned.run_id, by="too late")
    for batch in batches:
        pipeline.embed(guarded.config, guarded.dsn, planned.run_id, batch.number)
    pipeline.publish(guarded.config, guarded.dsn, planned.run_id)
    pipeline.settle(guarded.config, guarded.dsn, planned.run_id)
    assert run_of(guarded)["approved_by"] == "anna"


def test_a_forced_rerun_is_a_word_of_its_own(guarded):
    handed = HASH_A.texts
    before = guarded.rows("SELECT key, embedding::text FROM embeddings ORDER BY key")
    written = guarded.written()
    done = guarded.sync(reprocess=Reprocess("page-[01].md", "embed", "the engine was mended"))
    assert run_of(guarded)["spending"]["tokens"] == 0
    keys = {child["key"] for number in (0, 1) for child in guarded.children(f"page-{number}.md")}
    assert done["embedded"] == HASH_A.texts - handed == len(keys)
    assert done["rows_written"] == guarded.written() - written
    assert guarded.rows("SELECT key, embedding::text FROM embeddings ORDER BY key") == before
    assert guarded.sync()["embedded"] == 0


def test_the_vectors_of_a_forced_rerun_are_replaced_and_each_is_paid_once(guarded):
    guarded.settings["embedding"]["batch_texts"] = 1
    guarded.rows(
        "UPDATE embeddings SET embedding = (SELECT embedding FROM embeddings ORDER BY key LIMIT 1) RETURNING key"
    )
    wanted = Reprocess("**", "embed", "somebody spoiled them")

    class Killed(BaseException):
        pass

    at = 0

    def kill(said: str) -> None:
        nonlocal at
        at += said.startswith("embed")
        if at == 3:
            raise Killed

    handed = HASH_A.handed.copy()
    with pytest.raises(Killed):
        guarded.sync(reprocess=wanted, progress=kill)
    run = run_of(guarded)["id"]
    for batch in pipeline.plan_embeddings(guarded.config, guarded.dsn, run):
        pipeline.embed(guarded.config, guarded.dsn, run, batch.number)
    pipeline.publish(guarded.config, guarded.dsn, run)
    pipeline.settle(guarded.config, guarded.dsn, run)
    made = HASH_A.handed - handed
    texts = len(guarded.rows("SELECT key FROM embeddings"))
    assert made.total() == len(made) == texts
    assert len(guarded.rows("SELECT DISTINCT embedding::text FROM embeddings")) == texts


def test_what_is_said_names_the_change():
    assert spending.because(("a", "b"), []) == "the model, a → b"
    assert spending.because(("a", "a"), ["cut"]) == "the model a, or how it is fed"
    assert spending.because(None, ["cut", "parse"]).startswith("the parsers")
    corpus = Corpus.model_validate({"name": "c", "source": {"path": "."}})
    below = spending.weigh(corpus, tokens=1_000_000, documents=1, whole=1_000_000, because="x")
    above = spending.weigh(corpus, tokens=1_000_001, documents=1, whole=1_000_001, because="x")
    assert (below.asks, above.asks) == (False, True)
    assert not spending.weigh(corpus, tokens=2_000_000, documents=1, whole=0, because="x").asks
    assert not spending.weigh(corpus, tokens=2_000_000, documents=1, whole=10_000_000, because="x").asks
