"""`make bench-faults`: a sync that is killed from outside, over and over, each time followed by the same command.

Two nights over documents of several formats: the first finds them all new, the second finds a part of them edited,
moved or gone. Each is synced by a process that is killed, with all its children, at moments drawn by chance, until one
comes through; then every row is held against that of a sync that nobody disturbed, and the next night begins, in the
end over a fresh database. Exit status: 0; 1 if a document was lost, doubled or half there, or if a kill cost more than
one batch of texts.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np

from bench.command import Said, options, run
from bench.fault_documents import Files, first_night, second_night, write
from bench.fault_killing import BATCH, STAGES, Killed, Rows, Site
from bench.goals import Goal, goals_table
from bench.rendering import Table
from corpus import database, server
from corpus.migrations import migrate

ALIKE = 0.9999  #: least cosine of two vectors of one text


@dataclass(slots=True)
class Found:
    """What the kills came to."""

    kills: list[Killed] = field(default_factory=list)
    syncs: int = 0  #: that came through, after however many kills
    texts: int = 0  #: that have a vector, over all syncs
    handed: int = 0  #: texts that the model was handed
    lost: set[str] = field(default_factory=set)  #: documents that an undisturbed sync has
    doubled: set[str] = field(default_factory=set)  #: documents or rows that it has not
    half: set[str] = field(default_factory=set)  #: documents that were not whole after a kill, or differ in the end
    seconds: float = 0.0

    @property
    def twice(self) -> int:
        """Texts that the model was handed once more than needed."""
        return self.handed - self.texts


GOALS: tuple[Goal[Found], ...] = (
    Goal("documents lost", 0, lambda found: len(found.lost), at_most=True),
    Goal("documents or rows doubled", 0, lambda found: len(found.doubled), at_most=True),
    Goal("documents half there, after a kill or in the end", 0, lambda found: len(found.half), at_most=True),
    Goal("texts that one kill had embedded twice, most", BATCH, lambda f: max(k.lost for k in f.kills), at_most=True),
    Goal("texts embedded twice in all, a kill", BATCH, lambda f: f.twice / len(f.kills), 2, at_most=True),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    parser = options("bench-faults", __doc__)
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="default: 200")
    parser.add_argument("--documents", type=int, default=300, metavar="N", help="default: 300")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of documents and moments; default: 0")
    asked = parser.parse_args(arguments)

    def bench(said: Said) -> tuple[Iterable[Table], bool]:
        found = killed(asked.kills, asked.documents, asked.seed, said)
        return tables(found, asked.documents), all(goal.holds(found) for goal in GOALS)

    return run(asked, "bench-faults", bench)


def killed(kills: int, documents: int, seed: int, said: Said) -> Found:
    """Kill syncs so many times, and let the last one come through."""
    home = Path(tempfile.mkdtemp(prefix="kerf-faults-", dir="/tmp"))  # which the server's user may enter
    home.chmod(0o755)
    first = first_night(documents, seed)
    nights = (first, second_night(first, seed))
    server.start(home)
    dice = random.Random(seed)  # noqa: S311 - no secret
    try:
        return _killed(kills, nights, dice, home, said)
    finally:
        server.stop(home)
        shutil.rmtree(home)


def _killed(kills: int, nights: Sequence[Files], dice: random.Random, home: Path, said: Said) -> Found:
    found, begun = Found(), time.monotonic()
    expected: list[dict[str, Rows]] = []
    undisturbed = _site(home, "undisturbed")
    for night in nights:
        write(night, undisturbed.source)
        undisturbed.sync()
        expected.append(undisturbed.content())
        said(f"undisturbed: {len(expected[-1]['children'])} children after {time.monotonic() - begun:.0f} s")
    for number in count():
        site = _site(home, f"killed{number}")
        for night, wanted in zip(nights, expected, strict=True):
            write(night, site.source)
            while len(found.kills) < kills and (one := site.kill(dice)):
                found.kills.append(one)
                found.half |= {f"{uri} after kill {len(found.kills)}" for uri in one.half}
                said(f"kill {len(found.kills)}: {one.stage}, {one.lost} texts lost")
                if one.is_through:
                    break
            if len(found.kills) == kills:
                site.sync()
            found.syncs += 1
            _compare(found, wanted, site.content())
            if len(found.kills) == kills:
                break
        counts = site.counts()
        found.handed += counts["handed"]
        found.texts += counts["vectors"]
        if len(found.kills) == kills:
            found.seconds = time.monotonic() - begun
            return found
    raise AssertionError


def _site(home: Path, name: str) -> Site:
    site = Site(home / name, database.dsn(home, name))
    migrate(site.dsn)
    site.configure()
    return site


def _compare(found: Found, expected: dict[str, Rows], content: dict[str, Rows]) -> None:
    """Hold every row against that of the sync that nobody disturbed."""
    for table, rows in expected.items():
        wanted, got = ({_name(row): row for row in side} for side in (rows, content[table]))
        found.lost |= {f"{table} {name}" for name in wanted.keys() - got.keys()}
        found.doubled |= {f"{table} {name}" for name in got.keys() - wanted.keys()}
        found.half |= {f"{table} {name}" for name in wanted.keys() & got.keys() if not _alike(wanted[name], got[name])}


def _name(row: dict[str, object]) -> str:
    """What a row is called: its address, its id, or what it is the parse or the vector of."""
    names = (row.get("uri"), row.get("id"), row.get("key"), row.get("content_hash"))
    made = next(name for name in names if name is not None)
    return made.hex() if isinstance(made, bytes) else str(made)


def _alike(one: dict[str, object], other: dict[str, object]) -> bool:
    if "embedding" in one:
        return float(np.dot(np.asarray(one["embedding"]), np.asarray(other["embedding"]))) >= ALIKE
    return one == other


def tables(found: Found, documents: int) -> Iterator[Table]:
    """The kills by stage, what was found to be wrong, the goals."""
    stages = Counter(one.stage for one in found.kills)
    worst = {stage: max((k.lost for k in found.kills if k.stage == stage), default=0) for stage in STAGES}
    yield Table(
        f"{len(found.kills)} kills over {found.syncs} syncs of {documents} documents, {found.seconds:.0f} s",
        ["killed in", "kills", "texts lost, most"],
        [(stage, f"{stages[stage]}", f"{worst[stage]}") for stage in STAGES],
        f"{found.texts} texts have a vector and {found.handed} were handed to the model: {found.twice} twice. "
        f"Batches of {BATCH} texts.",
    )
    wrong = [(what, name) for what in ("lost", "doubled", "half") for name in sorted(getattr(found, what))]
    if wrong:
        yield Table("What was found to be wrong", ["", "what"], wrong, are_figures=False)
    yield goals_table(GOALS, found)


if __name__ == "__main__":
    sys.exit(main())
