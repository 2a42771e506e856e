"""The steps of a sync, as DAGs and the command line call them.

Each step is a function of the configuration, the database and a run; between steps everything is in Postgres, so
that any of them can be killed at any instruction and started again::

    plan → prepare (each batch) → plan_embeddings → embed (each batch) → publish → settle
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from corpus import planning
from corpus.config import Config, Corpus
from corpus.cutting import CutDocument, cut
from corpus.embedding import embedder, vectors_of
from corpus.errors import KerfError, RunFailed, TransientError
from corpus.outcome import Counts, documents, summary, verdict
from corpus.parsers.sandbox.pool import Sandbox
from corpus.planner import check, decide, items_of, model_row
from corpus.preparing import Preparer, parsers_of
from corpus.preview import preview
from corpus.sources import MEGABYTE, open_source
from corpus.store import Store

__all__ = [
    "Batch",
    "CutDocument",
    "Planned",
    "TextBatch",
    "cut",
    "embed",
    "plan",
    "plan_embeddings",
    "prepare",
    "preview",
    "publish",
    "settle",
    "sync",
]

log = logging.getLogger(__name__)

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """One mapped task of `prepare`."""

    number: int
    label: str
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class TextBatch:
    """One mapped task of `embed`."""

    number: int
    label: str
    texts: int


@dataclass(frozen=True, slots=True)
class Planned:
    """A run that is about to start."""

    run_id: int
    batches: list[Batch]
    documents: Counts  #: by action


def plan(
    config: Config,
    dsn: str,
    corpus: str,
    *,
    key: str | None = None,
    window: tuple[datetime, datetime] | None = None,
    allow_mass_delete: bool = False,
) -> Planned:
    """List the source, hold it against the ledger, and write a run with its items.

    `key` is the outer run's id: planning again under the same key plans that run anew. With `window` only documents
    modified in [start, end) are looked at, whatever the ledger says of them, and nothing is deleted. Raises
    `SourceError` if the listing failed and `MassDeletion` if too much vanished; the run is then closed as failed.
    """
    settings = config.corpus(corpus)
    started = time.monotonic()
    check(settings)
    with Store(dsn) as store:
        model = embedder(settings.embedding)
        run = store.begin_run(corpus, model_row(model), key=key, interval=window)
        try:
            source = open_source(settings, config.home)
            decision = decide(settings, source, store, window=window, listing_sequence=run.listing_sequence)
            if window is None:
                guard = settings.deletion_guard
                alive = store.alive(corpus)["documents"]
                planning.guard(decision, alive, guard.share, guard.documents, allow_mass_delete)
            store.write_plan(run, items_of(settings, decision), decision.counts())
        except KerfError as error:
            store.fail_run(run, str(error))
            raise
        for uri, reason in source.skipped:
            log.warning("%s: skipped %s: %s", corpus, uri, reason)
        store.add_seconds(run.id, "plan", time.monotonic() - started)
        log.info("%s: run %d planned: %s", corpus, run.id, decision.counts())
        return Planned(run.id, _batches(store, run.id), decision.counts())


def prepare(config: Config, dsn: str, run_id: int, batch: int, *, progress: Progress | None = None) -> Counts:
    """Read, parse, route, cut and stage the documents of a batch that are not staged yet.

    A document that cannot be processed goes to quarantine and does not disturb the others. Raises `TransientError`,
    after the others are staged, if some could not be read now; calling again takes those only.
    """
    with Store(dsn) as store:
        settings = config.corpus(store.run(run_id).corpus)
    with parsers_of(settings) as sandbox:
        return _prepare(config, dsn, run_id, batch, sandbox, progress)


def _prepare(config: Config, dsn: str, run_id: int, batch: int, sandbox: Sandbox, progress: Progress | None) -> Counts:
    counts: Counts = {}
    failures: list[str] = []
    with Store(dsn) as store, _timed(store, run_id, "prepare"):
        run = store.run(run_id)
        settings = config.corpus(run.corpus)
        items = store.batch_items(run_id, batch)
        preparer = Preparer(settings, open_source(settings, config.home), store, sandbox)
        for done in preparer.prepare(run, items):
            if done.error:
                failures.append(f"{done.item.uri}: {done.error}")
                log.warning("%s: %s: %s", run.corpus, done.item.uri, done.error)
            counts[done.state] = counts.get(done.state, 0) + 1
            if progress:
                progress(done.item.uri)
    if failures:
        raise TransientError(
            f"{len(failures)} of {len(items)} documents could not be prepared now: {'; '.join(failures[:5])}",
            hint="the others are staged; the next try takes these only",
            stage="prepare",
        )
    return counts


def plan_embeddings(config: Config, dsn: str, run_id: int) -> list[TextBatch]:
    """Find the texts of a run that have no vector, over all its documents, in batches of like length.

    The texts of published documents count too: another model may be about to take over the corpus, or have taken over
    while an older run published for the one before it.
    """
    with Store(dsn) as store, _timed(store, run_id, "embed"):
        run = store.run(run_id)
        settings = config.corpus(run.corpus).embedding
        batches = store.plan_texts(run, batch_texts=settings.task_texts)
        return [
            TextBatch(row["number"], f"{row['number']:03d} {row['texts']} texts, {row['tokens']} tokens", row["texts"])
            for row in batches
        ]


def embed(config: Config, dsn: str, run_id: int, batch: int, *, progress: Progress | None = None) -> Counts:
    """Fill the vectors that a batch of texts lacks; each part is stored as soon as it is computed."""
    embedded = 0
    with Store(dsn) as store, _timed(store, run_id, "embed"):
        run = store.run(run_id)
        settings = config.corpus(run.corpus).embedding
        texts = store.batch_texts(run, batch)
        if texts:
            model = embedder(settings)
            for at in range(0, len(texts), settings.batch_texts):
                part = texts[at : at + settings.batch_texts]
                missing = store.missing_keys(run.model_id, [key for text in part for key in text.keys])
                # this batch may have been begun before, and another run may have come upon the same texts
                part = [text for text in part if not missing.isdisjoint(text.keys)]
                if not part:
                    continue
                tokens = sum(text.tokens for text in part)
                price = tokens * settings.price_per_million_tokens / 1_000_000
                vectors = vectors_of(model, part)
                store.store_vectors(run, batch, vectors, texts=len(part), tokens=tokens, price=price)
                embedded += len(part)
                if progress:
                    progress(f"{embedded} of {len(texts)} texts")
    return {"embedded": embedded}


def publish(config: Config, dsn: str, run_id: int) -> dict[str, Any]:
    """Publish every document that is ready, one transaction each; then tombstones and counters.

    Returns the summary of the run. A document whose vectors are not all there keeps its old version; and if another
    model is to take over, no new version is published before that model has a vector for everything.
    """
    with Store(dsn) as store:
        with _timed(store, run_id, "publish"):
            run = store.run(run_id)
            settings = config.corpus(run.corpus)
            if store.activate_model(run):
                for document in store.ready(run):
                    if store.publish(run, document) == "failed":
                        log.warning("%s: document %s could not be published", run.corpus, document)
            store.settle_unprepared(run)
        _close(store, run_id, settings)
        return summary(store.run(run_id))


def settle(config: Config, dsn: str, run_id: int) -> None:
    """Raise `RunFailed` if something in the run failed or too many documents did; what was ready is published."""
    with Store(dsn) as store:
        error = _close(store, run_id, config.corpus(store.run(run_id).corpus))
        if error:
            raise RunFailed(error, hint="start the run again: it takes up what is missing", stage="settle")


def sync(
    config: Config, dsn: str, corpus: str, *, allow_mass_delete: bool = False, progress: Progress | None = None
) -> dict[str, Any]:
    """All steps in this process; returns the summary of the run, and raises as `settle` does."""
    say = progress or (lambda _: None)
    planned = plan(config, dsn, corpus, allow_mass_delete=allow_mass_delete)
    failure: KerfError | None = None
    with parsers_of(config.corpus(corpus)) as sandbox:
        for batch in planned.batches:
            say(f"prepare {batch.label}")
            try:
                _prepare(config, dsn, planned.run_id, batch.number, sandbox, lambda uri: say(f"prepare {uri}"))
            except TransientError as error:
                failure = error
                log.warning("%s", error)
    for texts in plan_embeddings(config, dsn, planned.run_id):
        embed(config, dsn, planned.run_id, texts.number, progress=lambda done: say(f"embed {done}"))
    say("publish")
    done = publish(config, dsn, planned.run_id)
    try:
        settle(config, dsn, planned.run_id)
    except RunFailed as error:
        raise error from failure
    return done


def _close(store: Store, run_id: int, settings: Corpus) -> str | None:
    """Write down how a run ended, as its items say; returns what is wrong with it."""
    run = store.run(run_id)
    state, error = verdict(store, run, settings)
    written = run.row["children"]
    kept = max(0, store.alive(run.corpus)["children"] - written["inserted"] - written["moved"])
    store.finish_run(run_id, state, documents(store, run), kept, error)
    return error


@contextmanager
def _timed(store: Store, run: int, stage: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    store.add_seconds(run, stage, time.monotonic() - started)


def _batches(store: Store, run: int) -> list[Batch]:
    return [
        Batch(
            row["number"],
            f"{row['number']:03d} {row['documents']} documents, {row['bytes'] / MEGABYTE:.1f} MB",
            row["documents"],
            row["bytes"],
        )
        for row in store.batches(run)
    ]
