"""Questions and answers, as documents write them: what `qa` cuts by and the router counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkers.document import Block, Document, Kind, heading_text
from chunkers.question_marks import cut_at_marks, is_marked, names_an_answer

_SUBJECT = r"(?:i|we|you|my|our|your|it|its|he|she|they|this|that|these|those|there|the|an?)\b"
#: English turns verb and subject round. Without a question word the subject must be plain: "Will be removed" and
#: "May 2024" ask nothing.
_INVERTED = re.compile(
    r"(?:how|what|why|when|where|who|which)\s+"
    r"(?:do|does|did|is|are|was|were|can|could|should|shall|will|would|must|may)\s+(?:" + _SUBJECT + r"|\w+\s+\w+)"
    r"|(?:do|does|did|is|are|was|were|can|could|should|shall|will|would)\s+" + _SUBJECT + r"\s+\w"
    r"|(?:как|почему|зачем|сколько|можно ли|нужно ли|что делать|что такое|где)\s+\w+\s+\w+"
    r"|(?:如何|怎么|怎样|为什么|为何|什么是|是否|能否)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*[.):：]?|[-*•])\s+")
_ASKED = re.compile(r"[ \t>*_]*(?:(?:\d+(?:\.\d+)*[.):]|[-*•])[ \t]+)?[*_]*(?P<words>[^\n]{3,200}?)[*_\s]*")
#: A block that begins with a question in bold: all of it, or its beginning.
_BOLD_ASKING = re.compile(
    r"[ \t>]*(?:(?:\d+(?:\.\d+)*[.):]|[-*•+])[ \t]+)?"
    r"((?P<mark>\*\*|__)[^\n*]{2,200}?(?:[?？؟](?P=mark)|(?P=mark)[?？؟]))"
)
_BOLD = re.compile(r"(?P<mark>\*\*|__)[^\n*]{2,120}(?P=mark)[?？؟]?\s*")
_SUMMARY = re.compile(r"(?:<details[^<>\n]*>\s*)?<summary>([^\n]{2,240}?)</summary>", re.IGNORECASE)
_ENDS = re.compile(r"[?？؟][*_\s]*\Z")
_LONGEST = 240  #: characters of a line that is one question
_MEANING = re.compile(r":[ \t]+\S")  #: begins what a term of a definition list means
_SPOKEN = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM})
_ANSWERING = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.CODE, Kind.TABLE, Kind.QUOTE})

_MARKED_BLOCKS = 8  #: a question that is marked, or bold, and its answer have at most so many; a list counts once
_UNMARKED_BLOCKS = 3


def is_question(heading: str) -> bool:
    """Whether a heading asks something: `Is it free?`, `How do I log in`, `Можно ли …`, `如何…`, `Q3: …`."""
    words = heading.strip().strip("*_ ")
    if words.endswith(("?", "？", "؟", "吗", "呢")) or is_marked(words):
        return True
    numbered = _NUMBER.match(words)
    return _INVERTED.match(words, numbered.end() if numbered else 0) is not None


def pairs(document: Document) -> Iterator[Block]:
    """The document's blocks, with paragraphs and list items cut before lines marked `Q:`, `问:`, `Ответ:` and the like.

    A heading that asks stays a heading. Where nothing is marked and no headings ask, questions are lines of their own
    that ask, bold beginnings that do, and terms with their meaning below. What follows a question answers.
    """
    yield from _asked(document)[0]


def share(document: Document) -> tuple[float, int]:
    """How much of the document asks and answers, from 0 to 1, and how many questions there are.

    For headings: those that ask among all below the title. For other questions: the blocks that are near below one, up
    to the next heading, among all but headings, if most questions are answered.
    """
    blocks, near = _asked(document)
    headings = [block for block in blocks if block.kind is Kind.HEADING]
    below = [block for block in headings if (block.level or 1) > 1] or headings
    asking = sum(is_question(heading_text(document.text[block.start : block.end])) for block in below)
    of_entries = total = questions = answered = left = 0
    previous = None
    for block in blocks:
        kind, before, previous = block.kind, previous, block.kind
        if kind in (Kind.HEADING, Kind.METADATA):
            left = 0
            continue
        if kind is Kind.LIST_ITEM and before is Kind.LIST_ITEM:
            continue  # a list counts once
        total += 1
        answered += before is Kind.QUESTION and kind is not Kind.QUESTION
        if kind is Kind.QUESTION:
            questions += 1
            left = near
        elif kind is Kind.ANSWER:
            left = max(left, 1)
        if left:
            of_entries += 1
            left -= 1
    by_marks = of_entries / total if answered and answered * 2 >= questions else 0.0
    by_headings = asking / len(below) if below else 0.0
    return max((by_headings, asking), (by_marks, questions))


def _asked(document: Document) -> tuple[list[Block], int]:
    """The blocks of `pairs`, and how many of them a question with its answer may have."""
    text = document.text
    blocks = cut_at_marks(text, list(_without_answer_headings(text, document.blocks)))
    headings = sum(
        block.kind is Kind.HEADING and is_question(heading_text(text[block.start : block.end])) for block in blocks
    )
    if headings > 1 or any(block.kind is Kind.QUESTION for block in blocks):
        return list(_answered(text, blocks)), _MARKED_BLOCKS
    found = list(_unmarked(text, blocks))
    bold = sum(block.kind is Kind.QUESTION and _title_end(text, block) > 0 for block in found)
    return found, _MARKED_BLOCKS if bold > 1 else _UNMARKED_BLOCKS


def _without_answer_headings(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, where a heading that says `Answer` is one, in the section of the heading above it."""
    asked: tuple[str, ...] = ()  #: the path of the last heading that is none of those
    path: tuple[str, ...] = ()  #: of the last one that is, while what follows lies below it
    for block in blocks:
        if block.kind is Kind.HEADING:
            if asked and names_an_answer(heading_text(text[block.start : block.end])):
                path = block.section_path
                yield replace(block, kind=Kind.ANSWER, level=None, section_path=asked)
                continue
            if not path or block.section_path[: len(path)] != path:
                asked, path = block.section_path, ()
        if path and block.section_path[: len(path)] == path:
            block = replace(block, section_path=(*asked, *block.section_path[len(path) :]))
        yield block


def _answered(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, where a question that no mark answers ends with its line, and what follows it answers."""
    answers = False
    for at, block in enumerate(blocks):
        if block.kind is Kind.QUESTION:
            after = blocks[at + 1] if at + 1 < len(blocks) else None
            answers = True
            line = text.find("\n", block.start, block.end)
            if line >= 0 and (after is None or after.kind is not Kind.ANSWER) and _ENDS.search(text, block.start, line):
                yield from _in_two(text, block, line)
            else:
                yield block
            continue
        yield _answer(block) if answers else block
        answers = False


def _answer(block: Block) -> Block:
    """The block as an answer; a list stays one, so that its items stay together."""
    return replace(block, kind=Kind.ANSWER) if block.kind is Kind.PARAGRAPH else block


def _unmarked(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    means = [block.kind in _SPOKEN and _MEANING.match(text, block.start, block.end) is not None for block in blocks]
    asking = [
        0 if meaning else block.end if is_term else _question_end(text, block)
        for block, meaning, is_term in zip(blocks, means, _terms(blocks, means), strict=True)
    ]
    titled = [_title_end(text, block) for block in blocks]
    if sum(end > 0 and title > 0 for end, title in zip(asking, titled, strict=True)) > 1:
        asking = [end or title for end, title in zip(asking, titled, strict=True)]
    answers = bare = False  #: bare: the block before asks, and nothing answers
    for at, (block, end) in enumerate(zip(blocks, asking, strict=True)):
        if block.kind not in _SPOKEN:
            yield block
            answers = bare = False
        elif not end:
            yield _answer(block) if answers or (at and means[at] and means[at - 1]) else block
            answers = bare = False
        elif end < block.end:
            yield from _in_two(text, block, end)
            answers = bare = False
        else:
            below = blocks[at + 1] if at + 1 < len(blocks) else None
            bare |= below is None or below.kind not in _ANSWERING or asking[at + 1] > 0
            yield block if bare else replace(block, kind=Kind.QUESTION)
            answers = not bare


def _terms(blocks: Sequence[Block], means: Sequence[bool]) -> list[bool]:
    """Which blocks are the terms of a definition list: short, with a meaning right below."""
    return [
        block.kind is Kind.PARAGRAPH and block.end - block.start <= _LONGEST and below
        for block, below in zip(blocks, [*means[1:], False], strict=False)
    ]


def _in_two(text: str, block: Block, end: int) -> Iterator[Block]:
    """A block that asks up to `end` and answers after it."""
    start = next(place for place in range(end, block.end) if not text[place].isspace())
    yield replace(block, kind=Kind.QUESTION, end=end)
    yield replace(block, kind=Kind.ANSWER, start=start)


def _title_end(text: str, block: Block) -> int:
    """Where a bold line or a summary ends that a block begins with, or 0: among such that ask, it is an entry too."""
    if block.kind not in (Kind.PARAGRAPH, Kind.QUESTION):
        return 0
    if summary := _SUMMARY.match(text, block.start, block.end):
        return summary.end()
    return block.end if _BOLD.fullmatch(text, block.start, block.end) else 0


def _question_end(text: str, block: Block) -> int:
    """Where the question ends that a block begins with, or 0.

    It is a line that is one question and no more, a bold beginning or a summary that asks, or the term of a definition.
    """
    if block.kind not in _SPOKEN:
        return 0
    line = text.find("\n", block.start, block.end)
    if line >= 0 and _MEANING.match(text, line + 1, block.end):
        return line
    stop = block.end if line < 0 else line
    if summary := _SUMMARY.match(text, block.start, block.end):
        return summary.end() if _ENDS.search(text, summary.start(1), summary.end(1)) else 0
    if bold := _BOLD_ASKING.match(text, block.start, min(stop, block.start + _LONGEST)):
        return bold.end(1)
    found = _ASKED.fullmatch(text, block.start, stop) if stop - block.start <= _LONGEST else None
    return stop if found and found["words"].endswith(("?", "？", "؟")) and ". " not in found["words"] else 0
