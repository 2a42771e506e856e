"""The pages of a PDF as liteparse sees them: text with its place, blocks in reading order, ruled lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from liteparse import LiteParse
from liteparse import ParseError as LiteParseError

from corpus.errors import ParseError
from corpus.parsers import progress
from corpus.parsers.pdf.columns import columns
from corpus.parsers.pdf.items import Item, item_of, rules_of
from corpus.parsers.pdf.mend import put_right
from corpus.parsers.pdf.ruled import Ruled, ruled_tables
from corpus.parsers.pdf.text import storable

TOP, BOTTOM = 0.11, 0.12  #: shares of a page's height; its margins, where lines may run along
_TURNED_CHARACTERS = 200  #: upright text of a page is kept as it is for fewer characters set sideways


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is shown, with liteparse's blocks in reading order."""

    number: int  #: from 1
    width: float
    height: float
    label: str | None
    items: tuple[Item, ...]
    blocks: tuple[Any, ...]  #: liteparse.LayoutBlock
    tables: tuple[Ruled, ...] = ()  #: ruled ones; liteparse's blocks have their text too
    turned_blocks: tuple[Any, ...] = ()  #: of text that is set sideways on it; their boxes are not the page's
    turned_items: tuple[Item, ...] = ()
    replaced: int = 0
    unseen: str = ""  #: text that the page shows and liteparse does not see
    hidden: tuple[str, ...] = ()  #: words of the text layer that it does not show, or shows once and has twice
    plain: str = ""  #: the text as pdfium gives it, where liteparse sees none


def _parsed(data: bytes, **options: Any) -> Any:
    parser = LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        extract_blocks=True,
        extract_vector_graphics=True,
        emit_word_boxes=True,
        extract_links=False,
        continue_on_page_error=True,
        keep_headers_footers=True,  # what runs along is found by `pdf_furniture`, which knows what it takes away
        **options,
    )
    try:
        return parser.parse(data)
    except LiteParseError as error:
        if "password" in str(error).lower():
            raise ParseError(
                "the PDF is encrypted with a password", hint="remove the password, or exclude the file"
            ) from error
        raise damaged(str(error)) from error


def pages_of(data: bytes, document: Any) -> tuple[Page, ...]:
    """All pages of a file, which is also given as pypdfium2 has opened it."""
    count = len(document)
    progress.reached(f"the layout of its {count} pages")
    result = _parsed(data, max_pages=count)
    if not result.pages:
        raise damaged(f"none of its {count} pages can be read")
    pages = {number: Page(number, 0.0, 0.0, None, (), ()) for number in range(1, count + 1)}
    pages |= {page.page_num: _by_columns(_page(page, document), data, document) for page in result.pages}
    turned = {number: angle for number, page in pages.items() if (angle := _turn(page.items))}
    if turned:
        again = _parsed(
            data,
            max_pages=count,
            target_pages=",".join(map(str, turned)),
            page_orientation_corrections=list(turned.items()),
        )
        for other in (_page(page, document) for page in again.pages):
            pages[other.number] = _with_turned(pages[other.number], other)
    return tuple(pages[number] for number in sorted(pages))


def _page(page: Any, document: Any) -> Page:
    put_right(page, document)
    items = tuple(item_of(item) for item in page.text_items if item.text.strip())
    return Page(
        number=page.page_num,
        width=page.width,
        height=page.height,
        label=page.page_label,
        items=items,
        blocks=tuple(page.blocks or ()),
        tables=tuple(ruled_tables(rules_of(page.vector_graphics), items)),
        replaced=sum(storable(item.text)[1] for item in page.text_items),
    )


def _by_columns(page: Page, data: bytes, document: Any) -> Page:
    """A page with blocks whose lines belong to different columns: with the blocks of each column by itself."""
    ruled = frozenset().union(*(table.items for table in page.tables))
    free = [item for item in page.items if id(item) not in ruled]
    whole = (0.0, 0.0, page.width, page.height)
    blocks: list[Any] = []
    for left, top, right, bottom in columns(whole, free, [table.box for table in page.tables], page.blocks):
        beside = (top / page.height, 1 - right / page.width, 1 - bottom / page.height, left / page.width)
        again = _parsed(data, max_pages=len(document), target_pages=str(page.number), crop_box=beside)
        blocks += _page(again.pages[0], document).blocks
    return replace(page, blocks=tuple(blocks)) if blocks else page


def _turn(items: Sequence[Item]) -> int:
    """The angle at which much of a page's text stands, away from its margins; 0 if the page is upright."""
    letters: Counter[int] = Counter()
    for item in items:
        letters[item.angle] += len(item.text)
    angle, count = max(((a, n) for a, n in letters.items() if a), key=lambda pair: pair[1], default=(0, 0))
    return angle if count >= min(_TURNED_CHARACTERS, letters.total() * 0.8) else 0


def _with_turned(page: Page, other: Page) -> Page:
    """`page`, given itself after turning: replaced if that sets most of it upright, else beside its upright text."""

    def upright(items: Sequence[Item]) -> int:
        return sum(len(item.text) for item in items if item.angle == 0)

    now, then = upright(page.items), upright(other.items)
    if then > 2 * now:
        return replace(other, label=page.label)
    if then < _TURNED_CHARACTERS:
        return page
    items = tuple(item for item in other.items if item.angle == 0)
    return replace(page, turned_blocks=other.blocks, turned_items=items)


def damaged(why: str) -> ParseError:
    """The error for a file that cannot be read, and why."""
    return ParseError(
        f"the PDF is damaged or no PDF: {' '.join(why.split())[:300]}", hint="open it and save it again, or exclude it"
    )
