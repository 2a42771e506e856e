"""A running Airflow, the corpora that it syncs, and what a test does to them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg
import yaml
from site_under_test import Site

from corpus import server

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import kerf_local  # noqa: E402
import local_airflow  # noqa: E402

TOPICS = ("apples", "bridges", "clocks", "drums", "engines")
PHRASE = "kept where the old lighthouse stood"
PATIENCE = 480  #: seconds that anything may take on a busy machine
REPROCESS = "corpus_reprocess"


def fill(site: Site) -> None:
    """Five documents, three batches of at most two. No other corpus has the same texts, and so the same vectors."""
    for topic in TOPICS:
        site.write(f"{topic}.md", f"# All about {topic}\n\nThe {site.name} {topic} are {PHRASE}, all of them.\n")


def published(site: Site) -> list[str]:
    rows = site.rows(
        "SELECT uri FROM documents WHERE corpus = %(corpus)s AND deleted_at IS NULL ORDER BY uri", corpus=site.name
    )
    return [row["uri"] for row in rows]


def texts(site: Site) -> dict[str, list[str]]:
    """What a search can find of each document, in order."""
    found: dict[str, list[str]] = {}
    for row in site.rows(
        "SELECT d.uri, c.text FROM documents d JOIN children c ON c.document_id = d.id"
        " WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL ORDER BY d.uri, c.ordinal",
        corpus=site.name,
    ):
        found.setdefault(row["uri"], []).append(row["text"])
    return found


Found = TypeVar("Found")


def await_(what: Callable[[], Found | None]) -> Found:
    """Wait until there is something, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, f"waited {PATIENCE} s in vain"
        time.sleep(0.3)
    return found


@dataclass(frozen=True)
class Deployment:
    """A running Airflow and the corpora that it syncs, in one database on a server of its own."""

    airflow: local_airflow.Airflow
    dsn: str
    metadata: str
    root: Path
    corpus_home: Path  #: of the server with the corpora
    environment: Mapping[str, str]

    def site(self, corpus: str) -> Site:
        return Site(self.root / corpus, self.dsn, name=corpus)

    def configure(self, corpus: str, **settings: Any) -> None:
        """Change the settings of a corpus; the next task that starts goes by them."""
        file = self.root / "corpora.yaml"
        configuration = yaml.safe_load(file.read_text())
        configuration["corpora"][corpus] |= settings
        draft = file.with_suffix(".draft")
        draft.write_text(yaml.safe_dump(configuration))
        draft.rename(file)

    def run(self, corpus: str, **conf: Any) -> tuple[str, str]:
        """Trigger a run and wait for its end: its id and its state."""
        run_id = self.airflow.trigger(sync_of(corpus), **conf)
        return run_id, self.wait(corpus, run_id)

    def wait(self, corpus: str, run_id: str) -> str:
        return self.wait_for({sync_of(corpus): run_id})[0]

    def wait_for(self, runs: Mapping[str, str]) -> list[str]:
        """The states in which these runs, by their DAGs, end."""
        return list(self.airflow.wait(runs, seconds=PATIENCE).values())

    def states(self, corpus: str, run_id: str) -> dict[str, list[str]]:
        """The states of each task's instances, in the order of the batches."""
        return self.states_of(sync_of(corpus), run_id)

    def states_of(self, dag_id: str, run_id: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for task in sorted(self.airflow.tasks(dag_id, run_id), key=lambda task: task["map_index"]):
            found.setdefault(task["task_id"], []).append(task["state"])
        return found

    def task(self, dag_id: str, run_id: str, task_id: str) -> dict[str, Any]:
        """A task that is not mapped."""
        (found,) = [task for task in self.airflow.tasks(dag_id, run_id) if task["task_id"] == task_id]
        return found

    def log(self, dag_id: str, run_id: str, task_id: str) -> str:
        return self.airflow.log(dag_id, run_id, self.task(dag_id, run_id, task_id))

    def events(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """What a run told of assets."""
        return self.airflow.call("GET", "assets/events", source_dag_id=dag_id, source_run_id=run_id)["asset_events"]

    def clear(self, corpus: str, run_id: str, *tasks: Any) -> None:
        """Clear tasks with all that come after them, whatever became of them."""
        self.airflow.call(
            "POST",
            f"dags/{sync_of(corpus)}/clearTaskInstances",
            {
                "dry_run": False,
                "dag_run_id": run_id,
                "task_ids": list(tasks),
                "only_failed": False,
                "include_downstream": True,
            },
        )

    def command(self, *arguments: str) -> str:
        """Run `airflow …`; what it printed."""
        done = subprocess.run(
            [str(kerf_local.PROGRAMS / "airflow"), *arguments],
            env=dict(self.environment),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def backfill(self, corpus: str, first: str, last: str, *options: str) -> Callable[[], list[dict[str, Any]]]:
        """Start a backfill of the intervals that begin on these days; what waits for it, and gives its runs by date."""
        dag_id = sync_of(corpus)
        days = int((datetime.fromisoformat(last) - datetime.fromisoformat(first)).days) + 1
        since = datetime.now(UTC).isoformat()
        to_date = f"{last}T12:00:00"
        self.command("backfill", "create", "--dag-id", dag_id, "--from-date", first, "--to-date", to_date, *options)

        def ended() -> list[dict[str, Any]] | None:
            self.airflow.check()
            found = self.airflow.call("GET", f"dags/{dag_id}/dagRuns", run_type="backfill", end_date_gte=since)
            runs = [run for run in found["dag_runs"] if run["state"] in ("success", "failed")]
            over = self.may_backfill(corpus) and len(runs) == days
            return sorted(runs, key=lambda run: run["logical_date"]) if over else None

        return lambda: await_(ended)

    def may_backfill(self, corpus: str) -> bool:
        """Whether no backfill is under way; there can be but one at a time, and one without runs takes time too."""
        backfills = self.airflow.call("GET", "backfills", dag_id=sync_of(corpus))["backfills"]
        return all(made["completed_at"] for made in backfills)

    def waiting(self, table: str) -> int:
        """How many processes wait for a table of the corpus database."""
        with psycopg.connect(self.dsn) as connection:
            row = connection.execute(
                "SELECT count(DISTINCT pid) FROM pg_locks WHERE relation = %s::regclass AND NOT granted", [table]
            ).fetchone()
        assert row is not None
        return int(row[0])

    @contextmanager
    def held(self, table: str, *, reading: bool = False) -> Iterator[Callable[[int], None]]:
        """Let nobody write to a table of the corpus database meanwhile, or not even read it.

        Yields what waits until so many processes want to.
        """
        mode = "ACCESS EXCLUSIVE" if reading else "SHARE ROW EXCLUSIVE"
        connection = psycopg.connect(self.dsn)
        try:
            connection.execute(f"LOCK TABLE {table} IN {mode} MODE")
            yield lambda processes: await_(lambda: self.waiting(table) >= processes)
        finally:
            connection.close()  # which forgets the lock, as a restart of the server has done already

    def restart_database(self) -> None:
        """Stop the server with the corpora, whatever is going on in it, and start it again."""
        assert server.stop(self.corpus_home)
        server.start(self.corpus_home)


def sync_of(corpus: str) -> str:
    return f"corpus_sync_{corpus}"


def kill(task: dict[str, Any]) -> None:
    """End the process of a task as the system does when memory runs out; its supervisor has the same title."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended by itself
            if any(task["id"] in word for word in process.cmdline()):
                found.append(process)
    (child,) = [process for process in found if process.parent() in found]
    child.kill()
