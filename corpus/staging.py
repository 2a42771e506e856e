"""What a document will become, in the form in which it waits for its vectors and is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chunkers.chunk import Child, Cut, Parent
from chunkers.identity import embedding_key

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StagedDocument:
    """Rows to be: of `documents` (without ids, hash and counts), `parents` and `children`."""

    document: Row
    parents: list[Row]
    children: list[Row]

    @classmethod
    def of(cls, document: Row, cut: Cut) -> StagedDocument:
        """The rows of a cut document."""
        return cls(document, [_parent(parent) for parent in cut.parents], [_child(child) for child in cut.children])

    @property
    def keys(self) -> set[bytes]:
        """The embedding keys of the children."""
        return {child["key"] for child in self.children}

    def to_dict(self) -> Row:
        """A form that JSON can carry."""
        return {
            "document": self.document,
            "parents": [parent | {"id": str(parent["id"])} for parent in self.parents],
            "children": [
                child | {"id": str(child["id"]), "parent_id": str(child["parent_id"]), "key": child["key"].hex()}
                for child in self.children
            ],
        }

    @classmethod
    def from_dict(cls, data: Row) -> StagedDocument:
        """Rebuild what `to_dict` wrote."""
        return cls(
            data["document"],
            [parent | {"id": UUID(parent["id"])} for parent in data["parents"]],
            [
                child
                | {
                    "id": UUID(child["id"]),
                    "parent_id": UUID(child["parent_id"]),
                    "key": bytes.fromhex(child["key"]),
                }
                for child in data["children"]
            ],
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
        "key": embedding_key(child.embedded_text),
    }


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
)


def place_of_parent(row: Row) -> tuple[Any, ...]:
    """All that may change in a parent while its id stays."""
    return tuple(row[name] for name in _PARENT)


def place_of_child(row: Row) -> tuple[Any, ...]:
    """All that may change in a child while its id stays."""
    return tuple(row[name] for name in _CHILD)
