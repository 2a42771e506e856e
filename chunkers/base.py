"""What a chunker is, and the registry of them.

A chunker is a frozen dataclass of its settings with one method, `cut`; one that must look at the text with a model
has `cut_through` instead, which is handed the model. It yields the document's parts (parents to be), each with its
pieces (children to be); `chunkers.assembly` gives them ids, headers and lines and checks the promises that every cut
keeps:

- a piece lies inside its part, parts do not overlap (but for windows around one piece), and every non-blank character
  outside metadata is in a piece;
- a piece with its header is never longer than the ruler's cap;
- the same document (seen through the same model) gives the same parts, in linear time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from chunkers.chunk import Part
from chunkers.document import Document
from chunkers.embedder import Embedder
from chunkers.errors import ConfigError
from chunkers.tokens import Ruler


class Chunker(Protocol):
    """A strategy with its settings. Settings are dataclass fields: they, with `version`, make the cut fingerprint."""

    version: ClassVar[int]  #: raised whenever the same settings give another cut

    def cut(self, document: Document, ruler: Ruler) -> Iterator[Part]:
        """Yield the parts in order."""


@runtime_checkable
class Looking(Protocol):
    """A strategy that sees the text through a model: the model's fingerprint belongs to the cut fingerprint too."""

    version: ClassVar[int]  #: as that of a `Chunker`

    def cut_through(self, document: Document, ruler: Ruler, embedder: Embedder) -> Iterator[Part]:
        """Yield the parts in order."""


Strategy = Chunker | Looking


def parts_of(chunker: Strategy, document: Document, ruler: Ruler, embedder: Embedder | None) -> Iterator[Part]:
    """Run a strategy of either kind; raises `ConfigError` if it looks and there is nothing to look through."""
    if not isinstance(chunker, Looking):
        return chunker.cut(document, ruler)
    if embedder is None:
        raise ConfigError(
            f"{type(chunker).__name__} looks at the text through a model, and none was given",
            hint="hand an embedder to chunkers.assembly.cut",
        )
    return chunker.cut_through(document, ruler, embedder)


_chunkers: dict[str, type[Any]] = {}

C = TypeVar("C", bound=type[Any])


def register(name: str) -> Callable[[C], C]:
    """Class decorator: make a chunker known under `name`."""

    def add(chunker: C) -> C:
        if name in _chunkers:
            raise ValueError(f"two chunkers are called {name!r}")
        _chunkers[name] = chunker
        return chunker

    return add


def names() -> tuple[str, ...]:
    """The names of all chunkers, sorted."""
    _load()
    return tuple(sorted(_chunkers))


def build(name: str, settings: Mapping[str, Any] | None = None) -> Strategy:
    """Make the chunker `name` with `settings`.

    Raises `ConfigError` for a name or a setting that does not exist, and for a value that the chunker refuses.
    """
    _load()
    if name not in _chunkers:
        raise ConfigError(f"no recipe is called {name!r}", hint=f"there are {', '.join(sorted(_chunkers))}")
    chunker = _chunkers[name]
    known = {field.name for field in dataclasses.fields(chunker)}
    if unknown := sorted(set(settings or {}) - known):
        raise ConfigError(
            f"recipe {name} has no setting {', '.join(unknown)}", hint=f"it has {', '.join(sorted(known))}"
        )
    made: Strategy = chunker(**(settings or {}))
    return made


def _load() -> None:
    """Import the strategies, so that they register themselves."""
    from chunkers import (  # noqa: F401
        cluster,
        code,
        fixed,
        late,
        layout,
        qa,
        recursive,
        semantic,
        sentence_window,
        structure,
    )
