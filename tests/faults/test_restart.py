"""The database is restarted in the middle of each stage: the stage says that it may be tried again, and then ends well.

The server is one of the tests' own. `SIGINT` is how an administrator restarts it, `SIGQUIT` is how it crashes.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hash_models import DIMENSIONS, HASH_A, register
from own_server import make_folder, remove, wait_for_end
from site_under_test import OLD, Site
from test_leases import in_thread, is_waited_for, until
from test_overlap import text

from corpus import database as databases
from corpus import leases, pipeline, server
from corpus.errors import TransientError
from corpus.migrations import migrate

DOCUMENTS = 24
SETTINGS = {"batches": {"documents": 50}, "embedding": {"model": HASH_A.name, "batch_texts": 2}}
KEY = "night"

register()

HOW = {"restarted": signal.SIGINT, "crashed": signal.SIGQUIT}


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    folder = make_folder()
    with pytest.MonkeyPatch.context() as patch:
        for setting in ("KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB"):
            patch.delenv(setting, raising=False)
        yield folder
    remove(folder)


_made: list[Site] = []


@pytest.fixture
def own(home: Path, tmp_path: Path) -> Site:
    """A corpus with something of everything that a run can have to do, in a database of its own."""
    name = f"own_{len(_made)}"
    with pytest.MonkeyPatch.context() as patch:
        for setting in ("KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB"):
            patch.delenv(setting, raising=False)
        site = Site(tmp_path, databases.dsn(home, name), SETTINGS)
    _made.append(site)
    migrate(site.dsn)
    site.source.mkdir()
    return site


def first_night(site: Site) -> None:
    dice = random.Random(1)
    for number in range(DOCUMENTS):
        site.write(f"{number:02}.md", text(dice))
    site.sync()


def second_night(site: Site) -> None:
    """Edited, moved, gone, new and broken documents; what is left is not touched."""
    dice = random.Random(2)
    for number in range(0, DOCUMENTS, 3):
        site.write(f"{number:02}.md", text(dice), at=OLD + 1)
    (site.source / "01.md").rename(site.source / "moved.md")
    (site.source / "04.md").unlink()
    site.write("new.md", text(dice), at=OLD + 1)
    site.write("07.md", "", at=OLD + 1)


def restart(home: Path, how: signal.Signals) -> None:
    """End the server, wait until it is down, and start it again."""
    found = server.running(home)
    assert found is not None
    os.kill(found.pid, how)
    wait_for_end(found.pid)
    server.start(home)


NEWEST = "(SELECT max(id) FROM sync_runs)"

#: what another session does so that a stage has to wait for it when it is some way along
IN_THE_WAY = {
    "plan": "LOCK TABLE sync_items IN SHARE MODE",
    "prepare": f"SELECT FROM sync_items WHERE run_id = {NEWEST} AND batch IS NOT NULL"
    " ORDER BY uri DESC LIMIT 1 FOR UPDATE",
    "plan_embeddings": f"SELECT pg_advisory_xact_lock(hashtextextended('kerf texts ' || {NEWEST}, 0))",
    "embed": f"INSERT INTO embeddings SELECT r.model_id, t.key, array_fill(0.1::real, ARRAY[{DIMENSIONS}])::vector"
    f" FROM sync_texts t JOIN sync_runs r ON r.id = t.run_id WHERE r.id = {NEWEST}"
    " ORDER BY t.tokens, t.key DESC LIMIT 1",
    "publish": f"SELECT FROM sync_items WHERE run_id = {NEWEST} AND state = 'staged'"
    " ORDER BY document_id DESC LIMIT 1 FOR UPDATE",
}


@contextmanager
def restarted_within(site: Site, home: Path, stage: str, how: signal.Signals) -> Iterator[None]:
    """Within it a stage comes some way; then the server is restarted under it."""

    def wait_and_restart() -> None:
        until(lambda: is_waited_for(site, connection))
        restart(home, how)

    connection = psycopg.connect(site.dsn)
    connection.execute(IN_THE_WAY[stage])
    thread, ended = in_thread(wait_and_restart)
    try:
        yield
    finally:
        thread.join()
        connection.close()
    assert ended == [None]


class Airflow:
    """The steps of a run as Airflow calls them: each again when it says that it may be tried again."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.config = site.config
        self.tries: dict[str, int] = {}
        self.run = 0
        self.disturbed: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()

    def step(self, name: str, call: Callable[[], Any]) -> Any:
        for _ in range(4):
            self.tries[name] = self.tries.get(name, 0) + 1
            with self.disturbed(name) if self.tries[name] == 1 else nullcontext(), suppress(TransientError):
                return call()
        raise AssertionError(f"{name} does not come through")

    def sync(self) -> dict[str, Any]:
        site, config = self.site, self.config
        planned = self.step("plan", lambda: pipeline.plan(config, site.dsn, site.name, key=KEY))
        self.run = planned.run_id
        (batch,) = planned.batches
        self.step("prepare", lambda: pipeline.prepare(config, site.dsn, self.run, batch.number))
        (texts,) = self.step("plan_embeddings", lambda: pipeline.plan_embeddings(config, site.dsn, self.run))
        self.step("embed", lambda: pipeline.embed(config, site.dsn, self.run, texts.number))
        done: dict[str, Any] = self.step("publish", lambda: pipeline.publish(config, site.dsn, self.run))
        self.step("settle", lambda: pipeline.settle(config, site.dsn, self.run))
        return done


@pytest.fixture(scope="module")
def expected(home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What both nights leave if nothing happens."""
    folder = tmp_path_factory.mktemp("undisturbed")
    site = Site(folder, databases.dsn(home, "undisturbed"), SETTINGS)
    migrate(site.dsn)
    site.source.mkdir()
    first_night(site)
    second_night(site)
    done = Airflow(site).sync()
    return {"content": site.content(), "documents": done["documents"], "children": done["children"]}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("stage", IN_THE_WAY)
def test_a_stage_whose_database_is_restarted_ends_well_when_it_is_tried_again(own, home, expected, stage, how):
    first_night(own)
    second_night(own)
    airflow = Airflow(own)
    airflow.disturbed = lambda name: restarted_within(own, home, stage, HOW[how]) if name == stage else nullcontext()
    done = airflow.sync()
    assert airflow.tries[stage] == 2, "one try met the restart, and the next came through"
    assert own.content() == expected["content"]
    assert (done["state"], done["documents"], done["children"]) == (
        "succeeded",
        expected["documents"],
        expected["children"],
    )
    assert own.rows("SELECT FROM sync_leases") == []
    again = own.sync()
    assert (again["parsed"], again["embedded"], again["rows_written"]) == (0, 0, 0)


def test_a_lease_outlives_a_restart_of_the_database(own, home, monkeypatch):
    monkeypatch.setattr(leases, "EXPIRES", 2.0)
    own.write("one.md", text(random.Random(0)))
    planned = pipeline.plan(own.config, own.dsn, own.name)
    with leases.held(own.dsn, planned.run_id, "prepare", 0):
        restart(home, signal.SIGQUIT)
        back = own.rows("SELECT clock_timestamp() AS now")[0]["now"]
        until(lambda: own.rows("SELECT heartbeat_at FROM sync_leases")[0]["heartbeat_at"] > back)
    assert own.rows("SELECT FROM sync_leases") == []
