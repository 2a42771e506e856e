"""Blocks before they have a place in a text, and the Markdown-like text that is written from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from chunkers.document import Block, Kind, with_section_paths

Box = tuple[float, float, float, float]  #: left, top, right, bottom, in points
Rows = tuple[tuple[str, ...], ...]

_DEEPEST = 6  #: heading level that Markdown can write


@dataclass(frozen=True, slots=True)
class Draft:
    """A block with its own text: of a heading without `#`, of a list item without its bullet, of a table none."""

    kind: Kind
    text: str
    level: int | None = None  #: headings: 1 is the highest; list items: depth, 1 is the outermost
    page: int | None = None
    box: Box | None = None
    rows: Rows | None = None
    marker: str = "-"  #: list items: `-`, or the number as the document shows it


def write(drafts: Iterable[Draft]) -> tuple[str, tuple[Block, ...]]:
    """The document's text and its blocks with section paths; drafts without a visible character are left out.

    Blocks are separated by a blank line, the items of a list by a newline. A table has one line for each row.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    previous: Draft | None = None
    for draft in drafts:
        body = _written(draft)
        if not body.strip():
            continue
        if previous:
            in_list = previous.kind is draft.kind is Kind.LIST_ITEM
            parts.append("\n" if in_list else "\n\n")
            length += len(parts[-1])
        if draft.kind is Kind.LIST_ITEM:
            parts.append("  " * ((draft.level or 1) - 1))
            length += len(parts[-1])
        parts.append(body)
        blocks.append(
            Block(
                kind=draft.kind,
                start=length,
                end=length + len(body),
                level=draft.level,
                page=draft.page,
                box=draft.box,
                rows=draft.rows,
            )
        )
        length += len(body)
        previous = draft
    text = "".join(parts)
    return text, with_section_paths(text, blocks)


def table_text(rows: Rows) -> str:
    """One line for each row, `| a | b |`."""
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", r"\|")


def _written(draft: Draft) -> str:
    if draft.rows is not None:
        return table_text(draft.rows) if any(cell.strip() for row in draft.rows for cell in row) else ""
    if draft.kind is Kind.CODE:
        return draft.text.rstrip().lstrip("\n")
    text = draft.text.strip()
    if not text:
        return ""
    if draft.kind is Kind.HEADING:
        return f"{'#' * min(draft.level or 1, _DEEPEST)} {text}"
    if draft.kind is Kind.LIST_ITEM:
        return f"{draft.marker} {text}"
    return text
