"""What holds for every DAG, read from a process of its own, as Airflow's DAG processor parses them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

CONFIGURATION = """
corpora:
  handbook: {source: {path: handbook}}
  by-hand: {source: {path: by-hand}, schedule: null}
"""


def parsed(home: Path, configuration: str) -> dict[str, Any]:
    """The DAGs that this configuration gives."""
    (home / "corpora.yaml").write_text(configuration)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    settings = {"AIRFLOW_HOME": str(home), "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags")}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("describe_dags.py")), str(ROOT)],
        env=inherited | settings | {"KERF_CONFIG": str(home / "corpora.yaml")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index('{"dags"') :])


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return parsed(tmp_path_factory.mktemp("airflow"), CONFIGURATION)


@pytest.fixture(scope="module")
def dags(bag: dict[str, Any]) -> dict[str, Any]:
    return bag["dags"]


@pytest.fixture(scope="module")
def tasks(dags: dict[str, Any]) -> dict[str, Any]:
    return dags["corpus_sync_handbook"]["tasks"]


def test_every_corpus_of_the_configuration_has_its_dag(bag: dict[str, Any]):
    assert bag["import_errors"] == {}
    assert set(bag["dags"]) == {"corpus_sync_handbook", "corpus_sync_by-hand"}


def test_parsing_is_quick_and_imports_no_heavy_library(bag: dict[str, Any]):
    assert bag["heavy"] == []
    assert bag["seconds"] < 2


def test_every_dag_says_what_it_is_and_bounds_its_runs(dags: dict[str, Any]):
    for dag in dags.values():
        assert len(dag["doc_md"]) > 200
        assert {"kerf", "corpus"} <= set(dag["tags"])
        assert dag["catchup"] is False
        assert dag["max_active_runs"] == 1
        assert dag["dagrun_timeout"] > 0
        assert dag["params"] == {"allow_mass_delete": {"type": "boolean", "title": "Allow mass deletion"}}


def test_a_nightly_run_has_an_interval_and_a_corpus_without_schedule_has_none(dags: dict[str, Any]):
    assert dags["corpus_sync_handbook"]["timetable"] == "CronDataIntervalTimetable"
    assert dags["corpus_sync_by-hand"]["timetable"] == "NullTimetable"


def test_every_task_has_an_owner_a_limit_and_retries_with_backoff(dags: dict[str, Any]):
    for dag in dags.values():
        for task in dag["tasks"].values():
            assert task["owner"] == "kerf"
            assert task["retries"] >= 1
            assert task["backoff"] > 1
            assert 0 < task["execution_timeout"] < dag["dagrun_timeout"]


def test_only_what_may_succeed_later_is_tried_again(tasks: dict[str, Any]):
    for task in tasks.values():
        assert task["after"] == {
            "database away": "retry",
            "damaged file": "fail",
            "wrong setting": "fail",
            "too much vanished": "fail",
            "bug": "fail",
        }


def test_heavy_tasks_have_pools_of_their_own_and_a_name_for_each_batch(tasks: dict[str, Any]):
    assert (tasks["prepare"]["pool"], tasks["embed"]["pool"]) == ("parsing", "embedding")
    assert tasks["embed"]["queue"] == "embedding"
    assert {name for name, task in tasks.items() if task["mapped"]} == {"prepare", "embed"}
    assert tasks["prepare"]["map_index_template"] == tasks["embed"]["map_index_template"] == "{{ label }}"


def test_what_follows_a_mapped_step_runs_whatever_came_of_it(tasks: dict[str, Any]):
    order = ["plan", "prepare", "plan_embeddings", "embed", "publish", "settle"]
    assert list(tasks) == order
    assert [task["upstream"] for task in tasks.values()] == [[], *([name] for name in order[:-1])]
    assert {name for name, task in tasks.items() if task["trigger_rule"] == "all_done"} == {
        "plan_embeddings",
        "publish",
        "settle",
    }


def test_the_asset_is_updated_by_publish_alone(tasks: dict[str, Any]):
    assert {name: task["outlets"] for name, task in tasks.items() if task["outlets"]} == {
        "publish": ["corpus/handbook"]
    }


def test_parsing_twice_gives_the_same_dags(dags: dict[str, Any], tmp_path: Path):
    """Or Airflow would make a new version of each at every parse."""
    again = parsed(tmp_path, CONFIGURATION)["dags"]
    assert {name: dag["version"] for name, dag in again.items()} == {name: dag["version"] for name, dag in dags.items()}


def test_a_wrong_configuration_is_the_import_error_and_says_which_key(tmp_path: Path):
    bag = parsed(tmp_path, "corpora: {handbook: {source: {path: handbook}, shedule: '0 2 * * *'}}")
    (error,) = bag["import_errors"].values()
    assert bag["dags"] == {}
    assert "corpora.yaml" in error
    assert "corpora.handbook.shedule" in error
    assert "pydantic" not in error
    assert "During handling" not in error


def test_no_file_of_dags_or_plugins_hides_a_module(tmp_path: Path):
    """Airflow puts dags/ on sys.path, and loads each file of plugins/ under its bare name."""
    files = [*(ROOT / "dags").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]
    known = "import importlib.util, sys; print([n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    done = subprocess.run(
        [sys.executable, "-c", known, *(file.stem for file in files)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    assert not [file for file in files if file.name == "__init__.py"]
