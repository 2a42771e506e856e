"""Parent and Child: what a cut document consists of."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from chunkers.document import Kind

Place = tuple[int, int]  #: `[start, end)` in an embedded text, in code points


@dataclass(frozen=True, slots=True)
class Piece:
    """A child to be, as a chunker yields it: a span of the document's text and what cannot be read off the span."""

    start: int
    end: int
    kind: Kind
    section_path: tuple[str, ...] = ()
    repeated: str = ""  #: what the header repeats for this piece: a table's header row, a symbol's signature
    context: tuple[int, int] | None = None  #: the span around it that the model reads with it; none: it is read alone


@dataclass(frozen=True, slots=True)
class Part:
    """A parent to be: a span, and the pieces in it, in order. Every piece lies inside its part."""

    start: int
    end: int
    section_path: tuple[str, ...]
    pieces: tuple[Piece, ...]
    window: bool = False  #: around its one piece: it may overlap the windows beside it


@dataclass(frozen=True, slots=True)
class Parent:
    """What is read: the section around a hit, or a window where there are no sections."""

    id: UUID
    ordinal: int  #: place in the document, from 0
    start: int
    end: int
    section_path: tuple[str, ...]
    pages: tuple[int, ...]
    text: str
    tokens: int  #: of the text alone
    window: bool = False  #: around its one child: it may overlap the windows beside it


@dataclass(frozen=True, slots=True)
class Context:
    """What the model reads at once for several children, each of which gets the vector of its own place in it."""

    id: UUID
    start: int
    end: int
    header: str  #: as a child's
    text: str
    tokens: int  #: header and text as the model reads them, special ones included

    @property
    def embedded_text(self) -> str:
        """Exactly what the model reads, but for its own prefix."""
        return embedded_text(self.header, self.text)

    def place(self, start: int, end: int) -> Place:
        """Where `[start, end)` of the document lies in the embedded text."""
        moved = len(self.embedded_text) - len(self.text) - self.start
        return start + moved, end + moved


@dataclass(frozen=True, slots=True)
class Child:
    """What is found. `text` is stored; `embedded_text` is what the model gets."""

    id: UUID
    parent_id: UUID
    ordinal: int  #: place in the document, from 0
    start: int
    end: int
    section_path: tuple[str, ...]
    pages: tuple[int, ...]
    lines: tuple[int, int] | None  #: first and last line, where the text is the source
    kind: Kind
    header: str  #: heading path, and what is repeated; empty if there is none
    text: str
    tokens: int  #: header and text as the model reads them, special ones included
    context: Context | None = None  #: what the model reads for it instead, with other children

    @property
    def embedded_text(self) -> str:
        """Exactly what the model reads, but for its own prefix: header, blank line, text, or the context's."""
        return self.context.embedded_text if self.context else embedded_text(self.header, self.text)

    @property
    def place(self) -> Place | None:
        """Where in `embedded_text` it lies, if it has a context: the vector is that of this place."""
        return self.context.place(self.start, self.end) if self.context else None


def embedded_text(header: str, text: str) -> str:
    """Join a header and a text for the model."""
    return f"{header}\n\n{text}" if header else text


@dataclass(frozen=True, slots=True)
class Cut:
    """A document's parents and children, in order."""

    parents: tuple[Parent, ...]
    children: tuple[Child, ...]
    warnings: tuple[str, ...] = ()

    @property
    def contexts(self) -> tuple[Context, ...]:
        """What is read for several children at once, each once, in order."""
        return tuple({child.context.id: child.context for child in self.children if child.context}.values())

    @property
    def read(self) -> tuple[Child | Context, ...]:
        """What the model reads: the children that have no context, and the contexts of the others."""
        return (*(child for child in self.children if not child.context), *self.contexts)
