"""What every peer's result is brought into before it is scored. The standard library alone: peers have their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FURNITURE = "furniture"  #: running heads, feet and page numbers, where a peer tells them apart
HEADING, PARAGRAPH, LIST_ITEM, TABLE, CODE = "heading", "paragraph", "list_item", "table", "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf of a document as the checks see it."""

    kind: str
    text: str  #: of a table: its cells in row order
    page: int | None = None  #: page or slide, from 1
    level: int | None = None  #: headings: 1 is the highest; None: the peer does not say
    rows: tuple[tuple[str, ...], ...] = ()  #: tables: cell texts, a merged cell in its first place

    @classmethod
    def table(cls, rows: Any, page: int | None = None) -> Block:
        """A table of rows whose cells may be None."""
        cells = tuple(tuple(cell or "" for cell in row) for row in rows)
        return cls(TABLE, "\n".join(" ".join(row) for row in cells), page, rows=cells)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a peer makes of one file."""

    blocks: tuple[Block, ...]
    fidelity: float | None = None  #: Kerf's own figure
    partial: str = ""  #: Kerf: why a corpus with the default settings would not take the document

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry; `from_dict` is its inverse."""
        return {
            "blocks": [[b.kind, b.text, b.page, b.level, b.rows] for b in self.blocks],
            "fidelity": self.fidelity,
            "partial": self.partial,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Reading:
        """Rebuild what `to_dict` wrote."""
        blocks = (
            Block(kind, text, page, level, tuple(map(tuple, rows))) for kind, text, page, level, rows in data["blocks"]
        )
        return cls(tuple(blocks), data["fidelity"], data["partial"])
