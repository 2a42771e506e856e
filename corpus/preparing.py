"""One document's way to what it will become: read, parse, route, cut; or what of it is to be had for less."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

from chunkers.document import Document
from corpus import parsers
from corpus.config import Corpus
from corpus.errors import ConfigError, CutError, DocumentError, KerfError, ParseError, TransientError, Vanished
from corpus.parsers.sandbox.pool import Sandbox
from corpus.planning import Known, Stage
from corpus.reading import Attempt, Reader
from corpus.recipes import Recipes, accepted, parse_settings
from corpus.records import Item, Row, Run
from corpus.sources import Source
from corpus.staging import StagedDocument
from corpus.store import Store

_AHEAD = 8  #: documents for each process beside the first, so that it has work while the first is at a long one
_FINGERPRINTS = ("parse_fingerprint", "cut_fingerprint")
_BYTES_AHEAD = 16 * 2**20  #: of documents that have been read and not yet staged; one alone may be larger


@dataclass(frozen=True, slots=True)
class Change:
    """What publishing a document would do to its children."""

    staged: StagedDocument
    inserted: int  #: children
    deleted: int  #: children


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
    staged: Callable[[], StagedDocument]  #: waits for the parser; raises what is wrong with the document


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
        self._store = store
        self._recipes = Recipes.of(corpus)
        self._settings = parse_settings(corpus)
        self._reader = Reader(source, store, sandbox, self._settings)
        self._ahead = _AHEAD * (corpus.parsing.processes - 1)

    def prepare(self, run: Run, items: Iterable[Item]) -> Iterator[Prepared]:
        """Stage each document, or put it into quarantine; then count what was done."""
        documents = children = read = 0
        for begun in self._begun(items, run.listing_sequence):
            try:
                done = Prepared(begun.item, self._finish(run, begun))
                documents += done.state in ("staged", "quarantined")
            except TransientError as error:
                self._store.end_item(run.id, begun.item.document, "failed", str(error))
                done = Prepared(begun.item, "failed", error)
            children += begun.attempt.children
            read += begun.attempt.bytes
            yield done
        if documents or read:
            self._store.add_stage(run.id, "prepare", documents=documents, chunks=children, bytes=read)

    def preview(self, items: Iterable[Item]) -> Iterator[tuple[Item, Change | KerfError]]:
        """What a sync would do with each document; the error if it would go to quarantine or is gone."""
        for begun in self._begun(items, 0):
            try:
                staged = begun.staged()
            except (TransientError, ConfigError):
                raise
            except KerfError as error:
                yield begun.item, error
                continue
            stored = self._store.published_children(begun.item.document).keys() if staged.whole else set()
            wanted = {row["id"] for row in staged.children}
            yield begun.item, Change(staged, inserted=len(wanted - stored), deleted=len(stored - wanted))

    def _finish(self, run: Run, begun: _Begun) -> str:
        """Cut and stage; returns the state of the item."""
        item, attempt = begun.item, begun.attempt
        try:
            staged = begun.staged()
            done = self._store.stage(run.id, attempt.evidence, staged, attempt.form, parsed=attempt.parsed)
        except Vanished:
            self._store.end_item(run.id, item.document, "gone", "it vanished after the listing")
            return "gone"
        except (TransientError, ConfigError):
            raise
        except KerfError as error:
            failure = error if isinstance(error, DocumentError | CutError) else ParseError(str(error))
            put_away = self._store.quarantine(
                run,
                attempt.evidence,
                failure,
                media_type=attempt.media_type,
                parser=parsers.called(attempt.media_type),
                parse_fingerprint=self._recipes.attempt_fingerprint(attempt.media_type),
                permissions=self._recipes.permissions(item.uri),
                parsed=attempt.parsed,
            )
            return "quarantined" if put_away else "superseded"
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
        attempt = Attempt.at(item, sequence)
        try:
            if (published := self._published(item)) is not None:
                return _Begun(item, attempt, published)
            return _Begun(item, attempt, partial(self._cut, item, attempt, self._reader.document(attempt, item)))
        except KerfError as error:
            return _Begun(item, attempt, partial(_raise, error))

    def _published(self, item: Item) -> Callable[[], StagedDocument] | None:
        """What needs no cut, made of the published version; None if that is not the one that the plan saw."""
        if item.stage in (Stage.PARSE, Stage.CUT):
            return None
        if item.stage == Stage.EMBED:
            row, staged = self._store.published(item.document) or (None, None)
        else:
            row, staged = self._store.published_row(item.document), None
        if row is None or row["deleted"] or row["content_hash"] != item.content_hash:
            return None
        if staged is None:
            changed = self._said(item, row)
            if changed is None:
                return None
            staged = StagedDocument(changed, whole=False)
        return partial(replace, staged, settings=self._recipes.digest if self._is_of_today(item, row) else "")

    def _said(self, item: Item, row: Row) -> Row | None:
        """The columns that rules decide; None where what the document itself says is not kept."""
        if item.stage == Stage.PERMISSIONS:
            return {"permissions": self._recipes.permissions(item.uri)}
        form = self._store.own_words(row["content_hash"], row["parse_fingerprint"])
        if form is None:
            return None
        payload = self._recipes.payload(Document.from_dict(form), item.uri)
        return payload | {"payload_hash": self._recipes.payload_hash(item.uri)}

    def _is_of_today(self, item: Item, row: Row) -> bool:
        """Whether a published version was parsed and cut as it would be today, whatever the plan thought."""
        names = ("content_hash", *_FINGERPRINTS, "payload_hash", "media_type", "recipe", "missing", "fidelity")
        version = {name: row[name] for name in names}
        known = Known(item.document, item.uri, item.size, item.mtime_ns, item.etag, False, **version)
        expected = self._recipes.expected(known)
        return all(row[name] == getattr(expected, name) for name in _FINGERPRINTS)

    def _cut(self, item: Item, attempt: Attempt, parsed: Callable[[], Document]) -> StagedDocument:
        recipes = self._recipes
        document = accepted(self._corpus, parsed(), item.uri)
        try:
            route = recipes.route(document, item.uri)
            cut, cut_fingerprint = recipes.cut(item.document, document, route, item.uri)
        except KerfError:
            raise
        except Exception as error:
            raise CutError(
                f"cutting failed with {type(error).__name__}: {error}",
                hint="a bug in Kerf: please report it with the document",
                stage="cut",
            ) from error
        attempt.children = len(cut.children)
        row = recipes.payload(document, item.uri) | {
            "media_type": document.media_type,
            "recipe": route.recipe,
            "recipe_because": route.because,
            "warnings": [*document.warnings, *cut.warnings],
            "parse_fingerprint": attempt.fingerprint,
            "cut_fingerprint": cut_fingerprint,
            "payload_hash": recipes.payload_hash(item.uri),
        }
        # the form may be of settings that were changed after the plan
        today = attempt.fingerprint == parsers.fingerprint(document.media_type, self._settings)
        return StagedDocument.of(row, cut, self._recipes.digest if today else "")


def _bytes(begun: Iterable[_Begun]) -> int:
    return sum(one.attempt.evidence.size for one in begun)


def _raise(error: KerfError) -> NoReturn:
    raise error
