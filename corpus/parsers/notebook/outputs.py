"""What the cells of a notebook gave out, as text: bounded, without colours, without pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chunkers.document import Kind
from corpus.errors import ParseError
from corpus.parsers.draft import Rows

LIMIT = 4_000  #: characters that the outputs of one cell may have together; three quarters from the head of each
_TAIL = 4  #: one part in so many of what is kept of a long output is its end, where totals and errors stand
_LEAST = 200  #: characters of an output; with less room than this it is left out

#: escapes of terminals: colours and moves of the cursor, titles, links
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_ERASED = re.compile(r"[^\b\n]\x08")
#: how Python shows what it cannot show: `<Figure size 640x480 with 1 Axes>`, `[<Line2D at 0x7f…>]`
_PLACEHOLDER = re.compile(r"[\[({]?<[^\n]*>[\])}]?(?:\n[ \t]*<[^\n]*>[\])},]*)*")
_WIDGET = "application/vnd.jupyter.widget-view+json"
#: the keys of the third version → the types of the fourth
_OLD_TYPES = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "markdown": "text/markdown"}


@dataclass(frozen=True, slots=True)
class Output:
    """One output, or as much of it as is kept."""

    kind: Kind  #: CODE for what a program printed, TABLE, PARAGRAPH for Markdown and what HTML says
    text: str
    rows: Rows | None = None
    cut: int = 0  #: characters that it had if it was cut off


def outputs_of(cell: Mapping[str, Any]) -> Iterator[Output]:
    """The outputs of a code cell in order, together at most `LIMIT` characters long."""
    left = LIMIT
    for output in _joined(_shown(cell)):
        size = len(output.text)
        if size <= left:
            left -= size
            yield output
            continue
        kept = _cut(output, left)
        left -= min(left, len(kept.text))
        yield kept


def text_of(value: object) -> str:
    """A text of the format, which may be a list of its lines."""
    if isinstance(value, str):
        return value
    return "".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else ""


def plain(text: str) -> str:
    """What a terminal would show in the end: no escapes, and of a line that was written over only its last state."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\b" in text:
        text = _ERASED.sub("", text).replace("\b", "")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return text


def _shown(cell: Mapping[str, Any]) -> Iterator[Output]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        kind = output.get("output_type")
        if kind == "stream":
            yield Output(Kind.CODE, plain(text_of(output.get("text"))))
        elif kind in ("error", "pyerr"):
            yield Output(Kind.CODE, _traceback(output))
        else:
            data = output.get("data")
            if not isinstance(data, dict):
                data = {_OLD_TYPES.get(key, key): value for key, value in output.items() if key in _OLD_TYPES}
            if shown := _best(data):
                yield shown


def _joined(outputs: Iterable[Output]) -> Iterator[Output]:
    """Without what is blank; what was printed piece by piece is one output."""
    printed: list[str] = []
    for output in outputs:
        if output.kind is Kind.CODE:
            if printed and output.text and not printed[-1].endswith("\n"):
                printed.append("\n")
            printed.append(output.text)
            continue
        yield from _printed(printed)
        printed = []
        if output.text.strip():
            yield output
    yield from _printed(printed)


def _printed(pieces: Iterable[str]) -> Iterator[Output]:
    text = "".join(pieces)
    if text.strip():
        yield Output(Kind.CODE, text)


def _traceback(output: Mapping[str, Any]) -> str:
    lines = output.get("traceback")
    told = "\n".join(line for line in lines if isinstance(line, str)) if isinstance(lines, list) else ""
    return plain(told) or f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"


def _best(data: Mapping[str, Any]) -> Output | None:
    """The form that says most: Markdown, a table, text, and only then other markup."""
    if _WIDGET in data:
        return None
    if markdown := text_of(data.get("text/markdown")).strip():
        return Output(Kind.PARAGRAPH, markdown)
    html, text = text_of(data.get("text/html")), plain(text_of(data.get("text/plain")))
    if "<table" in html.lower() and (rows := _rows(html)):
        return Output(Kind.TABLE, "\n".join(" | ".join(row) for row in rows), rows)
    if text.strip() and not _PLACEHOLDER.fullmatch(text.strip()):
        return Output(Kind.CODE, text)
    if html and (said := _said(html)):
        return Output(Kind.PARAGRAPH, said)
    if latex := text_of(data.get("text/latex")).strip():
        return Output(Kind.PARAGRAPH, latex)
    if isinstance(data.get("application/json"), dict | list):
        return Output(Kind.CODE, json.dumps(data["application/json"], ensure_ascii=False, indent=1))
    return None


def _rows(html: str) -> Rows:
    from corpus.parsers.html.parser import rows_of

    return rows_of(html)


def _said(html: str) -> str:
    """The words of a page that is no table; nothing if it is only a place for a script to draw in."""
    from corpus.parsers.base import Settings
    from corpus.parsers.html.parser import HtmlParser

    try:
        return HtmlParser().parse(html.encode("utf-8"), "text/html", Settings()).document.text
    except ParseError:
        return ""


def _cut(output: Output, room: int) -> Output:
    """An output that is too long, whole rows or lines of it where it has such, `…` where something is left out."""
    size = len(output.text)
    if room < _LEAST:
        return Output(output.kind, "", cut=size)
    if output.rows is not None:
        kept, length = 0, 0
        for row in output.rows:
            length += sum(len(cell) + 3 for cell in row)
            if length > room:
                break
            kept += 1
        rows = output.rows[:kept]
        return Output(output.kind, "\n".join(" | ".join(row) for row in rows), rows, size)
    tail = room // _TAIL
    head = output.text[: room - tail]
    end = output.text[-tail:]
    if head.count("\n") > 1:
        head = head.rpartition("\n")[0]
    if end.count("\n") > 1:
        end = end.partition("\n")[2]
    return Output(output.kind, f"{head}\n…\n{end}", cut=size)
