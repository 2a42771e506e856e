"""A listing held against the ledger on the server: what is read, what has moved, what is written down."""

from __future__ import annotations

import time

import pytest
from ledger_under_test import LATER, OLD, Documents, Ledger

from chunkers.identity import content_hash
from corpus import planner
from corpus.planning import Action, Stage
from corpus.plans import Plans
from corpus.recipes import Recipes
from corpus.records import Reprocess
from corpus.store import Store

NOTHING = {"new": 0, "changed": 0, "moved": 0, "unchanged": 0, "deleted": 0, "quarantined": 0}
NO_CHANGE = {
    "content": 0, "moved": 0, "restored": 0, "parse": 0, "cut": 0, "embed": 0, "metadata": 0, "permissions": 0,
    "forced": 0,
}  # fmt: skip


@pytest.fixture
def ledger(database):
    with Ledger(database) as made:
        yield made


@pytest.fixture
def source():
    return Documents()


def counts(**changed: int) -> dict[str, int]:
    return NOTHING | changed


def actions(items) -> dict[str, str]:
    return {uri: item.action for uri, item in items.items()}


def test_an_unchanged_corpus_needs_no_reading_and_no_items(ledger, source):
    for uri in ("a", "b"):
        ledger.document(uri, "text")
        source.put(uri, "text")
    found, items = ledger.plan(source)
    assert (found.documents, found.changes) == (counts(unchanged=2), NO_CHANGE)
    assert (items, source.read_of, found.listed, found.bytes_read) == ({}, [], 2, 0)


def test_a_new_document_is_not_read_while_planning_when_nothing_vanished(ledger, source):
    ledger.document("a", "text")
    source.put("a", "text")
    source.put("b", "more")
    found, items = ledger.plan(source)
    assert actions(items) == {"b": Action.NEW}
    assert (items["b"].stage, items["b"].batch, items["b"].document) == (Stage.PARSE, 0, ledger.id("b"))
    assert (source.read_of, found.documents["new"], found.changes["content"]) == ([], 1, 1)


@pytest.mark.parametrize(
    ("listed", "known"),
    [
        ({"content": "other text"}, {}),
        ({"at": OLD + 1}, {}),
        ({"at": OLD - 1}, {}),
        ({"etag": "x"}, {}),
        ({}, {"trusted": False}),
        ({"etag": "v2"}, {"etag": "v1"}),
    ],
    ids=["size", "newer", "older", "etag", "untrusted", "other etag"],
)
def test_a_document_is_read_where_the_evidence_proves_nothing(ledger, source, listed, known):
    ledger.document("a", "text", **known)
    source.put("a", **({"content": "text"} | listed))
    found, items = ledger.plan(source)
    assert source.read_of == ["a"]
    assert found.bytes_read == len(listed.get("content", "text"))
    assert items["a"].action == (Action.CHANGED if "content" in listed else Action.TOUCHED)


def test_an_etag_that_is_the_same_needs_no_reading_whatever_the_mtime(ledger, source):
    ledger.document("a", "text", etag="v1")
    source.put("a", "text", at=LATER, etag="v1")
    _, items = ledger.plan(source)
    assert source.read_of == []
    assert items["a"].action == Action.TOUCHED  # the mtime is written down


def test_what_was_changed_right_before_the_listing_is_looked_at_again(ledger, source):
    now = time.time_ns()
    ledger.document("a", "text", at=now)
    source.put("a", "text", at=now)
    _, items = ledger.plan(source)
    assert items["a"].action == Action.TOUCHED
    assert items["a"].trusted is False


def test_with_trust_in_content_alone_every_document_is_read(ledger, source):
    ledger.settings = ledger.settings.model_copy(update={"trust": "content"})
    for uri in ("a", "b", "same"):
        ledger.document(uri, "text")
        source.put(uri, "text")
    source.put("b", "tuxt")  # the same size and mtime
    found, items = ledger.plan(source)
    assert sorted(source.read_of) == ["a", "b", "same"]
    assert actions(items) == {"b": Action.CHANGED}
    assert found.documents == counts(unchanged=2, changed=1)


def test_a_document_that_cannot_be_read_now_is_left_to_its_batch(ledger, source):
    ledger.document("a", "text")
    source.put("a", "other text")
    source.unreadable = {"a"}
    _, items = ledger.plan(source)
    assert (items["a"].action, items["a"].content_hash) == (Action.CHANGED, None)


def test_a_document_that_goes_between_listing_and_reading_is_left_to_the_next_listing(ledger, source):
    ledger.document("a", "text")
    ledger.document("b", "text")
    source.put("a", "other text")
    source.put("b", "text")
    source.vanishing = {"a"}
    found, items = ledger.plan(source)
    assert (items, found.gone, found.documents) == ({}, 0, counts(unchanged=1))


def test_a_renamed_document_has_moved_and_has_not_vanished(ledger, source):
    ledger.document("a", "text")
    source.put("b", "text")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].moved_to) == (Action.DELETED, ledger.id("b"))
    assert (items["b"].action, items["b"].moved_from) == (Action.MOVED, ledger.id("a"))
    assert (found.vanished, found.gone, found.documents) == ((), 0, counts(moved=1))
    assert found.changes["moved"] == 1


def test_arrivals_are_read_only_where_what_vanished_had_as_many_bytes(ledger, source):
    ledger.document("a", "text")
    source.put("b", "another size")
    source.put("c", "fits")
    _, items = ledger.plan(source)
    assert source.read_of == ["c"]
    assert actions(items) == {"a": Action.DELETED, "b": Action.NEW, "c": Action.NEW}


def test_a_copy_is_new(ledger, source):
    ledger.document("a", "text")
    source.put("a", "text")
    source.put("b", "text")
    _, items = ledger.plan(source)
    assert actions(items) == {"b": Action.NEW}


def test_renamed_and_edited_is_deleted_and_new(ledger, source):
    ledger.document("a", "text")
    source.put("b", "tuxt")
    found, items = ledger.plan(source)
    assert actions(items) == {"a": Action.DELETED, "b": Action.NEW}
    assert (found.vanished, found.gone) == (("a",), 1)


def test_equal_documents_are_paired_one_to_one_in_the_order_of_addresses(ledger, source):
    for uri in ("old/é", "old/a", "old/Z"):
        ledger.document(uri, "same")
    for uri in ("new/b", "new/a"):
        source.put(uri, "same")
    found, items = ledger.plan(source)
    assert {uri: item.moved_to for uri, item in items.items() if item.action == Action.DELETED} == {
        "old/Z": ledger.id("new/a"),
        "old/a": ledger.id("new/b"),
        "old/é": None,
    }
    assert found.vanished == ("old/é",)


def test_two_documents_that_change_places_are_changed_not_moved(ledger, source):
    ledger.document("a", "one")
    ledger.document("b", "two")
    source.put("a", "two", at=LATER)
    source.put("b", "one", at=LATER)
    _, items = ledger.plan(source)
    assert set(actions(items).values()) == {Action.CHANGED}


def test_a_tombstone_stays_away_or_is_revived(ledger, source):
    ledger.published("a", "text", deleted=True)
    ledger.read("a", "text")
    assert ledger.plan(source)[1] == {}
    source.put("a", "text")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].stage) == (Action.REVIVED, Stage.PARSE)
    assert (found.documents, found.changes["restored"]) == (counts(new=1), 1)


def test_a_document_may_move_to_the_address_of_a_tombstone(ledger, source):
    ledger.document("a", "text")
    ledger.published("b", "something else", deleted=True)
    source.put("b", "text")
    _, items = ledger.plan(source)
    assert actions(items) == {"a": Action.DELETED, "b": Action.MOVED}


def test_bad_bytes_wait_and_are_no_item(ledger, source):
    ledger.quarantined("a", bad="bad", good="good")
    source.put("a", "bad")
    found, items = ledger.plan(source)
    assert (items, found.documents, source.read_of) == ({}, counts(quarantined=1), [])


def test_new_evidence_of_bad_bytes_is_written_down(ledger, source):
    ledger.quarantined("a", bad="bad")
    source.put("a", "bad", at=LATER)
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].stage, items["a"].batch) == (Action.QUARANTINED, None, None)
    assert (items["a"].mtime_ns, found.documents) == (LATER, counts(quarantined=1))


def test_bad_bytes_are_tried_again_when_an_operator_says_so(ledger, source):
    ledger.quarantined("a", bad="bad", retry=True)
    source.put("a", "bad")
    assert ledger.plan(source)[1]["a"].action == Action.CHANGED


def test_a_failure_that_was_forgotten_is_no_version(ledger, source):
    ledger.published("a", "good")
    ledger.read("a", "bad")
    source.put("a", "bad")
    assert ledger.plan(source)[1]["a"].action == Action.CHANGED


def test_new_permissions_reach_the_version_that_is_served_while_another_waits(ledger, source):
    ledger.quarantined("a", bad="bad", good="good")
    ledger.execute("UPDATE documents SET permissions = '{staff}'")
    source.put("a", "bad")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].stage, items["a"].batch) == (Action.QUARANTINED, Stage.PERMISSIONS, None)
    assert (items["a"].permissions, found.changes["permissions"]) == (["public"], 1)


def test_a_document_that_was_in_quarantine_from_the_first_leaves_without_being_missed(ledger, source):
    ledger.quarantined("a", bad="bad")
    found, items = ledger.plan(source)
    assert (items["a"].action, found.gone, found.documents) == (Action.DELETED, 0, NOTHING)


def test_a_quarantined_document_that_is_gone_is_deleted_and_one_that_is_renamed_has_moved(ledger, source):
    ledger.quarantined("a", bad="bad", good="good")
    assert ledger.plan(source)[0].vanished == ("a",)
    source.put("b", "bad")
    assert ledger.plan(source)[0].documents == counts(moved=1)


def test_bytes_that_went_into_quarantine_elsewhere_have_not_vanished(ledger, source):
    ledger.document("a", "text")  # its bytes were moved to b, where another parser refused them
    ledger.quarantined("b", bad="text")
    source.put("b", "text")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].moved_to) == (Action.DELETED, ledger.id("b"))
    assert (found.gone, found.documents) == (0, counts(quarantined=1))
    ledger.execute("UPDATE quarantine SET parse_fingerprint = 'older'")
    items = ledger.plan(source)[1]
    assert (items["b"].action, items["b"].moved_from) == (Action.CHANGED, ledger.id("a"))


def test_bytes_that_went_into_quarantine_where_a_tombstone_is_have_not_vanished(ledger, source):
    ledger.document("a", "text")
    ledger.published("b", "something else", deleted=True)
    ledger.quarantined("b", bad="text")
    source.put("b", "text")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].moved_to, found.gone) == (Action.DELETED, ledger.id("b"), 0)


def test_what_was_read_since_the_listing_began_has_not_vanished(ledger, source):
    ledger.document("a", "text", sequence=7)
    assert ledger.plan(source, listing_sequence=7)[0].gone == 1
    assert ledger.plan(source, listing_sequence=6)[1] == {}


def test_a_document_counts_once(ledger, source):
    for uri in ("changed", "gone", "touched", "unchanged"):
        ledger.document(uri, f"text of {uri}")
    ledger.published("due", "due", cut_fingerprint="older")
    ledger.read("due", "due", settings="older")
    ledger.document("moved away", "moved")
    ledger.published("revived", "revived", deleted=True)
    ledger.quarantined("bad", bad="bad", good="good")
    for uri, content in {
        "changed": "x", "due": "due", "moved here": "moved", "new": "y", "revived": "z", "bad": "bad",
        "unchanged": "text of unchanged",
    }.items():  # fmt: skip
        source.put(uri, content)
    source.put("touched", "text of touched", at=LATER)
    found, items = ledger.plan(source)
    assert found.documents == counts(new=2, changed=2, moved=1, unchanged=2, deleted=1, quarantined=1)
    assert found.changes == NO_CHANGE | {"content": 2, "moved": 1, "restored": 1, "cut": 1}
    assert items["due"].stage == Stage.CUT


@pytest.mark.parametrize(
    ("column", "stage"),
    [("parse_fingerprint", "parse"), ("cut_fingerprint", "cut"), ("payload_hash", "metadata"), (None, "permissions")],
)
def test_what_is_due_is_told_by_the_first_stage_that_reads_what_changed(ledger, source, column, stage):
    ledger.published("a", "text", **({column: "older"} if column else {"permissions": ["staff"]}))
    ledger.read("a", "text", settings="older")
    source.put("a", "text")
    found, items = ledger.plan(source)
    assert (items["a"].action, items["a"].stage, items["a"].forced) == (Action.DUE, stage, False)
    assert items["a"].batch == 0
    assert found.changes == NO_CHANGE | {stage: 1}
    assert source.read_of == []


def test_what_is_found_as_today_would_have_it_is_not_looked_at_again(ledger, source, monkeypatch):
    for number in range(12):
        ledger.document(f"{number}", "text", settings="older")
        source.put(f"{number}", "text")
    ledger.published("due", "text", cut_fingerprint="older")
    ledger.read("due", "text", settings="older")
    source.put("due", "text")
    ledger.document("elsewhere", "text", settings="older", sequence=1)
    asked = []
    ask = Recipes.expected

    def expected(self, known):
        asked.append(known.uri)
        return ask(self, known)

    monkeypatch.setattr(Recipes, "expected", expected)
    ledger.write(source)
    assert len(asked) == 13
    asked.clear()
    found, _ = ledger.plan(source)
    assert asked == ["due"]
    assert found.documents == counts(unchanged=12, changed=1, deleted=1)
    marked = dict(ledger.rows("SELECT uri, settings FROM sync_documents"))
    assert marked.pop("due") == marked.pop("elsewhere") == "older"
    assert set(marked.values()) == {ledger.recipes.digest}


def test_what_was_read_anew_meanwhile_says_for_itself_what_it_is_like(ledger, source, monkeypatch):
    ledger.document("a", "text", settings="older")
    source.put("a", "text")
    mark = Plans.mark_current

    def after_another_run(self, settings):
        ledger.execute("UPDATE sync_documents SET read_sequence = 9, settings = 'another run''s'")
        mark(self, settings)

    monkeypatch.setattr(Plans, "mark_current", after_another_run)
    ledger.write(source)
    assert ledger.rows("SELECT settings FROM sync_documents") == [("another run's",)]


def test_a_plan_is_written_whole_with_what_its_documents_need(ledger, source):
    ledger.document("gone", "text")
    ledger.document("touched", "same")
    source.put("touched", "same", at=LATER)
    source.put("b.md", "a new one of another size", etag="v1")
    run = ledger.write(source)
    rows = ledger.rows(
        "SELECT uri, action, stage, batch, state, size, mtime_ns, etag, trusted, content_hash, forced FROM sync_items"
        " WHERE run_id = %(run)s ORDER BY uri",
        run=run,
    )
    assert rows == [
        ("b.md", "new", "parse", 0, "planned", 25, OLD, "v1", True, None, False),
        ("gone", "deleted", None, None, "planned", None, None, None, False, None, False),
        ("touched", "touched", None, None, "planned", 4, LATER, None, True, content_hash(b"same"), False),
    ]
    ((planned, documents, changes),) = ledger.rows(
        "SELECT planned, documents, changes FROM sync_runs WHERE id = %(run)s", run=run
    )
    assert planned == documents == counts(new=1, unchanged=1, deleted=1)
    assert changes == NO_CHANGE | {"content": 1}


def again(glob: str, stage: str = "cut") -> Reprocess:
    return Reprocess(glob, stage, "because")


def test_what_an_operator_wants_again_is_due_and_nothing_else_is_looked_at(ledger, source):
    for uri in ("a/due", "a/touched", "a/changed", "a/gone", "b/changed"):
        ledger.document(uri, "text")
    ledger.published("a/tombstone", "text", deleted=True)
    source.put("a/due", "text")
    source.put("a/touched", "text", at=LATER)
    source.put("a/changed", "other text")
    source.put("b/changed", "other text")
    source.put("a/new", "text")
    source.put("a/tombstone", "text")
    found, items = ledger.plan(source, reprocess=again("a/**"))
    assert actions(items) == {"a/due": Action.DUE, "a/touched": Action.DUE, "a/changed": Action.CHANGED}
    assert {items[uri].stage for uri in ("a/due", "a/touched")} == {Stage.CUT}
    assert [items[uri].forced for uri in ("a/due", "a/touched", "a/changed")] == [True, True, False]
    assert sorted(source.read_of) == ["a/changed", "a/touched"]
    assert found.documents == counts(changed=3)
    assert found.changes == NO_CHANGE | {"forced": 2, "content": 1}
    assert (found.gone, found.vanished) == (0, ())


def test_what_waits_in_quarantine_waits_on_unless_it_is_to_be_parsed_again(ledger, source):
    ledger.quarantined("a", bad="bad")
    ledger.document("b", "text")
    source.put("a", "bad")
    source.put("b", "text")
    found, items = ledger.plan(source, reprocess=again("a", "embed"))
    assert (items, found.documents) == ({}, counts(quarantined=1))
    items = ledger.plan(source, reprocess=again("a", "parse"))[1]
    assert (items["a"].action, items["a"].forced) == (Action.CHANGED, True)


def test_a_document_of_another_corpus_is_no_concern(ledger, source):
    ledger.document("a", "text")
    source.put("a", "text")
    ledger.settings = ledger.settings.model_copy(update={"name": "other"})
    assert ledger.plan(source)[0].documents == counts(new=1)


def test_one_document_of_a_plan_can_be_asked_for(ledger, source):
    ledger.document("a", "text")
    source.put("a", "text")
    source.put("b", "text")
    with Store(ledger.dsn) as store:
        planner.decided(store, ledger.settings, source)
        assert store.planned_one(ledger.id("a")) is None
        found = store.planned_one(ledger.id("b"))
        assert found is not None
        assert (found.uri, found.action) == ("b", Action.NEW)
