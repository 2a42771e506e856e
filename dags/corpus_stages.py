"""The stages of a run as tasks: what `corpus_sync` and `corpus_reprocess` share. No DAG file: see `.airflowignore`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, AssetAlias, TriggerRule, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped
from corpus_approval import SpendingApproval
from corpus_runs import (
    CONFIG,
    about,
    backfill_window,
    check_mappable,
    database,
    label,
    planned_run,
    reprocessing,
)

from corpus.errors import NeedsApproval, RunFailed

PLANS = AssetAlias("corpus_plans")  #: where plans are told: not on the corpus' own asset, since nothing was published


@task(outlets=[PLANS], execution_timeout=timedelta(hours=2))
def plan(corpus: str) -> list[dict[str, Any]]:
    """Plan the run; the batches to prepare. A dry run ends here: it says what would be done, and skips the rest."""
    from corpus import pipeline

    context = get_current_context()
    params = context["params"]
    window, reprocess = backfill_window(context), reprocessing(params)
    if params["dry_run"]:
        found = pipeline.preview(CONFIG, database(), corpus, window=window, reprocess=reprocess)
        show_plan(corpus, found, dry_run=True)
        rest = sorted(context["task"].get_flat_relative_ids(upstream=False))
        raise DownstreamTasksSkipped(tasks=rest)  # type: ignore[no-untyped-call]
    planned = pipeline.plan(
        CONFIG,
        database(),
        corpus,
        key=context["dag_run"].run_id,
        window=window,
        allow_mass_delete=params.get("allow_mass_delete", False),
        reprocess=reprocess,
    )
    check_mappable(len(planned.batches), setting=f"corpora.{corpus}.batches")
    context["ti"].xcom_push(key="run_id", value=planned.run_id)
    if reprocess:
        found = {"documents": planned.documents, "changes": planned.changes, "vanished": []}
        show_plan(corpus, found, dry_run=False)
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


@task(
    trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS,  # what needs nobody's word is embedded without it
    pool="embedding",
    queue="embedding",
    execution_timeout=timedelta(hours=2),
    map_index_template="{{ label }}",
)
def embed(batch: dict[str, Any]) -> dict[str, int]:
    """Embed one batch of texts; each vector is stored as soon as it is there. Skipped if its spending was refused."""
    label(batch)
    from corpus import pipeline

    try:
        return pipeline.embed(CONFIG, database(), planned_run(), batch["number"])
    except NeedsApproval as error:
        raise AirflowSkipException(str(error)) from None


@task(trigger_rule=TriggerRule.ALL_DONE, execution_timeout=timedelta(hours=1))
def publish(corpus: str) -> dict[str, Any]:
    """Make visible what is ready, whatever failed beside it; the counts of the run, also on the asset's event."""
    from corpus import pipeline

    counts: dict[str, Any] = pipeline.publish(CONFIG, database(), planned_run())
    counts.pop("error", None)  # its text is for the log of `settle` and for the ledger
    context = get_current_context()
    extra = counts | about(reprocessing(context["params"]))
    for outlet in context["task"].outlets:
        event = context["outlet_events"][outlet]
        if isinstance(outlet, AssetAlias):
            event.add(corpus_asset(corpus), extra=extra)
        else:
            event.extra = extra
    return counts


@task(trigger_rule=TriggerRule.ALL_DONE, execution_timeout=timedelta(minutes=10))
def settle() -> None:
    """Fail if a batch failed, was refused its spending, or too many documents did; what was ready is published."""
    from corpus import pipeline

    try:
        run = planned_run()
    except AirflowSkipException:
        raise RunFailed("the run was not planned, so nothing was done", hint="see the log of the task plan") from None
    spending = pipeline.spending(CONFIG, database(), run)
    try:
        pipeline.settle(CONFIG, database(), run)
    except RunFailed as error:
        if not spending.asks:
            raise
        answer = get_current_context()["ti"].xcom_pull(task_ids="approve", key="refused") or "nobody has approved it"
        raise RunFailed(
            f"{answer}: {spending.said}; {error.message}",
            hint="clear the task approve with downstream to be asked again, or set the configuration back",
        ) from None


def corpus_asset(corpus: str) -> Asset:
    """What is updated whenever something of a corpus was published."""
    return Asset(f"corpus/{corpus}")


def show_plan(corpus: str, found: dict[str, Any], *, dry_run: bool) -> None:
    """Show a plan in the task's log, and its figures on the asset `corpus/<name>/plan` and on the task."""
    from corpus.commands.plan import show

    show(corpus, found)
    context = get_current_context()
    figures = {name: value for name, value in found.items() if name != "vanished"} | {"dry_run": dry_run}
    extra = figures | about(reprocessing(context["params"]))
    context["outlet_events"][PLANS].add(Asset(f"corpus/{corpus}/plan"), extra=extra)
    context["ti"].xcom_push(key="plan", value=figures)


def stages(corpus: str, outlet: Asset | AssetAlias) -> None:
    """The tasks of a run over a corpus, in the DAG that is being defined; `publish` alone updates the outlet."""
    planned = plan(corpus)
    prepared = prepare.expand(batch=planned)
    to_embed = plan_embeddings(corpus)
    approved = SpendingApproval(task_id="approve")
    embedded = embed.expand(batch=to_embed)
    published = publish.override(outlets=[outlet])(corpus)
    planned >> prepared >> to_embed >> approved >> embedded >> published >> settle()
