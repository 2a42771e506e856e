"""`make bench-parse`: what Kerf and other tools make of the same documents, in one run.

Reads the folder that KERF_TEST_DATA names. Exit status: 0; 1 if Kerf misses a goal; 2 if it cannot be run: no data, or
a peer is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench.peers import PEERS, Peer
from bench.report import Run, reached, tables
from bench.results import Result, sources
from bench.running import Measured, PeerMissing, measure, version

WIDTH = 150  #: columns of what is not a terminal
FOLDERS = ("pdfs", "icdar", "html", "office")


class NoData(Exception):
    """The folder of the documents is not there."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    asked = _arguments(arguments)
    peers = [peer for peer in PEERS if peer.name in asked.peers]
    said = Console(stderr=True, highlight=False)
    try:
        data = _data()
        versions = {peer.name: version(peer) for peer in peers}  # all of them before the minutes of the first
        run = _run(peers, data, asked.folders, said)
    except (NoData, PeerMissing) as error:
        said.print(f"bench-parse: {error}", markup=False, soft_wrap=True)
        return 2
    shown = list(tables(run, versions))
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    for table in shown:
        console.print(table.rich())
        console.print()
    if asked.markdown:
        asked.markdown.write_text("\n".join(table.markdown() for table in shown), encoding="utf-8")
    if asked.json:
        form = [{"title": table.title, "header": table.header, "rows": table.rows} for table in shown]
        asked.json.write_text(json.dumps(form, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0 if reached(run) else 1


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [peer.name for peer in PEERS]
    parser = argparse.ArgumentParser(prog="bench-parse", description=__doc__)
    parser.add_argument("--peers", nargs="+", choices=names, default=names, metavar="PEER", help=", ".join(names))
    parser.add_argument("--folders", nargs="+", choices=FOLDERS, default=FOLDERS, help="default: all of them")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON too")
    return parser.parse_args(arguments)


def _data() -> Path:
    named = os.environ.get("KERF_TEST_DATA")
    if not named:
        raise NoData("KERF_TEST_DATA is not set: it must name the folder with pdfs/, icdar/, html/ and office/")
    folder = Path(named).absolute()
    if missing := [name for name in FOLDERS if not (folder / name).is_dir()]:
        raise NoData(f"KERF_TEST_DATA names {folder}, which has no {', '.join(missing)}")
    return folder


def _run(peers: Sequence[Peer], data: Path, folders: Sequence[str], said: Console) -> Run:
    run: dict[str, dict[str, Result]] = {}
    for folder in folders:
        found = sources(data / folder)
        run[folder] = {}
        for peer in peers:
            if folder in peer.reads:
                # Kerf has to say something true of every file; the others are compared on those that have an answer.
                scored = [s.path for s in found.values() if s.checks or folder == "icdar" or peer.name == "Kerf"]
                measured = [_told(peer, one, said) for one in measure(peer, scored)]
                if not any(one.reading and one.reading.blocks for one in measured):
                    raise PeerMissing(f"{peer.name} found nothing in any file of {folder}: its set-up is incomplete")
                run[folder][peer.name] = Result(data / folder, found, tuple(measured))
    return run


def _told(peer: Peer, one: Measured, said: Console) -> Measured:
    place = f"{one.path.parent.name}/{one.path.name}"
    said.print(
        f"{peer.name}: {place}: {one.error or f'{one.seconds:.2f} s, {one.peak_mb} MB'}", markup=False, soft_wrap=True
    )
    return one


if __name__ == "__main__":
    sys.exit(main())
