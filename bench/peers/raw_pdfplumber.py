"""pdfplumber with its defaults: the tables that it finds, and the text of the page between them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

import pdfplumber

from bench.blocks import PARAGRAPH, Block, Reading


def version() -> str:
    """Which pdfplumber this is."""
    return _version("pdfplumber")


def read(path: Path) -> Reading:
    """Parse a PDF."""
    blocks: list[Block] = []
    with pdfplumber.open(path) as document:
        for page in document.pages:
            blocks += _blocks(page)
            page.close()  # it keeps every page's letters until it is told not to
    return Reading(tuple(blocks))


def _blocks(page: Any) -> Iterator[Block]:
    tables = sorted(page.find_tables(), key=lambda table: table.bbox[1])
    lines = page.filter(lambda item: not _inside(item, tables)).extract_text_lines(return_chars=False)
    for table in tables:
        above = [line for line in lines if line["top"] < table.bbox[1]]
        lines = lines[len(above) :]
        yield from _text(above, page.page_number)
        yield Block.table(table.extract(), page.page_number)
    yield from _text(lines, page.page_number)


def _inside(item: dict[str, Any], tables: list[Any]) -> bool:
    across, down = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
    return item["object_type"] == "char" and any(
        left <= across <= right and top <= down <= bottom for left, top, right, bottom in (t.bbox for t in tables)
    )


def _text(lines: list[dict[str, Any]], page: int) -> Iterator[Block]:
    if lines:
        yield Block(PARAGRAPH, "\n".join(line["text"] for line in lines), page)
