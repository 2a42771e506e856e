"""One document's way from its source, or from what is stored of it, to its parsed form."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chunkers.document import Document
from chunkers.identity import content_hash
from corpus import parsers
from corpus.errors import KerfError, ParseError
from corpus.parsers import Settings
from corpus.parsers.detect import detect
from corpus.parsers.sandbox.pool import Sandbox
from corpus.planning import Stage, racy, unread_hash
from corpus.records import Evidence, Item
from corpus.sources import Listed, Source
from corpus.store import Store

_MadeOf = tuple[bytes, str]  #: content hash and parse fingerprint


@dataclass(slots=True)
class Attempt:
    """How far a document came; what stands here when it fails is the evidence of the failure."""

    evidence: Evidence
    media_type: str | None = None
    fingerprint: str = ""  #: of the parse
    parsed: bool = False  #: the parser ran
    form: dict[str, Any] | None = None  #: what the parser made, where that is not stored yet or may differ
    bytes: int = 0  #: read from the source
    children: int = 0  #: that it was cut into

    @classmethod
    def at(cls, item: Item, sequence: int) -> Attempt:
        """Before anything is read: what the listing said, and the listing's place in the order."""
        size, mtime_ns, etag = item.size or 0, item.mtime_ns or 0, item.etag
        digest = item.content_hash or unread_hash(size, mtime_ns, etag)
        return cls(Evidence(item.document, item.uri, size, mtime_ns, etag, bool(item.trusted), digest, sequence))


class Reader:
    """Gets parsed documents of one corpus. Equal bytes are parsed once, unless they are to be parsed again."""

    def __init__(self, source: Source, store: Store, sandbox: Sandbox, settings: Settings) -> None:
        self._source = source
        self._store = store
        self._sandbox = sandbox
        self._settings = settings
        self._parsing: set[_MadeOf] = set()  #: what the parsers are at
        self._again: set[_MadeOf] = set()  #: what was to be parsed again and has been

    def document(self, attempt: Attempt, item: Item) -> Callable[[], Document]:
        """What waits for the parsed form, with the parser at work on it if it must; raises as `parsers.parse` does."""
        return self._stored(attempt, item) or self._read(attempt, item)

    def _stored(self, attempt: Attempt, item: Item) -> Callable[[], Document] | None:
        """The stored form, if only later stages are due. Its place in the order is that of the listing."""
        if item.stage == Stage.PARSE or item.content_hash is None or item.parse_fingerprint is None:
            return None
        form = self._store.parsed_form(item.content_hash, item.parse_fingerprint)
        if form is None:
            return None
        attempt.media_type, attempt.fingerprint = form["media_type"], item.parse_fingerprint
        return partial(Document.from_dict, form)

    def _read(self, attempt: Attempt, item: Item) -> Callable[[], Document]:
        """Read, and have it parsed. The sequence is drawn first, so that bytes are never older than their number."""
        sequence = self._store.next_read_sequence()
        attempt.evidence = replace(attempt.evidence, read_sequence=sequence)
        read = self._source.read(item.uri)
        now = time.time_ns()
        attempt.bytes = read.size
        attempt.evidence = replace(
            attempt.evidence,
            size=read.size,
            mtime_ns=read.mtime_ns,
            etag=read.etag,
            trusted=bool(item.trusted) and not racy(Listed(item.uri, read.size, read.mtime_ns, read.etag), now),
            content_hash=content_hash(read.data),
        )
        if not read.data:
            raise ParseError("the file is empty", hint="fill it, or exclude it in corpora.yaml", stage="parse")
        attempt.media_type = _detected(read.data, item.uri)
        attempt.fingerprint = parsers.fingerprint(attempt.media_type, self._settings)
        made_of = (attempt.evidence.content_hash, attempt.fingerprint)
        if made_of in self._parsing:  # the same bytes, a document or two before: its parse may do for both
            return partial(self._shared, attempt, item.uri, read.data, made_of)
        again = item.forced and item.stage == Stage.PARSE and made_of not in self._again
        if not again and (form := self._store.parsed_form(*made_of)):
            return partial(Document.from_dict, form)
        self._parsing.add(made_of)
        if again:
            self._again.add(made_of)
        return partial(self._parsed, attempt, made_of, self._sandbox.submit(read.data, item.uri))

    def _shared(self, attempt: Attempt, uri: str, data: bytes, made_of: _MadeOf) -> Document:
        if form := self._store.parsed_form(*made_of):
            return Document.from_dict(form)
        return self._parsed(attempt, made_of, self._sandbox.submit(data, uri))

    def _parsed(self, attempt: Attempt, made_of: _MadeOf, future: Future[Document]) -> Document:
        attempt.parsed = True
        try:
            document = future.result()
        finally:
            self._parsing.discard(made_of)
        attempt.form = _storable(document)
        return document


def _detected(data: bytes, uri: str) -> str:
    """The media type; found out here, in no sandbox, so whatever goes wrong is the document's own fault."""
    try:
        return detect(data, uri)
    except (KerfError, MemoryError):
        raise
    except Exception as error:
        raise ParseError(
            f"what the file is cannot be told: {type(error).__name__}: {error}",
            hint="it may be damaged; repair it or exclude it",
            uri=uri,
            stage="parse",
        ) from error


def _storable(document: Document) -> dict[str, Any]:
    """The parsed form, refused if a character in it could not be stored: better one document than a batch."""
    form = document.to_dict()
    try:
        text = json.dumps(form, ensure_ascii=False)
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ParseError(f"the parser let a lone surrogate through: {error}", stage="parse") from error
    if "\\u0000" in text and "\0" in _strings(form):
        raise ParseError("the parser let a NUL character through", stage="parse")
    return form


def _strings(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = list(value.values())
    return "".join(map(_strings, value)) if isinstance(value, list) else ""
