"""Running headers, footers and page numbers: what a page repeats, and what only says where in the document it is.

A line is furniture when it stands at the top or the bottom of its page and, digits and roman numerals masked, stands
so on several pages; or when it begins or ends with the page's number and pages agree on how they are numbered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chunkers.document import Kind
from corpus.parsers.pdf_blocks import PdfBlock
from corpus.parsers.pdf_source import Item, Page
from corpus.parsers.pdf_tables import lines_of, parts_of
from corpus.parsers.pdf_text import key

TOP, BOTTOM = 0.11, 0.12  #: shares of the page's height
EDGE = 0.06  #: where a document of one or two pages has its header and footer
LONGEST = 200  #: characters of a running line

_NUMERALS = re.compile(r"\b(?:[ivxlcdm]+|\d+)\b", re.IGNORECASE)
_ONLY_A_NUMBER = re.compile(
    r"(?i)^[\W_]*(?:(?:page|p\.|seite|стр\.|página|第)\s*)?(?:[ivxlcdm]{1,7}|[a-z]?-?\d{1,5})"
    r"(?:\s*(?:of|/|von|из|de|页|頁)\s*\d*)?[\W_]*$"
)
_SECTION_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3}){1,6}$")
_NUMBER_AT_START = re.compile(r"^[\W_]*(\d{1,5})(?:[\s|·•—–\]]|$)")
_NUMBER_AT_END = re.compile(r"(?:^|[\s|·•—–\[])(\d{1,5})[\W_]*$")


def without_furniture(
    blocks: Sequence[PdfBlock], pages: Sequence[Page], outline: Mapping[tuple[int, str], int]
) -> list[PdfBlock]:
    """The blocks without running headers, footers and page numbers; a heading that the outline knows stays."""
    heights = {page.number: page.height for page in pages}
    edges = {page.number: _edges(page) for page in pages}
    repeated = _repeated(edges)
    numbering = _numbering(edges)
    body = _body_size(blocks)
    furniture = {number: _furniture(edge, number, repeated, numbering) for number, edge in edges.items()}
    with_body = {block.page for block in blocks if not _at_the_edge(block, heights[block.page], body)}
    kept = []
    for block in blocks:
        known = (block.page, key(block.text)) in outline
        height = heights[block.page]
        if known or block.box is None or block.rows is not None:
            kept.append(block)
        elif len(pages) <= 2 and _at_the_edge(block, height, body) and block.page in with_body:
            continue
        elif (left := _stripped(block, furniture[block.page], height)) is not None:
            kept.append(left)
    return kept if any(block.text or block.rows for block in kept) else list(blocks)


@dataclass(frozen=True, slots=True)
class _Edges:
    """Short lines, whole and in parts, in the top and in the bottom band of a page; the outermost ones again."""

    top: tuple[str, ...]
    bottom: tuple[str, ...]
    first: tuple[str, ...]
    last: tuple[str, ...]


def _edges(page: Page) -> _Edges:
    lines = lines_of(item for item in page.items if item.angle == 0)
    top = [line for line in lines if max(item.bottom for item in line) < TOP * page.height]
    bottom = [line for line in lines if min(item.top for item in line) > (1 - BOTTOM) * page.height]
    return _Edges(_texts(top), _texts(bottom), _texts(top[:1]), _texts(bottom[-1:]))


def _texts(lines: Sequence[Sequence[Item]]) -> tuple[str, ...]:
    texts = (text for line in lines for text in (_text(line), *map(_text, parts_of(line))))
    return tuple(dict.fromkeys(text for text in texts if len(text) < LONGEST))


def _furniture(
    edge: _Edges, number: int, repeated: set[str], numbering: set[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the running lines at the top and at the bottom of page `number`, the longest first."""

    def running(texts: Sequence[str], outermost: Sequence[str]) -> tuple[str, ...]:
        found = {
            key(text)
            for text in texts
            if _mask(text) in repeated
            or _ONLY_A_NUMBER.match(text)
            or _SECTION_NUMBER.match(text)
            or (text in outermost and any(seen - number in numbering for seen in _numbers(text)))
        }
        return tuple(sorted(found, key=len, reverse=True))

    return running(edge.top, edge.first), running(edge.bottom, edge.last)


def _text(line: Sequence[Item]) -> str:
    return " ".join(" ".join(item.text for item in line).split())


def _mask(text: str) -> str:
    return re.sub(r"0[\W_0]*", "0", re.sub(r"[\W_]+", " ", _NUMERALS.sub("0", text.lower()))).replace(" ", "")


def _repeated(edges: Mapping[int, _Edges]) -> set[str]:
    """Masks of lines that stand at the same end of several pages; numbers alone have rules of their own."""
    seen: Counter[str] = Counter()
    for edge in edges.values():
        seen.update({_mask(text) for text in edge.top + edge.bottom})
    enough = max(2, min(3, len(edges) // 5))
    return {mask for mask, count in seen.items() if count >= enough and mask.strip("0")}


def _numbers(text: str) -> set[int]:
    found = {_NUMBER_AT_START.match(text), _NUMBER_AT_END.search(text)}
    return {int(match[1]) for match in found if match}


def _numbering(edges: Mapping[int, _Edges]) -> set[int]:
    """Differences between printed and counted page numbers that at least three pages, and a fifth of them, share."""
    offsets: Counter[int] = Counter()
    for number, edge in edges.items():
        offsets.update({found - number for text in edge.first + edge.last for found in _numbers(text)})
    return {offset for offset, count in offsets.items() if count >= max(3, len(edges) // 5)}


def _body_size(blocks: Sequence[PdfBlock]) -> float:
    letters: Counter[float] = Counter()
    for block in blocks:
        letters[round(block.size, 1)] += len(block.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def _at_the_edge(block: PdfBlock, height: float, body: float) -> bool:
    """A short line at the very edge of a page, no larger than the body text and no sentence."""
    if block.box is None:
        return False
    outside = block.box[3] < EDGE * height or block.box[1] > (1 - EDGE) * height
    return outside and len(block.text) < 100 and block.size < 1.05 * body and block.kind is not Kind.HEADING


def _stripped(block: PdfBlock, furniture: tuple[tuple[str, ...], tuple[str, ...]], height: float) -> PdfBlock | None:
    """`block` without the furniture that it consists of, begins or ends with; None if nothing else is left."""
    assert block.box is not None
    top = furniture[0] if block.box[1] < TOP * height else ()
    bottom = furniture[1] if block.box[3] > (1 - BOTTOM) * height else ()
    words = block.text.split(" ")
    changed = bool(top or bottom)
    while changed and words:
        changed = False
        for line in top:
            if count := _words_of(words, line):
                words, changed = words[count:], True
        for line in bottom:
            if count := _words_of(words[::-1], line, backwards=True):
                words, changed = words[: len(words) - count], True
    rest, whole = " ".join(words), key(block.text)
    if not key(rest):
        return None
    lies_in_band = (top and block.box[3] < TOP * height) or (bottom and block.box[1] > (1 - BOTTOM) * height)
    if lies_in_band:
        for line in (*top, *bottom):
            whole = "" if whole in line else whole.replace(line, "")
        if not whole.strip("0123456789"):
            return None
    return block if rest == block.text else replace(block, text=rest)


def _words_of(words: Sequence[str], line: str, *, backwards: bool = False) -> int:
    """How many of the first words make up `line`; 0 if they do not."""
    taken = ""
    for count, word in enumerate(words, 1):
        taken = key(word) + taken if backwards else taken + key(word)
        if taken == line:
            return count
        if len(taken) >= len(line):
            return 0
    return 0
