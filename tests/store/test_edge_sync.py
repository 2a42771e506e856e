"""What a sync does in the corners: addresses that trade places, runs that are tried again, refused documents."""

from __future__ import annotations

import os
import random
import string

import psycopg
import pytest
from site_under_test import OLD, Site

from corpus import pipeline
from corpus.errors import ConfigError, RunFailed, TransientError
from corpus.search import search
from corpus.sources.filesystem import Filesystem
from corpus.store import Store

LATER = OLD + 100_000

FERRY = "# Ferry\n\nThe ferry to the island leaves at nine."
CRANE = "# Crane\n\nThe crane on the quay lifts eight tonnes."
LIGHT = "# Light\n\nThe light on the mole is green and flashes twice."


def counts(**changed: int) -> dict[str, int]:
    return {"new": 0, "changed": 0, "moved": 0, "unchanged": 0, "deleted": 0, "quarantined": 0} | changed


def alive(site: Site) -> dict[str, list[str]]:
    """What is served: address → the texts of its children."""
    served: dict[str, list[str]] = {}
    for row in site.rows(
        "SELECT d.uri, c.text FROM documents d JOIN children c ON c.document_id = d.id"
        " WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL ORDER BY d.uri, c.ordinal",
        corpus=site.name,
    ):
        served.setdefault(row["uri"], []).append(row["text"])
    return served


def execute(site: Site, statement: str) -> None:
    with psycopg.connect(site.dsn) as connection:
        connection.execute(statement)


def prepare(site: Site, run: int) -> None:
    with Store(site.dsn) as store:
        batches = store.batches(run)
    for batch in batches:
        pipeline.prepare(site.config, site.dsn, run, batch["number"])


def embed(site: Site, run: int) -> None:
    for texts in pipeline.plan_embeddings(site.config, site.dsn, run):
        pipeline.embed(site.config, site.dsn, run, texts.number)


def finish(site: Site, run: int) -> dict:
    prepare(site, run)
    embed(site, run)
    return pipeline.publish(site.config, site.dsn, run)


def counted_sync(site: Site) -> dict:
    """A sync whose count of rows is held against that of Postgres."""
    before = site.written()
    done = site.sync()
    assert done["rows_written"] == site.written() - before
    return done


# -- addresses


def test_two_files_that_trade_places_are_two_changes_that_cost_nothing(site):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    site.sync()
    (site.source / "a.md").rename(site.source / "c")
    (site.source / "b.md").rename(site.source / "a.md")
    (site.source / "c").rename(site.source / "b.md")
    done = counted_sync(site)
    assert done["documents"] == counts(changed=2)
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert alive(site) == {"a.md": [CRANE], "b.md": [FERRY]}
    assert counted_sync(site)["documents"] == counts(unchanged=2)


def test_a_chain_of_renames_ends_with_every_text_at_its_new_place(site):
    site.write("1.md", FERRY)
    site.write("2.md", CRANE)
    site.write("3.md", LIGHT)
    site.sync()
    for number in (3, 2, 1):
        (site.source / f"{number}.md").rename(site.source / f"{number + 1}.md")
    done = counted_sync(site)
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert alive(site) == {"2.md": [FERRY], "3.md": [CRANE], "4.md": [LIGHT]}
    assert done["documents"]["deleted"] + done["documents"]["moved"] == 1


def test_of_two_copies_of_a_vanished_file_one_has_moved_and_one_is_new(site):
    file = site.write("a.md", FERRY)
    site.sync()
    site.write("b.md", FERRY)
    site.write("c.md", FERRY)
    file.unlink()
    done = counted_sync(site)
    assert done["documents"] == counts(moved=1, new=1)
    assert done["embedded"] == 0
    assert alive(site) == {"b.md": [FERRY], "c.md": [FERRY]}


def test_a_file_may_become_a_folder_and_a_folder_a_file(site):
    site.write("notes", FERRY)
    site.write("more/notes.md", CRANE)
    site.sync()
    (site.source / "notes").unlink()
    site.write("notes/inner.md", LIGHT)
    (site.source / "more/notes.md").unlink()
    (site.source / "more").rmdir()
    site.write("more", FERRY)
    counted_sync(site)
    assert alive(site) == {"notes/inner.md": [LIGHT], "more": [FERRY]}


def test_a_rename_of_case_alone_is_a_move(site):
    site.write("Ferry.md", FERRY)
    site.sync()
    (site.source / "Ferry.md").rename(site.source / "FERRY.md")
    assert counted_sync(site)["documents"] == counts(moved=1)
    assert list(alive(site)) == ["FERRY.md"]


def test_names_that_are_no_utf_8_are_published_renamed_and_put_into_quarantine(site):
    site.settings = {"metadata": [{"glob": "**", "tags": ["harbour"]}]}
    name = os.fsencode(site.source) + b"/caf\xe9.md"
    bad = os.fsencode(site.source) + b"/\xff\xfe.md"
    for path, content in ((name, "The café on the mole."), (bad, "")):
        with open(path, "wb") as file:  # noqa: PTH123 (a name of bytes)
            file.write(content.encode())
    assert counted_sync(site)["documents"] == counts(new=1, quarantined=1)
    assert site.rows("SELECT uri, title FROM documents") == [{"uri": "caf%E9.md", "title": "caf%E9"}]
    assert site.rows("SELECT uri FROM quarantine") == [{"uri": "%FF%FE.md"}]
    os.rename(name, os.fsencode(site.source) + b"/caf\xe8.md")  # noqa: PTH104
    assert counted_sync(site)["documents"] == counts(moved=1, quarantined=1)


def test_an_address_as_long_as_a_path_may_be_is_no_obstacle(site):
    dice = random.Random(5)
    folder = "/".join("".join(dice.choices(string.ascii_letters, k=240)) for _ in range(14))
    site.write(f"{folder}/ferry.md", FERRY)
    site.write(f"{folder}/empty.md", b"")
    site.write("z.md", CRANE)
    done = counted_sync(site)
    assert done["documents"] == counts(new=2, quarantined=1)
    assert list(alive(site)) == [f"{folder}/ferry.md", "z.md"] or list(alive(site)) == ["z.md", f"{folder}/ferry.md"]


def test_two_corpora_share_vectors_and_parsed_forms_and_nothing_else(site):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    site.sync()
    other = Site(site.root, site.dsn, name="other")
    done = counted_sync(other)
    assert done["documents"] == counts(new=2)
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert len(site.rows("SELECT DISTINCT id FROM documents")) == 4
    (site.source / "a.md").unlink()
    assert counted_sync(other)["documents"] == counts(deleted=1, unchanged=1)
    assert set(alive(site)) == {"a.md", "b.md"}
    assert set(alive(other)) == {"b.md"}
    assert "a.md" in site.ask("ferry")
    assert "a.md" not in other.ask("ferry")


def test_a_corpus_that_left_the_configuration_is_kept_and_named_but_neither_synced_nor_asked(site):
    site.write("a.md", FERRY)
    site.sync()
    planned = pipeline.plan(site.config, site.dsn, site.name)
    other = Site(site.root, site.dsn, name="other")
    for call in (
        lambda: pipeline.sync(other.config, site.dsn, "site"),
        lambda: search(other.config, site.dsn, "site", "ferry"),
        lambda: pipeline.publish(other.config, site.dsn, planned.run_id),
    ):
        with pytest.raises(ConfigError, match="no corpus is called 'site'"):
            call()
    with Store(site.dsn) as store:
        assert [(row["corpus"], row["documents"]) for row in store.status()] == [("site", 1)]
    assert site.sync()["documents"] == counts(unchanged=1)


@pytest.mark.parametrize(
    "settings",
    [
        {"metadata": [{"glob": "**", "tags": ["a\0b"]}]},
        {"metadata": [{"glob": "**", "author": "a\0b"}]},
        {"permissions": [{"glob": "**", "principals": ["a\0b"]}]},
    ],
    ids=["tag", "author", "principal"],
)
def test_a_configured_text_that_no_database_can_hold_is_an_error_before_anything_is_done(site, settings):
    site.write("a.md", FERRY)
    site.settings = settings
    with pytest.raises(ConfigError, match="NUL"):
        site.sync()
    assert site.rows("SELECT FROM sync_runs") == []


# -- documents that fail


def test_a_moved_document_that_fails_at_its_new_place_is_served_at_its_old_one(site):
    site.write("old.md", FERRY)
    site.write("other.md", CRANE)
    site.sync()
    execute(site, "DELETE FROM parsed_documents")
    site.settings = {"limits": {"seconds": 0.001}, "deletion_guard": {"share": 0, "documents": 0}}
    (site.source / "old.md").rename(site.source / "new.md")
    for _ in range(2):  # and so it stays, without another try
        done = counted_sync(site)
        assert done["documents"] == counts(quarantined=1, unchanged=1)
        assert done["parsed"] == (0 if _ else 1)
        assert set(alive(site)) == {"old.md", "other.md"}
    site.settings = {"deletion_guard": {"share": 0, "documents": 0}}
    done = counted_sync(site)
    assert set(alive(site)) == {"new.md", "other.md"}
    assert done["embedded"] == 0
    moved = site.rows("SELECT moved_from FROM documents WHERE uri = 'new.md'")
    assert moved == site.rows("SELECT id AS moved_from FROM documents WHERE uri = 'old.md'")
    assert counted_sync(site)["documents"] == counts(unchanged=2)


def test_a_document_in_quarantine_that_moves_leaves_its_old_address(site):
    site.write("old.md", b"")
    site.sync()
    (site.source / "old.md").rename(site.source / "new.md")
    counted_sync(site)
    assert site.rows("SELECT uri FROM quarantine") == [{"uri": "new.md"}]


def test_a_document_that_the_database_refuses_disturbs_no_other(site):
    for number in range(6):
        site.write(f"{number}.md", f"{FERRY} It is boat number {number}.")
    planned = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, planned.run_id)
    embed(site, planned.run_id)
    execute(
        site,
        "UPDATE sync_items SET staged = jsonb_set(staged, '{children,0,start_offset}', '-1') WHERE uri = '3.md'",
    )
    done = pipeline.publish(site.config, site.dsn, planned.run_id)
    assert done["state"] == "failed"
    assert "3.md: " in done["error"]
    assert done["documents"] == counts(new=5)
    assert set(alive(site)) == {f"{number}.md" for number in range(6)} - {"3.md"}
    with pytest.raises(RunFailed, match=r"3\.md"):
        pipeline.settle(site.config, site.dsn, planned.run_id)
    assert counted_sync(site)["documents"] == counts(new=1, unchanged=5)


def test_a_document_deleted_while_it_is_staged_goes_with_the_next_run(site):
    site.write("stays.md", CRANE)
    file = site.write("a.md", FERRY)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, planned.run_id)
    file.unlink()
    embed(site, planned.run_id)
    assert pipeline.publish(site.config, site.dsn, planned.run_id)["state"] == "succeeded"
    assert counted_sync(site)["documents"] == counts(deleted=1, unchanged=1)
    assert set(alive(site)) == {"stays.md"}


def test_a_file_that_goes_between_being_listed_and_being_read_is_left_to_the_next_listing(site, monkeypatch):
    site.write("stays.md", CRANE)
    site.write("a.md", FERRY)
    site.sync()
    site.write("a.md", FERRY, at=LATER)
    lists = Filesystem.list

    def then_gone(self):
        yield from lists(self)
        (site.source / "a.md").unlink(missing_ok=True)

    monkeypatch.setattr(Filesystem, "list", then_gone)
    site.sync()
    assert set(alive(site)) == {"a.md", "stays.md"}
    site.sync()
    assert set(alive(site)) == {"stays.md"}


# -- counters


def test_the_rows_that_a_run_counts_are_those_that_postgres_counts(site):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    site.write("bad.md", b"")
    counted_sync(site)
    site.write("a.md", FERRY + " And at ten.", at=LATER)  # a change
    (site.source / "b.md").rename(site.source / "c.md")  # a move
    site.write("bad.md", LIGHT, at=LATER)  # out of quarantine
    counted_sync(site)
    site.write("a.md", b"", at=LATER + 1)  # into quarantine
    (site.source / "c.md").unlink()  # a tombstone
    counted_sync(site)
    site.write("c.md", CRANE)  # a revival
    # Other payload, also of what is held back.
    site.settings = {"permissions": [{"glob": "**", "principals": ["staff"]}]}
    counted_sync(site)
    site.write("a.md", FERRY, at=LATER + 2)
    site.settings |= {"embedding": {"query_prefix": "query: "}}  # another model
    done = counted_sync(site)
    assert done["embedded"] == len({row["key"] for row in site.rows("SELECT key FROM children")})
    site.settings |= {"recipes": [{"glob": "**", "recipe": "recursive"}]}
    counted_sync(site)
    assert counted_sync(site)["rows_written"] == 0
    assert set(alive(site)) == {"a.md", "bad.md", "c.md"}


def test_publishing_and_settling_again_changes_no_count(site):
    site.write("good.md", FERRY)
    site.write("bad.md", b"")
    site.write("worse.md", b"")
    planned = pipeline.plan(site.config, site.dsn, site.name)
    done = finish(site, planned.run_id)
    content, before = site.content(), site.written()
    assert done["documents"] == counts(new=1, quarantined=2)
    for _ in range(2):
        embed(site, planned.run_id)
        prepare(site, planned.run_id)
        again = pipeline.publish(site.config, site.dsn, planned.run_id)
        pipeline.settle(site.config, site.dsn, planned.run_id)
        assert again | {"seconds": None} == done | {"seconds": None}
    assert (site.content(), site.written()) == (content, before)


def test_a_batch_that_failed_once_is_counted_as_it_ends(site, monkeypatch):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    reads = Filesystem.read

    def not_now(self, uri):
        if uri == "b.md":
            raise TransientError("the share is away")
        return reads(self, uri)

    with monkeypatch.context() as patch:
        patch.setattr(Filesystem, "read", not_now)
        with pytest.raises(TransientError, match="the share is away"):
            prepare(site, planned.run_id)
    first = finish_without_preparing(site, planned.run_id)
    assert (first["state"], first["documents"]) == ("failed", counts(new=1))
    last = finish(site, planned.run_id)
    assert (last["state"], last["documents"]) == ("succeeded", counts(new=2))
    assert last["rows_written"] == site.written()


def finish_without_preparing(site: Site, run: int) -> dict:
    embed(site, run)
    return pipeline.publish(site.config, site.dsn, run)


def test_planning_anew_under_one_key_goes_on_counting_and_ends_the_plan_before_it(site):
    site.write("a.md", FERRY)
    first = pipeline.plan(site.config, site.dsn, site.name, key="night")
    prepare(site, first.run_id)
    with Store(site.dsn) as store:
        late = store.run(first.run_id)
    site.write("b.md", CRANE)
    second = pipeline.plan(site.config, site.dsn, site.name, key="night")
    assert second.run_id == first.run_id
    with Store(site.dsn) as store:  # the process that planned first and was given up for dead
        with pytest.raises(RunFailed, match="planned anew"):
            store.write_plan(late, counts(), {})
        store.fail_run(late, "its own view")
    done = finish(site, second.run_id)
    assert (done["state"], done["documents"]) == ("succeeded", counts(new=2))
    assert (done["parsed"], done["rows_written"]) == (2, site.written())


# -- order between runs


def test_a_batch_that_is_prepared_late_does_not_disturb_what_its_second_try_published(site, monkeypatch):
    site.write("a.md", FERRY)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    reads = Filesystem.read

    def slowly(self, uri):
        read = reads(self, uri)
        monkeypatch.setattr(Filesystem, "read", reads)
        site.write("a.md", CRANE, at=LATER)
        with psycopg.connect(site.dsn) as connection:  # as if this process had stood still for an hour
            connection.execute("UPDATE sync_leases SET heartbeat_at = heartbeat_at - interval '1 hour'")
        assert finish(site, planned.run_id)["state"] == "succeeded"  # all of it, while this one still reads
        return read

    monkeypatch.setattr(Filesystem, "read", slowly)
    with pytest.raises(TransientError, match="another process has taken over batch 0"):
        pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    pipeline.settle(site.config, site.dsn, planned.run_id)
    assert alive(site) == {"a.md": [CRANE]}
    assert counted_sync(site)["documents"] == counts(unchanged=1)


def test_a_listing_does_not_bury_what_a_later_listing_found(site):
    file = site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    site.sync()
    file.rename(site.root / "aside")
    slow = pipeline.plan(site.config, site.dsn, site.name)
    (site.root / "aside").rename(file)
    assert site.sync()["documents"] == counts(unchanged=2)
    done = finish(site, slow.run_id)
    assert (done["state"], done["documents"]) == ("succeeded", counts(unchanged=1))
    assert set(alive(site)) == {"a.md", "b.md"}


def test_what_another_run_published_since_the_listing_began_has_not_vanished(site, monkeypatch):
    site.settings = {"deletion_guard": {"share": 0, "documents": 0}}
    site.write("a.md", FERRY)
    site.sync()
    lists = Filesystem.list

    def overtaken(self):
        listing = list(lists(self))
        monkeypatch.setattr(Filesystem, "list", lists)
        site.write("b.md", CRANE)
        site.sync()
        return iter(listing)

    monkeypatch.setattr(Filesystem, "list", overtaken)
    assert site.sync()["documents"] == counts(unchanged=1)
    assert set(alive(site)) == {"a.md", "b.md"}


def test_an_older_run_does_not_give_back_permissions_on_a_version_that_is_held_over(site):
    site.write("a.md", FERRY)
    site.sync()
    site.write("a.md", b"", at=LATER)
    site.sync()
    site.settings = {"permissions": [{"glob": "**", "principals": ["staff", "guests"]}]}
    older = pipeline.plan(site.config, site.dsn, site.name)
    site.settings = {"permissions": [{"glob": "**", "principals": ["staff"]}]}
    site.sync()
    pipeline.publish(site.config, site.dsn, older.run_id)
    assert site.rows("SELECT permissions FROM documents") == [{"permissions": ["staff"]}]


# -- models

OTHER_MODEL = {"embedding": {"query_prefix": "query: ", "task_texts": 1}}


def active(site: Site) -> int:
    return site.rows("SELECT active_model AS id FROM corpora")[0]["id"]


def test_a_change_of_model_that_was_cut_short_goes_on_where_it_stopped(site):
    for number in range(3):
        site.write(f"{number}.md", f"{FERRY} It is boat number {number}.")
    site.sync()
    before = active(site)
    site.settings = OTHER_MODEL
    planned = pipeline.plan(site.config, site.dsn, site.name)
    assert planned.batches == []
    texts = pipeline.plan_embeddings(site.config, site.dsn, planned.run_id)
    assert len(texts) == 3
    pipeline.embed(site.config, site.dsn, planned.run_id, texts[0].number)
    site.write("0.md", CRANE, at=LATER)
    assert pipeline.publish(site.config, site.dsn, planned.run_id)["state"] == "failed"
    assert active(site) == before
    assert "1.md" in site.ask("ferry")
    done = counted_sync(site)
    assert done["embedded"] == 2  # one of the two that were missing, and the new text instead of the other
    assert active(site) != before
    site.settings = {}
    assert counted_sync(site)["embedded"] == 1  # back, where only the new text has no vector
    assert active(site) == before


def test_a_run_that_began_with_another_model_neither_flips_back_nor_publishes(site):
    site.write("a.md", FERRY)
    site.sync()
    before = active(site)
    site.write("b.md", CRANE)
    older = pipeline.plan(site.config, site.dsn, site.name)
    prepare(site, older.run_id)
    embed(site, older.run_id)
    unmoved = site.settings
    site.settings = OTHER_MODEL
    site.sync()
    chosen = active(site)
    assert chosen != before
    site.settings = unmoved
    assert pipeline.publish(site.config, site.dsn, older.run_id)["state"] == "failed"
    assert active(site) == chosen
    site.settings = OTHER_MODEL
    assert counted_sync(site)["documents"] == counts(unchanged=2)


def test_a_published_text_without_a_vector_gets_one_from_the_next_run(site):
    site.write("a.md", FERRY)
    site.write("b.md", CRANE)
    site.sync()
    key = site.children("a.md")[0]["key"]
    execute(site, f"DELETE FROM embeddings WHERE key = '\\x{key.hex()}'")
    assert "a.md" not in site.ask("ferry")
    said = pipeline.preview(site.config, site.dsn, site.name)
    assert said["tokens_to_embed"] == site.children("a.md")[0]["tokens"]
    done = counted_sync(site)
    assert (done["documents"], done["embedded"]) == (counts(unchanged=2), 1)
    assert "a.md" in site.ask("ferry")
