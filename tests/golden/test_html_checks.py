"""The checks of the folder `html`: facts that a person read off real pages. `html/README.md` defines the kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.peers.kerf import blocks_of
from bench.scoring.checks import PageChecker
from corpus.parsers import parse

ALLOWED_MISSES = 1


def test_the_checks_on_real_pages_hold(data_folder: Path) -> None:
    folder = data_folder / "html"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    missed, asked = [], 0
    for name, entry in json.loads((folder / "checks.json").read_text(encoding="utf-8")).items():
        checker = PageChecker(blocks_of(parse((folder / name).read_bytes(), uri=name)))
        for check in entry["checks"]:
            asked += 1
            if not checker.holds(check):
                missed.append((name, *check))
    assert len(missed) <= ALLOWED_MISSES, f"{asked - len(missed)} of {asked}: {missed}"
