"""Very many documents: what planning holds in memory, and how long it takes, for twice and for ten times as many."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from ledger_under_test import OLD, Ledger
from timing import processor_seconds

from chunkers.identity import content_hash
from corpus import pipeline, planner
from corpus.planner import Decided
from corpus.sources import Listed, Read
from corpus.store import Store

FEW, MANY = 20_000, 200_000


@dataclass
class Numbers:
    """A source of as many documents as one likes, none of which exists before it is asked for."""

    documents: int
    changed: frozenset[int] = frozenset()
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0
    place: str = "numbers"

    def list(self) -> Iterator[Listed]:
        for number in range(self.documents):
            yield Listed(uri(number), 100 + (number in self.changed), OLD)

    def read(self, address: str) -> Read:
        return Read(address.encode(), len(address), OLD)


def uri(number: int) -> str:
    return f"folder {number // 100:05}/document {number:07}.md"


def fill(ledger: Ledger, documents: int) -> None:
    """Write rows as if all of them had been published, as today's settings would have it."""
    ledger.published("pattern", "text")
    ledger.read("pattern", "text")
    ledger.execute(
        "CREATE TEMPORARY TABLE made AS SELECT gen_random_uuid() AS id, 'folder ' || lpad((number / 100)::text, 5, '0')"
        " || '/document ' || lpad(number::text, 7, '0') || '.md' AS uri FROM generate_series(0, %(last)s) AS number",
        last=documents - 1,
    )
    for table, key in (("documents", "id"), ("sync_documents", "document_id")):
        columns = [
            name
            for (name,) in ledger.rows(
                "SELECT column_name::text FROM information_schema.columns WHERE table_name = %(table)s", table=table
            )
        ]
        theirs = {key: "made.id", "uri": "made.uri", "size": "100"}
        ledger.execute(
            f"INSERT INTO {table} ({', '.join(columns)})"
            f" SELECT {', '.join(theirs.get(name, f't.{name}') for name in columns)} FROM {table} t, made"
            " WHERE t.uri = 'pattern'"
        )
        ledger.execute(f"DELETE FROM {table} WHERE uri = 'pattern'")
        ledger.execute(f"ANALYZE {table}")
    ledger.execute("DROP TABLE made")


def planned(ledger: Ledger, source: Numbers) -> tuple[Decided, int]:
    """A plan, and its peak of memory in bytes."""
    with Store(ledger.dsn) as store:
        planner.decided(store, ledger.settings, Numbers(0))  # what is loaded once
        tracemalloc.start()
        try:
            found = planner.decided(store, ledger.settings, source)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        return found, peak


@pytest.fixture
def ledger(database):
    with Ledger(database) as made:
        yield made


def test_memory_does_not_grow_with_documents_that_did_not_change(ledger):
    peaks = {}
    for documents in (FEW, MANY):
        ledger.clear()
        fill(ledger, documents)
        found, peaks[documents] = planned(ledger, Numbers(documents, changed=frozenset({7, documents - 1})))
        assert (found.documents["unchanged"], found.documents["changed"]) == (documents - 2, 2)
    assert peaks[MANY] < 1.2 * peaks[FEW]


def test_memory_does_not_grow_with_documents_that_are_new_and_all_of_them_are_in_batches(ledger):
    peaks = {}
    for documents in (FEW, FEW * 4):
        found, peaks[documents] = planned(ledger, Numbers(documents))
        assert found.documents["new"] == documents
    assert peaks[FEW * 4] < 1.2 * peaks[FEW]
    run = ledger.write(Numbers(FEW))
    sizes = [number for (number,) in ledger.rows(
        "SELECT count(*) FROM sync_items WHERE run_id = %(run)s AND batch IS NOT NULL GROUP BY batch", run=run
    )]  # fmt: skip
    assert (sum(sizes), len(sizes)) == (FEW, FEW // 50)
    assert max(sizes) - min(sizes) <= 1


def test_a_plan_of_documents_that_did_not_change_takes_time_in_proportion(ledger):
    seconds = {}
    for documents in (FEW, FEW * 4):
        ledger.clear()
        fill(ledger, documents)
        with Store(ledger.dsn) as store:
            source = Numbers(documents)
            seconds[documents] = min(
                processor_seconds(lambda: planner.decided(store, ledger.settings, source))  # noqa: B023 - called here
                for _ in range(3)
            )
    assert seconds[FEW * 4] < 8 * seconds[FEW]


def test_ten_thousand_files_that_did_not_change_are_planned_in_a_moment(site):
    files = 10_000
    site.write("0/pattern.md", "# Buoy\n\nIt lies off the mole.")
    site.sync()
    digest = content_hash(b"# Buoy\n\nIt lies off the mole.")
    (site.source / "0" / "pattern.md").unlink()
    with Ledger(site.dsn, site.config.corpus(site.name)) as ledger:
        for folder in range(files // 100):
            (site.source / f"{folder}").mkdir(exist_ok=True)
            for number in range(100):
                file = site.source / f"{folder}" / f"{number}.md"
                file.touch()
                os.utime(file, (OLD // 10**9, OLD // 10**9))
        ledger.execute(
            "INSERT INTO documents SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'uri',"
            " folder || '/' || number || '.md'))).* FROM documents d, generate_series(0, %(folders)s) AS folder,"
            " generate_series(0, 99) AS number",
            folders=files // 100 - 1,
        )
        ledger.execute("DELETE FROM documents WHERE uri = '0/pattern.md'")
        ledger.execute(
            "INSERT INTO sync_documents SELECT (jsonb_populate_record(l, jsonb_build_object('document_id', d.id, 'uri',"
            " d.uri, 'size', 0))).* FROM sync_documents l, documents d"
        )
        ledger.execute("DELETE FROM sync_documents WHERE uri = '0/pattern.md'")
        assert ledger.rows("SELECT DISTINCT content_hash FROM sync_documents") == [(digest,)]
    found = pipeline.plan(site.config, site.dsn, site.name)
    assert (found.documents["unchanged"], sum(found.changes.values())) == (files, 0)
    taken = min(processor_seconds(lambda: pipeline.plan(site.config, site.dsn, site.name)) for _ in range(3))
    assert taken < 0.3  # of this process alone
