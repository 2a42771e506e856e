"""Plans that are only shown, and `corpus_reprocess`, under a real scheduler."""

from __future__ import annotations

from typing import Any

import pytest
from airflow_under_test import REPROCESS, TOPICS, Deployment, fill, local_airflow, published, sync_of, texts

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(900)]

FORM = {"corpus": "again", "glob": "*s.md", "from_stage": "embed", "reason": "vectors in doubt"}
SAID = {"glob": "*s.md", "from_stage": "embed", "reason": "vectors in doubt"}
SKIPPED = {
    "plan": ["success"],
    "prepare": ["skipped"],
    "plan_embeddings": ["skipped"],
    "approve": ["skipped"],
    "embed": ["skipped"],
    "publish": ["skipped"],
    "settle": ["skipped"],
}


def told(deployment: Deployment, dag_id: str, run_id: str) -> dict[str, dict[str, Any]]:
    """What a run told of assets, by their names."""
    return {event["name"]: event["extra"] for event in deployment.events(dag_id, run_id)}


def test_a_dry_run_shows_its_plan_and_writes_nothing_and_the_real_one_does_the_part_again(deployment: Deployment):
    site = deployment.site("again")
    fill(site)
    assert deployment.run("again")[1] == "success"
    site.write(
        "bridges.md", "# All about bridges\n\nThe bridges of again were built anew, all of them.\n", at=1_750_000_000
    )
    (site.source / "engines.md").unlink()
    before, runs = site.written(), site.rows("SELECT count(*) FROM sync_runs")
    found = texts(site)

    # Both dry, both at once.
    dry = {sync_of("again"): deployment.airflow.trigger(sync_of("again"), dry_run=True)}
    dry[REPROCESS] = deployment.airflow.trigger(REPROCESS, **FORM)  # it is dry unless told otherwise
    assert deployment.wait_for(dry) == ["success"] * 2
    assert [deployment.states_of(dag_id, run_id) for dag_id, run_id in dry.items()] == [SKIPPED] * 2
    assert site.written() == before
    assert site.rows("SELECT count(*) FROM sync_runs") == runs
    assert texts(site) == found

    log = deployment.log(sync_of("again"), dry[sync_of("again")], "plan")
    assert all(said in log for said in ("again: ", "unchanged", "gone: engines.md", "to embed: 1 text", "price"))
    extra = told(deployment, sync_of("again"), dry[sync_of("again")])
    assert extra.keys() == {"corpus/again/plan"}
    assert extra["corpus/again/plan"]["documents"]["changed"] == 1
    assert extra["corpus/again/plan"]["documents"]["deleted"] == 1
    assert extra["corpus/again/plan"]["dry_run"] is True

    log = deployment.log(REPROCESS, dry[REPROCESS], "plan")
    assert "asked for" in log
    extra = told(deployment, REPROCESS, dry[REPROCESS])
    assert extra.keys() == {"corpus/again/plan"}
    assert extra["corpus/again/plan"]["reprocess"] == SAID
    assert extra["corpus/again/plan"]["changes"]["forced"] == 3  # of the five, one is gone and one has changed
    assert extra["corpus/again/plan"]["tokens_to_embed"] > 0

    # And now for good: the vectors of the part are made again, and nothing vanishes.
    run_id = deployment.airflow.trigger(REPROCESS, **FORM, dry_run=False)
    assert deployment.wait_for({REPROCESS: run_id}) == ["success"]
    extra = told(deployment, REPROCESS, run_id)
    assert extra.keys() == {"corpus/again", "corpus/again/plan"}
    assert extra["corpus/again"]["embedded"] == 4
    assert extra["corpus/again"]["reprocess"] == SAID
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    (run,) = site.rows("SELECT kind, reprocess FROM sync_runs WHERE corpus = 'again' ORDER BY id DESC LIMIT 1")
    assert run == {"kind": "reprocess", "reprocess": {"glob": "*s.md", "stage": "embed", "reason": "vectors in doubt"}}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"corpus": "agian"}, "agian"),
        ({"reason": ""}, "reason"),
        ({"from_stage": "publish"}, "publish"),
    ],
)
def test_the_form_is_checked_before_anything_runs(deployment: Deployment, wrong: dict[str, Any], named: str):
    with pytest.raises(local_airflow.LocalError, match=named):
        deployment.airflow.trigger(REPROCESS, **(FORM | wrong))


def test_the_form_wants_a_corpus_and_a_reason(deployment: Deployment):
    for missing in ("corpus", "reason"):
        with pytest.raises(local_airflow.LocalError, match="400"):
            deployment.airflow.trigger(REPROCESS, **{name: value for name, value in FORM.items() if name != missing})


def test_an_interval_cannot_be_reprocessed(deployment: Deployment):
    with pytest.raises(local_airflow.LocalError, match=REPROCESS):
        deployment.airflow.call(
            "POST",
            "backfills",
            {
                "dag_id": REPROCESS,
                "from_date": "2026-03-01T00:00:00Z",
                "to_date": "2026-03-02T00:00:00Z",
                "dag_run_conf": FORM,
            },
        )
