"""Ids, keys and fingerprints: what stays the same when something else changes.

Every name that goes into a hash is encoded as a JSON array first, so that no two different tuples share an
encoding. Position, offsets, mtimes, permissions and runs never enter an id.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID, uuid5

NAMESPACE = UUID("6d1b1c1e-52ae-5f0e-9d6b-3a1f0c7e4b52")  #: of all ids; changing it renames everything

POOLING = 1  #: raised when the vector of a place is made of its tokens in another way
_WITHIN = b"\xff"  #: begins no UTF-8 text, so that a text and a place in a text never share a key


_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _name(*parts: Any) -> str:
    return _encoded(parts)


_SPACE = NAMESPACE.bytes


def _uuid(name: str) -> UUID:
    return UUID(bytes=hashlib.sha1(_SPACE + name.encode("utf-8"), usedforsecurity=False).digest()[:16], version=5)


def canonical_uri(path: bytes) -> str:
    """The address of a document from its path relative to the source, `/` between the parts.

    NFC; bytes that are not UTF-8 are percent-encoded, and so is a `%` that could be taken for such an encoding, so
    that two different paths meet in one address only if they differ in Unicode normalisation alone.
    """
    text = path.decode("utf-8", "surrogateescape")
    text = re.sub(r"%(?=[0-9A-Fa-f]{2})", "%25", text)
    text = re.sub("[\udc80-\udcff]", lambda match: f"%{ord(match[0]) - 0xDC00:02X}", text)
    return unicodedata.normalize("NFC", text)


def document_id(corpus: str, uri: str) -> UUID:
    """The same place in the same corpus is the same document."""
    return uuid5(NAMESPACE, _name("document", corpus, uri))


def parent_id(document: UUID, section_path: tuple[str, ...], ordinal: int) -> UUID:
    """Editing a section keeps its id; `ordinal` counts from 0 among the parents with the same path."""
    return _uuid(_name("parent", str(document), section_path, ordinal))


def child_id(document: UUID, section_path: tuple[str, ...], text: str, ordinal: int) -> UUID:
    """Text that did not change keeps its id; `ordinal` counts from 0 among equal texts under the same path."""
    return _uuid(_name("child", str(document), section_path, text, ordinal))


def ordinals(keys: Iterable[Hashable]) -> Iterator[int]:
    """For each key, how many equal ones came before it."""
    seen: Counter[Hashable] = Counter()
    for key in keys:
        yield seen[key]
        seen[key] += 1


def context_id(document: UUID, embedded_text: str) -> UUID:
    """The same text is the same context, wherever in the document it stands."""
    return uuid5(NAMESPACE, _name("context", str(document), embedded_text))


def embedding_key(embedded_text: str, place: tuple[int, int] | None = None) -> bytes:
    """SHA-256 of the text that is embedded: the same text is embedded once for each model, for ever.

    With `place`, of the text and that place in it: two equal texts in one context have two vectors. A model's own
    prefix ("passage: ") is part of the model's id, so that (model id, key) names the exact input.
    """
    if place is None:
        return hashlib.sha256(embedded_text.encode("utf-8")).digest()
    return hashlib.sha256(_WITHIN + _name(POOLING, embedded_text, *place).encode("utf-8")).digest()


def context_key(embedded_text: str) -> bytes:
    """SHA-256 of a text that is read for places in it: never that of the same text read for itself."""
    return hashlib.sha256(_WITHIN + embedded_text.encode("utf-8")).digest()


def content_hash(data: bytes) -> bytes:
    """SHA-256 of a document's bytes."""
    return hashlib.sha256(data).digest()


def fingerprint(stage: str, version: int, settings: Mapping[str, Any]) -> str:
    """Hex digest of a stage's version and of the settings that this stage reads, and no others."""
    return hashlib.sha256(_name(stage, version, dict(settings)).encode("utf-8")).hexdigest()[:32]
