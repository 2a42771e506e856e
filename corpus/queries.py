"""The SQL of the pipeline, read from `sql/queries/*.sql`.

A file holds named statements, each after a line `-- name: the_name`. Parameters are always bound.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import LiteralString

from corpus.errors import ConfigError


def sql_folder() -> Path:
    """The folder with `migrations/` and `queries/`: `KERF_SQL`, or `sql` beside the package.

    Raises `ConfigError` if it is not there.
    """
    folder = Path(os.environ.get("KERF_SQL") or Path(__file__).resolve().parent.parent / "sql")
    if not (folder / "migrations").is_dir():
        raise ConfigError(f"{folder} does not hold Kerf's SQL", hint="set KERF_SQL to the folder sql of the project")
    return folder


@cache
def _statements() -> dict[str, LiteralString]:
    found: dict[str, LiteralString] = {}
    for file in sorted((sql_folder() / "queries").glob("*.sql")):
        parts = re.split(r"^-- name: (\w+)\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, statement in zip(parts[1::2], parts[2::2], strict=True):
            if name in found:
                raise ValueError(f"two statements are called {name}")
            found[name] = statement.strip()
    return found


def query(name: str) -> LiteralString:
    """The statement `name`. It comes from a file of the project, never from input."""
    return _statements()[name]
