"""What Word and PowerPoint keep outside the text: charts, diagrams, descriptions of pictures, embedded objects."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from chunkers.document import Kind
from corpus.parsers.captions import is_telling
from corpus.parsers.draft import Draft, Rows
from corpus.parsers.office.package import Content

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_PRESENTATION_OLE = "{http://schemas.openxmlformats.org/presentationml/2006/main}oleObj"
_PICTURES = (
    "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic",
    "{http://schemas.openxmlformats.org/presentationml/2006/main}pic",
    "{urn:schemas-microsoft-com:vml}imagedata",
)
_DESCRIBED = (
    "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr",
    "{http://schemas.openxmlformats.org/presentationml/2006/main}cNvPr",
)
#: a machine's guess, in the languages that Office guesses in, says nothing that anybody asks for
_GUESSED = re.compile(
    r"(?i)\s*(?:description automatically generated|ai-generated content may be incorrect).*", re.DOTALL
)
_DATE_FORMAT = re.compile(r"(?i)[dmy]{1,4}[-/. ]+[dmy]{1,4}")
_EPOCH = datetime.date(1899, 12, 30)  #: of serial days after February 1900
_LAST_DAY = 2_958_465  #: 9999-12-31
_MOST_POINTS = 5_000  #: of a chart; more is data, not a picture of it


def graphics(element: Any, blob_of: Callable[[str], bytes], content: Content, place: str = "") -> Iterator[Draft]:
    """What is drawn in `element`: charts as tables, diagrams as lists, pictures by their descriptions.

    `blob_of` gives the part of a relation id, and raises `KeyError`. What cannot be read is put on record in
    `content`, with `place` (`slide 3`) if there is one.
    """
    where = f"{place}: " if place else ""
    told = [said for one in element.iter(*_DESCRIBED) if (said := description(one.get("descr") or ""))]
    yield from (Draft(Kind.PARAGRAPH, said) for said in dict.fromkeys(told))
    embedded = list(element.iter(_OLE, _PRESENTATION_OLE))
    for one in embedded:
        kind = one.get("ProgID") or one.get("progId") or "of unknown kind"
        content.warnings.append(f"{where}an embedded object ({kind}) was not read")
    if not embedded and not told and next(element.iter(*_PICTURES), None) is not None:
        content.warnings.append(f"{where}a picture was not read")
    for tag, attribute, what, read in (
        (f"{_C}chart", f"{_R}id", "chart", _chart),
        (f"{_CX}chart", f"{_R}id", "chart", _newer_chart),
        (f"{_DIAGRAM}relIds", f"{_R}dm", "diagram", _diagram),
    ):
        for reference in element.iter(tag):
            if (number := reference.get(attribute)) is None:
                continue
            try:
                root = etree.fromstring(blob_of(number), etree.XMLParser(resolve_entities=False))
            except (KeyError, etree.XMLSyntaxError):
                content.missing.append(f"{where}a {what} that the file does not hold")
                continue
            yield from read(root)


def description(said: str) -> str:
    """A picture's description if it says something, in one line."""
    told = " ".join(_GUESSED.sub("", said).split())
    return told if told == " ".join(said.split()) and is_telling(told) else ""


def _words(element: Any) -> str:
    return " ".join("".join(text.text or "" for text in element.iter(f"{_A}t")).split()) if element is not None else ""


def _diagram(root: Any) -> Iterator[Draft]:
    for paragraph in root.iter(f"{_A}p"):
        if words := _words(paragraph):
            yield Draft(Kind.LIST_ITEM, words, level=1)


def _chart(root: Any) -> Iterator[Draft]:
    title = _words(root.find(f"{_C}chart/{_C}title"))
    axes = [_words(axis) for axis in root.iterfind(f"{_C}chart/{_C}plotArea/*/{_C}title")]
    named = ", ".join(filter(None, axes))
    yield Draft(Kind.CAPTION, f"{title} ({named})" if title and named else title or named)
    series: list[tuple[str, dict[int, str]]] = []
    categories: dict[int, str] = {}
    for one in root.iter(f"{_C}ser"):
        name = one.find(f"{_C}tx")
        points = _points(_first(one, "cat", "xVal"))
        categories = {**points, **categories}
        values = _points(_first(one, "val", "yVal"))
        series.append(("" if name is None else " ".join(v.text or "" for v in name.iter(f"{_C}v")), values))
    indices = sorted({*categories, *(at for _, values in series for at in values)})[:_MOST_POINTS]
    if indices:
        head = ("", *(name for name, _ in series))
        body = ((categories.get(at, ""), *(values.get(at, "") for _, values in series)) for at in indices)
        yield Draft(Kind.TABLE, "", rows=(head, *body))


def _first(series: Any, *names: str) -> Any:
    return next((found for name in names if (found := series.find(_C + name)) is not None), None)


def _points(source: Any) -> dict[int, str]:
    """Index → text. Of categories on several levels the inner ones come last: `2024 Q1`."""
    if source is None:
        return {}
    form = source.find(f".//{_C}formatCode")
    dated = form is not None and bool(_DATE_FORMAT.search(form.text or ""))
    levels = source.findall(f".//{_C}lvl") or [source]
    points: dict[int, str] = {}
    for level in reversed(levels):
        own = {
            int(point.get("idx")): _value(value.text or "", dated=dated)
            for point in level.iter(f"{_C}pt")
            if (point.get("idx") or "").isdigit() and (value := point.find(f"{_C}v")) is not None
        }
        if not points:
            points = own
        elif own:
            outer = ""
            points, above = {}, points
            for at in range(max(own) + 1 if max(own) < _MOST_POINTS else _MOST_POINTS):
                outer = above.get(at, outer)
                points[at] = f"{outer} {own.get(at, '')}".strip()
    return points


def _value(text: str, *, dated: bool) -> str:
    try:
        number = float(text)
    except ValueError:
        return " ".join(text.split())
    if dated and number == int(number) and 60 < number < _LAST_DAY:
        return (_EPOCH + datetime.timedelta(days=int(number))).isoformat()
    return f"{number:.15g}"


def _newer_chart(root: Any) -> Iterator[Draft]:
    """Charts since Office 2016 (waterfall, treemap, funnel …) are data in columns."""
    yield Draft(Kind.CAPTION, _words(root.find(f"{_CX}chart/{_CX}title")))
    columns: list[list[str]] = []
    for dimension in root.iterfind(f"{_CX}chartData/{_CX}data/*"):
        columns += [
            [_value(point.text or "", dated=False) for point in level.iter(f"{_CX}pt")][:_MOST_POINTS]
            for level in dimension.iter(f"{_CX}lvl")
        ]
    height = max(map(len, columns), default=0)
    rows: Rows = tuple(tuple(column[at] if at < len(column) else "" for column in columns) for at in range(height))
    if rows:
        yield Draft(Kind.TABLE, "", rows=rows)
