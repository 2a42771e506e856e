"""The cells of a workbook's sheets, as texts in their places.

openpyxl opens the workbook and streams the sheets' XML; its worksheets are not used, because those that stream do
not know merged cells, and those that know them need a kilobyte for each cell.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from lxml import etree
from openpyxl import load_workbook
from openpyxl.comments.comment_sheet import CommentSheet
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from corpus.errors import LimitExceeded
from corpus.parsers import progress
from corpus.parsers.decode import clean
from corpus.parsers.spreadsheet.formats import shown
from corpus.parsers.spreadsheet.mend import mended

Row = dict[int, str]  #: column, from 1, → text; only cells that show something

MAX_CELLS = 20_000_000  #: with something in them, in all sheets together
_PLACES = 2_000_000  #: of merged cells that are looked at
_SAY = 20_000  #: rows between two words on how far it has come
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
#: built-in formats that openpyxl does not list, because their look depends on the language of the program
_BUILTIN_DATES = dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd") | dict.fromkeys(
    range(32, 36), "h:mm:ss"
)


@dataclass(slots=True)
class Sheet:
    """What a sheet shows."""

    name: str
    hidden: bool
    rows: dict[int, Row] = field(default_factory=dict)  #: by number, in order; only rows that show something
    notes: list[str] = field(default_factory=list)  #: comments, each with the cell that it is on
    boxes: list[str] = field(default_factory=list)  #: texts of shapes that lie over the cells
    uncomputed: int = 0  #: formulas that the file has no value of


def open_workbook(data: bytes) -> Any:
    """An openpyxl workbook, read only. Links to other workbooks are not followed."""
    try:
        book = _opened(data)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        return _opened(mended(data))
    return book if book.worksheets else _opened(mended(data))


def _opened(data: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)


def sheets(book: Any) -> Iterator[Sheet]:
    """Read the worksheets of a workbook in order, one at a time; chart sheets have no cells and are passed over."""
    formats = [_code(book, style) for style in book._cell_styles]  # noqa: SLF001
    taken = 0
    for number, worksheet in enumerate(book.worksheets, 1):
        progress.reached(f"sheet {number} of {len(book.worksheets)}")
        sheet = Sheet(folded(worksheet.title), worksheet.sheet_state != "visible")
        with worksheet._get_source() as source, warnings.catch_warnings():  # noqa: SLF001
            warnings.simplefilter("ignore")
            taken = _read(sheet, source, book, formats, taken)
        _read_dependents(sheet, book._archive, worksheet._worksheet_path)  # noqa: SLF001
        yield sheet


def folded(text: str) -> str:
    """A cell's text on one line, without what no database can hold."""
    if text.isprintable() and "  " not in text and "_x" not in text:
        return text.strip()
    unescaped = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
    return " ".join(clean(unescaped)[0].split())


class _Cells(WorkSheetParser):  # type: ignore[misc]
    """openpyxl's reader of a sheet, with the formula where there is no value, and numbers left as they are."""

    uncomputed = 0

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        if cell["value"] is None and element.find(FORMULA_TAG) is not None:
            formula = self.parse_formula(element)
            cell["value"] = formula if isinstance(formula, str) else getattr(formula, "text", None)
            cell["data_type"] = "s"
            self.uncomputed += cell["value"] not in (None, "=")
        return cell


def _read(sheet: Sheet, source: Any, book: Any, formats: list[str], taken: int) -> int:
    cells = _Cells(source, book.worksheets[0]._shared_strings, data_only=True, epoch=book.epoch)  # noqa: SLF001
    for count, (number, found) in enumerate(cells.parse(), 1):
        if count % _SAY == 0:
            progress.reached(f"row {number} of sheet {sheet.name[:40]!r}")
        row = {
            cell["column"]: text
            for cell in found
            if cell["value"] is not None
            and (text := _text(cell["value"], formats, cell["style_id"], cell["data_type"], book.epoch))
        }
        if row:
            sheet.rows.setdefault(number, {}).update(row)
            taken += len(row)
            if taken > MAX_CELLS:
                raise LimitExceeded(
                    f"the workbook has more than {MAX_CELLS:,} cells with something in them",
                    hint="split it, or exclude it",
                )
    sheet.uncomputed = cells.uncomputed
    sheet.rows = dict(sorted(sheet.rows.items()))
    if cells.merged_cells is not None:
        _uncover(sheet.rows, cells.merged_cells.mergeCell)
    return taken


def _text(value: Any, formats: list[str], style: int, data_type: str, epoch: datetime) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        code = formats[style] if style < len(formats) else "General"
        return folded(shown(value, code, epoch))
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time | timedelta):
        return str(value)
    return folded(str(value)) if data_type != "n" else str(value)


def _uncover(rows: dict[int, Row], merged: Any) -> None:
    """Take out what lies under merged cells: it is not seen."""
    visits = 0
    for area in merged:
        for number in range(area.min_row, area.max_row + 1):
            visits += 1
            if visits > _PLACES:
                return
            row = rows.get(number)
            if not row or (len(row) == 1 and number == area.min_row):
                continue
            for column in [at for at in row if area.min_col <= at <= area.max_col]:
                if (number, column) != (area.min_row, area.min_col):
                    del row[column]
            if not row:
                del rows[number]


def _read_dependents(sheet: Sheet, archive: Any, path: str) -> None:
    rels_path = get_rels_path(path)
    names = set(archive.namelist())
    if rels_path not in names:
        return
    for rel in get_dependents(archive, rels_path):
        if rel.Target not in names:
            continue
        if rel.Type.endswith("/comments"):
            sheet.notes += _notes(archive.read(rel.Target))
        elif rel.Type.endswith("/drawing"):
            sheet.boxes += _boxes(archive.read(rel.Target))


def _notes(data: bytes) -> Iterator[str]:
    tree = etree.fromstring(data, safe_xml())
    for place, comment in CommentSheet.from_tree(tree).comments:
        text = folded(comment.text or "")
        text = re.sub(r"^\[Threaded comment\].*?(?:Comment|Kommentar|Commentaire|Comentario): ?", "", text)
        author = folded(comment.author or "")
        text = text.removeprefix(f"{author}:").strip() if author else text
        named = f" ({author})" if author and not author.startswith("tc=") else ""
        if text:
            yield f"{place}{named}: {text}"


def _boxes(data: bytes) -> Iterator[str]:
    for shape in etree.fromstring(data, safe_xml()).iter(f"{_DRAWING}txBody"):
        lines = ["".join(run.text or "" for run in line.iter(f"{_TEXT}t")) for line in shape.iter(f"{_TEXT}p")]
        if text := folded(" ".join(lines)):
            yield text


def safe_xml() -> etree.XMLParser:
    """A parser that expands no entity and fetches nothing."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


def _code(book: Any, style: Any) -> str:
    number = style.numFmtId
    if number >= 164:
        own = book._number_formats  # noqa: SLF001
        return str(own[number - 164]) if number - 164 < len(own) else "General"
    return str(BUILTIN_FORMATS.get(number) or _BUILTIN_DATES.get(number) or "General")
