"""Scores a parsed document against facts that a person read off its pages (checks.json of the data folder)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chunkers.document import Document, Kind


def normal(text: str) -> str:
    """What two ways of writing the same text have in common."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").replace("’", "'").replace("‘", "'")
    text = re.sub(r"(?<=\w)-\s+(?=\w)", "", text)
    text = re.sub(r"[*_`#\\|]", "", text)
    return re.sub(r"[\s\u200b]", "", text).lower().replace("-", "")


@dataclass(frozen=True)
class Seen:
    """A block as the checks see it."""

    kind: Kind
    page: int | None
    text: str
    level: int | None
    rows: tuple[tuple[str, ...], ...]


class Checker:
    """Answers checks about one document."""

    def __init__(self, document: Document) -> None:
        self.blocks = [
            Seen(b.kind, b.page, document.text[b.start : b.end], b.level, b.rows or ()) for b in document.blocks
        ]
        self.body = "".join(
            "".join(normal(cell) for row in b.rows for cell in row) if b.kind is Kind.TABLE else normal(b.text)
            for b in self.blocks
        )

    def holds(self, check: list[Any]) -> bool:
        """Whether the document passes a check: its kind, then its arguments."""
        kind, *arguments = check
        passed: bool = getattr(self, f"_{kind}")(*arguments)
        return passed

    def _on(self, page: int | None) -> Iterator[Seen]:
        return (block for block in self.blocks if page is None or block.page == page)

    def _headings(self, text: str, page: int | None = None) -> Iterator[Seen]:
        wanted = normal(text)
        for block in self._on(page):
            have = re.sub(r"^[\d.]+", "", normal(block.text)) if not text[0].isdigit() else normal(block.text)
            candidates = (have, normal(block.text))
            if block.kind is Kind.HEADING and any(
                c.startswith(wanted) and len(c) < len(wanted) + 70 for c in candidates
            ):
                yield block

    def _h(self, text: str, page: int | None) -> bool:
        return any(True for _ in self._headings(text, page))

    def _hh(self, first: str, second: str, difference: int) -> bool:
        one, two = next(self._headings(first), None), next(self._headings(second), None)
        if one is None or two is None or one.level is None or two.level is None:
            return False
        return two.level - one.level == difference

    def _noth(self, text: str, page: int) -> bool:
        return bool(self.blocks) and not any(
            b.kind is Kind.HEADING and normal(b.text) == normal(text) for b in self._on(page)
        )

    def _tables(self, page: int | None) -> Iterator[Seen]:
        return (block for block in self._on(page) if block.kind is Kind.TABLE)

    def _t(self, page: int, rows: int | None, columns: int | None, cells: list[str]) -> bool:
        return any(
            rows in (None, len(table.rows))
            and columns in (None, max(map(len, table.rows)))
            and any(all(any(normal(c) in normal(cell) for cell in row) for c in cells) for row in table.rows)
            for table in self._tables(page)
        )

    def _tr(self, page: int, cells: list[str]) -> bool:
        return any(_in_order(cells, row) for table in self._tables(page) for row in table.rows)

    def _o(self, first: str, second: str) -> bool:
        one, two = self.body.find(normal(first)), self.body.find(normal(second))
        return 0 <= one < two

    def _x(self, text: str, pages: list[int] | None = None) -> bool:
        wanted = normal(text)
        blocks = [b for b in self.blocks if pages is None or (b.page is not None and pages[0] <= b.page <= pages[1])]
        if len(wanted) < 4:
            return bool(self.blocks) and not any(normal(b.text) == wanted for b in blocks)
        return bool(self.blocks) and not any(wanted in normal(b.text) for b in blocks)

    def _p(self, text: str) -> bool:
        return normal(text) in self.body

    def _once(self, text: str) -> bool:
        return self.body.count(normal(text)) == 1

    def _code(self, text: str) -> bool:
        return any(text in block.text for block in self.blocks)

    def _list(self, text: str) -> bool:
        return any(b.kind is Kind.LIST_ITEM and normal(text) in normal(b.text) for b in self.blocks)


def _in_order(wanted: list[str], row: tuple[str, ...]) -> bool:
    cells = iter(map(normal, row))
    return all(any(_fills(normal(text), cell) for cell in cells) for text in wanted)


def _fills(text: str, cell: str) -> bool:
    return text in cell and (len(text) > 4 or len(cell) <= len(text) + 2)
