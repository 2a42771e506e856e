"""What can be told of a document before it is cut: the figures that the rules of the router read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from chunkers import questions
from chunkers.document import Document, Kind
from chunkers.prose import PROSE

PLAIN = "text/plain"
LOG = "text/x-log"
REGULAR = 0.8  #: of lines that are built alike: from there on they are records
LEAST_LINES = 20  #: fewer prove nothing

_LOOKED_AT = 1_000  #: lines, evenly spread, that tell whether lines are records
_WIDTH = 200  #: characters of a line that are looked at
_SAMPLE = 40_000  #: characters of prose, about, in which sentences and pronouns are counted
_PARAGRAPH = 5_000  #: characters of one paragraph that are looked at

_STAMPED = re.compile(
    r"\[?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d|\d\d[-/. ](?:\d\d|[A-Z][a-z]{2})[-/. ]\d{4}[ :]\d\d:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\d{10,13}[ .,\]])"
    r"|\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:|(?:\d{1,3}\.){3}\d{1,3} \S+ \S+ \["
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\s:|\]]"
)
_OBJECT = re.compile(r"\s*[{\[][ \t]*[\"{\[]")
_PAIR = re.compile(r"\s*(?:export )?[\w.@/-]+(?:\[[\w.-]*\])?[ \t]{0,20}=(?![=~>])")
_ASIDE = re.compile(r"\s*(?:[#;!]|//|\[[^\]=]*\]\s*$)")  #: between pairs: a comment, or the name of a section
_LISTED = re.compile(r"\s*(?:[-*+•·–—]|\d{1,4}[.)]|\w[.)]|\[[ xX]?\])\s")
_DIGIT = frozenset("0123456789")

#: A full stop after a figure ends a sentence at times, and is a list's at others.
_SENTENCE_END = re.compile(r"(?<!\d)[.!?…][\"'»”’)\]]*(?=\s|\Z)|[。！？]")
_WORD = re.compile(r"\w+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  #: letters that are a token each
_OF_CODE = re.compile(r"[(){}\[\]<>=_*/\\|#&%$@^~+`;]")
#: language → the words that refer back to what was named before, and what they are counted against
_PRONOUNS = {
    "en": (
        re.compile(
            r"\b(?:he|him|his|himself|she|her|hers|herself|it|its|itself|they|them|theirs?|themselves|this|these|those)\b",
            re.IGNORECASE,
        ),
        _WORD,
    ),
    "ru": (
        re.compile(
            r"\b(?:он|она|оно|они|н?его|н?е[её]|н?ему|н?ей|н?им|н?их|н?ими|н[её]м|эт(?:от|а|о|и|у|ого|ой|ому|им|ом|их|ими)"
            r"|т(?:от|ого|ому|ой|ех)|так(?:ой|ая|ое|ие|ого|ую|их))\b",
            re.IGNORECASE,
        ),
        _WORD,
    ),
    "zh": (
        re.compile(r"(?<![其吉])[他她它牠祂]|[这這该該]|其(?![他它她实實中余餘次间間])|此(?![外时時后後])"),
        _IDEOGRAPH,
    ),
}


@dataclass(frozen=True, slots=True)
class Signals:
    """The figures of one document. Shares are of the characters in blocks, metadata left out, from 0 to 1."""

    media_type: str
    language: str | None
    characters: int
    pages: int
    paragraphs: int  #: quotations and footnotes among them
    headings: int
    tables: int
    code_blocks: int
    heading_density: float  #: headings to 20,000 characters
    table_share: float
    symbol_share: float  #: of characters in symbols, which only parsers of code find
    code_share: float  #: in symbols and in blocks of code
    prose_share: float  #: in paragraphs, quotations and footnotes
    prose_tokens: int  #: about so many: one for each CJK letter, and for each four of other characters
    sentence_rate: float  #: ends of sentences to 1,000 characters of prose
    worded_share: float  #: of characters of prose that are not marks such as code has
    pronouns: float | None  #: that refer back, to a hundred words (Chinese: characters); None: unknown in this language
    questions: int
    question_share: float  #: of what could ask or answer; see `chunkers.questions.share`
    lines: int  #: that were looked at; none but of plain text, where lines may be records
    records: int  #: of these lines that are built alike
    record_share: float
    record_form: str  #: how they are alike: a predicate of `lines`


def signals(document: Document) -> Signals:
    """Look at a document, in time linear in its size and small beside that of a cut."""
    lengths: Counter[Kind] = Counter()
    counts: Counter[Kind] = Counter()
    for block in document.body:
        lengths[block.kind] += block.end - block.start
        counts[block.kind] += 1
    held = max(1, lengths.total())
    characters = len(document.text)
    prose = _sample(document)
    sampled = max(1, len(prose))
    share, asking = questions.share(document)
    looked_at, records, form = _regularity(document)
    in_prose = sum(lengths[kind] for kind in PROSE)
    return Signals(
        media_type=document.media_type,
        language=document.language,
        characters=characters,
        pages=len({block.page for block in document.blocks if block.page is not None}),
        paragraphs=sum(counts[kind] for kind in PROSE),
        headings=counts[Kind.HEADING],
        tables=counts[Kind.TABLE],
        code_blocks=counts[Kind.CODE],
        heading_density=counts[Kind.HEADING] * 20_000 / max(1, characters),
        table_share=lengths[Kind.TABLE] / held,
        symbol_share=lengths[Kind.SYMBOL] / held,
        code_share=(lengths[Kind.SYMBOL] + lengths[Kind.CODE]) / held,
        prose_share=in_prose / held,
        prose_tokens=round(in_prose * (1 + 3 * _count(_WIDE, prose) / sampled) / 4),
        sentence_rate=1_000 * _count(_SENTENCE_END, prose) / sampled,
        worded_share=1 - _count(_OF_CODE, prose) / sampled,
        pronouns=_pronouns(prose, document.language),
        questions=asking,
        question_share=share,
        lines=looked_at,
        records=records,
        record_share=records / max(1, looked_at),
        record_form=form,
    )


def is_of_records(document: Document) -> bool:
    """Whether a document is a log, or a plain text of records, one a line: to be cut between lines."""
    if document.media_type == LOG:
        return True
    looked_at, records, _ = _regularity(document)
    return looked_at >= LEAST_LINES and records >= REGULAR * looked_at


def _sample(document: Document) -> str:
    """The document's prose, or of a long one every so many paragraphs."""
    prose = [block for block in document.blocks if block.kind in PROSE]
    total = sum(block.end - block.start for block in prose)
    kept = prose[:: max(1, round(total / _SAMPLE))]
    return "\n\n".join(document.text[block.start : min(block.end, block.start + _PARAGRAPH)] for block in kept)


def _pronouns(prose: str, language: str | None) -> float | None:
    if language not in _PRONOUNS:
        return None
    pronoun, word = _PRONOUNS[language]
    return 100 * _count(pronoun, prose) / max(1, _count(word, prose))


def _count(form: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in form.finditer(text))


def _regularity(document: Document) -> tuple[int, int, str]:
    """How many lines were looked at, how many of them are built alike, and how."""
    if document.media_type != PLAIN:
        return 0, 0, ""
    every = max(1, document.text.count("\n") // _LOOKED_AT)
    lines = [line.expandtabs() for line in _heads(document.text, every)]
    best = (0, "")
    for count, form in ((count(lines), form) for form, count in _FORMS):
        best = max(best, (count, form), key=lambda found: found[0])
        if best[0] >= REGULAR * len(lines):
            break
    return len(lines), *best


def _heads(text: str, every: int) -> Iterator[str]:
    """The first characters of each `every`-th line, blank ones left out."""
    at, number = 0, 0
    while at < len(text):
        newline = text.find("\n", at)
        stop = len(text) if newline < 0 else newline
        if number % every == 0 and (head := text[at : min(stop, at + _WIDTH)].rstrip()):
            yield head
        at, number = stop + 1, number + 1


def _matching(form: re.Pattern[str]) -> Callable[[Sequence[str]], int]:
    return lambda lines: sum(form.match(line) is not None for line in lines)


def _pairs(lines: Sequence[str]) -> int:
    """Lines of `name=value`, with what stands between them if there are enough."""
    found = _matching(_PAIR)(lines)
    aside = _matching(_ASIDE)(lines) if found else 0
    return found + aside if found > aside else found


def _in_columns(lines: Sequence[str]) -> int:
    """Lines that keep to the columns that nearly all have: three fields or more, two that vary, one of figures.

    A column of blanks after the first word is where fields part: in prose, whose lines are of like length too, no
    place is blank in most lines. Where fields touch, figures at the same places in all lines tell them.
    """
    if len(lines) < LEAST_LINES or 2 * _matching(_LISTED)(lines) > len(lines):
        return 0
    width = sorted(map(len, lines))[int((1 - REGULAR) * len(lines))]
    whole = [line for line in lines if len(line) >= width]
    columns = list(zip(*(line[:width] for line in whole), strict=True))
    most = 0.9 * len(whole)
    blank = [column.count(" ") >= most for column in columns]
    figures = [sum(map(_DIGIT.__contains__, column)) >= most for column in columns]
    runs = [run for run in _runs(figures) if run[1] - run[0] > 1]
    if len(runs) > 1 and sum(b - a for a, b in runs) >= 6 and any(_vary(whole, run) for run in runs):
        return sum(all(line[a:b].isdigit() for a, b in runs) for line in lines)
    fields = [run for run in _runs([not each for each in blank]) if run[0] < width]
    if fields:
        fields[-1] = (fields[-1][0], _WIDTH)
    varying = [run for run in fields if _vary(whole, run)]
    if len(fields) < 3 or len(varying) < 2 or not any(_of_figures(whole, run) for run in varying):
        return 0
    gutters = [at for at, each in enumerate(blank) if each and at > fields[0][0]]
    return sum(all(line[at : at + 1] in (" ", "") for at in gutters) for line in lines)


def _runs(marked: Sequence[bool]) -> list[tuple[int, int]]:
    """The runs `[start, stop)` of places that are marked."""
    runs = []
    at = 0
    for value, group in groupby(marked):
        length = sum(1 for _ in group)
        if value:
            runs.append((at, at + length))
        at += length
    return runs


def _vary(lines: Sequence[str], field: tuple[int, int]) -> bool:
    values = Counter(line[field[0] : field[1]].strip() for line in lines)
    return values.most_common(1)[0][1] <= len(lines) / 2


def _of_figures(lines: Sequence[str], field: tuple[int, int]) -> bool:
    return sum(not _DIGIT.isdisjoint(line[field[0] : field[1]]) for line in lines) >= REGULAR * len(lines)


#: how the lines of records are alike, and how many of some lines are
_FORMS: tuple[tuple[str, Callable[[Sequence[str]], int]], ...] = (
    ("begin with a time, an address or a level", _matching(_STAMPED)),
    ("are objects of JSON", _matching(_OBJECT)),
    ("are name=value", _pairs),
    ("keep the same columns", _in_columns),
)
