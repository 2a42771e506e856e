"""The text that a page comes to, as it grows."""

from __future__ import annotations

from chunkers.document import Block, Kind


class Text:
    """Text as it grows, with its blocks."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._path: list[tuple[int, str]] = []
        self.blocks: list[Block] = []

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
        if self.blocks:
            tight = kind is Kind.LIST_ITEM and self.blocks[-1].kind is Kind.LIST_ITEM
            self._write("\n" if tight else "\n\n")
        self._write(indent)
        start = self._length
        self._write(text)
        titles = tuple(title for _, title in self._path)
        self.blocks.append(Block(kind, start, self._length, level=level, section_path=titles, rows=rows))

    def __str__(self) -> str:
        return "".join(self._parts)

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
