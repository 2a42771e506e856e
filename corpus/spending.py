"""What a changed configuration alone would have embedded, and whether somebody is asked first. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpus.config import Corpus
from corpus.planning import Stage

_BECAUSE = {  #: of documents that are due, by the first stage that is done again
    Stage.PARSE: "the parsers, or what is asked of them",
    Stage.CUT: "the recipes, their sizes, or the ruler",
}


@dataclass(frozen=True, slots=True)
class Spending:
    """What a changed configuration alone would have embedded."""

    tokens: int
    price: float
    documents: int
    because: str  #: what has changed
    asks: bool  #: somebody is to say yes before it is embedded
    said: str  #: all of it in a sentence


def because(model: tuple[str, str] | None, stages: Iterable[str]) -> str:
    """What has changed: the model (from, to), and the first stages of documents that are due for that."""
    if model is not None:
        before, after = model
        return f"the model, {before} → {after}" if before != after else f"the model {after}, or how it is fed"
    return " and ".join(said for stage, said in _BECAUSE.items() if stage in set(stages))


def weigh(corpus: Corpus, *, tokens: int, documents: int, whole: int, because: str) -> Spending:
    """Whether so many tokens are more than the corpus lets pass; `whole` is what all that is published has.

    They must be more than both of what `spending_guard` says. A corpus of which nothing is published never asks.
    """
    guard, price = corpus.spending_guard, tokens * corpus.embedding.price_per_million_tokens / 1_000_000
    asks = whole > 0 and tokens > guard.tokens and tokens > guard.share * whole
    if not tokens:
        said = "nothing is embedded for a changed configuration alone"
    else:
        share = f", {tokens / whole:.0%} of the corpus" if whole else ""
        said = (
            f"{tokens:,} tokens of {documents:,} documents{share} (price {price:,.4f}) are to be embedded for no other "
            f"reason than a changed configuration: {because}"
        )
    return Spending(tokens, price, documents, because, asks, said)


def how_to_go_on(corpus: Corpus) -> str:
    """What somebody can do who is asked."""
    guard = corpus.spending_guard
    return (
        f"that is above {guard.share:.0%} and above {guard.tokens:,} tokens, which spending_guard lets pass: if it is "
        f"meant, say so with kerf sync {corpus.name} --yes, or approve the run in Airflow; if not, set the "
        "configuration back"
    )
