"""Which recipe a document gets: by what it is, and able to say why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from chunkers import signals
from chunkers.document import Document
from chunkers.layout import SLIDES
from chunkers.signals import Signals

VERSION = 3  #: raised whenever the same document may get another recipe

Prose = Literal["recursive", "semantic", "cluster", "late", "auto"]  #: what long prose may be cut by

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
#: by language, to a hundred words (Chinese: characters): above what manuals and encyclopedias have
MANY_PRONOUNS = {"en": 5.0, "ru": 5.0, "zh": 3.0}
BY_PRONOUNS = ("late", "semantic")  #: what `auto` chooses from: where many pronouns refer back, and elsewhere
OF_PROSE = ("recursive", "semantic", "cluster", "late")  #: the recipes that a document may have as long prose
NEAR = 0.5  #: of what a rule asks for: a figure that reaches as much is worth saying


@dataclass(frozen=True, slots=True)
class Route:
    """A recipe's name, and the rule that chose it with its figures."""

    recipe: str
    because: str
    of_prose: bool = False  #: what the corpus wants for long prose decided


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A figure that a rule asks for."""

    figure: str  #: the name of a field of `Signals`
    least: float
    form: str  #: of the figure, as `str.format` takes it
    unit: str  #: what the figure counts

    def reached(self, of: Signals) -> float:
        """The share of `least` that a document has; from 1 on it has what is asked for."""
        figure: float = getattr(of, self.figure)
        return figure / self.least

    def lacking(self, of: Signals) -> str:
        """How a figure that is too small reads: `41% of its characters in tables, not 50%`."""
        return f"{self.form.format(getattr(of, self.figure))} {self.unit}, not {self.form.format(self.least)}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table: it applies to documents of its media types that have all the figures that it asks for."""

    name: str
    recipe: str | None  #: None: what the corpus wants for long prose
    says: str  #: why, with the fields of `Signals` in braces
    media_types: frozenset[str] | None = None  #: None: any
    asks: tuple[AtLeast, ...] = ()

    def applies(self, to: Signals) -> bool:
        """Whether the recipe is the document's, if no rule above applies."""
        return self._may_apply(to) and all(figure.reached(to) >= 1 for figure in self.asks)

    def nearly(self, to: Signals) -> str | None:
        """What the document lacks for this rule, if that is little."""
        if self._may_apply(to) and self.asks and min(figure.reached(to) for figure in self.asks) >= NEAR:
            return f"{self.name} ({'; '.join(each.lacking(to) for each in self.asks if each.reached(to) < 1)})"
        return None

    def _may_apply(self, to: Signals) -> bool:
        return self.media_types is None or to.media_type in self.media_types


#: the first rule that applies decides; what none applies to is cut by `recursive`
RULES = (
    Rule("code", "code", "source code by its media type {media_type}", CODE_TYPES),
    Rule(
        "symbols",
        "code",
        "{symbol_share:.0%} of its characters are in symbols",
        asks=(AtLeast("symbol_share", 0.5, "{:.0%}", "of its characters in symbols"),),
    ),
    Rule(
        "notebook",
        "structure",
        "{code_blocks} blocks of code, {code_share:.0%} of its characters, under {headings} headings",
        frozenset({NOTEBOOK}),
    ),
    Rule("log", "fixed", "a log by its media type {media_type}", frozenset({signals.LOG})),
    Rule(
        "records",
        "fixed",
        "{records} of {lines} lines {record_form}",
        frozenset({signals.PLAIN}),
        (
            AtLeast("lines", signals.LEAST_LINES, "{}", "lines"),
            AtLeast("record_share", signals.REGULAR, "{:.0%}", "of its lines alike"),
        ),
    ),
    Rule(
        "questions and answers",
        "qa",
        "{questions} questions, {question_share:.0%} of what could be one",
        asks=(
            AtLeast("questions", 3, "{}", "questions"),
            AtLeast("question_share", 0.5, "{:.0%}", "of what could be one"),
        ),
    ),
    Rule("pages", "layout", "{media_type} with {pages} pages and {tables} tables", PAGES),
    Rule(
        "tables",
        "structure",
        "{table_share:.0%} of its characters are in {tables} tables",
        asks=(AtLeast("table_share", 0.5, "{:.0%}", "of its characters in tables"),),
    ),
    Rule(
        "headings",
        "structure",
        "{headings} headings in {characters} characters",
        asks=(AtLeast("heading_density", 1, "{:.1f}", "headings to 20,000 characters"),),
    ),
    Rule(
        "long prose",
        None,
        "about {prose_tokens} tokens in {paragraphs} paragraphs, {prose_share:.0%} of the text, "
        "{sentence_rate:.1f} sentences to a thousand characters, {headings} headings",
        asks=(
            AtLeast("prose_tokens", 1_000, "{}", "tokens of prose or so"),
            AtLeast("prose_share", 0.8, "{:.0%}", "of its characters in paragraphs"),
            AtLeast("sentence_rate", 2.5, "{:.1f}", "sentences to a thousand characters"),
            AtLeast("worded_share", 0.95, "{:.0%}", "of its characters in words"),
        ),
    ),
)


def route(document: Document, *, uri: str, prose: Prose = "recursive") -> Route:
    """The recipe of the first rule that applies.

    `prose` is what the corpus wants for long prose without headings; `auto` is `late` where many words refer back to
    what was named before, else `semantic`. `uri` is only named in the reason when no rule applies.
    """
    of = signals.signals(document)
    rule = next((rule for rule in RULES if rule.applies(of)), None)
    if rule is None:
        return Route("recursive", f"no rule applies to {uri.rpartition('/')[2] or 'it'}: {'; '.join(_figures(of))}")
    because = f"{rule.name}: {rule.says.format_map(asdict(of))}"
    if rule.recipe is not None:
        return Route(rule.recipe, because)
    if prose != "auto":
        return Route(prose, f"{because}; cutting.prose is {prose}", of_prose=True)
    recipe, why = _by_pronouns(of)
    return Route(recipe, f"{because}; cutting.prose is auto: {why}", of_prose=True)


def _by_pronouns(of: Signals) -> tuple[str, str]:
    leaning, elsewhere = BY_PRONOUNS
    if of.pronouns is None or of.language not in MANY_PRONOUNS:
        return elsewhere, f"what refers back is not counted in the language {of.language or 'unknown'}"
    many = MANY_PRONOUNS[of.language]
    counted = f"{of.pronouns:.1f} of a hundred {'characters' if of.language == 'zh' else 'words'} refer back"
    return (leaning, f"{counted}, {many:g} or more") if of.pronouns >= many else (elsewhere, f"{counted}, not {many:g}")


def _figures(of: Signals) -> Iterator[str]:
    yield f"{of.media_type}, {of.headings} headings in {of.characters} characters, {of.paragraphs} paragraphs"
    if near := [said for rule in RULES if (said := rule.nearly(of))]:
        yield f"nearest: {', '.join(near)}"
