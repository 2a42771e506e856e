"""Which recipe a document gets: by what it is, and able to say why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from chunkers import questions
from chunkers.document import Document, Kind
from chunkers.layout import SLIDES

VERSION = 2  #: raised whenever the same document may get another recipe

LOG = "text/x-log"
PAGES = frozenset({"application/pdf", *SLIDES})
NOTEBOOK = "application/x-ipynb+json"
CODE_TYPES = frozenset(
    {
        *(f"text/{name}" for name in ("javascript", "typescript", "tsx", "css")),
        *(f"text/x-{name}" for name in ("python", "go", "sql", "java", "kotlin", "rust", "c", "c++", "csharp", "ruby")),
        *(f"text/x-{name}" for name in ("php", "shellscript", "dockerfile")),
        *(f"application/{name}" for name in ("json", "yaml", "toml")),
    }
)

QUESTIONS_SHARE = 0.5  #: of headings, or of paragraphs, that ask or answer: above it the document is a FAQ
QUESTIONS = 3  #: fewer are no FAQ
SYMBOL_SHARE = 0.5  #: of characters in symbols: above it the document is code, whatever its media type says
LOG_SHARE = 0.8  #: of lines that begin like a record: above it the document is a log
LOG_LINES = 20
TABLE_SHARE = 0.5  #: of characters in tables: above it the document is cut between rows, however few its headings are
HEADING_EVERY = 20_000  #: characters; with fewer headings than one in so many, they do not carry the document

_RECORD = re.compile(
    r"\[?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d|\d\d[-/. ](?:\d\d|[A-Z][a-z]{2})[-/. ]\d{4}[ :]\d\d:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\d{10,13}[ .,\]])"
    r"|(?:\d{1,3}\.){3}\d{1,3} \S+ \S+ \[|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\s:|\]]"
)


@dataclass(frozen=True, slots=True)
class Route:
    """A recipe's name, and the rule that chose it with its figures."""

    recipe: str
    because: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table: `because` says why it applies to a document, or nothing if it does not."""

    name: str
    recipe: str
    because: Callable[[Document], str | None]


def route(document: Document, *, uri: str) -> Route:
    """The first rule that applies; `uri` is only named in the reason when nothing else is known."""
    for rule in RULES:
        if because := rule.because(document):
            return Route(rule.recipe, f"{rule.name}: {because}")
    return Route("recursive", f"no rule applies to {uri.rpartition('/')[2] or 'it'}: {_figures(document)}")


def _code(document: Document) -> str | None:
    if document.media_type in CODE_TYPES:
        return f"source code by its media type {document.media_type}"
    length = sum(block.end - block.start for block in document.blocks if block.kind is Kind.SYMBOL)
    share = length / max(1, len(document.text))
    return f"{share:.0%} of its characters are in symbols" if share > SYMBOL_SHARE else None


def _notebook(document: Document) -> str | None:
    if document.media_type != NOTEBOOK:
        return None
    return f"{_count(document, Kind.CODE)} blocks of code under {_count(document, Kind.HEADING)} headings"


def _log(document: Document) -> str | None:
    if document.media_type == LOG:
        return f"a log by its media type {LOG}"
    if document.media_type != "text/plain":
        return None
    lines = [line for line in document.text.split("\n") if line.strip()]
    records = sum(_RECORD.match(line) is not None for line in lines)
    if len(lines) >= LOG_LINES and records >= LOG_SHARE * len(lines):
        return f"{records} of {len(lines)} lines begin with a time, an address or a level"
    return None


def _questions(document: Document) -> str | None:
    share, count = questions.share(document)
    if count >= QUESTIONS and share >= QUESTIONS_SHARE:
        return f"{count} questions, {share:.0%} of what could be one"
    return None


def _pages(document: Document) -> str | None:
    if document.media_type not in PAGES:
        return None
    pages = len({block.page for block in document.blocks if block.page is not None})
    return f"{document.media_type} with {pages} pages and {_count(document, Kind.TABLE)} tables"


def _tables(document: Document) -> str | None:
    length = sum(block.end - block.start for block in document.blocks if block.kind is Kind.TABLE)
    share = length / max(1, len(document.text))
    if share <= TABLE_SHARE:
        return None
    return f"{share:.0%} of its characters are in {_count(document, Kind.TABLE)} tables"


def _headings(document: Document) -> str | None:
    count = _count(document, Kind.HEADING)
    if count and count * HEADING_EVERY >= len(document.text):
        return f"{count} headings in {len(document.text)} characters"
    return None


def _count(document: Document, kind: Kind) -> int:
    return sum(block.kind is kind for block in document.blocks)


def _figures(document: Document) -> str:
    return (
        f"{document.media_type}, {_count(document, Kind.HEADING)} headings in {len(document.text)} characters, "
        f"{_count(document, Kind.PARAGRAPH)} paragraphs"
    )


#: the first rule that applies decides
RULES = (
    Rule("code", "code", _code),
    Rule("notebook", "structure", _notebook),
    Rule("log", "fixed", _log),
    Rule("questions and answers", "qa", _questions),
    Rule("pages", "layout", _pages),
    Rule("tables", "structure", _tables),
    Rule("headings", "structure", _headings),
)
