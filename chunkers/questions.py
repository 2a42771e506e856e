"""Questions and answers, as documents write them: what `qa` cuts by and the router counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkers.document import Block, Document, Kind, heading_text

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
_MARKS = r"[ \t>*_]*(?:{words})(?:\s*№?\s*\d+\s*[.):：]|\s*[:：]{full_stop})[*_]*"
_QUESTIONS = r"Q|Question|Вопрос|В|问|问题|問|問題"
_ANSWERS = r"A|Answer|Ответ|О|答|答案|回答"
_QUESTION = re.compile(
    _MARKS.format(words=_QUESTIONS, full_stop=r"|(?<=q)\.(?=\s)|(?<=question)\.|(?<=вопрос)\.") + r"\s*\S",
    re.IGNORECASE,
)
_ANSWER = re.compile(_MARKS.format(words=_ANSWERS, full_stop=""), re.IGNORECASE)
_AFTER_QUESTION = re.compile(_MARKS.format(words=_ANSWERS, full_stop=r"|\."), re.IGNORECASE)  #: `A.` may be an initial
_ASKED = re.compile(r"[ \t>*_]*(?:(?:\d+(?:\.\d+)*[.):]|[-*•])[ \t]+)?[*_]*(?P<words>[^\n]{3,200}?)[*_\s]*")
_LONGEST = 240  #: characters of a line that is one question
_MEANING = re.compile(r":[ \t]+\S")  #: begins the second line of a definition
_ANSWERING = frozenset({Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.CODE, Kind.TABLE, Kind.QUOTE})


def is_question(heading: str) -> bool:
    """Whether a heading asks something: `Is it free?`, `How do I log in`, `Можно ли …`, `如何…`, `Q3: …`."""
    words = heading.strip().strip("*_ ")
    if words.endswith(("?", "？", "؟", "吗", "呢")) or _QUESTION.match(words):
        return True
    numbered = _NUMBER.match(words)
    return _INVERTED.match(words, numbered.end() if numbered else 0) is not None


def pairs(document: Document) -> Iterator[Block]:
    """The document's blocks, with paragraphs and list items cut before lines marked `Q:`, `问:`, `Ответ:` and the like.

    What is marked becomes a question or an answer up to the next mark; a heading that asks stays a heading. Where there
    are neither, a line of its own that asks is a question, a term with its meaning below is too, and what follows
    answers.
    """
    text = document.text
    blocks: list[Block] = []
    for block in document.blocks:
        if block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM):
            blocks += _marked(text, block, asked=bool(blocks) and blocks[-1].kind is Kind.QUESTION)
        else:
            blocks.append(block)
    headings = sum(
        block.kind is Kind.HEADING and is_question(heading_text(text[block.start : block.end])) for block in blocks
    )
    if headings > 1 or any(block.kind is Kind.QUESTION for block in blocks):
        yield from blocks
    else:
        yield from _unmarked(text, blocks)


def share(document: Document) -> tuple[float, int]:
    """How much of the document asks and answers, from 0 to 1, and how many questions there are.

    For headings: those that ask among all below the title. For marks: the blocks marked among all but headings.
    """
    headings = [block for block in document.blocks if block.kind is Kind.HEADING]
    below = [block for block in headings if (block.level or 1) > 1] or headings
    asking = sum(is_question(heading_text(document.text[block.start : block.end])) for block in below)
    kinds = [block.kind for block in pairs(document) if block.kind not in (Kind.HEADING, Kind.METADATA)]
    questions, answers = kinds.count(Kind.QUESTION), kinds.count(Kind.ANSWER)
    by_marks = (questions + answers) / len(kinds) if questions and answers else 0.0
    by_headings = asking / len(below) if below else 0.0
    return max((by_headings, asking), (by_marks, questions))


def _unmarked(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    answers = bare = False  #: bare: the block before asks, and nothing answers
    for at, block in enumerate(blocks):
        kind = block.kind
        if kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM):
            yield block
            answers = bare = False
            continue
        line = text.find("\n", block.start, block.end)
        if _asks(text, block):
            below = blocks[at + 1] if at + 1 < len(blocks) else None
            if line >= 0:
                yield replace(block, kind=Kind.QUESTION, end=line)
                first = next(place for place in range(line, block.end) if not text[place].isspace())
                yield replace(block, kind=Kind.ANSWER, start=first)
                answers = bare = False
                continue
            bare |= below is None or below.kind not in _ANSWERING or _asks(text, below)
            if not bare:
                yield replace(block, kind=Kind.QUESTION)
                answers = True
                continue
        else:
            bare = False
        yield replace(block, kind=Kind.ANSWER) if answers else block
        answers = False


def _asks(text: str, block: Block) -> bool:
    """Whether a block begins with a line that is one question and no more, or with the term of a definition."""
    line = text.find("\n", block.start, block.end)
    if line >= 0 and _MEANING.match(text, line + 1, block.end):
        return True
    stop = block.end if line < 0 else line
    found = _ASKED.fullmatch(text, block.start, stop) if stop - block.start <= _LONGEST else None
    return found is not None and found["words"].endswith(("?", "？", "؟")) and ". " not in found["words"]


def _marked(text: str, block: Block, *, asked: bool) -> Iterator[Block]:
    start, kind = block.start, block.kind
    at = block.start
    while at < block.end:
        newline = text.find("\n", at, block.end)
        stop = block.end if newline < 0 else newline
        mark = _mark(text, at, stop, asked=asked)
        if mark:
            if before := text[start:at].rstrip():
                yield replace(block, kind=kind, start=start, end=start + len(before))
            start, kind, asked = at, mark, mark is Kind.QUESTION
        at = stop + 1
    yield replace(block, kind=kind, start=start)


def _mark(text: str, start: int, stop: int, *, asked: bool) -> Kind | None:
    if _QUESTION.match(text, start, stop):
        return Kind.QUESTION
    return Kind.ANSWER if (_AFTER_QUESTION if asked else _ANSWER).match(text, start, stop) else None
