"""Kerf as `kerf sync` cuts a document, with the ruler of the model in the box or one that counts characters."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib.metadata import version as _version
from pathlib import Path
from typing import Any, Literal

from bench.cutters.base import Cutter
from chunkers import assembly, base, router
from chunkers.base import Strategy
from chunkers.document import Document
from chunkers.identity import document_id
from chunkers.tokens import Cached, Characters, Ruler
from corpus.config import MODEL_IN_THE_BOX, Corpus, FilesystemSource
from corpus.parsers import parse
from corpus.recipes import parse_settings
from corpus.rulers import ruler

_SETTINGS = parse_settings(Corpus(name="bench", source=FilesystemSource(path=Path())))

Part = Literal["sync", "pieces", "parsed too"]


def version() -> str:
    """Which Kerf this is."""
    return _version("kerf")


def parsed(name: str, text: str) -> Document:
    """A text as the parser that its name asks for reads it."""
    return parse(text.encode(), uri=name, settings=_SETTINGS)


def cutter(
    way: str, size: int, tokenizer: str | None, part: Part = "sync", *, headers: bool = False, share: int = 1
) -> Cutter:
    """A recipe by its name, or `routed`: the one that the router chooses for each document.

    `part` is what `cut` does: from the parsed document to parents and children with their ids, headers and token
    counts, every promise checked (`sync`); the chunker alone (`pieces`); or `sync` with the parser before it. With
    `headers` the chunks are what is embedded (a context once for all of its children), and the children's own texts
    otherwise. `share`: children of one part in so many of `size`.
    """
    return _Kerf(way, size // share, ruler(MODEL_IN_THE_BOX) if tokenizer else Characters(), part, headers)


@dataclass(frozen=True, slots=True)
class _Kerf:
    recipe: str
    size: int
    ruler: Ruler
    part: Part
    headers: bool

    def prepare(self, name: str, text: str) -> Any:
        """The parsed document with its name, or the text itself where parsing is part of what is timed."""
        return name, text if self.part == "parsed too" else parsed(name, text)

    def cut(self, prepared: tuple[str, Any]) -> list[str]:
        """The texts of the children."""
        name, given = prepared
        document: Document = parsed(name, given) if isinstance(given, str) else given
        chunker = self._chunker(document, name)
        if self.part == "pieces":
            text = document.text
            parts = base.parts_of(chunker, document, Cached(self.ruler), None)
            return [text[piece.start : piece.end] for part in parts for piece in part.pieces]
        made = assembly.cut(document_id("bench", name), document, chunker, self.ruler)
        return [each.embedded_text for each in made.read] if self.headers else [child.text for child in made.children]

    def _chunker(self, document: Document, name: str) -> Strategy:
        recipe = router.route(document, uri=name).recipe if self.recipe == "routed" else self.recipe
        known = {field.name for field in dataclasses.fields(type(base.build(recipe)))}  # type: ignore[arg-type]
        unit = "characters" if isinstance(self.ruler, Characters) else "tokens"
        settings = {"size": self.size, "overlap": 0, "unit": unit}
        return base.build(recipe, {key: value for key, value in settings.items() if key in known})
