"""`make bench-nights`: forty nights of a living documentation, each synced by Kerf, into one database.

For each night: the files that git says changed, the documents that were parsed, what became of the children, how much
was embedded beside how much was written. Every night is synced twice, and the second sync may write nothing; a section
that stands as it stood keeps its parent's and its children's ids; and in the end the index is that of a first sync.

Exit status: 0; 1 if one of these does not hold; 2 without git.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bench.command import Said, options, run
from bench.goals import Goal, goals_table
from bench.night_history import Changes, History
from bench.night_index import Snapshot, differences
from bench.rendering import Table
from corpus import config as configuration
from corpus import database, pipeline, server
from corpus.config import MODEL_IN_THE_BOX
from corpus.migrations import migrate

CORPUS = "nights"

PREFACE = """\
# Forty nights of a living documentation

What a corpus that people work on costs from night to night: the English documentation of FastAPI, one commit for each
night with changes, from September 2024 to December 2025. Each night is synced with the settings that hold where none
are given and the model in the box, into one database. git says which files changed, and Kerf has to find the same. Each
night is then synced once more, and in the end the index is held against that of a first sync of the last night.

A changed line embeds the child that it stands in, which is why more characters are embedded than were added: a child is
up to 256 word pieces long. Where a passage is inserted, only the children at the edit change; those after it move with
their ids and vectors. Renaming a heading embeds what stands under it, since its words are part of what is embedded.
Seconds are of the wall clock, and depend on the machine and on what else it is at.

`make bench-nights ARGS="--page docs/nights.md"` makes this page anew; the history comes with the project
(`tests/data/edit-stream/`, MIT). `make test` walks the first eight nights, and all of them with `KERF_TEST_NIGHTS=1`.

## Figures
"""


@dataclass(frozen=True, slots=True)
class Night:
    """What git says of a night, and what a sync of it did."""

    git: Changes
    done: dict[str, Any]  #: the summary of the sync
    embedded: int  #: characters of the texts that the model was handed
    untouched: int  #: sections that stand as they stood
    renamed: int  #: of these, those whose parent or children have other ids
    again: int  #: rows that a second sync wrote

    @property
    def documents(self) -> dict[str, int]:
        """Documents by what became of them."""
        found: dict[str, int] = self.done["documents"]
        return found

    @property
    def as_git_says(self) -> bool:
        """Whether the documents are those that git says changed, and each of them was parsed, once, and no other."""
        by, documents = self.git.by, self.documents
        said = (by["A"], by["M"], by["R"], by["D"])
        did = tuple(documents[name] for name in ("new", "changed", "moved", "deleted"))
        return said == did and self.done["parsed"] == self.git.new_bytes


@dataclass(slots=True)
class Nights:
    """What the nights came to."""

    nights: list[Night] = field(default_factory=list)
    different: list[str] = field(default_factory=list)  #: between the index of all nights and that of the last alone
    characters: int = 0  #: of the texts that are published on the last night, equal ones counted once

    @property
    def edits(self) -> list[Night]:
        """The nights after the first, on which all is new."""
        return self.nights[1:]


GOALS: tuple[Goal[Nights], ...] = (
    Goal("nights unlike git's list", 0, lambda n: sum(not x.as_git_says for x in n.nights), at_most=True),
    Goal("untouched sections with other ids", 0, lambda n: sum(x.renamed for x in n.nights), at_most=True),
    Goal("rows written when nothing changed", 0, lambda n: sum(x.again for x in n.nights), at_most=True),
    Goal("differences from a first sync of the last night", 0, lambda n: len(n.different), at_most=True),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    parser = options("bench-nights", __doc__)
    parser.add_argument("--nights", type=int, metavar="N", help="default: all")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write docs/nights.md anew")
    asked = parser.parse_args(arguments)

    def bench(said: Said) -> tuple[Iterable[Table], bool]:
        with running_server() as home:
            found = walk(home, asked.nights, said=said)
        shown = list(tables(found))
        if asked.page:
            asked.page.write_text("\n".join([PREFACE, *(table.markdown() for table in shown)]), encoding="utf-8")
        return shown, all(goal.holds(found) for goal in GOALS)

    return run(asked, "bench-nights", bench)


@contextmanager
def running_server() -> Iterator[Path]:
    """The home of an embedded server that lives as long as the context."""
    home = Path(tempfile.mkdtemp(prefix="kerf-nights-", dir="/tmp"))  # which the server's user may enter
    home.chmod(0o755)
    server.start(home)
    try:
        yield home
    finally:
        server.stop(home)
        shutil.rmtree(home)


def walk(home: Path, nights: int | None, *, said: Said, model: str = MODEL_IN_THE_BOX) -> Nights:
    """Sync one night after another on the server of `home`, then the last one into another database."""
    with tempfile.TemporaryDirectory(prefix="kerf-nights-") as folder:
        history = History(Path(folder) / "stream")
        config = _config(Path(folder), history.folder / "docs", model)
        dsn, first = (database.dsn(home, f"{CORPUS}_{name}") for name in ("all", "last"))
        found = Nights()
        migrate(dsn)
        before = Snapshot({}, {}, frozenset())
        for changes in history.nights(nights):
            done = pipeline.sync(config, dsn, CORPUS, yes=True)
            again = pipeline.sync(config, dsn, CORPUS)["rows_written"]
            now = Snapshot.of(dsn)
            same, renamed = now.untouched(before)
            night = Night(changes, done, now.embedded_since(before), same, len(renamed), again)
            found.nights.append(night)
            before = now
            said(f"night {changes.number} of {changes.date}: {done['parsed']} parsed, {done['embedded']} embedded")
        found.characters = sum(before.texts.values())
        migrate(first)
        pipeline.sync(config, first, CORPUS)
        found.different = differences(dsn, first)
        return found


def _config(folder: Path, source: Path, model: str) -> configuration.Config:
    file = folder / "corpora.yaml"
    corpus = {"source": {"path": str(source)}, "embedding": {"model": model}}
    file.write_text(yaml.safe_dump({"corpora": {CORPUS: corpus}}), encoding="utf-8")
    return configuration.load(file)


def tables(found: Nights) -> Iterator[Table]:
    """The nights, what they come to, the goals."""
    yield Table(
        f"{len(found.nights)} nights",
        [
            *("night", "files", "added, changed, deleted", "parsed"),
            *("children inserted", "kept", "moved", "deleted"),
            *("texts embedded", "characters embedded", "characters added", "rows", "seconds"),
        ],
        [_row(night) for night in found.nights],
        "Files, and which of them changed, as git says. Moved: a child with the same id, at another place in its "
        "document. Characters embedded: of texts with their headers; added: on the lines that git says were added. "
        "Rows: inserted, updated and deleted, outside the ledger of runs.",
    )
    edits = found.edits
    yield Table(
        "What the nights after the first come to",
        ["", "figure"],
        [
            ("files changed, added or deleted", f"{sum(sum(n.git.by.values()) for n in edits)}"),
            ("documents parsed", f"{sum(n.done['parsed'] for n in edits)}"),
            ("children inserted", f"{sum(n.done['children']['inserted'] for n in edits)}"),
            ("children moved, which kept their ids and vectors", f"{sum(n.done['children']['moved'] for n in edits)}"),
            ("texts embedded", f"{sum(n.done['embedded'] for n in edits)}"),
            ("characters embedded", f"{sum(n.embedded for n in edits)}"),
            ("characters on added lines", f"{sum(n.git.added for n in edits)}"),
            ("characters of all that is embedded on the last night", f"{found.characters}"),
            ("sections that stood as they stood, over all nights", f"{sum(n.untouched for n in edits)}"),
            ("of these, with another parent's or child's id", f"{sum(n.renamed for n in edits)}"),
        ],
    )
    if found.different:
        yield Table(
            "Different from a first sync of the last night",
            ["what"],
            [(said,) for said in found.different],
            are_figures=False,
        )
    yield goals_table(GOALS, found)


def _row(night: Night) -> tuple[str, ...]:
    by, children = night.git.by, night.done["children"]
    return (
        f"{night.git.number}: {night.git.date}",
        f"{night.git.files}",
        f"{by['A']}, {by['M']}, {by['D']}",
        f"{night.done['parsed']}",
        *(f"{children[name]}" for name in ("inserted", "kept", "moved", "deleted")),
        f"{night.done['embedded']}",
        f"{night.embedded}",
        f"{night.git.added}",
        f"{night.done['rows_written']}",
        f"{sum(night.done['seconds'].values()):.1f}",
    )


if __name__ == "__main__":
    sys.exit(main())
