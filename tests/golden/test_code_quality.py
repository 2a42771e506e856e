"""The figures of `code` on Python's own standard library, which every machine that runs these tests has."""

from __future__ import annotations

import ast
import os
import sysconfig
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from uuid import UUID

import pytest
from code_samples import DATA, MEDIA_TYPES
from word_pieces import word_pieces

from chunkers.assembly import cut
from chunkers.base import build
from chunkers.chunk import Child
from chunkers.document import Document
from chunkers.tokens import Characters
from corpus.parsers.base import Settings
from corpus.parsers.code.parser import CodeParser

WHOLE = bool(os.environ.get("KERF_TEST_STDLIB"))  #: all of the library with its packages, in minutes
LIBRARY = Path(sysconfig.get_path("stdlib"))
SIZE = 1_500  #: characters

PARSING = 0.86  #: of chunks of `SIZE` characters, as large as the AST splitters of others make them by default
PARSING_AT_THE_MODEL = 0.80  #: of chunks of what the model in the box reads, which holds no whole long docstring


def sources(step: int) -> list[Path]:
    if WHOLE:
        return [path for path in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in path.parts]
    return sorted(LIBRARY.glob("*.py"))[::step]


def is_python(source: str | bytes) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


@dataclass
class Figures:
    """Of many files."""

    chunks: int = 0
    parsing: int = 0
    not_rebuilt: list[str] = field(default_factory=list)
    cut_through: list[tuple[str, str]] = field(default_factory=list)


def figures(paths: list[Path], recipe_settings: dict[str, object], ruler, fits) -> Figures:
    found = Figures()
    chunker = build("code", recipe_settings)
    for path in paths:
        data = path.read_bytes()
        if not is_python(data):  # the library's own tests have files that are wrong on purpose
            continue
        document = CodeParser().parse(data, "text/x-python", Settings()).document
        children = cut(UUID(int=1), document, chunker, ruler).children
        found.chunks += len(children)
        found.parsing += sum(is_python(dedent(child.text)) for child in children)
        if not rebuilt(document, children):
            found.not_rebuilt.append(path.name)
        starts = [child.start for child in children]
        for block in document.blocks:
            at = bisect_right(starts, block.start) - 1
            whole = at >= 0 and block.end <= children[at].end
            if block.symbol and not whole and fits(document.text[block.start : block.end]):
                found.cut_through.append((path.name, block.symbol.name))
    return found


def rebuilt(document: Document, children: tuple[Child, ...]) -> bool:
    """Whether the chunks with the white space between them are the file."""
    at, text = 0, ""
    for child in children:
        between = document.text[at : child.start]
        text += between + child.text
        if between.strip():
            return False
        at = child.end
    return text + document.text[at:] == document.text and not document.text[at:].strip()


def test_chunks_of_1500_characters_are_whole_statements_and_together_the_file() -> None:
    found = figures(sources(3), {"unit": "characters", "size": SIZE}, Characters(), lambda text: len(text) <= SIZE)
    assert found.chunks > 1_000
    assert found.not_rebuilt == []
    assert found.cut_through == []
    assert found.parsing >= PARSING * found.chunks, f"{found.parsing / found.chunks:.1%} of {found.chunks}"


def test_chunks_for_the_model_in_the_box_are_mostly_whole_statements_and_together_the_file() -> None:
    ruler = word_pieces()

    def fits(text: str) -> bool:  # under any header, which takes a third of what the model reads at most
        return len(text) < 2_000 and ruler.count([text])[0] <= (ruler.cap - ruler.overhead) * 2 // 3 - 2

    found = figures(sources(8), {}, ruler, fits)
    assert found.chunks > 500
    assert found.not_rebuilt == []
    assert found.cut_through == []
    assert found.parsing >= PARSING_AT_THE_MODEL * found.chunks, f"{found.parsing / found.chunks:.1%}"


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_every_symbol_of_a_file_in_each_language_is_found_under_its_qualified_name(name: str) -> None:
    """Above a child of its own, or in the text of one that holds it whole under what is around it."""
    document = CodeParser().parse((DATA / name).read_bytes(), MEDIA_TYPES[name], Settings()).document
    children = cut(UUID(int=1), document, build("code", {"size": 60}), word_pieces()).children
    assert rebuilt(document, children)
    for block in document.blocks:
        if block.symbol is None:
            continue
        holding = [child for child in children if child.start < block.end and block.start < child.end]
        whole = [child for child in holding if child.start <= block.start and block.end <= child.end]
        assert any(child.section_path == block.section_path for child in holding) or whole, block.symbol.name
        assert block.symbol.name.endswith(block.section_path[-1])
