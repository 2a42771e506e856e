"""Edits stay local: one sentence more in real prose, and how many children that makes anew."""

from __future__ import annotations

import random
from pathlib import Path

from chunking import document, made, texts

from chunkers import sentences
from chunkers.tokens import Characters

SIZE = 1200


def test_one_sentence_inserted_into_prose_makes_few_new_children(data_folder: Path):
    new, lengths = [], []
    rng = random.Random(11)
    for name in ("chatlogs", "state_of_the_union", "wikitexts"):
        text = (data_folder / "chroma-eval" / "corpora" / f"{name}.md").read_text(encoding="utf-8")

        def cut(source):
            plain = document(source.replace("#", " ").replace("|", " ").replace("`", " "), "text/plain")
            return texts(made(plain, "recursive", Characters(), unit="characters", size=SIZE, overlap=0))

        before = cut(text)
        lengths += map(len, before)
        places = sentences.spans(text, 0, len(text))
        for number in range(20):
            at = rng.choice(places)[0]
            edited = text[:at] + f"Sentence {number} was not there the day before. " + text[at:]
            new.append(len(set(cut(edited)) - set(before)))
    assert sum(new) / len(new) <= 1.6
    assert sorted(new)[int(0.95 * len(new)) - 1] <= 3
    assert sum(lengths) / len(lengths) >= 0.65 * SIZE


def test_chunks_of_prose_end_with_their_sentences(data_folder: Path):
    text = (data_folder / "chroma-eval" / "corpora" / "state_of_the_union.md").read_text(encoding="utf-8")
    found = made(document(text, "text/plain"), "recursive")
    amid = sum(child.text.rstrip("\"'”’)*_")[-1] not in ".!?:…" for child in found.children)
    assert amid <= 0.02 * len(found.children)
