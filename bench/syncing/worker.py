"""The process that a tool syncs in: `python -m bench.syncing.worker MODULE`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from bench.serving import serve
from bench.syncing import hashed
from bench.syncing.task import Task


def _answer(module: Any, question: dict[str, Any]) -> dict[str, Any]:
    if question["what"] == "new":
        before, after = (_chunks(module, Path(file)) for file in question["files"])
        return {"chunks": len(after), "new": len(after - before)}
    started = time.perf_counter()
    said = module.sync(Task(**question["task"]))
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "calls": hashed.handed.calls, "texts": hashed.handed.texts, **said}


def _chunks(module: Any, file: Path) -> set[str]:
    """The texts that the tool's splitter makes of a file's; equal ones count once."""
    texts = json.loads(file.read_text(encoding="utf-8"))
    return {chunk for path, text in texts for chunk in module.chunks(path, text)}


if __name__ == "__main__":
    serve(_answer)
