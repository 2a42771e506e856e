"""Facts that a person read off real Word and PowerPoint files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.peers.kerf import blocks_of
from bench.scoring.checks import Checker
from corpus.errors import ParseError
from corpus.parsers import parse


@pytest.mark.parametrize(
    "name", ["code.docx", "handbook872.docx", "hdrftr.docx", "lists.docx", "sample.pptx", "textbox.docx"]
)
def test_every_check_passes(data_folder: Path, name: str) -> None:
    folder = data_folder / "office"
    checker = Checker(blocks_of(parse((folder / name).read_bytes(), uri=name)))
    checks = json.loads((folder / "checks.json").read_text())[name]["checks"]
    assert [check for check in checks if not checker.holds(check)] == []


@pytest.mark.parametrize("name", ["xxe.docx", "lol.docx", "deeptbl.docx"])
def test_hostile_files_end_in_a_clear_error(data_folder: Path, name: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse((data_folder / "bad" / name).read_bytes(), uri=name)
    assert refused.value.uri == name
    assert refused.value.hint
