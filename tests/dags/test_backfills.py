"""Backfills of real intervals under a real scheduler: what they look at, what they leave alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import pytest
from airflow_under_test import TOPICS, Deployment, await_, fill, published, sync_of, texts
from site_under_test import Site

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(900)]

FIRST, LAST = "2026-03-01", "2026-03-07"
DAYS = 7


def at(day: int) -> int:
    """Noon of that day in March 2026. The interval of a day goes from its 2 o'clock to the next."""
    return int(datetime(2026, 3, day, 12, tzinfo=UTC).timestamp())


def touch(site: Site, uri: str, day: int) -> None:
    os.utime(site.source / uri, (at(day), at(day)))


def change_unseen(site: Site, uri: str) -> None:
    """Other bytes under the same size and time: no listing tells."""
    file = site.source / uri
    before = file.stat()
    file.write_text(file.read_text().replace("lighthouse", "greenhouse"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size


def prepared(deployment: Deployment, corpus: str, runs: list[dict[str, Any]]) -> list[list[str]]:
    return [deployment.states(corpus, run["dag_run_id"])["prepare"] for run in runs]


def test_a_backfill_of_seven_days_verifies_what_was_modified_in_each_and_deletes_nothing(deployment: Deployment):
    site, folders = deployment.site("nights"), deployment.site("folders")
    fill(site)
    touch(site, "apples.md", 2)
    touch(site, "clocks.md", 6)
    for day in (3, 4):
        folders.write(f"dt=2026-03-0{day}/report.md", f"# Day {day}\n\nFolder {day}: where the old lighthouse stood.\n")
    runs = {corpus: deployment.airflow.trigger(sync_of(corpus)) for corpus in ("nights", "folders")}
    assert deployment.wait_for({sync_of(corpus): run for corpus, run in runs.items()}) == ["success"] * 2
    (site.source / "engines.md").unlink()
    before = site.written()

    # Nothing was modified, one document is gone: seven runs that do nothing.
    done = deployment.backfill("nights", FIRST, LAST)()
    assert [run["state"] for run in done] == ["success"] * DAYS
    assert prepared(deployment, "nights", done) == [["skipped"]] * DAYS
    assert site.written() == before
    assert published(site) == [f"{topic}.md" for topic in TOPICS]

    # The same again makes no run; `completed` runs them again. What no nightly run can see, the backfill of its day
    # does; with a partition, the folder is the day, whatever the times of the files in it.
    change_unseen(site, "apples.md")
    change_unseen(folders, "dt=2026-03-03/report.md")
    deployment.command("backfill", "create", "--dag-id", sync_of("nights"), "--from-date", FIRST, "--to-date", LAST)
    assert "greenhouse" not in str(texts(site))
    await_(lambda: deployment.may_backfill("nights"))
    ends = [
        deployment.backfill("nights", FIRST, LAST, "--reprocess-behavior", "completed"),
        deployment.backfill("folders", "2026-03-02", "2026-03-04"),
    ]
    done, of_folders = (end() for end in ends)
    assert [run["state"] for run in (*done, *of_folders)] == ["success"] * (DAYS + 3)
    assert prepared(deployment, "nights", done) == [["success" if day == 2 else "skipped"] for day in range(1, 8)]
    assert prepared(deployment, "folders", of_folders) == [["skipped"], ["success"], ["skipped"]]
    assert [uri for uri, found in texts(site).items() if "greenhouse" in str(found)] == ["apples.md"]
    assert [uri for uri, found in texts(folders).items() if "greenhouse" in str(found)] == ["dt=2026-03-03/report.md"]
    assert published(site) == [f"{topic}.md" for topic in TOPICS]

    # Repeated, it is a no-op.
    before = site.written()
    done = deployment.backfill("nights", FIRST, "2026-03-03", "--reprocess-behavior", "completed")()
    # Airflow calls a mapped task that there is no batch for any more removed.
    assert {state for states in prepared(deployment, "nights", done) for state in states} <= {"skipped", "removed"}
    assert site.written() == before


def test_a_run_by_hand_and_a_backfill_at_once_over_one_corpus_end_right(deployment: Deployment):
    site = deployment.site("beside")
    fill(site)
    assert deployment.run("beside")[1] == "success"
    site.write("apples.md", "# All about apples\n\nThe apples of beside are where the greenhouse stands.\n", at=at(2))
    site.write("clocks.md", "# All about clocks\n\nThe clocks of beside are where the greenhouse stands.\n", at=at(2))

    with deployment.held("parsed_documents") as await_writers:
        run_id = deployment.airflow.trigger(sync_of("beside"))
        backfilled = deployment.backfill("beside", "2026-03-02", "2026-03-02")
        await_writers(2)  # both are at it
    assert deployment.wait("beside", run_id) == "success"
    (backfill,) = backfilled()
    assert backfill["state"] == "success"
    assert published(site) == [f"{topic}.md" for topic in TOPICS]
    assert [uri for uri, found in texts(site).items() if "greenhouse" in str(found)] == ["apples.md", "clocks.md"]
    before = site.written()
    assert deployment.run("beside")[1] == "success"
    assert site.written() == before
