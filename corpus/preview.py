"""What a sync would do, changing nothing: to a whole corpus, or to one document of it.

All that is kept meanwhile lies in temporary tables of the connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from corpus.config import Config, Corpus
from corpus.document_preview import preview_document
from corpus.embedding import embedder
from corpus.errors import KerfError
from corpus.estimating import Work, seconds
from corpus.outcome import COUNTED_AS
from corpus.planner import check, decided, model_row, warn
from corpus.planning import Action, Stage
from corpus.preparing import Preparer, parsers_of
from corpus.records import Item, Reprocess
from corpus.recut import as_first_cut
from corpus.sources import Source, open_source
from corpus.store import Store
from corpus.wanted import Wanted, asks, costs, wanted_by

_NO_CUT = (Stage.EMBED, Stage.METADATA, Stage.PERMISSIONS)


@dataclass(slots=True)
class _Found:
    """What is counted on the way."""

    inserted: int = 0  #: children
    deleted: int = 0
    read: int = 0  #: documents
    bytes: int = 0  #: of them
    cut: int = 0  #: documents that need not be read
    published: int = 0


def preview(
    config: Config,
    dsn: str,
    corpus: str,
    *,
    quick: bool = False,
    window: tuple[datetime, datetime] | None = None,
    reprocess: Reprocess | None = None,
    document: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """What a sync would do, changing nothing; `quick` parses nothing and knows of documents only.

    With `window` what a backfill, with `reprocess` what a reprocess would do. With `document`, an address, what becomes
    of that document and of its children; raises `ConfigError` if neither the source nor the ledger knows it.
    """
    check(config.corpus(corpus))
    with Store(dsn) as store:
        settings = as_first_cut(store, config.corpus(corpus))
        check(settings)
        warn(settings)
        source = open_source(settings, config.home)
        model = store.find_model(model_row(embedder(settings.embedding)))
        plan = decided(store, settings, source, window=window, reprocess=reprocess, model=model)
        if document is not None:
            return preview_document(store, settings, source, model, document, reprocess)
        found: dict[str, Any] = {
            "documents": dict(plan.documents),
            "changes": plan.changes,
            "vanished": list(plan.vanished),
        }
        if quick:
            return found
        return found | _costs(store, settings, source, model, found["documents"], progress or (lambda _: None))


def _costs(
    store: Store,
    settings: Corpus,
    source: Source,
    model: int | None,
    documents: dict[str, int],
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Children, texts, tokens, price and time; what would go to quarantine is counted as such in `documents`."""
    found = _Found()
    store.keep_wanted(_wanted(store, settings, source, found, documents, progress))
    store.keep_published(settings.name, model)
    texts, gone = store.count_wanted(settings.name, model), store.would_go()
    work = Work(found.read, found.bytes, found.cut, texts["tokens"], found.published + gone["documents"])
    children = {
        "insert": found.inserted,
        "keep": store.alive(settings.name)["children"] - found.deleted - gone["children"],
        "delete": found.deleted,
    }
    return {
        "children": children,
        **costs(settings, texts),
        "seconds": seconds(work, store.rated_stages(settings.name)),
        "asks": asks(settings, texts),
    }


def _wanted(
    store: Store,
    settings: Corpus,
    source: Source,
    found: _Found,
    documents: dict[str, int],
    progress: Callable[[str], None],
) -> Iterator[Wanted]:
    """Prepare in memory, one document after the other: count, and yield what each wants."""
    items = (item for item in store.planned() if item.batch is not None)
    with parsers_of(settings) as sandbox:
        for item, change in Preparer(settings, source, store, sandbox).preview(items):
            progress(item.uri)
            _weigh(item, found)
            if isinstance(change, KerfError):
                documents[COUNTED_AS[Action(item.action)]] -= 1
                documents["quarantined"] += 1
                continue
            found.published += 1
            found.inserted += change.inserted
            found.deleted += change.deleted
            yield from wanted_by(item, change.staged)


def _weigh(item: Item, found: _Found) -> None:
    if item.stage == Stage.PARSE:
        found.read += 1
        found.bytes += item.size or 0
    elif item.stage not in _NO_CUT:
        found.cut += 1
