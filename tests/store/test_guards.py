"""What stops a run before it deletes: too much vanished, nothing listed, another source than before."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from corpus import pipeline
from corpus.errors import MassDeletion, SourceError
from corpus.records import Reprocess
from corpus.sources.filesystem import Filesystem

LATER = 1_700_100_000


def write(site, documents: int) -> None:
    for number in range(documents):
        site.write(f"{number:02}.md", f"# Buoy {number}\n\nBuoy number {number} lies off the mole.")


def served(site) -> int:
    return len(site.rows("SELECT FROM documents WHERE deleted_at IS NULL"))


def test_more_than_the_share_and_the_number_stop_a_run_which_deletes_nothing(site):
    write(site, 40)
    site.sync()
    for number in range(12):
        (site.source / f"{number:02}.md").unlink()
    with pytest.raises(MassDeletion, match="12 of 40 documents vanished") as caught:
        site.sync()
    assert (caught.value.count, caught.value.vanished[0]) == (12, "00.md")
    assert site.rows("SELECT state FROM sync_runs ORDER BY id DESC LIMIT 1") == [{"state": "failed"}]
    assert (served(site), site.rows("SELECT FROM sync_items WHERE action = 'deleted'")) == (40, [])
    assert site.sync(allow_mass_delete=True)["documents"]["deleted"] == 12


def test_few_documents_may_go_from_a_source_that_is_where_it_was(site):
    write(site, 4)
    site.sync()
    for number in range(3):
        (site.source / f"{number:02}.md").unlink()
    assert site.sync()["documents"]["deleted"] == 3


def test_a_source_that_lists_nothing_stops_the_run_however_few_documents_are_served(site):
    write(site, 3)
    site.sync()
    shutil.rmtree(site.source)
    site.source.mkdir()  # as if nothing were mounted there
    with pytest.raises(MassDeletion, match="lists no document at all; 3 of 3 documents vanished") as caught:
        site.sync()
    assert str(site.source) in str(caught.value)
    assert "--allow-mass-delete" in caught.value.hint
    assert served(site) == 3
    assert site.sync(allow_mass_delete=True)["documents"]["deleted"] == 3
    assert site.sync()["documents"]["deleted"] == 0  # nothing is served, nothing is missed


def test_a_source_that_moved_stops_the_run_if_more_than_the_share_is_not_there(site):
    write(site, 6)
    site.sync()
    elsewhere = site.root / "elsewhere"
    shutil.copytree(site.source, elsewhere)
    for number in range(2):
        (elsewhere / f"{number:02}.md").unlink()
    was = site.source
    site.settings = {"source": {"path": str(elsewhere)}}
    with pytest.raises(MassDeletion, match="2 of 6 documents vanished") as caught:
        site.sync()
    assert str(elsewhere) in str(caught.value)
    assert str(was) in str(caught.value)
    assert served(site) == 6
    with pytest.raises(MassDeletion):  # a run that was stopped is no sync that found its documents there
        site.sync()
    assert site.sync(allow_mass_delete=True)["documents"]["deleted"] == 2
    (elsewhere / "02.md").unlink()
    (elsewhere / "03.md").unlink()
    assert site.sync()["documents"]["deleted"] == 2  # by now it is the source


def test_a_source_that_moved_whole_is_the_source_and_writes_its_place_once(site):
    write(site, 3)
    site.sync()
    shutil.copytree(site.source, site.root / "elsewhere")
    site.settings = {"source": {"path": str(site.root / "elsewhere")}}
    before = site.written()
    moved = site.sync()
    assert (moved["documents"]["unchanged"], moved["rows_written"]) == (3, site.written() - before)
    assert site.rows("SELECT source FROM corpora") == [{"source": f"folder {site.root / 'elsewhere'}"}]
    before = site.written()
    assert site.sync()["rows_written"] == site.written() - before == 0


def test_a_listing_that_fails_in_the_middle_is_no_smaller_corpus(site, monkeypatch):
    write(site, 3)
    site.sync()

    def cut_short(self):
        yield next(whole(self))
        raise SourceError("the connection was lost", stage="list")

    whole = Filesystem.list
    monkeypatch.setattr(Filesystem, "list", cut_short)
    with pytest.raises(SourceError, match="lost"):
        site.sync(allow_mass_delete=True)
    assert served(site) == 3
    assert site.rows("SELECT state FROM sync_runs ORDER BY id DESC LIMIT 1") == [{"state": "failed"}]


def test_what_looks_at_a_part_of_the_source_deletes_nothing_and_is_not_stopped(site):
    write(site, 3)
    site.sync()
    shutil.rmtree(site.source)
    site.source.mkdir()
    site.write("00.md", "# Buoy 0\n\nBuoy number 0 has been moved.", at=LATER)
    day = datetime.fromtimestamp(LATER, UTC)
    for options in ({"reprocess": Reprocess("**", "cut", "a test")}, {"window": (day, day + timedelta(days=1))}):
        planned = pipeline.plan(site.config, site.dsn, site.name, **options)
        assert planned.documents["deleted"] == 0
        assert planned.documents["changed"] == 1
    assert site.rows("SELECT FROM sync_items WHERE action = 'deleted'") == []
    assert served(site) == 3
