"""The nightly sync under a real scheduler: real tasks, real database, real model."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil
import psycopg
import pytest
from conftest import Deployment
from psycopg.rows import dict_row
from site_under_test import Site

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(600)]

TOPICS = ("apples", "bridges", "clocks", "drums", "engines")
PHRASE = "kept where the old lighthouse stood"


def fill(site: Site) -> None:
    """Five documents, three batches of at most two. No other corpus has the same texts, and so the same vectors."""
    for topic in TOPICS:
        site.write(f"{topic}.md", f"# All about {topic}\n\nThe {site.name} {topic} are {PHRASE}, all of them.\n")


def published(site: Site) -> list[str]:
    rows = site.rows(
        "SELECT uri FROM documents WHERE corpus = %(corpus)s AND deleted_at IS NULL ORDER BY uri", corpus=site.name
    )
    return [row["uri"] for row in rows]


GIVES_UP = "RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'"
TAKES_LONG = "PERFORM pg_sleep(30)"


@contextmanager
def database_that(does: str, dsn: str, uri: str, *, times: int) -> Iterator[None]:
    """For the next `times` tries, this is what happens when that document is staged."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE failures")  # a number that is drawn stays drawn when all else is undone
        connection.execute("GRANT USAGE ON SEQUENCE failures TO PUBLIC")
        connection.execute(
            "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f"  IF nextval('failures') <= {times} THEN"
            f"    {does}; END IF;"
            "  RETURN NEW; END $$"
        )
        connection.execute(
            "CREATE TRIGGER give_up BEFORE UPDATE ON sync_items FOR EACH ROW"
            f" WHEN (NEW.uri = '{uri}' AND NEW.state = 'staged') EXECUTE FUNCTION give_up()"
        )
        try:
            yield
        finally:
            connection.execute("DROP FUNCTION give_up CASCADE")
            connection.execute("DROP SEQUENCE failures")


def test_a_triggered_run_publishes_and_a_second_one_has_nothing_to_do(deployment: Deployment):
    site = deployment.site("steady")
    fill(site)

    run_id, state = deployment.run("steady")
    assert state == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    assert deployment.states("steady", run_id) == {
        "plan": ["success"],
        "prepare": ["success"] * 3,
        "plan_embeddings": ["success"],
        "embed": ["success"],
        "publish": ["success"],
        "settle": ["success"],
    }
    tasks = deployment.airflow.tasks("corpus_sync_steady", run_id)
    labels = [task["rendered_map_index"] for task in tasks if task["task_id"] in ("prepare", "embed")]
    assert sorted(label[:3] for label in labels) == ["000", "000", "001", "002"]
    assert all("documents" in label or "document" in label or "texts" in label for label in labels)

    events = deployment.airflow.call("GET", "assets/events", source_dag_id="corpus_sync_steady", source_run_id=run_id)
    (event,) = events["asset_events"]
    assert event["name"] == "corpus/steady"
    assert event["extra"]["documents"]["new"] == len(TOPICS)
    assert event["extra"]["embedded"] == len(site.rows("SELECT key FROM embeddings"))

    before = site.written()
    run_id, state = deployment.run("steady")
    assert state == "success"
    assert deployment.states("steady", run_id) == {
        "plan": ["success"],
        "prepare": ["skipped"],
        "plan_embeddings": ["success"],
        "embed": ["skipped"],
        "publish": ["success"],
        "settle": ["success"],
    }
    assert site.written() == before


def test_a_failed_batch_fails_the_run_after_the_others_are_published_and_clearing_it_completes_the_run(
    deployment: Deployment,
):
    site = deployment.site("shaky")
    fill(site)

    with database_that(GIVES_UP, deployment.dsn, "clocks.md", times=1000):
        run_id, state = deployment.run("shaky")
    assert state == "failed"
    assert published(site) == [f"{topic}.md" for topic in TOPICS if topic != "clocks"]
    tasks = deployment.airflow.tasks("corpus_sync_shaky", run_id)
    (failed,) = [task for task in tasks if task["task_id"] == "prepare" and task["state"] == "failed"]
    assert failed["try_number"] == 4
    assert failed["rendered_map_index"]
    states = deployment.states("shaky", run_id)
    assert sorted(states.pop("prepare")) == ["failed", "success", "success"]
    assert states == {
        "plan": ["success"],
        "plan_embeddings": ["success"],
        "embed": ["success"],
        "publish": ["success"],
        "settle": ["failed"],
    }
    (settled,) = [task for task in tasks if task["task_id"] == "settle"]
    assert settled["try_number"] == 1
    assert "RunFailed" in deployment.airflow.log("corpus_sync_shaky", run_id, settled)

    deployment.airflow.call(
        "POST",
        "dags/corpus_sync_shaky/clearTaskInstances",
        {
            "dry_run": False,
            "dag_run_id": run_id,
            "task_ids": [["prepare", failed["map_index"]]],
            "only_failed": False,
            "include_downstream": True,
        },
    )
    assert deployment.wait("shaky", run_id) == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]


def test_a_batch_that_fails_once_is_tried_again_by_itself(deployment: Deployment):
    site = deployment.site("flaky")
    fill(site)
    with database_that(GIVES_UP, deployment.dsn, "drums.md", times=1):
        run_id, state = deployment.run("flaky")
    assert state == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    tasks = deployment.airflow.tasks("corpus_sync_flaky", run_id)
    assert sorted(task["try_number"] for task in tasks if task["task_id"] == "prepare") == [1, 1, 2]


def test_a_batch_whose_process_is_killed_is_tried_again_by_itself(deployment: Deployment):
    site = deployment.site("lost")
    fill(site)
    with database_that(TAKES_LONG, deployment.dsn, "bridges.md", times=1):
        run_id = deployment.airflow.trigger("corpus_sync_lost")
        while not (task := waiting_in_the_database(deployment, run_id)):
            time.sleep(0.5)
        kill(task)
        state = deployment.wait("lost", run_id)
    assert state == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    tasks = deployment.airflow.tasks("corpus_sync_lost", run_id)
    assert sorted(task["try_number"] for task in tasks if task["task_id"] == "prepare") == [1, 1, 2]


def waiting_in_the_database(deployment: Deployment, run_id: str) -> dict[str, Any] | None:
    """The one task that is left running while the database takes its time."""
    with psycopg.connect(deployment.dsn) as connection:
        sleeping = connection.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'").fetchone()
    tasks = deployment.airflow.tasks("corpus_sync_lost", run_id)
    running = [task for task in tasks if task["state"] == "running"]
    return running[0] if sleeping and len(running) == 1 else None


def kill(task: dict[str, Any]) -> None:
    """End the process of a task as the system does when memory runs out; its supervisor has the same title."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended by itself
            if any(task["id"] in word for word in process.cmdline()):
                found.append(process)
    (child,) = [process for process in found if process.parent() in found]
    child.kill()


def test_a_run_that_cannot_be_planned_fails_at_once_and_does_nothing(deployment: Deployment):
    run_id, state = deployment.run("missing")
    assert state == "failed"
    assert deployment.states("missing", run_id) == {
        "plan": ["failed"],
        "prepare": ["upstream_failed"],
        "plan_embeddings": ["skipped"],
        "embed": ["skipped"],
        "publish": ["skipped"],
        "settle": ["failed"],
    }
    tasks = {task["task_id"]: task for task in deployment.airflow.tasks("corpus_sync_missing", run_id)}
    assert tasks["plan"]["try_number"] == 1
    assert "SourceError" in deployment.airflow.log("corpus_sync_missing", run_id, tasks["plan"])
    events = deployment.airflow.call("GET", "assets/events", source_dag_id="corpus_sync_missing")
    assert events["asset_events"] == []


def test_a_backfill_over_three_days_writes_nothing_when_nothing_changed_and_deletes_nothing(deployment: Deployment):
    site = deployment.site("nights")
    fill(site)
    second_day = datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp()
    os.utime(site.source / "apples.md", (second_day, second_day))
    assert deployment.run("nights")[1] == "success"
    (site.source / "engines.md").unlink()

    before = site.written()
    runs = backfill(deployment, "nights")
    assert [run["state"] for run in runs] == ["success"] * 3
    assert [deployment.states("nights", run["dag_run_id"])["prepare"] for run in runs] == [["skipped"]] * 3
    assert site.written() == before
    assert published(site) == [f"{topic}.md" for topic in TOPICS]

    # A change that left size and time as they were is invisible to a nightly run; the backfill of its day sees it.
    file = site.source / "apples.md"
    file.write_text(file.read_text().replace("lighthouse", "greenhouse"))
    os.utime(file, (second_day, second_day))
    runs = backfill(deployment, "nights", "--reprocess-behavior", "completed")
    assert [run["state"] for run in runs] == ["success"] * 3
    looked = [deployment.states("nights", run["dag_run_id"])["prepare"] for run in runs]
    assert looked == [["skipped"], ["success"], ["skipped"]]
    assert "greenhouse" in site.children("apples.md")[-1]["text"]
    assert published(site) == [f"{topic}.md" for topic in TOPICS]


def backfill(deployment: Deployment, corpus: str, *options: str) -> list[dict[str, Any]]:
    """Backfill the three intervals that start on 1, 2 and 3 March, and wait: the runs, in that order."""
    dag_id = f"corpus_sync_{corpus}"
    days = ("--from-date", "2026-03-01", "--to-date", "2026-03-03T12:00:00")
    since = datetime.now(UTC).isoformat()
    deployment.command("backfill", "create", "--dag-id", dag_id, *days, *options)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        found = deployment.airflow.call("GET", f"dags/{dag_id}/dagRuns", run_type="backfill", end_date_gte=since)
        runs = [run for run in found["dag_runs"] if run["state"] in ("success", "failed")]
        backfills = deployment.airflow.call("GET", "backfills", dag_id=dag_id)["backfills"]
        if len(runs) == 3 and all(made["completed_at"] for made in backfills):  # there can be but one at a time
            return sorted(runs, key=lambda run: run["logical_date"])
        deployment.airflow.check()
        time.sleep(1)
    pytest.fail(f"the backfill has not ended: {runs}")


def test_airflow_listens_to_this_machine_only_and_to_nobody_without_the_password(deployment: Deployment):
    airflow = deployment.airflow
    family = set()
    for process in airflow.processes.values():
        leader = process.find()
        family |= {leader.pid, *(child.pid for child in leader.children(recursive=True))}
    listening = {
        (connection.laddr.ip, connection.laddr.port)
        for connection in psutil.net_connections(kind="inet")
        if connection.pid in family and connection.status == psutil.CONN_LISTEN
    }
    assert listening == {("127.0.0.1", airflow.port)}

    with httpx.Client(base_url=airflow.address) as anybody:
        assert anybody.get("/api/v2/dags").status_code == 401
        wrong = anybody.post("/auth/token", json={"username": "admin", "password": "admin"})
        assert wrong.status_code == 401
    secrets = [path for path in (airflow.home / "airflow").iterdir() if path.name in ("secrets.json", "passwords.json")]
    assert len(secrets) == 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in secrets)


def test_nothing_but_ids_counts_and_labels_passes_through_xcom(deployment: Deployment):
    """Over whatever the tests before this one have run, at least once."""
    if not published(deployment.site("steady")):
        fill(deployment.site("steady"))
        deployment.run("steady")
    with psycopg.connect(deployment.metadata, row_factory=dict_row) as connection:
        rows = connection.execute("SELECT task_id, key, value FROM xcom").fetchall()
    assert {row["task_id"] for row in rows} >= {"plan", "prepare", "plan_embeddings", "embed", "publish"}
    for row in rows:
        value = decoded(row["value"])
        assert len(json.dumps(value)) < 4096
        assert PHRASE not in json.dumps(value)
        for name, leaf in leaves(value, row["key"]):
            assert leaf is None or isinstance(leaf, int | float) or (name in ("label", "state") and len(leaf) < 200), (
                row
            )


def decoded(value: Any) -> Any:
    while isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            break
    return value


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The plain values in JSON, each with the key that it stands under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    else:
        yield name, value
