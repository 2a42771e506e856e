"""What a fresh clone is set up with: Makefile, scripts/bootstrap, .ci/run, pre-commit."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SET_UPS = {"bootstrap", "bench-setup", "bench-data"}  #: targets of the Makefile that others need


@pytest.fixture(scope="module")
def makefile() -> str:
    return (ROOT / "Makefile").read_text()


def test_make_says_what_each_of_its_targets_does(makefile: str):
    shown = subprocess.run(["make", "--silent"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = set(re.findall(r"^([\w-]+):", makefile, flags=re.MULTILINE)) - SET_UPS
    assert set(re.findall(r"^make ([\w-]+) +\S", shown, flags=re.MULTILINE)) == targets
    assert {"help", "demo", "up", "down", "test", "lint"} <= targets


def test_every_target_that_uses_the_environment_sets_it_up_first(makefile: str):
    for target, needs, recipe in re.findall(r"^([\w-]+):(.*)\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE):
        assert "$(BIN)" not in recipe or SET_UPS & set(needs.split()), target
    assert "\nbench-setup: bootstrap\n" in makefile


def test_every_script_that_make_calls_exists(makefile: str):
    called = set(re.findall(r"scripts/[\w.]+", makefile))
    assert called
    assert all((ROOT / script).is_file() for script in called)


@pytest.mark.parametrize("script", [".ci/run", "scripts/bench_setup", "scripts/bootstrap"])
def test_the_scripts_are_bash_stop_at_the_first_error_and_can_be_run(script: str):
    assert "\nset -euo pipefail\n" in (ROOT / script).read_text()
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / script], check=True)


def test_bootstrap_leaves_an_environment_alone_that_is_as_it_should_be(tmp_path: Path):
    copy_set_up(tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/false")  # whoever used it would fail
    state = subprocess.run(
        "printf '%s %s' $(cat requirements.lock pyproject.toml | sha256sum | cut -d' ' -f1) \"$(python3 --version)\"",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (tmp_path / ".venv" / "kerf-state").write_text(state + "\n")
    subprocess.run([tmp_path / "scripts" / "bootstrap"], check=True)

    (tmp_path / "requirements.lock").write_text("a-new-one==1\n")
    changed = subprocess.run([tmp_path / "scripts" / "bootstrap"], check=False, capture_output=True, text=True)
    assert changed.returncode != 0
    assert "installing 1 locked packages" in changed.stderr


def test_bootstrap_names_the_python_that_it_needs(tmp_path: Path):
    """On a machine with nothing newer than 3.10, and nobody who may install packages."""
    copy_set_up(tmp_path)
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in ("bash", "dirname", "cat", "sha256sum", "cut"):
        (commands / name).symlink_to(subprocess.check_output(["which", name], text=True).strip())
    for name, does in {
        "python3": 'case "$1" in --version) echo Python 3.10.12 ;; *) exit 1 ;; esac',
        "id": "echo 1000",
    }.items():
        (commands / name).write_text(f"#!/bin/sh\n{does}\n")
        (commands / name).chmod(0o755)
    done = subprocess.run(
        [tmp_path / "scripts" / "bootstrap"],
        env={"PATH": str(commands)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "apt-get install python3 python3-venv" in done.stderr


def copy_set_up(folder: Path) -> None:
    for file in ("scripts/bootstrap", "requirements.lock", "pyproject.toml"):
        target = folder / file
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((ROOT / file).read_bytes())
        target.chmod((ROOT / file).stat().st_mode)


def test_the_hooks_run_the_tools_of_the_environment():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    assert [(hook["id"], hook["language"]) for hook in hooks[0]["hooks"]] == [
        ("ruff-check", "system"),
        ("ruff-format", "system"),
        ("mypy", "system"),
    ]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks[0]["hooks"])
