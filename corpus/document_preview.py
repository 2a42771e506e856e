"""What a sync would do to one document, and why: its children as they are and as they would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from chunkers.identity import document_id
from corpus.config import Corpus
from corpus.errors import ConfigError, KerfError
from corpus.planning import Action, Stage
from corpus.preparing import Change, Preparer, parsers_of
from corpus.records import Item, Reprocess, Row
from corpus.sources import Source
from corpus.store import Store
from corpus.wanted import costs, wanted_by

_DUE = {
    Stage.PARSE: "its bytes are the same; the parser, or a setting that it reads, is another",
    Stage.CUT: "its bytes and its parsed form are the same; the recipe, or a setting of the cut, is another",
    Stage.EMBED: "its children are the same; what the model is given of them is another",
    Stage.METADATA: "only its metadata would be others: the rules of the configuration changed",
    Stage.PERMISSIONS: "only its permissions would be others: the rules of the configuration changed",
}


def preview_document(
    store: Store, settings: Corpus, source: Source, model: int | None, uri: str, reprocess: Reprocess | None
) -> dict[str, Any]:
    """What the plan that the store's connection has worked out does to a document; see `corpus.preview`."""
    document = document_id(settings.name, uri)
    item = store.planned_one(document)
    published = store.published_row(document)
    served = published is not None and not published["deleted"]
    stored = store.published_children(document) if served else {}
    held = store.in_quarantine(document)
    if item is None and published is None and held is None:
        raise _unknown(store, settings.name, uri)
    change: Change | KerfError | None = None
    if item is not None and item.batch is not None:
        with parsers_of(settings) as sandbox:
            (_, change), *_ = Preparer(settings, source, store, sandbox).preview([item])
    action, because = _verdict(store, item, published, held, change, reprocess)
    made = change if isinstance(change, Change) else None
    goes = item is not None and item.action == Action.DELETED
    return {
        "document": {"uri": uri, "action": action, "stage": item.stage if item else None, "because": because},
        "children": _children(made, stored, goes=goes),
        **_costs(store, settings, model, item, made),
    }


def _unknown(store: Store, corpus: str, uri: str) -> ConfigError:
    near = store.near(corpus, uri)
    where = f"near it: {', '.join(near)}" if near else "kerf search and kerf quarantine list print addresses"
    return ConfigError(
        f"corpus {corpus} knows no document {uri}, and the source does not list it",
        hint=f"it may be left out by include and exclude; {where}",
    )


def _verdict(
    store: Store,
    item: Item | None,
    published: Row | None,
    held: Row | None,
    change: Change | KerfError | None,
    reprocess: Reprocess | None,
) -> tuple[str, str]:
    """The action, and the reason for it, in words."""
    if isinstance(change, KerfError):
        return Action.QUARANTINED, f"it would go to quarantine: {change}"
    if item is None or item.action == Action.QUARANTINED:
        if held is not None:
            failed = f"{held['error_class']}: {held['message']}"
            again = "its permissions follow the rules; " if item else ""
            return Action.QUARANTINED, f"{again}its bytes and the parser that failed are the same. {failed}"
        if published is None or published["deleted"]:
            return Action.DELETED, "it was deleted before, and the source does not list it"
        return Action.UNCHANGED, f"version {published['version']} is what the source and the configuration say"
    return item.action, _because(store, item, published, held, reprocess)


def _because(store: Store, item: Item, published: Row | None, held: Row | None, reprocess: Reprocess | None) -> str:
    if item.action == Action.DELETED:
        new = store.planned_one(item.moved_to) if item.moved_to else None
        if item.moved_to is None:
            return "the source no longer lists it"
        return f"its bytes are now at {new.uri}" if new else "its bytes are now elsewhere, and in quarantine there"
    if item.action == Action.MOVED:
        old = store.planned_one(item.moved_from) if item.moved_from else None
        return f"its bytes were at {old.uri}, which is gone" if old else "its bytes were at an address that is gone"
    if item.action == Action.REVIVED:
        return "it was deleted, and the source lists it again"
    if item.forced and reprocess is not None:
        return f"asked for: {reprocess.reason}"
    if item.action == Action.DUE:
        return _DUE[Stage(item.stage or Stage.PARSE)]
    if item.action == Action.TOUCHED:
        return "its bytes are the same under another time or size; that is written down, and nothing else"
    if held is not None and item.content_hash == held["content_hash"]:
        return "asked for: kerf quarantine retry" if held["retry"] else "it failed, and its parser or settings changed"
    if published is None or published["deleted"]:
        return "the ledger does not know it" if held is None else "it failed, and its bytes are others now"
    return f"its bytes are others than those of version {published['version']}"


def _children(change: Change | None, stored: Mapping[UUID, Row], *, goes: bool) -> dict[str, list[Row]]:
    """Children that are kept, new and gone, in the order in which they stand."""
    if change is None or not change.staged.whole:
        kept = [] if goes else [_child(row, row, row) for row in _ordered(stored)]
        return {
            "keep": kept,
            "insert": [],
            "delete": [_child(row, row, None) for row in _ordered(stored)] if goes else [],
        }
    wanted = {row["id"]: row for row in change.staged.children}
    new = _ordered(wanted)
    return {
        "keep": [_child(row, stored[row["id"]], row) for row in new if row["id"] in stored],
        "insert": [_child(row, None, row) for row in new if row["id"] not in stored],
        "delete": [_child(row, row, None) for row in _ordered(stored) if row["id"] not in wanted],
    }


def _ordered(rows: Mapping[UUID, Row]) -> list[Row]:
    return sorted(rows.values(), key=lambda row: (row["start_offset"], row["ordinal"]))


def _child(row: Row, old: Row | None, new: Row | None) -> Row:
    said = {"id": str(row["id"]), "section_path": row["section_path"], "text": row["text"], "tokens": row["tokens"]}
    return said | {"place": {"old": _place(old), "new": _place(new)}}


def _place(row: Row | None) -> Row | None:
    """Where a child stands in the document's text, in code points, and in its source's lines where it has any."""
    if row is None:
        return None
    lines = [row["first_line"], row["last_line"]] if row["first_line"] is not None else None
    return {"start": row["start_offset"], "end": row["end_offset"], "lines": lines, "pages": row["pages"]}


def _costs(
    store: Store, settings: Corpus, model: int | None, item: Item | None, change: Change | None
) -> dict[str, Any]:
    store.keep_wanted(wanted_by(item, change.staged) if item and change else ())
    return costs(settings, store.count_wanted(settings.name, model))
