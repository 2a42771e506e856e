"""What the tasks of a run share: the configuration, the database, what was asked for. No DAG file: `.airflowignore`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import (
    BaseHook,
    ExceptionRetryPolicy,
    Param,
    RetryAction,
    RetryRule,
    get_current_context,
)
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowSkipException

from corpus.config import Config, load
from corpus.errors import ConfigError
from corpus.records import Reprocess

CONNECTION = "corpus_db"
ANSWER = timedelta(hours=12)  #: how long a person is waited for: a question of 2 o'clock is seen in the morning

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

EVERY_DAG: dict[str, Any] = {
    "catchup": False,
    "dagrun_timeout": timedelta(hours=6) + ANSWER,
    "default_args": RETRY_TRANSIENT,
}

APPROVED = Param(
    False,
    type="boolean",
    title="Approve spending",
    description="Embed what a changed configuration asks for, however much it is, without stopping to ask.",
)


def dry_run(default: bool) -> Param:
    """The field of a form that makes a run say what it would do."""
    return Param(
        default,
        type="boolean",
        title="Dry run",
        description="Only say what would be done, in the log of the task plan; nothing is written.",
    )


def configuration() -> Config:
    """The corpora of this deployment; a fault in the file is the DAG files' import error, in the one line it needs."""
    try:
        return load()
    except ConfigError as error:
        raise error.with_traceback(None) from None


CONFIG = configuration()


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


def reprocessing(params: Mapping[str, Any]) -> Reprocess | None:
    """What the form of `corpus_reprocess` asks for; None for a sync."""
    if "from_stage" not in params:
        return None
    return Reprocess(params["glob"], params["from_stage"], params["reason"])


def about(reprocess: Reprocess | None) -> dict[str, Any]:
    """What an asset's event says of why a run was made."""
    if reprocess is None:
        return {}
    return {"reprocess": {"glob": reprocess.glob, "from_stage": reprocess.stage, "reason": reprocess.reason}}


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
