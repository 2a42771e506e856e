"""What the commands of the bench have in common: their options, how they print, their exit status."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console

from bench.cutters import CutFailed
from bench.processes import PeerMissing
from bench.rendering import Table
from bench.texts import NoData

WIDTH = 150  #: columns of what is not a terminal
CANNOT_RUN = 2

Said = Callable[[str], None]


def options(prog: str, about: str | None) -> argparse.ArgumentParser:
    """A parser with the options that every bench has."""
    parser = argparse.ArgumentParser(prog=prog, description=about)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON too")
    return parser


def run(asked: argparse.Namespace, prog: str, bench: Callable[[Said], tuple[Iterable[Table], bool]]) -> int:
    """Run a bench, which gives its tables and whether every goal is reached, and print them.

    Returns the exit status: 0; 1 if a goal is missed; 2 if it cannot be run: no data, or a peer is missing or fails.
    """
    errors = Console(stderr=True, highlight=False)

    def said(line: str) -> None:
        errors.print(line, markup=False, soft_wrap=True)

    try:
        tables, reached = bench(said)
    except (NoData, PeerMissing, CutFailed) as error:
        said(f"{prog}: {error}")
        return CANNOT_RUN
    shown = list(tables)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    for table in shown:
        console.print(table.rich())
        console.print()
    if asked.markdown:
        asked.markdown.write_text("\n".join(table.markdown() for table in shown), encoding="utf-8")
    if asked.json:
        form = [{"title": table.title, "header": table.header, "rows": table.rows} for table in shown]
        asked.json.write_text(json.dumps(form, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0 if reached else 1
