"""The text that a page comes to, as it grows."""

from __future__ import annotations

from dataclasses import replace

from chunkers.document import Block, Kind
from corpus.parsers.captions import is_caption


class Text:
    """Text as it grows, with its blocks."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._path: list[tuple[int, str]] = []
        self._blocks: list[Block] = []

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        level: int | None = None,
        rows: tuple[tuple[str, ...], ...] | None = None,
        indent: str = "",
    ) -> None:
        """Put a block at the end: right below its neighbour if both are list items, else after a blank line."""
        if not text.strip():
            return
        if kind is Kind.HEADING:
            assert level is not None
            while self._path and self._path[-1][0] >= level:
                self._path.pop()
            self._path.append((level, text))
            text = f"{'#' * level} {text}"
        if self._blocks:
            tight = kind is Kind.LIST_ITEM and self._blocks[-1].kind is Kind.LIST_ITEM
            self._write("\n" if tight else "\n\n")
        self._write(indent)
        start = self._length
        self._write(text)
        titles = tuple(title for _, title in self._path)
        self._blocks.append(Block(kind, start, self._length, level=level, section_path=titles, rows=rows))

    def finished(self) -> tuple[Block, ...]:
        """The blocks; paragraphs that are captions by their words are captions."""
        text = str(self)
        kinds = [None, *(block.kind for block in self._blocks), None]
        blocks = []
        for at, block in enumerate(self._blocks):
            by_table = Kind.TABLE in (kinds[at], kinds[at + 2])
            if block.kind is Kind.PARAGRAPH and is_caption(text[block.start : block.end], by_table=by_table):
                block = replace(block, kind=Kind.CAPTION)
            blocks.append(block)
        return tuple(blocks)

    def __str__(self) -> str:
        return "".join(self._parts)

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
