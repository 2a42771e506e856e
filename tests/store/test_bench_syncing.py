"""What the bench of syncs takes for granted, on a real database: its counts, and a corpus that it made larger."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from bench.syncing import counting, files, hashed, kerf
from bench.syncing.multiplied import multiply
from bench.syncing.task import SIZE, Task
from corpus import config as configuration
from corpus import pipeline


@pytest.fixture
def task(tmp_path: Path, database: str) -> Task:
    (tmp_path / "home").mkdir()
    return Task(str(tmp_path / "files"), str(tmp_path / "home"), database, "", is_first=True)


def sync(task: Task) -> tuple[dict[str, int], int]:
    before = hashed.handed.texts
    said = kerf.sync(task)
    return said["documents"], hashed.handed.texts - before


def test_a_corpus_that_was_made_larger_is_found_unchanged(task: Task):
    texts = dict(files.texts(30))
    files.lay(Path(task.folder), {}, texts)
    documents, embedded = sync(task)
    new = {chunk for path, text in texts.items() for chunk in kerf.chunks(path, text)}
    assert (documents["new"], embedded) == (30, len(new))
    assert max(map(len, new)) <= SIZE

    multiply(task, Path(task.folder), texts, 100)
    assert len(list(Path(task.folder).rglob("*.md"))) == 100
    before = counting.rows(task.dsn, (r"sync\_%", "cost_ledger", "schema_migrations"))
    documents, embedded = sync(task)
    written = counting.rows(task.dsn, (r"sync\_%", "cost_ledger", "schema_migrations")) - before
    assert (documents, embedded) == (dict.fromkeys(documents, 0) | {"unchanged": 100}, 0)
    assert written.index == 0
    assert written.books > 0

    copies = [path for path in Path(task.folder).rglob("*.md") if str(path.relative_to(task.folder)) not in texts]
    copies[0].unlink()
    copies[1].write_text("# Another\n\nThis is another text.\n")
    planned = pipeline.preview(configuration.load(Path(task.home) / "corpora.yaml"), task.dsn, "bench", quick=True)
    assert {name: planned["documents"][name] for name in ("changed", "deleted", "unchanged")} == {
        "changed": 1,
        "deleted": 1,
        "unchanged": 98,
    }


def test_rows_are_counted_by_what_they_are_for(database: str):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE of_the_index (n integer)")
        connection.execute("CREATE TABLE of_the_books (n integer)")
    before = counting.rows(database, ["of\\_the\\_books"])
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO of_the_index SELECT generate_series(1, 5)")
        connection.execute("UPDATE of_the_index SET n = n + 1 WHERE n > 3")
        connection.execute("INSERT INTO of_the_books VALUES (1)")
        connection.execute("DELETE FROM of_the_books")
    assert counting.rows(database, ["of\\_the\\_books"]) - before == counting.Rows(index=7, books=2)
