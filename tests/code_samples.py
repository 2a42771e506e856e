"""The source files of `tests/data/code`. The Python one is called .txt so that no linter takes it for project code."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data" / "code"

MEDIA_TYPES = {
    "shelves.py.txt": "text/x-python",
    "basket.js": "text/javascript",
    "loans.ts": "text/typescript",
    "card.tsx": "text/tsx",
    "stacks.go": "text/x-go",
    "lending.sql": "text/x-sql",
}
