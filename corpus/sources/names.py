# ruff: noqa: PTH116, PTH118 — names are bytes here, pathlib has text only
"""From an address in a folder back to the name that has it."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence

from chunkers.identity import canonical_uri
from corpus.errors import Vanished

GONE = (errno.ENOENT, errno.ENOTDIR)
_FOLDERS = 1_000  #: of which is remembered what names in them are out of form


class Names:
    """The names below a root. Those that are out of form are looked for only where no other name will do."""

    def __init__(self, root: bytes) -> None:
        self._path = root
        self._odd: dict[bytes, dict[str, list[bytes]]] = {}  # by folder

    def find(self, uri: str) -> bytes:
        """The path, relative to the root, that has this address; of several, the one that the listing keeps."""
        parts = uri.split("/")
        if any(part in ("", ".", "..", ".git") or "\0" in part for part in parts):
            raise Vanished("no listing of this source gives such an address", uri=uri, stage="read")
        found = self._search(b"", parts)
        if found is None and self._odd and not uri.isascii():
            self._odd = {}  # what was read of the folders may be out of date
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
            elif _is_file(os.path.join(self._path, path)):
                return path
        return None

    def _named(self, folder: bytes, address: str) -> Iterator[bytes]:
        """The names, in the order of their bytes, that have this address in a folder; the first may not be there."""
        own = os.fsencode(_decoded(address))
        if address.isascii():  # comes first: no other name need be looked for if it is there
            yield own
        if folder not in self._odd:
            if len(self._odd) >= _FOLDERS:
                self._odd = {}
            self._odd[folder] = out_of_form(os.path.join(self._path, folder))
        others = self._odd[folder].get(address, [])
        yield from sorted(others if address.isascii() else [own, *others])


def out_of_form(folder: bytes) -> dict[str, list[bytes]]:
    """The names in a folder that are not those of their addresses, by address; no two others share one.

    None for a folder that is not there; raises `OSError` for one that cannot be read.
    """
    odd: dict[str, list[bytes]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if not name.isascii() and name != os.fsencode(_decoded(address := canonical_uri(name))):
                    odd.setdefault(address, []).append(name)
    except OSError as error:
        if error.errno not in GONE:
            raise
    return odd


def _is_file(path: bytes) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        if error.errno in (*GONE, errno.ELOOP):
            return False
        raise


def _decoded(address: str) -> str:
    """The inverse of `canonical_uri` but for the normalisation, with undecodable bytes as surrogates."""

    def byte(match: re.Match[str]) -> str:
        value = int(match[1], 16)
        return chr(0xDC00 + value) if value >= 0x80 else chr(value)

    return re.sub("%([0-9A-F]{2})", byte, address)
