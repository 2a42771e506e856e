"""The partitioners of unstructured for Word and PowerPoint, without their language model.

unstructured guesses from the grammar of a paragraph whether it is a title or prose, with spaCy: 1.6 s and 250 MB to
import it, 85 s for a book of 872 pages, and a model that it downloads when it is missing. The styles and placeholders
of an office file say the same, and say it right. So the module that holds spaCy is replaced before unstructured is
imported, and the two methods that ask it are overridden. What stays is its walk through the file: order, list
labels as Word computes them, page headers and footers, reading order of shapes, notes.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from types import ModuleType
from typing import Any


def _plain_tokenizer() -> ModuleType:
    """Stands for `unstructured.nlp.tokenize`; the partitioners here never ask it."""
    module = ModuleType("unstructured.nlp.tokenize")

    def sent_tokenize(text: str) -> list[str]:
        return re.findall(r"[^.!?]+[.!?]*", text)

    def word_tokenize(text: str) -> list[str]:
        return re.findall(r"\w+|[^\w\s]", text)

    def pos_tag(text: str) -> list[tuple[str, str]]:
        return [(word, "NN") for word in word_tokenize(text)]

    vars(module).update(sent_tokenize=sent_tokenize, word_tokenize=word_tokenize, pos_tag=pos_tag)
    return module


for _name in ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "UNSTRUCTURED_DISABLE_NOTICE"):
    os.environ.setdefault(_name, "true")
sys.modules.setdefault("unstructured.nlp.tokenize", _plain_tokenizer())

from docx.oxml.ns import qn  # noqa: E402
from docx.table import Table  # noqa: E402
from docx.text.paragraph import Paragraph  # noqa: E402
from pptx.shapes.group import GroupShape  # noqa: E402
from unstructured.documents.elements import ElementMetadata, ListItem, Text, Title  # noqa: E402
from unstructured.partition import docx as unstructured_docx  # noqa: E402
from unstructured.partition import pptx as unstructured_pptx  # noqa: E402

from corpus.parsers.office.slide import list_number, paragraph_text  # noqa: E402
from corpus.parsers.office.xml import nested, only_cell  # noqa: E402


@dataclass(frozen=True, slots=True)
class Found:
    """An element of unstructured with what it was made of."""

    element: Any  #: unstructured's: its class says title, list item or text; None for what it does not look into
    origin: Any  #: python-docx or python-pptx: paragraph, table or graphic; None for notes
    label: str = ""  #: the number that is shown before the paragraph
    shape: Any = None  #: PowerPoint: the shape that the paragraph is in
    slide: int | None = None  #: from 1


class _Docx(unstructured_docx._DocxPartitioner):  # type: ignore[misc] # noqa: SLF001
    """Yields `Found` where unstructured yields elements."""

    def _iter_paragraph_elements(self, paragraph: Any) -> Iterator[Found]:
        # Not split where Word happened to break the page when the file was saved last.
        found = list(self._classify_paragraph_to_element(paragraph, self._list_labels.label(paragraph)))
        yield from found or [Found(None, paragraph)]  # it may hold a drawing or a formula, which unstructured skips
        own = paragraph._p  # noqa: SLF001
        for box in own.iter(qn("w:txbxContent")):
            if next(box.iterancestors(qn("w:p")), None) is own:
                yield from self._inside(box, paragraph._parent)  # noqa: SLF001

    def _inside(self, container: Any, parent: Any) -> Iterator[Found]:
        """The paragraphs and tables of a text box, or of a cell that is only a frame."""
        for child in container:
            if child.tag == qn("w:p"):
                yield from self._iter_paragraph_elements(Paragraph(child, parent))
            elif child.tag == qn("w:tbl"):
                yield from self._iter_table_element(Table(child, parent))

    def _classify_paragraph_to_element(self, paragraph: Any, label: str = "") -> Iterator[Found]:
        for element in super()._classify_paragraph_to_element(paragraph, label):
            yield Found(element, paragraph, label)

    def _iter_table_element(self, table: Any) -> Iterator[Found]:
        cell = only_cell(table._tbl)  # noqa: SLF001
        if cell is not None:
            yield from self._inside(cell, table._parent)  # noqa: SLF001
            return
        self._advance_table_numbering(table)
        waiting = [table._tbl]  # noqa: SLF001
        while waiting:
            inner = waiting.pop()
            yield Found(None, Table(inner, table._parent))  # noqa: SLF001
            waiting.extend(reversed(list(nested(inner))))

    def _iter_section_headers(self, section: Any) -> Iterator[Found]:  # noqa: ARG002
        yield from ()

    def _iter_section_footers(self, section: Any) -> Iterator[Found]:  # noqa: ARG002
        yield from ()

    def _paragraph_metadata(self, paragraph: Any) -> Any:  # noqa: ARG002
        return ElementMetadata()

    def _parse_paragraph_text_for_element_type(self, paragraph: Any) -> None:  # noqa: ARG002
        return None


class _Pptx(unstructured_pptx._PptxPartitioner):  # type: ignore[misc] # noqa: SLF001
    """Yields `Found` where unstructured yields elements."""

    def _iter_presentation_elements(self) -> Iterator[Found]:
        for number, slide in enumerate(self._presentation.slides, 1):
            title, shapes = self._order_shapes(slide)
            for shape in shapes:
                if not shape.has_text_frame:
                    yield Found(None, shape, shape=shape, slide=number)
                elif not self._shape_is_off_slide(shape):
                    kind = Title if title is not None and shape == title else Text
                    numbers: dict[int, int] = {}  # of the numbered lists that are open, by level
                    for paragraph in shape.text_frame.paragraphs:
                        if text := paragraph_text(paragraph._p).strip():  # noqa: SLF001
                            found = ListItem if self._is_bulleted_paragraph(paragraph) else kind
                            label = list_number(paragraph._p, paragraph.level or 0, numbers)  # noqa: SLF001
                            yield Found(found(text), paragraph, label, shape=shape, slide=number)
            for note in self._iter_maybe_slide_notes(slide):
                yield Found(note, None, slide=number)

    def _order_shapes(self, slide: Any) -> tuple[Any, Sequence[Any]]:
        title = slide.shapes.title
        others = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
        return title, ([] if title is None else [title]) + list(_ungrouped(others))

    @property
    def _presentation(self) -> Any:
        return self._opts.presentation


def _ungrouped(shapes: Sequence[Any]) -> Iterator[Any]:
    """Shapes in reading order; those of a group, which have a measure of their own, stay together."""
    places = [
        (
            shape.left or 0,
            shape.top or 0,
            (shape.left or 0) + (shape.width or 0),
            (shape.top or 0) + (shape.height or 0),
        )
        for shape in shapes
    ]
    for index in reading_order(places):
        shape = shapes[index]
        if isinstance(shape, GroupShape):
            yield from _ungrouped(list(shape.shapes))
        else:
            yield shape


def reading_order(boxes: Sequence[tuple[float, float, float, float]]) -> list[int]:
    """Indices of boxes (left, top, right, bottom) as they are read: bands from top to bottom, columns inside a band.

    The recursive X-Y cut: split at the gaps that cross the whole area, first the horizontal ones, then the vertical.
    """

    def cut(indices: list[int], axis: int, *, was_whole: bool) -> list[int]:
        if len(indices) < 2:
            return indices
        groups: list[list[int]] = []
        reached = float("-inf")
        for index in sorted(indices, key=lambda i: boxes[i][axis]):
            if boxes[index][axis] >= reached:
                groups.append([])
            groups[-1].append(index)
            reached = max(reached, boxes[index][axis + 2])
        if len(groups) > 1:
            return [index for group in groups for index in cut(group, 1 - axis, was_whole=False)]
        if was_whole:  # no gap in either direction
            return sorted(indices, key=lambda i: (boxes[i][1], boxes[i][0]))
        return cut(indices, 1 - axis, was_whole=True)

    return cut(list(range(len(boxes))), 1, was_whole=False)


def docx_elements(document: Any) -> Iterator[Found]:
    """The paragraphs and tables of an open python-docx document, in order; headers and footers left out."""
    options = unstructured_docx.DocxPartitionerOptions(
        file=BytesIO(), file_path=None, include_page_breaks=False, infer_table_structure=False
    )
    options.__dict__["document"] = document  # a cached property: it would open the file a second time
    found: Iterator[Found] = _Docx.iter_document_elements(options)
    return found


def pptx_elements(presentation: Any) -> Iterator[Found]:
    """The paragraphs, graphics and notes of an open python-pptx presentation, slide by slide, in reading order."""
    options = unstructured_pptx.PptxPartitionerOptions(
        file=BytesIO(),
        file_path=None,
        include_page_breaks=False,
        include_slide_notes=True,
        infer_table_structure=False,
        strategy="fast",
    )
    options.__dict__["presentation"] = presentation
    found: Iterator[Found] = _Pptx.iter_presentation_elements(options)
    return found


__all__ = ["Found", "ListItem", "Text", "Title", "docx_elements", "pptx_elements", "reading_order"]
