"""PowerPoint: unstructured orders the shapes; placeholders tell the slide's title from its body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn

from chunkers.document import Block, Kind
from corpus.parsers.draft import Box, Draft, Rows
from corpus.parsers.office_unstructured import Found, ListItem, Title, pptx_elements
from corpus.parsers.office_xml import is_monospaced

_EMU = 12_700  #: English Metric Units in a point
_RUNNING = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER)
_BODY = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY)
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def read(data: bytes) -> tuple[list[Draft], Any]:
    """The blocks of a presentation, each with its slide as page, and its core properties."""
    presentation = pptx.Presentation(BytesIO(data))
    drafts = [draft for found in pptx_elements(presentation) for draft in _drafts(found)]
    return _with_levels(_merged(drafts)), presentation.core_properties


def outside_foreign_sections(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """A slide without a title is in no section; it must not seem to go on with the slide before it."""
    titled = {block.page for block in blocks if block.kind is Kind.HEADING}
    return tuple(block if block.page in titled else replace(block, section_path=()) for block in blocks)


def _drafts(found: Found) -> Iterator[Draft]:
    place: dict[str, Any] = {"page": found.slide, "box": _box(found.shape)}
    if found.origin is None:
        yield from (Draft(Kind.PARAGRAPH, f"Notes: {found.element.text}", page=found.slide),)
    elif found.element is None:
        yield from _graphic(found.origin, place)
    elif _placeholder(found.shape) not in _RUNNING:
        text = _text(found.origin)
        if isinstance(found.element, Title):
            is_title_slide = _placeholder(found.shape) is PP_PLACEHOLDER.CENTER_TITLE
            yield Draft(Kind.HEADING, " ".join(text.split()), level=1 if is_title_slide else 2, **place)
        elif _is_code(found.shape):
            yield Draft(Kind.CODE, text, **place)
        elif isinstance(found.element, ListItem) or _is_in_list(found):
            words = " ".join(text.split())
            yield Draft(Kind.LIST_ITEM, words, level=(found.origin.level or 0) + 1, **place)
        else:
            yield Draft(Kind.PARAGRAPH, " ".join(text.split()), **place)


def _text(paragraph: Any) -> str:
    text: str = paragraph.text
    return text.replace("\v", "\n")


def _placeholder(shape: Any) -> Any:
    return shape.placeholder_format.type if shape is not None and shape.is_placeholder else None


def _is_in_list(found: Found) -> bool:
    """Body placeholders have bullets unless the paragraph says no; elsewhere only what says so has."""
    properties = found.origin._p.pPr  # noqa: SLF001
    own = {child.tag for child in properties} if properties is not None else set()
    if qn("a:buNone") in own:
        return False
    return qn("a:buAutoNum") in own or qn("a:buChar") in own or _placeholder(found.shape) in _BODY


def _is_code(shape: Any) -> bool:
    runs = [run for paragraph in shape.text_frame.paragraphs for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(is_monospaced(run.font.name) for run in runs)


def _box(shape: Any) -> Box | None:
    if shape is None or None in (shape.left, shape.top, shape.width, shape.height):
        return None
    left, top = shape.left / _EMU, shape.top / _EMU
    return round(left, 1), round(top, 1), round(left + shape.width / _EMU, 1), round(top + shape.height / _EMU, 1)


def _graphic(shape: Any, place: dict[str, Any]) -> Iterator[Draft]:
    if getattr(shape, "has_table", False):
        rows = [
            ["" if cell.is_spanned else " ".join(cell.text.split()) for cell in row.cells] for row in shape.table.rows
        ]
        rows = [row for row in rows if any(row)]
        if rows:
            yield Draft(Kind.TABLE, "", rows=tuple(map(tuple, rows)), **place)
    elif getattr(shape, "has_chart", False):
        if shape.chart.has_title and shape.chart.chart_title.has_text_frame:
            yield Draft(Kind.CAPTION, " ".join(shape.chart.chart_title.text_frame.text.split()), **place)
        if rows_of_chart := _chart_rows(shape.chart):
            yield Draft(Kind.TABLE, "", rows=rows_of_chart, **place)
    else:
        yield from (Draft(Kind.LIST_ITEM, words, level=1, **place) for words in _diagram(shape))


def _chart_rows(chart: Any) -> Rows:
    plots = list(chart.plots)
    if not plots:
        return ()
    categories = [str(category) for category in plots[0].categories]
    series = [(one.name or "", list(one.values)) for plot in plots for one in plot.series]
    if not categories or not series:
        return ()
    head = ("", *(name for name, _ in series))
    body = (
        (name, *(_number(values[index]) if index < len(values) else "" for _, values in series))
        for index, name in enumerate(categories)
    )
    return (head, *body)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _diagram(shape: Any) -> Iterator[str]:
    """The texts of a SmartArt graphic, which lie in a part of their own."""
    for ids in shape._element.iter(f"{{{_DIAGRAM}}}relIds"):  # noqa: SLF001
        part = shape.part.related_part(ids.get(f"{{{_RELATION}}}dm"))
        for paragraph in pptx.oxml.parse_xml(part.blob).iter(qn("a:p")):
            words = " ".join("".join(text.text or "" for text in paragraph.iter(qn("a:t"))).split())
            if words:
                yield words


def _merged(drafts: Sequence[Draft]) -> list[Draft]:
    """The paragraphs of a title are one heading, those of a shape with code one block."""
    merged: list[Draft] = []
    for (kind, _, _), group in groupby(drafts, key=lambda draft: (draft.kind, draft.page, draft.box)):
        run = list(group)
        if kind is Kind.HEADING:
            merged.append(replace(run[0], text=" ".join(draft.text for draft in run)))
        elif kind is Kind.CODE:
            merged.append(replace(run[0], text="\n".join(draft.text for draft in run)))
        else:
            merged += run
    return merged


def _with_levels(drafts: Sequence[Draft]) -> list[Draft]:
    """Slide titles are of the first level, unless a title slide opens the presentation and stands above them."""
    first = next((draft for draft in drafts if draft.kind is Kind.HEADING), None)
    if first is not None and first.level == 1 and first.page == 1:
        return list(drafts)
    return [replace(draft, level=1) if draft.kind is Kind.HEADING else draft for draft in drafts]
