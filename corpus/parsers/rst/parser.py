"""reStructuredText through docutils: sections, lists, tables, code, notes.

The text is written anew: docutils does not know where in the source most of its nodes begin.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_doctree

from chunkers.document import Document
from corpus.parsers import decode
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.draft import write
from corpus.parsers.rst.nodes import Walk
from corpus.parsers.rst.sphinx import known
from corpus.parsers.rst.text import text_of

_SETTINGS = {
    "_disable_config": True,
    "cloak_email_addresses": False,
    "doctitle_xform": True,
    "embed_stylesheet": False,
    "exit_status_level": 5,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "input_encoding": "unicode",
    "line_length_limit": 1 << 30,
    "raw_enabled": False,
    "report_level": 5,
    "sectnum_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "traceback": True,
    "warning_stream": False,
}
_BORDER = re.compile(r"[ \t]*(={2,})(?: +=+)+[ \t]*")
_DAY = re.compile(r"(?:\$Date: )?((?:19|20)\d\d)[-/](\d\d)[-/](\d\d)\b")


class RstParser:
    """Reads a broken document as far as it goes: what docutils cannot make sense of stays as it is written."""

    name: ClassVar[str] = "rst"
    version: ClassVar[int] = 1
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        with known():
            tree = _tree(_with_first_cells(decoded.text))
        walk = Walk()
        walk.document(tree)
        text, blocks = write(walk.drafts)
        said = _docinfo(tree)
        return Parsed(
            Document(
                text=text,
                blocks=blocks,
                media_type=media_type,
                text_is_source=False,
                title=walk.title,
                author=said.get("author"),
                date=said.get("date"),
                description=said.get("description"),
                tags=tuple(word for part in said.get("keywords", "").split(",") if (word := part.strip())),
                encoding=decoded.encoding,
                replaced=decoded.replaced,
                warnings=tuple(walk.warnings),
            ),
            tuple(walk.left_out),
        )


def _tree(source: str) -> Any:
    """The document tree; where docutils fails over the fields at the document's head, with these left as they are."""
    try:
        return publish_doctree(source, settings_overrides=_SETTINGS)
    except (IndexError, ValueError, AttributeError, TypeError):
        return publish_doctree(source, settings_overrides={**_SETTINGS, "docinfo_xform": False})


def _with_first_cells(source: str) -> str:
    """The source with something in the first cell of each simple table: docutils drops a row that begins with none."""
    lines = source.split("\n")
    for at in range(1, len(lines)):
        if found := _BORDER.fullmatch(lines[at - 1]):
            start, end = found.span(1)
            if lines[at].strip() and len(lines[at]) > end and not lines[at][:end].strip():
                lines[at] = f"{lines[at][:start]}\\{lines[at][start + 1 :]}"
    return "\n".join(lines)


def _docinfo(tree: Any) -> dict[str, str]:
    """What the document says of itself in its first fields and in `meta` directives."""
    found: dict[str, str] = {}
    for info in tree.findall(nodes.docinfo):
        names = [text_of(name) for name in info.findall(nodes.author)]
        if names:
            found["author"] = ", ".join(names)
        for day in info.findall(nodes.date):
            if match := _DAY.search(day.astext()):
                found["date"] = "-".join(match.groups())
    for meta in tree.findall(nodes.meta):
        found.setdefault(str(meta.get("name", "")).lower(), " ".join(str(meta.get("content", "")).split()))
    return found
