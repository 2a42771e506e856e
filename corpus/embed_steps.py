"""The steps of a sync that embed: which texts, whether somebody is asked first, and their vectors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from corpus import leases
from corpus.config import Config, Corpus
from corpus.embedding import Embedder, Text, embedder, vectors_of
from corpus.errors import NeedsApproval, RunFailed
from corpus.planner import model_row
from corpus.records import Run
from corpus.spending import Spending, because, how_to_go_on, weigh
from corpus.store import Store
from corpus.working import holding, timed

log = logging.getLogger(__name__)

_NOT_COUNTED = "what a changed configuration wants embedded has not been counted yet"


@dataclass(frozen=True, slots=True)
class TextBatch:
    """One mapped task of `embed`."""

    number: int
    label: str
    texts: int
    guarded: bool = False  #: all of them are wanted for no other reason than a changed configuration


def plan_embeddings(config: Config, dsn: str, run_id: int) -> list[TextBatch]:
    """Find the texts of a run that have no vector, over all its documents, in batches of like length.

    The texts of published documents count too: another model may be about to take over the corpus, or have taken over
    while an older run published for the one before it.
    """
    with Store(dsn) as store, leases.at_work(dsn, run_id), timed(store, run_id, "embed"):
        run = store.run(run_id)
        settings = config.corpus(run.corpus)
        store.plan_texts(run, task_texts=settings.embedding.task_texts)
        _count_spending(store, run, settings)
        return [
            TextBatch(
                row["number"],
                f"{row['number']:03d} {row['texts']} texts, {row['tokens']} tokens",
                row["texts"],
                row["guarded"],
            )
            for row in store.text_batches(run_id)
        ]


def _count_spending(store: Store, run: Run, settings: Corpus) -> None:
    """Write down what a changed configuration alone is about to have embedded."""
    found = store.guarded(run)
    model = (found["before"], settings.embedding.model) if found["before"] else None
    said = because(model, found["stages"])
    counted = weigh(settings, tokens=found["tokens"], documents=found["documents"], whole=found["whole"], because=said)
    store.write_spending(run.id, asdict(counted))
    log.info("%s: %s", run.corpus, counted.said)


def spending(config: Config, dsn: str, run_id: int) -> Spending:
    """What a changed configuration alone would have a run embed, as `plan_embeddings` counted it.

    It asks no more once somebody has said yes.
    """
    with Store(dsn) as store:
        run = store.run(run_id)
    if run.row["spending"] is None:
        counted = weigh(config.corpus(run.corpus), tokens=0, documents=0, whole=0, because="")
        return replace(counted, said=_NOT_COUNTED)
    counted = Spending(**run.row["spending"])
    return replace(counted, asks=counted.asks and not run.row["approved_by"])


def approve(config: Config, dsn: str, run_id: int, by: str) -> None:  # noqa: ARG001 - as every step
    """Keep whose word it is that a run may embed what a changed configuration alone wants."""
    with Store(dsn) as store:
        store.run(run_id)
        store.approve(run_id, by)


def embed(
    config: Config, dsn: str, run_id: int, batch: int, *, progress: Callable[[str], None] | None = None
) -> dict[str, int]:
    """Fill the vectors that a batch of texts lacks; each part is stored as soon as it is computed.

    Raises `NeedsApproval`, before anything is embedded, if the batch is wanted for a changed configuration alone, that
    is more than the corpus lets pass, and nobody has said that it may be.
    """
    embedded = 0
    with Store(dsn) as store, holding(dsn, store, run_id, "embed", batch):
        run = store.run(run_id)
        corpus = config.corpus(run.corpus)
        settings = corpus.embedding
        found = store.batch_texts(run, batch)
        counted = run.row["spending"] or {"asks": True, "said": _NOT_COUNTED}
        if found.guarded and counted["asks"] and not run.row["approved_by"]:
            raise NeedsApproval(f"{run.corpus}: {counted['said']}", hint=how_to_go_on(corpus), stage="embed")
        if found.texts:
            model = embedder(settings)
            if store.find_model(model_row(model)) != run.model_id:
                raise RunFailed(
                    f"run {run.id} was planned for another embedding model than {model.name}, which is configured now",
                    hint="start the sync again",
                    stage="embed",
                )
            for at in range(0, len(found.texts), settings.batch_texts):
                part = found.texts[at : at + settings.batch_texts]
                missing = store.missing_keys(run.model_id, [key for text in part for key in text.keys])
                # this batch may have been begun before, and another run may have come upon the same texts
                part = [text for text in part if text.key in found.again or not missing.isdisjoint(text.keys)]
                part = _readable(run, model, part)
                if not part:
                    continue
                tokens = sum(text.tokens for text in part)
                price = tokens * settings.price_per_million_tokens / 1_000_000
                vectors = vectors_of(model, part)
                again = [text for text in part if text.key in found.again]
                store.store_vectors(run, batch, vectors, texts=len(part), tokens=tokens, price=price, again=again)
                embedded += len(part)
                if progress:
                    progress(f"{embedded} of {len(found.texts)} texts")
    return {"embedded": embedded}


def _readable(run: Run, model: Embedder, texts: list[Text]) -> list[Text]:
    """Those that the model can read.

    Longer ones are of documents that this run does not cut: their newer bytes are in quarantine, or a run for another
    model has published them since the plan was made.
    """
    counts = model.ruler.count([text.text for text in texts])
    room = model.ruler.cap - model.ruler.overhead
    found = [text for text, tokens in zip(texts, counts, strict=True) if tokens <= room]
    if len(found) < len(texts):
        left = len(texts) - len(found)
        said = "%s: %d texts of what is served are longer than %s reads; they are cut anew as soon as they can be"
        log.warning(said, run.corpus, left, model.name)
    return found
