"""Run in a process of its own: parses the DAG files as Airflow does and prints, as JSON, what they hold."""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta

sys.path.insert(0, sys.argv[1])  # the project
sys.path.append(f"{sys.argv[1]}/dags")  # as Airflow does with the folder of a bundle

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "unstructured",
    "tree_sitter",
    "liteparse",
    "lxml",
    "psycopg",
}


def main() -> None:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.serialized_dag import SerializedDagModel
    from airflow.serialization.serialized_objects import DagSerialization

    before = set(sys.modules)
    started = time.monotonic()
    bag = DagBag(f"{sys.argv[1]}/dags")
    seconds = time.monotonic() - started
    heavy = sorted({name.partition(".")[0] for name in set(sys.modules) - before} & HEAVY)
    dags = {}
    for dag in bag.dags.values():
        dags[dag.dag_id] = {
            "doc_md": dag.doc_md,
            "tags": sorted(dag.tags),
            "catchup": dag.catchup,
            "max_active_runs": dag.max_active_runs,
            "dagrun_timeout": dag.dagrun_timeout.total_seconds(),
            "timetable": type(dag.timetable).__name__,
            "run_types": sorted(dag.allowed_run_types or ()),
            "form": {name: field(dag.params.get_param(name)) for name in dag.params},
            "version": SerializedDagModel.hash(DagSerialization.to_dict(dag)),
            "tasks": {task.task_id: describe(task) for task in dag.tasks},
        }
    json.dump({"dags": dags, "import_errors": bag.import_errors, "seconds": seconds, "heavy": heavy}, sys.stdout)


def field(param: object) -> dict[str, object]:
    """What a form asks for; `default` stands here if there is one."""
    given = {"default": param.value} if param.has_value else {}
    return param.schema | given | {"described": bool(param.description)}


def describe(task: object) -> dict[str, object]:
    from corpus import errors

    raised = {
        "database away": errors.StoreUnavailable("the database did not answer"),
        "damaged file": errors.ParseError("not a PDF"),
        "wrong setting": errors.ConfigError("no such model"),
        "too much vanished": errors.MassDeletion("all gone", vanished=("a.md",), count=1),
        "bug": TypeError("unexpected"),
    }
    return {
        "owner": task.owner,
        "trigger_rule": task.trigger_rule.value,
        "pool": task.pool,
        "queue": task.queue,
        "retries": task.retries,
        "backoff": task.retry_exponential_backoff,
        "execution_timeout": task.execution_timeout.total_seconds(),
        "mapped": task.is_mapped,
        "map_index_template": getattr(task, "map_index_template", None) or task_template(task),
        "upstream": sorted(task.upstream_task_ids),
        "outlets": [f"{type(asset).__name__} {asset.name}" for asset in task.outlets or ()],
        "waits": seconds(getattr(task, "response_timeout", None)),
        "after": {
            what: task.retry_policy.evaluate(error, try_number=1, max_tries=3).action.value
            for what, error in raised.items()
        },
    }


def seconds(time: timedelta | None) -> float | None:
    return time.total_seconds() if time else None


def task_template(task: object) -> str | None:
    return getattr(task, "partial_kwargs", {}).get("map_index_template")


main()
