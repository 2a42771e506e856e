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
    "Shelves.java": "text/x-java",
    "Shelves.kt": "text/x-kotlin",
    "shelves.rs": "text/x-rust",
    "shelves.h": "text/x-c",
    "shelves.c": "text/x-c",
    "shelves.cpp": "text/x-c++",
    "Shelves.cs": "text/x-csharp",
    "shelves.rb": "text/x-ruby",
    "shelves.php": "text/x-php",
    "shelves.sh": "text/x-shellscript",
    "shelves.dockerfile": "text/x-dockerfile",
    "shelves.css": "text/css",
    "shelves.yaml": "application/yaml",
    "shelves.toml": "application/toml",
    "shelves.json": "application/json",
}
