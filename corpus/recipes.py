"""How a corpus' documents are parsed, cut and described: the settings of the configuration, put to use.

Pure but for the loading of a ruler, and of a model to look through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from chunkers import assembly, base, router
from chunkers.base import Looking
from chunkers.chunk import Cut
from chunkers.document import Document
from chunkers.errors import ConfigError
from chunkers.router import Route
from chunkers.tokens import Ruler
from corpus import fitting
from corpus.accepting import accepted, parse_settings
from corpus.config import Corpus, Reader
from corpus.described import PUBLIC, because
from corpus.embedding import embedder, no_token_vectors
from corpus.fingerprints import Fingerprints
from corpus.globs import first
from corpus.rulers import ruler

__all__ = ["PUBLIC", "TOO_LONG", "Recipes", "accepted", "parse_settings"]

TOO_LONG = "cut by what the embedding model reads: a child by the corpus' own ruler was too long for it"


@dataclass(frozen=True, slots=True)
class Recipes(Fingerprints):
    """What a corpus does with a document."""

    @classmethod
    def of(cls, corpus: Corpus) -> Recipes:
        """The recipes of a corpus, with its rulers loaded."""
        with fitting.at(f"corpora.{corpus.name}.{'cutting.ruler' if corpus.cutting.ruler else 'embedding.model'}"):
            measures = ruler(corpus.ruler.model, corpus.ruler.prefix)
        if corpus.ruler == corpus.reader:
            return cls(corpus, measures)
        with fitting.at(f"corpora.{corpus.name}.embedding.model"):
            reads = ruler(corpus.reader.model, corpus.reader.prefix)
        return cls(corpus, measures, None if fitting.reads_as_much(reads, measures) else reads)

    def route(self, document: Document, uri: str, *, recipe: str | None = None) -> Route:
        """The recipe for a document: the one asked for, else the configuration's, else the router's choice."""
        if recipe is not None:
            return Route(recipe, "it was asked for")
        if rule := first(self.corpus.recipes, uri):
            return Route(rule.recipe, because(rule))
        return router.route(document, uri=uri, prose=self.corpus.cutting.prose)

    def cut(self, document_id: UUID, document: Document, route: Route, uri: str) -> tuple[Cut, str]:
        """Cut a document (see `chunkers.assembly.cut`); beside the cut, its fingerprint.

        A document with a text that is within the corpus' ruler and too long for the embedding model is cut by the
        model's own ruler instead, whole.
        """
        made, model = self._cut(document_id, document, route.recipe, uri, self.ruler), self.by_model
        too_long = model is not None and not fitting.readable([each.embedded_text for each in made.read], model)
        if model is not None and too_long:
            made = self._cut(document_id, document, route.recipe, uri, model)
            made = replace(made, warnings=(*made.warnings, TOO_LONG))
        made_by = self.cut_fingerprint(route.recipe, uri, of_prose=route.of_prose, by_model=too_long)
        return made, made_by + self._accepted_as(document)

    def _cut(self, document_id: UUID, document: Document, recipe: str, uri: str, measured_by: Ruler) -> Cut:
        chunker = self.chunker(recipe, uri)
        return assembly.cut(
            document_id,
            document,
            chunker,
            measured_by,
            headers=self.corpus.cutting.headers,
            embedder=self.embedder if isinstance(chunker, Looking) else None,
        )

    def check(self) -> None:
        """Raise `ConfigError` for what would fail on every document, before any work is done.

        That is sizes that do not fit (see `corpus.fitting`), a recipe that looks through a model that is not there or
        needs more of one than it gives, a text that no database can hold, or a reader of PDF files that is not
        installed.
        """
        source, rules = self.corpus.source, [*self.corpus.permissions, *self.corpus.metadata]
        for said in [source.base_url, *(text for rule in rules for text in _texts(rule.model_dump()))]:
            if said and "\0" in said:
                raise ConfigError(f"corpus {self.corpus.name}: {said!r} has a NUL in it, which no database can hold")
        if self.corpus.parsing.pdf != "layout":
            from corpus.parsers.pdf import unstructured  # here: few ask for it

            unstructured.check()
        self._check_sizes()
        used = self.used
        if any(isinstance(base.build(recipe), Looking) for recipe in used):
            with fitting.at(
                f"corpora.{self.corpus.name}.{'cutting' if self.corpus.cutting.model else 'embedding'}.model"
            ):
                _ = self.embedder
        if fitting.LATE in used:
            with fitting.at(f"corpora.{self.corpus.name}.embedding.model"):
                model = embedder(self.corpus.embedding)
                if not model.pools_tokens:
                    raise no_token_vectors(model.name)

    def _check_sizes(self) -> None:
        try:
            fitting.check(self.corpus, self.ruler)
        except ConfigError as error:
            if not self._remembers:
                raise
            raise ConfigError(
                f"{error.message}; the corpus is measured by {self.corpus.ruler.model}, the embedding model of its "
                "first sync",
                hint=f"{error.hint}; or name another in cutting.ruler, which cuts all documents anew",
            ) from error

    @property
    def _remembers(self) -> bool:
        """Whether the corpus is measured by a model that the configuration does not name."""
        return self.corpus.cutting.ruler is None and self.corpus.ruler != self.corpus.reader

    def warnings(self) -> tuple[str, ...]:
        """What of the corpus' settings can be done and is likely not meant: to be said once a run."""
        said = fitting.doubts(self.corpus, self.ruler, fitting.asked(self.corpus))
        return (*self._measured_otherwise(), *said)

    def _measured_otherwise(self) -> Iterator[str]:
        corpus = self.corpus
        own = ruler(corpus.reader.model, corpus.reader.prefix)
        if self._remembers and own.id != self.ruler.id:
            new, old = _written(corpus, corpus.reader), _written(corpus, corpus.ruler)
            yield (
                f"corpora.{corpus.name}.cutting: the corpus is measured by {corpus.ruler.model}, the embedding model "
                f"of its first sync, and embedded with {corpus.reader.model}; write {new} to have it all cut anew for "
                f"what that reads, or {old} to keep its cuts as they are"
            )

    def warnings_for(self, uri: str) -> tuple[str, ...]:
        """Those of `warnings` that are about all documents, or about the rule of this one."""
        rule = first(self.corpus.recipes, uri)
        asked = (each for each in fitting.asked(self.corpus) if each.rule is None or each.rule is rule)
        return fitting.doubts(self.corpus, self.ruler, asked)


def _written(corpus: Corpus, reader: Reader) -> str:
    """A ruler as `cutting` has it."""
    left_out = corpus.reader.prefix if reader.model == corpus.reader.model else ""
    prefix = f" with ruler_prefix: {reader.prefix!r}" if reader.prefix != left_out else ""
    return f"ruler: {reader.model}{prefix}"


def _texts(value: Any) -> Iterator[str]:
    """The texts in the settings of a rule."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
