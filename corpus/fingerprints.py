"""What decides how a document is parsed and cut: every fingerprint holds what its stage reads, and no more."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from chunkers import assembly, base, router
from chunkers.base import Looking, Strategy
from chunkers.identity import fingerprint
from chunkers.tokens import Ruler
from corpus import fitting, parsers
from corpus.accepting import PDF, Arrived, not_read, parse_settings
from corpus.described import PAYLOAD, Described
from corpus.embedding import Embedder, embedder
from corpus.globs import first
from corpus.parsers import detect
from corpus.parsers.base import PARSERS
from corpus.parsers.pdf.ocr import tesseract
from corpus.planning import Expected, Known

_ACCEPTED = "+"  #: in a cut fingerprint, before what it says of a document that is not whole
_MODELS = {"ruler", "ruler_prefix", "model", "model_prefix"}  #: of `cutting`: their names decide nothing


@dataclass(frozen=True, slots=True)
class Fingerprints(Described):
    """What documents would be made with today."""

    ruler: Ruler
    by_model: Ruler | None = None  #: the embedding model's own, if some text within `ruler` may be too long for it

    def expected(self, known: Known) -> Expected:
        """The fingerprints and permissions that a document of the ledger would get today."""
        return Expected(
            parse_fingerprint=self._parse_fingerprint(known.media_type) if known.media_type else "",
            cut_fingerprint=self._cut_today(known, known.recipe) + self._accepted_as(known) if known.recipe else "",
            payload_hash=self.payload_hash(known.uri),
            attempt_fingerprint=self.attempt_fingerprint(known.quarantined_media_type)
            if known.quarantined_hash
            else "",
            permissions=self.permissions(known.uri),
        )

    def _cut_today(self, known: Known, recipe: str) -> str:
        """The cut fingerprint that a document would get.

        Whether its prose decided, and whether the embedding model could not read what the ruler allows, the one that it
        has tells.
        """
        rule = first(self.corpus.recipes, known.uri)
        if recipe not in base.names():
            return ""
        could_be = self._once(("cut", recipe, id(rule)), lambda: self._cuts_today(recipe, known.uri))
        now = (known.cut_fingerprint or "").partition(_ACCEPTED)[0]
        return now if now in could_be else could_be[0]

    def _accepted_as(self, document: Arrived) -> str:
        """The end of the cut fingerprint of a document that is not whole: what is said of it, or that it is refused."""
        if not (said := not_read(self.corpus, document)):
            return ""
        accepts = self.corpus.parsing.accept_partial
        return _ACCEPTED + (fingerprint("accepted", 1, {"said": said}) if accepts else "refused")

    def _cuts_today(self, recipe: str, uri: str) -> tuple[str, ...]:
        """Those that documents of a recipe may have, all under the rule of this address."""
        return tuple(
            self.cut_fingerprint(recipe, uri, of_prose=of_prose, by_model=by_model)
            for by_model in ((False, True) if self.by_model else (False,))
            for of_prose in (True, False)
        )

    @property
    def digest(self) -> str:
        """Of all that `expected` depends on, for whatever document: where it is the same, every answer is the same.

        But for documents in quarantine: whether another attempt may come to more depends on what is installed, too.
        """
        return self._once("digest", self._digest)

    def _digest(self) -> str:
        corpus = self.corpus
        return fingerprint(
            "recipes",
            1,
            {
                "parse": {media_type: self._parse_fingerprint(media_type) for media_type in PARSERS},
                "cut": self._cut_settings(),
                "attempt": self._attempt_settings(),
                "metadata": [PAYLOAD, corpus.source.base_url, *(rule.model_dump() for rule in corpus.metadata)],
                "permissions": [rule.model_dump() for rule in corpus.permissions],
            },
        )

    @property
    def used(self) -> set[str]:
        """The recipes that the configuration asks for, beside those that the router chooses in any case."""
        prose = self.corpus.cutting.prose
        return {rule.recipe for rule in self.corpus.recipes} | set(router.BY_PRONOUNS if prose == "auto" else (prose,))

    @property
    def embedder(self) -> Embedder:
        """What the recipes that look look through; asked for by those alone, and loaded when they first do look."""
        return embedder(self.corpus.looks_through)

    @property
    def _looked_through(self) -> str:
        """The fingerprint of that model; empty where no document is to be cut by a recipe that looks."""
        looks = any(isinstance(base.build(recipe), Looking) for recipe in self.used)
        return self.embedder.fingerprint if looks else ""

    def chunker(self, recipe: str, uri: str) -> Strategy:
        """The chunker of a recipe with the settings that hold for an address."""
        return base.build(recipe, fitting.settings(self.corpus, recipe, first(self.corpus.recipes, uri)))

    def cut_fingerprint(self, recipe: str, uri: str, *, of_prose: bool = True, by_model: bool = False) -> str:
        """What decides how a document is cut, given the recipe that it has.

        `of_prose`: what the corpus wants for long prose may have decided (see `Route`); then it is part of it.
        `by_model`: what the embedding model reads decided; then its ruler is part of it.
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
                **({"model": self._looked_through} if isinstance(chunker, Looking) else {}),
                **({"too long for": self.by_model.id} if by_model and self.by_model else {}),
            },
        )

    def attempt_fingerprint(self, media_type: str | None) -> str:
        """What decides whether a document that failed is worth another try: parser, limits and cutting."""
        return self._once(("attempt", media_type), lambda: self._attempt_fingerprint(media_type))

    def _attempt_fingerprint(self, media_type: str | None) -> str:
        return fingerprint(
            "attempt",
            2,
            {
                "parse": self._parse_fingerprint(media_type) if media_type else detect.VERSION,
                "ocr": tesseract.state() if media_type == PDF else "",
                "cut": self._cut_settings(),
                **self._attempt_settings(),
            },
        )

    def _attempt_settings(self) -> dict[str, Any]:
        limits, parsing = self.corpus.limits, self.corpus.parsing
        return {
            "detect": detect.VERSION,
            "limits": [limits.seconds, limits.memory_mb, limits.megabytes],
            "accepted": [parsing.accept_partial, parsing.fidelity, parsing.pdf_fidelity, parsing.ocr_seconds],
        }

    def _cut_settings(self) -> dict[str, Any]:
        """All that may decide how some document is cut."""
        chunkers: dict[str, Any] = {name: base.build(name) for name in base.names()}
        return {
            "version": assembly.VERSION,
            "router": router.VERSION,
            "chunkers": {name: [chunker.version, asdict(chunker)] for name, chunker in chunkers.items()},
            "cutting": self.corpus.cutting.model_dump(exclude=_MODELS),
            "recipes": [rule.model_dump() for rule in self.corpus.recipes],
            "ruler": self.ruler.id,
            "by_model": self.by_model.id if self.by_model else "",
            "model": self._looked_through,
        }

    def _parse_fingerprint(self, media_type: str) -> str:
        """Empty for a type that no parser reads any more."""
        settings = parse_settings(self.corpus)
        return self._once(
            ("parse", media_type),
            lambda: parsers.fingerprint(media_type, settings) if media_type in PARSERS else "",
        )
