"""Jupyter notebooks: Markdown cells as Markdown, code cells as code in the kernel's language, outputs below them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from chunkers.document import Block, Document, Kind
from corpus.errors import ParseError
from corpus.parsers import decode, progress
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.draft import table_text
from corpus.parsers.markdown.parser import MarkdownParser
from corpus.parsers.notebook.outputs import LIMIT, Output, outputs_of, text_of

_OLDEST = 3  #: version of the format
_NAMED = 20  #: cells that a warning names
_FENCES = re.compile(r"`{3,}")
_MAGIC = re.compile(r"%%(bash|sh|sql|html|javascript|js|latex|perl|ruby|R|markdown|writefile \S+)\b")
_BLANK_LINE = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
#: a picture inside a text: no words, but many letters
_PICTURE = re.compile(r"(data:[\w.+-]{1,100}/[\w.+-]{1,100};base64,)([A-Za-z0-9+/=\s]{200,})")


class NotebookParser:
    """Reads notebooks of the formats 3 and 4 into Markdown-like text."""

    name: ClassVar[str] = "notebook"
    version: ClassVar[int] = 2
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:
        """Parse; outputs are cut to `LIMIT` characters for each cell, pictures are left out.

        Raises `ParseError` for what is no JSON, or no notebook.
        """
        decoded = decode.decode(data)
        notebook = _load(decoded.text)
        metadata = _mapping(notebook.get("metadata"))
        written = _Written(_language(metadata), settings)
        cells = _cells(notebook)
        for number, cell in enumerate(cells, 1):
            progress.reached(f"cell {number} of {len(cells)}")
            written.cell(number, cell)
        document = Document(
            text="".join(written.parts),
            blocks=tuple(written.blocks),
            media_type=media_type,
            text_is_source=False,
            title=_title(metadata) or written.title or written.heading,
            date=written.date,
            author=_authors(metadata) or written.author,
            tags=_texts(metadata.get("tags")) or written.tags,
            encoding=decoded.encoding,
            replaced=decoded.replaced + written.replaced,
            warnings=_warnings(written.cut),
            missing=tuple(written.missing),
        )
        return Parsed(document, left_out=tuple(written.left_out))


@dataclass(slots=True)
class _Written:
    """The document as it is put together, cell by cell."""

    language: str  #: of the kernel
    settings: Settings
    parts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    title: str | None = None  #: as front matter says, and so the next ones
    author: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()
    heading: str | None = None  #: the first one
    replaced: int = 0
    cut: dict[int, int] = field(default_factory=dict)  #: cell → characters of its outputs that were too many
    missing: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  #: pictures in texts
    _length: int = 0
    _path: list[tuple[int, str]] = field(default_factory=list)  #: open headings

    def cell(self, number: int, cell: object) -> None:
        """Write one cell with its outputs."""
        if not isinstance(cell, dict):
            self.missing.append(f"cell {number}: it is not an object")
            return
        kind = cell.get("cell_type")
        source = self._clean(text_of(cell.get("source", cell.get("input"))))
        if kind == "code":
            self._code(source, _own_language(cell, source) or self.language)
            for output in outputs_of(cell):
                if output.cut:
                    self.cut[number] = self.cut.get(number, 0) + output.cut
                self._output(output)
        elif kind == "heading":
            level = cell.get("level")
            depth = level if isinstance(level, int) and 1 <= level <= 6 else 1
            self._markdown(f"{'#' * depth} {' '.join(source.split())}")
        elif kind == "markdown" or (source.startswith("---\n") and not self.blocks):
            self._markdown(source)
        else:
            for paragraph in _BLANK_LINE.split(source):
                self._put(Kind.PARAGRAPH, paragraph.strip("\n"))

    def _clean(self, text: str) -> str:
        """Text as a document holds it."""
        cleaned, replaced = decode.clean(text.replace("\r\n", "\n").replace("\r", "\n"))
        self.replaced += replaced
        return cleaned

    def _output(self, output: Output) -> None:
        text = self._clean(output.text).strip("\n")
        if output.rows is not None:
            rows = tuple(tuple(self._clean(cell) for cell in row) for row in output.rows)
            self._put(Kind.TABLE, table_text(rows), rows=rows)
        elif output.kind is Kind.CODE:
            self._code(text, "")
        else:
            self._markdown(text, is_output=True)

    def _code(self, source: str, language: str) -> None:
        source = source.strip("\n").rstrip()
        if source.strip():
            fence = "`" * max(3, 1 + max((len(run) for run in _FENCES.findall(source)), default=0))
            self._put(Kind.CODE, f"{fence}{language}\n{source}\n{fence}")

    def _markdown(self, source: str, *, is_output: bool = False) -> None:
        """The blocks of a Markdown text; headings that a program gave out open no sections."""
        source = _PICTURE.sub(self._without_picture, source)
        if not source.strip():
            return
        document = MarkdownParser().parse(source.encode("utf-8"), "text/markdown", self.settings).document
        self._start()
        for block in document.blocks:
            kind, level = block.kind, block.level
            if kind is Kind.HEADING and is_output:
                kind, level = Kind.PARAGRAPH, None
            elif kind is Kind.HEADING:
                self._open(level or 1, block.section_path[-1])
            self._block(replace(block, kind=kind, level=level), self._length)
        if any(block.kind is Kind.METADATA for block in document.blocks):
            self.title, self.author, self.date, self.tags = (
                document.title, document.author, document.date, document.tags,
            )  # fmt: skip
        self._write(document.text.rstrip())

    def _without_picture(self, found: re.Match[str]) -> str:
        self.left_out.append(found[2])
        return f"{found[1]}…"

    def _open(self, level: int, title: str) -> None:
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, title))
        self.heading = self.heading or title

    def _put(self, kind: Kind, text: str, *, rows: tuple[tuple[str, ...], ...] | None = None) -> None:
        if text.strip():
            self._start()
            self._block(Block(kind, 0, len(text), rows=rows), self._length)
            self._write(text)

    def _block(self, block: Block, shift: int) -> None:
        path = tuple(title for _, title in self._path)
        self.blocks.append(replace(block, start=block.start + shift, end=block.end + shift, section_path=path))

    def _start(self) -> None:
        if self.parts:
            self._write("\n\n")

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)


def _load(text: str) -> Mapping[str, Any]:
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        conflict = "<<<<<<<" in text and ">>>>>>>" in text
        raise ParseError(
            f"the notebook is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint="resolve the merge conflict in it" if conflict else "open it in Jupyter and save it, or replace it",
        ) from error
    except (RecursionError, ValueError) as error:
        raise ParseError(f"the notebook cannot be read: {error}", hint="replace it, or exclude it") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells", notebook.get("worksheets")), list):
        raise ParseError("this is JSON, but no notebook: it has no cells", hint="give it the extension .json")
    version = notebook.get("nbformat")
    if isinstance(version, int) and version < _OLDEST:
        raise ParseError(
            f"the notebook has version {version} of the format; {_OLDEST} and later are read",
            hint="convert it: jupyter nbconvert --to notebook --inplace FILE",
        )
    return notebook


def _cells(notebook: Mapping[str, Any]) -> list[object]:
    if isinstance(notebook.get("cells"), list):
        return list(notebook["cells"])
    return [cell for sheet in notebook["worksheets"] for cell in _sheet(sheet)]


def _sheet(sheet: object) -> Iterator[object]:
    cells = _mapping(sheet).get("cells")
    yield from cells if isinstance(cells, list) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each.strip() for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _language(metadata: Mapping[str, Any]) -> str:
    """The kernel's language, as it would be named after the fence of a block of code."""
    for key, name in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        if isinstance(said := _mapping(metadata.get(key)).get(name), str) and said.strip():
            return re.sub(r"[^\w+#.-]", "", "python" if said.startswith(("ipython", "python")) else said.lower())
    return ""


def _own_language(cell: Mapping[str, Any], source: str) -> str:
    """The language of a cell that need not be the kernel's: by its magic, or as the format or the editor says."""
    if magic := _MAGIC.match(source):
        name = magic[1].rpartition(".")[2] if magic[1].startswith("writefile") else magic[1]
        return re.sub(r"[^\w+#.-]", "", name)
    said = cell.get("language") or _mapping(_mapping(cell.get("metadata")).get("vscode")).get("languageId")
    return re.sub(r"[^\w+#.-]", "", said) if isinstance(said, str) else ""


def _title(metadata: Mapping[str, Any]) -> str | None:
    title = metadata.get("title") or metadata.get("name")
    return decode.clean(" ".join(title.split()))[0] or None if isinstance(title, str) else None


def _authors(metadata: Mapping[str, Any]) -> str | None:
    authors = metadata.get("authors")
    names = [_mapping(each).get("name") for each in authors] if isinstance(authors, list) else []
    return ", ".join(decode.clean(name)[0] for name in names if isinstance(name, str)) or None


def _warnings(cut: Mapping[int, int]) -> tuple[str, ...]:
    if not cut:
        return ()
    named = ", ".join(f"cell {number} ({size:,} characters)" for number, size in list(cut.items())[:_NAMED])
    more = f" and {len(cut) - _NAMED} more" if len(cut) > _NAMED else ""
    return (f"outputs were cut to {LIMIT:,} characters for each cell: {named}{more}",)
