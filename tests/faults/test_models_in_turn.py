"""Other embedding models for a corpus that names no ruler."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from corpus_making import FORMATS, drafted
from hash_models import HASH_A, HASH_B, HASH_SMALL, HashModel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import dict_row
from same_rows import emptied
from world import CORPUS, Room, World

from corpus import pipeline

CUTS = (
    "SELECT d.uri, jsonb_agg(to_jsonb(c) ORDER BY c.id) AS children, max(c.tokens) AS longest FROM children c"
    " JOIN documents d ON d.id = c.document_id WHERE d.deleted_at IS NULL GROUP BY d.uri"
)


def test_another_model_cuts_anew_what_it_cannot_read_and_nothing_else(
    tmp_path: Path, fresh_database: Callable[[], str]
) -> None:
    """The corpus names no ruler: it is measured by the model of its first sync."""
    fresh, scratch, numbers = emptied(fresh_database()), emptied(fresh_database()), itertools.count()

    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(made=st.lists(st.tuples(st.sampled_from(FORMATS), st.integers(0, 10**6)), min_size=2, max_size=5))
    def check(made: list[tuple[str, int]]) -> None:
        world = World(tmp_path / str(next(numbers)), room, fresh(), scratch)
        for number, (form, seed) in enumerate(made):
            draft = drafted(random.Random(seed), form)
            world.write(f"{number}{draft.suffix}", bytes(draft))

        def cuts(model: HashModel, dsn: str, *, parses: bool) -> dict[str, Any]:
            world.settings = {"embedding": {"model": model.name}}
            done = pipeline.sync(world.config, dsn, CORPUS, yes=True)
            assert (done["parsed"] > 0) == parses
            again = pipeline.sync(world.config, dsn, CORPUS, yes=True)
            assert (again["embedded"], again["rows_written"]) == (0, 0)
            with psycopg.connect(dsn, row_factory=dict_row) as connection:
                return {row["uri"]: row for row in connection.execute(CUTS).fetchall()}

        first = cuts(HASH_A, world.dsn, parses=True)
        assert cuts(HASH_B, world.dsn, parses=False) == first
        less = cuts(HASH_SMALL, world.dsn, parses=False)
        back = cuts(HASH_A, world.dsn, parses=False)
        anew = cuts(HASH_SMALL, scratch(), parses=True)
        for uri, document in first.items():
            assert less[uri] == (document if document["longest"] <= HASH_SMALL.reads else anew[uri])
        assert back == first

    with Room.opened() as room:
        check()
