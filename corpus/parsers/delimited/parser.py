"""Comma- and tab-separated values. The text is the source, a table is one block."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from chunkers.document import Block, Document, Kind
from chunkers.tables import shape
from corpus.parsers import decode, progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.delimited.dialect import Dialect, sniff
from corpus.parsers.text import paragraphs

_LONGEST_CELL = 1_000_000  #: characters; a quote that opens more than this was never meant to open anything
_NO_DELIMITER = "\x1f"
_LIST = 3  #: lines of a single cell that are a table; fewer are a paragraph
_LIST_LINE = 80  #: characters of a line on average; lines that short without a delimiter are a table of one column
_SAY = 100_000  #: rows between two words on how far it has come

Cells = tuple[str, ...]


@dataclass(slots=True)
class _Table:
    """A run of rows as it grows."""

    rows: list[Cells] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("q"))  #: where each row begins
    end: int = 0  #: of the last row, without its newline


class DelimitedParser:
    """Reads CSV and TSV: the delimiter is found out, cells may be quoted and go over several lines.

    Empty lines part tables that have different columns; lines of a single cell above a table are paragraphs. A file
    that is no table is read as plain text.
    """

    name: ClassVar[str] = "delimited"
    version: ClassVar[int] = 1
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse; raises `ParseError` for bytes that are not text."""
        decoded = decode.decode(data)
        return Parsed(
            Document(
                text=decoded.text,
                blocks=tuple(_blocks(decoded.text)),
                media_type=media_type,
                text_is_source=True,
                encoding=decoded.encoding,
                replaced=decoded.replaced,
            )
        )


def _blocks(text: str) -> Iterator[Block]:
    dialect = sniff(text) or _of_one_column(text)
    if dialect is None:
        yield from (Block(Kind.PARAGRAPH, start, end) for start, end in paragraphs(text))
        return
    begins = 0
    if dialect.names_itself:
        begins = text.find("\n") + 1
        yield Block(Kind.METADATA, 0, begins)
    for table in _tables(text, begins, dialect):
        yield from _written(text, table, dialect)


def _of_one_column(text: str) -> Dialect | None:
    """A list: short lines without a delimiter."""
    lines = text.count("\n") + 1
    is_list = lines > 2 and len(text) <= _LIST_LINE * lines and "\n\n" not in text.strip()
    return Dialect(_NO_DELIMITER, 1, 1.0) if is_list else None


def _tables(text: str, begins: int, dialect: Dialect) -> Iterator[_Table]:
    table = _Table()
    is_after_gap = False
    for number, (cells, start, end) in enumerate(_rows(text, begins, dialect), 1):
        if number % _SAY == 0:
            progress.reached(f"row {number}")
        if not any(cells):
            is_after_gap = True
            if cells and table.rows:  # a row of nothing but delimiters has to lie in a block all the same
                table.end = end
            continue
        if is_after_gap and table.rows and _begins_another(table, cells):
            yield table
            table = _Table()
        is_after_gap = False
        table.rows.append(cells)
        table.starts.append(start)
        table.end = end
    if table.rows:
        yield table


def _begins_another(table: _Table, cells: Cells) -> bool:
    """Whether a row after an empty line begins a table of its own: another number of cells, or names over figures."""
    last = table.rows[-1]
    if len(cells) != len(last):
        return True
    figures = [at for at, cell in enumerate(last) if shape(cell) not in ("text", "")]
    return bool(figures) and all(shape(cells[at]) == "text" for at in figures)


def _written(text: str, table: _Table, dialect: Dialect) -> Iterator[Block]:
    """The blocks of a run of rows: single cells above a table are paragraphs."""
    rows, width = table.rows, max(map(len, table.rows))
    if width == 1 and (dialect.width > 1 or len(rows) < _LIST):
        yield Block(Kind.PARAGRAPH, table.starts[0], table.end)
        return
    titles = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    for at in range(titles):
        start = table.starts[at]
        yield Block(Kind.PARAGRAPH, start, start + len(text[start : table.starts[at + 1]].rstrip()))
    padded = tuple(row if len(row) == width else row + ("",) * (width - len(row)) for row in rows[titles:])
    yield Block(Kind.TABLE, table.starts[titles], table.end, rows=padded)


def _rows(text: str, begins: int, dialect: Dialect) -> Iterator[tuple[Cells, int, int]]:
    """The cells of each row with the span of its lines, the last newline left out."""
    quotes_count = '"' in text and _quotes_close(text, begins, dialect)
    lines = _Lines(text, begins)
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        reader = csv.reader(
            lines,
            delimiter=dialect.delimiter,
            quoting=csv.QUOTE_MINIMAL if quotes_count else csv.QUOTE_NONE,
            skipinitialspace=dialect.spaced,
        )
        start = begins
        for row in reader:
            end = lines.at - 1 if text[lines.at - 1] == "\n" else lines.at
            yield tuple(" ".join(cell.split()) for cell in row), start, end
            start = lines.at
    finally:
        csv.field_size_limit(limit)


def _quotes_close(text: str, begins: int, dialect: Dialect) -> bool:
    """Whether each quote that opens a cell is closed again; where one is not, all of them are letters."""
    lines = _Lines(text, begins)
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        start = begins
        for _ in csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=dialect.spaced):
            last, start = start, lines.at
            if lines.at == len(text) and text.count('"', last) % 2 == 1:
                return False
    except csv.Error:
        return False
    finally:
        csv.field_size_limit(limit)
    return True


class _Lines:
    """The lines of a text, and where the next one begins."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.at >= len(self._text):
            raise StopIteration
        start = self.at
        newline = self._text.find("\n", start)
        self.at = len(self._text) if newline < 0 else newline + 1
        return self._text[start : self.at]
