"""Sizes that are found to fit are sizes that no strategy refuses, and the other way round."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from chunking import document, made, prose
from hypothesis import given, settings
from hypothesis import strategies as st
from word_pieces import word_pieces

from chunkers import base, sizes
from chunkers.base import Looking
from chunkers.errors import ConfigError
from chunkers.tokens import Characters

TEXT = document(f"# Rivers\n\n{prose(6)}\n\n## Banks\n\n{prose(4)}\n")
STRATEGIES = [name for name in base.names() if not isinstance(base.build(name), Looking)]
NUMBERS = {
    "size": st.one_of(st.none(), st.integers(1, 400), st.integers(2_900, 3_200)),
    "overlap": st.one_of(st.none(), st.integers(0, 300)),
    "parent_size": st.integers(1, 1_300),
    "unit": st.sampled_from(["tokens", "characters"]),
}


def fit(chunker: Any, ruler) -> str | None:
    """What is wrong with the sizes, if anything."""
    try:
        sizes.fit(dataclasses.asdict(chunker), ruler, parent_asked=False)
    except ConfigError as error:
        return error.message
    return None


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_strategy_refuses_no_sizes_that_fit_and_nothing_unfit_is_news_to_it(data):
    recipe = data.draw(st.sampled_from(STRATEGIES))
    known = {field.name for field in dataclasses.fields(type(base.build(recipe)))}
    chosen = {name: data.draw(values) for name, values in NUMBERS.items() if name in known}
    try:
        chunker = base.build(recipe, chosen)
    except ConfigError:
        return
    wrong = fit(chunker, word_pieces())
    if wrong is None:
        assert made(TEXT, recipe, **chosen).children
    elif "characters" not in wrong:
        with pytest.raises(ConfigError):
            made(TEXT, recipe, **chosen)


@pytest.mark.parametrize("recipe", STRATEGIES)
def test_the_sizes_that_a_strategy_has_by_itself_fit_any_model_and_raise_no_doubts(recipe):
    for ruler in (word_pieces(), Characters(20), Characters(100_000)):
        whole = dataclasses.asdict(base.build(recipe))
        sizes.fit(whole, ruler, parent_asked=False)
        assert list(sizes.doubts(whole, ruler)) == []


@pytest.mark.parametrize(("overlap", "doubtful"), [(0, False), (20, False), (21, True), (99, True)])
def test_a_fifth_may_be_shared_without_a_word(overlap, doubtful):
    for unit in ("tokens", "characters"):
        said = list(sizes.doubts({"size": 100, "overlap": overlap, "parent_size": 1200, "unit": unit}, word_pieces()))
        assert len(said) == doubtful
        assert all("set overlap to at most 20" in each for each in said)
