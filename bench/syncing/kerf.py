"""Kerf: `corpus.pipeline.sync`, as `kerf sync` calls it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

from bench.syncing import model_of_kerf
from bench.syncing.task import CORPUS, SIZE, Task
from corpus import config as configuration
from corpus import pipeline
from corpus.config import Config
from corpus.cutting import cut_document
from corpus.migrations import migrate
from corpus.parsers import parse
from corpus.recipes import accepted, parse_settings

model_of_kerf.register()


def version() -> str:
    """Which Kerf this is."""
    return _version("kerf")


def chunks(path: str, text: str) -> list[str]:
    """The texts of the children that it makes of one, without a database."""
    corpus = Config.model_validate({**_settings("."), "path": "corpora.yaml"}).corpus(CORPUS)
    document = accepted(corpus, parse(text.encode(), uri=path, settings=parse_settings(corpus)), path)
    return [child.text for child in cut_document(document, uri=path, corpus=corpus).children]


def sync(task: Task) -> dict[str, Any]:
    """A sync in this process, and what planning took of it in seconds."""
    file = Path(task.home) / "corpora.yaml"
    if task.is_first:
        file.write_text(json.dumps(_settings(task.folder)))
        migrate(task.dsn)
    config = configuration.load(file)
    with _timed_planning() as planned:
        said = pipeline.sync(config, task.dsn, CORPUS)
    stages = {name: float(took) for name, took in said["seconds"].items()}
    return {"planning": planned.seconds, "stages": stages, "documents": said["documents"]}


@contextmanager
def _timed_planning() -> Iterator[_Timed]:
    plan = pipeline.plan
    pipeline.plan = planned = _Timed(plan)  # `sync` looks it up there
    try:
        yield planned
    finally:
        pipeline.plan = plan


class _Timed:
    def __init__(self, function: Any) -> None:
        self._function = function
        self.seconds = 0.0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        started = time.perf_counter()
        try:
            return self._function(*arguments, **options)
        finally:
            self.seconds += time.perf_counter() - started


def _settings(folder: str) -> dict[str, Any]:
    recipe = {"glob": "**", "recipe": "recursive", "settings": {"size": SIZE, "overlap": 0, "unit": "characters"}}
    body = {
        "source": {"path": folder},
        "cutting": {"headers": False},
        "embedding": {"model": model_of_kerf.MODEL},
        "recipes": [recipe],
    }
    return {"corpora": {CORPUS: body}}
