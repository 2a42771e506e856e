"""One Airflow for all tests that need a scheduler, started as `make up` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from site_under_test import Site

from corpus import database as databases

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import kerf_local  # noqa: E402
import local_airflow  # noqa: E402

BATCH = {"documents": 2}
CORPORA: dict[str, dict[str, Any]] = {
    "steady": {"batches": BATCH},
    "shaky": {"batches": BATCH},
    "flaky": {"batches": BATCH},
    "lost": {"batches": BATCH},
    "nights": {"batches": BATCH},
    "missing": {},
}


@dataclass(frozen=True)
class Deployment:
    """A running Airflow and the corpora that it syncs, in one database."""

    airflow: local_airflow.Airflow
    dsn: str
    metadata: str
    root: Path
    environment: Mapping[str, str]

    def site(self, corpus: str) -> Site:
        return Site(self.root / corpus, self.dsn, name=corpus)

    def run(self, corpus: str, **conf: Any) -> tuple[str, str]:
        """Trigger a run and wait for its end: its id and its state."""
        run_id = self.airflow.trigger(f"corpus_sync_{corpus}", **conf)
        return run_id, self.wait(corpus, run_id)

    def wait(self, corpus: str, run_id: str) -> str:
        (state,) = self.airflow.wait({f"corpus_sync_{corpus}": run_id}, seconds=240).values()
        return state

    def states(self, corpus: str, run_id: str) -> dict[str, list[str]]:
        """The states of each task's instances, in the order of the batches."""
        found: dict[str, list[str]] = {}
        for task in sorted(self.airflow.tasks(f"corpus_sync_{corpus}", run_id), key=lambda task: task["map_index"]):
            found.setdefault(task["task_id"], []).append(task["state"])
        return found

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


@pytest.fixture(scope="session")
def deployment(server_home: Path, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    root = tmp_path_factory.mktemp("deployment")
    corpora = {
        name: {"source": {"path": f"{name}/source"}, "schedule": "0 2 * * *", **body} for name, body in CORPORA.items()
    }
    (root / "corpora.yaml").write_text(yaml.safe_dump({"corpora": corpora}))
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith(("AIRFLOW", "KERF_")):
                patch.delenv(name)
        patch.setenv("KERF_CONFIG", str(root / "corpora.yaml"))
        with psycopg.connect(databases.dsn(server_home, "postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE deployment TEMPLATE {template}")
        dsn = databases.dsn(server_home, "deployment")
        home = root / "home"
        # The first delay between tries; each later one is twice as long.
        settings = {"AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "1"}
        airflow = kerf_local.start(home, schedules=False, dsn=dsn, settings=settings)
        try:
            metadata = databases.dsn(server_home, "deployment_airflow")
            environment = kerf_local.environment(home, dsn, metadata, port=airflow.port, schedules=False)
            yield Deployment(airflow, dsn, metadata, root, environment)
        finally:
            airflow.close()
            kerf_local.stop(home)
