"""Running headers, footers and page numbers: what a page repeats, and what only says where in the document it is.

A line is furniture when it stands at the top or the bottom of its page and, digits and roman numerals masked, stands
so on several pages; or when it begins or ends with the page's number and pages agree on how they are numbered.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from chunkers.document import Kind
from corpus.parsers.pdf_blocks import PdfBlock
from corpus.parsers.pdf_source import Item, Page
from corpus.parsers.pdf_tables import lines_of
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
    candidates = {page.number: _edge_lines(page) for page in pages}
    repeated = _repeated(candidates)
    numbering = _numbering(candidates)
    body = _body_size(blocks)
    furniture: dict[int, list[str]] = defaultdict(list)
    for number, lines in candidates.items():
        for text in lines:
            if (
                _mask(text) in repeated
                or _ONLY_A_NUMBER.match(text)
                or (_SECTION_NUMBER.match(text) and len(pages) > 2)
                or any(found - number in numbering for found in _numbers(text))
            ):
                furniture[number].append(key(text))
    kept = []
    for block in blocks:
        known = (block.page, key(block.text)) in outline
        height = heights[block.page]
        if known or block.box is None or block.rows is not None:
            kept.append(block)
        elif len(pages) <= 2 and _at_the_edge(block, height, body):
            continue
        elif (left := _stripped(block, furniture[block.page], height)) is not None:
            kept.append(left)
    return kept


def _edge_lines(page: Page) -> list[str]:
    upright = [item for item in page.items if item.angle == 0]
    lines = []
    for line in lines_of(upright):
        top, bottom = min(item.top for item in line), max(item.bottom for item in line)
        if bottom < TOP * page.height or top > (1 - BOTTOM) * page.height:
            lines += [text for text in dict.fromkeys([_text(line), *map(_text, _parts(line))]) if len(text) < LONGEST]
    return lines


def _text(line: Sequence[Item]) -> str:
    return " ".join(" ".join(item.text for item in line).split())


def _parts(line: Sequence[Item]) -> list[list[Item]]:
    """What stands left, in the middle and right on a line."""
    parts = [[line[0]]]
    for left, item in pairwise(line):
        if item.left - left.right > 2 * item.height:
            parts.append([])
        parts[-1].append(item)
    return parts


def _mask(text: str) -> str:
    return re.sub(r"0[\W_0]*", "0", re.sub(r"[\W_]+", " ", _NUMERALS.sub("0", text.lower()))).replace(" ", "")


def _repeated(candidates: Mapping[int, Sequence[str]]) -> set[str]:
    seen: Counter[str] = Counter()
    for lines in candidates.values():
        seen.update({_mask(text) for text in lines})
    enough = max(2, min(3, len(candidates) // 5))
    return {mask for mask, count in seen.items() if count >= enough and mask and mask != "0"}


def _numbers(text: str) -> set[int]:
    found = {_NUMBER_AT_START.match(text), _NUMBER_AT_END.search(text)}
    return {int(match[1]) for match in found if match}


def _numbering(candidates: Mapping[int, Sequence[str]]) -> set[int]:
    """Differences between printed and counted page numbers that at least three pages, and a fifth of them, share."""
    offsets: Counter[int] = Counter()
    for number, lines in candidates.items():
        offsets.update({found - number for text in lines for found in _numbers(text)})
    return {offset for offset, count in offsets.items() if count >= max(3, len(candidates) // 5)}


def _body_size(blocks: Sequence[PdfBlock]) -> float:
    letters: Counter[float] = Counter()
    for block in blocks:
        letters[round(block.size, 1)] += len(block.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def _at_the_edge(block: PdfBlock, height: float, body: float) -> bool:
    """A short line at the very edge of a page, no larger than the body text and no sentence."""
    assert block.box is not None
    outside = block.box[3] < EDGE * height or block.box[1] > (1 - EDGE) * height
    return outside and len(block.text) < 100 and block.size < 1.05 * body and block.kind is not Kind.HEADING


def _stripped(block: PdfBlock, furniture: Sequence[str], height: float) -> PdfBlock | None:
    """`block` without the furniture that it consists of, begins or ends with; None if nothing else is left."""
    assert block.box is not None
    at_top, at_bottom = block.box[1] < TOP * height, block.box[3] > (1 - BOTTOM) * height
    if not furniture or not (at_top or at_bottom):
        return block
    words = block.text.split(" ")
    changed = True
    while changed and words:
        changed = False
        for line in sorted(furniture, key=len, reverse=True):
            if at_top and (count := _words_of(words, line)):
                words, changed = words[count:], True
            if at_bottom and (count := _words_of(words[::-1], line, backwards=True)):
                words, changed = words[: len(words) - count], True
    rest = " ".join(words)
    if not key(rest):
        return None
    whole = key(block.text)
    is_inside = block.box[3] < TOP * height or block.box[1] > (1 - BOTTOM) * height
    if is_inside and any(whole in line or line in whole and len(line) > 0.8 * len(whole) for line in furniture):
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
