"""The marks of questions and answers, `Q:`, `Pregunta 3.`, `问：`, `Ответ:`, in the languages that write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from chunkers.document import Block, Kind

#: Words and letters that need no other evidence than what they mark. Others may stand for a phone or a fax.
_QUESTIONS = (
    *("Question", "Pregunta", "Pergunta", "Domanda", "Frage", "Vraag", "Pytanie", "Fråga", "Spørsmål", "Spørgsmål"),
    *("Otázka", "Soru", "Вопрос", "Питання", "问题", "問題", "質問", "질문", "السؤال", "سؤال", "प्रश्न"),
    *("Q", "В", "问", "問"),
)
_ANSWERS = (
    *("Answer", "Réponse", "Respuesta", "Resposta", "Risposta", "Antwort", "Antwoord", "Odpowiedź", "Svar", "Odpověď"),
    *("Cevap", "Ответ", "Відповідь", "答案", "回答", "解答", "答え", "답변"),
    *("الجواب", "الإجابة", "جواب", "إجابة", "उत्तर"),
    *("A", "О", "答"),
)
#: Letters that count where a document has them by turns: Spanish and Portuguese, French, German, Italian, Dutch,
#: Turkish, Ukrainian, Polish, Korean, Arabic
_BY_TURNS = ("PR", "QR", "FA", "DR", "VA", "SC", "ПВ", "PO", "문답", "سج")
_LEAST_TURNS = 4

_BEGIN = r"[ \t>*_]*+(?:(?:[-•+]|\d{1,3}[.)])[ \t]++)?[*_]*+"
_NUMBERED = r"\s{0,2}[№#.-]?\s{0,2}\d{1,4}\s{0,2}(?:[*_]*[.):：]|[–—-](?=\s))"
_LETTER = re.compile(rf"{_BEGIN}([^\W\d_])(?:{_NUMBERED}|\s{{0,2}}[:：])")
_ASKING = re.compile(r"[?？؟][*_\s\"”»]*\Z")
_NUMBER = r"[№#]?\s?\d{1,4}"
_QUESTION_NAMED = re.compile(
    rf"(?:{'|'.join(word for word in _QUESTIONS if len(word) > 1)})\s?{_NUMBER}[.:：]?", re.IGNORECASE
)
_ANSWER_NAMED = re.compile(
    rf"[*_]*(?:{'|'.join(word for word in _ANSWERS if len(word) > 1)})(?:\s?{_NUMBER})?[.:：]?[*_]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place where a question or an answer begins, at the start of a line or after a question on it."""

    block: int  #: its number
    start: int
    stop: int  #: where its line ends
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Patterns:
    question: re.Pattern[str]
    answer: re.Pattern[str]
    reply: re.Pattern[str]  #: an answer right after a question: there `A.` is no initial
    within: re.Pattern[str]  #: where an answer begins on the line of its question


def is_marked(words: str) -> bool:
    """Whether a line is marked as a question: `Q3: Is it free?`, or is nothing but the mark: `Question 3`."""
    return _patterns("", "").question.match(words) is not None or _QUESTION_NAMED.fullmatch(words) is not None


def names_an_answer(words: str) -> bool:
    """Whether a line is nothing but the name of an answer: `Answer`, `Ответ 3:`."""
    return _ANSWER_NAMED.fullmatch(words) is not None


def marks(text: str, blocks: Sequence[Block]) -> list[Mark]:
    """The marks in paragraphs and list items, in order.

    A question counts if an answer is marked below it, before the next heading, or if its line ends with a question
    mark; an answer does if a question is marked above it.
    """
    found: list[Mark] = []
    run: list[Mark] = []
    patterns = _patterns(*_by_turns(text, blocks))
    for number, block in enumerate(blocks):
        if block.kind is Kind.HEADING:
            found += _counting(text, run)
            run = []
        elif block.kind is Kind.QUESTION:
            run.append(Mark(number, block.start, block.end, Kind.QUESTION))
        elif block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM):
            for start, stop in _lines(text, block):
                run += _of_line(text, number, start, stop, patterns, asked=bool(run) and run[-1].kind is Kind.QUESTION)
    return [*found, *_counting(text, run)]


def _counting(text: str, run: Sequence[Mark]) -> Iterator[Mark]:
    asked = False
    for at, mark in enumerate(run):
        if mark.kind is Kind.QUESTION:
            answered = at + 1 < len(run) and run[at + 1].kind is Kind.ANSWER
            if not answered and not _ASKING.search(text, max(mark.start, mark.stop - 8), mark.stop):
                continue
            asked = True
        if asked:
            yield mark


def _of_line(text: str, number: int, start: int, stop: int, patterns: _Patterns, *, asked: bool) -> Iterator[Mark]:
    if question := patterns.question.match(text, start, stop):
        answer = patterns.within.search(text, question.end(), stop)
        yield Mark(number, start, answer.start() if answer else stop, Kind.QUESTION)
        if answer:
            yield Mark(number, answer.end(), stop, Kind.ANSWER)
    elif (patterns.reply if asked else patterns.answer).match(text, start, stop):
        yield Mark(number, start, stop, Kind.ANSWER)


def cut_at_marks(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, cut before each mark: a question or an answer up to the next mark or to the block's end."""
    pending = iter(marks(text, blocks))
    mark = next(pending, None)
    found: list[Block] = []
    for number, block in enumerate(blocks):
        start, kind = block.start, block.kind
        while mark is not None and mark.block == number:
            if before := text[start : mark.start].rstrip():
                found.append(replace(block, kind=kind, start=start, end=start + len(before)))
            start, kind = mark.start, mark.kind
            mark = next(pending, None)
        found.append(replace(block, kind=kind, start=start))
    return found


def _lines(text: str, block: Block) -> Iterator[tuple[int, int]]:
    at = block.start
    while at < block.end:
        newline = text.find("\n", at, block.end)
        stop = block.end if newline < 0 else newline
        yield at, stop
        at = stop + 1


def _by_turns(text: str, blocks: Sequence[Block]) -> tuple[str, str]:
    """The letters that ask and those that answer, of the pairs that the document has by turns."""
    letters = [
        match[1].upper()
        for block in blocks
        if block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM)
        for start, stop in _lines(text, block)
        if (match := _LETTER.match(text, start, stop))
    ]
    held = []
    for pair in _BY_TURNS:
        turns = [letter for letter in letters if letter in pair]
        if len(turns) >= _LEAST_TURNS and all(letter == pair[at % 2] for at, letter in enumerate(turns)):
            held.append(pair)
    return "".join(pair[0] for pair in held), "".join(pair[1] for pair in held)


@cache
def _patterns(asking: str, answering: str) -> _Patterns:
    """Those of the words that always count and of these letters."""
    questions = "|".join([*(word for word in _QUESTIONS if word not in answering), *asking])
    answers = "|".join([*(word for word in _ANSWERS if word not in asking), *answering])
    dotted = r"|(?<=q)\.(?=\s)|(?<=question)\.|(?<=вопрос)\."

    def pattern(words: str, full_stop: str, rest: str) -> re.Pattern[str]:
        tail = rf"(?:{_NUMBERED}|\s{{0,2}}[:：]{full_stop})[*_]*"
        bracketed = rf"[\[【](?:{words})(?:\s?{_NUMBER})?[\]】]"
        return re.compile(f"{_BEGIN}(?:{bracketed}|(?:{words}){tail}){rest}", re.IGNORECASE)

    return _Patterns(
        pattern(questions, dotted, r"\s*\S"),
        pattern(answers, "", ""),
        pattern(answers, r"|\.", ""),
        re.compile(rf"(?<=[?？؟*_])\s+(?=[*_]*(?:{answers})\s?[:：])", re.IGNORECASE),
    )
