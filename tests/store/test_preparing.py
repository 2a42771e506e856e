"""Documents are parsed ahead while others are cut; what comes of it is what would have come one by one."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil
import pytest
from pdf_making import Page, form_bomb, pdf
from site_under_test import Site

from corpus import pipeline


def fill(site: Site) -> None:
    for number in range(12):
        site.write(f"{number:02}.md", f"# Page {number}\n\nHouse {number} opens at nine.\n")
    for number in (3, 5, 11):
        site.write(f"{number:02}a.md", "# The same\n\nThese bytes lie in three places.\n")
        site.write(f"{number:02}b.md", "---\ntitle: nothing to index\n---\n")
    site.write("04.pdf", pdf([Page().text(72, 100, "A page of a report.")]))
    site.write("06.pdf", b"%PDF-1.4 damaged")
    site.write("07.pdf", b"")


def test_it_makes_no_difference_how_many_parse_at_a_time(site: Site, fresh_database, tmp_path: Path) -> None:
    fill(site)
    contents, counts = [], []
    for processes in (1, 2, 4):
        other = Site(tmp_path, fresh_database(), {"parsing": {"processes": processes}})
        counts.append({**other.sync(), "seconds": None, "run_id": None})
        contents.append(other.content())
    assert contents[0] == contents[1] == contents[2]
    assert counts[0] == counts[1] == counts[2]
    assert counts[0]["documents"]["quarantined"] == 5
    assert counts[0]["parsed"] == 12 + 1 + 3 + 2, "the same bytes are parsed again only if they gave nothing to keep"


def test_documents_are_read_in_order_each_after_its_number_was_drawn(site: Site) -> None:
    fill(site)
    site.settings = {"parsing": {"processes": 3}}
    site.sync()
    rows = site.rows("SELECT uri FROM sync_documents WHERE read_sequence IS NOT NULL ORDER BY read_sequence")
    assert [row["uri"] for row in rows] == sorted(row["uri"] for row in rows)


class Interrupted(BaseException):
    """As Airflow's timeout is."""


@pytest.mark.parametrize("processes", [1, 3])
def test_an_interrupt_ends_every_parser_and_the_next_try_takes_up_the_rest(site: Site, processes: int) -> None:
    fill(site)
    site.write("08.pdf", form_bomb())
    site.settings = {"parsing": {"processes": processes}, "limits": {"seconds": 2, "memory_mb": 8000}}
    planned = pipeline.plan(site.config, site.dsn, site.name)
    started: list[psutil.Process] = []
    kept_warm = set(psutil.Process().children())  # by cuts in other tests

    def interrupt(*_: object) -> None:
        started.extend(parsers())
        raise Interrupted

    def parsers() -> list[psutil.Process]:
        new = set(psutil.Process().children()) - kept_warm
        return [p for p in new if "corpus.parsers.sandbox.worker" in p.cmdline()]

    def at_the_bomb(uri: str) -> None:
        if uri == "07.pdf":
            signal.setitimer(signal.ITIMER_REAL, 0.5)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            pipeline.prepare(site.config, site.dsn, planned.run_id, 0, progress=at_the_bomb)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert started
    assert not [p for p in started if p.is_running()]
    counts = pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    assert counts["quarantined"] >= 1
    assert site.rows("SELECT count(*) AS n FROM sync_items WHERE state = 'planned'")[0]["n"] == 0
