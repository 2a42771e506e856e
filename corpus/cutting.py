"""Bytes → parents and children: what `kerf cut` shows and a sync stages, without a database."""

from __future__ import annotations

import atexit
import os
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from chunkers.chunk import Child, Parent
from chunkers.document import Document
from chunkers.identity import document_id
from chunkers.router import Route
from corpus.config import Corpus
from corpus.errors import LimitExceeded
from corpus.parsers.sandbox import Sandbox
from corpus.recipes import Recipes
from corpus.sources import MEGABYTE


@dataclass(frozen=True, slots=True)
class CutDocument:
    """What `cut` gives."""

    document: Document
    parents: tuple[Parent, ...]
    children: tuple[Child, ...]
    route: Route
    warnings: tuple[str, ...]


def default_corpus() -> Corpus:
    """The rules that hold where no configuration is named: everything routed, the model in the box."""
    return Corpus.model_validate({"name": "default", "source": {"path": "."}})


def cut(data: bytes, *, uri: str, recipe: str | None = None, corpus: Corpus | None = None) -> CutDocument:
    """Parse and cut one document, touching no database.

    Without `corpus` the default rules hold, with the ruler of the model in the box. The parser runs in a sandbox
    process that stays warm for the next call. Raises `DocumentError` for a document that cannot be processed and
    `ConfigError` for a recipe that does not exist.
    """
    corpus = corpus or default_corpus()
    limits = corpus.limits
    if len(data) > limits.megabytes * MEGABYTE:
        raise LimitExceeded(
            f"the document is larger than the {limits.megabytes:g} MB that the corpus allows",
            hint="raise limits.megabytes, or split the file",
            uri=uri,
            stage="parse",
        )
    with _one_at_a_time:
        document = _sandbox(os.getpid(), limits.seconds, limits.memory_mb, limits.pages).parse(data, uri)
    return cut_document(document, uri=uri, recipe=recipe, corpus=corpus)


_one_at_a_time = Lock()


@lru_cache(maxsize=1)
def _sandbox(_process: int, seconds: float, memory_mb: int, pages: int) -> Sandbox:
    """One for each process: a fork must not share its parent's pipes."""
    made = Sandbox(seconds=seconds, memory_mb=memory_mb, pages=pages)
    atexit.register(made.close)
    return made


def cut_document(document: Document, *, uri: str, recipe: str | None = None, corpus: Corpus) -> CutDocument:
    """Cut a parsed document as a corpus would."""
    recipes = Recipes.of(corpus)
    route = recipes.route(document, uri, recipe=recipe)
    made = recipes.cut(document_id(corpus.name, uri), document, route, uri)
    return CutDocument(document, made.parents, made.children, route, (*document.warnings, *made.warnings))
