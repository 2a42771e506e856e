"""Parent and Child: what a cut document consists of."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from chunkers.document import Kind


@dataclass(frozen=True, slots=True)
class Piece:
    """A child to be, as a chunker yields it: a span of the document's text and what cannot be read off the span."""

    start: int
    end: int
    kind: Kind
    section_path: tuple[str, ...] = ()
    repeated: str = ""  #: what the header repeats for this piece: a table's header row, a symbol's signature


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

    @property
    def embedded_text(self) -> str:
        """The header, a blank line, the text: exactly what is embedded (a model's own prefix comes before it)."""
        return embedded_text(self.header, self.text)


def embedded_text(header: str, text: str) -> str:
    """Join a header and a text for the model."""
    return f"{header}\n\n{text}" if header else text


@dataclass(frozen=True, slots=True)
class Cut:
    """A document's parents and children, in order."""

    parents: tuple[Parent, ...]
    children: tuple[Child, ...]
    warnings: tuple[str, ...] = ()
