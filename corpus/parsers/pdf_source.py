"""Reading a PDF file: what liteparse sees on its pages, and what pypdfium2 knows of the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from liteparse import LiteParse
from liteparse import ParseError as LiteParseError

from corpus.errors import LimitExceeded, ParseError
from corpus.parsers.pdf_text import key, storable

OUTLINE_ENTRIES = 20_000
_TURNED_CHARACTERS = 200  #: upright text of a page is kept as it is for fewer characters set sideways


@dataclass(frozen=True, slots=True)
class Item:
    """A run of text on a page, in points from the top left corner of the page as it is shown."""

    text: str
    left: float
    top: float
    width: float
    height: float
    font: str
    angle: int  #: 0, 90, 180, 270: how it is turned on the page

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is shown, with liteparse's blocks in reading order."""

    number: int  #: from 1
    width: float
    height: float
    label: str | None
    items: tuple[Item, ...]
    blocks: tuple[Any, ...]  #: liteparse.LayoutBlock
    turned_blocks: tuple[Any, ...] = ()  #: of text that is set sideways on it; their boxes are not the page's
    turned_items: tuple[Item, ...] = ()
    replaced: int = 0
    plain: str = ""  #: the text as pdfium gives it, where liteparse sees none


@dataclass(frozen=True, slots=True)
class Source:
    """All that later steps read."""

    pages: tuple[Page, ...]
    outline: Mapping[tuple[int, str], int]  #: (page, key of the title) → depth, 1 is the outermost
    title: str | None
    author: str | None
    date: str | None
    unread: tuple[int, ...]  #: pages that show something and have no text layer
    replaced: int  #: characters of the text layer that cannot be stored or say nothing


def read(data: bytes, pages: int) -> Source:
    """Open a PDF of at most `pages` pages.

    Raises `ParseError` if it is encrypted with a password, damaged, or has no pages; `LimitExceeded` if it has more.
    """
    with _opened(data) as document:
        count = len(document)
        if count == 0:
            raise ParseError("the PDF has no pages", hint="it may be damaged; open it and save it again, or exclude it")
        if count > pages:
            raise LimitExceeded(
                f"the PDF has {count} pages, the limit is {pages}",
                hint="raise limits.pages in corpora.yaml, or split it",
            )
        shown = tuple(_with_plain_text(page, document) for page in _pages(data, count))
        metadata = document.get_metadata_dict()
        return Source(
            pages=shown,
            outline=_outline(document),
            title=_said(metadata.get("Title")),
            author=_said(metadata.get("Author")),
            date=iso_date(metadata.get("ModDate") or "") or iso_date(metadata.get("CreationDate") or ""),
            unread=tuple(page.number for page in shown if _shows_without_text(document, page)),
            replaced=sum(page.replaced for page in shown),
        )


def iso_date(text: str) -> str | None:
    """The day in a date as PDF writes it (`D:20221208103327Z`), if there is one."""
    match = re.match(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?", text.strip())
    if not match:
        return None
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    if not (1900 < year < 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{year:04}-{month:02}-{day:02}"


def _opened(data: bytes) -> Any:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise ParseError(
                "the PDF is encrypted with a password", hint="remove the password, or exclude the file"
            ) from error
        raise _damaged(str(error)) from error


def _damaged(why: str) -> ParseError:
    return ParseError(
        f"the PDF is damaged or no PDF: {' '.join(why.split())[:300]}", hint="open it and save it again, or exclude it"
    )


def _parsed(data: bytes, **options: Any) -> Any:
    parser = LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        extract_blocks=True,
        extract_links=False,
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
        raise _damaged(str(error)) from error


def _pages(data: bytes, count: int) -> tuple[Page, ...]:
    result = _parsed(data, max_pages=count)
    if len(result.pages) != count:
        raise _damaged(f"{len(result.pages)} of its {count} pages can be read")
    pages = {page.page_num: _page(page) for page in result.pages}
    turned = {number: angle for number, page in pages.items() if (angle := _turn(page.items))}
    if turned:
        again = _parsed(
            data,
            max_pages=count,
            target_pages=",".join(map(str, turned)),
            page_orientation_corrections=list(turned.items()),
        )
        for other in map(_page, again.pages):
            pages[other.number] = _with_turned(pages[other.number], other)
    return tuple(pages[number] for number in sorted(pages))


def _with_plain_text(page: Page, document: Any) -> Page:
    """A page on which liteparse sees no text (it may be set too small for the page's size) with what pdfium reads."""
    if page.items:
        return page
    try:
        text, replaced = storable(document[page.number - 1].get_textpage().get_text_range().replace("\r\n", "\n"))
    except pdfium.PdfiumError:
        return page
    return replace(page, plain=text.strip(), replaced=replaced)


def _page(page: Any) -> Page:
    items = tuple(
        Item(
            text=storable(item.text)[0],
            left=item.x,
            top=item.y,
            width=item.width,
            height=item.height,
            font=(item.font_name or "").partition("+")[2] or item.font_name or "",
            angle=round(item.rotation / 90) * 90 % 360,
        )
        for item in page.text_items
        if item.text.strip()
    )
    return Page(
        number=page.page_num,
        width=page.width,
        height=page.height,
        label=page.page_label,
        items=items,
        blocks=tuple(page.blocks or ()),
        replaced=sum(storable(item.text)[1] for item in page.text_items),
    )


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


def _outline(document: Any) -> dict[tuple[int, str], int]:
    outline: dict[tuple[int, str], int] = {}
    try:
        for number, entry in enumerate(document.get_toc(max_depth=15)):
            if number >= OUTLINE_ENTRIES:
                break
            target = entry.get_dest()
            page = target.get_index() if target else None
            title = key(entry.get_title())
            if page is not None and title:
                outline.setdefault((page + 1, title), entry.level + 1)
    except (pdfium.PdfiumError, UnicodeDecodeError):  # a broken outline costs levels, not the document
        return outline
    return outline


def _said(text: str | None) -> str | None:
    said = " ".join(storable(text or "")[0].split())
    if not said or re.search(
        r"(?i)^untitled|^doi:|^microsoft (?:word|powerpoint) - |\.(docx?|pdf|dvi|tex|qxd|indd)$", said
    ):
        return None  # a program's or a file's name, not a title
    return said


def _shows_without_text(document: Any, page: Page) -> bool:
    """Whether the page has pictures but hardly a word: a scan, or outlines in place of letters."""
    if sum(len("".join(item.text.split())) for item in page.items) + len(page.plain) >= 25:
        return False
    try:
        objects = document[page.number - 1].get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3)
        area = sum((right - left) * (top - bottom) for left, bottom, right, top in map(_bounds, objects))
    except pdfium.PdfiumError:
        return True
    return bool(area > 0.25 * page.width * page.height)


def _bounds(image: Any) -> tuple[float, float, float, float]:
    bounds: tuple[float, float, float, float] = image.get_bounds()
    return bounds
