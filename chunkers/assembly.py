"""From a chunker's parts to parents and children: ids, headers, pages, lines, tokens, and every promise checked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from uuid import UUID

from chunkers.base import Strategy, parts_of
from chunkers.chunk import Child, Context, Cut, Parent, Part, Piece, embedded_text
from chunkers.contexts import inside, titled
from chunkers.document import Block, Document, Kind, Lines, uncovered
from chunkers.embedder import Embedder
from chunkers.errors import ConfigError, CutError
from chunkers.headers import header
from chunkers.identity import child_id, context_id, ordinals, parent_id
from chunkers.splitting import halves
from chunkers.tokens import Cached, Ruler

VERSION = 1  #: raised whenever the same parts give other parents or children

LONG = 20_000  #: characters; one child from a document of this length is worth a warning
MANY = 1_000  #: children; so many of fewer than `TINY` characters on average are worth one
TINY = 40

_BLANK_LINES = re.compile(r"\s*\n")


def cut(
    document_id: UUID,
    document: Document,
    chunker: Strategy,
    ruler: Ruler,
    *,
    headers: bool = True,
    embedder: Embedder | None = None,
) -> Cut:
    """Run `chunker` over `document` and make its parents and children.

    With `headers` off, children have none; the pieces are the same, so that the two can be compared. `embedder` is
    what a strategy looks through that looks. Raises `CutError` if the cut breaks a promise, and whatever the chunker
    raises (`ConfigError` for a size that the ruler's model cannot read, or an embedder that is needed and missing).
    """
    ruler = Cached(ruler)
    parts = list(_trimmed(document, parts_of(chunker, document, ruler, embedder)))
    parts, written = _fitted(document, parts, ruler)
    pages = _Pages(document.blocks)
    lines = Lines(document.text) if document.text_is_source else None
    parents = _parents(document_id, document, parts, ruler, pages)
    children = _children(document_id, document, parts, parents, written, ruler, pages, lines, headers=headers)
    check(document, parents, children, ruler)
    return Cut(parents, children, tuple(_warnings(document, children)))


def check(document: Document, parents: Sequence[Parent], children: Sequence[Child], ruler: Ruler) -> None:
    """Raise `CutError`, with the place, if parents and children break a promise that every cut makes."""
    text = document.text
    for before, after in pairwise(parents):
        if after.start < before.end and not (before.window and after.window):
            raise _broken(
                document, after.start, after.end, f"a parent overlaps the one before it, which ends at {before.end}"
            )
    places = {parent.id: (parent.start, parent.end) for parent in parents}
    if len(places) != len(parents) or len({child.id for child in children}) != len(children):
        raise CutError("two parents or two children have the same id", stage="cut")
    for child in children:
        start, end = places[child.parent_id]
        if not start <= child.start < child.end <= end:
            raise _broken(document, child.start, child.end, f"a child leaves its parent [{start}, {end})")
        if text[child.start : child.end] != child.text:
            raise _broken(document, child.start, child.end, "a child's text is not the document's at its place")
        if child.tokens > ruler.cap:
            raise _broken(
                document, child.start, child.end, f"a child has {child.tokens} tokens, the model reads {ruler.cap}"
            )
        if (context := child.context) and not (context.start <= child.start < child.end <= context.end):
            raise _broken(
                document, child.start, child.end, f"a child leaves its context [{context.start}, {context.end})"
            )
        if context and context.tokens > ruler.cap:
            raise _broken(
                document,
                context.start,
                context.end,
                f"a context has {context.tokens} tokens, the model reads {ruler.cap}",
            )
    for start, end in uncovered(document, ((child.start, child.end) for child in children)):
        raise _broken(document, *trim(text, start, end), "text lies in no child")


def _broken(document: Document, start: int, end: int, what: str) -> CutError:
    line = document.text.count("\n", 0, start) + 1
    return CutError(
        f"{what}: [{start}, {end}), line {line}, {document.text[start : min(end, start + 60)]!r}",
        hint="a bug in the chunker: please report it with the document",
        stage="cut",
    )


def _trimmed(document: Document, parts: Iterator[Part]) -> Iterator[Part]:
    """Shrink spans to their text, and drop what is blank."""
    for part in parts:
        pieces = [
            trimmed for piece in part.pieces for trimmed in _trimmed_piece(document, piece, piece.start, piece.end)
        ]
        if pieces:
            start, end = trim(document.text, part.start, part.end)
            yield Part(min(start, pieces[0].start), end, part.section_path, tuple(pieces), part.window)


def _trimmed_piece(document: Document, piece: Piece, start: int, end: int) -> Iterator[Piece]:
    """The piece with the span that `[start, end)` shrinks to, or nothing."""
    start, end = trim(document.text, start, end, indented=piece.kind in (Kind.CODE, Kind.SYMBOL))
    if start < end:
        yield Piece(start, end, piece.kind, piece.section_path, piece.repeated, piece.context)


def trim(text: str, start: int, end: int, *, indented: bool = False) -> tuple[int, int]:
    """The span without white space around it; `indented` keeps that before the first line's text."""
    while end > start and text[end - 1].isspace():
        end -= 1
    if indented:
        blank = _BLANK_LINES.match(text, start, end)
        return (blank.end() if blank else start), end
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _fitted(document: Document, parts: Sequence[Part], ruler: Ruler) -> tuple[list[Part], list[tuple[str, int]]]:
    """Cut further what is still too long for the model when counted with its header, until nothing is.

    Beside the parts, the header of each piece, and the tokens of both together.
    With its header even where none will be written: whether there are headers changes no cut.
    """
    flat = [(at, piece) for at, part in enumerate(parts) for piece in part.pieces]
    done: list[list[tuple[Piece, tuple[str, int]]]] = [[] for _ in parts]
    while flat:
        above = [header(document, piece, ruler) for _, piece in flat]
        lengths = ruler.count(
            [
                embedded_text(written, document.text[piece.start : piece.end])
                for (_, piece), written in zip(flat, above, strict=True)
            ]
        )
        longer = []
        for (at, piece), written, length in zip(flat, above, lengths, strict=True):
            if length + ruler.overhead <= ruler.cap:
                done[at].append((piece, (written, length)))
                continue
            if piece.end - piece.start == 1:
                raise ConfigError(
                    f"one character is more than a model reads that reads {ruler.cap} tokens",
                    hint="choose a model that reads more",
                    stage="cut",
                )
            cut_in_two = halves(document.text, piece.start, piece.end, document.language)
            longer += [(at, half) for span in cut_in_two for half in _trimmed_piece(document, piece, *span)]
        flat = longer
    for pieces in done:
        pieces.sort(key=lambda found: (found[0].start, found[0].end))
    fitted = [
        Part(part.start, part.end, part.section_path, tuple(piece for piece, _ in pieces), part.window)
        for part, pieces in zip(parts, done, strict=True)
    ]
    return fitted, [known for pieces in done for _, known in pieces]


def _parents(
    document_id: UUID, document: Document, parts: Sequence[Part], ruler: Ruler, pages: _Pages
) -> tuple[Parent, ...]:
    texts = [document.text[part.start : part.end] for part in parts]
    numbers = ordinals(part.section_path for part in parts)
    return tuple(
        Parent(
            id=parent_id(document_id, part.section_path, number),
            ordinal=ordinal,
            start=part.start,
            end=part.end,
            section_path=part.section_path,
            pages=pages.of(part.start, part.end),
            text=text,
            tokens=tokens,
            window=part.window,
        )
        for ordinal, (part, text, number, tokens) in enumerate(
            zip(parts, texts, numbers, ruler.count(texts), strict=True)
        )
    )


def _children(
    document_id: UUID,
    document: Document,
    parts: Sequence[Part],
    parents: Sequence[Parent],
    known: Sequence[tuple[str, int]],
    ruler: Ruler,
    pages: _Pages,
    lines: Lines | None,
    *,
    headers: bool,
) -> tuple[Child, ...]:
    placed = [(parent, piece) for parent, part in zip(parents, parts, strict=True) for piece in part.pieces]
    texts = [document.text[piece.start : piece.end] for _, piece in placed]
    if not headers:
        known = [("", length) for length in ruler.count(texts)]
    numbers = ordinals((piece.section_path, text) for (_, piece), text in zip(placed, texts, strict=True))
    contexts = _contexts(document_id, document, parts, ruler, headers=headers)
    return tuple(
        Child(
            id=child_id(document_id, piece.section_path, text, number),
            parent_id=parent.id,
            ordinal=ordinal,
            start=piece.start,
            end=piece.end,
            section_path=piece.section_path,
            pages=pages.of(piece.start, piece.end),
            lines=lines.span(piece.start, piece.end) if lines else None,
            kind=piece.kind,
            header=above,
            text=text,
            tokens=length + ruler.overhead,
            context=contexts.get(piece.context) if piece.context else None,
        )
        for ordinal, ((parent, piece), text, (above, length), number) in enumerate(
            zip(placed, texts, known, numbers, strict=True)
        )
    )


def _contexts(
    document_id: UUID, document: Document, parts: Sequence[Part], ruler: Ruler, *, headers: bool
) -> dict[tuple[int, int], Context]:
    """The contexts by their spans, but for those that are too long after all: their children are read alone."""
    spans = list(dict.fromkeys(piece.context for part in parts for piece in part.pieces if piece.context))
    pieces = [piece for part in parts for piece in part.pieces] if spans else []
    written = [header(document, titled(inside(pieces, span)), ruler) if headers else "" for span in spans]
    places = [trim(document.text, *span, indented=True) for span in spans]
    texts = [document.text[start:end] for start, end in places]
    read = [embedded_text(above, text) for above, text in zip(written, texts, strict=True)]
    lengths = [tokens + ruler.overhead for tokens in ruler.count(read)]
    return {
        span: Context(context_id(document_id, whole), place[0], place[1], above, text, tokens)
        for span, place, above, text, whole, tokens in zip(spans, places, written, texts, read, lengths, strict=True)
        if tokens <= ruler.cap
    }


class _Pages:
    """The pages of spans, each found without a look at the whole document."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = [block for block in blocks if block.page is not None]
        self._ends = [block.end for block in self._blocks]

    def of(self, start: int, end: int) -> tuple[int, ...]:
        """As `chunkers.document.pages_of`."""
        if not self._blocks:
            return ()
        found = set()
        at = bisect_right(self._ends, start)
        while at < len(self._blocks) and (block := self._blocks[at]).start < end:
            if block.page is not None:
                found.add(block.page)
            at += 1
        return tuple(sorted(found))


def _warnings(document: Document, children: Sequence[Child]) -> Iterator[str]:
    length = len(document.text)
    if len(children) == 1 and length >= LONG:
        yield f"one child from a document of {length} characters"
    if len(children) >= MANY and length < TINY * len(children):
        yield f"{len(children)} children from a document of {length} characters"
