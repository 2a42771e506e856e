"""What a parser is, and which parser reads what."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol

from chunkers.document import Document
from corpus.errors import UnsupportedFormat


@dataclass(frozen=True, slots=True)
class Settings:
    """What a corpus asks of the parsers. Each parser names those that it reads."""

    pages: int = 5000  #: the most pages that may be read
    pdf: str = "layout"  #: layout, unstructured-fast or unstructured-hi-res
    ocr_languages: tuple[str, ...] = ("eng",)  #: as tesseract names them; none: scans are not read
    ocr_seconds: float = 60.0  #: wall clock that a page may take, beside that of the document


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser makes of bytes."""

    document: Document
    left_out: tuple[str, ...] = ()  #: texts that it saw and left out on purpose: menus, running heads, page numbers


class Parser(Protocol):
    """Turns bytes into the one form. A parser does no I/O beside the bytes that it is given."""

    name: ClassVar[str]
    version: ClassVar[int]  #: raised whenever the same bytes give another document
    reads: ClassVar[frozenset[str]]  #: fields of `Settings` that change what comes out

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:
        """Parse `data`.

        What it knows that it did not get goes into the document's `missing`. Raises `ParseError` or `LimitExceeded`.
        Language and fallback titles are not a parser's work.
        """


_CODE = "corpus.parsers.code.parser:CodeParser"
_OFFICE = "corpus.parsers.office.parser:OfficeParser"
_OPEN_XML = "application/vnd.openxmlformats-officedocument."

#: media type → module and class; modules are imported when first needed
PARSERS: dict[str, str] = {
    "text/markdown": "corpus.parsers.markdown.parser:MarkdownParser",
    "text/html": "corpus.parsers.html.parser:HtmlParser",
    "application/xhtml+xml": "corpus.parsers.html.parser:HtmlParser",
    "text/plain": "corpus.parsers.text:TextParser",
    "text/x-log": "corpus.parsers.text:TextParser",
    "text/x-rst": "corpus.parsers.rst.parser:RstParser",
    "application/pdf": "corpus.parsers.pdf.parser:PdfParser",
    f"{_OPEN_XML}wordprocessingml.document": _OFFICE,
    f"{_OPEN_XML}presentationml.presentation": _OFFICE,
    f"{_OPEN_XML}spreadsheetml.sheet": "corpus.parsers.spreadsheet.parser:SpreadsheetParser",
    "text/csv": "corpus.parsers.delimited.parser:DelimitedParser",
    "text/tab-separated-values": "corpus.parsers.delimited.parser:DelimitedParser",
    "message/rfc822": "corpus.parsers.mail.parser:MailParser",
    "application/x-ipynb+json": "corpus.parsers.notebook.parser:NotebookParser",
    "text/x-python": _CODE,
    "text/javascript": _CODE,
    "text/typescript": _CODE,
    "text/tsx": _CODE,
    "text/x-go": _CODE,
    "text/x-sql": _CODE,
    "text/x-java": _CODE,
    "text/x-rust": _CODE,
    "text/x-c": _CODE,
    "text/x-c++": _CODE,
    "text/x-csharp": _CODE,
    "text/x-ruby": _CODE,
    "text/x-php": _CODE,
    "text/x-shellscript": _CODE,
    "text/x-kotlin": _CODE,
    "text/x-dockerfile": _CODE,
    "text/css": _CODE,
    "application/yaml": _CODE,
    "application/toml": _CODE,
    "application/json": _CODE,
}


def parser_for(media_type: str) -> Parser:
    """The parser that reads `media_type`; raises `UnsupportedFormat` if there is none."""
    if media_type not in PARSERS:
        raise UnsupportedFormat(
            f"no parser reads {media_type}", hint="exclude it in corpora.yaml, or convert it", stage="parse"
        )
    module, _, name = PARSERS[media_type].partition(":")
    made: Any = getattr(import_module(module), name)()
    parser: Parser = made
    return parser


@dataclass(frozen=True, slots=True)
class Declared:
    """What a parser says of itself; see `Parser`."""

    name: str
    version: int
    reads: frozenset[str]


def declared(media_type: str) -> Declared:
    """What the parser of `media_type` says of itself; raises `UnsupportedFormat` if there is none.

    A parser that nothing has imported yet is not imported for it: planning asks this of all, and parses nothing.
    """
    module, _, name = PARSERS.get(media_type, "").partition(":")
    found = _written(module, name) if module and module not in sys.modules else None
    if found is None:
        parser = parser_for(media_type)
        found = Declared(parser.name, parser.version, parser.reads)
    return found


@lru_cache(maxsize=64)
def _written(module: str, name: str) -> Declared | None:
    """What stands in a parser's source; None if it does not stand there as in all others."""
    file = _ROOT.joinpath(*module.split(".")).with_suffix(".py")
    source = file.read_text(encoding="utf-8") if file.is_file() else ""
    body = source.partition(f"\nclass {name}:\n")[2]
    said = dict(_DECLARATION.findall(body.partition("\n    def ")[0]))
    if said.keys() != {"name", "version", "reads"} or not said["version"].isdigit():
        return None
    return Declared(said["name"].strip('"'), int(said["version"]), frozenset(_QUOTED.findall(said["reads"])))


_ROOT = Path(__file__).resolve().parents[2]
_DECLARATION = re.compile(r"^    (name|version|reads): ClassVar\[.+\] = (.+)$", re.MULTILINE)
_QUOTED = re.compile(r'"(\w+)"')
