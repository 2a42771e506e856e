"""3,000 files spoilt by chance: whatever comes of them keeps every promise, and the pipeline's process stands."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
import pytest
from faults.fuzz_seeds import seeds
from faults.fuzzing import MEMORY_MB, SECONDS, SETTINGS, mutated, outcomes

from corpus.parsers.sandbox.pool import Sandbox

CODE, OTHERS = 40, 170  #: files of each language, and of each other kind
KINDS = ["md", "html", "txt", "log", "eml", "rst", "csv", "tsv", "ipynb", "pdf", "docx", "pptx", "xlsx"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(seconds=SECONDS, memory_mb=MEMORY_MB, processes=2, settings=SETTINGS) as made:
        yield made
    left = psutil.Process().children(recursive=True)
    assert [
        p for p in left if p.status() == psutil.STATUS_ZOMBIE or "corpus.parsers.sandbox.worker" in p.cmdline()
    ] == []


def files_of(name: str) -> int:
    return OTHERS if name.rpartition(".")[2] in KINDS else CODE


def test_there_are_three_thousand_of_all_kinds() -> None:
    assert {name.rpartition(".")[2] for name in seeds()} >= set(KINDS)
    assert sum(map(files_of, seeds())) >= 3000


def test_the_same_number_gives_the_same_file() -> None:
    assert all(mutated(name, 7) == mutated(name, 7) != mutated(name, 8) for name in seeds())


@pytest.mark.parametrize("name", seeds())
def test_a_spoilt_file_gives_a_document_that_keeps_all_promises_or_an_error_that_helps(
    sandbox: Sandbox, name: str
) -> None:
    files = [(name, number) for number in range(files_of(name))]
    found = list(outcomes(sandbox, files))
    assert [(outcome.name, outcome.number) for outcome in found] == files
    assert [outcome for outcome in found if outcome.broken] == []
