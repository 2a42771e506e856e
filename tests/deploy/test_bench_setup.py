"""What the tools that Kerf is measured beside are installed with."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    found = [line.partition(";")[0].strip() for line in lines if line.strip() and not line.startswith(("#", "-"))]
    assert all("==" in line for line in found)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, _, version in (f.partition("==") for f in found)}


def test_every_package_has_its_version_and_none_brings_cuda():
    tools = pins("bench/requirements.txt")
    assert {"liteparse", "pdfplumber", "unstructured", "unstructured-inference", "lxml"} <= set(tools)
    assert not [name for name in tools if re.match(r"torch|nvidia|triton|cuda|transformers", name)]


def test_what_kerf_builds_on_is_measured_in_the_version_that_kerf_has():
    tools, kerf = pins("bench/requirements.txt"), pins("requirements.lock")
    for name in ("liteparse", "unstructured"):
        assert tools[name] == kerf[name]


def test_the_set_up_leaves_an_environment_alone_that_is_as_it_should_be(tmp_path: Path):
    for file in ("scripts/bench_setup", "bench/requirements.txt"):
        target = tmp_path / file
        target.parent.mkdir()
        target.write_bytes((ROOT / file).read_bytes())
        target.chmod((ROOT / file).stat().st_mode)
    python = tmp_path / ".venv-bench" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/false")  # whoever used it would fail
    state = subprocess.run(
        "printf '%s %s' $(sha256sum <bench/requirements.txt | cut -d' ' -f1) \"$(python3 --version)\"",
        shell=True, cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (tmp_path / ".venv-bench" / "kerf-state").write_text(state + "\n")
    set_up = ["env", "PYTHON=python3", tmp_path / "scripts" / "bench_setup"]
    subprocess.run(set_up, check=True)

    (tmp_path / "bench" / "requirements.txt").write_text("a-new-one==1\n")
    changed = subprocess.run(["env", "PYTHON=/bin/false", *set_up[2:]], check=False, capture_output=True, text=True)
    assert changed.returncode != 0
