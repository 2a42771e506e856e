"""What is said of a PDF as a whole: its title where the file has none, and how much of its type means nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from chunkers.document import Kind
from corpus.parsers.pdf.block import PdfBlock
from corpus.parsers.pdf.pages import Page

_MANY = 0.05  #: share of a text layer's characters without a meaning, from which on text is missing
_LONGEST = 200  #: characters of a title
_LINES = 3
_SAME = 0.97  #: of the largest size
_LARGER = 1.15  #: times the size of most text; a title is set so


@dataclass(frozen=True, slots=True)
class Said:
    """Warnings, and phrases for what is missing."""

    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def title_of(blocks: Sequence[PdfBlock]) -> str | None:
    """The heading on the first page with text that is set larger than the others there, its lines together.

    None if it does not stand out from the text, or if several stand apart in its size.
    """
    first = [block for block in blocks if block.page == blocks[0].page]
    headings = [block for block in first if block.kind is Kind.HEADING]
    largest = max((block.size for block in headings), default=0.0)
    titles = [block for block in headings if block.size >= _SAME * largest]
    if not titles or len(titles) > _LINES or titles != first[(at := first.index(titles[0])) : at + len(titles)]:
        return None
    letters: Counter[float] = Counter()
    for block in first:
        letters[block.size] += len(block.text)
    text = " ".join(block.text for block in titles)
    usual = letters.most_common(1)[0][0]
    return text if largest > _LARGER * usual and 2 < len(text) <= _LONGEST else None


def without_meaning(pages: Sequence[Page]) -> Said:
    """What is to be said of characters that stand for nothing outside of the file's own fonts."""
    lost = sum(page.replaced for page in pages)
    if not lost:
        return Said()
    there = lost + sum(len(item.text) for page in pages for item in page.items) + sum(len(page.plain) for page in pages)
    what = "1 character" if lost == 1 else f"{lost:,} characters"
    said = f"{what} of the text layer left out: the fonts of the file give them no meaning"
    return Said(missing=(said,)) if lost > _MANY * there and lost > 20 else Said(warnings=(said,))
