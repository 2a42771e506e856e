"""Sentences that lean on the one before them, found by the model in the box with late chunking and without.

`pytest -rP tests/golden/test_late_coreference.py` prints every case with its figures.
"""

from __future__ import annotations

from dataclasses import replace

from corpus import pipeline
from corpus.config import Corpus, Embedding
from corpus.embedding import embedder

#: what comes before, the sentence that leans on it, the question that it answers; by hand, from common knowledge
CASES = (
    (
        "John was angry. The demo had gone wrong in front of the customer.",
        "He said the API failed.",
        "Who said the API failed?",
    ),
    (
        "Marie Curie was born in Warsaw in 1867 and moved to Paris to study.",
        "She won two Nobel Prizes, one in physics and one in chemistry.",
        "Which prizes did Marie Curie win?",
    ),
    (
        "Berlin is the capital and largest city of Germany.",
        "The city has a population of about 3.7 million.",
        "How many people live in Berlin?",
    ),
    (
        "The X200 is a wireless router for small offices.",
        "It supports up to 64 devices at the same time.",
        "How many devices does the X200 router support?",
    ),
    (
        "The Treaty of Tordesillas was signed in 1494 by Spain and Portugal.",
        "It divided the newly found lands outside Europe.",
        "What did the Treaty of Tordesillas divide?",
    ),
    (
        "The Amazon rainforest covers most of a basin in South America.",
        "It is home to about a tenth of all known species.",
        "How many species live in the Amazon rainforest?",
    ),
    (
        "PostgreSQL is a relational database.",
        "Its write-ahead log makes recovery after a crash possible.",
        "How does PostgreSQL recover from a crash?",
    ),
    (
        "Anna joined the team in May as a data engineer.",
        "She rewrote the nightly pipeline in two weeks.",
        "What did Anna rewrite?",
    ),
    (
        "The Eiffel Tower was completed in 1889.",
        "It was the tallest structure in the world for 41 years.",
        "How long was the Eiffel Tower the tallest structure?",
    ),
    (
        "Aspirin was first made by Felix Hoffmann at Bayer.",
        "The drug relieves pain and lowers fever.",
        "What does aspirin do?",
    ),
)

#: children of a sentence or two, as in a document whose sections hold many
SMALL = Corpus.model_validate(
    {
        "name": "small",
        "source": {"path": "."},
        "recipes": [{"glob": "**", "recipe": "late", "settings": {"size": 18}}],
    }
)


def likeness(before: str, sentence: str, question: str) -> tuple[float, float]:
    """Cosine of the question and the sentence, cut as its own child, without late chunking and with it."""
    model = embedder(Embedding())
    made = pipeline.cut(f"{before}\n\n{sentence}\n".encode(), uri="note.md", corpus=SMALL)
    child = made.children[-1]
    assert child.text == sentence
    assert child.context is not None
    asked = model.embed_query(question)
    ((late,),) = model.embed_places([child.embedded_text], [[child.place]])
    (alone,) = model.embed([replace(child, context=None).embedded_text])
    return float(alone @ asked), float(late @ asked)


def test_most_sentences_that_lean_on_others_are_nearer_to_what_they_answer():
    figures = [likeness(*case) for case in CASES]
    for (_, sentence, question), (alone, late) in zip(CASES, figures, strict=True):
        print(f"{alone:.3f} alone, {late:.3f} late: {question} {sentence}")
    assert sum(late > alone for alone, late in figures) >= 8
