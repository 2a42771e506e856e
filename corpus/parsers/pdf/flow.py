"""Paragraphs and headings that the page broke are put together again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from chunkers.document import Kind
from corpus.parsers.draft import Box
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.text import HYPHEN_AT_END, key, together

_ENDED = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]\d]*$")
_NEW_START = re.compile(r"^(?:\(?[a-zA-Z\d]{1,3}[.)]|\(\w{1,4}\))\s")
_SIDE_NUMBER = re.compile(r"^(\d{1,3}(?:\.\d{1,3}){1,7})\.?(?:\s+([^\w\s].{0,40}))?$")
_NOTE_START = re.compile(r"^(?:\d{1,3}|[*†‡§∗])\s?(?=[^\W\d_])")
_LABEL = re.compile(r"^[A-Z][A-Z\d /&-]{2,60}: \S")  #: a word in bold capitals that opens a paragraph
_TEXT = (Kind.PARAGRAPH, Kind.LIST_ITEM)


def joined(blocks: Sequence[PdfBlock], outline: Mapping[tuple[int, str], int]) -> list[PdfBlock]:
    """Blocks with broken headings, false headings in the midst of a sentence, and broken paragraphs mended."""
    split = [part for block in blocks for part in _without_body(block, outline)]
    return _paragraphs(_headings(_footnotes_last(_side_numbers(split)), outline))


def _without_body(block: PdfBlock, outline: Mapping[tuple[int, str], int]) -> Iterator[PdfBlock]:
    """A heading that swallowed the line below it is parted where the outline says that it ends."""
    words = block.text.split()
    lines = (block.box[3] - block.box[1]) / max(block.size, 1) if block.box else 1
    if block.kind is Kind.HEADING and lines > 1.8 and (block.page, key(block.text)) not in outline:
        for count in range(1, min(len(words), 40)):
            if (block.page, key(" ".join(words[:count]))) in outline:
                yield replace(block, text=" ".join(words[:count]))
                yield replace(block, kind=Kind.PARAGRAPH, level=None, text=" ".join(words[count:]))
                return
    yield block


def _side_numbers(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """A section's number that stands in the margin, above its title, becomes part of the title."""
    mended: list[PdfBlock] = []
    for block in blocks:
        above = mended[-1] if mended else None
        number = above and above.kind in (Kind.PARAGRAPH, Kind.HEADING) and _SIDE_NUMBER.match(above.text)
        if not (
            above and number and block.kind is Kind.HEADING and block.page == above.page and _is_left(above, block)
        ):
            mended.append(block)
            continue
        mended[-1] = replace(block, text=f"{number[1]} {block.text}", box=_union(above, block))
        if number[2]:
            mended.append(replace(above, kind=Kind.PARAGRAPH, level=None, text=number[2]))
    return mended


def _is_left(one: PdfBlock, two: PdfBlock) -> bool:
    return bool(one.box and two.box and abs(one.box[0] - two.box[0]) < 6 and two.box[1] - one.box[3] < 2 * two.size)


def _footnotes_last(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """Footnotes after the other blocks of their page, so that the text above goes on where it goes on."""
    letters: Counter[float] = Counter()
    for block in blocks:
        letters[block.size] += len(block.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    ordered: list[PdfBlock] = []
    for _, group in groupby(blocks, key=lambda block: block.page):
        notes: list[PdfBlock] = []
        for block in group:
            is_small = block.kind in _TEXT and 0 < block.size < 0.87 * body and block.marker == "-"
            if is_small and _NOTE_START.match(block.text):
                notes.append(replace(block, kind=Kind.FOOTNOTE, level=None))
            elif is_small and notes and not _ENDED.search(notes[-1].text) and _is_below(notes[-1], block, 0.6):
                note = notes[-1]
                notes[-1] = replace(note, text=together(note.text, block.text), box=_union(note, block))
            else:
                ordered.append(block)
        ordered += notes
    return ordered


def _headings(blocks: Sequence[PdfBlock], outline: Mapping[tuple[int, str], int]) -> list[PdfBlock]:
    mended: list[PdfBlock] = []
    for index, block in enumerate(blocks):
        previous = mended[-1] if mended else None
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if previous and previous.kind is Kind.HEADING and _is_rest_of_heading(previous, block):
            mended[-1] = replace(previous, text=together(previous.text, block.text), box=_union(previous, block))
        elif block.kind is not Kind.HEADING:
            mended.append(block)
        elif previous and _is_start_of_heading(previous, block):
            mended[-1] = replace(block, text=together(previous.text, block.text), box=_union(previous, block))
        elif previous and previous.kind is Kind.HEADING and _is_twice(previous, block):
            continue
        elif previous and previous.kind is Kind.HEADING and _continues_heading(previous, block, outline):
            mended[-1] = replace(previous, text=together(previous.text, block.text), box=_union(previous, block))
        elif (block.page, key(block.text)) not in outline and _is_in_a_sentence(previous, block, following):
            mended.append(replace(block, kind=Kind.PARAGRAPH, level=None, bold=False))
        else:
            mended.append(block)
    return mended


def _is_rest_of_heading(above: PdfBlock, below: PdfBlock) -> bool:
    same_type = above.bold and below.bold and abs(above.size - below.size) < 0.1 * max(above.size, 1)
    is_rest = below.kind is Kind.PARAGRAPH and below.text[:1].islower() and len(below.text) < 80
    return is_rest and same_type and above.page == below.page and _is_below(above, below, 0.8)


def _is_start_of_heading(above: PdfBlock, below: PdfBlock) -> bool:
    """The first line of a title is taken for something else when a word of it is set in another face."""
    same_size = above.size > 11 and abs(above.size - below.size) < 0.05 * above.size
    is_start = above.kind is Kind.PARAGRAPH and len(above.text) < 120 and not _ENDED.search(above.text)
    return is_start and same_size and above.page == below.page and _is_below(above, below, 0.5)


def _is_twice(one: PdfBlock, two: PdfBlock) -> bool:
    """Bold type is sometimes made by printing the words twice, a hair apart."""
    return one.page == two.page and key(one.text) == key(two.text)


def _continues_heading(above: PdfBlock, below: PdfBlock, outline: Mapping[tuple[int, str], int]) -> bool:
    if above.page != below.page or (below.page, key(below.text)) in outline:
        return False
    if (above.page, key(above.text + below.text)) in outline:
        return True
    same_type = above.level == below.level and abs(above.size - below.size) < 0.1 * max(above.size, 1)
    return same_type and _is_below(above, below, 0.8) and below.text[:1].islower()


def _is_in_a_sentence(previous: PdfBlock | None, block: PdfBlock, following: PdfBlock | None) -> bool:
    """Bold words at the start of a line that belong to the sentence around them."""
    if not following or following.kind is not Kind.PARAGRAPH:
        return False
    runs_in = (
        block.mixed or _LABEL.match(block.text) or (len(block.text.split()) > 6 and _fills_its_line(block, following))
    )
    if runs_in and _is_below(block, following, 0.4) and abs(block.size - following.size) < 0.1 * following.size:
        return True
    if not following.text[:1].islower():
        return False
    broken_before = bool(previous and previous.kind in _TEXT and not _ENDED.search(previous.text))
    has_sentence = bool(re.search(r"[.;:]\s+[A-Z]?\w+ \w+", block.text))
    same_size = abs(block.size - following.size) < 0.1 * max(following.size, 1)
    return (broken_before or has_sentence) and same_size


def _paragraphs(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    mended: list[PdfBlock] = []
    for block in blocks:
        previous = mended[-1] if mended else None
        if previous and _continues(previous, block):
            mended[-1] = replace(
                previous,
                text=together(previous.text, block.text),
                box=_union(previous, block),
                bold=previous.bold and block.bold,
            )
        else:
            mended.append(block)
    return mended


def _continues(above: PdfBlock, below: PdfBlock) -> bool:
    if above.kind is Kind.CAPTION and above.page == below.page and below.kind is Kind.PARAGRAPH:
        same_type = above.bold == below.bold and abs(above.size - below.size) < 0.1 * max(above.size, 1)
        return same_type and _is_below(above, below, 0.4) and not _ENDED.search(above.text)
    if above.page != below.page or above.kind not in _TEXT or below.kind is not Kind.PARAGRAPH:
        return False
    if abs(above.size - below.size) > 0.12 * max(above.size, below.size, 1) or above.bold != below.bold:
        return False
    if _ENDED.search(above.text) or _NEW_START.match(below.text):
        return False
    starts_low = below.text[:1].islower() or bool(HYPHEN_AT_END.search(above.text))
    if _is_below(above, below, 0.6):
        return starts_low or (above.kind is Kind.PARAGRAPH and not below.bold and _fills_its_line(above, below))
    return starts_low and _is_next_column(above, below)


def _is_below(above: PdfBlock, below: PdfBlock, lines: float) -> bool:
    """Whether `below` begins at most `lines` line heights under `above`, in the same column."""
    if not (above.box and below.box):
        return False
    gap = below.box[1] - above.box[3]
    return (
        -0.5 * below.size <= gap <= lines * max(below.size, 1)
        and above.box[0] < below.box[2]
        and below.box[0] < above.box[2]
    )


def _fills_its_line(above: PdfBlock, below: PdfBlock) -> bool:
    if not (above.box and below.box):
        return False
    right = max(above.box[2], below.box[2])
    return above.box[2] > right - 0.15 * (right - min(above.box[0], below.box[0]))


def _is_next_column(above: PdfBlock, below: PdfBlock) -> bool:
    return bool(above.box and below.box and below.box[0] > above.box[0] and below.box[1] < above.box[1])


def _union(one: PdfBlock, two: PdfBlock) -> Box | None:
    a, b = one.box, two.box
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])) if a and b else a or b
