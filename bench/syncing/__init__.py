"""The tools that bring an index into step with a folder, each in processes of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.processes import BENCH_PYTHON


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its module has `version()`, `chunks(path, text)` and `sync(task)`."""

    name: str  #: as the tables show it
    module: str
    books: tuple[str, ...]  #: of its tables, those that no search reads, as `LIKE` has them
    keeps_files: bool = False  #: what it knows of the source is in files of its own, which nobody counts
    python: Path = BENCH_PYTHON


KERF = Tool("Kerf", "bench.syncing.kerf", (r"sync\_%", "cost_ledger", "schema_migrations"), python=Path(sys.executable))
PEERS = (
    Tool("CocoIndex", "bench.syncing.cocoindex", (), keeps_files=True),
    Tool("LangChain", "bench.syncing.langchain", ("upsertion_record",)),
    Tool("LlamaIndex", "bench.syncing.llama_index", (), keeps_files=True),
)
TOOLS = (KERF, *PEERS)
