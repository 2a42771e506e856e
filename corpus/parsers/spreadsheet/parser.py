"""Excel workbooks: a sheet is a section, its tables are tables, numbers are as a reader sees them.

Not through unstructured: its way through a workbook is pandas, which knows no number formats (`12.5%` becomes
`0.125`), reads a formula without a value as nothing, drops comments and lists hidden sheets like any other.
"""

from __future__ import annotations

import re
import zipfile
from typing import Any, ClassVar
from xml.etree.ElementTree import ParseError as XmlError

from lxml import etree

from chunkers.document import Document, Kind
from corpus.errors import KerfError, ParseError
from corpus.parsers.archive import damaged, guard
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.draft import Draft, write
from corpus.parsers.spreadsheet.cells import Sheet, folded, open_workbook, safe_xml, sheets
from corpus.parsers.spreadsheet.tables import drafts

_NOBODY = frozenset({"openpyxl", "xlsxwriter", "Microsoft Office User", "user", "User", "admin", "Unknown Creator"})

_CORE = "docProps/core.xml"


class SpreadsheetParser:
    """Reads XLSX and XLSM.

    Hidden sheets are left out, with a warning that names them: they hold lists for menus and remains. Hidden rows and
    columns are read, because a filter that was on when the file was saved hides rows too. Charts are left out, since
    what they show stands in cells. Macros are never looked at.
    """

    name: ClassVar[str] = "spreadsheet"
    version: ClassVar[int] = 1
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse a workbook; raises `ParseError` if it is damaged, `LimitExceeded` if it holds too much."""
        guard(data)
        try:
            book = open_workbook(data)
            return _parsed(book, media_type)
        except (KerfError, MemoryError, RecursionError):
            raise
        except (
            etree.XMLSyntaxError, XmlError, zipfile.BadZipFile, KeyError, IndexError, ValueError, TypeError,
            AttributeError, OSError, EOFError,
        ) as error:  # fmt: skip
            raise damaged(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error


def _parsed(book: Any, media_type: str) -> Parsed:
    if not book.worksheets:
        raise ParseError(
            "the workbook has no sheet that can be read",
            hint="it may hold nothing but charts; exclude it",
        )
    written: list[Draft] = []
    left_out: list[str] = []
    warnings: list[str] = []
    for sheet in sheets(book):
        if sheet.hidden:
            left_out += [text for row in sheet.rows.values() for text in row.values()]
            left_out += [*sheet.notes, *sheet.boxes, sheet.name]
            if sheet.rows:
                warnings.append(f"the hidden sheet {sheet.name!r} is left out")
            continue
        if sheet.uncomputed:
            warnings.append(
                f"sheet {sheet.name!r}: {sheet.uncomputed} formulas have no stored value and stand as formulas: "
                "open the file in a spreadsheet program and save it"
            )
        written += _drafts(sheet)
    text, blocks = write(written)
    said = _properties(book)
    return Parsed(
        Document(
            text=text,
            blocks=blocks,
            media_type=media_type,
            text_is_source=False,
            title=said.get("title"),
            author=said.get("creator"),
            date=(said.get("modified") or said.get("created") or "")[:10] or None,
            description=said.get("description") or said.get("subject"),
            tags=tuple(word for part in re.split("[,;]", said.get("keywords", "")) if (word := part.strip())),
            warnings=tuple(warnings),
        ),
        tuple(left_out),
    )


def _drafts(sheet: Sheet) -> list[Draft]:
    found = list(drafts(sheet.rows))
    found += [Draft(Kind.PARAGRAPH, text) for text in sheet.boxes]
    found += [Draft(Kind.FOOTNOTE, note) for note in sheet.notes]
    return [Draft(Kind.HEADING, sheet.name, level=1), *found] if found else []


def _properties(book: Any) -> dict[str, str]:
    """What the file says of itself. openpyxl would say today where the file says no day."""
    if _CORE not in book._archive.namelist():  # noqa: SLF001
        return {}
    tree = etree.fromstring(book._archive.read(_CORE), safe_xml())  # noqa: SLF001
    elements = [child for child in tree if isinstance(child.tag, str)]
    found = {str(etree.QName(child).localname): folded(child.text or "") for child in elements}
    return {name: text for name, text in found.items() if text and text not in _NOBODY}
