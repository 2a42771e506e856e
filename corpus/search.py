"""Question → hits → parents → context under a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql
from psycopg.rows import dict_row

from corpus.config import Config, Embedding
from corpus.database import connect
from corpus.embedding import Embedder, embedder
from corpus.errors import ConfigError, StoreUnavailable
from corpus.queries import query
from corpus.recipes import PUBLIC

EXACT = 20_000  #: permitted children up to which all are compared; more go through the index
OVERSAMPLE = 4  #: hits fetched for each result wanted: several children of one parent make one result

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A hit with the text around it. Results have different parents; of a parent's children the best one stands."""

    child_id: UUID
    parent_id: UUID
    document_id: UUID
    uri: str
    title: str | None
    source_url: str | None
    section_path: tuple[str, ...]
    pages: tuple[int, ...]
    lines: tuple[int, int] | None
    score: float  #: cosine similarity of question and child, 1 is the same direction
    text: str  #: the child's
    context: str  #: the parent's text, or as much of it around the child as the budget has room for
    tokens: int  #: of the context
    stale: bool  #: newer bytes of the document are in quarantine: this is not what the source has


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gives, best first."""

    results: tuple[Result, ...]
    tokens: int  #: of all contexts


def search(
    config: Config,
    dsn: str,
    corpus: str,
    question: str,
    *,
    principals: Sequence[str] = (PUBLIC,),
    budget: int | None = None,
    limit: int = 10,
) -> Found:
    """The `limit` sections that answer best among those that one of `principals` may see.

    `budget` bounds the tokens of all contexts together. Raises `ConfigError` for a corpus that does not exist, was
    never synced, or answers with a model that is not there any more.
    """
    settings = config.corpus(corpus)
    try:
        with connect(dsn, role="kerf_reader") as connection, connection.cursor(row_factory=dict_row) as cursor:
            # What is found and what is then shown of it are of one moment: neither half published nor forbidden since.
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            state = _state(cursor, corpus, principals)
            connection.commit()  # a model may take seconds to load
            model = _asked(settings.embedding, state)
            hits = _hits(cursor, corpus, principals, state, model.embed_query(question), limit * OVERSAMPLE)
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreUnavailable(f"the database gave up: {' '.join(str(error).split())}", stage="search") from error
    return _within(hits, limit, budget)


def _state(cursor: psycopg.Cursor[Row], corpus: str, principals: Sequence[str]) -> Row:
    found = cursor.execute(query("search_corpus"), {"corpus": corpus, "principals": list(principals)}).fetchone()
    if found is None or found["model_id"] is None:
        raise ConfigError(f"corpus {corpus} has not been synced yet", hint=f"kerf sync {corpus}")
    return found


def _asked(settings: Embedding, state: Row) -> Embedder:
    """The model that the corpus answers with: the configured one, or the one before it while no sync has switched."""
    for candidate in (settings, Embedding(model=state["name"])):
        model = embedder(candidate)
        if model.fingerprint == state["fingerprint"]:
            return model
    raise ConfigError(
        f"the corpus answers with the model {state['name']}, which is not there any more as it was",
        hint="sync the corpus: it fills the vectors of the configured model and switches to it",
    )


def _hits(
    cursor: psycopg.Cursor[Row],
    corpus: str,
    principals: Sequence[str],
    state: Row,
    vector: NDArray[np.float32],
    limit: int,
) -> list[Row]:
    """The nearest children with their documents and parents, best first."""
    kind: LiteralString = "vector" if state["dimensions"] <= 2000 else "halfvec"
    cast_to = sql.SQL(kind + "({})").format(sql.Literal(state["dimensions"]))
    few = state["children"] <= EXACT or state["dimensions"] > 4000
    if not few:
        cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
        cursor.execute(sql.SQL("SET LOCAL hnsw.ef_search = {}").format(sql.Literal(min(1000, max(100, limit)))))
    statement = sql.SQL(query("search_exact" if few else "search_index")).format(cast=cast_to)
    values = {
        "corpus": corpus,
        "principals": list(principals),
        "model": state["model_id"],
        "vector": vector,
        "limit": limit,
    }
    # prepare=False: a generic plan kept from earlier executions would ignore the settings above
    nearest = cursor.execute(statement, values, prepare=False).fetchall()
    scores = {row["child_id"]: float(row["score"]) for row in nearest}
    rows = cursor.execute(query("hits"), {"ids": list(scores)}).fetchall()
    for row in rows:
        row["score"] = scores[row["child_id"]]
    return sorted(rows, key=lambda row: (-row["score"], row["child_id"]))


def _within(hits: Sequence[Row], limit: int, budget: int | None) -> Found:
    """One result for each parent while the budget lasts, and none for a child that a context shows already.

    The parent where it fits, else the child; what is left of the budget then goes to what stands around such children,
    best first.
    """
    chosen: list[tuple[Row, str, int]] = []  #: with the context and its tokens
    seen: set[UUID] = set()
    shown: dict[UUID, list[tuple[int, int]]] = {}
    left = budget
    for row in hits:
        if len(chosen) == limit:
            break
        place = _place(row)
        spans = shown.setdefault(row["document_id"], [])
        if row["parent_id"] in seen or any(start <= place[0] and place[1] <= end for start, end in spans):
            continue
        start, context, tokens = row["context_start"], row["context"], row["context_tokens"]
        if left is not None and tokens > left:
            start, context, tokens = row["start_offset"], row["text"], row["tokens"]
            if tokens > left:
                continue
        seen.add(row["parent_id"])
        spans.append((start, start + len(context)))
        left = None if left is None else left - tokens
        chosen.append((row, context, tokens))
    results = []
    for row, context, tokens in chosen:
        if left is not None and len(context) < len(row["context"]):
            start, end, more = _widest(row["siblings"], _place(row), tokens + left)
            context = row["context"][start - row["context_start"] : end - row["context_start"]]
            left, tokens = left - more + tokens, more
        results.append(_result(row, context, tokens))
    return Found(tuple(results), sum(result.tokens for result in results))


def _place(row: Row) -> tuple[int, int]:
    return row["start_offset"], row["end_offset"]


def _widest(siblings: Sequence[Sequence[int]], place: tuple[int, int], budget: int) -> tuple[int, int, int]:
    """Start, end and tokens of the child at `place` with as many of its siblings around it as the budget has room for.

    `siblings` are start, end and tokens of all children of a parent, in order; those that follow are taken first. The
    tokens are those of the children, each with its header: at least what the text between them has.
    """
    first = last = next(at for at, sibling in enumerate(siblings) if (sibling[0], sibling[1]) == place)
    tokens = siblings[first][2]
    grown = True
    while grown:
        grown = False
        for at in (last + 1, first - 1):
            if 0 <= at < len(siblings) and tokens + siblings[at][2] <= budget:
                tokens += siblings[at][2]
                first, last = min(first, at), max(last, at)
                grown = True
    return siblings[first][0], siblings[last][1], tokens


def _result(row: Row, context: str, tokens: int) -> Result:
    return Result(
        child_id=row["child_id"],
        parent_id=row["parent_id"],
        document_id=row["document_id"],
        uri=row["uri"],
        title=row["title"],
        source_url=row["source_url"],
        section_path=tuple(row["section_path"]),
        pages=tuple(row["pages"]),
        lines=(row["first_line"], row["last_line"]) if row["first_line"] is not None else None,
        score=row["score"],
        text=row["text"],
        context=context,
        tokens=tokens,
        stale=row["stale"],
    )
