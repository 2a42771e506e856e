"""Models that are not sentence-transformers: their engine and their ruler are registered by name."""

from __future__ import annotations

import numpy as np
import pytest
from hash_models import HASH_A, HASH_B, HASH_OTHER, HASH_SMALL, MODELS, register

from corpus.config import MODEL_IN_THE_BOX, Embedding
from corpus.embedding import ENGINES, embedder
from corpus.errors import LimitExceeded
from corpus.rulers import RULERS, ruler

register()


def test_every_engine_brings_its_ruler():
    assert ENGINES.keys() == RULERS.keys()


def test_a_registered_name_gets_its_engine_and_any_other_name_is_a_sentence_transformers_model():
    assert [embedder(Embedding(model=model.name)).name for model in MODELS] == [model.name for model in MODELS]
    assert embedder(Embedding()).name == MODEL_IN_THE_BOX


def test_an_engine_gets_the_prefixes_of_the_configuration():
    plain = embedder(Embedding(model=HASH_A.name))
    prefixed = embedder(Embedding(model=HASH_A.name, passage_prefix="passage: "))
    assert prefixed.fingerprint != plain.fingerprint
    assert not np.allclose(prefixed.embed(["a quay"]), plain.embed(["a quay"]))
    assert prefixed.ruler.overhead == plain.ruler.overhead + ruler(MODEL_IN_THE_BOX).count(["passage: "])[0]


def test_hash_models_give_unit_vectors_that_depend_on_text_and_model_alone():
    texts = ["a quay", "a mole", ""]
    first, second = (embedder(Embedding(model=model.name)).embed(texts) for model in (HASH_A, HASH_B))
    assert np.allclose(np.linalg.norm(first, axis=1), 1)
    assert np.array_equal(first, embedder(Embedding(model=HASH_A.name)).embed(texts))
    assert not np.allclose(first, second)
    assert not np.allclose(first[0], first[1])
    assert embedder(Embedding(model=HASH_A.name)).embed([]).shape == (0, 16)


def test_hash_models_measure_as_they_say():
    box, same, less, other = (ruler(name) for name in (MODEL_IN_THE_BOX, HASH_B.name, HASH_SMALL.name, HASH_OTHER.name))
    said = "The ferry waits at the mole, unbelievably late."
    assert (same.id, same.count([said])) == (box.id, box.count([said]))
    assert (less.cap, less.count([said])) == (box.cap // 2, box.count([said]))
    assert other.count([said]) == [25] != box.count([said])
    with pytest.raises(LimitExceeded, match="longer than the 128"):
        embedder(Embedding(model=HASH_SMALL.name)).embed(["word " * 127])


def test_hash_models_count_what_they_are_handed():
    before = HASH_A.texts, HASH_B.texts
    embedder(Embedding(model=HASH_A.name)).embed(["a quay", "a quay"])
    embedder(Embedding(model=HASH_A.name)).embed_places(["a quay and a mole"], [[(0, 6), (11, 17)]])
    assert (HASH_A.texts, HASH_B.texts) == (before[0] + 3, before[1])
