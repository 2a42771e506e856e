"""liteparse's own blocks, as it gives them; no OCR, because the files that are scored have a text layer."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

from liteparse import LiteParse

from bench.blocks import CODE, HEADING, LIST_ITEM, PARAGRAPH, Block, Reading

_KINDS = {"heading": HEADING, "list_item": LIST_ITEM}
_EVERY_PAGE = 100_000  #: its own default is the first 1,000


def version() -> str:
    """Which liteparse this is."""
    return _version("liteparse")


def read(path: Path) -> Reading:
    """Parse a PDF; raises `liteparse.ParseError`."""
    parser = LiteParse(ocr_enabled=False, quiet=True, num_workers=1, extract_blocks=True, max_pages=_EVERY_PAGE)
    pages = parser.parse(path.read_bytes()).pages
    return Reading(tuple(found for page in pages for block in page.blocks for found in _block(block, page.page_num)))


def _block(block: Any, page: int) -> Iterator[Block]:
    if block.kind == "table":
        rows = [block.header or [], *(block.rows or [])]
        yield Block.table([[cell.text for cell in row] for row in rows if row], page)
    elif block.lines:
        yield Block(CODE, "\n".join(block.lines), page)
    elif block.text:
        yield Block(_KINDS.get(block.kind, PARAGRAPH), block.text, page, block.level)
