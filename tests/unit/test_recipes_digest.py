"""The digest of all settings, which spares planning the question what each document would get today."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from hash_models import HASH_A, HASH_B, HASH_OTHER, HASH_SMALL, register
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import processor_seconds

from chunkers import base
from corpus.config import Corpus, CutBy, Reader
from corpus.parsers.base import PARSERS, Declared, declared, parser_for
from corpus.planning import Expected, Known
from corpus.recipes import Recipes

register()

#: one place of the configuration at a time, and what may stand there
CHOICES: dict[str, list[Any]] = {
    "permissions": [[], [{"glob": "a/**", "principals": ["x"]}], [{"glob": "**", "principals": ["x"]}]],
    "metadata": [[], [{"glob": "**/*.md", "author": "A"}], [{"glob": "a/**", "tags": ["t"]}]],
    "recipes": [
        [],
        [{"glob": "a/**", "recipe": "fixed"}],
        [{"glob": "a/**", "recipe": "semantic"}],
        [{"glob": "**/*.md", "recipe": "late", "settings": {"size": 40}}],
        [{"glob": "b/**", "recipe": "fixed"}, {"glob": "**", "recipe": "structure", "settings": {"size": 60}}],
    ],
    "cutting": [
        {},
        {"size": 90},
        {"overlap": 9},
        {"parent_size": 300},
        {"headers": False},
        {"prose": "semantic"},
        {"prose": "late"},
        {"ruler": HASH_OTHER.name},
        {"ruler": HASH_A.name, "ruler_prefix": "passage: "},
        {"model": HASH_B.name, "prose": "cluster"},
        {"model": HASH_B.name, "model_prefix": "passage: ", "prose": "cluster"},
    ],
    "embedding": [
        {"model": HASH_A.name},
        {"model": HASH_B.name},
        {"model": HASH_SMALL.name},
        {"model": HASH_A.name, "passage_prefix": "passage: "},
    ],
    "limits": [{}, {"seconds": 5}, {"memory_mb": 100}, {"megabytes": 1}, {"pages": 3}, {"failed_share": 0.1}],
    "parsing": [
        {},
        {"accept_partial": True},
        {"fidelity": 0.5},
        {"pdf_fidelity": 0.5},
        {"pdf": "unstructured-fast"},
        {"ocr_languages": []},
        {"ocr_seconds": 5},
    ],
    "source": [{"path": "."}, {"path": ".", "base_url": "https://example.org"}],
    "schedule": [None, "0 3 * * *"],
    "spending_guard": [{}, {"tokens": 1}],
}
CORPORA = st.fixed_dictionaries({name: st.sampled_from(choices) for name, choices in CHOICES.items()})
FIRST = st.sampled_from([None, HASH_A.name, HASH_OTHER.name])
MEDIA_TYPES = ("text/markdown", "application/pdf", "text/x-python", "text/plain")


def made(corpus: dict[str, Any], first: str | None = None) -> Recipes:
    loaded = Corpus.model_validate({"name": "c", **corpus})
    if first is not None:
        reader = Reader(model=first)
        loaded = loaded.cut_by(CutBy(ruler=reader, looks_through=reader))
    return Recipes.of(loaded)


def known(uri: str, media_type: str, recipe: str, cut: str = "cut") -> Known:
    return Known(
        UUID(int=1), uri, 1, 1, None, True, b"x", "parse", cut, "payload", media_type, recipe,
        quarantined_hash=b"y", quarantined_fingerprint="attempt", quarantined_media_type=media_type,
    )  # fmt: skip


def answers(recipes: Recipes) -> list[Expected]:
    return [
        recipes.expected(known(f"{folder}/x.md", media_type, recipe))
        for folder in ("a", "b")
        for media_type in MEDIA_TYPES
        for recipe in base.names()
    ]


@settings(deadline=None, max_examples=150)
@given(CORPORA, FIRST, st.sampled_from(sorted(CHOICES)), st.data())
def test_whatever_changes_an_answer_changes_the_digest(corpus, first, place, data):
    other = {**corpus, place: data.draw(st.sampled_from(CHOICES[place]))}
    before, after = made(corpus, first), made(other, data.draw(FIRST))
    if answers(before) != answers(after):
        assert before.digest != after.digest


@settings(deadline=None, max_examples=50)
@given(CORPORA, FIRST)
def test_the_digest_of_the_same_settings_is_the_same(corpus, first):
    assert made(corpus, first).digest == made(corpus, first).digest


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("schedule", "0 3 * * *"),
        ("spending_guard", {"tokens": 1}),
        ("batches", {"documents": 3}),
        ("limits", {"failed_share": 0.1}),
        ("embedding", {"model": HASH_A.name, "batch_texts": 3, "query_prefix": "q"}),
        ("embedding", {"model": HASH_B.name}),
    ],
)
def test_what_no_document_is_made_with_leaves_the_digest_alone(place, value):
    plain = {"source": {"path": "."}, "embedding": {"model": HASH_A.name}}
    assert made({**plain, place: value}).digest == made(plain).digest


@pytest.mark.parametrize("media_type", ["text/markdown", "application/pdf"])
def test_another_version_of_a_parser_or_of_a_chunker_changes_the_digest(monkeypatch, media_type):
    plain = {"source": {"path": "."}}
    row = known("a/x.md", media_type, "structure")
    digest, before = made(plain).digest, made(plain).expected(row)
    parser = type(parser_for(media_type))
    monkeypatch.setattr(parser, "version", parser.version + 1)
    assert made(plain).digest != digest
    assert made(plain).expected(row).parse_fingerprint != before.parse_fingerprint
    monkeypatch.undo()
    chunker = type(base.build("structure"))
    monkeypatch.setattr(chunker, "version", chunker.version + 1)
    assert made(plain).digest != digest
    assert made(plain).expected(row).cut_fingerprint != before.cut_fingerprint


@pytest.mark.parametrize("media_type", PARSERS)
def test_what_a_parser_says_of_itself_is_known_without_importing_it(media_type):
    from corpus.parsers import base as registry

    module, _, name = PARSERS[media_type].partition(":")
    parser = getattr(import_module(module), name)
    written = registry._written(module, name)
    assert written == declared(media_type) == Declared(parser.name, parser.version, parser.reads)


def test_a_document_of_a_recipe_or_of_a_format_that_is_no_more_is_made_anew_and_no_error():
    found = made({"source": {"path": "."}}).expected(known("a/x.md", "text/x-fortran", "haruspicy"))
    assert (found.parse_fingerprint, found.cut_fingerprint) == ("", "")


def test_a_hundred_thousand_documents_are_answered_in_less_than_two_seconds():
    rules = {
        "source": {"path": "."},
        "permissions": [{"glob": f"{number}/**", "principals": ["x"]} for number in range(3)],
        "metadata": [{"glob": "**/*.md", "author": "A"}],
        "recipes": [{"glob": "9/**", "recipe": "fixed"}],
    }
    assert made(rules).digest  # whatever is loaded once is loaded
    recipes = made(rules)
    assert processor_seconds(lambda: recipes.digest) < 0.05
    rows = [known(f"{number % 10}/{number}.md", "text/markdown", "structure") for number in range(20_000)]
    assert processor_seconds(lambda: [recipes.expected(row) for row in rows]) < 0.4
