"""`make bench-parse`: what Kerf and other tools make of the same documents, in one run.

Reads the folder that KERF_TEST_DATA names. Exit status: 0; 1 if Kerf misses a goal; 2 if it cannot be run: no data, or
a peer is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.command import Said, options, run
from bench.peers import PEERS, Peer
from bench.processes import PeerMissing
from bench.rendering import Table
from bench.report import Run, reached, tables
from bench.results import Result, sources
from bench.running import Measured, measure, version
from bench.texts import data_folder

FOLDERS = ("pdfs", "icdar", "html", "office")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    asked = _arguments(arguments)
    peers = [peer for peer in PEERS if peer.name in asked.peers]

    def bench(said: Said) -> tuple[Iterable[Table], bool]:
        data = data_folder(*FOLDERS)
        versions = {peer.name: version(peer) for peer in peers}  # all of them before the minutes of the first
        made = _run(peers, data, asked.folders, said)
        return tables(made, versions), reached(made)

    return run(asked, "bench-parse", bench)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [peer.name for peer in PEERS]
    parser = options("bench-parse", __doc__)
    parser.add_argument("--peers", nargs="+", choices=names, default=names, metavar="PEER", help=", ".join(names))
    parser.add_argument("--folders", nargs="+", choices=FOLDERS, default=FOLDERS, help="default: all of them")
    return parser.parse_args(arguments)


def _run(peers: Sequence[Peer], data: Path, folders: Sequence[str], said: Said) -> Run:
    made: dict[str, dict[str, Result]] = {}
    for folder in folders:
        found = sources(data / folder)
        made[folder] = {}
        for peer in peers:
            if folder in peer.reads:
                # Kerf has to say something true of every file; the others are compared on those that have an answer.
                scored = [s.path for s in found.values() if s.checks or folder == "icdar" or peer.name == "Kerf"]
                measured = [_told(peer, one, said) for one in measure(peer, scored)]
                if not any(one.reading and one.reading.blocks for one in measured):
                    raise PeerMissing(f"{peer.name} found nothing in any file of {folder}: its set-up is incomplete")
                made[folder][peer.name] = Result(data / folder, found, tuple(measured))
    return made


def _told(peer: Peer, one: Measured, said: Said) -> Measured:
    place = f"{one.path.parent.name}/{one.path.name}"
    said(f"{peer.name}: {place}: {one.error or f'{one.seconds:.2f} s, {one.peak_mb} MB'}")
    return one


if __name__ == "__main__":
    sys.exit(main())
