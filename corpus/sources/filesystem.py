# ruff: noqa: PTH112, PTH116, PTH118 — names are bytes here, pathlib has text only
"""A folder of documents.

Symbolic links are followed while they stay inside the folder; nothing outside it is ever listed or read. Version
control's own folder, `.git`, is left out. Names are bytes here: whatever a file is called, it has an address. Names
that differ in Unicode normalisation alone have the same one; the first in the order of bytes is then the document.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunkers.identity import canonical_uri
from corpus.errors import LimitExceeded, SourceError, TransientError, Vanished
from corpus.globs import covers, included
from corpus.sources import Listed, Read
from corpus.sources.names import GONE, Names, out_of_form

_TRIES = 3  #: readings of a file that changes meanwhile
_PAUSE = 0.1  #: seconds between them
_SKIPPED = 1_000  #: addresses left out that are named


@dataclass(frozen=True, slots=True)
class _Folder:
    path: bytes  #: relative to the root, empty for the root itself
    real: bytes  #: absolute, without links
    above: frozenset[tuple[int, int]]  #: device and inode of the folders that lead here, this one included


_Entry = tuple[_Folder, os.DirEntry[bytes]]
_Folders = list[_Folder]
_Waiting = list[_Folders]


class Filesystem:
    """The regular files below `root` that the globs include and do not exclude."""

    def __init__(
        self,
        root: Path,
        *,
        include: Sequence[str] = ("**",),
        exclude: Sequence[str] = (),
        most_bytes: int | None = None,
    ) -> None:
        self.root = root.absolute()
        self.include = tuple(include)
        self.exclude = tuple(exclude)
        self.most_bytes = most_bytes  #: a larger file is not read
        self.skipped: list[tuple[str, str]] = []
        self.left_out = 0
        self._path = os.fsencode(self.root)
        self._names = Names(self._path)

    @property
    def place(self) -> str:
        """`folder` and the path without links; see `Source`."""
        return f"folder {_shown(os.path.realpath(self._path))}"

    def list(self) -> Iterator[Listed]:
        """Every document, folder by folder; `skipped` tells what was left out and why.

        Raises `SourceError` for a root that is missing, no folder, or replaced meanwhile, and for any folder that
        cannot be read.
        """
        self.skipped, self.left_out = [], 0
        root = self._root()
        waiting = [[root]]  # the folders of one address are looked into together
        while waiting:
            yield from self._in_folders(waiting.pop(), root, waiting)
        if self._root().above != root.above:
            raise SourceError(f"{self.root} was replaced while it was listed", hint="run again", stage="list")
        self.skipped.sort()

    def read(self, uri: str) -> Read:
        """The bytes of a document, the same from the first to the last: a file that changes meanwhile is read again.

        Raises `Vanished` if it is gone or now leads out of the root, `LimitExceeded` before anything is read if it
        is larger than `most_bytes`, and `TransientError` if it cannot be read or does not stop changing.
        """
        try:
            return self._read(uri)
        except OSError as error:
            if error.errno in GONE and os.path.isdir(self._path):
                raise Vanished("the file is gone since it was listed", uri=uri, stage="read") from error
            raise TransientError(
                f"cannot read {self.root / uri}: {error.strerror}",
                hint="check that the folder is mounted and that Kerf may read the file",
                uri=uri,
                stage="read",
            ) from error

    def _root(self) -> _Folder:
        try:
            status = os.stat(self._path)
        except OSError as error:
            raise SourceError(
                f"the folder {self.root} cannot be listed: {error.strerror}",
                hint="check source.path in corpora.yaml, and that the folder is mounted",
                stage="list",
            ) from error
        if not stat.S_ISDIR(status.st_mode):
            raise SourceError(f"{self.root} is not a folder", hint="check source.path in corpora.yaml", stage="list")
        return _Folder(b"", os.path.realpath(self._path), frozenset({(status.st_dev, status.st_ino)}))

    def _in_folders(self, folders: _Folders, root: _Folder, waiting: _Waiting) -> Iterator[Listed]:
        """Yield the documents in folders of one address, and put the folders in them with those that wait.

        Of one folder no names are held but those that share an address; of several, which is rare, all are.
        """
        prefix = canonical_uri(folders[0].path + b"/") if folders[0].path else ""
        everything = not self.exclude and "**" in self.include
        alone = len(folders) == 1
        shared: dict[str, list[_Entry]] = {}
        below: dict[str, list[_Folder]] = {}
        for folder in folders:
            try:
                odd = out_of_form(folder.real) if alone else {}
                for entry in self._scan(folder):
                    name = entry.name
                    address = name.decode() if name.isascii() and b"%" not in name else canonical_uri(name)
                    if not alone or address in odd:
                        shared.setdefault(address, []).append((folder, entry))
                    elif everything and entry.is_file(follow_symlinks=False):
                        if status := self._status(entry):
                            yield Listed(prefix + address, status.st_size, status.st_mtime_ns)
                    else:
                        yield from self._first(prefix + address, [(folder, entry)], root, below)
            except OSError as error:
                raise self._unlisted(folder.path, error) from error
        for address, entries in shared.items():
            yield from self._first(prefix + address, entries, root, below)
        waiting.extend(below.values())

    def _first(
        self, uri: str, entries: Sequence[_Entry], root: _Folder, below: dict[str, _Folders]
    ) -> Iterator[Listed]:
        """Yield the first document of those with one address; the folders of that address are put into `below`."""
        kept = False
        for folder, entry in sorted(entries, key=lambda found: (found[0].path, found[1].name)):
            try:
                found = self._look(folder, entry, uri, root)
            except OSError as error:
                raise self._unlisted(os.path.join(folder.path, entry.name), error) from error
            if isinstance(found, _Folder):
                below.setdefault(uri, []).append(found)
            elif found is not None and kept:
                path = os.path.join(folder.path, entry.name)
                self._leave_out(uri, f"the name {path!r} differs from another one in Unicode normalisation alone")
            elif found is not None:
                kept = True
                yield found

    def _scan(self, folder: _Folder) -> Iterator[os.DirEntry[bytes]]:
        try:
            with os.scandir(folder.real) as entries:
                for entry in entries:
                    if entry.name != b".git":
                        yield entry
        except OSError as error:
            if error.errno not in GONE or not folder.path:
                raise

    def _look(self, folder: _Folder, entry: os.DirEntry[bytes], uri: str, root: _Folder) -> Listed | _Folder | None:
        """The entry as a document, or as a folder to look into; None for what is no part of the corpus."""
        link = entry.is_symlink()
        if link or entry.is_dir(follow_symlinks=False):
            if any(covers(glob, uri) for glob in self.exclude):
                return None
        elif not included(uri, self.include, self.exclude):
            return None
        real = os.path.realpath(entry.path) if link else entry.path
        if link and real != root.real and not _inside(real, root.real):
            self._skip(uri, "a link that leads out of the source")
        elif (status := self._status(entry, follow=link)) is None:
            if link:
                self._skip(uri, "a link that leads nowhere")
        elif stat.S_ISDIR(status.st_mode):
            this = (status.st_dev, status.st_ino)
            if this not in folder.above:
                return _Folder(os.path.join(folder.path, entry.name), real, folder.above | {this})
            self._leave_out(uri, "a link to a folder that it lies in")
        elif not stat.S_ISREG(status.st_mode):
            self._skip(uri, "not a regular file")
        elif included(uri, self.include, self.exclude):
            return Listed(uri, status.st_size, status.st_mtime_ns)
        return None

    def _status(self, entry: os.DirEntry[bytes], *, follow: bool = False) -> os.stat_result | None:
        """What the entry is, or what its link leads to; None if that is not there."""
        try:
            return os.stat(entry.path) if follow else entry.stat(follow_symlinks=False)
        except OSError as error:
            if error.errno in (*GONE, errno.ELOOP):
                return None
            raise

    def _unlisted(self, path: bytes, error: OSError) -> SourceError:
        where = _shown(os.path.join(self._path, path))
        return SourceError(
            f"cannot list {where}: {error.strerror}",
            hint="let Kerf read it, or exclude everything below it in corpora.yaml",
            stage="list",
        )

    def _skip(self, uri: str, reason: str) -> None:
        if included(uri, self.include, self.exclude):
            self._leave_out(uri, reason)

    def _leave_out(self, uri: str, reason: str) -> None:
        self.left_out += 1
        if len(self.skipped) < _SKIPPED:
            self.skipped.append((uri, reason))

    def _read(self, uri: str) -> Read:
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_PAUSE)
            descriptor = self._open(uri)
            try:
                before = os.fstat(descriptor)
                self._check(uri, before)
                data = _read_up_to(descriptor, before.st_size + 1)
                after = os.fstat(descriptor)
            finally:
                os.close(descriptor)
            if len(data) == before.st_size and _evidence(before) == _evidence(after):
                return Read(data, before.st_size, before.st_mtime_ns)
        raise TransientError(
            f"the file kept changing while it was read {_TRIES} times", hint="run again later", uri=uri, stage="read"
        )

    def _check(self, uri: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise Vanished("what was a file is none any more", uri=uri, stage="read")
        if self.most_bytes is not None and status.st_size > self.most_bytes:
            raise LimitExceeded(
                f"the file has {status.st_size:,} bytes, more than the {self.most_bytes:,} allowed",
                hint="raise limits.megabytes in corpora.yaml, or exclude it",
                uri=uri,
                stage="read",
            )

    def _open(self, uri: str) -> int:
        """Open the file for reading, going down from the root one folder at a time and through no link.

        Links are resolved first; one that is put in the way afterwards makes the opening fail.
        """
        root = os.path.realpath(self._path, strict=True)
        real = os.path.realpath(os.path.join(root, self._names.find(uri)), strict=True)
        if not _inside(real, root):
            raise Vanished("the file is now a link that leads out of the source", uri=uri, stage="read")
        *folders, name = os.path.relpath(real, root).split(b"/")
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in folders:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                os.close(folder)
                folder = below
            # Without O_NONBLOCK, a named pipe in the place of the file would be waited for.
            return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        finally:
            os.close(folder)


def _shown(path: bytes) -> str:
    return os.fsdecode(path).encode("utf-8", "backslashreplace").decode()


def _inside(path: bytes, root: bytes) -> bool:
    return path.startswith(root.rstrip(b"/") + b"/") and b".git" not in path[len(root) :].split(b"/")


def _evidence(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read_up_to(descriptor: int, most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := os.read(descriptor, min(most, 1 << 24))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
