"""Whether the sizes that a corpus asks for fit each other, its ruler and its embedding model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any

from chunkers import base, headers, sizes
from chunkers.errors import ConfigError
from chunkers.tokens import Ruler
from corpus.config import Corpus, RecipeRule
from corpus.rulers import ruler

LATE = "late"  #: reads a context of all that the ruler allows, however small its children are


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put the place of a setting before what is said of it."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}: {error.message}", hint=error.hint) from error


@dataclass(frozen=True, slots=True)
class Asked:
    """A recipe with the settings that it gets from one place of the configuration."""

    place: str  #: whose settings they are, as it is named to a person
    recipe: str
    rule: RecipeRule | None  #: None: `cutting`, which holds for all recipes


def asked(corpus: Corpus) -> Iterator[Asked]:
    """All recipes as `cutting` has them, then those of the rules."""
    for name in base.names():
        yield Asked(f"corpora.{corpus.name}.cutting", name, None)
    for number, rule in enumerate(corpus.recipes):
        yield Asked(f"corpora.{corpus.name}.recipes[{number}].settings: recipe {rule.recipe}", rule.recipe, rule)


def settings(corpus: Corpus, recipe: str, rule: RecipeRule | None) -> dict[str, Any]:
    """The settings that a recipe gets: those of the rule, if that is about it, then those of `cutting` that it has.

    Sizes of `cutting` are in tokens, so a rule that has them in characters takes the parent's alone.
    """
    own = rule.settings if rule and rule.recipe == recipe else {}
    cutting = corpus.cutting
    general = {"size": cutting.size, "overlap": cutting.overlap, "parent_size": cutting.parent_size}
    if own.get("unit") == "characters":
        general = {"parent_size": cutting.parent_size}
    chunker: Any = base.build(recipe)
    known = {field.name for field in fields(chunker)}
    return {name: value for name, value in general.items() if value is not None and name in known} | own


def check(corpus: Corpus, measured_by: Ruler) -> None:
    """Raise `ConfigError`, with the key that is wrong, for sizes with which no document could be cut or embedded."""
    for each in asked(corpus):
        check_one(corpus, measured_by, each)


def check_one(corpus: Corpus, measured_by: Ruler, each: Asked) -> None:
    """As `check`, of one recipe."""
    with at(each.place):
        size = _fit(corpus, each, measured_by)
        if corpus.ruler == corpus.reader:
            return
        model = ruler(corpus.reader.model, corpus.reader.prefix)
        if corpus.cutting.ruler is None:  # then a document that is too long for the model is cut by the model's own
            _fit(corpus, each, model)
        else:
            _fit_model(corpus, each, size, measured_by, model)


def reads_as_much(model: Ruler, measured_by: Ruler) -> bool:
    """Whether a model reads every text that another ruler allows: it has the same tokenizer, and room for as much."""
    tokenizers = {each.id.rsplit("/", 2)[0] for each in (model, measured_by)}
    return len(tokenizers) == 1 and model.cap - model.overhead >= measured_by.cap - measured_by.overhead


def readable(texts: Sequence[str], model: Ruler) -> bool:
    """Whether a model reads each of these texts whole."""
    return all(tokens + model.overhead <= model.cap for tokens in model.count(texts))


def doubts(corpus: Corpus, measured_by: Ruler, which: Iterable[Asked]) -> tuple[str, ...]:
    """What can be cut so and is likely not meant; what `cutting` says of all recipes is said once, and of no rule."""
    of_all: set[str] = set()
    found = []
    for each in which:
        for doubt in sizes.doubts(_whole(corpus, each), measured_by):
            if doubt not in of_all:
                found.append(f"{each.place}: {doubt}")
            if each.rule is None:
                of_all.add(doubt)
    return tuple(found)


def _whole(corpus: Corpus, each: Asked) -> dict[str, Any]:
    chunker: Any = base.build(each.recipe, settings(corpus, each.recipe, each.rule))
    return asdict(chunker)


def _fit(corpus: Corpus, each: Asked, measured_by: Ruler) -> int:
    whole = _whole(corpus, each)
    own = each.rule.settings if each.rule else {}
    parent_asked = "parent_size" in corpus.cutting.model_fields_set or "parent_size" in own
    # where it is left out, the children of `late` are smaller than those of the others
    parent_asked = parent_asked and not (each.recipe == LATE and whole["size"] is None)
    return sizes.fit(whole, measured_by, parent_asked=parent_asked)


def _fit_model(corpus: Corpus, each: Asked, size: int, measured_by: Ruler, model: Ruler) -> None:
    """Refuse children that the ruler allows and that are more than the embedding model reads, token for token."""
    allowed, reads = measured_by.cap - measured_by.overhead, model.cap - model.overhead
    above = (allowed - headers.JOINT) // headers.SHARE + headers.JOINT if corpus.cutting.headers else 0
    late = each.recipe == LATE
    if late and each.rule is None and corpus.cutting.prose not in (LATE, "auto"):
        return
    longest = allowed if late else min(allowed, size + above)
    if longest <= reads:
        return
    smaller = "" if late or above >= reads else f", or set size to at most {reads - above}"
    raise ConfigError(
        f"children of up to {longest} tokens as cutting.ruler {corpus.ruler.model} counts"
        f"{', headers included,' if above and not late else ''} are more than the embedding model "
        f"{corpus.embedding.model} reads ({reads})",
        hint=f"leave cutting.ruler out{smaller}, or choose a model that reads as much as the ruler's",
    )
