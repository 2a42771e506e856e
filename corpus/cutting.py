"""Bytes → parents and children: what `kerf cut` shows and a sync stages, without a database."""

from __future__ import annotations

import atexit
from dataclasses import dataclass
from threading import Lock

from chunkers.chunk import Child, Parent
from chunkers.document import Document
from chunkers.identity import document_id
from chunkers.router import Route
from corpus.config import Corpus
from corpus.errors import LimitExceeded
from corpus.parsers import Settings
from corpus.parsers.sandbox.pool import Sandbox
from corpus.recipes import Recipes, accepted, parse_settings
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
    `ConfigError` for a recipe that does not exist and for settings with which no document could be cut.
    """
    corpus = corpus or default_corpus()
    Recipes.of(corpus).check()
    limits = corpus.limits
    if len(data) > limits.megabytes * MEGABYTE:
        raise LimitExceeded(
            f"the document is larger than the {limits.megabytes:g} MB that the corpus allows",
            hint="raise limits.megabytes, or split the file",
            uri=uri,
            stage="parse",
        )
    with _one_at_a_time:
        document = _sandbox(limits.seconds, limits.memory_mb, parse_settings(corpus)).parse(data, uri)
    return cut_document(accepted(corpus, document, uri), uri=uri, recipe=recipe, corpus=corpus)


_one_at_a_time = Lock()
_warm: dict[tuple[float, int, Settings], Sandbox] = {}  #: the sandbox of the last call, by what it was made with


def _sandbox(seconds: float, memory_mb: int, settings: Settings) -> Sandbox:
    made_with = (seconds, memory_mb, settings)
    if made_with not in _warm:
        _close()
        _warm[made_with] = Sandbox(seconds=seconds, memory_mb=memory_mb, settings=settings)
    return _warm[made_with]


@atexit.register
def _close() -> None:
    while _warm:
        _warm.popitem()[1].close()


def cut_document(document: Document, *, uri: str, recipe: str | None = None, corpus: Corpus) -> CutDocument:
    """Cut a parsed document as a corpus would."""
    recipes = Recipes.of(corpus)
    route = recipes.route(document, uri, recipe=recipe)
    made, _ = recipes.cut(document_id(corpus.name, uri), document, route, uri)
    return CutDocument(document, made.parents, made.children, route, (*document.warnings, *made.warnings))
