"""The example corpora, held against their own papers: golden questions, licences, configuration.

The words of a document are read with libraries other than Kerf's parsers, so that a fault of those cannot hide here.
"""

import html
import json
import re
from functools import cache
from pathlib import Path

import docx
import pptx
import pypdfium2
import pytest

from corpus.config import load
from corpus.globs import matches

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GOLDEN = [json.loads(line) for line in (EXAMPLES / "golden.jsonl").read_text(encoding="utf-8").splitlines()]
FILES = sorted(path for corpus in ("docs", "docs-i18n") for path in (EXAMPLES / corpus).rglob("*") if path.is_file())


def from_pdf(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as pdf:
        return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def from_docx(path: Path) -> str:
    document = docx.Document(str(path))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def from_pptx(path: Path) -> str:
    texts = []
    for slide in pptx.Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                texts.append(shape.text_frame.text)
            if shape.has_table:
                texts.extend(cell.text for row in shape.table.rows for cell in row.cells)
        if slide.has_notes_slide:
            texts.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(texts)


def from_html(path: Path) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8")))


READERS = {".pdf": from_pdf, ".docx": from_docx, ".pptx": from_pptx, ".html": from_html}


@cache
def words(path: Path) -> str:
    text = READERS[path.suffix](path) if path.suffix in READERS else path.read_text(encoding="utf-8")
    return " ".join(text.split())


def test_there_are_thirty_questions_and_each_names_a_document_that_exists():
    assert len(GOLDEN) == 30
    assert len({row["question"] for row in GOLDEN}) == 30
    missing = [row["document"] for row in GOLDEN if not (EXAMPLES / row["corpus"] / row["document"]).is_file()]
    assert missing == []


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["answer"][:30])
def test_an_answer_stands_in_its_document_and_in_no_other_of_both_corpora(row):
    answer = " ".join(row["answer"].split())
    holders = [path for path in FILES if answer in words(path)]
    assert holders == [EXAMPLES / row["corpus"] / row["document"]]


def test_every_file_has_its_licence_and_every_licence_its_file():
    listed = re.findall(r"^\| (docs\S*/\S+) \|", (EXAMPLES / "LICENSES.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(EXAMPLES).as_posix() for path in FILES)


def test_the_corpora_cover_every_format_that_they_are_said_to_have():
    kinds = {path.suffix for path in (EXAMPLES / "docs").rglob("*") if path.is_file()}
    assert kinds == {".md", ".html", ".pdf", ".docx", ".pptx", ".log", ".py", ".ts", ".go", ".sql"}


def test_the_configuration_in_the_repository_names_these_corpora_and_hides_nothing():
    config = load(ROOT / "corpora.yaml")
    assert {name: config.home / corpus.source.path for name, corpus in config.corpora.items()} == {
        "docs": EXAMPLES / "docs",
        "docs-i18n": EXAMPLES / "docs-i18n",
    }
    for corpus in config.corpora.values():
        assert corpus.include == ["**"]
        assert corpus.exclude == []
        assert corpus.permissions == []


def test_every_metadata_rule_of_the_repository_matches_a_document():
    config = load(ROOT / "corpora.yaml")
    for corpus in config.corpora.values():
        source = config.home / corpus.source.path
        uris = [path.relative_to(source).as_posix() for path in FILES if path.is_relative_to(source)]
        assert [rule.glob for rule in corpus.metadata if not any(matches(rule.glob, uri) for uri in uris)] == []
