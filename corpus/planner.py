"""A run's plan: list the source, hold the listing against the ledger, say what is to be done."""

from __future__ import annotations

import logging
import time
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from chunkers.identity import document_id
from corpus import planning
from corpus.batches import Load, batches
from corpus.config import Corpus
from corpus.embedding import Embedder
from corpus.planning import Action, Decision
from corpus.preparing import read_hashes
from corpus.recipes import Recipes
from corpus.records import Item
from corpus.sources import MEGABYTE, Source
from corpus.store import Store

log = logging.getLogger(__name__)

_NO_WORK = (Action.UNCHANGED, Action.QUARANTINED)


def check(settings: Corpus) -> None:
    """Raise what would fail on every document, and say once what is likely not meant."""
    recipes = Recipes.of(settings)
    recipes.check()
    for said in recipes.warnings():
        log.warning("%s", said)


def model_row(model: Embedder) -> dict[str, Any]:
    """What the ledger knows of a model."""
    return {
        "fingerprint": model.fingerprint,
        "name": model.name,
        "dimensions": model.dimensions,
        "max_tokens": model.ruler.cap,
    }


def decide(
    settings: Corpus,
    source: Source,
    store: Store,
    *,
    window: tuple[datetime, datetime] | None = None,
    listing_sequence: int | None = None,
) -> Decision:
    """List a source, and say what becomes of each document."""
    listed_at = time.time_ns()
    listing = list(source.list())
    known = store.known(settings.name, listing_sequence)
    if window is not None:
        listing, known = planning.within(listing, known, window)
    hashes = read_hashes(source, planning.to_read(listing, known))
    # A file that went away between being listed and being read: the next listing tells whether it is gone.
    listing = [entry for entry in listing if entry.uri not in hashes.vanished]
    known = {uri: row for uri, row in known.items() if uri not in hashes.vanished}
    recipes = Recipes.of(settings)
    return planning.decide(listing, known, hashes.found, recipes.expected, listed_at_ns=listed_at)


def items_of(settings: Corpus, decision: Decision) -> list[Item]:
    """The rows of a run: all but the documents that need nothing."""
    work = [item for item in decision.items if item.action not in _NO_WORK or item.stage is not None]
    loads = [
        Load(item.uri, item.listed.size, PurePosixPath(item.uri).suffix.lower())
        for item in work
        if item.listed is not None and item.stage is not None and item.action is not Action.QUARANTINED
    ]
    limits = settings.batches
    tasks = batches(loads, documents=limits.documents, size=int(limits.megabytes * MEGABYTE))
    numbers = {load.uri: number for number, batch in enumerate(tasks) for load in batch}
    recipes = Recipes.of(settings)
    return [_item(settings, recipes, item, numbers.get(item.uri)) for item in work]


def _item(settings: Corpus, recipes: Recipes, item: planning.Item, batch: int | None) -> Item:
    listed = item.listed
    stays = item.action is Action.QUARANTINED  # the last good version is served on, but under today's permissions
    return Item(
        document=document_id(settings.name, item.uri),
        uri=item.uri,
        action=item.action,
        stage=item.stage,
        batch=batch,
        size=listed.size if listed else None,
        mtime_ns=listed.mtime_ns if listed else None,
        etag=listed.etag if listed else None,
        trusted=item.trusted,
        moved_from=item.moved_from.document_id if item.moved_from else None,
        moved_to=document_id(settings.name, item.moved_to) if item.moved_to else None,
        content_hash=item.content_hash,
        parse_fingerprint=item.known.parse_fingerprint if item.known else None,
        permissions=recipes.permissions(item.uri) if stays else None,
    )
