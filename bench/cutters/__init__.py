"""The tools that cut text, each with its ways to do so, and the process that asks them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bench.processes import BENCH_PYTHON, Process

_OWN_PYTHON = Path(sys.executable)
_SECONDS = 900.0  #: that a question may take


@dataclass(frozen=True, slots=True)
class Library:
    """A tool: its module has `version()` and `cutter(way, size=, tokenizer=, **options)`, a `Cutter`."""

    name: str  #: as the tables show it
    module: str
    python: Path = BENCH_PYTHON


KERF = Library("Kerf", "bench.cutters.kerf", _OWN_PYTHON)
BASELINES = Library("the", "bench.cutters.baselines", _OWN_PYTHON)
LANGCHAIN = Library("LangChain", "bench.cutters.langchain")
SEMCHUNK = Library("semchunk", "bench.cutters.semchunk")
CHONKIE = Library("Chonkie", "bench.cutters.chonkie")
LLAMA_INDEX = Library("LlamaIndex", "bench.cutters.llama_index")
ASTCHUNK = Library("astchunk", "bench.cutters.astchunk")

LIBRARIES = (KERF, BASELINES, LANGCHAIN, SEMCHUNK, CHONKIE, LLAMA_INDEX, ASTCHUNK)


@dataclass(frozen=True, slots=True)
class Way:
    """One way of one library to cut: a row of a table."""

    library: Library
    name: str  #: what the library's module knows it by
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    said: str = ""  #: what the row adds to the name

    @property
    def row(self) -> str:
        """As the tables show it."""
        return " ".join(part for part in (self.library.name, self.name, self.said) if part)


@dataclass(frozen=True, slots=True)
class Chunked:
    """What a way made of texts."""

    chunks: list[list[str]]  #: of each text, in order
    cpu: float  #: seconds of the processor, in all threads: from texts (Kerf: documents) to chunks, nothing around it
    refused: tuple[str, ...] = ()  #: texts that it raised an error at, with the error; they have no chunks


class CutFailed(Exception):
    """A tool could not cut what it was given."""


def chunked(way: Way, texts: Path, size: int, *, tokenizer: Path | None = None) -> Chunked:
    """Let `way` cut the texts in a process that has cut nothing else but one sentence.

    `texts` is a JSON file: a list of [name, text]. `size` is in tokens of the file `tokenizer`, else in characters.
    Raises `PeerMissing`, and `CutFailed` if the tool did not come to an end.
    """
    library = way.library
    with Process(library.name, "bench.cutters.worker", library.module, library.python, _SECONDS) as process:
        asked = {"way": way.name, "size": size, "tokenizer": str(tokenizer) if tokenizer else None, **way.options}
        answer = process.ask([str(texts), asked])
    if "error" in answer:
        raise CutFailed(f"{way.row}: {answer['error']}")
    refused = tuple(answer["refused"])
    if refused and len(refused) == len(answer["chunks"]):
        raise CutFailed(f"{way.row} refused every text: {refused[0]}")
    return Chunked(answer["chunks"], answer["cpu"], refused)


@cache
def version(library: Library) -> str:
    """Which version of it is installed. Raises `PeerMissing`."""
    with Process(library.name, "bench.cutters.worker", library.module, library.python, _SECONDS) as process:
        return process.version
