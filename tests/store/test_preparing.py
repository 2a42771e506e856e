"""Documents are parsed ahead while others are cut; what comes of it is what would have come one by one."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil
import pytest
from pdf_making import Page, form_bomb, pdf
from site_under_test import Site

from corpus import pipeline
from corpus.parsers.markdown.parser import MarkdownParser


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


def staged(site: Site) -> int:
    """Plan and prepare a run, so that it only has to be embedded and published."""
    planned = pipeline.plan(site.config, site.dsn, site.name)
    for batch in planned.batches:
        pipeline.prepare(site.config, site.dsn, planned.run_id, batch.number)
    return planned.run_id


def ended(site: Site, run: int) -> None:
    for texts in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, texts.number)
    pipeline.publish(site.config, site.dsn, run)


@pytest.mark.parametrize(
    "settings",
    [{"metadata": [{"glob": "**", "author": "Harbour"}]}, {"permissions": [{"glob": "**", "principals": ["staff"]}]}],
    ids=["metadata", "permissions"],
)
def test_columns_of_one_version_are_not_written_over_another_that_was_published_meanwhile(
    site: Site, settings: dict[str, object]
) -> None:
    good = "# Ferry\n\nThe ferry leaves at nine.\n"
    site.write("ferry.md", good)
    site.sync()
    site.write("ferry.md", good.replace("nine", "ten"), at=1_700_000_100)
    older = staged(site)
    site.write("ferry.md", good)
    site.settings = settings
    newer = staged(site)
    ended(site, older)
    ended(site, newer)
    site.sync()
    (child,) = site.children("ferry.md")
    assert child["text"].endswith("leaves at nine.")
    (row,) = site.rows("SELECT author, permissions FROM documents")
    assert row["author"] == ("Harbour" if "metadata" in settings else None)
    assert row["permissions"] == (["staff"] if "permissions" in settings else ["public"])
    assert site.sync()["rows_written"] == 0


def test_settings_that_change_between_plan_and_preparation_are_made_up_for_by_the_next_sync(site: Site) -> None:
    site.write("ferry.md", "# Ferry\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns.\n")
    site.sync()
    site.settings = {"metadata": [{"glob": "**", "author": "Harbour"}]}
    planned = pipeline.plan(site.config, site.dsn, site.name)
    site.settings["recipes"] = [{"glob": "**", "recipe": "fixed", "settings": {"size": 12, "overlap": 0}}]
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    ended(site, planned.run_id)
    assert site.rows("SELECT author FROM documents") == [{"author": "Harbour"}]
    done = site.sync()
    assert done["documents"]["changed"] == 1
    assert site.rows("SELECT recipe FROM documents") == [{"recipe": "fixed"}]


def test_parser_settings_that_change_between_plan_and_preparation_are_not_taken_for_those_of_the_stored_form(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write("ferry.md", "# Ferry\n\nThe ferry leaves at nine.\n")
    site.sync()
    site.settings = {"recipes": [{"glob": "**", "recipe": "fixed"}]}
    planned = pipeline.plan(site.config, site.dsn, site.name)
    monkeypatch.setattr(MarkdownParser, "version", MarkdownParser.version + 1)
    pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    ended(site, planned.run_id)
    assert site.sync()["parsed"] == 1
    assert site.sync()["parsed"] == 0
