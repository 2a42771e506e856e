"""Leases on batches: who holds one, who waits, who loses it; and runs that nobody works for any more."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from hash_models import DIMENSIONS, HASH_A, register
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import dict_row
from site_under_test import OLD, Site
from test_overlap import environment, served, text

from corpus import leases, pipeline
from corpus.errors import TransientError
from corpus.queries import query
from corpus.store import Store

SHORT = 1.2  #: seconds of EXPIRES in these tests

register()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "EXPIRES", SHORT)


@pytest.fixture
def planned(site: Site) -> pipeline.Planned:
    site.settings = {"embedding": {"model": HASH_A.name, "batch_texts": 2}, "batches": {"documents": 50}}
    dice = random.Random(5)
    for number in range(8):
        site.write(f"{number}.md", text(dice))
    return pipeline.plan(site.config, site.dsn, site.name)


def is_held(site: Site) -> bool:
    return bool(site.rows("SELECT FROM sync_leases"))


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come to that"
        time.sleep(0.01)


def is_waited_for(site: Site, connection: psycopg.Connection[Any]) -> bool:
    """Whether a session waits for what this one has locked."""
    waiting = "SELECT FROM pg_stat_activity WHERE %(pid)s::int = ANY(pg_blocking_pids(pid))"
    return bool(site.rows(waiting, pid=connection.info.backend_pid))


def in_thread(body: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Run a body beside the test; what it returns or raises is put into the list."""
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(body())
        except Exception as error:  # noqa: BLE001 - handed to the test
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, ended


def test_a_batch_has_one_holder_and_the_next_waits_until_it_is_given_back(site, planned, short):
    entered = threading.Event()

    def second() -> float:
        with leases.held(site.dsn, planned.run_id, "prepare", 0):
            entered.set()
            return time.monotonic()

    with leases.held(site.dsn, planned.run_id, "prepare", 0):
        thread, ended = in_thread(second)
        assert not entered.wait(3 * SHORT)  # however long that takes, as long as the holder shows signs of life
        left = time.monotonic()
    thread.join()
    assert ended[0] >= left
    assert not is_held(site)


def test_other_batches_and_other_stages_are_free(site, planned):
    with (
        leases.held(site.dsn, planned.run_id, "prepare", 0) as one,
        leases.held(site.dsn, planned.run_id, "prepare", 1) as two,
        leases.held(site.dsn, planned.run_id, "embed", 0) as three,
        Store(site.dsn) as store,
        store.transaction() as (cursor, _),
    ):
        for lease in (one, two, three):
            lease.check(cursor)


def test_the_lease_is_given_back_whatever_is_raised(site, planned):
    with pytest.raises(KeyError), leases.held(site.dsn, planned.run_id, "prepare", 0):
        raise KeyError
    assert not is_held(site)


def test_who_has_lost_its_lease_stops_at_its_next_write_and_does_not_take_it_from_the_next(site, planned, short):
    with leases.held(site.dsn, planned.run_id, "embed", 0) as lease:
        other = uuid4()
        with psycopg.connect(site.dsn) as connection:
            connection.execute("UPDATE sync_leases SET holder = %s", [other])
        with Store(site.dsn) as store, store.under(lease.check):
            run = store.run(planned.run_id)
            vector = np.zeros(DIMENSIONS, dtype=np.float32)
            with pytest.raises(TransientError, match="taken over batch 0"):
                store.store_vectors(run, 0, {b"key": vector}, texts=1, tokens=1, price=0)
            with pytest.raises(TransientError, match="taken over batch 0"):
                store.end_item(run.id, uuid4(), "failed", "")
        time.sleep(SHORT / 4)  # long enough for a heartbeat
    assert site.rows("SELECT holder FROM sync_leases") == [{"holder": other}]
    assert site.rows("SELECT count(*) AS vectors FROM embeddings") == [{"vectors": 0}]


def test_a_lease_cannot_be_taken_between_its_check_and_the_commit(site, planned, short):
    with psycopg.connect(site.dsn, row_factory=dict_row) as connection:
        lease = leases.Lease(planned.run_id, "embed", 0, uuid4())
        connection.execute(
            "INSERT INTO sync_leases VALUES (%(run)s, %(stage)s, %(batch)s, %(holder)s)", lease.parameters
        )
        connection.commit()
        time.sleep(1.5 * SHORT)  # nobody beats for it
        lease.check(connection.cursor())

        def take() -> float:
            with leases.held(site.dsn, planned.run_id, "embed", 0):
                return time.monotonic()

        thread, ended = in_thread(take)
        time.sleep(SHORT)
        assert not ended
        left = time.monotonic()
        connection.commit()
        thread.join()
        assert ended[0] >= left
        with pytest.raises(TransientError):
            lease.check(connection.cursor())


STEPS = st.tuples(st.integers(0, 2), st.sampled_from(["take", "beat", "write", "leave", "wait"]))


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=15))
def test_however_processes_come_and_go_one_at_most_may_write(site, planned, steps):
    """Against a model: who holds the batch, and whether its last sign of life is too old."""
    holders = [leases.Lease(planned.run_id, "embed", 7, UUID(int=number)) for number in range(3)]
    holds: int | None = None
    silent = False
    with Store(site.dsn) as store, store.transaction() as (cursor, _):  # the statements, not who waits for whom
        cursor.execute("DELETE FROM sync_leases")
        for number, step in steps:
            values = holders[number].parameters
            if step == "take":
                taken = cursor.execute(query("take_lease"), values | {"expires": 60.0}).fetchone() is not None
                assert taken == (holds is None or silent)
                holds, silent = (number, False) if taken else (holds, silent)
            elif step == "beat":
                assert (cursor.execute(query("beat_lease"), values).fetchone() is not None) == (holds == number)
                silent = silent and holds != number
            elif step == "leave":
                assert (cursor.execute(query("release_lease"), values).fetchone() is not None) == (holds == number)
                holds, silent = (None, False) if holds == number else (holds, silent)
            elif step == "wait":
                silent = holds is not None
                cursor.execute("UPDATE sync_leases SET heartbeat_at = heartbeat_at - interval '61 s'")
            elif holds == number:
                holders[number].check(cursor)
            else:
                with pytest.raises(TransientError):
                    holders[number].check(cursor)


EMBED = """
import sys
from pathlib import Path
from hash_models import register
from corpus import config, leases, pipeline, session
register()
leases.EXPIRES = session.STANDS_STILL = float(sys.argv[4])
settings = config.load(Path(sys.argv[1]))
pipeline.embed(settings, sys.argv[2], int(sys.argv[3]), 0)
"""


@contextmanager
def embedding(site: Site, run: int) -> Iterator[subprocess.Popen[str]]:
    """A process that embeds the first batch of texts of a run, and inside stores a later one of its parts."""
    command = [sys.executable, "-c", EMBED, str(site.config_file), site.dsn, str(run), str(SHORT)]
    values = {"run": run, "nothing": [0.5] * DIMENSIONS}
    with psycopg.connect(site.dsn) as connection:
        connection.execute(
            "INSERT INTO embeddings SELECT r.model_id, t.key, %(nothing)s::vector FROM sync_texts t"
            " JOIN sync_runs r ON r.id = t.run_id WHERE r.id = %(run)s ORDER BY t.tokens, t.key DESC LIMIT 1",
            values,
        )
        process = subprocess.Popen(command, env=environment(site), stderr=subprocess.PIPE, text=True)
        until(lambda: is_waited_for(site, connection))
        yield process
        connection.rollback()


def vectors(site: Site) -> int:
    return int(site.rows("SELECT count(*) AS vectors FROM embeddings")[0]["vectors"])


def test_a_process_that_stands_still_loses_its_batch_and_pays_for_one_part_twice_at_most(site, planned, short):
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    (texts,) = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    with embedding(site, planned.run_id) as first:
        os.kill(first.pid, signal.SIGSTOP)
        before = vectors(site)
    # It stands still within the transaction that stores its last part, and holds its lease by that.
    done = pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    assert done == {"embedded": texts.texts - before}
    assert 0 < before < texts.texts
    os.kill(first.pid, signal.SIGCONT)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 1, said
    assert "StoreUnavailable" in said.splitlines()[-2:][0], said  # which may be tried again
    assert vectors(site) == texts.texts
    assert site.rows("SELECT sum(texts)::int AS texts FROM cost_ledger") == [{"texts": texts.texts}]
    assert pipeline.publish(site.config, site.dsn, planned.run_id)["state"] == "succeeded"


def test_what_a_killed_process_held_is_free_after_its_last_sign_of_life(site, planned, short):
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    (texts,) = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    with embedding(site, planned.run_id) as first:
        first.kill()
        first.communicate()
    left = texts.texts - vectors(site)
    assert is_held(site)
    assert pipeline.embed(site.config, site.dsn, planned.run_id, texts.number) == {"embedded": left}
    assert not is_held(site)


def test_planning_again_takes_the_batches_from_those_who_work_by_the_plan_before(site, planned):
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    with (
        leases.held(site.dsn, planned.run_id, "embed", 0) as embeds,
        leases.held(site.dsn, planned.run_id, "prepare", 0) as prepares,
        Store(site.dsn) as store,
    ):
        pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
        with store.transaction() as (cursor, _):
            prepares.check(cursor)
            with pytest.raises(TransientError):
                embeds.check(cursor)
    keyed = pipeline.plan(site.config, site.dsn, site.name, key="night")
    with leases.held(site.dsn, keyed.run_id, "prepare", 0) as prepares, Store(site.dsn) as store:
        assert pipeline.plan(site.config, site.dsn, site.name, key="night").run_id == keyed.run_id
        with store.transaction() as (cursor, _), pytest.raises(TransientError):
            prepares.check(cursor)


def runs(site: Site) -> dict[int, dict[str, Any]]:
    return {row["id"]: row for row in site.rows("SELECT * FROM sync_runs ORDER BY id")}


def age(site: Site, interval: str) -> None:
    with psycopg.connect(site.dsn) as connection:
        connection.execute("UPDATE sync_runs SET heartbeat_at = heartbeat_at - %s::interval", [interval])


def test_a_run_whose_process_is_gone_is_closed_by_the_next_and_leaves_nothing_behind(site, planned):
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    assert pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    age(site, "30 s")
    second = pipeline.plan(site.config, site.dsn, site.name)
    assert runs(site)[planned.run_id]["state"] == "running"  # it may still live
    age(site, "31 s")
    third = pipeline.plan(site.config, site.dsn, site.name)
    assert {number: run["state"] for number, run in runs(site).items()} == {
        planned.run_id: "failed",
        second.run_id: "running",
        third.run_id: "running",
    }
    assert "ended without a word" in runs(site)[planned.run_id]["error"]
    assert runs(site)[planned.run_id]["finished_at"] == runs(site)[planned.run_id]["heartbeat_at"]
    assert site.rows("SELECT FROM sync_texts") == []
    assert site.rows("SELECT FROM sync_items WHERE staged IS NOT NULL OR keys IS NOT NULL") == []
    assert site.rows("SELECT FROM sync_leases") == []


def test_a_run_that_airflow_looks_after_may_wait_a_day_for_its_next_task(site, planned):
    keyed = pipeline.plan(site.config, site.dsn, site.name, key="night")
    age(site, "23 h")
    pipeline.plan(site.config, site.dsn, site.name)
    assert [run["state"] for run in runs(site).values()] == ["failed", "running", "running"]
    age(site, "2 h")
    pipeline.plan(site.config, site.dsn, site.name, key="next night")
    assert runs(site)[keyed.run_id]["state"] == "failed"


def test_runs_of_other_corpora_and_runs_that_are_over_are_left_alone(site, planned):
    with psycopg.connect(site.dsn) as connection:
        connection.execute("INSERT INTO corpora (name) VALUES ('other')")
        connection.execute("UPDATE sync_runs SET corpus = 'other'")
    done = site.sync()
    age(site, "1 h")
    site.sync()
    assert runs(site)[planned.run_id]["state"] == "running"
    assert (runs(site)[done["run_id"]]["state"], runs(site)[done["run_id"]]["error"]) == ("succeeded", None)


def test_stages_show_signs_of_life_for_their_run(site, planned, short):
    before = runs(site)[planned.run_id]["heartbeat_at"]
    with leases.at_work(site.dsn, planned.run_id):
        until(lambda: runs(site)[planned.run_id]["heartbeat_at"] > before)
    between = runs(site)[planned.run_id]["heartbeat_at"]
    with leases.held(site.dsn, planned.run_id, "prepare", 0):
        until(lambda: runs(site)[planned.run_id]["heartbeat_at"] > between)


def test_a_run_of_many_short_batches_shows_signs_of_life_too(site, planned):
    age(site, "1 h")
    with leases.held(site.dsn, planned.run_id, "prepare", 0):
        pass
    pipeline.plan(site.config, site.dsn, site.name)
    assert runs(site)[planned.run_id]["state"] == "running"


@pytest.mark.parametrize("gone", ["staged", "embedded"])
def test_a_run_that_was_given_up_and_wakes_up_does_no_harm(site, planned, fresh_database, gone):
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    texts = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    if gone == "embedded":
        for batch in texts:
            pipeline.embed(site.config, site.dsn, planned.run_id, batch.number)
    age(site, "1 h")
    site.write("3.md", text(random.Random(9)), at=OLD + 5)
    site.sync()
    assert runs(site)[planned.run_id]["state"] == "failed"
    before = site.content()
    for batch in texts:
        pipeline.embed(site.config, site.dsn, planned.run_id, batch.number)
    assert pipeline.publish(site.config, site.dsn, planned.run_id)["state"] == "failed"
    assert site.content() == before
    # Airflow's operator may clear its tasks instead: then it prepares again and is a run like any other.
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    for batch in pipeline.plan_embeddings(site.config, site.dsn, planned.run_id):
        pipeline.embed(site.config, site.dsn, planned.run_id, batch.number)
    assert pipeline.publish(site.config, site.dsn, planned.run_id)["state"] == "succeeded"
    site.sync()
    fresh = Site(site.root, fresh_database(), site.settings)
    fresh.sync()
    assert served(site) == served(fresh)


def test_a_killed_run_is_seen_to_have_failed_once_the_next_has_ended_well(site, planned):
    second = pipeline.plan(site.config, site.dsn, site.name)
    age(site, "61 s")
    pipeline.prepare(site.config, site.dsn, second.run_id, 0)
    for batch in pipeline.plan_embeddings(site.config, site.dsn, second.run_id):
        pipeline.embed(site.config, site.dsn, second.run_id, batch.number)
    assert runs(site)[planned.run_id]["state"] == "running"
    pipeline.publish(site.config, site.dsn, second.run_id)
    assert [run["state"] for run in runs(site).values()] == ["failed", "succeeded"]
