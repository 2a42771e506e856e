"""What every cut of every chunker promises, over real documents as the parsers give them.

A sample of them here; `KERF_TEST_DOCUMENTS=1 pytest tests/property/test_invariants_on_documents.py` takes all of them,
in half an hour.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_samples import DATA, MEDIA_TYPES
from promises import DOCUMENT, cut, hold, torn_graphemes
from word_pieces import word_pieces

from chunkers import assembly
from chunkers.base import Looking, build, names
from chunkers.document import Document
from corpus.cutting import default_corpus
from corpus.embedding import embedder
from corpus.errors import DocumentError
from corpus.parsers import parse

WHOLE = bool(os.environ.get("KERF_TEST_DOCUMENTS"))
LARGEST = 10**9 if WHOLE else 60_000  #: bytes of a file
LONGEST = 10**9 if WHOLE else 40_000  #: characters of a document
LOOKED_AT = 60_000  #: characters; semantic and cluster compare all units of a long section with each other
SIZES = (None, 64)

EXAMPLES = Path(__file__).parents[2] / "examples"
LIBRARY = Path(sysconfig.get_path("stdlib"))
NOT_DOCUMENTS = frozenset({".json", ".jsonl", ".xml", ".csv", ".txt", ""})  #: golden answers and licences

Named = tuple[str, Document]


def parsed(files: list[tuple[str, bytes]]) -> Iterator[Named]:
    for name, data in files:
        if len(data) > LARGEST:
            continue
        try:
            document = parse(data, uri=name)
        except DocumentError:
            continue  # encrypted, damaged or empty on purpose
        if len(document.text) <= LONGEST:
            yield name, document


def files(folder: Path, step: int, left_out: frozenset[str] = NOT_DOCUMENTS) -> list[tuple[str, bytes]]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in left_out and ".git" not in path.relative_to(folder).parts
    )
    return [(str(path.relative_to(folder)), path.read_bytes()) for path in found[:: 1 if WHOLE else step]]


def check(found: Iterator[Named], recipes: tuple[str, ...] = names()) -> None:
    ruler = word_pieces()
    seen = 0
    for name, document in found:
        for recipe in recipes:
            for size in SIZES:
                chunker = build(recipe, {"size": size})
                if isinstance(chunker, Looking) and len(document.text) > LOOKED_AT:
                    continue
                made = cut(document, chunker, ruler)
                try:
                    hold(document, made, ruler)
                    assert not list(torn_graphemes(document, made, ruler, chunker))
                except AssertionError as broken:
                    broken.add_note(f"{name}, {recipe}, size {size}")
                    raise
        seen += 1
    assert seen


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    ("folder", "step"),
    [("pdfs", 3), ("html", 2), ("office", 2), ("demo-corpus", 6), ("icdar", 8), ("financebench", 3)],
)
def test_every_promise_is_kept_on_files(data_folder: Path, folder: str, step: int) -> None:
    if folder == "financebench" and not WHOLE:
        pytest.skip("reports of hundreds of pages; KERF_TEST_DOCUMENTS=1 takes them")
    check(parsed(files(data_folder / folder, step)))


def test_every_promise_is_kept_on_the_examples() -> None:
    check(parsed(files(EXAMPLES, 6, frozenset({".md", ".sql", ""}) if not WHOLE else frozenset({""}))))


@pytest.mark.timeout(3_600)
def test_every_promise_is_kept_on_prose(data_folder: Path) -> None:
    for name, data in files(data_folder / "chroma-eval" / "corpora", 1):
        text = data.decode()
        text = text if WHOLE else text[:20_000]
        check(parsed([(name, text.encode())]))


@pytest.mark.parametrize("path", ["xquad/xquad.en.json", "xquad/xquad.ru.json", "xquad/xquad.zh.json", "cmrc2018"])
def test_every_promise_is_kept_on_articles_in_three_scripts(data_folder: Path, path: str) -> None:
    file = data_folder / path
    file = file if file.is_file() else next(file.glob("*.json"))
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    step = 1 if WHOLE else len(articles) // 3
    texts = ["\n\n".join(each["context"] for each in article["paragraphs"]) for article in articles[::step]]
    check(parsed([(f"{number}.txt", text.encode()) for number, text in enumerate(texts)]))


@pytest.mark.timeout(3_600)
def test_every_promise_is_kept_on_a_living_documentation(data_folder: Path, tmp_path: Path) -> None:
    bundle = data_folder / "edit-stream.bundle"
    subprocess.run(["git", "clone", "--quiet", str(bundle), str(tmp_path / "docs")], check=True)
    check(parsed(files(tmp_path / "docs", 15)))


def test_every_promise_is_kept_on_code(data_folder: Path) -> None:
    """Of every language; and on files that are taken for another language than they are in."""
    suffixes = {name: name.removesuffix(".txt") for name in MEDIA_TYPES}
    check(parsed([(suffixes[name], (DATA / name).read_bytes()) for name in MEDIA_TYPES][:: 1 if WHOLE else 3]))
    library = sorted(LIBRARY.glob("*.py"))[:: 4 if WHOLE else 60]
    check(parsed([(path.name, path.read_bytes()) for path in library]), ("code", "recursive", "fixed"))
    projects = json.loads((data_folder / "code-qa" / "codebase_chunks.json").read_text(encoding="utf-8"))
    contents = [each["content"] for each in projects][:: 1 if WHOLE else 12]
    check(
        parsed([(f"{number}.rs", content.encode()) for number, content in enumerate(contents)]), ("code", "structure")
    )


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("recipe", ["semantic", "cluster"])
def test_every_promise_is_kept_by_what_looks_through_the_model_in_the_box(data_folder: Path, recipe: str) -> None:
    ruler, model = word_pieces(), embedder(default_corpus().looks_through)
    corpora = files(data_folder / "chroma-eval" / "corpora", 2) + files(data_folder / "html", 4)
    length = 30_000 if WHOLE else 8_000
    seen = 0
    for _, whole in parsed(corpora[:: 1 if WHOLE else 2]):
        document = parse(whole.text[:length].encode(), uri="part.md")
        made = assembly.cut(DOCUMENT, document, build(recipe), ruler, embedder=model)
        hold(document, made, ruler)
        assert assembly.cut(DOCUMENT, document, build(recipe), ruler, embedder=model) == made
        seen += 1
    assert seen
