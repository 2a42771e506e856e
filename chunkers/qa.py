"""`qa`: a question with its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chunkers import sizes
from chunkers.base import register
from chunkers.chunk import Part
from chunkers.document import Document, Kind
from chunkers.pieces import Cutter
from chunkers.questions import is_question, pairs
from chunkers.sections import Leaf, Section, leaves, sections
from chunkers.splitting import Measure, Unit
from chunkers.structure import parts_of_sections
from chunkers.tokens import Ruler

_TITLE = 80  #: characters of the longest line that is a title
_LINE = re.compile(r"[^\n]*[^\n.!?:;,。！？：；，]")


@register("qa")
@dataclass(frozen=True, slots=True)
class QuestionsAndAnswers:
    """A question with its answer is one child: never cut when it fits, never merged with another.

    Assumes a FAQ: headings that ask, definition lists, bold questions, `Q:` and `A:`, 问 and 答, Вопрос and Ответ. What
    is neither is cut as `structure` does. Fails on interviews, where an answer needs the questions before it. An answer
    that does not fit is cut like a section, and every part after the first has the question in its header.
    """

    version: ClassVar[int] = 3

    size: int | None = None  #: of a child, in `unit`; default: the smaller of 400 tokens and what the model reads
    parent_size: int = 1200  #: tokens of a parent; with `unit: characters`, four characters for each
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        sizes.check(self.size, self.parent_size, unit=self.unit)

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""
        measure = Measure(ruler, self.unit)
        cutter = Cutter(document, ruler, measure, sizes.resolve(self.size, self.unit, ruler))
        found = [
            pair
            for section in sections(leaves(document, pairs(document), measure))
            for pair in _pairs(document.text, section)
        ]
        entries = _entries(found)

        def question(section: Section) -> str:
            asked = next((leaf for leaf in section.leaves if leaf.kind is not Kind.HEADING), None)
            if asked is None or asked.kind is not Kind.QUESTION:
                return ""
            return document.text[asked.start : asked.block.end].strip()

        def asks(section: Section) -> bool:
            path = section.path
            return bool(question(section)) or bool(path and (path[:-1] in entries or is_question(path[-1])))

        yield from parts_of_sections(cutter, found, self.parent_size, apart=asks, again=question)


def _entries(found: Sequence[Section]) -> frozenset[tuple[str, ...]]:
    """The headings most of whose sections ask: the others are entries too, `Returns` among `How do I …?`."""
    asking: dict[tuple[str, ...], list[bool]] = {}
    for section in found:
        if section.leaves[0].kind is Kind.HEADING and section.path:
            asking.setdefault(section.path[:-1], []).append(is_question(section.path[-1]))
    return frozenset(path for path, asked in asking.items() if sum(asked) > 1 and sum(asked) * 2 >= len(asked))


def _pairs(text: str, section: Section) -> Iterator[Section]:
    """The section cut before each question, but not between questions in a row nor between a title and a question."""
    first = 0
    for at, leaf in enumerate(section.leaves):
        if leaf.kind is not Kind.QUESTION or at == first:
            continue
        before = section.leaves[first:at]
        if before[-1].kind in (Kind.HEADING, Kind.QUESTION) or all(_is_title(text, each) for each in before):
            continue
        yield Section(before)
        first = at
    yield Section(section.leaves[first:])


def _is_title(text: str, leaf: Leaf) -> bool:
    """Whether a leaf says what the questions below it are about: a heading, or a line that is no sentence."""
    if leaf.kind is not Kind.PARAGRAPH:
        return leaf.kind is Kind.HEADING
    return leaf.block.end - leaf.start <= _TITLE and _LINE.fullmatch(text, leaf.start, leaf.block.end) is not None
