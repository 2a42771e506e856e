"""`make bench-sync`: what bringing an index into step with a folder costs, by Kerf and by other tools, in one run.

Needs no data: the files are generated. Exit status: 0; 1 if Kerf misses a goal; 2 if it cannot be run: a peer is
missing or fails.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.command import Said, options, run
from bench.rendering import Table
from bench.sync_results import (
    DELETED,
    EDITED,
    FIRST,
    NOTHING,
    RENAMED,
    Command,
    Many,
    Measured,
    Results,
    reached,
    tables,
)
from bench.syncing import KERF, TOOLS, Tool, counting, files
from bench.syncing.files import Texts
from bench.syncing.multiplied import multiply
from bench.syncing.running import kerf_command, new_chunks, synced, version
from bench.syncing.task import Task
from corpus import server
from corpus.database import sqlalchemy_uri
from corpus.server import Server

FILES = 10_000
MANY = 100_000
RUNS = 5

_CHANGES: dict[str, Callable[[Texts], Texts]] = {
    EDITED: files.edited,
    RENAMED: files.renamed,
    DELETED: files.deleted,
}


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit status."""
    parser = options("bench-sync", __doc__)
    parser.add_argument("--files", type=int, default=FILES, metavar="N", help=f"of the corpus; default: {FILES}")
    parser.add_argument("--many", type=int, default=MANY, metavar="N", help=f"for Kerf alone; 0: none; default: {MANY}")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"of each no-op; default: {RUNS}")
    asked = parser.parse_args(arguments)
    number = max(100, asked.files)
    bench = _Bench(number, max(number, asked.many) if asked.many else 0, max(1, asked.runs))
    return run(asked, "bench-sync", bench.run)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tool works: its files, its database."""

    tool: Tool
    server: Server
    folder: Path
    task: Task

    @classmethod
    def of(cls, tool: Tool, server: Server, root: Path) -> _Place:
        name = tool.name.lower()
        folder, home = root / name / "files", root / name / "home"
        folder.mkdir(parents=True)
        home.mkdir()
        dsn = counting.fresh(server, name)
        return cls(tool, server, folder, Task(str(folder), str(home), dsn, sqlalchemy_uri(dsn), is_first=True))


@dataclass(frozen=True, slots=True)
class _Bench:
    files: int
    many: int
    runs: int

    def run(self, said: Said) -> tuple[Iterable[Table], bool]:
        versions = {tool: version(tool) for tool in TOOLS}  # all of them before the minutes of the first
        with tempfile.TemporaryDirectory(prefix="kerf-bench-") as folder:
            root = Path(folder)
            root.chmod(0o755)  # the server may run as another user
            running = server.start(root / "server")
            try:
                results = self._results(running, root, said)
            finally:
                server.stop(running.home)
        return tables(results, versions), reached(results)

    def _results(self, running: Server, root: Path, said: Said) -> Results:
        states: dict[str, Texts] = {FIRST: dict(files.texts(self.files))}
        for step, change in _CHANGES.items():
            states[step] = change(list(states.values())[-1])
        places = {tool: _Place.of(tool, running, root) for tool in TOOLS}
        steps = {tool: self._taken(place, states, root, said) for tool, place in places.items()}
        commands = [_command(places[KERF]) for _ in range(self.runs)]
        many = self._many(places[KERF], states[DELETED], said) if self.many else []
        return Results(self.files, steps, commands, many)

    def _taken(
        self, place: _Place, states: Mapping[str, Texts], root: Path, said: Said
    ) -> dict[str, Sequence[Measured]]:
        """Every step of a tool, in order."""
        taken: dict[str, Sequence[Measured]] = {}
        before: Texts = {}
        for step, state in states.items():
            new = new_chunks(place.tool, _written(before, root / "before.json"), _written(state, root / "after.json"))
            files.lay(place.folder, before, state)
            taken[step] = [_measured(place, step == FIRST, new)]
            _say(said, place.tool, step, taken[step])
            if step == FIRST:
                taken[NOTHING] = [_measured(place, False, 0) for _ in range(self.runs)]
                _say(said, place.tool, NOTHING, taken[NOTHING])
            before = state
        return taken

    def _many(self, place: _Place, before: Texts, said: Said) -> list[Many]:
        multiply(place.task, place.folder, before, self.many)
        found = []
        for number in range(self.runs):
            cpu = counting.cpu(place.server)
            answer, ended = synced(place.tool, replace(place.task, is_first=False))
            cpu = counting.cpu(place.server) - cpu
            if answer["documents"]["unchanged"] != self.many:
                raise AssertionError(f"of {self.many} files, none of them changed, a sync says: {answer['documents']}")
            found.append(Many(self.many, answer["planning"], ended.seconds, ended.cpu, cpu, ended.peak_mb))
            said(f"{place.tool.name}: {self.many} files, run {number + 1}: {answer['planning']:.2f} s of planning")
        return found


def _say(said: Said, tool: Tool, step: str, taken: Sequence[Measured]) -> None:
    one = taken[-1]
    said(f"{tool.name}: {step}: {one.seconds:.2f} s, {one.read} files read, {one.texts} texts embedded, {one.new} new")


def _measured(place: _Place, is_first: bool, new: int) -> Measured:
    files.mark_unread(place.folder)
    tool, task = place.tool, replace(place.task, is_first=is_first)
    rows, cpu = counting.rows(task.dsn, tool.books), counting.cpu(place.server)
    answer, ended = synced(tool, task)
    cpu = counting.cpu(place.server) - cpu
    rows = counting.rows(task.dsn, tool.books) - rows
    return Measured(
        seconds=answer["seconds"],
        whole=ended.seconds,
        cpu=ended.cpu,
        server_cpu=cpu,
        peak_mb=ended.peak_mb,
        read=files.read_since(place.folder),
        texts=answer["texts"],
        new=new,
        index=rows.index,
        books=None if tool.keeps_files else rows.books,
        planning=answer.get("planning", 0.0),
    )


def _command(place: _Place) -> Command:
    ended = kerf_command(place.task)
    unchanged = json.loads(ended.said)["documents"]["unchanged"]
    if not unchanged:
        raise AssertionError("`kerf sync` found no document unchanged where none had changed")
    return Command(ended.seconds, ended.cpu)


def _written(state: Texts, file: Path) -> Path:
    file.write_text(json.dumps(list(state.items())), encoding="utf-8")
    return file


if __name__ == "__main__":
    sys.exit(main())
