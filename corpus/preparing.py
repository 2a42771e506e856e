"""One document's way from its source to what it will become: read, parse, route, cut."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

from chunkers.document import Document
from chunkers.identity import content_hash
from corpus import parsers
from corpus.config import Corpus
from corpus.diffing import diff
from corpus.embedding import Text
from corpus.errors import ConfigError, CutError, DocumentError, KerfError, ParseError, TransientError, Vanished
from corpus.parsers.detect import detect
from corpus.parsers.sandbox.pool import Sandbox
from corpus.planning import racy
from corpus.recipes import Recipes, accepted, parse_settings
from corpus.records import Evidence, Item, Run
from corpus.sources import Listed, Source
from corpus.staging import StagedDocument, place_of_child
from corpus.store import Store

_AHEAD = 8  #: documents for each process beside the first, so that it has work while the first is at a long one
_BYTES_AHEAD = 16 * 2**20  #: of documents that have been read and not yet staged; one alone may be larger


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
    texts: dict[bytes, Text]  #: what is read for its children, by the keys of their vectors


@dataclass(frozen=True, slots=True)
class Prepared:
    """What became of an item."""

    item: Item
    state: str  #: staged, quarantined, gone, superseded or failed
    error: TransientError | None = None  #: of a failed one: it can be tried again


@dataclass(frozen=True, slots=True)
class _Begun:
    """A document that has been read and may be at the parser."""

    item: Item
    attempt: Attempt
    document: Callable[[], Document]  #: waits for the parser; raises what is wrong with the document


def parsers_of(corpus: Corpus) -> Sandbox:
    """The parser processes of a corpus; close them, or use them as a context manager."""
    limits, processes = corpus.limits, corpus.parsing.processes
    return Sandbox(
        seconds=limits.seconds, memory_mb=limits.memory_mb, processes=processes, settings=parse_settings(corpus)
    )


class Preparer:
    """Prepares documents of one corpus.

    Some documents are read and parsed ahead while others are cut; all are cut and staged in the order in which they are
    given. With one process nothing is done ahead.
    """

    def __init__(self, corpus: Corpus, source: Source, store: Store, sandbox: Sandbox) -> None:
        self._corpus = corpus
        self._source = source
        self._store = store
        self._recipes = Recipes.of(corpus)
        self._settings = parse_settings(corpus)
        self._sandbox = sandbox
        self._ahead = _AHEAD * (corpus.parsing.processes - 1)
        self._parsing: set[tuple[bytes, str]] = set()  #: what the parsers are at: content hash, fingerprint

    def prepare(self, run: Run, items: Iterable[Item]) -> Iterator[Prepared]:
        """Stage each document, or put it into quarantine."""
        for begun in self._begun(items, run.listing_sequence):
            try:
                done = Prepared(begun.item, self._finish(run, begun))
            except TransientError as error:
                self._store.end_item(run.id, begun.item.document, "failed", str(error))
                done = Prepared(begun.item, "failed", error)
            yield done

    def preview(self, items: Iterable[Item]) -> Iterator[tuple[Item, Change | None]]:
        """What a sync would do with each document; None if it would go to quarantine or is gone."""
        for begun in self._begun(items, 0):
            try:
                staged = self._staged(begun)
            except (TransientError, ConfigError):
                raise
            except KerfError:
                yield begun.item, None
                continue
            _, stored = self._store.stored(begun.item.document)
            change = diff(((row["id"], place_of_child(row)) for row in staged.children), stored)
            yield begun.item, Change(len(change.insert), len(change.delete), staged.texts)

    def _finish(self, run: Run, begun: _Begun) -> str:
        """Cut and stage; returns the state of the item."""
        item, attempt = begun.item, begun.attempt
        try:
            staged = self._staged(begun)
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

    def _begun(self, items: Iterable[Item], sequence: int) -> Iterator[_Begun]:
        """Read documents and hand them to the parsers, a few ahead of the one that is yielded; in order."""
        begun: deque[_Begun] = deque()
        for item in items:
            while begun and (len(begun) > self._ahead or _bytes(begun) + (item.size or 0) > _BYTES_AHEAD):
                yield begun.popleft()
            begun.append(self._begin(item, sequence))
        while begun:
            yield begun.popleft()

    def _begin(self, item: Item, sequence: int) -> _Begun:
        attempt = self._attempt(item, sequence)
        try:
            return _Begun(item, attempt, self._from_store(attempt, item) or self._from_source(attempt, item))
        except KerfError as error:
            return _Begun(item, attempt, partial(_raise, error))

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

    def _staged(self, begun: _Begun) -> StagedDocument:
        item = begun.item
        document = accepted(self._corpus, begun.document(), item.uri)
        fingerprint = parsers.fingerprint(document.media_type, self._settings)
        return self._cut(item, document, fingerprint)

    def _from_store(self, attempt: Attempt, item: Item) -> Callable[[], Document] | None:
        """The stored parse, if only later stages are due. Its place in the order is that of the listing."""
        if item.stage in (None, "parse") or item.content_hash is None or item.parse_fingerprint is None:
            return None
        form = self._store.parsed_form(item.content_hash, item.parse_fingerprint)
        if form is None:
            return None
        attempt.media_type = form["media_type"]
        return partial(Document.from_dict, form)

    def _from_source(self, attempt: Attempt, item: Item) -> Callable[[], Document]:
        """Read, and have it parsed. The sequence is drawn first, so that bytes are never older than their number."""
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
        attempt.media_type = _detected(read.data, item.uri)
        fingerprint = parsers.fingerprint(attempt.media_type, self._settings)
        made_of = (attempt.evidence.content_hash, fingerprint)
        if made_of in self._parsing:  # the same bytes, a document or two before: its parse may do for both
            return partial(self._shared, attempt, item.uri, read.data, made_of)
        if form := self._store.parsed_form(*made_of):
            return partial(Document.from_dict, form)
        self._parsing.add(made_of)
        return partial(self._parsed, attempt, made_of, self._sandbox.submit(read.data, item.uri))

    def _shared(self, attempt: Attempt, uri: str, data: bytes, made_of: tuple[bytes, str]) -> Document:
        if form := self._store.parsed_form(*made_of):
            return Document.from_dict(form)
        return self._parsed(attempt, made_of, self._sandbox.submit(data, uri))

    def _parsed(self, attempt: Attempt, made_of: tuple[bytes, str], future: Future[Document]) -> Document:
        attempt.parsed = True
        try:
            document = future.result()
        finally:
            self._parsing.discard(made_of)
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
            "cut_fingerprint": recipes.cut_fingerprint(route.recipe, item.uri, of_prose=route.of_prose),
            "payload_hash": recipes.payload_hash(item.uri),
        }
        return StagedDocument.of(row, cut)


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


def _bytes(begun: Iterable[_Begun]) -> int:
    return sum(one.attempt.evidence.size for one in begun)


def _raise(error: KerfError) -> NoReturn:
    raise error


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
