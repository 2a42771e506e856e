"""Runs over an interval: documents that were modified in it, or that lie in its partitions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from corpus import pipeline
from corpus.errors import ConfigError

OLD = 1_700_000_000  #: 2023-11-14, 22:13 UTC; an mtime that nobody doubts
DAY = 86_400


def run(site, window):
    planned = pipeline.plan(site.config, site.dsn, site.name, window=window)
    for batch in planned.batches:
        pipeline.prepare(site.config, site.dsn, planned.run_id, batch.number)
    for texts in pipeline.plan_embeddings(site.config, site.dsn, planned.run_id):
        pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    done = pipeline.publish(site.config, site.dsn, planned.run_id)
    pipeline.settle(site.config, site.dsn, planned.run_id)
    return done


def interval(start: str, days: int = 1, hour: int = 0):
    begin = datetime.fromisoformat(start).replace(hour=hour, tzinfo=UTC)
    return begin, begin + timedelta(days=days)


def test_the_documents_modified_in_it_are_read_whatever_their_evidence_says(site):
    site.write("before.md", "# Before\n\nThe mole is closed.", at=OLD - DAY)
    site.write("in.md", "# In\n\nThe ferry leaves at nine.", at=OLD)
    site.write("after.md", "# After\n\nThe crane lifts eight tonnes.", at=OLD + DAY)
    site.sync()
    for name, text in (("before.md", "The mole is opened."), ("in.md", "The ferry leaves at five.")):
        site.write(name, f"# {name[:-3].title()}\n\n{text}", at=OLD - DAY if name == "before.md" else OLD)
    (site.source / "after.md").unlink()
    window = interval("2023-11-14")
    done = run(site, window)
    assert (done["documents"]["changed"], sum(done["documents"].values())) == (1, 1)
    assert site.rows("SELECT kind FROM sync_runs ORDER BY id") == [{"kind": "sync"}, {"kind": "backfill"}]
    assert "five" in site.children("in.md")[0]["text"]
    assert "closed" in site.children("before.md")[0]["text"]
    assert site.rows("SELECT uri FROM documents WHERE deleted_at IS NOT NULL") == []


def test_its_bounds_are_half_open(site):
    start, end = interval("2023-11-14")
    for name, at in (("start", start), ("last", end - timedelta(seconds=1)), ("end", end)):
        site.write(f"{name}.md", f"# {name}\n\nOf the {name}.", at=int(at.timestamp()))
    run(site, (start, end))
    assert {row["uri"] for row in site.rows("SELECT uri FROM documents")} == {"start.md", "last.md"}


def test_repeated_it_does_nothing(site):
    site.write("in.md", "# In\n\nThe ferry leaves at nine.", at=OLD)
    site.write("bad.md", b"", at=OLD)
    site.write("huge.md", b"x" * 2_000, at=OLD)
    site.settings = {"limits": {"megabytes": 0.001}}
    run(site, interval("2023-11-14"))
    content, before = site.content(), site.written()
    done = run(site, interval("2023-11-14"))
    assert (done["documents"]["unchanged"], done["documents"]["quarantined"]) == (1, 2)
    assert (done["rows_written"], done["parsed"], done["embedded"]) == (0, 0, 0)
    assert (site.written(), site.content()) == (before, content)
    (last,) = site.rows("SELECT bytes FROM sync_stages WHERE stage = 'plan' ORDER BY run_id DESC LIMIT 1")
    assert last["bytes"] == len("# In\n\nThe ferry leaves at nine.")  # it was read


@pytest.mark.parametrize(
    ("pattern", "folder"), [("dt=%Y-%m-%d", "dt=2023-11-14"), ("%Y/%m/%d", "2023/11/14"), ("d%Y%m%d", "x/d20231114")]
)
def test_of_a_partitioned_source_it_is_the_documents_of_its_partition(site, pattern, folder):
    site.settings = {"source": {"path": str(site.source), "partition": pattern}}
    other = folder.replace("14", "15")
    site.write(f"{folder}/a.md", "# A\n\nThe ferry leaves at nine.", at=OLD + 90 * DAY)
    site.write(f"{other}/a.md", "# A\n\nThe crane lifts eight tonnes.", at=OLD)
    site.write("readme.md", "# Read me\n\nOne folder a day.", at=OLD)
    site.write(f"{folder}-old/a.md", "# A\n\nOf another name.", at=OLD)
    done = run(site, interval("2023-11-14", hour=2))
    assert done["documents"]["new"] == 1
    assert [row["uri"] for row in site.rows("SELECT uri FROM documents")] == [f"{folder}/a.md"]


def test_a_partition_of_a_month_belongs_to_each_of_its_days(site):
    site.settings = {"source": {"path": str(site.source), "partition": "y=%Y/m=%m"}}
    site.write("y=2023/m=11/a.md", "# A\n\nThe ferry leaves at nine.")
    assert run(site, interval("2023-11-14"))["documents"]["new"] == 1
    assert sum(run(site, interval("2023-12-14"))["documents"].values()) == 0
    assert run(site, interval("2023-10-31", days=30))["documents"]["unchanged"] == 0  # October alone starts in it
    assert run(site, interval("2023-11-01", days=30))["documents"]["unchanged"] == 1


def test_a_partition_that_names_no_date_is_refused_before_anything_is_listed(site):
    site.settings = {"source": {"path": str(site.source), "partition": "dt=%m-%d"}}
    with pytest.raises(ConfigError, match="of which date"):
        run(site, interval("2023-11-14"))
