"""PowerPoint: unstructured orders the shapes; placeholders tell the slide's title from its body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn

from chunkers.document import Block, Kind
from corpus.errors import LimitExceeded
from corpus.parsers import progress
from corpus.parsers.draft import Box, Draft
from corpus.parsers.office.drawing import graphics
from corpus.parsers.office.package import Content, open_slides
from corpus.parsers.office.slide import paragraph_text, unfold
from corpus.parsers.office.unstructured import Found, ListItem, Title, pptx_elements
from corpus.parsers.office.xml import is_monospaced

_EMU = 12_700  #: English Metric Units in a point
_RUNNING = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER)
_BODY = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY)


def read(data: bytes, pages: int) -> Content:
    """What a presentation says, each block with its slide as page; raises `LimitExceeded` above `pages` slides."""
    presentation, content = open_slides(data)
    count = len(presentation.slides)
    if count > pages:
        raise LimitExceeded(
            f"the presentation has {count:,} slides, the limit is {pages:,}",
            hint="raise limits.pages of the corpus, or exclude it",
        )
    for number, slide in enumerate(presentation.slides, 1):
        progress.reached(f"slide {number} of {count}")
        unfold(slide._element)  # noqa: SLF001
        if slide._element.get("show") in ("0", "false"):  # noqa: SLF001
            content.warnings.append(f"slide {number} is hidden in the show; it was read")
    drafts = [draft for found in pptx_elements(presentation) for draft in _drafts(found, content)]
    content.drafts = _with_levels(_merged(drafts))
    return content


def outside_foreign_sections(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """A slide without a title is in no section; it must not seem to go on with the slide before it."""
    titled = {block.page for block in blocks if block.kind is Kind.HEADING}
    return tuple(block if block.page in titled else replace(block, section_path=()) for block in blocks)


def _drafts(found: Found, content: Content) -> Iterator[Draft]:
    place: dict[str, Any] = {"page": found.slide, "box": _box(found.shape)}
    if found.origin is None:
        yield Draft(Kind.PARAGRAPH, f"Notes: {found.element.text}", page=found.slide)
    elif found.element is None:
        yield from _graphic(found.origin, place, content)
    elif _placeholder(found.shape) in _RUNNING:
        content.left_out.append(found.element.text)
    else:
        text = paragraph_text(found.origin._p)  # noqa: SLF001
        words = " ".join(text.split())
        if isinstance(found.element, Title):
            is_title_slide = _placeholder(found.shape) is PP_PLACEHOLDER.CENTER_TITLE
            yield Draft(Kind.HEADING, words, level=1 if is_title_slide else 2, **place)
        elif _is_code(found.shape):
            yield Draft(Kind.CODE, text, **place)
        elif isinstance(found.element, ListItem) or _is_in_list(found):
            level = (found.origin.level or 0) + 1
            yield Draft(Kind.LIST_ITEM, words, level=level, marker=found.label or "-", **place)
        else:
            yield Draft(Kind.PARAGRAPH, words, **place)


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


def _graphic(shape: Any, place: dict[str, Any], content: Content) -> Iterator[Draft]:
    if getattr(shape, "has_table", False):
        rows = [["" if cell.is_spanned else _cell_text(cell) for cell in row.cells] for row in shape.table.rows]
        rows = [row for row in rows if any(row)]
        if rows:
            yield Draft(Kind.TABLE, "", rows=tuple(map(tuple, rows)), **place)

    def blob(relation: str) -> bytes:
        found: bytes = shape.part.related_part(relation).blob
        return found

    drawn = graphics(shape._element, blob, content, f"slide {place['page']}")  # noqa: SLF001
    yield from (replace(draft, **place) for draft in drawn)


def _cell_text(cell: Any) -> str:
    paragraphs = (paragraph_text(paragraph._p) for paragraph in cell.text_frame.paragraphs)  # noqa: SLF001
    return " ".join(" ".join(paragraphs).split())


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
