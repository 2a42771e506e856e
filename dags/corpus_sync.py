"""Keeps a corpus in step with its source, every night, at the cost of what changed.

`plan` lists the source and holds it against the ledger. `prepare` (one task for each batch of documents) reads, parses,
cuts and stages what is new. `plan_embeddings` and `embed` fill in the vectors that are missing. `publish` makes each
document's new version visible, in a transaction of its own. `settle` fails the run if a batch failed or too many
documents did, after everything that was ready has been published.

- **Nothing changed**: `prepare` and `embed` are skipped, the run succeeds and writes nothing but its own record.
- **A batch failed**: the others are published and the run fails. Clear the failed task *with downstream*: it goes on
  where it stopped. Clear `plan` to start anew.
- **Too many documents vanished**: `plan` fails and lists them; nothing is deleted. If that is right, trigger the DAG
  with *Allow mass deletion*.
- **Backfill** of an interval verifies the documents modified in it and deletes nothing.

Documents that cannot be parsed do not fail a run: see `kerf quarantine list`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import (
    DAG,
    Asset,
    BaseHook,
    CronDataIntervalTimetable,
    ExceptionRetryPolicy,
    Param,
    RetryAction,
    RetryRule,
    TriggerRule,
    get_current_context,
    task,
)
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowSkipException

from corpus.config import Config, Corpus, load
from corpus.errors import ConfigError, RunFailed

CONNECTION = "corpus_db"

# Trying again helps when the database or the network was away, when Airflow's own API did not answer, or when a task
# ran out of time (it goes on where it stopped). A process that was killed raises nothing, so it meets no rule: it is
# retried. The first delay is the deployment's [core] default_task_retry_delay; each later one is twice as long.
RETRY_TRANSIENT: dict[str, Any] = {
    "owner": "kerf",
    "retries": 3,
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=30),
    "retry_policy": ExceptionRetryPolicy(
        rules=[
            RetryRule(
                exception=[
                    "corpus.errors.TransientError",
                    "airflow.sdk.exceptions.AirflowRuntimeError",
                    "airflow.sdk.exceptions.AirflowTaskTimeout",
                ],
                action=RetryAction.RETRY,
                reason="may succeed later",
            ),
        ],
        default=RetryAction.FAIL,
    ),
}


def configuration() -> Config:
    """The corpora of this deployment; a fault in the file is this DAG file's import error, in the one line it needs."""
    try:
        return load()
    except ConfigError as error:
        raise error.with_traceback(None) from None


CONFIG = configuration()


@task(execution_timeout=timedelta(hours=1))
def plan(corpus: str) -> list[dict[str, Any]]:
    """Plan the run; the batches to prepare."""
    from corpus import pipeline

    context = get_current_context()
    planned = pipeline.plan(
        CONFIG,
        database(),
        corpus,
        key=context["dag_run"].run_id,
        window=backfill_window(context),
        allow_mass_delete=context["params"]["allow_mass_delete"],
    )
    check_mappable(len(planned.batches), setting=f"corpora.{corpus}.batches")
    context["ti"].xcom_push(key="run_id", value=planned.run_id)
    return [
        {"number": batch.number, "label": batch.label, "documents": batch.documents, "bytes": batch.bytes}
        for batch in planned.batches
    ]


@task(pool="parsing", execution_timeout=timedelta(hours=2), map_index_template="{{ label }}")
def prepare(batch: dict[str, Any]) -> dict[str, int]:
    """Read, parse, cut and stage the documents of one batch."""
    label(batch)
    from corpus import pipeline

    return pipeline.prepare(CONFIG, database(), planned_run(), batch["number"])


@task(trigger_rule=TriggerRule.ALL_DONE, execution_timeout=timedelta(hours=1))
def plan_embeddings(corpus: str) -> list[dict[str, Any]]:
    """The batches of texts that have no vector yet, of whatever could be prepared."""
    from corpus import pipeline

    batches = pipeline.plan_embeddings(CONFIG, database(), planned_run())
    check_mappable(len(batches), setting=f"corpora.{corpus}.embedding.task_texts")
    return [{"number": batch.number, "label": batch.label, "texts": batch.texts} for batch in batches]


@task(pool="embedding", queue="embedding", execution_timeout=timedelta(hours=2), map_index_template="{{ label }}")
def embed(batch: dict[str, Any]) -> dict[str, int]:
    """Embed one batch of texts; each vector is stored as soon as it is there."""
    label(batch)
    from corpus import pipeline

    return pipeline.embed(CONFIG, database(), planned_run(), batch["number"])


@task(trigger_rule=TriggerRule.ALL_DONE, execution_timeout=timedelta(hours=1))
def publish(asset: str) -> dict[str, Any]:
    """Make visible what is ready, whatever failed beside it; the counts of the run, also on the asset's event."""
    from corpus import pipeline

    counts: dict[str, Any] = pipeline.publish(CONFIG, database(), planned_run())
    counts.pop("error", None)  # its text is for the log of `settle` and for the ledger
    get_current_context()["outlet_events"][Asset(asset)].extra = counts
    return counts


@task(trigger_rule=TriggerRule.ALL_DONE, execution_timeout=timedelta(minutes=10))
def settle() -> None:
    """Fail if a batch failed or too many documents did."""
    from corpus import pipeline

    try:
        run = planned_run()
    except AirflowSkipException:
        raise RunFailed("the run was not planned, so nothing was done", hint="see the log of the task plan") from None
    pipeline.settle(CONFIG, database(), run)


def planned_run() -> int:
    """The ledger's number of this run; skips the task when planning failed."""
    run: int | None = get_current_context()["ti"].xcom_pull(task_ids="plan", key="run_id")
    if run is None:
        raise AirflowSkipException("the run was not planned")
    return run


def database() -> str:
    """The address of the corpus database: the connection `corpus_db`, or, where there is none, what `kerf` uses."""
    try:
        return BaseHook.get_connection(CONNECTION).get_uri()
    except AirflowNotFoundException:
        from corpus import database as default

        return default.dsn()


def backfill_window(context: Mapping[str, Any]) -> tuple[datetime, datetime] | None:
    """The interval [start, end) that a backfill run verifies; None for the other kinds of run.

    Runs by hand and runs after an asset may have no dates at all: then the keys are absent.
    """
    if context["dag_run"].run_type != "backfill":
        return None
    start, end = context.get("data_interval_start"), context.get("data_interval_end")
    return (start, end) if start and end else None


def label(batch: dict[str, Any]) -> None:
    """Name the mapped task in the UI, first thing, so that one that fails has its name too."""
    get_current_context()["label"] = batch["label"]  # type: ignore[typeddict-unknown-key]


def check_mappable(batches: int, *, setting: str) -> None:
    """Raise `ConfigError` when Airflow cannot map a task over so many batches."""
    most = conf.getint("core", "max_map_length")
    if batches > most:
        raise ConfigError(
            f"{batches} batches are more than the {most} that Airflow maps a task over",
            hint=f"raise {setting} in {CONFIG.path}",
        )


def corpus_sync(corpus: Corpus) -> DAG:
    """The nightly sync of one corpus."""
    asset = Asset(f"corpus/{corpus.name}")
    with DAG(
        dag_id=f"corpus_sync_{corpus.name}",
        schedule=CronDataIntervalTimetable(corpus.schedule, timezone="UTC") if corpus.schedule else None,
        catchup=False,
        max_active_runs=1,
        dagrun_timeout=timedelta(hours=6),
        default_args=RETRY_TRANSIENT,
        params={
            "allow_mass_delete": Param(
                False,
                type="boolean",
                title="Allow mass deletion",
                description="Delete vanished documents even if there are more of them than the deletion guard allows.",
            ),
        },
        tags=["kerf", "corpus", corpus.name],
        doc_md=__doc__,
    ) as dag:
        planned = plan(corpus.name)
        prepared = prepare.expand(batch=planned)
        to_embed = plan_embeddings(corpus.name)
        embedded = embed.expand(batch=to_embed)
        published = publish.override(outlets=[asset])(asset.name)
        planned >> prepared >> to_embed >> embedded >> published >> settle()
    return dag


for _corpus in CONFIG.corpora.values():
    corpus_sync(_corpus)
