"""What happens to a peer of the bench that crashes, hangs, or is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import parse
from bench.peers import Peer
from bench.processes import PeerMissing
from bench.running import measure, version

PEER = """
import os, time
from bench.blocks import Block, Reading

def version():
    return "1.2"

def read(path):
    said = path.read_text()
    print("what a library prints is no answer")
    if said == "crash":
        os.abort()
    if said == "hang":
        time.sleep(60)
    if said == "raise":
        raise ValueError("not a file of mine")
    return Reading((Block("paragraph", said, page=1),))
"""


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    (tmp_path / "peer_of_the_test.py").write_text(PEER)
    monkeypatch.syspath_prepend(tmp_path)
    return Peer("a peer", "peer_of_the_test", ("pdfs",), Path(sys.executable), seconds=1.5)


def files(folder: Path, *contents: str) -> list[Path]:
    paths = [folder / f"{number}-{content}.txt" for number, content in enumerate(contents)]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return paths


def test_a_crash_or_a_hang_costs_the_file_and_not_the_next(peer: Peer, tmp_path: Path):
    paths = files(tmp_path, "one", "crash", "two", "hang", "raise", "three")
    measured = list(measure(peer, paths))
    assert [one.path for one in measured] == paths
    assert [one.reading.blocks[0].text if one.reading else None for one in measured] == [
        "one", None, "two", None, None, "three",
    ]  # fmt: skip
    assert "SIGABRT" in measured[1].error
    assert measured[3].error == "took longer than 1.5 s"
    assert measured[4].error == "ValueError: not a file of mine"
    assert all(one.peak_mb > 0 for one in measured if one.reading)


def test_a_peer_that_cannot_be_loaded_is_missing(peer: Peer, tmp_path: Path):
    assert version(peer) == "1.2"
    with pytest.raises(PeerMissing, match="no_such_module"):
        version(Peer("gone", "no_such_module", (), Path(sys.executable)))
    with pytest.raises(PeerMissing, match="scripts/bench_setup"):
        version(Peer("gone", "bench.peers.lxml_walk", (), tmp_path / "python"))


def test_the_bench_says_that_it_has_no_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("KERF_TEST_DATA", raising=False)
    assert parse.main(["--peers", "Kerf"]) == 2
    assert "KERF_TEST_DATA is not set" in capsys.readouterr().err
    (tmp_path / "pdfs").mkdir()
    monkeypatch.setenv("KERF_TEST_DATA", str(tmp_path))
    assert parse.main(["--peers", "Kerf"]) == 2
    assert "has no icdar, html, office" in capsys.readouterr().err
