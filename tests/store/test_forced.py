"""Documents that an operator wants done again: from the stage that was asked for, whatever is stored."""

from __future__ import annotations

from typing import Any

import pytest
from hash_models import HASH_A, register
from site_under_test import Site
from test_sync import counts, page

from corpus.records import Reprocess
from corpus.sources.filesystem import Filesystem


@pytest.fixture
def harbour(site):
    register()
    site.settings = {"embedding": {"model": HASH_A.name}}
    site.write("rules.md", page())
    site.write("ferry.md", "# Ferry\n\nThe ferry leaves at nine.\n")
    site.sync()
    return site


def again(site: Site, stage: Any, glob: str = "**") -> tuple[dict[str, Any], int]:
    """Have documents done again; what was done, and how many children were cut."""
    done = site.sync(reprocess=Reprocess(glob, stage, "to see"))
    (row,) = site.rows(
        "SELECT coalesce(sum(chunks), 0)::int AS cut FROM sync_stages WHERE run_id = %(run)s AND stage = 'prepare'",
        run=done["run_id"],
    )
    return done, row["cut"]


def children(site: Site) -> int:
    return len(site.rows("SELECT id FROM children"))


def test_from_the_parse_everything_is_done_and_an_equal_result_writes_nothing(harbour):
    before = harbour.content()
    done, cut = again(harbour, "parse")
    assert (done["parsed"], cut, done["embedded"], done["rows_written"]) == (2, children(harbour), 0, 0)
    assert harbour.content() == before


def test_from_the_cut_nothing_is_read(harbour, monkeypatch):
    def refuse(_: Filesystem, uri: str) -> None:
        raise AssertionError(uri)

    monkeypatch.setattr(Filesystem, "read", refuse)
    done, cut = again(harbour, "cut")
    assert (done["parsed"], cut, done["embedded"], done["rows_written"]) == (0, children(harbour), 0, 0)


def test_from_the_embedding_nothing_is_cut_and_every_text_is_embedded(harbour, monkeypatch):
    def refuse(_: Filesystem, uri: str) -> None:
        raise AssertionError(uri)

    monkeypatch.setattr(Filesystem, "read", refuse)
    before = harbour.content()
    done, cut = again(harbour, "embed")
    assert (done["parsed"], cut) == (0, 0)
    assert done["embedded"] == len(harbour.rows("SELECT DISTINCT key FROM children"))
    assert done["rows_written"] == 0, "the vectors came out as they were"
    assert harbour.content() == before


def test_only_what_matches_is_done_again(harbour):
    done, cut = again(harbour, "parse", "ferry*")
    assert (done["parsed"], cut) == (1, len(harbour.children("ferry.md")))


def test_a_parsed_form_that_came_out_otherwise_is_replaced(harbour):
    good = harbour.content()
    harbour.rows("""UPDATE parsed_documents SET form = jsonb_set(form, '{title}', '"Wrong"') RETURNING content_hash""")
    harbour.rows("UPDATE documents SET title = 'Wrong' RETURNING id")
    again(harbour, "cut")
    assert {row["title"] for row in harbour.rows("SELECT title FROM documents")} == {"Wrong"}
    done, _ = again(harbour, "parse")
    assert done["rows_written"] == 4, "two forms and two documents"
    assert done["embedded"] == 0
    assert harbour.content()["parsed_documents"] == good["parsed_documents"]
    assert [row["title"] for row in harbour.content()["documents"]] == [row["title"] for row in good["documents"]]


def test_a_cut_of_which_the_parsed_form_was_purged_reads_and_parses(harbour):
    harbour.rows("DELETE FROM parsed_documents RETURNING content_hash")
    done, _ = again(harbour, "cut")
    assert (done["parsed"], done["children"]["inserted"]) == (2, 0)
    assert len(harbour.rows("SELECT content_hash FROM parsed_documents")) == 2


def test_equal_bytes_are_parsed_again_once(harbour):
    for number in range(3):
        harbour.write(f"copy{number}.md", page())
    harbour.sync()
    done, _ = again(harbour, "parse")
    assert (done["parsed"], done["rows_written"]) == (2, 0)


def test_a_document_that_is_gone_or_new_is_left_to_the_next_sync(harbour):
    (harbour.source / "ferry.md").unlink()
    harbour.write("new.md", "# New\n\nNot known yet.\n")
    done, _ = again(harbour, "parse")
    assert done["documents"] == counts(changed=1)
    assert {row["uri"] for row in harbour.rows("SELECT uri FROM documents WHERE deleted_at IS NULL")} == {
        "rules.md",
        "ferry.md",
    }


def test_what_is_in_quarantine_is_tried_again_from_the_parse_alone(harbour):
    harbour.write("bad.pdf", b"%PDF-1.4 damaged")
    harbour.sync()
    for stage, attempts in (("embed", 1), ("cut", 1), ("parse", 2)):
        again(harbour, stage)
        assert harbour.rows("SELECT attempts FROM quarantine") == [{"attempts": attempts}]
