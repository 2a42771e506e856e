"""The nightly sync under a real scheduler: real tasks, real database, real model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psutil
import psycopg
import pytest
from airflow_under_test import PHRASE, TOPICS, Deployment, fill, published
from psycopg.rows import dict_row

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(900)]

#: what may pass through XCom beside numbers: names, states, and what a person said or is told of a whole run
WORDS = {"label", "state", "corpus", "kind", "approved_by", "asks", "refused", "glob", "stage", "reason", "from_stage"}

GIVES_UP = "RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'"


@contextmanager
def database_that_gives_up(dsn: str, uri: str, *, times: int) -> Iterator[None]:
    """For the next `times` tries, the transaction that stages that document fails."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE failures")  # a number that is drawn stays drawn when all else is undone
        connection.execute("GRANT USAGE ON SEQUENCE failures TO PUBLIC")
        connection.execute(
            "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f"  IF nextval('failures') <= {times} THEN"
            f"    {GIVES_UP}; END IF;"
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
        "approve": ["success"],
        "embed": ["success"],
        "publish": ["success"],
        "settle": ["success"],
    }
    tasks = deployment.airflow.tasks("corpus_sync_steady", run_id)
    labels = [task["rendered_map_index"] for task in tasks if task["task_id"] in ("prepare", "embed")]
    assert sorted(label[:3] for label in labels) == ["000", "000", "001", "002"]
    assert all("documents" in label or "document" in label or "texts" in label for label in labels)

    (event,) = deployment.events("corpus_sync_steady", run_id)
    assert event["name"] == "corpus/steady"
    assert event["extra"]["documents"]["new"] == len(TOPICS)
    assert event["extra"]["embedded"] == len(TOPICS)

    before = site.written()
    run_id, state = deployment.run("steady")
    assert state == "success"
    assert deployment.states("steady", run_id) == {
        "plan": ["success"],
        "prepare": ["skipped"],
        "plan_embeddings": ["success"],
        "approve": ["success"],
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

    with database_that_gives_up(deployment.dsn, "clocks.md", times=1000):
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
        "approve": ["success"],
        "embed": ["success"],
        "publish": ["success"],
        "settle": ["failed"],
    }
    (settled,) = [task for task in tasks if task["task_id"] == "settle"]
    assert settled["try_number"] == 1
    assert "RunFailed" in deployment.airflow.log("corpus_sync_shaky", run_id, settled)

    deployment.clear("shaky", run_id, ["prepare", failed["map_index"]])
    assert deployment.wait("shaky", run_id) == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]


def test_a_batch_that_fails_once_is_tried_again_by_itself(deployment: Deployment):
    site = deployment.site("flaky")
    fill(site)
    with database_that_gives_up(deployment.dsn, "drums.md", times=1):
        run_id, state = deployment.run("flaky")
    assert state == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    tasks = deployment.airflow.tasks("corpus_sync_flaky", run_id)
    assert sorted(task["try_number"] for task in tasks if task["task_id"] == "prepare") == [1, 1, 2]


def test_a_run_that_cannot_be_planned_fails_at_once_and_does_nothing(deployment: Deployment):
    run_id, state = deployment.run("missing")
    assert state == "failed"
    assert deployment.states("missing", run_id) == {
        "plan": ["failed"],
        "prepare": ["upstream_failed"],
        "plan_embeddings": ["skipped"],
        "approve": ["skipped"],
        "embed": ["skipped"],
        "publish": ["skipped"],
        "settle": ["failed"],
    }
    tasks = {task["task_id"]: task for task in deployment.airflow.tasks("corpus_sync_missing", run_id)}
    assert tasks["plan"]["try_number"] == 1
    assert "SourceError" in deployment.airflow.log("corpus_sync_missing", run_id, tasks["plan"])
    events = deployment.airflow.call("GET", "assets/events", source_dag_id="corpus_sync_missing")
    assert events["asset_events"] == []


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
            assert leaf is None or isinstance(leaf, int | float) or (name in WORDS and len(leaf) < 1000), row


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
