"""The edit stream: nights of a living documentation as git knows them, and the folder as it lay on each of them."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.processes import PeerMissing

BUNDLE = Path(__file__).parent.parent / "tests" / "data" / "edit-stream" / "edit-stream.bundle"

_FIRST = 1_700_000_000  #: when the files of the first night were changed; those of each later one a day after
_DAY = 86_400
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  #: what git calls a folder without files


@dataclass(frozen=True, slots=True)
class Changes:
    """What git says of a night."""

    number: int
    date: str
    files: int  #: there are
    by: Counter[str]  #: files added (A), modified (M), deleted (D) and renamed with the same bytes (R)
    new_bytes: int  #: files whose bytes lay nowhere before, equal ones counted once
    added: int  #: characters on added lines


class History:
    """A clone of the stream, checked out night by night."""

    def __init__(self, folder: Path) -> None:
        """Clone into `folder`, which must not exist; raises `PeerMissing` without git."""
        self.folder = folder
        self._seen: set[str] = set()  #: git's names of all bytes so far
        try:
            _run("clone", "--quiet", str(BUNDLE), str(folder))
        except (OSError, subprocess.CalledProcessError) as error:
            raise PeerMissing(f"git cannot clone {BUNDLE}: {error}") from error
        self._commits = self._git("rev-list", "--reverse", "main").split()

    def nights(self, most: int | None = None) -> Iterator[Changes]:
        """Check out one night after another; what is in the folder is that night's until the next is asked for."""
        before = _EMPTY_TREE
        for number, commit in enumerate(self._commits[:most]):
            self._git("checkout", "--quiet", "--detach", commit)
            yield self._changes(number, before, commit)
            before = commit

    def files(self) -> list[Path]:
        """The documents that lie in the folder."""
        return sorted(file for file in self.folder.rglob("*") if file.is_file() and ".git" not in file.parts)

    def _changes(self, number: int, before: str, commit: str) -> Changes:
        by: Counter[str] = Counter()
        new = set()
        for line in self._git("diff", "--raw", "--abbrev=40", "-M100%", before, commit).splitlines():
            said, *paths = line.split("\t")
            blob, kind = said.split()[3:5]
            by[kind[0]] += 1
            if kind[0] in "AM":
                new.add(blob)
                at = _FIRST + number * _DAY
                os.utime(self.folder / paths[-1], (at, at))
        fresh = new - self._seen
        self._seen |= new
        patch = self._git("diff", "--unified=0", "-M100%", before, commit).splitlines()
        added = sum(len(line) - 1 for line in patch if line.startswith("+") and not line.startswith("+++ "))
        date = self._git("show", "--no-patch", "--format=%as", commit).strip()
        return Changes(number, date, len(self.files()), by, len(fresh), added)

    def _git(self, *arguments: str) -> str:
        return _run("-C", str(self.folder), *arguments)


def _run(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], check=True, capture_output=True, encoding="utf-8")  # noqa: S603, S607
    return done.stdout
