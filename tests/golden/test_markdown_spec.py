"""Markdown by its specification: every case yields its blocks, and their spans rebuild the source."""

from __future__ import annotations

import pytest
from markdown_cases import PARTS, Expected

from chunkers.document import Lines
from corpus.parsers.base import Settings
from corpus.parsers.markdown.parser import MarkdownParser

CASES = [
    pytest.param(source, expected, id=f"{part}: {name}")
    for part, cases in PARTS.items()
    for name, source, expected in cases
]


def test_there_are_at_least_150_cases_and_no_two_alike() -> None:
    sources = [source for cases in PARTS.values() for _, source, _ in cases]
    assert len(set(sources)) == len(sources) >= 150


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_a_case_yields_its_blocks_and_they_rebuild_the_source(source: str, expected: list[Expected]) -> None:
    document = MarkdownParser().parse(source.encode(), "text/markdown", Settings()).document
    assert document.text == source
    assert [(block.kind, block.level, source[block.start : block.end]) for block in document.blocks] == expected

    reached, rebuilt, lines = 0, "", Lines(source)
    for block in document.blocks:
        gap = source[reached : block.start]
        assert not gap.strip()
        text = source[block.start : block.end]
        rebuilt += gap + text
        reached = block.end
        first = source.count("\n", 0, block.start) + 1
        assert lines.span(block.start, block.end) == (first, first + text.count("\n"))
    assert not source[reached:].strip()
    assert rebuilt + source[reached:] == source


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_windows_newlines_give_the_same_blocks(source: str, expected: list[Expected]) -> None:
    data = source.replace("\n", "\r\n").encode()
    document = MarkdownParser().parse(data, "text/markdown", Settings()).document
    assert [(block.kind, block.level, document.text[block.start : block.end]) for block in document.blocks] == expected
