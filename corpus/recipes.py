"""How a corpus' documents are parsed, cut and described: the settings of the configuration, put to use.

Pure but for the loading of a ruler, and of a model to look through. Every fingerprint here holds only what its stage
reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote
from uuid import UUID

from chunkers import assembly, base, router
from chunkers.base import Looking, Strategy
from chunkers.chunk import Cut
from chunkers.document import Document
from chunkers.errors import ConfigError
from chunkers.identity import fingerprint
from chunkers.router import Route
from chunkers.tokens import Ruler
from corpus import fitting, parsers
from corpus.config import Corpus
from corpus.embedding import Embedder, embedder, no_token_vectors
from corpus.errors import PartialParse
from corpus.globs import first, matches
from corpus.parsers import detect
from corpus.parsers.pdf.ocr import tesseract
from corpus.planning import Expected, Known
from corpus.rulers import ruler

PDF = "application/pdf"
PUBLIC = "public"  #: the principal of a corpus without permission rules


def parse_settings(corpus: Corpus) -> parsers.Settings:
    """What a corpus asks of the parsers."""
    parsing = corpus.parsing
    return parsers.Settings(
        pages=corpus.limits.pages,
        pdf=parsing.pdf,
        ocr_languages=tuple(parsing.ocr_languages),
        ocr_seconds=parsing.ocr_seconds,
    )


def accepted(corpus: Corpus, document: Document, uri: str) -> Document:
    """The document as it may be published: with a warning for all that is missing, if the corpus accepts that.

    Raises `PartialParse` if it does not: something is known to be missing, or too few of the source's own words came
    through.
    """
    parsing = corpus.parsing
    missing = list(document.missing)
    floor = parsing.pdf_fidelity if document.media_type == PDF else parsing.fidelity
    if document.fidelity is not None and document.fidelity < floor:
        missing.append(f"{1 - document.fidelity:.1%} of the source's words ({1 - floor:.1%} may be)")
    if not missing:
        return document
    said = f"not read: {'; '.join(missing)}"
    if not parsing.accept_partial:
        raise PartialParse(
            said,
            hint="mend the file, exclude it, or set parsing.accept_partial to have such documents as they are",
            uri=uri,
            stage="parse",
        )
    return replace(document, warnings=(*document.warnings, said))


@dataclass(frozen=True, slots=True)
class Recipes:
    """What a corpus does with a document."""

    corpus: Corpus
    ruler: Ruler

    @classmethod
    def of(cls, corpus: Corpus) -> Recipes:
        """The recipes of a corpus, with its ruler loaded."""
        prefix = corpus.embedding.passage_prefix if corpus.ruler == corpus.embedding.model else ""
        with fitting.at(f"corpora.{corpus.name}.{'cutting.ruler' if corpus.cutting.ruler else 'embedding.model'}"):
            return cls(corpus, ruler(corpus.ruler, prefix))

    def route(self, document: Document, uri: str, *, recipe: str | None = None) -> Route:
        """The recipe for a document: the one asked for, else the configuration's, else the router's choice."""
        if recipe is not None:
            return Route(recipe, "it was asked for")
        if rule := first(self.corpus.recipes, uri):
            return Route(rule.recipe, f"corpora.yaml says so for {rule.glob}")
        return router.route(document, uri=uri, prose=self.corpus.cutting.prose)

    @property
    def embedder(self) -> Embedder:
        """What the recipes that look look through; asked for by those alone, and loaded when they first do look."""
        return embedder(self.corpus.looks_through)

    def chunker(self, recipe: str, uri: str) -> Strategy:
        """The chunker of a recipe with the settings that hold for an address."""
        return base.build(recipe, fitting.settings(self.corpus, recipe, first(self.corpus.recipes, uri)))

    def cut(self, document_id: UUID, document: Document, route: Route, uri: str) -> Cut:
        """Cut a document; see `chunkers.assembly.cut`."""
        chunker = self.chunker(route.recipe, uri)
        return assembly.cut(
            document_id,
            document,
            chunker,
            self.ruler,
            headers=self.corpus.cutting.headers,
            embedder=self.embedder if isinstance(chunker, Looking) else None,
        )

    def cut_fingerprint(self, recipe: str, uri: str, *, of_prose: bool = True) -> str:
        """What decides how a document is cut, given the recipe that it has.

        `of_prose`: what the corpus wants for long prose may have decided (see `Route`); then it is part of it.
        """
        chunker: Any = self.chunker(recipe, uri)
        rule = first(self.corpus.recipes, uri)
        chosen = f"rule {rule.recipe}" if rule else f"router {router.VERSION}"
        if rule is None and of_prose and recipe in router.OF_PROSE:
            chosen += f", long prose {self.corpus.cutting.prose}"
        return fingerprint(
            "cut",
            assembly.VERSION,
            {
                "recipe": recipe,
                "version": chunker.version,
                "settings": asdict(chunker),
                "headers": self.corpus.cutting.headers,
                "ruler": self.ruler.id,
                "chosen": chosen,
                **({"model": self.embedder.fingerprint} if isinstance(chunker, Looking) else {}),
            },
        )

    def attempt_fingerprint(self, media_type: str | None) -> str:
        """What decides whether a document that failed is worth another try: parser, limits and cutting."""
        limits, parsing = self.corpus.limits, self.corpus.parsing
        return fingerprint(
            "attempt",
            assembly.VERSION,
            {
                "parse": parsers.fingerprint(media_type, parse_settings(self.corpus)) if media_type else detect.VERSION,
                "limits": [limits.seconds, limits.memory_mb, limits.megabytes],
                "ocr": tesseract.state() if media_type == PDF else "",
                "accepted": [parsing.accept_partial, parsing.fidelity, parsing.pdf_fidelity, parsing.ocr_seconds],
                "router": router.VERSION,
                "chunkers": {name: base.build(name).version for name in base.names()},
                "cutting": self.corpus.cutting.model_dump(),
                "recipes": [rule.model_dump() for rule in self.corpus.recipes],
                "ruler": self.ruler.id,
            },
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
        fitting.check(self.corpus, self.ruler)
        prose = self.corpus.cutting.prose
        used = {rule.recipe for rule in self.corpus.recipes} | set(router.BY_PRONOUNS if prose == "auto" else (prose,))
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

    def warnings(self) -> tuple[str, ...]:
        """What of the corpus' settings can be done and is likely not meant: to be said once a run."""
        return fitting.doubts(self.corpus, self.ruler, fitting.asked(self.corpus))

    def warnings_for(self, uri: str) -> tuple[str, ...]:
        """Those of `warnings` that are about all documents, or about the rule of this one."""
        rule = first(self.corpus.recipes, uri)
        asked = (each for each in fitting.asked(self.corpus) if each.rule is None or each.rule is rule)
        return fitting.doubts(self.corpus, self.ruler, asked)

    def expected(self, known: Known) -> Expected:
        """The fingerprints that a document of the ledger would get today."""
        return Expected(
            parse_fingerprint=parsers.fingerprint(known.media_type, parse_settings(self.corpus))
            if known.media_type
            else "",
            cut_fingerprint=self._cut_today(known, known.recipe) if known.recipe else "",
            payload_hash=self.payload_hash(known.uri),
            attempt_fingerprint=self.attempt_fingerprint(known.quarantined_media_type)
            if known.quarantined_hash
            else "",
        )

    def _cut_today(self, known: Known, recipe: str) -> str:
        """The cut fingerprint that a document would get: whether its prose decided, the one that it has tells."""
        without = self.cut_fingerprint(recipe, known.uri, of_prose=False)
        return without if without == known.cut_fingerprint else self.cut_fingerprint(recipe, known.uri)

    def permissions(self, uri: str) -> list[str]:
        """The principals that may see a document: `public` without rules, nobody if no rule matches."""
        if not self.corpus.permissions:
            return [PUBLIC]
        rule = first(self.corpus.permissions, uri)
        return sorted(set(rule.principals)) if rule else []

    def metadata(self, uri: str) -> dict[str, Any]:
        """What the configuration says of a document: the first rule that says something of a field counts."""
        said: dict[str, Any] = {"tags": []}
        for rule in self.corpus.metadata:
            if matches(rule.glob, uri):
                said["tags"] += [tag for tag in rule.tags if tag not in said["tags"]]
                for name in ("title", "author", "date", "language"):
                    if (value := getattr(rule, name)) is not None:
                        said.setdefault(name, value)
        return said

    def payload(self, document: Document, uri: str) -> dict[str, Any]:
        """What filters and citations need: the document's own word, then the configuration's, then a guess."""
        said = self.metadata(uri)
        own_language = None if document.language_guessed else document.language
        base_url = self.corpus.source.base_url
        return {
            "title": document.title or said.get("title") or PurePosixPath(uri).stem,
            "source_url": document.source_url or (f"{base_url.rstrip('/')}/{quote(uri)}" if base_url else None),
            "language": own_language or said.get("language") or document.language,
            "date": document.date or said.get("date"),
            "author": document.author or said.get("author"),
            "tags": [*document.tags, *(tag for tag in said["tags"] if tag not in document.tags)],
            "permissions": self.permissions(uri),
            "description": document.description,
            "page_labels": list(document.page_labels),
            "fidelity": document.fidelity,
        }

    def payload_hash(self, uri: str) -> str:
        """What the configuration adds to a document's payload."""
        settings = self.metadata(uri) | {
            "permissions": self.permissions(uri),
            "base_url": self.corpus.source.base_url,
        }
        return fingerprint("payload", 1, settings)


def _texts(value: Any) -> Iterator[str]:
    """The texts in the settings of a rule."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
