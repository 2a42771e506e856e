"""The steps of a sync, as DAGs and the command line call them.

Each step is a function of the configuration, the database and a run; between steps everything is in Postgres, so
that any of them can be killed at any instruction and started again::

    plan → prepare (each batch) → plan_embeddings → embed (each batch) → publish → settle
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from corpus import leases
from corpus.config import Config, Corpus
from corpus.cutting import CutDocument, cut
from corpus.embed_steps import TextBatch, approve, embed, plan_embeddings, spending
from corpus.embedding import embedder
from corpus.errors import KerfError, NeedsApproval, RunFailed, TransientError
from corpus.outcome import Counts, documents, summary, verdict
from corpus.parsers.sandbox.pool import Sandbox
from corpus.planner import check, decided, guard, model_row, warn
from corpus.preparing import Preparer, parsers_of
from corpus.preview import preview
from corpus.records import Reprocess, Run
from corpus.recut import as_first_cut
from corpus.sources import MEGABYTE, open_source
from corpus.spending import Spending
from corpus.store import Store
from corpus.working import holding, timed

__all__ = [
    "Batch",
    "CutDocument",
    "Planned",
    "Spending",
    "TextBatch",
    "approve",
    "cut",
    "embed",
    "plan",
    "plan_embeddings",
    "prepare",
    "preview",
    "publish",
    "settle",
    "spending",
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
class Planned:
    """A run that is about to start."""

    run_id: int
    batches: list[Batch]
    documents: Counts  #: by action
    changes: Counts  #: by why there is something to do with them


def plan(
    config: Config,
    dsn: str,
    corpus: str,
    *,
    key: str | None = None,
    window: tuple[datetime, datetime] | None = None,
    allow_mass_delete: bool = False,
    reprocess: Reprocess | None = None,
) -> Planned:
    """List the source, hold it against the ledger, and write a run with its items.

    `key` is the outer run's id: planning again under the same key plans that run anew. With `window` only documents
    of [start, end) are looked at, whatever the ledger says of them: those modified in it, or those that lie in one of
    its partitions where the source has any. With `reprocess` only those of the ledger that match. Neither deletes
    anything. Raises `SourceError` if the listing failed and `MassDeletion` if too much vanished; the run is then closed
    as failed.
    """
    settings = config.corpus(corpus)
    started = time.monotonic()
    check(settings)
    with Store(dsn) as store, ExitStack() as work:
        model = embedder(settings.embedding)
        run = store.begin_run(corpus, model_row(model), key=key, interval=window, reprocess=reprocess)
        work.enter_context(leases.at_work(dsn, run.id))
        try:
            settings = _settings(config, store, corpus, run)
            check(settings)
            warn(settings)
            source = open_source(settings, config.home)
            sequence, by = run.listing_sequence, run.model_id
            found = decided(
                store, settings, source, window=window, reprocess=reprocess, listing_sequence=sequence, model=by
            )
            guard(store, settings, source, found, allow_mass_delete=allow_mass_delete)
            store.write_plan(run, found.documents, found.changes)
        except KerfError as error:
            store.fail_run(run, str(error))
            raise
        if window is None and reprocess is None:
            store.set_source(run, source.place)
        store.mark_current(found.settings)
        for uri, reason in source.skipped:
            log.warning("%s: skipped %s: %s", corpus, uri, reason)
        if source.left_out > len(source.skipped):
            log.warning("%s: skipped %d more", corpus, source.left_out - len(source.skipped))
        took = time.monotonic() - started
        store.add_stage(run.id, "plan", documents=found.listed, bytes=found.bytes_read, seconds=took)
        log.info("%s: run %d planned: %s", corpus, run.id, found.documents)
        return Planned(run.id, _batches(store, run.id), found.documents, found.changes)


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
    with Store(dsn) as store, holding(dsn, store, run_id, "prepare", batch):
        run = store.run(run_id)
        settings = _settings(config, store, run.corpus)
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


def publish(config: Config, dsn: str, run_id: int) -> dict[str, Any]:
    """Publish every document that is ready, one transaction each; then tombstones and counters.

    Returns the summary of the run. A document whose vectors are not all there keeps its old version; and if another
    model is to take over, no new version is published before that model has a vector for everything. Any number of
    processes may publish a run at once, and again: none does what another has done, and a run that ended well stays
    as it ended.
    """
    with Store(dsn) as store:
        run = store.run(run_id)
        if run.state == "succeeded":
            return summary(run)
        with leases.at_work(dsn, run_id), timed(store, run_id, "publish"):
            if store.activate_model(run):
                for document in store.ready(run):
                    if store.publish(run, document) == "failed":
                        log.warning("%s: document %s could not be published", run.corpus, document)
            store.settle_unprepared(run)
        _close(store, run_id, config.corpus(run.corpus))
        return summary(store.run(run_id))


def settle(config: Config, dsn: str, run_id: int) -> None:
    """Raise `RunFailed` if something in the run failed or too many documents did; what was ready is published.

    Also deletes what the corpus' history holds from before its retention.
    """
    with Store(dsn) as store:
        settings = config.corpus(store.run(run_id).corpus)
        error = _close(store, run_id, settings)
        store.forget_past(settings.name, settings.history.days)
        if error:
            raise RunFailed(error, hint="start the run again: it takes up what is missing", stage="settle")


def sync(
    config: Config,
    dsn: str,
    corpus: str,
    *,
    allow_mass_delete: bool = False,
    yes: bool = False,
    reprocess: Reprocess | None = None,
    window: tuple[datetime, datetime] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All steps in this process; returns the summary of the run, and raises as `settle` does.

    `yes` is the operator's word for what a changed configuration alone wants embedded; without it `NeedsApproval` is
    raised if the corpus lets not so much pass, after all else has been embedded and what is ready has been published.
    """
    say = progress or (lambda _: None)
    planned = plan(config, dsn, corpus, allow_mass_delete=allow_mass_delete, reprocess=reprocess, window=window)
    failure: KerfError | None = None
    with parsers_of(config.corpus(corpus)) as sandbox:
        for batch in planned.batches:
            say(f"prepare {batch.label}")
            try:
                _prepare(config, dsn, planned.run_id, batch.number, sandbox, lambda uri: say(f"prepare {uri}"))
            except TransientError as error:
                failure = error
                log.warning("%s", error)
    if yes:
        approve(config, dsn, planned.run_id, "--yes")
    batches = plan_embeddings(config, dsn, planned.run_id)
    waits: NeedsApproval | None = None
    for texts in batches:
        try:
            embed(config, dsn, planned.run_id, texts.number, progress=lambda done: say(f"embed {done}"))
        except NeedsApproval as error:
            waits = error
    say("publish")
    done = publish(config, dsn, planned.run_id)
    try:
        settle(config, dsn, planned.run_id)
    except RunFailed as error:
        raise waits or error from failure
    return done


def _settings(config: Config, store: Store, corpus: str, run: Run | None = None) -> Corpus:
    """The settings of a corpus, with what it is cut by; see `corpus.recut.as_first_cut`."""
    return as_first_cut(store, config.corpus(corpus), run)


def _close(store: Store, run_id: int, settings: Corpus) -> str | None:
    """Write down how a run ended, as its items say; returns what is wrong with it. What ended well has ended."""
    run = store.run(run_id)
    if run.state == "succeeded":
        return None
    state, error = verdict(store, run, settings)
    written = run.row["children"]
    kept = max(0, store.alive(run.corpus)["children"] - written["inserted"] - written["moved"])
    store.finish_run(run, state, documents(store, run), kept, error)
    return error


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
