"""What a parser is, and which parser reads what."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Protocol

from chunkers.document import Document
from corpus.errors import UnsupportedFormat


class Parser(Protocol):
    """Turns bytes into the one form. A parser does no I/O beside the bytes that it is given."""

    name: ClassVar[str]
    version: ClassVar[int]  #: raised whenever the same bytes give another document

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:
        """Parse `data`; `pages` is the most pages that may be read.

        Raises `ParseError`, `PartialParse` or `LimitExceeded`. Language and fallback titles are not a parser's work.
        """


#: media type → module and class; modules are imported when first needed
PARSERS: dict[str, str] = {
    "text/markdown": "corpus.parsers.markdown:MarkdownParser",
    "text/html": "corpus.parsers.html:HtmlParser",
    "application/xhtml+xml": "corpus.parsers.html:HtmlParser",
    "text/plain": "corpus.parsers.text:TextParser",
    "text/x-log": "corpus.parsers.text:TextParser",
    "application/pdf": "corpus.parsers.pdf:PdfParser",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "corpus.parsers.office:OfficeParser",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "corpus.parsers.office:OfficeParser",
    "text/x-python": "corpus.parsers.code:CodeParser",
    "text/javascript": "corpus.parsers.code:CodeParser",
    "text/typescript": "corpus.parsers.code:CodeParser",
    "text/tsx": "corpus.parsers.code:CodeParser",
    "text/x-go": "corpus.parsers.code:CodeParser",
    "text/x-sql": "corpus.parsers.code:CodeParser",
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
