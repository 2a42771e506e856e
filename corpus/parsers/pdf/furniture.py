"""Running headers, footers and page numbers: what a page repeats, and what only says where in the document it is.

A line is furniture when it stands at the top or the bottom of its page and, digits and roman numerals masked, stands
so on several pages; or when it begins or ends with the page's number and pages agree on how they are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.margins import margins_of, running
from corpus.parsers.pdf.pages import TOP, Page
from corpus.parsers.pdf.text import key

EDGE = 0.06  #: where a document of one or two pages has its header and footer


def without_furniture(
    blocks: Sequence[PdfBlock], pages: Sequence[Page], outline: Mapping[tuple[int, str], int]
) -> tuple[list[PdfBlock], list[str]]:
    """The blocks without running headers, footers and page numbers, and the texts that went.

    A heading that the outline knows stays.
    """
    heights = {page.number: page.height for page in pages}
    margins = margins_of(pages)
    body = _body_size(blocks)
    furniture = running(margins)
    with_body = {block.page for block in blocks if not _at_the_edge(block, heights[block.page], body)}
    kept: list[PdfBlock] = []
    gone: list[str] = []
    for block in blocks:
        known = (block.page, key(block.text)) in outline
        height = heights[block.page]
        if known or block.box is None or block.rows is not None:
            kept.append(block)
        elif len(pages) <= 2 and _at_the_edge(block, height, body) and block.page in with_body:
            gone.append(block.text)
        elif (left := _stripped(block, furniture[block.page], height, margins[block.page].floor)) is not None:
            kept.append(left)
            gone += _taken(block.text, left.text)
        else:
            gone.append(block.text)
    return (kept, gone) if any(block.text or block.rows for block in kept) else (list(blocks), [])


def _taken(whole: str, rest: str) -> Iterator[str]:
    """What was taken from both ends of a text."""
    if rest != whole:
        before, _, after = whole.partition(rest)
        yield from filter(None, (before.strip(), after.strip()))


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


def _stripped(
    block: PdfBlock, furniture: tuple[tuple[str, ...], tuple[str, ...]], height: float, floor: float
) -> PdfBlock | None:
    """`block` without the furniture that it consists of, begins or ends with; None if nothing else is left."""
    assert block.box is not None
    top = furniture[0] if block.box[1] < TOP * height else ()
    bottom = furniture[1] if block.box[3] > floor else ()
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
    if rest == block.text and not key(rest):
        return block  # signs alone are no running line, but may be code or a mark of the text
    if not key(rest):
        return None
    lies_in_band = (top and block.box[3] < TOP * height) or (bottom and block.box[1] > floor)
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
