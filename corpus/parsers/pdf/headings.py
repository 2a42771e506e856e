"""What is a heading, and of which level: the file's outline says it best, then the numbering, then the type."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from chunkers.document import Kind
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.text import key

_LARGER = 1.3  #: times the text's size; bold type of it is a heading even right above another
_LARGE = 1.5  #: times the text's size; type of it is a heading without being bold
LONGEST = 110  #: characters of a paragraph that may be a heading
TOO_LONG = 200  #: characters of a heading that is none

Outline = Mapping[tuple[int, str], int]

_DOTTED = re.compile(r"^(?:§\s*)?(\d{1,3}(?:\.\d{1,3}){1,7})\.?(?=\s+\S)")
_DOTTED_INSIDE = re.compile(r"\s\d{1,3}(?:\.\d{1,3})+\.?\s")
_APPENDIX = re.compile(r"^([A-Z](?:\.\d{1,3}){1,6})\.?(?=\s+\S)")
_NUMBER = re.compile(r"^(\d{1,2})\.?\s+(?=[^\W\d_])")
_ROMAN = re.compile(r"^(?=[IVX])(?:X{0,3})(?:IX|IV|V?I{0,3})\.\s+(?=[^\W\d_])")
_LETTER = re.compile(r"^[A-Z]\.\s+(?=[^\W\d_])")
_CHAPTER = re.compile(
    r"(?i)^(?:chapter|part|appendix|kapitel|teil|anhang|chapitre|partie|глава|часть|приложение)\s+[\dA-Z]"
)
_CHINESE = re.compile(r"^第[一二三四五六七八九十百\d]+([章节節条條部篇])")
_UNFINISHED = (".", ";", ":", ",", "。", "；", "：", "，", "-")
_STANDING = frozenset(
    key(name)
    for name in (
        "Abstract", "Summary", "Introduction", "Background", "Conclusion", "Conclusions", "References", "Bibliography",
        "Acknowledgements", "Acknowledgments", "Appendix", "Contents", "Table of Contents", "Preface", "Foreword",
        "Glossary", "Index", "Notices", "Zusammenfassung", "Einleitung", "Inhaltsverzeichnis", "Literatur", "Résumé",
        "Introducción", "Аннотация", "Введение", "Заключение", "Содержание", "摘要", "引言", "结论", "参考文献", "目录",
    )
)  # fmt: skip

#: Pages with one of these list headings; what stands there is none.
_CONTENTS = frozenset(
    map(key, ("Contents", "Table of Contents", "Inhaltsverzeichnis", "Sommaire", "Содержание", "目录"))
)


def with_headings(blocks: Sequence[PdfBlock], outline: Outline) -> list[PdfBlock]:
    """The blocks with headings promoted, false ones demoted, and levels from 1 on."""
    sections = max((int(found[1].split(".")[0]) for b in blocks if (found := _DOTTED.match(b.text))), default=0)
    lowest = max((block.level or 1 for block in blocks if block.kind is Kind.HEADING), default=0) + 1
    title = _largest(blocks)
    body = _usual_size(blocks)
    lists = _list_neighbours(blocks)
    contents = {block.page for block in blocks if key(block.text) in _CONTENTS}
    marked = []
    for index, block in enumerate(blocks):
        full = f"{block.marker} {block.text}" if block.kind is Kind.LIST_ITEM and block.marker != "-" else block.text
        if block.kind is Kind.HEADING and not _is_heading(block, outline):
            marked.append(replace(block, kind=Kind.PARAGRAPH, level=None))
        elif block.page in contents and key(block.text) not in _CONTENTS:
            marked.append(block)
        elif block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM) and _is_promoted(
            replace(block, text=full),
            outline,
            sections,
            body,
            alone=index not in lists,
            following=blocks[index + 1 : index + 2],
        ):
            marked.append(replace(block, kind=Kind.HEADING, text=full, level=lowest + (block is not title)))
        else:
            marked.append(block)
    return _levelled(marked, outline)


def _list_neighbours(blocks: Sequence[PdfBlock]) -> set[int]:
    """The indices of list items that stand beside another one."""
    items = {index for index, block in enumerate(blocks) if block.kind is Kind.LIST_ITEM}
    return {index for index in items if index - 1 in items or index + 1 in items}


def _is_heading(block: PdfBlock, outline: Outline) -> bool:
    if (block.page, key(block.text)) in outline:
        return True
    words = block.text.split()
    letters = [char for char in block.text if char.isalpha()]
    if (
        len(block.text) > TOO_LONG
        or "@" in block.text
        or len(letters) < (2 if max(letters, default="") > "\u2e80" else 3)
    ):
        return False
    return not (block.text.endswith((",", ";")) or (len(words) > 12 and block.text.endswith(".")))


def _largest(blocks: Sequence[PdfBlock]) -> PdfBlock | None:
    """The block on the first pages that is set larger than all others, if one is: their title."""
    largest = max((block.size for block in blocks), default=0.0)
    found = [block for block in blocks if block.size >= 0.95 * largest]
    return found[0] if len(found) == 1 and found[0].page <= 2 else None


def _usual_size(blocks: Sequence[PdfBlock]) -> float:
    letters: Counter[float] = Counter()
    for block in blocks:
        letters[block.size] += len(block.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def _is_promoted(
    block: PdfBlock, outline: Outline, sections: int, body: float, *, alone: bool, following: Sequence[PdfBlock]
) -> bool:
    text = block.text
    if len(text) >= LONGEST or not text:
        return False
    if (block.page, key(text)) in outline:
        return True
    if text.endswith(_UNFINISHED) or len(text.split()) > 16:
        return False
    if key(text) in _STANDING and text[0].isupper() | (ord(text[0]) > 0x2E80):
        return True
    if dotted := _DOTTED.match(text):
        words = text[dotted.end() :].strip()
        return alone and _reads_like_a_title(words) and not _DOTTED_INSIDE.search(words)
    if _ROMAN.match(text):
        return alone and (block.bold or text.upper() == text)
    if number := _NUMBER.match(text):
        return (
            alone and _reads_like_a_title(text[number.end() :]) and (block.bold or int(number[1]) <= min(sections, 30))
        )
    followed = bool(following) and not following[0].bold and following[0].kind is not Kind.HEADING
    stands_out = followed or block.size >= _LARGER * body
    is_large = block.size >= _LARGE * body
    return (
        block.kind is Kind.PARAGRAPH
        and (block.bold or is_large)
        and stands_out
        and _reads_like_a_title(text)
        and len(text) > 3
    )


def _reads_like_a_title(words: str) -> bool:
    letters = [char for char in words if char.isalpha()]
    return len(letters) >= 3 and len(letters) > 0.5 * len(words.replace(" ", "")) and not letters[0].islower()


def _levelled(blocks: Sequence[PdfBlock], outline: Outline) -> list[PdfBlock]:
    headings = [block for block in blocks if block.kind is Kind.HEADING]
    has_roman = any(_ROMAN.match(block.text) for block in headings)
    is_flat = len(set(outline.values())) < 2
    certain = {id(block): level for block in headings if (level := _level(block, outline, has_roman, is_flat))}
    by_rank: dict[int, Counter[int]] = defaultdict(Counter)
    for block in headings:
        if id(block) in certain:
            by_rank[block.level or 1][certain[id(block)]] += 1
    usual = {rank: counts.most_common(1)[0][0] for rank, counts in by_rank.items()}
    ranks = sorted({block.level or 1 for block in headings})
    shift = 1 if _has_title_above(headings, certain) else 0
    levels: dict[int, int] = {}
    for block in headings:
        rank = block.level or 1
        if id(block) in certain:
            level = certain[id(block)] + shift
        elif rank in usual:
            level = usual[rank] + shift
        else:
            level = _between(rank, usual, ranks, shift)
        levels[id(block)] = max(1, level)
    return [replace(block, level=levels[id(block)]) if id(block) in levels else block for block in blocks]


def _level(block: PdfBlock, outline: Outline, has_roman: bool, is_flat: bool) -> int | None:
    known = outline.get((block.page, key(block.text)))
    numbered = _numbered(block.text, has_roman)
    if known and not (is_flat and numbered):
        return known
    return numbered or known


def _numbered(text: str, has_roman: bool) -> int | None:
    if match := _DOTTED.match(text) or _APPENDIX.match(text):
        return len(match[1].split("."))
    if chinese := _CHINESE.match(text):
        return 1 if chinese[1] in "章部篇" else 2
    if _ROMAN.match(text) or _CHAPTER.match(text) or _NUMBER.match(text):
        return 1
    if _LETTER.match(text):
        return 2 if has_roman else 1
    return None


def _has_title_above(headings: Sequence[PdfBlock], certain: Mapping[int, int]) -> bool:
    """Whether the first heading is the document's title: set larger than every heading with a known level."""
    if not headings or id(headings[0]) in certain or headings[0].page > 2:
        return False
    ranks = [block.level or 1 for block in headings if id(block) in certain]
    return bool(ranks) and (headings[0].level or 1) < min(ranks)


def _between(rank: int, usual: Mapping[int, int], ranks: Sequence[int], shift: int) -> int:
    """A level for a type that no numbered heading has: below the nearest larger type, or by its place among all."""
    larger = [other for other in usual if other < rank]
    if larger:
        nearest = max(larger)
        return usual[nearest] + shift + sum(nearest < other <= rank for other in ranks)
    smaller = [other for other in usual if other > rank]
    if smaller:
        return max(1, usual[min(smaller)] + shift - sum(rank <= other < min(smaller) for other in ranks))
    return ranks.index(rank) + 1
