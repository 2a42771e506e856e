"""Runs over one corpus that overlap, stages that run twice at once, and readers while documents are swapped."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
import yaml
from hash_models import HASH_A, register
from psycopg.rows import dict_row
from site_under_test import OLD, Site

from corpus import pipeline
from corpus.config import Config
from corpus.database import running
from corpus.errors import KerfError
from corpus.records import Reprocess
from corpus.search import search

register()

SECONDS = float(os.environ.get("KERF_TEST_OVERLAP", "35"))  #: of overlapping runs
DOCUMENTS = 40
BOATS = ["ferry", "barge", "pilot", "tug", "yacht", "trawler", "cutter", "dredger", "lighter", "sloop"]
STAGES: tuple[Literal["parse", "cut", "embed"], ...] = ("parse", "cut", "embed")
PLACES = ["mole", "quay", "buoy", "crane", "dock", "berth", "slip", "gate", "shed", "light"]

#: what searches can find; versions and where documents came from depend on the history of a corpus
SERVED = {
    "documents": "SELECT id, uri, content_hash, media_type, title, source_url, language, date, author, tags,"
    " permissions, recipe, recipe_because, warnings, parse_fingerprint, cut_fingerprint, payload_hash, parents,"
    " children FROM documents WHERE deleted_at IS NULL ORDER BY id",
    "parents": "SELECT p.* FROM parents p JOIN documents d ON d.id = p.document_id WHERE d.deleted_at IS NULL"
    " ORDER BY p.id",
    "children": "SELECT c.* FROM children c JOIN documents d ON d.id = c.document_id WHERE d.deleted_at IS NULL"
    " ORDER BY c.id",
    "quarantine": "SELECT document_id, uri, error_class, message, content_hash, parse_fingerprint FROM quarantine"
    " ORDER BY document_id",
    "without a vector": "SELECT c.id FROM children c JOIN documents d ON d.id = c.document_id"
    " JOIN corpora k ON k.name = d.corpus LEFT JOIN embeddings e ON e.model_id = k.active_model AND e.key = c.key"
    " WHERE d.deleted_at IS NULL AND e.key IS NULL",
}


def served(site: Site) -> dict[str, list[dict[str, Any]]]:
    return {name: site.rows(statement) for name, statement in SERVED.items()}


def text(dice: random.Random, *, sections: int = 3) -> str:
    parts = []
    for number in range(sections):
        said = [
            f"The {dice.choice(BOATS)} waits at the {dice.choice(PLACES)} until {dice.randrange(24)}." for _ in range(9)
        ]
        parts.append(f"## Part {number}\n\n{' '.join(said)}")
    return "# Harbour\n\n" + "\n\n".join(parts) + "\n"


class Editor:
    """Edits, renames, swaps, empties and deletes the files of a source, each in one step."""

    def __init__(self, site: Site, seed: int) -> None:
        self.source = site.source
        self.aside = site.root / "aside"
        self.dice = random.Random(seed)
        self.made = 0

    def put(self, file: Path, content: str) -> None:
        self.aside.write_text(content)
        file.parent.mkdir(exist_ok=True)
        self.aside.rename(file)

    def create(self) -> None:
        self.made += 1
        self.put(self.source / f"folder{self.made % 3}" / f"{self.made:04}.md", text(self.dice))

    def step(self) -> None:
        files = sorted(file for file in self.source.rglob("*") if file.is_file())
        one, other = self.dice.sample(files, 2)
        match self.dice.randrange(8):
            case 0 | 1 | 2:
                self.put(one, one.read_text() + f"\nThe {self.dice.choice(BOATS)} is late.\n")
            case 3:
                one.rename(one.with_name(f"moved-{self.made}-{one.name[-7:]}"))
                self.made += 1
            case 4:
                one.rename(self.aside)
                other.rename(one)
                self.aside.rename(other)
            case 5:
                self.put(one, "")
            case 6 if len(files) > DOCUMENTS // 2:
                one.unlink()
            case _:
                self.create()

    def heal(self) -> None:
        """A document that is in quarantine is served as it last was, which a fresh corpus cannot know."""
        for file in self.source.rglob("*"):
            if file.is_file() and not file.stat().st_size:
                self.put(file, text(self.dice))


def environment(site: Site) -> dict[str, str]:
    """For a process beside this one, which finds the models of the tests too."""
    paths = os.pathsep.join(sys.path)
    return os.environ | {"KERF_DATABASE_URL": site.dsn, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}


SYNCS = """
import sys, time
from pathlib import Path
from hash_models import register
from corpus import config, pipeline
from corpus.errors import KerfError
register()
settings, end = config.load(Path(sys.argv[1])), float(sys.argv[3])
while time.time() < end:
    try:
        print(pipeline.sync(settings, sys.argv[2], "site")["state"], flush=True)
    except KerfError as error:
        print(type(error).__name__, error, flush=True)
"""


def syncs(site: Site, config: Path, end: float) -> subprocess.Popen[str]:
    """A process that syncs again and again until `end`, with a line for each run."""
    command = [sys.executable, "-c", SYNCS, str(config), site.dsn, str(end)]
    return subprocess.Popen(command, env=environment(site), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def backfill(config: Config, site: Site) -> None:
    now = datetime.now(UTC)
    window = (now - timedelta(days=1), now + timedelta(days=1))
    run = pipeline.plan(config, site.dsn, site.name, window=window)
    for batch in run.batches:
        pipeline.prepare(config, site.dsn, run.run_id, batch.number)
    for texts in pipeline.plan_embeddings(config, site.dsn, run.run_id):
        pipeline.embed(config, site.dsn, run.run_id, texts.number)
    pipeline.publish(config, site.dsn, run.run_id)
    pipeline.settle(config, site.dsn, run.run_id)


def deadlocks(site: Site) -> int:
    """How many Postgres has had to break in this database."""
    with psycopg.connect(site.dsn, autocommit=True) as connection:
        row = connection.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def threads(*bodies: Callable[[], None]) -> Iterator[None]:
    """Run bodies beside the caller; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def guarded(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as error:  # noqa: BLE001 (it is raised again below)
            raised.append(error)

    started = [threading.Thread(target=guarded, args=[body]) for body in bodies]
    for thread in started:
        thread.start()
    try:
        yield
    finally:
        for thread in started:
            thread.join()
    if raised:
        raise raised[0]


@pytest.mark.timeout(SECONDS + 300)
def test_overlapping_runs_end_where_a_fresh_corpus_would(site, fresh_database, server_home):
    """Two nightly runs with batches of their own, a backfill and a reprocess, again and again, while files change."""
    model = {"model": HASH_A.name, "batch_texts": 8, "task_texts": 24}
    site.settings = {"batches": {"documents": 5}, "embedding": model}
    site.settings |= {"deletion_guard": {"share": 1.0}, "limits": {"failed_share": 1.0}}
    config = site.config
    other = site.root / "other.yaml"
    settings = site.settings | {"batches": {"documents": 9}, "embedding": model | {"batch_texts": 5, "task_texts": 15}}
    other.write_text(yaml.safe_dump({"corpora": {site.name: {"source": {"path": str(site.source)}, **settings}}}))
    editor = Editor(site, seed=11)
    for _ in range(DOCUMENTS):
        editor.create()
    end = time.time() + SECONDS
    runs: list[str] = []

    def again_and_again(run: Callable[[], object]) -> None:
        while time.time() < end:
            try:
                run()
                runs.append("succeeded")
            except KerfError as error:
                runs.append(f"{type(error).__name__} {error}")

    def backfilling() -> None:
        again_and_again(lambda: backfill(config, site))

    def reprocessing() -> None:
        dice = random.Random(12)
        again_and_again(lambda: site.sync(reprocess=Reprocess("folder1/**", dice.choice(STAGES), "a test"), yes=True))

    processes = [syncs(site, file, end) for file in (site.config_file, other)]
    with threads(backfilling, reprocessing):
        while time.time() < end:
            editor.step()
            time.sleep(editor.dice.uniform(0.01, 0.2))
    for process in processes:
        said, complaints = process.communicate(timeout=120)
        assert process.returncode == 0, complaints
        assert said
        runs += said.splitlines()
    failures = [run for run in runs if run != "succeeded"]
    assert "deadlock" not in "".join(failures)
    assert len(failures) <= len(runs) / 4, failures  # a document may have changed too often while it was read
    overlaps = site.rows(
        "SELECT count(*) AS runs FROM sync_runs a JOIN sync_runs b ON a.id < b.id AND b.started_at < a.finished_at"
    )
    assert overlaps[0]["runs"] >= 3

    editor.heal()
    assert site.sync()["state"] == "succeeded"
    fresh = Site(site.root, fresh_database(), site.settings)
    fresh.sync()
    assert served(site) == served(fresh)
    assert served(site)["without a vector"] == served(site)["quarantine"] == []
    again = site.sync()
    assert (again["parsed"], again["embedded"], again["rows_written"]) == (0, 0, 0)
    assert deadlocks(site) == 0
    server = running(server_home)
    assert server is not None
    assert "deadlock detected" not in (server.data / "log").read_text(errors="replace")


STAGE = """
import sys, time
from pathlib import Path
from hash_models import register
from corpus import config, pipeline
register()
settings = config.load(Path(sys.argv[1]))
stage, arguments = sys.argv[3], [int(argument) for argument in sys.argv[5:]]
Path(sys.argv[4]).touch()
while not Path(sys.argv[4]).with_name("go").exists():
    time.sleep(0.001)
getattr(pipeline, stage)(settings, sys.argv[2], *arguments)
"""


def twice(site: Site, stage: str, *arguments: int) -> None:
    """Run a stage in two processes that start it at the same moment."""
    go = site.root / "go"
    go.unlink(missing_ok=True)
    processes = []
    for number in range(2):
        ready = site.root / f"ready{number}"
        ready.unlink(missing_ok=True)
        command = [
            sys.executable,
            "-c",
            STAGE,
            str(site.config_file),
            site.dsn,
            stage,
            str(ready),
            *map(str, arguments),
        ]
        processes.append((ready, subprocess.Popen(command, env=environment(site), stderr=subprocess.PIPE)))
    while not all(ready.exists() or process.poll() is not None for ready, process in processes):
        time.sleep(0.01)
    go.touch()
    for _, process in processes:
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr.decode()


def test_a_stage_that_runs_twice_at_once_does_what_it_does_once(site, fresh_database):
    site.settings = {"embedding": {"model": HASH_A.name, "batch_texts": 4}}
    assert site.config.corpora
    dice = random.Random(3)
    for number in range(24):
        site.write(f"{number:02}.md", text(dice))
    site.write("bad.md", b"")
    before = site.written()
    planned = pipeline.plan(site.config, site.dsn, site.name)
    assert len(planned.batches) == 1
    twice(site, "prepare", planned.run_id, planned.batches[0].number)
    twice(site, "plan_embeddings", planned.run_id)
    (texts,) = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    twice(site, "embed", planned.run_id, texts.number)
    twice(site, "publish", planned.run_id)
    twice(site, "settle", planned.run_id)

    fresh = Site(site.root, fresh_database(), site.settings)
    undisturbed = fresh.sync()
    assert site.content() == fresh.content()
    assert site.rows("SELECT DISTINCT version FROM documents") == [{"version": 1}]
    assert site.rows("SELECT attempts FROM quarantine") == [{"attempts": 1}]
    done = site.rows("SELECT * FROM sync_runs")[0]
    for count in ("documents", "children", "embedded", "reused", "parsed", "rows_written", "state"):
        assert done[count] == undisturbed[count], count
    assert site.written() - before == done["rows_written"]
    assert site.rows("SELECT sum(texts)::int AS texts FROM cost_ledger") == [{"texts": done["embedded"]}]
    assert site.rows("SELECT FROM sync_leases") == []


NIGHTS = 50  #: in each of which every gate is another version
GATES = 20


def gate(number: int, night: int) -> str:
    """Two versions that share no child, and differ in the number and the order of their sections."""
    said, parts = ("is locked at six in winter", range(4)) if night % 2 else ("is open until ten in summer", (3, 1))
    return "\n\n".join(f"## Part {n}\n\n{' '.join([f'Gate {number} at pier {n} {said}.'] * 9)}" for n in parts)


def test_a_reader_sees_one_version_or_the_other_and_never_none(site):
    site.settings = {"embedding": {"model": HASH_A.name}}
    uris = [f"{number:02}.md" for number in range(GATES)]

    def write(night: int) -> None:
        for number, uri in enumerate(uris):
            site.write(uri, gate(number, night), at=OLD + night)

    versions: dict[tuple[str, bytes], dict[str, list[str]]] = {}
    for night in range(2):
        write(night)
        site.sync()
        for row in site.rows("SELECT id, uri, content_hash FROM documents"):
            versions[row["uri"], row["content_hash"]] = {
                table: [
                    found["text"]
                    for found in site.rows(
                        f"SELECT text FROM {table} WHERE document_id = %(id)s ORDER BY text", id=row["id"]
                    )
                ]
                for table in ("children", "parents")
            }
    assert len(versions) == 2 * GATES
    config, over = site.config, threading.Event()
    seen: dict[str, set[tuple[str, bytes]]] = {"statement": set(), "transaction": set(), "search": set()}

    def by_statement() -> None:
        with psycopg.connect(site.dsn, autocommit=True, row_factory=dict_row) as connection:
            while not over.is_set():
                rows = connection.execute(
                    "SELECT d.uri, d.content_hash, d.children, array_agg(c.text ORDER BY c.text) AS texts,"
                    " array_agg(DISTINCT p.text) AS parents, count(e.key) AS vectors"
                    " FROM documents d LEFT JOIN children c ON c.document_id = d.id"
                    " LEFT JOIN parents p ON p.id = c.parent_id LEFT JOIN embeddings e ON e.key = c.key"
                    " WHERE d.deleted_at IS NULL GROUP BY d.id"
                ).fetchall()
                assert len(rows) == GATES
                for row in rows:
                    version = versions[row["uri"], row["content_hash"]]
                    assert row["texts"] == version["children"]
                    assert set(row["parents"]) == set(version["parents"])
                    assert row["children"] == row["vectors"] == len(row["texts"])
                    seen["statement"].add((row["uri"], row["content_hash"]))
                time.sleep(0.01)

    def by_transaction() -> None:
        with psycopg.connect(site.dsn, row_factory=dict_row) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            while not over.is_set():
                with connection.transaction():
                    documents = connection.execute("SELECT * FROM documents WHERE deleted_at IS NULL").fetchall()
                    assert len(documents) == GATES
                    time.sleep(0.01)
                    for document in documents:
                        version = versions[document["uri"], document["content_hash"]]
                        for table, texts in version.items():
                            rows = connection.execute(
                                f"SELECT text FROM {table} WHERE document_id = %s ORDER BY text", [document["id"]]
                            ).fetchall()
                            assert [row["text"] for row in rows] == texts
                        seen["transaction"].add((document["uri"], document["content_hash"]))

    def by_search() -> None:
        while not over.is_set():
            found = search(config, site.dsn, site.name, "When is the gate locked?", limit=50)
            assert found.results
            texts: dict[str, set[str]] = {}
            for result in found.results:
                texts.setdefault(result.uri, set()).add(result.text)
            for uri, some in texts.items():
                (hashed,) = [h for (u, h), version in versions.items() if u == uri and some <= set(version["children"])]
                seen["search"].add((uri, hashed))
            time.sleep(0.01)

    with threads(by_statement, by_transaction, by_search):
        try:
            for night in range(2, NIGHTS + 2):
                write(night)
                assert pipeline.sync(config, site.dsn, site.name)["documents"]["changed"] == GATES
        finally:
            over.set()
    assert seen["statement"] == seen["transaction"] == set(versions)
    assert {uri for uri, _ in seen["search"]} == set(uris)
    assert site.rows("SELECT DISTINCT version FROM documents") == [{"version": NIGHTS + 2}]
