"""What a change of the embedding model leaves alone: the models that a corpus is cut by; and what it cannot read."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from uuid import UUID

from corpus.config import Corpus, CutBy, Reader
from corpus.errors import ConfigError
from corpus.recipes import Recipes
from corpus.records import Run
from corpus.rulers import ruler
from corpus.store import Store

log = logging.getLogger(__name__)

_PART = 1000  #: keys that are asked for at a time


def as_first_cut(store: Store, corpus: Corpus, run: Run | None = None) -> Corpus:
    """The settings of a corpus, with the models that its first sync was cut by where the configuration names none.

    With `run`, whose plan is to be made, they are remembered if nothing was published yet. A model that cannot be
    loaded any more is the embedding model instead.
    """
    if run is not None:
        own = CutBy(ruler=corpus.reader, looks_through=corpus.reader)
        store.remember_cut_by(run, own.model_dump())
    remembered = store.cut_by(corpus.name)
    if remembered is None:
        return corpus
    found = CutBy.model_validate(remembered)
    return corpus.cut_by(
        CutBy(
            ruler=_there(corpus, found.ruler, named=corpus.cutting.ruler),
            looks_through=_there(corpus, found.looks_through, named=corpus.cutting.model),
        )
    )


def _there(corpus: Corpus, remembered: Reader, *, named: str | None) -> Reader:
    needed = named is None and remembered != corpus.reader
    if needed and not _can_be_loaded(corpus.name, remembered.model, remembered.prefix):
        return corpus.reader
    return remembered


@lru_cache(maxsize=64)
def _can_be_loaded(corpus: str, model: str, prefix: str) -> bool:
    """Whether a model is still there; asked, and said if it is not, once in a process."""
    try:
        ruler(model, prefix)
    except ConfigError as error:
        log.warning(
            "corpora.%s.cutting: the corpus was cut by %s, the embedding model of its first sync, which cannot be "
            "loaded any more (%s): it is cut by its embedding model now; put the old one back, or name a cutting.ruler",
            corpus,
            model,
            error.message,
        )
        return False
    return True


def too_long(store: Store, settings: Corpus, model: int | None) -> Iterator[UUID]:
    """The documents, in no order and each once, that have a published text which the embedding model cannot read.

    `model` is its id (None: it is not registered yet). Nothing if it is the corpus' active one, or reads all that the
    corpus' ruler allows: else each text that has no vector under it is measured, a few at a time.
    """
    reads = Recipes.of(settings).by_model
    active = store.active_model(settings.name)
    if reads is None or active is None or active["id"] == model:
        return
    keys: list[bytes] = []
    for rows in store.published_unread(settings.name, model):
        counts = reads.count([row["text"] for row in rows])
        keys += [row["key"] for row, tokens in zip(rows, counts, strict=True) if tokens + reads.overhead > reads.cap]
    found: set[UUID] = set()
    for at in range(0, len(keys), _PART):
        new = store.documents_with(settings.name, keys[at : at + _PART]) - found
        yield from new
        found |= new
