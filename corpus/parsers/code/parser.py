"""Source code and data in text → blocks, through tree-sitter; SQL through a scanner of statements.

Symbols are what a reader looks for by name: functions, methods, classes' heads, types, constants, the keys of a
configuration. Everything else is a block of code. A file with syntax errors loses nothing: what cannot be understood
is code.
"""

from __future__ import annotations

import re
from typing import ClassVar

from chunkers.document import Document
from corpus.errors import UnsupportedFormat
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.code.blocks import blocks_of
from corpus.parsers.code.languages import LANGUAGES
from corpus.parsers.code.languages.c import is_cplusplus
from corpus.parsers.code.sql import statements
from corpus.parsers.code.walk import Walk
from corpus.parsers.decode import decode

#: the encoding that a Python file names in its first two lines (PEP 263)
_DECLARED = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")


class CodeParser:
    """Reads source code. The text is the source, so that spans are places in the file."""

    name: ClassVar[str] = "code"
    version: ClassVar[int] = 3
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse a source file in the language of `media_type`; what is called C and is C++ is read as C++.

        Raises `ParseError` for bytes that are not text, `UnsupportedFormat` for another language.
        """
        declared = _DECLARED.match(data) if media_type == "text/x-python" else None
        decoded = decode(data, declared[1].decode("ascii") if declared else None)
        text = decoded.text
        encoded = text.encode("utf-8")
        if media_type == "text/x-c" and is_cplusplus(text):
            media_type = "text/x-c++"
        if media_type == "text/x-sql":
            blocks = blocks_of(text, encoded, statements(text))
        elif media_type in LANGUAGES:
            blocks = blocks_of(text, encoded, Walk(LANGUAGES[media_type]).seen(encoded))
        else:
            raise UnsupportedFormat(
                f"no grammar for {media_type}", hint=f"there are {', '.join(LANGUAGES)}", stage="parse"
            )
        return Parsed(
            Document(
                text=text,
                blocks=blocks,
                media_type=media_type,
                text_is_source=True,
                encoding=decoded.encoding,
                replaced=decoded.replaced,
            )
        )
