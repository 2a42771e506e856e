"""The process that a tool cuts in: `python -m bench.cutters.worker MODULE`."""

from __future__ import annotations

import gc
import json
import time
from pathlib import Path
from typing import Any

from bench.serving import serve

#: what is cut before the clock starts, so that what is loaded late is there
_FIRST = "A sentence of no importance.\n"
_FIRST_OF_CODE = "first = 1\n"


def _chunked(module: Any, question: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    file, asked = question
    texts = json.loads(Path(file).read_text(encoding="utf-8"))
    cutter = module.cutter(**asked)
    ready: dict[tuple[str, str], Any] = {}
    for name, text in texts:
        key = (name, text)
        if key not in ready:
            ready[key] = cutter.prepare(name, text)
    name = texts[0][0]
    cutter.cut(cutter.prepare(name, _FIRST_OF_CODE if name.endswith(".py") else _FIRST))
    inputs = [ready[name, text] for name, text in texts]
    gc.collect()
    gc.freeze()  # what waits to be cut is looked through by no collection
    chunks: list[Any] = []
    refused: list[str] = []
    start = time.process_time()
    for one in inputs:
        try:
            chunks.append(cutter.cut(one))
        except Exception as error:  # noqa: BLE001 - a text that a tool refuses costs it that text
            chunks.append([])
            refused.append(f"{texts[len(chunks) - 1][0]}: {type(error).__name__}: {error}")
    return {"cpu": time.process_time() - start, "chunks": chunks, "refused": refused}


if __name__ == "__main__":
    serve(_chunked)
