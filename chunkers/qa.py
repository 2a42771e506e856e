"""`qa`: a question with its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document, Kind
from chunkers.pieces import Cutter
from chunkers.questions import is_question, pairs
from chunkers.sections import Section, leaves, sections
from chunkers.splitting import Measure
from chunkers.structure import parts_of_sections
from chunkers.tokens import Ruler


@register("qa")
@dataclass(frozen=True, slots=True)
class QuestionsAndAnswers:
    """A question with its answer is one child: never cut when it fits, never merged with another.

    Assumes a FAQ: headings that ask, definition lists, `Q:` and `A:`, 问 and 答, Вопрос and Ответ. What is neither is
    cut as `structure` does. Fails on interviews, where an answer needs the questions before it. An answer that does
    not fit is cut like a section, and every part after the first has the question in its header.
    """

    version: ClassVar[int] = 2

    size: int | None = None  #: tokens of a child; default: the smaller of 400 and what the model reads
    parent_size: int = 1200  #: tokens of a parent

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        measure = Measure(ruler)
        cutter = Cutter(document, ruler, measure, sizes.resolve(self.size, "tokens", ruler))
        found = [pair for section in sections(leaves(document, pairs(document), measure)) for pair in _pairs(section)]

        def question(section: Section) -> str:
            asked = next((leaf for leaf in section.leaves if leaf.kind is not Kind.HEADING), None)
            if asked is None or asked.kind is not Kind.QUESTION:
                return ""
            return document.text[asked.start : asked.block.end].strip()

        def asks(section: Section) -> bool:
            return bool(question(section)) or bool(section.path and is_question(section.path[-1]))

        yield from parts_of_sections(cutter, found, self.parent_size, apart=asks, again=question)


def _pairs(section: Section) -> Iterator[Section]:
    """The section cut before each question, but not between questions in a row nor between heading and question."""
    first = 0
    for at, leaf in enumerate(section.leaves):
        before = section.leaves[at - 1].kind if at > first else Kind.HEADING
        if leaf.kind is Kind.QUESTION and before not in (Kind.HEADING, Kind.QUESTION):
            yield Section(section.leaves[first:at])
            first = at
    yield Section(section.leaves[first:])
