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


def test_every_dag_has_the_same_stages(dags: dict[str, Any]):
    def shape(dag: dict[str, Any]) -> dict[str, Any]:
        return {name: {**task, "outlets": None} for name, task in dag["tasks"].items()}

    (first, *others) = (shape(dag) for dag in dags.values())
    assert all(other == first for other in others)


def test_every_corpus_of_the_configuration_has_its_dag(bag: dict[str, Any]):
    assert bag["import_errors"] == {}
    assert set(bag["dags"]) == {"corpus_sync_handbook", "corpus_sync_by-hand", "corpus_reprocess"}


def test_parsing_is_quick_and_imports_no_heavy_library(bag: dict[str, Any]):
    assert bag["heavy"] == []
    assert bag["seconds"] < 2


def test_every_dag_says_what_it_is_and_bounds_its_runs(dags: dict[str, Any]):
    for dag in dags.values():
        assert len(dag["doc_md"]) > 200
        assert {"kerf", "corpus"} <= set(dag["tags"])
        assert dag["catchup"] is False
        assert 1 <= dag["max_active_runs"] <= 4
        assert dag["dagrun_timeout"] > 0
        for name, field in dag["form"].items():
            assert field["title"], name
            assert field["described"] or name == "corpus", name


def test_a_sync_has_one_run_at_a_time_and_does_by_itself_what_nobody_forbids(dags: dict[str, Any]):
    for corpus in ("handbook", "by-hand"):
        dag = dags[f"corpus_sync_{corpus}"]
        assert dag["max_active_runs"] == 1
        assert dag["run_types"] == []
        assert {name: (field["type"], field["default"]) for name, field in dag["form"].items()} == {
            "dry_run": ("boolean", False),
            "allow_mass_delete": ("boolean", False),
            "approved": ("boolean", False),
        }


def test_a_reprocess_is_by_hand_and_dry_wants_a_corpus_and_a_reason_and_takes_no_interval(dags: dict[str, Any]):
    dag = dags["corpus_reprocess"]
    assert dag["timetable"] == "NullTimetable"
    assert dag["run_types"] == ["manual", "operator_triggered"]
    form = dag["form"]
    assert form["corpus"]["enum"] == ["handbook", "by-hand"]
    assert form["from_stage"]["enum"] == ["parse", "cut", "embed"]
    assert form["glob"]["default"] == "**"
    assert form["dry_run"]["default"] is True
    assert form["approved"]["default"] is False
    assert form["reason"]["minLength"] == 1
    assert {name for name, field in form.items() if "default" not in field} == {"corpus", "reason"}


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
    assert {name: task["upstream"] for name, task in tasks.items()} == {
        "plan": [],
        "prepare": ["plan"],
        "plan_embeddings": ["prepare"],
        "approve": ["plan_embeddings"],
        "embed": ["approve", "plan_embeddings"],
        "publish": ["embed"],
        "settle": ["publish"],
    }
    assert {name: task["trigger_rule"] for name, task in tasks.items() if task["trigger_rule"] != "all_success"} == {
        "plan_embeddings": "all_done",
        "embed": "none_failed_min_one_success",  # a refusal skips `approve`, and `embed` only as far as it is about it
        "publish": "all_done",
        "settle": "all_done",
    }


def test_a_person_is_waited_for_so_long_that_the_run_and_its_night_are_still_there(dags: dict[str, Any]):
    for dag in dags.values():
        waits = {name: task["waits"] for name, task in dag["tasks"].items() if task["waits"]}
        assert waits == {"approve": 12 * 3600}
        assert waits["approve"] + 6 * 3600 <= dag["dagrun_timeout"] < 24 * 3600


def test_an_asset_is_updated_by_one_task_and_plans_have_assets_of_their_own(dags: dict[str, Any]):
    for corpus in ("handbook", "by-hand"):
        assert outlets(dags[f"corpus_sync_{corpus}"]) == {
            "plan": ["AssetAlias corpus_plans"],
            "publish": [f"Asset corpus/{corpus}"],
        }
    assert outlets(dags["corpus_reprocess"]) == {
        "plan": ["AssetAlias corpus_plans"],
        "publish": ["AssetAlias corpus_reprocess"],
    }


def outlets(dag: dict[str, Any]) -> dict[str, list[str]]:
    return {name: task["outlets"] for name, task in dag["tasks"].items() if task["outlets"]}


def test_parsing_twice_gives_the_same_dags(dags: dict[str, Any], tmp_path: Path):
    """Or Airflow would make a new version of each at every parse."""
    again = parsed(tmp_path, CONFIGURATION)["dags"]
    assert {name: dag["version"] for name, dag in again.items()} == {name: dag["version"] for name, dag in dags.items()}


def test_a_wrong_configuration_is_the_import_error_and_says_which_key(tmp_path: Path):
    bag = parsed(tmp_path, "corpora: {handbook: {source: {path: handbook}, shedule: '0 2 * * *'}}")
    assert bag["dags"] == {}
    assert len(bag["import_errors"]) == 2  # each file that needs it
    for error in bag["import_errors"].values():
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
