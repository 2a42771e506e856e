"""The documents of `bench.faults`, in several formats, and how they change from one night to the next."""

from __future__ import annotations

import email.message
import json
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path

Files = Mapping[str, bytes]  #: by their addresses

CHANGED = 0.3  #: share of the documents that the second night finds changed, half of them moved, a fifth deleted

_AT = 1_700_000_000  #: an mtime that nobody doubts
_WORDS = [
    "harbour",
    "mole",
    "buoy",
    "crane",
    "ferry",
    "quay",
    "rope",
    "tide",
    "berth",
    "fuel",
    "light",
    "chart",
    "depth",
]


def first_night(documents: int, seed: int) -> dict[str, bytes]:
    """Documents of several formats; some texts stand in several, and one document cannot be read."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    shared = [_paragraph(dice) for _ in range(max(1, documents // 10))]
    files: dict[str, bytes] = {"broken/empty.md": b""}
    for number in range(documents - 1):
        suffix, written = _FORMATS[number % len(_FORMATS)]
        parts = [_paragraph(dice), dice.choice(shared), _paragraph(dice)]
        files[f"folder{number % 7}/{number:04}.{suffix}"] = written(f"Page {number}", parts).encode()
    return files


def second_night(files: Files, seed: int) -> dict[str, bytes]:
    """The same documents after a day: some are edited, some moved, some gone, some new; the broken one is whole."""
    dice = random.Random(seed + 1)  # noqa: S311 - no secret
    after = dict(files)
    after["broken/empty.md"] = b"# Whole again\n\nThe gate is open.\n"
    for number, uri in enumerate(dice.sample(sorted(set(files) - {"broken/empty.md"}), round(CHANGED * len(files)))):
        content = after.pop(uri)
        suffix = uri.rpartition(".")[2]
        match number % 5:
            case 0:
                after[f"new/{number:04}.{suffix}"] = dict(_FORMATS)[suffix](
                    f"New {number}", [_paragraph(dice)]
                ).encode()
            case 1 | 2:
                after[f"moved/{uri}"] = content
            case _:
                after[uri] = dict(_FORMATS)[suffix](f"Edited {number}", [_paragraph(dice), _paragraph(dice)]).encode()
    return after


def write(files: Files, folder: Path) -> None:
    """Make a folder hold these files, and nothing else."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for uri, content in files.items():
        path = folder / uri
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            os.utime(path, (_AT, _AT + len(content)))


def _paragraph(dice: random.Random) -> str:
    return " ".join(" ".join(dice.choices(_WORDS, k=9)).capitalize() + "." for _ in range(5))


def _markdown(title: str, parts: list[str]) -> str:
    return f"# {title}\n\n" + "".join(f"## Part {number}\n\n{part}\n\n" for number, part in enumerate(parts))


def _html(title: str, parts: list[str]) -> str:
    body = "".join(f"<h2>Part {number}</h2><p>{part}</p>" for number, part in enumerate(parts))
    return f"<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"


def _rst(title: str, parts: list[str]) -> str:
    return f"{title}\n{'=' * len(title)}\n\n" + "".join(
        f"Part {n}\n------\n\n{part}\n\n" for n, part in enumerate(parts)
    )


def _text(title: str, parts: list[str]) -> str:
    return "\n\n".join([title, *parts]) + "\n"


def _csv(title: str, parts: list[str]) -> str:
    rows = [sentence.split() for part in parts for sentence in part.split(". ")]
    return "\n".join(
        [f"page,first,last,{title}", *(f"{n},{row[0]},{row[-1]},{len(row)}" for n, row in enumerate(rows))]
    )


def _python(title: str, parts: list[str]) -> str:
    return f'"""{title}."""\n\n' + "\n\n".join(
        f'def part{n}() -> str:\n    return "{part}"\n' for n, part in enumerate(parts)
    )


def _notebook(title: str, parts: list[str]) -> str:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": f"## {title}\n\n{part}"} for part in parts]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _mail(title: str, parts: list[str]) -> str:
    message = email.message.EmailMessage()
    message["Subject"], message["From"], message["To"] = title, "quay@example.org", "mole@example.org"
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    message.set_content("\n\n".join(parts) + "\n")
    return message.as_string()


_FORMATS: tuple[tuple[str, Callable[[str, list[str]], str]], ...] = (
    ("md", _markdown),
    ("html", _html),
    ("txt", _text),
    ("py", _python),
    ("rst", _rst),
    ("csv", _csv),
    ("ipynb", _notebook),
    ("eml", _mail),
)
