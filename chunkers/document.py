"""Document and Block: the one form that every parser yields and every chunker reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any


class Kind(StrEnum):
    """What a block is."""

    METADATA = "metadata"  #: front matter and the like: never cut, never embedded, exempt from coverage
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    CAPTION = "caption"
    FORMULA = "formula"
    FOOTNOTE = "footnote"
    QUESTION = "question"
    ANSWER = "answer"
    SYMBOL = "symbol"  #: source code: a function, a method, a class's head, a statement of SQL


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a symbol block defines."""

    name: str  #: qualified: `Store.publish`
    kind: str  #: function, method, class, interface, type, table, ...
    signature: str  #: the source's own line(s) up to the body, white space folded


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf of the document: the span `[start, end)` of its text, in code points."""

    kind: Kind
    start: int
    end: int
    level: int | None = None  #: headings: 1 is the highest; list items: depth, 1 is the outermost
    page: int | None = None  #: page or slide, from 1
    box: tuple[float, float, float, float] | None = None  #: on the page: left, top, right, bottom, in points
    section_path: tuple[str, ...] = ()  #: headings (code: symbols) above the block, a heading's own text included
    rows: tuple[tuple[str, ...], ...] | None = None  #: tables: cell texts, a merged cell in its first place
    symbol: Symbol | None = None  #: symbol blocks only

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a block needs 0 <= start < end, not [{self.start}, {self.end})")


@dataclass(frozen=True, slots=True)
class Document:
    """The parsed form of one document. It does not know where the document lies, so that equal bytes parse once."""

    text: str  #: canonical: newlines are `\n`, no NUL, no lone surrogate
    blocks: tuple[Block, ...]  #: in order, not overlapping
    media_type: str
    text_is_source: bool  #: the text is the file itself, so a span is a place in the file and lines are known
    language: str | None = None  #: ISO 639-1
    language_guessed: bool = False  #: from the text; the document itself does not say
    title: str | None = None
    source_url: str | None = None
    date: str | None = None  #: ISO 8601
    author: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    page_labels: tuple[str, ...] = ()  #: what each page calls itself (`iv`, `12`), from page 1 on; empty: unknown
    encoding: str | None = None  #: of the bytes, as Python names it
    replaced: int = 0  #: characters removed or replaced because no database and no UTF-8 can hold them
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  #: what the parser knows that it did not get: pages, tables, text; a phrase for each
    fidelity: float | None = None  #: share of the source's own words that arrived, 0 to 1

    def __post_init__(self) -> None:
        previous = 0
        for block in self.blocks:
            if block.start < previous or block.end > len(self.text):
                raise ValueError(f"block [{block.start}, {block.end}) overlaps its neighbour or leaves the text")
            previous = block.end

    @property
    def body(self) -> tuple[Block, ...]:
        """The blocks that are cut and embedded: all but metadata."""
        return tuple(block for block in self.blocks if block.kind is not Kind.METADATA)

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry; `from_dict` is its inverse."""
        return {
            "media_type": self.media_type,
            "language": self.language,
            "language_guessed": self.language_guessed,
            "title": self.title,
            "source_url": self.source_url,
            "date": self.date,
            "author": self.author,
            "description": self.description,
            "tags": list(self.tags),
            "page_labels": list(self.page_labels),
            "encoding": self.encoding,
            "replaced": self.replaced,
            "text_is_source": self.text_is_source,
            "warnings": list(self.warnings),
            "missing": list(self.missing),
            "fidelity": self.fidelity,
            "text": self.text,
            "blocks": [_block_to_dict(block) for block in self.blocks],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Document:
        """Rebuild what `to_dict` wrote."""
        return cls(
            **{
                **data,
                **{name: tuple(data.get(name, ())) for name in ("tags", "warnings", "missing", "page_labels")},
                "blocks": tuple(_block_from_dict(block) for block in data["blocks"]),
            }
        )


def _block_to_dict(block: Block) -> dict[str, Any]:
    symbol = block.symbol
    return {
        "kind": block.kind.value,
        "start": block.start,
        "end": block.end,
        "level": block.level,
        "page": block.page,
        "box": list(block.box) if block.box else None,
        "section_path": list(block.section_path),
        "rows": [list(row) for row in block.rows] if block.rows is not None else None,
        "symbol": {"name": symbol.name, "kind": symbol.kind, "signature": symbol.signature} if symbol else None,
    }


def _block_from_dict(data: dict[str, Any]) -> Block:
    box, rows, symbol = data["box"], data["rows"], data["symbol"]
    return Block(
        kind=Kind(data["kind"]),
        start=data["start"],
        end=data["end"],
        level=data["level"],
        page=data["page"],
        box=(box[0], box[1], box[2], box[3]) if box else None,
        section_path=tuple(data["section_path"]),
        rows=tuple(tuple(row) for row in rows) if rows is not None else None,
        symbol=Symbol(**symbol) if symbol else None,
    )


def with_section_paths(text: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Give each block the headings above it.

    A heading closes every open heading of its own or a deeper level. A heading's text is its span without the
    marks of Markdown (`#`, the underline of a setext heading) and with white space folded.
    """
    path: list[tuple[int, str]] = []
    placed = []
    for block in blocks:
        if block.kind is Kind.HEADING:
            level = block.level or 1
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, heading_text(text[block.start : block.end])))
        placed.append(replace(block, section_path=tuple(title for _, title in path)))
    return tuple(placed)


def heading_text(source: str) -> str:
    """The words of a heading as Markdown or a parser wrote it: `## The  Way ##` gives `The Way`."""
    lines = source.strip().split("\n")
    if len(lines) > 1 and set(lines[-1].strip()) in ({"="}, {"-"}):
        lines = lines[:-1]
    joined = " ".join(" ".join(lines).split())
    stripped = joined.lstrip("#")
    marks = len(joined) - len(stripped)
    if 1 <= marks <= 6 and stripped[:1] in ("", " "):
        body = stripped.strip()
        closing = body.rstrip("#")
        joined = closing.rstrip() if closing != body and (not closing or closing.endswith(" ")) else body
    return joined


class Lines:
    """Line numbers, from 1, of places in a text."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """First and last line of `[start, end)`."""
        return bisect_right(self._starts, start), bisect_right(self._starts, max(start, end - 1))


def uncovered(document: Document, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches with a non-blank character that lie in no span and in no metadata block."""
    metadata = ((block.start, block.end) for block in document.blocks if block.kind is Kind.METADATA)
    reached = 0
    for start, end in sorted([*spans, *metadata]):
        if start > reached and document.text[reached:start].strip():
            yield reached, start
        reached = max(reached, end)
    if document.text[reached:].strip():
        yield reached, len(document.text)


def pages_of(blocks: Sequence[Block], start: int, end: int) -> tuple[int, ...]:
    """The pages, in order, of the blocks that `[start, end)` touches."""
    return tuple(sorted({b.page for b in blocks if b.page is not None and b.start < end and b.end > start}))
