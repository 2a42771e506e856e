"""The tools that are measured: what each one is run with, and what it is given."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.processes import BENCH_PYTHON

PDF, ICDAR, HTML, OFFICE = "pdfs", "icdar", "html", "office"  #: folders of the test data


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool, run in processes of its own so that its crash or hang costs a file and not the bench."""

    name: str  #: as the tables show it
    module: str  #: `version()` loads the tool and says which one it is, `read(path)` gives a `Reading`
    reads: tuple[str, ...]  #: folders
    python: Path = BENCH_PYTHON
    seconds: float = 180.0  #: a file may take


PEERS = (
    Peer("Kerf", "bench.peers.kerf", (PDF, ICDAR, HTML, OFFICE), Path(sys.executable)),
    Peer("liteparse raw", "bench.peers.raw_liteparse", (PDF, ICDAR)),
    Peer("pdfplumber", "bench.peers.raw_pdfplumber", (PDF, ICDAR)),
    Peer("lxml walk", "bench.peers.lxml_walk", (HTML,)),
    Peer("unstructured", "bench.peers.raw_unstructured", (PDF, HTML, OFFICE)),
)
