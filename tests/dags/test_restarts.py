"""Runs that are disturbed in the middle, under a real scheduler: each ends as if nothing had been."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from airflow_under_test import TOPICS, Deployment, await_, fill, kill, published, sync_of, texts
from site_under_test import Site

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(900)]

WRITES_TO = {  #: what a stage cannot do without
    "plan": "sync_items",
    "prepare": "parsed_documents",
    "plan_embeddings": "sync_texts",
    "embed": "embeddings",
    "publish": "children",
}


def tries(deployment: Deployment, corpus: str, run_id: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for task in deployment.airflow.tasks(sync_of(corpus), run_id):
        found.setdefault(task["task_id"], []).append(task["try_number"])
    return found


def await_running(deployment: Deployment, corpus: str, run_id: str, task_id: str) -> dict[str, Any]:
    """One of the instances of a task that is running."""

    def running() -> dict[str, Any] | None:
        tasks = deployment.airflow.tasks(sync_of(corpus), run_id)
        return next((task for task in tasks if task["task_id"] == task_id and task["state"] == "running"), None)

    return await_(running)


def assert_whole(site: Site, fresh: Callable[[], str]) -> None:
    """The corpus is what a first sync of the same files into an empty database gives."""
    scratch = Site(site.root, fresh(), {"batches": {"documents": 2}}, name=site.name)
    scratch.sync()
    assert texts(site) == texts(scratch)
    for table in ("documents", "children", "parents"):
        of = "id" if table == "documents" else "document_id"
        ids = f"SELECT t.id FROM {table} t JOIN documents d ON d.id = t.{of} WHERE d.corpus = %(corpus)s ORDER BY t.id"
        assert site.rows(ids, corpus=site.name) == scratch.rows(ids, corpus=site.name)


def test_a_run_whose_database_is_restarted_in_the_middle_of_each_stage_ends_right(
    deployment: Deployment, fresh_database: Callable[[], str]
):
    site = deployment.site("restarted")
    fill(site)
    run_id = ""
    for stage, table in WRITES_TO.items():
        with deployment.held(table) as await_writers:
            run_id = run_id or deployment.airflow.trigger(sync_of("restarted"))
            await_writers(1)
            assert await_running(deployment, "restarted", run_id, stage)
            deployment.restart_database()
    await_(lambda: deployment.task(sync_of("restarted"), run_id, "publish")["state"] == "success")
    with deployment.held("sync_runs", reading=True) as await_readers:  # before the process of `settle` has come up
        await_readers(1)
        assert await_running(deployment, "restarted", run_id, "settle")
        deployment.restart_database()

    assert deployment.wait("restarted", run_id) == "success"
    for task, numbers in tries(deployment, "restarted", run_id).items():
        assert max(numbers) == (1 if task == "approve" else 2), task
    assert_whole(site, fresh_database)


@dataclass(frozen=True)
class Disturbed:
    """Runs that were disturbed at one time, so that their leases run out at one time too."""

    runs: dict[str, str]
    states: dict[str, str]


@pytest.fixture(scope="module")
def disturbed(deployment: Deployment) -> Disturbed:
    """`lost` and `gone` had a process killed, while preparing and while embedding; `midway` and `anew` were cleared
    while embedding, from `prepare` on and from `plan` on."""
    runs: dict[str, str] = {}
    for corpus in ("lost", "gone", "midway", "anew"):
        fill(deployment.site(corpus))
    with deployment.held("parsed_documents") as await_writers:
        runs["lost"] = deployment.airflow.trigger(sync_of("lost"))
        await_writers(1)
        kill(await_running(deployment, "lost", runs["lost"], "prepare"))
    with deployment.held("embeddings") as await_writers:
        for corpus in ("gone", "midway", "anew"):
            runs[corpus] = deployment.airflow.trigger(sync_of(corpus))
        await_writers(3)
        kill(await_running(deployment, "gone", runs["gone"], "embed"))
        deployment.clear("midway", runs["midway"], "prepare")
        deployment.clear("anew", runs["anew"], "plan")
    ended = deployment.wait_for({sync_of(corpus): run_id for corpus, run_id in runs.items()})
    return Disturbed(runs, dict(zip(runs, ended, strict=True)))


@pytest.mark.parametrize(("corpus", "stage"), [("lost", "prepare"), ("gone", "embed")])
def test_a_batch_whose_process_is_killed_is_tried_again_by_itself(
    deployment: Deployment, disturbed: Disturbed, corpus: str, stage: str, fresh_database: Callable[[], str]
):
    assert disturbed.states[corpus] == "success"
    numbers = tries(deployment, corpus, disturbed.runs[corpus])
    assert sorted(numbers[stage]) == [*[1] * (len(numbers[stage]) - 1), 2]
    assert_whole(deployment.site(corpus), fresh_database)


@pytest.mark.parametrize(("corpus", "task"), [("midway", "prepare"), ("anew", "plan")])
def test_a_run_that_is_cleared_in_the_middle_ends_right(
    deployment: Deployment, disturbed: Disturbed, corpus: str, task: str, fresh_database: Callable[[], str]
):
    assert disturbed.states[corpus] == "success"
    assert min(tries(deployment, corpus, disturbed.runs[corpus])[task]) == 2
    states = deployment.states(corpus, disturbed.runs[corpus])
    assert {state for found in states.values() for state in found} <= {"success", "skipped", "removed"}
    site = deployment.site(corpus)
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    assert_whole(site, fresh_database)
    (runs,) = site.rows("SELECT count(*) AS runs FROM sync_runs WHERE corpus = %(corpus)s", corpus=corpus)
    assert runs["runs"] == 1
