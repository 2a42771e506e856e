# ruff: noqa: PTH112, PTH113, PTH116, PTH118, PTH208 — names are bytes here, pathlib has text only
"""A folder of documents.

Symbolic links are followed while they stay inside the folder; nothing outside it is ever listed or read. Version
control's own folder, `.git`, is left out. Names are bytes here: whatever a file is called, it has an address.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunkers.identity import canonical_uri
from corpus.errors import LimitExceeded, SourceError, TransientError, Vanished
from corpus.globs import covers, included
from corpus.sources import Listed, Read

_GONE = (errno.ENOENT, errno.ENOTDIR)
_TRIES = 3  #: readings of a file that changes meanwhile
_PAUSE = 0.1  #: seconds between them


@dataclass(frozen=True, slots=True)
class _Folder:
    path: bytes  #: relative to the root, empty for the root itself
    real: bytes  #: absolute, without links
    above: frozenset[tuple[int, int]]  #: device and inode of the folders that lead here, this one included


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
        self._path = os.fsencode(self.root)
        self._names: dict[bytes, dict[str, list[bytes]]] = {}

    def list(self) -> Iterator[Listed]:
        """Every document, sorted by address; `skipped` tells what was left out and why.

        The folder is walked before the first document is yielded, so that a listing is whole or an error. Raises
        `SourceError` for a root that is missing or no folder, and for any folder that cannot be read.
        """
        self.skipped = []
        self._names = {}
        start = self._root()
        kept: dict[str, Listed] = {}
        for path, status in sorted(self._walk(start), key=lambda found: found[0]):
            uri = canonical_uri(path)
            if uri in kept:
                self.skipped.append((uri, f"the name {path!r} differs from another one in Unicode normalisation alone"))
                continue
            kept[uri] = Listed(uri, status.st_size, status.st_mtime_ns)
        if self._root().above != start.above:
            raise SourceError(f"{self.root} was replaced while it was listed", hint="run again", stage="list")
        self.skipped.sort()
        yield from (kept[uri] for uri in sorted(kept))

    def read(self, uri: str) -> Read:
        """The bytes of a document, the same from the first to the last: a file that changes meanwhile is read again.

        Raises `Vanished` if it is gone or now leads out of the root, `LimitExceeded` before anything is read if it
        is larger than `most_bytes`, and `TransientError` if it cannot be read or does not stop changing.
        """
        try:
            return self._read(uri)
        except OSError as error:
            if error.errno in _GONE and os.path.isdir(self._path):
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

    def _walk(self, root: _Folder) -> Iterator[tuple[bytes, os.stat_result]]:
        """Yield the path, relative to the root, and the status of each regular file, in no order."""
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            for entry in self._scan(folder):
                path = os.path.join(folder.path, entry.name)
                uri = canonical_uri(path)
                if any(covers(glob, uri) for glob in self.exclude):
                    continue
                try:
                    found = self._look(entry, uri, root)
                except OSError as error:
                    if error.errno in _GONE:
                        continue
                    raise self._unlisted(path, error) from error
                if found is None:
                    continue
                real, status = found
                if stat.S_ISDIR(status.st_mode):
                    this = (status.st_dev, status.st_ino)
                    if this in folder.above:
                        self.skipped.append((uri, "a link to a folder that it lies in"))
                    else:
                        waiting.append(_Folder(path, real, folder.above | {this}))
                elif not stat.S_ISREG(status.st_mode):
                    self._skip(uri, "not a regular file")
                elif included(uri, self.include, self.exclude):
                    yield path, status

    def _scan(self, folder: _Folder) -> Sequence[os.DirEntry[bytes]]:
        try:
            with os.scandir(folder.real) as entries:
                return [entry for entry in entries if entry.name != b".git"]
        except OSError as error:
            if error.errno in _GONE and folder.path:
                return []
            raise self._unlisted(folder.path, error) from error

    def _look(self, entry: os.DirEntry[bytes], uri: str, root: _Folder) -> tuple[bytes, os.stat_result] | None:
        """Where the entry really lies and what it is; None for what is no part of the corpus."""
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if real != root.real and not _inside(real, root.real):
                self._skip(uri, "a link that leads out of the source")
                return None
            try:
                real = os.path.realpath(entry.path, strict=True)
                return real, os.lstat(real)
            except OSError as error:
                if error.errno not in (*_GONE, errno.ELOOP):
                    raise
                self._skip(uri, "a link that leads nowhere")
                return None
        if not entry.is_dir(follow_symlinks=False) and not included(uri, self.include, self.exclude):
            return None
        return entry.path, entry.stat(follow_symlinks=False)

    def _unlisted(self, path: bytes, error: OSError) -> SourceError:
        where = os.fsdecode(os.path.join(self._path, path)).encode("utf-8", "backslashreplace").decode()
        return SourceError(
            f"cannot list {where}: {error.strerror}",
            hint="let Kerf read it, or exclude everything below it in corpora.yaml",
            stage="list",
        )

    def _skip(self, uri: str, reason: str) -> None:
        if included(uri, self.include, self.exclude):
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
        real = os.path.realpath(os.path.join(root, self._find(uri)), strict=True)
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

    def _find(self, uri: str) -> bytes:
        """The path, relative to the root, that has this address; of several, the one that the listing keeps."""
        parts = uri.split("/")
        if any(part in ("", ".", "..", ".git") or "\0" in part for part in parts):
            raise Vanished("no listing of this source gives such an address", uri=uri, stage="read")
        if uri.isascii():  # no other name has this address
            return os.fsencode(_decoded(uri))
        found = self._search(b"", parts)
        if found is None and self._names:
            self._names = {}  # what was read of the folders may be out of date
            found = self._search(b"", parts)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), uri)
        return found

    def _search(self, folder: bytes, parts: Sequence[str]) -> bytes | None:
        for name in self._named(folder, parts[0]):
            path = os.path.join(folder, name)
            if len(parts) > 1:
                found = self._search(path, parts[1:])
                if found is not None:
                    return found
            elif os.path.isfile(os.path.join(self._path, path)):
                return path
        return None

    def _named(self, folder: bytes, address: str) -> Sequence[bytes]:
        """The names in a folder, in the order of their bytes, that have this address."""
        if address.isascii():
            return [os.fsencode(_decoded(address))]
        if folder not in self._names:
            names: dict[str, list[bytes]] = {}
            try:
                for name in sorted(os.listdir(os.path.join(self._path, folder))):
                    names.setdefault(canonical_uri(name), []).append(name)
            except (FileNotFoundError, NotADirectoryError):
                return []
            self._names[folder] = names
        return self._names[folder].get(address, [])


def _inside(path: bytes, root: bytes) -> bool:
    return path.startswith(root.rstrip(b"/") + b"/") and b".git" not in path[len(root) :].split(b"/")


def _decoded(address: str) -> str:
    """The inverse of `canonical_uri` but for the normalisation, with undecodable bytes as surrogates."""

    def byte(match: re.Match[str]) -> str:
        value = int(match[1], 16)
        return chr(0xDC00 + value) if value >= 0x80 else chr(value)

    return re.sub("%([0-9A-F]{2})", byte, address)


def _evidence(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read_up_to(descriptor: int, most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := os.read(descriptor, min(most, 1 << 24))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
