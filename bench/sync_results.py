"""What bringing an index into step cost each tool, what must be reached, and the tables of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.goals import Goal, goals_table
from bench.rendering import Table
from bench.syncing import KERF, PEERS, Tool

FIRST, NOTHING, EDITED, RENAMED, DELETED = "first sync", "no-op", "1 % edited", "1 % renamed", "1 % deleted"
STEPS = (FIRST, NOTHING, EDITED, RENAMED, DELETED)  #: in this order, each upon the one before


@dataclass(frozen=True, slots=True)
class Measured:
    """One sync, in a process of its own."""

    seconds: float  #: by the clock, from the tool's first call to its last; nothing is loaded in them
    whole: float  #: by the clock, from the start of the process to its end
    cpu: float  #: seconds of the processor, of the process and of what it started
    server_cpu: float  #: the same of the database server
    peak_mb: float
    read: int | None  #: documents that were read, as the file system says; None: it does not say
    texts: int  #: handed to the model
    new: int  #: of the texts that the tool's splitter makes of the corpus now, those that it did not make before
    index: int  #: rows written in tables that searches read, or that keep what they would need again
    books: int | None  #: rows written in those that know of the source and of runs; None: it has files for that
    planning: float = 0.0  #: seconds that Kerf planned; they are part of `seconds`


@dataclass(frozen=True, slots=True)
class Command:
    """One run of `kerf sync` where nothing had changed, from the start of the process to its end."""

    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Many:
    """Kerf over many more files, of which none has changed."""

    files: int
    planning: float  #: seconds
    whole: float  #: seconds, from the start of the process to its end
    cpu: float  #: seconds of the processor, of that process
    server_cpu: float  #: the same of the database server
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Results:
    """Every step of every tool, as often as it was taken."""

    files: int
    steps: Mapping[Tool, Mapping[str, Sequence[Measured]]]
    commands: Sequence[Command]
    many: Sequence[Many]  #: empty: not measured

    def planning(self) -> float:
        """Seconds that Kerf plans where nothing has changed."""
        return median(one.planning for one in self.steps[KERF][NOTHING])

    def command(self) -> float:
        """Seconds that `kerf sync` takes where nothing has changed."""
        return median(one.seconds for one in self.commands)

    def no_op(self, tool: Tool) -> float:
        """Seconds that a tool takes where nothing has changed, what it loads left out."""
        return median(one.seconds for one in self.steps[tool][NOTHING])

    def no_op_whole(self, tool: Tool) -> float:
        """Seconds that its process takes then."""
        return median(one.whole for one in self.steps[tool][NOTHING])

    def beside_in_process(self) -> float:
        """Kerf's time where nothing has changed, as a multiple of the fastest other tool's."""
        return self.no_op(KERF) / min(self.no_op(tool) for tool in PEERS)

    def beside_whole(self) -> float:
        """The same of whole processes, `kerf sync` being Kerf's."""
        return self.command() / min(self.no_op_whole(tool) for tool in PEERS)

    def not_as_new(self) -> int:
        """Texts that Kerf embedded although they were not new, and new ones that it did not embed, of all steps."""
        return sum(abs(one.texts - one.new) for taken in self.steps[KERF].values() for one in taken)

    def no_op_rows(self) -> int:
        """Rows that Kerf wrote outside its books where nothing had changed."""
        return sum(one.index for one in self.steps[KERF][NOTHING])


GOALS: tuple[Goal[Results], ...] = (
    Goal("no-op: planning, s", 0.3, Results.planning, 2, at_most=True),
    Goal("no-op: the whole command `kerf sync`, s", 1.5, Results.command, 2, at_most=True),
    Goal("no-op, in the process: × the fastest other tool", 1.0, Results.beside_in_process, 2, at_most=True),
    Goal("no-op, the whole command: × the fastest other tool", 1.0, Results.beside_whole, 2, at_most=True),
    Goal("no-op: rows written", 0, Results.no_op_rows, at_most=True),
    Goal("all steps: texts embedded that were not new, or new and not embedded", 0, Results.not_as_new, at_most=True),
)
GOALS_OF_MANY: tuple[Goal[Results], ...] = (
    Goal("many files, no-op: planning, s", 3.0, lambda r: median(one.planning for one in r.many), 2, at_most=True),
    Goal("many files, no-op: peak memory, MB", 400, lambda r: max(one.peak_mb for one in r.many), at_most=True),
)


def reached(results: Results) -> bool:
    """Whether Kerf is at or above every goal; that of many files does not count if it was not measured."""
    return all(goal.holds(results) for goal in _goals(results))


def tables(results: Results, versions: Mapping[Tool, str]) -> Iterator[Table]:
    """All of them."""
    for step in STEPS:
        yield Table(
            f"{results.files:,} files: {step}",
            ["", "s", "s, process", "CPU s", "CPU s, database", "MB", "read", "embedded", "new", "rows", "in books"],
            [
                (f"{tool.name} {versions[tool]}", *_cells(taken[step]))
                for tool, taken in results.steps.items()
                if step in taken
            ],
            _NOTE if step == STEPS[-1] else "",
        )
    commands = results.commands
    yield Table(
        f"Kerf, {results.files:,} files, nothing changed: what takes the time",
        ["", "s", "CPU s"],
        [
            ("planning, in the process", f"{results.planning():.3f}", ""),
            ("the whole sync, in the process", f"{results.no_op(KERF):.3f}", ""),
            ("the whole command `kerf sync`", f"{results.command():.3f}", f"{median(c.cpu for c in commands):.2f}"),
        ],
        f"Medians of {len(commands)} runs, each in a process of its own; the server runs.",
    )
    if results.many:
        yield Table(
            f"Kerf, {results.many[0].files:,} files, nothing changed",
            ["", "s, planning", "s, process", "CPU s", "CPU s, database", "MB"],
            [
                (
                    f"run {number}",
                    f"{one.planning:.2f}",
                    f"{one.whole:.2f}",
                    f"{one.cpu:.2f}",
                    f"{one.server_cpu:.2f}",
                    f"{one.peak_mb:.0f}",
                )
                for number, one in enumerate(results.many, 1)
            ],
            "The ledger was filled with what a sync of these files would have written, from the rows of one that was "
            "made; that each file is found unchanged is checked.",
        )
    yield goals_table(_goals(results), results)


_NOTE = (
    "Each sync in a process of its own; medians where a step was taken more than once. s: from the tool's first call "
    "to its last. s, process: with the interpreter and all that is loaded. MB: highest resident memory. read: files "
    "read, as the file system says. embedded: texts handed to the model, a hash of the text that costs the same "
    "everywhere. new: texts that the tool's own splitter makes of the corpus and did not make before. rows: written "
    "in tables that searches read (Kerf: and parsed documents); in books: in those that know of the source and of "
    "runs; -: kept in files. Chunks of at most 1,000 characters (CocoIndex: bytes), no overlap. All use Postgres "
    "with pgvector on one server, none with a vector index but Kerf (HNSW); LlamaIndex keeps docstore and cache in "
    "JSON files, CocoIndex its state in LMDB."
)


def _goals(results: Results) -> tuple[Goal[Results], ...]:
    return GOALS + (GOALS_OF_MANY if results.many else ())


def _cells(taken: Sequence[Measured]) -> Iterator[str]:
    yield f"{median(one.seconds for one in taken):.2f}"
    yield f"{median(one.whole for one in taken):.2f}"
    yield f"{median(one.cpu for one in taken):.2f}"
    yield f"{median(one.server_cpu for one in taken):.2f}"
    yield f"{max(one.peak_mb for one in taken):.0f}"
    last = taken[-1]
    yield "?" if last.read is None else f"{last.read}"
    yield f"{last.texts}"
    yield f"{last.new}"
    yield f"{last.index}"
    yield "-" if last.books is None else f"{last.books}"
