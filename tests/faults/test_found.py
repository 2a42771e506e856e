"""What random histories of a corpus found, each as short as it can be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hash_models import HASH_A, register
from site_under_test import OLD, Site

from corpus import pipeline
from corpus.errors import RunFailed, TransientError
from corpus.records import Reprocess
from corpus.sources import Read
from corpus.sources.filesystem import Filesystem

register()

TIDES = "# Tides\n\nHigh water is at nine. Low water is at three.\n"


@pytest.fixture
def site(site: Site) -> Site:
    site.settings["embedding"] = {"model": HASH_A.name}
    return site


def test_a_touched_document_in_quarantine_is_read_once_more_and_not_every_night(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write("empty.md", "")
    site.write("tides.md", TIDES)
    site.sync()
    site.write("empty.md", "", at=OLD + 10)
    site.sync()
    read: list[str] = []
    reads = Filesystem.read
    monkeypatch.setattr(Filesystem, "read", lambda source, uri: read.append(uri) or reads(source, uri))
    assert site.sync()["documents"]["quarantined"] == 1
    assert read == []


def test_why_a_document_has_its_recipe_names_the_rule_of_today(site: Site) -> None:
    site.write("tides.md", TIDES)
    for glob in ("**", "**/*.md"):
        site.settings["recipes"] = [{"glob": glob, "recipe": "recursive"}]
        done = site.sync()
        assert glob in site.rows("SELECT recipe_because FROM documents")[0]["recipe_because"].split()
    assert done["parsed"] == done["embedded"] == 0


def began(site: Site, **options: Any) -> int:
    """A run that has prepared and embedded all that it will, and not published it."""
    run = pipeline.plan(site.config, site.dsn, site.name, key="a slow one", **options)
    for batch in run.batches:
        pipeline.prepare(site.config, site.dsn, run.run_id, batch.number)
    for texts in pipeline.plan_embeddings(site.config, site.dsn, run.run_id):
        pipeline.embed(site.config, site.dsn, run.run_id, texts.number)
    return run.run_id


def test_a_run_that_is_late_does_not_bring_back_what_a_later_one_found_reverted(site: Site) -> None:
    site.write("tides.md", TIDES)
    site.sync()
    site.write("tides.md", TIDES.replace("nine", "ten"), at=OLD + 10)
    late = began(site)
    site.write("tides.md", TIDES)
    assert site.sync()["documents"]["unchanged"] == 1
    before = site.content()
    pipeline.publish(site.config, site.dsn, late)
    assert site.content() == before | {"embeddings": site.content()["embeddings"]}
    pipeline.settle(site.config, site.dsn, late)


def test_a_run_that_is_late_does_not_publish_what_a_later_one_did_not_find(site: Site) -> None:
    site.write("tides.md", TIDES)
    late = began(site)
    (site.source / "tides.md").unlink()
    site.write("other.md", "# Other\n\nAnother one.\n")
    site.sync()
    pipeline.publish(site.config, site.dsn, late)
    assert [row["uri"] for row in site.rows("SELECT uri FROM documents WHERE deleted_at IS NULL")] == ["other.md"]


@pytest.mark.parametrize("again", [None, Reprocess("**", "cut", "a word")], ids=["sync", "reprocess"])
def test_a_run_that_is_late_does_not_bring_back_settings_that_a_later_one_found_undone(
    site: Site, again: Reprocess | None
) -> None:
    site.write("tides.md", TIDES)
    site.sync()
    before = site.content()["documents"]
    site.settings["recipes"] = [{"glob": "**", "recipe": "fixed"}]
    late = began(site, reprocess=again)
    del site.settings["recipes"]
    assert site.sync()["documents"]["unchanged"] == 1
    pipeline.publish(site.config, site.dsn, late)
    assert site.content()["documents"] == before


def test_what_an_operator_wants_done_again_is_published_though_a_later_run_found_nothing_to_do(site: Site) -> None:
    site.write("tides.md", TIDES)
    site.sync()
    late = began(site, reprocess=Reprocess("**", "parse", "a word"))
    site.sync()
    pipeline.publish(site.config, site.dsn, late)
    assert site.rows("SELECT state FROM sync_items WHERE run_id = %(run)s", run=late) == [{"state": "published"}]


def test_what_only_reading_the_bytes_shows_is_published_though_a_later_run_saw_no_change(site: Site) -> None:
    site.write("tides.md", TIDES)
    site.sync()
    site.write("tides.md", TIDES.replace("nine", "five"))  # as many bytes under the same date
    late = began(site, window=(datetime.fromtimestamp(OLD - 1, UTC), datetime.fromtimestamp(OLD + 1, UTC)))
    assert site.sync()["documents"]["unchanged"] == 1
    pipeline.publish(site.config, site.dsn, late)
    assert [row["text"] for row in site.children("tides.md")] == [TIDES.replace("nine", "five").strip()]


def test_a_run_that_is_late_does_not_bury_what_a_later_one_found_though_that_one_failed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write("tides.md", TIDES)
    site.write("other.md", "# Other\n\nAnother one.\n")
    site.sync()
    (site.source / "tides.md").unlink()
    late = began(site)
    site.write("tides.md", TIDES)
    site.write("other.md", "# Other\n\nAnother two.\n", at=OLD + 10)
    with monkeypatch.context() as patch:
        patch.setattr(Filesystem, "read", unreadable)
        with pytest.raises(RunFailed):
            site.sync()
    pipeline.publish(site.config, site.dsn, late)
    assert len(site.rows("SELECT uri FROM documents WHERE deleted_at IS NULL")) == 2


def unreadable(_: Filesystem, uri: str) -> Read:
    raise TransientError(f"{uri} cannot be read now", uri=uri)


def test_a_reprocess_that_begins_meanwhile_keeps_no_sync_from_burying_what_is_gone(site: Site) -> None:
    site.write("tides.md", TIDES)
    site.write("other.md", "# Other\n\nAnother one.\n")
    site.sync()
    (site.source / "tides.md").unlink()
    nightly = began(site)
    pipeline.plan(site.config, site.dsn, site.name, reprocess=Reprocess("**", "parse", "a word"))
    done = pipeline.publish(site.config, site.dsn, nightly)
    assert done["documents"]["deleted"] == 1
    assert [row["uri"] for row in site.rows("SELECT uri FROM documents WHERE deleted_at IS NULL")] == ["other.md"]


def test_a_run_that_is_late_does_not_bring_back_permissions_that_were_taken_away(site: Site) -> None:
    site.settings["permissions"] = [{"glob": "**", "principals": ["staff"]}]
    site.write("tides.md", TIDES)
    site.sync()
    site.write("tides.md", "", at=OLD + 10)
    site.sync()
    site.settings["permissions"] = [{"glob": "**", "principals": ["everybody"]}]
    late = began(site)
    site.settings["permissions"] = [{"glob": "**", "principals": ["staff"]}]
    site.sync()
    pipeline.publish(site.config, site.dsn, late)
    assert site.rows("SELECT permissions FROM documents") == [{"permissions": ["staff"]}]
