"""One document's way from its source to what it will become: read, parse, route, cut."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from chunkers.document import Document
from chunkers.identity import content_hash
from corpus import parsers
from corpus.config import Corpus
from corpus.diffing import diff
from corpus.errors import ConfigError, CutError, DocumentError, KerfError, ParseError, TransientError, Vanished
from corpus.parsers.detect import detect
from corpus.parsers.sandbox import Sandbox
from corpus.planning import racy
from corpus.recipes import Recipes
from corpus.records import Evidence, Item, Run
from corpus.sources import Listed, Source
from corpus.staging import StagedDocument, place_of_child
from corpus.store import Store


@dataclass(slots=True)
class Attempt:
    """How far a document came; what stands here when it fails is the evidence of the failure."""

    evidence: Evidence
    media_type: str | None = None
    parsed: bool = False  #: the parser ran
    form: dict[str, Any] | None = None  #: the parsed form, where it is not stored yet


@dataclass(frozen=True, slots=True)
class Change:
    """What publishing a document would do to its children."""

    inserted: int
    deleted: int
    texts: dict[bytes, int]  #: embedding key → tokens, of all its children


class Preparer:
    """Prepares the documents of one corpus, with one warm parser process. Use it as a context manager."""

    def __init__(self, corpus: Corpus, source: Source, store: Store) -> None:
        self._corpus = corpus
        self._source = source
        self._store = store
        self._recipes = Recipes.of(corpus)
        limits = corpus.limits
        self._sandbox = Sandbox(seconds=limits.seconds, memory_mb=limits.memory_mb, pages=limits.pages)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sandbox.close()

    def prepare(self, run: Run, item: Item) -> str:
        """Stage a document, or put it into quarantine; returns the state of its item. Raises `TransientError`."""
        attempt = self._attempt(item, run.listing_sequence)
        try:
            staged = self._work(attempt, item)
            done = self._store.stage(run.id, attempt.evidence, staged, attempt.form, parsed=attempt.parsed)
        except Vanished:
            self._store.end_item(run.id, item.document, "gone", "it vanished after the listing")
            return "gone"
        except (TransientError, ConfigError):
            raise
        except KerfError as error:
            failure = error if isinstance(error, DocumentError | CutError) else ParseError(str(error))
            done = self._store.quarantine(
                run,
                attempt.evidence,
                failure,
                media_type=attempt.media_type,
                parse_fingerprint=self._recipes.attempt_fingerprint(attempt.media_type),
                permissions=self._recipes.permissions(item.uri),
                parsed=attempt.parsed,
            )
            return "quarantined" if done else "superseded"
        return "staged" if done else "superseded"

    def preview(self, item: Item) -> Change | None:
        """What a sync would do with a document; None if it would go to quarantine or is gone."""
        attempt = self._attempt(item, 0)
        try:
            children = self._work(attempt, item).children
        except (TransientError, ConfigError):
            raise
        except KerfError:
            return None
        _, stored = self._store.stored(item.document)
        change = diff(((row["id"], place_of_child(row)) for row in children), stored)
        return Change(len(change.insert), len(change.delete), {row["key"]: row["tokens"] for row in children})

    def _attempt(self, item: Item, sequence: int) -> Attempt:
        return Attempt(
            Evidence(
                item.document,
                item.uri,
                item.size or 0,
                item.mtime_ns or 0,
                item.etag,
                bool(item.trusted),
                item.content_hash or content_hash(f"unread {item.size} {item.mtime_ns} {item.etag}".encode()),
                sequence,
            )
        )

    def _work(self, attempt: Attempt, item: Item) -> StagedDocument:
        document = self._from_store(attempt, item) or self._from_source(attempt, item)
        fingerprint = parsers.fingerprint(document.media_type, pages=self._corpus.limits.pages)
        return self._cut(item, document, fingerprint)

    def _from_store(self, attempt: Attempt, item: Item) -> Document | None:
        """The stored parse, if only later stages are due. Its place in the order is that of the listing."""
        if item.stage in (None, "parse") or item.content_hash is None or item.parse_fingerprint is None:
            return None
        form = self._store.parsed_form(item.content_hash, item.parse_fingerprint)
        if form is None:
            return None
        attempt.media_type = form["media_type"]
        return Document.from_dict(form)

    def _from_source(self, attempt: Attempt, item: Item) -> Document:
        """Read and parse. The sequence is drawn first, so that bytes are never older than their number."""
        sequence = self._store.next_read_sequence()
        attempt.evidence = replace(attempt.evidence, read_sequence=sequence)
        read = self._source.read(item.uri)
        now = time.time_ns()
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
        attempt.media_type = detect(read.data, item.uri)
        fingerprint = parsers.fingerprint(attempt.media_type, pages=self._corpus.limits.pages)
        if form := self._store.parsed_form(attempt.evidence.content_hash, fingerprint):
            return Document.from_dict(form)
        attempt.parsed = True
        document = self._sandbox.parse(read.data, item.uri)
        attempt.form = _storable(document)
        return document

    def _cut(self, item: Item, document: Document, parse_fingerprint: str) -> StagedDocument:
        recipes = self._recipes
        try:
            route = recipes.route(document, item.uri)
            cut = recipes.cut(item.document, document, route, item.uri)
        except KerfError:
            raise
        except Exception as error:
            raise CutError(
                f"cutting failed with {type(error).__name__}: {error}",
                hint="a bug in Kerf: please report it with the document",
                stage="cut",
            ) from error
        row = recipes.payload(document, item.uri) | {
            "media_type": document.media_type,
            "recipe": route.recipe,
            "recipe_because": route.because,
            "warnings": [*document.warnings, *cut.warnings],
            "parse_fingerprint": parse_fingerprint,
            "cut_fingerprint": recipes.cut_fingerprint(route.recipe, item.uri),
            "payload_hash": recipes.payload_hash(item.uri),
        }
        return StagedDocument.of(row, cut)


@dataclass(frozen=True, slots=True)
class Hashes:
    """What reading said of documents whose stat evidence was not enough."""

    found: dict[str, bytes]
    vanished: set[str]


def read_hashes(source: Source, uris: Iterable[str]) -> Hashes:
    """Hash documents. One that cannot be read now has no hash: it counts as changed, and its batch says why."""
    found: dict[str, bytes] = {}
    vanished: set[str] = set()
    for uri in uris:
        try:
            found[uri] = content_hash(source.read(uri).data)
        except Vanished:
            vanished.add(uri)
        except KerfError:
            continue
    return Hashes(found, vanished)


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
