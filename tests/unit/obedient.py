"""A parser that does what the document says, to see what a hostile one could do: the document is a program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: run by the interpreter of the parser's process before anything else
_PARSER = """
import corpus.parsers.base
corpus.parsers.base.PARSERS["text/plain"] = "obedient_parser:Obedient"
"""

_OBEDIENT = """
from chunkers.document import Block, Document, Kind
from corpus.parsers import progress
from corpus.parsers.base import Parsed

class Obedient:
    name, version, reads = "obedient", 1, frozenset()

    def parse(self, data, media_type, settings):
        said = []
        exec(data, {"say": said.append, "reached": progress.reached})
        text = "\\n".join(map(str, said)) or "done"
        return Parsed(Document(text, (Block(Kind.PARAGRAPH, 0, len(text)),), media_type, text_is_source=True))
"""


def begin_workers_with(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have every parser process that is started from now on run `program` first."""
    folder.joinpath("sitecustomize.py").write_text(program)
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


def obey(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have plain text (`.txt`) run in the parser process; what it passes to `say` is the document's text."""
    folder.joinpath("obedient_parser.py").write_text(_OBEDIENT)
    begin_workers_with(folder, monkeypatch, _PARSER)
