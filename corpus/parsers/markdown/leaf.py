"""A leaf: lines of a Markdown source that are one thing."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkers.document import Kind


@dataclass(slots=True)
class Leaf:
    """Lines `[first, last)` of the source, counted from 0."""

    kind: Kind
    first: int
    last: int
    level: int | None = None
    content: str = ""  #: headings: the inline source
    rows: list[list[str]] | None = None  #: tables: the inline source of each cell
    element: str = ""  #: raw HTML that may go on after its blank lines: `table`, `pre`
    tags: bool = False  #: raw HTML without a word
    item: int | None = None  #: list items: which one, so that its paragraphs stay together


@dataclass(slots=True)
class Leaves:
    """The leaves in order, and the lines that are marks and belong to what comes next or came before."""

    leaves: list[Leaf] = field(default_factory=list)
    opening: set[int] = field(default_factory=set)
    closing: set[int] = field(default_factory=set)
