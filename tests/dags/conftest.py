"""One Airflow for all tests that need a scheduler, started as `make up` starts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from airflow_under_test import Deployment, kerf_local

from corpus import database as databases
from corpus import server

BATCH = {"batches": {"documents": 2}}
ASKS_SOON = {"spending_guard": {"share": 0.0, "tokens": 0}}
CORPORA: dict[str, dict[str, Any]] = {
    # test_scheduler
    "steady": BATCH,
    "shaky": BATCH,
    "flaky": BATCH,
    "missing": {},
    # test_backfills
    "nights": BATCH,
    "folders": {"source": {"path": "folders/source", "partition": "dt=%Y-%m-%d"}},
    "beside": BATCH,
    # test_reprocess
    "again": BATCH,
    # test_approval
    "guarded": BATCH | ASKS_SOON | {"cutting": {"size": 100}},
    # test_restarts
    "restarted": BATCH,
    "lost": BATCH,
    "gone": BATCH,
    "midway": BATCH,
    "anew": BATCH,
}
TASKS = 4  #: at a time: some tests hold several runs in one stage, where they only wait


@pytest.fixture(scope="session")
def deployment(server_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Its corpora lie on a server of their own, so that Airflow's metadata stay when that one is restarted."""
    root = tmp_path_factory.mktemp("deployment")
    corpora = {
        name: {"source": {"path": f"{name}/source"}, "schedule": "0 2 * * *", **body} for name, body in CORPORA.items()
    }
    (root / "corpora.yaml").write_text(yaml.safe_dump({"corpora": corpora}))
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="kerf-corpora-") as folder:
        for name in [*os.environ]:
            if name.startswith(("AIRFLOW", "KERF_")):
                patch.delenv(name)
        patch.setenv("KERF_CONFIG", str(root / "corpora.yaml"))
        corpus_home = Path(folder)
        corpus_home.chmod(0o755)  # as root the server runs as somebody else
        home = root / "home"
        try:
            dsn = databases.dsn(corpus_home, "deployment")
            metadata = databases.dsn(server_home, "deployment_airflow")
            settings = {
                "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": databases.sqlalchemy_uri(metadata),
                "AIRFLOW__CORE__PARALLELISM": str(TASKS),
                "AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "1",  # the first delay; each later one is twice as long
            }
            airflow = kerf_local.start(home, schedules=False, dsn=dsn, settings=settings)
            with closing(airflow):
                for pool in kerf_local.POOLS:
                    airflow.call("PATCH", f"pools/{pool}", {"pool": pool, "slots": TASKS, "include_deferred": False})
                variables = kerf_local.environment(home, dsn, metadata, port=airflow.port, schedules=False)
                yield Deployment(airflow, dsn, metadata, root, corpus_home, variables | settings)
        finally:
            kerf_local.stop(home)
            server.stop(corpus_home)
