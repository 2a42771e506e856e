"""The texts that are cut: where they lie, and how they change."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

Text = tuple[str, str]  #: name, text

_SENTENCE_END = re.compile(r"[.!?] (?=\S)")
_NOT_OF_THE_LIBRARY = frozenset({"site-packages", "test", "tests", "idle_test", "__pycache__"})


class NoData(Exception):
    """The folder of the documents is not there, or lacks what is asked for."""


def data_folder(*needed: str) -> Path:
    """The folder that KERF_TEST_DATA names. Raises `NoData` if it, or one of `needed` in it, is not there."""
    named = os.environ.get("KERF_TEST_DATA")
    if not named:
        raise NoData(f"KERF_TEST_DATA is not set: it must name the folder with {', '.join(needed)}")
    folder = Path(named).absolute()
    if missing := [name for name in needed if not (folder / name).exists()]:
        raise NoData(f"KERF_TEST_DATA names {folder}, which has no {', '.join(missing)}")
    return folder


def written(texts: Sequence[Text], folder: Path, name: str) -> Path:
    """Write texts as the cutters read them."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(texts), encoding="utf-8")
    return file


def corpora(data: Path) -> list[Text]:
    """The five texts of Chroma's evaluation."""
    return [(path.name, path.read_text("utf-8")) for path in sorted((data / "chroma-eval" / "corpora").glob("*.md"))]


def chinese(data: Path) -> list[Text]:
    """The paragraphs of CMRC 2018 and of XQuAD in Chinese, each a text."""
    files = [*sorted((data / "cmrc2018").glob("*.json")), data / "xquad" / "xquad.zh.json"]
    forms = [json.loads(file.read_text("utf-8")) for file in files]
    found = [paragraph["context"] for form in forms for one in form["data"] for paragraph in one["paragraphs"]]
    return [(f"{number}.txt", text) for number, text in enumerate(found)]


def standard_library() -> list[Text]:
    """The modules of this Python's standard library, its tests left out, read as Python would."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(p for p in root.rglob("*.py") if not _NOT_OF_THE_LIBRARY & set(p.relative_to(root).parts))
    texts = []
    for path in paths:
        text = path.read_bytes().decode("utf-8", errors="replace")
        texts.append((str(path.relative_to(root)), text.replace("\r\n", "\n").lstrip("\ufeff")))
    return [(name, text) for name, text in texts if text.strip() and "\ufffd" not in text]


def with_a_sentence(text: str, edits: int, seed: str) -> Iterator[str]:
    """The text with one new sentence after one of its own, another one at another place each time."""
    chance = random.Random(seed)  # noqa: S311 - the same edits in every run
    places = [match.end() for match in _SENTENCE_END.finditer(text)]
    for number in range(edits):
        at = chance.choice(places)
        yield f"{text[:at]}In case {number} of {chance.randrange(9999)} the clerk wrote down another date. {text[at:]}"


def nights(bundle: Path) -> tuple[list[Mapping[str, str]], dict[str, str]]:
    """The states of a history, oldest first, each path → blob; and the text of every blob."""
    with tempfile.TemporaryDirectory() as folder:
        _git("clone", "--quiet", "--bare", str(bundle), folder)
        commits = _git("-C", folder, "rev-list", "--reverse", "main").decode().split()
        states: list[Mapping[str, str]] = []
        for commit in commits:
            listing = _git("-C", folder, "ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
            entries = (entry.partition("\t") for entry in listing.split("\0") if entry)
            states.append({path: about.split()[2] for about, _, path in entries})
        blobs = {blob for state in states for blob in state.values()}
        return states, {blob: _git("-C", folder, "cat-file", "blob", blob).decode("utf-8") for blob in sorted(blobs)}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout  # noqa: S603, S607 - our own
