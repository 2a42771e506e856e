"""What a document will become, in the form in which it waits for its vectors and is published."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from chunkers.chunk import Child, Context, Cut, Parent, Place, embedded_text
from chunkers.identity import context_key, embedding_key
from corpus.embedding import Text

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StagedDocument:
    """Rows to be: of `documents` (without ids, hash and counts), `parents`, `children` and `contexts`.

    One that is not `whole` has some columns of the published row alone: the other columns, parents, children and
    contexts stay as they are.
    """

    document: Row
    parents: list[Row] = field(default_factory=list)
    children: list[Row] = field(default_factory=list)
    contexts: list[Row] = field(default_factory=list)
    settings: str = ""  #: the digest of the settings whose fingerprints the document has then; empty: not known
    whole: bool = True

    @classmethod
    def of(cls, document: Row, cut: Cut, settings: str) -> StagedDocument:
        """The rows of a cut document."""
        return cls(
            document,
            [_parent(parent) for parent in cut.parents],
            [_child(child) for child in cut.children],
            [_context(context) for context in cut.contexts],
            settings,
        )

    @property
    def keys(self) -> set[bytes]:
        """The embedding keys of the children."""
        return {child["key"] for child in self.children}

    @property
    def texts(self) -> dict[bytes, Text]:
        """What is read for the children, by the keys of their vectors; a context is the same text for all of its."""
        places: dict[UUID, dict[bytes, Place]] = {row["id"]: {} for row in self.contexts}
        for child in self.children:
            if child["context_id"]:
                places[child["context_id"]][child["key"]] = (child["context_start"], child["context_end"])
        contexts = {
            row["id"]: Text(context_key(row["text"]), row["text"], row["tokens"], places[row["id"]])
            for row in self.contexts
        }
        return {
            child["key"]: contexts[child["context_id"]]
            if child["context_id"]
            else Text(child["key"], embedded_text(child["header"], child["text"]), child["tokens"])
            for child in self.children
        }

    def to_dict(self) -> Row:
        """A form that JSON can carry."""
        return {
            "document": self.document,
            "parents": [parent | {"id": str(parent["id"])} for parent in self.parents],
            "children": [
                child
                | {name: str(child[name]) for name in _IDS if child[name] is not None}
                | {"key": child["key"].hex()}
                for child in self.children
            ],
            "contexts": [context | {"id": str(context["id"])} for context in self.contexts],
            "settings": self.settings,
            "whole": self.whole,
        }

    @classmethod
    def from_dict(cls, data: Row) -> StagedDocument:
        """Rebuild what `to_dict` wrote."""
        return cls(
            data["document"],
            [parent | {"id": UUID(parent["id"])} for parent in data["parents"]],
            [
                child
                | {name: UUID(child[name]) for name in _IDS if child[name] is not None}
                | {"key": bytes.fromhex(child["key"])}
                for child in data["children"]
            ],
            [context | {"id": UUID(context["id"])} for context in data["contexts"]],
            data["settings"],
            data["whole"],
        )


def _parent(parent: Parent) -> Row:
    return {
        "id": parent.id,
        "ordinal": parent.ordinal,
        "start_offset": parent.start,
        "end_offset": parent.end,
        "section_path": list(parent.section_path),
        "pages": list(parent.pages),
        "text": parent.text,
        "tokens": parent.tokens,
    }


def _child(child: Child) -> Row:
    first_line, last_line = child.lines or (None, None)
    return {
        "id": child.id,
        "parent_id": child.parent_id,
        "ordinal": child.ordinal,
        "start_offset": child.start,
        "end_offset": child.end,
        "section_path": list(child.section_path),
        "pages": list(child.pages),
        "first_line": first_line,
        "last_line": last_line,
        "kind": child.kind.value,
        "header": child.header,
        "text": child.text,
        "tokens": child.tokens,
        "key": embedding_key(child.embedded_text, child.place),
        "context_id": child.context.id if child.context else None,
        "context_start": child.place[0] if child.place else None,
        "context_end": child.place[1] if child.place else None,
    }


def _context(context: Context) -> Row:
    return {"id": context.id, "text": context.embedded_text, "tokens": context.tokens}


_IDS = ("id", "parent_id", "context_id")
_PARENT = ("ordinal", "start_offset", "end_offset", "section_path", "pages", "text", "tokens")
_CHILD = (
    "parent_id",
    "ordinal",
    "start_offset",
    "end_offset",
    "section_path",
    "pages",
    "first_line",
    "last_line",
    "kind",
    "header",
    "text",
    "tokens",
    "key",
    "context_id",
    "context_start",
    "context_end",
)


def place_of_parent(row: Row) -> tuple[Any, ...]:
    """All that may change in a parent while its id stays."""
    return tuple(row[name] for name in _PARENT)


def place_of_child(row: Row) -> tuple[Any, ...]:
    """All that may change in a child while its id stays."""
    return tuple(row[name] for name in _CHILD)
