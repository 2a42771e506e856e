"""What filters and citations need of a document: its own word, and the configuration's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote

from chunkers.document import Document
from chunkers.identity import fingerprint
from corpus.config import Corpus, RecipeRule
from corpus.globs import first, matches

PUBLIC = "public"  #: the principal of a corpus without permission rules
PAYLOAD = 2  #: raised whenever the same rules give a document another payload

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Described:
    """What the configuration of a corpus says of its documents, whatever they hold."""

    corpus: Corpus
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  #: see `_once`

    def permissions(self, uri: str) -> list[str]:
        """The principals that may see a document, sorted: `public` without rules, nobody if no rule matches."""
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
            "missing": list(document.missing),
            "fidelity": document.fidelity,
            **({"recipe_because": because(rule)} if (rule := first(self.corpus.recipes, uri)) else {}),
        }

    def payload_hash(self, uri: str) -> str:
        """What the configuration adds to a document's payload, permissions apart."""
        matching = tuple(at for at, rule in enumerate(self.corpus.metadata) if matches(rule.glob, uri))
        rule = first(self.corpus.recipes, uri)
        settings = {"base_url": self.corpus.source.base_url, **({"rule": rule.glob} if rule else {})}
        return self._once(
            ("payload", matching, id(rule)), lambda: fingerprint("payload", PAYLOAD, self.metadata(uri) | settings)
        )

    def _once(self, key: Any, made: Callable[[], T]) -> T:
        """What `made` gives, asked once: 100,000 documents ask the same few questions."""
        if key not in self._known:
            self._known[key] = made()
        found: T = self._known[key]
        return found


def because(rule: RecipeRule) -> str:
    """Why a document has the recipe of a rule."""
    return f"corpora.yaml says so for {rule.glob}"
