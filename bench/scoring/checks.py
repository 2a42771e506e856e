"""Facts that a person read off pages (`checks.json`), held against a document's blocks.

A check is a list: its kind, then its arguments. The READMEs beside the files of checks define the kinds: `pdfs` and
`office` have one set, `html` another with a different idea of what the same text is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bench.blocks import FURNITURE, HEADING, LIST_ITEM, Block

#: kind of check → what it is about, as the tables show it
ABOUT: Mapping[str, str] = {
    "h": "headings",
    "noth": "headings",
    "hh": "levels",
    "t": "tables",
    "tr": "tables",
    "row": "tables",
    "rowany": "tables",
    "o": "order",
    "x": "running heads",
    "p": "text",
    "once": "text",
    "code": "code",
    "list": "lists",
}


def of_folder(folder: str, blocks: Sequence[Block]) -> Checker:
    """The checker for a file of this folder of the test data."""
    return (PageChecker if folder == "html" else Checker)(blocks)


class Checker:
    """Answers checks about a PDF or office file."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = [block for block in blocks if block.kind != FURNITURE]
        self.texts = [self.normal(block.text) for block in self.blocks]
        self.body = "".join(self.texts)

    def holds(self, check: Sequence[Any]) -> bool:
        """Whether the document passes a check."""
        kind, *arguments = check
        passes: Callable[..., bool] = getattr(self, f"_{kind}")
        return passes(*arguments)

    @staticmethod
    def normal(text: str) -> str:
        """What two ways of writing the same text have in common."""
        text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").replace("’", "'").replace("‘", "'")
        text = re.sub(r"(?<=\w)-\s+(?=\w)", "", text)
        text = re.sub(r"[*_`#\\|]", "", text)
        return re.sub(r"[\s\u200b]", "", text).lower().replace("-", "")

    def _on(self, page: int | None) -> Iterator[tuple[Block, str]]:
        pairs = zip(self.blocks, self.texts, strict=True)
        return ((block, text) for block, text in pairs if page is None or block.page == page)

    def _headings(self, text: str, page: int | None = None) -> Iterator[Block]:
        wanted = self.normal(text)
        for block, own in self._on(page):
            names = {own} if text[0].isdigit() else {own, re.sub(r"^[\d.]+", "", own)}
            if block.kind == HEADING and any(n.startswith(wanted) and len(n) < len(wanted) + 70 for n in names):
                yield block

    def _h(self, text: str, page: int | None) -> bool:
        return any(True for _ in self._headings(text, page))

    def _hh(self, first: str, second: str, difference: int) -> bool:
        one, two = next(self._headings(first), None), next(self._headings(second), None)
        if one is None or two is None or one.level is None or two.level is None:
            return False
        return two.level - one.level == difference

    def _noth(self, text: str, page: int) -> bool:
        wanted = self.normal(text)
        return bool(self.blocks) and not any(b.kind == HEADING and own == wanted for b, own in self._on(page))

    def _tables(self, page: int | None) -> Iterator[list[list[str]]]:
        return (
            [[self.normal(cell) for cell in row] for row in block.rows] for block, _ in self._on(page) if block.rows
        )

    def _t(self, page: int, rows: int | None, columns: int | None, cells: list[str]) -> bool:
        wanted = list(map(self.normal, cells))
        return any(
            rows in (None, len(table))
            and columns in (None, max(map(len, table)))
            and any(all(any(text in cell for cell in row) for text in wanted) for row in table)
            for table in self._tables(page)
        )

    def _tr(self, page: int, cells: list[str]) -> bool:
        wanted = list(map(self.normal, cells))
        return any(_in_order(wanted, row) for table in self._tables(page) for row in table)

    def _o(self, first: str, second: str) -> bool:
        one, two = self.body.find(self.normal(first)), self.body.find(self.normal(second))
        return 0 <= one < two

    def _x(self, text: str, pages: list[int] | None = None) -> bool:
        wanted = self.normal(text)
        seen = [
            own
            for block, own in self._on(None)
            if pages is None or (block.page is not None and pages[0] <= block.page <= pages[1])
        ]
        return bool(self.blocks) and not any(wanted == own if len(wanted) < 4 else wanted in own for own in seen)

    def _p(self, text: str) -> bool:
        return self.normal(text) in self.body

    def _once(self, text: str) -> bool:
        return self.body.count(self.normal(text)) == 1

    def _code(self, text: str) -> bool:
        return any(text in block.text for block in self.blocks)

    def _list(self, text: str) -> bool:
        wanted = self.normal(text)
        return any(block.kind == LIST_ITEM and wanted in own for block, own in self._on(None))


class PageChecker(Checker):
    """Answers checks about an HTML page. Levels are held against each other, never against a tag."""

    @staticmethod
    def normal(text: str) -> str:
        """What two ways of writing the same text have in common."""
        return re.sub(r"\s+", "", text.lower()).replace("\u2212", "-")

    def _h(self, level: int | None, text: str) -> bool:  # type: ignore[override]  # noqa: ARG002 - for information
        return super()._h(text, None)

    def _headings(self, text: str, page: int | None = None) -> Iterator[Block]:
        wanted = self.normal(text)
        for block, own in self._on(page):
            if block.kind == HEADING and own.startswith(wanted) and len(own) < len(wanted) + 70:
                yield block

    def _x(self, text: str, pages: list[int] | None = None) -> bool:
        return bool(self.blocks) and pages is None and self.normal(text) not in self.body

    def _row(self, cells: list[str]) -> bool:
        wanted = list(map(self.normal, cells))
        return any(
            len(row) >= len(wanted) and all(text in cell for text, cell in zip(wanted, row, strict=False))
            for table in self._tables(None)
            for row in table
        )

    def _rowany(self, cells: list[str]) -> bool:
        wanted = list(map(self.normal, cells))
        return any(
            all(any(text in cell for cell in row) for text in wanted) for table in self._tables(None) for row in table
        )

    def _code(self, text: str) -> bool:
        return any(text in block.text.replace("\xa0", " ") for block in self.blocks)


def _in_order(wanted: Sequence[str], row: Sequence[str]) -> bool:
    """Whether the texts stand in the row in this order, each in a cell of its own."""
    cells = iter(row)
    return all(any(_fills(text, cell) for cell in cells) for text in wanted)


def _fills(text: str, cell: str) -> bool:
    return text in cell and (len(text) > 4 or len(cell) <= len(text) + 2)
