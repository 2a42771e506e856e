"""Search over generated children with generated vectors: the exact path, the index path, and what they may show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import psycopg
import pytest
from pgvector.psycopg import register_vector
from psycopg import sql

from chunkers.identity import NAMESPACE
from corpus import database as databases
from corpus import search as searching
from corpus.config import Embedding
from corpus.embedding import embedder
from corpus.errors import ConfigError
from corpus.queries import query
from corpus.store import Store

DOCUMENTS = 400
EACH = 10  #: children of a document, two to a parent
CLUSTERS = 40
QUESTIONS = 40
LIMIT = 10


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


class Collection:
    """Children whose vectors lie around common centres, as those of texts do; and questions near the same centres."""

    corpus = "site"

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.model = embedder(Embedding())
        dice = np.random.default_rng(17)
        centres = unit(dice.normal(size=(CLUSTERS, self.model.dimensions)))
        noise = 0.6 / np.sqrt(self.model.dimensions)

        def near(count: int) -> np.ndarray:
            around = centres[dice.integers(CLUSTERS, size=count)]
            return unit(around + dice.normal(scale=noise, size=around.shape))

        self.vectors = near(DOCUMENTS * EACH)
        self.questions = near(QUESTIONS)
        self.fill()

    def fill(self) -> None:
        row = {
            "fingerprint": self.model.fingerprint,
            "name": self.model.name,
            "dimensions": self.model.dimensions,
            "max_tokens": self.model.ruler.cap,
        }
        keys = [hashlib.sha256(f"text {number}".encode()).digest() for number in range(len(self.vectors))]
        with Store(self.dsn) as store:
            run = store.begin_run(self.corpus, row)
            assert store.activate_model(run)
            vectors = dict(zip(keys, self.vectors, strict=True))
            store.store_vectors(run, 0, vectors, texts=len(keys), tokens=0, price=0.0)
            store.begin_run("other", row)
        with psycopg.connect(self.dsn) as connection:
            for number in range(DOCUMENTS):
                self.insert(connection, number, keys)
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute("ANALYZE")

    def insert(self, connection: psycopg.Connection, number: int, keys: list[bytes]) -> None:
        """Every tenth document is for staff alone, every twentieth a tombstone, the last five another corpus'."""
        document = self.document(number)
        corpus = "other" if number >= DOCUMENTS - 5 else self.corpus
        connection.execute(
            "INSERT INTO documents (id, corpus, uri, content_hash, media_type, tags, permissions, recipe,"
            " recipe_because, warnings, parse_fingerprint, cut_fingerprint, payload_hash, parents, children, version,"
            " deleted_at)"
            " VALUES (%s, %s, %s, %s, 'text/plain', '{}', %s, 'fixed', '', '{}', '', '', '', %s, %s, 1,"
            " CASE WHEN %s THEN now() END)",
            [
                document,
                corpus,
                f"{number:03}.txt",
                bytes(32),
                [self.principal(number)],
                EACH // 2,
                EACH,
                number % 20 == 7,
            ],
        )
        for part in range(EACH // 2):
            connection.execute(
                "INSERT INTO parents VALUES (%s, %s, %s, 0, 100, '{}', '{}', %s, 100)",
                [uuid5(document, f"parent {part}"), document, part, f"parent {number} {part}"],
            )
        for part in range(EACH):
            connection.execute(
                "INSERT INTO children VALUES (%s, %s, %s, %s, 0, 10, '{}', '{}', 1, 1, 'paragraph', '', %s, 10, %s)",
                [
                    self.child(number, part),
                    document,
                    uuid5(document, f"parent {part // 2}"),
                    part,
                    f"child {number} {part}",
                    keys[number * EACH + part],
                ],
            )

    @staticmethod
    def document(number: int) -> UUID:
        return uuid5(NAMESPACE, f"document {number}")

    def child(self, number: int, part: int) -> UUID:
        return uuid5(self.document(number), f"child {part}")

    @staticmethod
    def principal(number: int) -> str:
        return "staff" if number % 10 == 3 else "public"

    def visible(self, principals: list[str]) -> np.ndarray:
        """Which vectors belong to children that these principals may see: the specification of a search."""
        return np.array(
            [
                self.principal(number) in principals and number % 20 != 7 and number < DOCUMENTS - 5
                for number in range(DOCUMENTS)
                for _ in range(EACH)
            ]
        )

    def nearest(self, question: np.ndarray, principals: list[str], count: int) -> list[UUID]:
        scores = np.where(self.visible(principals), self.vectors @ question, -2)
        best = np.argsort(-scores, kind="stable")[:count]
        return [self.child(int(at) // EACH, int(at) % EACH) for at in best if scores[at] > -2]

    def hits(self, question: np.ndarray, principals: list[str], count: int, path: str) -> list[dict[str, Any]]:
        """As `search` asks, with a vector in the place of a text."""
        # So few vectors are sooner sorted than walked through by their index; a planner that may not sort takes it.
        forced = f"{self.dsn}&options=-c%20enable_sort%3Doff" if path == "index" else self.dsn
        with (
            pytest.MonkeyPatch.context() as patch,
            databases.connect(forced, role="kerf_reader") as connection,
            connection.cursor(row_factory=psycopg.rows.dict_row) as cursor,
        ):
            if path == "index":
                patch.setattr(searching, "EXACT", 0)
            state = searching._state(cursor, self.corpus, principals)
            return searching._hits(cursor, self.corpus, principals, state, question, count)


@pytest.fixture(scope="module")
def collection(server_home: Path, template: str) -> Iterator[Collection]:
    """Nothing here changes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KERF_DATABASE_URL", raising=False)
        patch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
        administration = databases.dsn(server_home, "postgres")
        with psycopg.connect(administration, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE test_search TEMPLATE {template}")
        yield Collection(databases.dsn(server_home, "test_search"))
        with psycopg.connect(administration, autocommit=True) as connection:
            connection.execute("DROP DATABASE test_search WITH (FORCE)")


PRINCIPALS = [["public"], ["staff"], ["public", "staff"]]


def test_the_exact_path_finds_the_nearest_permitted_children_in_order(collection):
    for principals in PRINCIPALS:
        for question in collection.questions[:10]:
            found = collection.hits(question, principals, LIMIT, "exact")
            assert [row["child_id"] for row in found] == collection.nearest(question, principals, LIMIT)
            assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)


@pytest.mark.parametrize("principals", PRINCIPALS, ids="+".join)
def test_the_index_path_finds_nearly_all_of_them(collection, principals):
    recalled = []
    for question in collection.questions:
        found = [row["child_id"] for row in collection.hits(question, principals, LIMIT, "index")]
        assert len(set(found)) == len(found) == LIMIT
        recalled.append(len(set(found) & set(collection.nearest(question, principals, LIMIT))) / LIMIT)
    assert np.mean(recalled) >= 0.95


@pytest.mark.parametrize("path", ["exact", "index"])
def test_nothing_is_found_that_is_forbidden_buried_or_of_another_corpus(collection, path):
    everything = DOCUMENTS * EACH
    for principals in ([], ["guest"], ["public"], ["staff"]):
        found = {row["child_id"] for row in collection.hits(collection.questions[0], principals, everything, path)}
        permitted = set(collection.nearest(collection.questions[0], principals, everything))
        assert found <= permitted
        if path == "exact":
            assert found == permitted
        elif permitted:
            assert len(found) >= 0.95 * len(permitted)


def test_where_many_children_are_permitted_the_index_is_walked_and_where_few_are_all_are_compared(
    collection, monkeypatch
):
    def plans(most: int) -> list[str]:
        """Of eight searches in one connection: psycopg prepares a statement after five."""
        monkeypatch.setattr(searching, "EXACT", most)
        found = []

        class Explaining(psycopg.Cursor):
            def execute(self, statement, *args, **kwargs):
                if not isinstance(statement, str) and b"<=>" in statement.as_bytes(self.connection):
                    rows = super().execute(sql.SQL("EXPLAIN ") + statement, *args, **kwargs).fetchall()
                    found.append("\n".join(row["QUERY PLAN"] for row in rows))
                return super().execute(statement, *args, **kwargs)

        with databases.connect(collection.dsn, role="kerf_reader") as connection:
            cursor = Explaining(connection, row_factory=psycopg.rows.dict_row)
            for question in collection.questions[:8]:
                state = searching._state(cursor, collection.corpus, ["public"])
                searching._hits(cursor, collection.corpus, ["public"], state, question, LIMIT)
        return found

    walked = plans(most=100)
    assert len(walked) == 8
    assert all("Index Scan using embeddings_m1_hnsw" in plan for plan in walked)
    compared = plans(most=10_000)
    assert len(compared) == 8
    assert not any("hnsw" in plan for plan in compared)


def test_a_vector_of_another_length_never_enters_the_storage_of_a_model(collection):
    with psycopg.connect(collection.dsn) as connection:
        register_vector(connection)
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(
                query("insert_vector"), {"model": 1, "key": bytes(32), "embedding": np.zeros(3, dtype=np.float32)}
            )


def row(child: str, parent: str, score: float, *, context_tokens: int = 100, tokens: int = 10) -> dict[str, Any]:
    """A child that is one letter of its parent's text; its siblings are all the letters."""
    start = 1000 + 100 * ord(parent[0])
    at = start + parent.index(child)
    return {
        "child_id": uuid5(NAMESPACE, child),
        "parent_id": uuid5(NAMESPACE, parent),
        "document_id": NAMESPACE,
        "uri": "a",
        "title": None,
        "source_url": None,
        "section_path": [],
        "pages": [],
        "first_line": None,
        "last_line": None,
        "text": child,
        "tokens": tokens,
        "start_offset": at,
        "end_offset": at + 1,
        "context": parent,
        "context_tokens": context_tokens,
        "context_start": start,
        "siblings": [[start + number, start + number + 1, tokens] for number in range(len(parent))],
        "score": score,
        "stale": False,
    }


def test_a_parent_stands_once_with_its_best_child():
    hits = [row("a", "pab", 0.9), row("b", "pab", 0.8), row("c", "qc", 0.7), row("d", "rd", 0.6)]
    found = searching._within(hits, 2, None)
    assert [(result.text, result.context) for result in found.results] == [("a", "pab"), ("c", "qc")]
    assert found.tokens == 200


def test_a_budget_takes_the_child_where_the_parent_is_too_long_and_nothing_where_both_are():
    hits = [row("a", "pa", 0.9), row("b", "qb", 0.8, tokens=30), row("c", "rc", 0.7, tokens=60), row("d", "sd", 0.6)]
    found = searching._within(hits, 10, 140)
    assert [result.context for result in found.results] == ["pa", "b", "d"]
    assert found.tokens == sum(result.tokens for result in found.results) == 140


def test_what_is_left_of_a_budget_goes_to_what_stands_around_the_children_best_first():
    hits = [row("d", "qbcdefg", 0.8), row("b", "sab", 0.6, tokens=20)]
    assert [result.context for result in searching._within(hits, 10, 60).results] == ["cdef", "b"]
    assert [result.context for result in searching._within(hits, 10, 59).results] == ["cde", "b"]
    assert [result.context for result in searching._within(hits, 10, 30).results] == ["d", "b"]
    assert [result.context for result in searching._within(hits, 1, 60).results] == ["bcdefg"]
    assert [result.context for result in searching._within(hits[1:], 10, 99).results] == ["sab"]
    assert searching._within(hits, 10, 59).tokens == 50


def test_a_child_that_another_window_shows_is_no_result_of_its_own():
    window, inside, beside = row("b", "abc", 0.9), row("c", "bcd", 0.8), row("d", "cde", 0.7)
    for number, hit in enumerate((window, inside, beside)):
        hit |= {"context_start": number, "start_offset": number + 1, "end_offset": number + 2}
    assert [hit.context for hit in searching._within([window, inside, beside], 10, None).results] == ["abc", "cde"]


def test_a_question_is_answered_within_its_budget_and_limit(site):
    for number in range(6):
        said = " ".join(f"Boat {number} leaves quay {quay} at nine." for quay in range(12))
        site.write(f"{number}.md", f"# Boat {number}\n\n{said}")
    site.sync()
    whole = searching.search(site.config, site.dsn, site.name, "When does boat 3 leave?", limit=4)
    assert len(whole.results) == 4
    assert whole.results[0].uri == "3.md"
    half = searching.search(site.config, site.dsn, site.name, "When does boat 3 leave?", budget=whole.tokens // 2)
    assert 0 < half.tokens <= whole.tokens // 2
    assert half.results[0] == whole.results[0]


def test_a_corpus_that_was_never_synced_says_so(site):
    with pytest.raises(ConfigError, match="has not been synced yet"):
        searching.search(site.config, site.dsn, site.name, "When?")
