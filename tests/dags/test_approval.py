"""The spending guard under a real scheduler: when it asks, what it says, and what an answer does."""

from __future__ import annotations

import time
from typing import Any

import psycopg
import pytest
from airflow_under_test import Deployment, await_, fill, sync_of, texts

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(600)]

DAG = sync_of("guarded")


def detail(run_id: str) -> str:
    return f"dags/{DAG}/dagRuns/{run_id}/taskInstances/approve/-1/hitlDetails"


def await_question(deployment: Deployment, run_id: str) -> dict[str, Any]:
    """Wait until the run asks; what a person is shown."""
    await_(lambda: deployment.task(DAG, run_id, "approve")["state"] == "awaiting_input")
    return deployment.airflow.call("GET", detail(run_id))


def answer(deployment: Deployment, run_id: str, option: str) -> None:
    """Answer as a person would, some seconds after the question: the scheduler has taken note of the pause by then."""
    time.sleep(5)
    deployment.airflow.call("PATCH", detail(run_id), {"chosen_options": [option], "params_input": {}})


def let_the_time_run_out(deployment: Deployment, run_id: str) -> None:
    with psycopg.connect(deployment.metadata) as connection:
        connection.execute(
            "UPDATE task_instance SET trigger_timeout = now()"
            " WHERE dag_id = %s AND run_id = %s AND task_id = 'approve'",
            [DAG, run_id],
        )


def assert_ended(deployment: Deployment, run_id: str, *, approved: bool) -> None:
    """The batch that nobody needed to be asked about is embedded either way."""
    assert deployment.wait("guarded", run_id) == ("success" if approved else "failed")
    states = deployment.states("guarded", run_id)
    assert sorted(states.pop("embed")) == ["success" if approved else "skipped", "success"]
    assert states == {
        "plan": ["success"],
        "prepare": ["success"] * 3,
        "plan_embeddings": ["success"],
        "approve": ["success" if approved else "skipped"],
        "publish": ["success"],
        "settle": ["success" if approved else "failed"],
    }


def test_a_changed_configuration_waits_for_a_persons_word_and_nothing_is_spent_without_it(deployment: Deployment):
    site = deployment.site("guarded")
    fill(site)
    for uri in ("apples.md", "drums.md"):  # long enough to be cut otherwise under another size
        site.write(uri, f"# {uri}\n\n" + " ".join(f"The {uri} of guarded, number {n}, is here." for n in range(60)))

    # All is new: however much it is, it is no matter of the configuration, and no person is needed.
    run_id, state = deployment.run("guarded")
    assert state == "success"
    assert deployment.states("guarded", run_id)["approve"] == ["success"]
    before = texts(site)

    # Another size, and one edit beside it: it asks, and says how much, for what price, and why.
    deployment.configure("guarded", cutting={"size": 60}, embedding={"price_per_million_tokens": 1000.0})
    site.write("clocks.md", "# All about clocks\n\nThe clocks of guarded were wound anew.\n", at=1_750_000_000)
    run_id = deployment.airflow.trigger(DAG)
    asked = await_question(deployment, run_id)
    assert asked["options"] == ["Approve", "Reject"]
    (counted,) = site.rows("SELECT spending FROM sync_runs WHERE corpus = 'guarded' ORDER BY id DESC LIMIT 1")
    tokens, price = counted["spending"]["tokens"], counted["spending"]["price"]
    assert 0 < tokens == round(price * 1000)
    assert f"{tokens:,} tokens" in asked["subject"]
    assert f"**{tokens:,}** of 2 documents" in asked["body"]
    assert f"price: **{price:,.4f}**" in asked["body"]
    assert counted["spending"]["because"] in asked["body"]
    assert texts(site) == before

    # No answer in time: the edit is published, the rest stays as it was.
    let_the_time_run_out(deployment, run_id)
    assert_ended(deployment, run_id, approved=False)
    assert "nobody answered within 12 hours" in deployment.log(DAG, run_id, "settle")
    edited = before | {"clocks.md": texts(site)["clocks.md"]}
    assert "wound anew" in str(edited["clocks.md"])
    assert texts(site) == edited
    vectors = site.rows("SELECT count(*) FROM embeddings")

    # Asked again, a person says no.
    deployment.clear("guarded", run_id, "approve")
    await_question(deployment, run_id)
    answer(deployment, run_id, "Reject")
    assert_ended(deployment, run_id, approved=False)
    assert "admin rejected it" in deployment.log(DAG, run_id, "settle").lower()
    assert texts(site) == edited
    assert site.rows("SELECT count(*) FROM embeddings") == vectors

    # Asked once more, yes: the same run goes on, and ends well.
    deployment.clear("guarded", run_id, "approve")
    await_question(deployment, run_id)
    answer(deployment, run_id, "Approve")
    assert_ended(deployment, run_id, approved=True)
    assert {uri for uri, found in texts(site).items() if found != edited[uri]} == {"apples.md", "drums.md"}
    (run,) = site.rows("SELECT approved_by FROM sync_runs WHERE corpus = 'guarded' ORDER BY id DESC LIMIT 1")
    assert run["approved_by"].lower() == "admin"


def test_whoever_says_so_in_the_form_is_not_asked(deployment: Deployment):
    site = deployment.site("guarded")
    if not texts(site):
        fill(site)
        site.write(
            "apples.md", "# Apples\n\n" + " ".join(f"The apple of guarded, number {n}, is here." for n in range(60))
        )
        assert deployment.run("guarded")[1] == "success"
    before = texts(site)
    deployment.configure("guarded", cutting={"size": 80})
    assert deployment.run("guarded", approved=True)[1] == "success"
    assert texts(site) != before
    (run,) = site.rows("SELECT approved_by FROM sync_runs WHERE corpus = 'guarded' ORDER BY id DESC LIMIT 1")
    assert run["approved_by"].lower() == "admin"
