"""Listing against ledger: what becomes of each document."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from uuid import uuid5

import pytest

from chunkers.identity import NAMESPACE
from corpus.errors import MassDeletion
from corpus.planning import (
    Action,
    Decision,
    Expected,
    Item,
    Known,
    Stage,
    decide,
    guard,
    racy,
    to_read,
    within,
)
from corpus.sources import Listed

SECOND = 1_000_000_000
NOW = 2_000_000 * SECOND
LONG_AGO = 1_000_000 * SECOND
TODAY = Expected("parse 1", "cut 1", "payload 1", "attempt 1")


def hashed(content: str) -> bytes:
    return sha256(content.encode()).digest()


def listed(uri: str, size: int = 10, mtime_ns: int = LONG_AGO, etag: str | None = None) -> Listed:
    return Listed(uri, size, mtime_ns, etag)


def known(uri: str, content: str | None = "old", **changes) -> Known:
    row = Known(
        document_id=uuid5(NAMESPACE, uri),
        uri=uri,
        size=10,
        mtime_ns=LONG_AGO,
        etag=None,
        trusted=True,
        content_hash=hashed(content) if content is not None else None,
        parse_fingerprint=TODAY.parse_fingerprint,
        cut_fingerprint=TODAY.cut_fingerprint,
        payload_hash=TODAY.payload_hash,
        media_type="text/markdown",
        recipe="structure",
    )
    return replace(row, **changes)


def run(listing, rows, contents=None, expected=TODAY) -> Decision:
    """Plan as the pipeline does: only what `to_read` asks for is hashed."""
    ledger = {row.uri: row for row in rows}
    hashes = {uri: hashed((contents or {})[uri]) for uri in to_read(listing, ledger) if uri in (contents or {})}
    return decide(listing, ledger, hashes, lambda _: expected, listed_at_ns=NOW)


def only(decision: Decision) -> Item:
    (item,) = decision.items
    return item


def actions(decision: Decision) -> dict[str, Action]:
    return {item.uri: item.action for item in decision.items}


def test_an_unchanged_corpus_needs_no_reading_and_no_work():
    rows = [known("a"), known("b")]
    listing = [listed("b"), listed("a")]
    assert to_read(listing, {row.uri: row for row in rows}) == []
    decision = run(listing, rows)
    assert [item.uri for item in decision.items] == ["a", "b"]
    assert set(actions(decision).values()) == {Action.UNCHANGED}
    assert all(item.stage is None for item in decision.items)
    assert decision.counts() == {"new": 0, "changed": 0, "moved": 0, "unchanged": 2, "deleted": 0, "quarantined": 0}


def test_a_new_document_is_not_read_while_planning_when_nothing_vanished():
    assert to_read([listed("a"), listed("b")], {"a": known("a")}) == []
    decision = run([listed("a"), listed("b")], [known("a")])
    assert actions(decision) == {"a": Action.UNCHANGED, "b": Action.NEW}
    assert decision.items[1].stage is Stage.PARSE


@pytest.mark.parametrize(
    "evidence",
    [{"size": 11}, {"mtime_ns": LONG_AGO + 1}, {"mtime_ns": LONG_AGO - 1}, {"etag": "x"}],
    ids=["size", "newer", "older", "etag"],
)
def test_other_evidence_means_reading_and_other_bytes_mean_work(evidence):
    listing = [listed("a", **evidence)]
    assert to_read(listing, {"a": known("a")}) == ["a"]
    item = only(run(listing, [known("a")], {"a": "new"}))
    assert (item.action, item.stage, item.content_hash) == (Action.CHANGED, Stage.PARSE, hashed("new"))


def test_other_evidence_with_the_same_bytes_is_only_written_down():
    item = only(run([listed("a", mtime_ns=LONG_AGO + 5)], [known("a")], {"a": "old"}))
    assert (item.action, item.stage) == (Action.TOUCHED, None)


def test_an_etag_counts_more_than_an_mtime():
    row = known("a", etag="v1")
    assert to_read([listed("a", mtime_ns=LONG_AGO + 5, etag="v1")], {"a": row}) == []
    assert to_read([listed("a", etag="v2")], {"a": row}) == ["a"]


def test_evidence_that_is_not_trusted_proves_nothing():
    row = known("a", trusted=False)
    assert to_read([listed("a")], {"a": row}) == ["a"]
    assert only(run([listed("a")], [row], {"a": "new"})).action is Action.CHANGED
    item = only(run([listed("a")], [row], {"a": "old"}))
    assert (item.action, item.trusted) == (Action.TOUCHED, True)


def test_evidence_that_still_cannot_be_trusted_is_not_written_again():
    future = NOW + 3600 * SECOND
    row = known("a", trusted=False, mtime_ns=future)
    item = only(run([listed("a", mtime_ns=future)], [row], {"a": "old"}))
    assert (item.action, item.trusted) == (Action.UNCHANGED, False)


def test_a_document_that_should_be_read_and_could_not_counts_as_changed():
    assert only(run([listed("a", size=11)], [known("a")])).action is Action.CHANGED


@pytest.mark.parametrize(
    ("changes", "stage"),
    [
        ({"parse_fingerprint": "parse 0"}, Stage.PARSE),
        ({"cut_fingerprint": "cut 0"}, Stage.CUT),
        ({"payload_hash": "payload 0"}, Stage.PAYLOAD),
        ({"payload_hash": "payload 0", "cut_fingerprint": "cut 0"}, Stage.CUT),
        ({"cut_fingerprint": "cut 0", "parse_fingerprint": "parse 0"}, Stage.PARSE),
    ],
)
def test_a_changed_setting_is_due_from_the_first_stage_that_reads_it(changes, stage):
    item = only(run([listed("a")], [known("a", **changes)]))
    assert (item.action, item.stage) == (Action.DUE, stage)


def test_a_touched_document_whose_settings_changed_is_due():
    item = only(run([listed("a", mtime_ns=LONG_AGO + 5)], [known("a", cut_fingerprint="cut 0")], {"a": "old"}))
    assert (item.action, item.stage) == (Action.DUE, Stage.CUT)


def test_a_renamed_document_has_moved_and_has_not_vanished():
    rows = [known("a", "text")]
    assert to_read([listed("b")], {"a": rows[0]}) == ["b"]
    decision = run([listed("b")], rows, {"b": "text"})
    gone, moved = decision.items
    assert (gone.uri, gone.action, gone.moved_to) == ("a", Action.DELETED, "b")
    assert (moved.uri, moved.action, moved.moved_from) == ("b", Action.MOVED, rows[0])
    assert decision.vanished == ()
    assert decision.counts() == {"new": 0, "changed": 0, "moved": 1, "unchanged": 0, "deleted": 0, "quarantined": 0}


def test_a_copy_is_new():
    decision = run([listed("a"), listed("b")], [known("a", "text")], {"b": "text"})
    assert actions(decision) == {"a": Action.UNCHANGED, "b": Action.NEW}


def test_renamed_and_edited_is_deleted_and_new():
    decision = run([listed("b")], [known("a", "text")], {"b": "other text"})
    assert actions(decision) == {"a": Action.DELETED, "b": Action.NEW}
    assert decision.vanished == ("a",)


def test_equal_documents_are_paired_one_to_one_in_order():
    rows = [known(uri, "same") for uri in ("old/1", "old/2", "old/3")]
    listing = [listed("new/b"), listed("new/a")]
    decision = run(listing, rows, {"new/a": "same", "new/b": "same"})
    assert {item.uri: item.moved_to for item in decision.items if item.action is Action.DELETED} == {
        "old/1": "new/a",
        "old/2": "new/b",
        "old/3": None,
    }
    assert decision.vanished == ("old/3",)


def test_two_documents_that_change_places_are_changed_not_moved():
    decision = run(
        [listed("a", size=11), listed("b", size=11)],
        [known("a", "one"), known("b", "two")],
        {"a": "two", "b": "one"},
    )
    assert set(actions(decision).values()) == {Action.CHANGED}


def test_a_tombstone_that_is_listed_again_is_revived():
    decision = run([listed("a")], [known("a", deleted=True)])
    item = only(decision)
    assert (item.action, item.stage, item.known.deleted) == (Action.REVIVED, Stage.PARSE, True)
    assert decision.counts()["new"] == 1


def test_a_tombstone_that_stays_away_is_no_concern():
    assert run([], [known("a", deleted=True)]).items == ()


def test_a_document_may_move_to_the_address_of_a_tombstone():
    rows = [known("a", "text"), known("b", "something else", deleted=True)]
    decision = run([listed("b")], rows, {"b": "text"})
    assert actions(decision) == {"a": Action.DELETED, "b": Action.MOVED}
    assert decision.items[1].known == rows[1]


def test_a_document_that_was_never_published_is_new():
    assert only(run([listed("a")], [known("a", None)])).action is Action.NEW
    assert only(run([listed("a", size=11)], [known("a", None)], {"a": "x"})).action is Action.NEW


def quarantined(uri="a", content: str | None = "good", **changes) -> Known:
    return known(
        uri,
        content,
        **{"quarantined_hash": hashed("bad"), "quarantined_fingerprint": TODAY.attempt_fingerprint, **changes},
    )


def test_bad_bytes_are_not_tried_again_by_the_same_parser():
    item = only(run([listed("a")], [quarantined()]))
    assert (item.action, item.stage) == (Action.QUARANTINED, None)
    touched = only(run([listed("a", mtime_ns=LONG_AGO + 5)], [quarantined()], {"a": "bad"}))
    assert touched.action is Action.QUARANTINED
    assert only(run([listed("a")], [quarantined(content=None)])).action is Action.QUARANTINED


def test_bad_bytes_are_tried_again_when_the_attempt_would_be_another_one():
    row = quarantined(quarantined_fingerprint="attempt 0")
    assert only(run([listed("a")], [row], expected=replace(TODAY, attempt_fingerprint="attempt 0"))).stage is None
    item = only(run([listed("a")], [row], expected=replace(TODAY, attempt_fingerprint="attempt 1")))
    assert (item.action, item.stage) == (Action.CHANGED, Stage.PARSE)


def test_a_document_that_was_in_quarantine_from_the_first_leaves_without_being_missed():
    decision = run([], [quarantined(content=None)])
    assert only(decision).action is Action.DELETED
    assert decision.vanished == ()
    assert decision.counts()["deleted"] == 0


def test_other_bytes_are_tried():
    assert only(run([listed("a", size=11)], [quarantined()], {"a": "mended"})).action is Action.CHANGED


def test_when_the_good_bytes_come_back_only_the_quarantine_ends():
    item = only(run([listed("a", size=11)], [quarantined()], {"a": "good"}))
    assert (item.action, item.stage) == (Action.TOUCHED, None)


def test_bytes_that_a_new_parser_refused_stay_in_quarantine_beside_their_published_version():
    row = quarantined(content="bad", parse_fingerprint="parse 0")
    assert only(run([listed("a")], [row])).action is Action.QUARANTINED


def test_new_permissions_reach_the_version_that_stays_searchable():
    item = only(run([listed("a")], [quarantined(payload_hash="payload 0")]))
    assert (item.action, item.stage) == (Action.QUARANTINED, Stage.PAYLOAD)
    assert only(run([listed("a")], [quarantined(content=None, payload_hash=None)])).stage is None


def test_a_quarantined_document_that_is_gone_is_deleted():
    decision = run([], [quarantined()])
    assert decision.vanished == ("a",)


def test_a_quarantined_document_that_is_renamed_has_moved():
    decision = run([listed("b")], [quarantined()], {"b": "bad"})
    assert decision.counts()["moved"] == 1


def test_a_document_counts_once():
    rows = [
        known("changed"),
        known("due", cut_fingerprint="cut 0"),
        known("gone"),
        known("moved away", "moved"),
        known("revived", deleted=True),
        known("touched"),
        known("unchanged"),
        quarantined("bad"),
    ]
    listing = [
        listed("changed", size=11),
        listed("due"),
        listed("moved here"),
        listed("new"),
        listed("revived"),
        listed("touched", mtime_ns=LONG_AGO + 5),
        listed("unchanged"),
        listed("bad"),
    ]
    contents = {"changed": "x", "moved here": "moved", "new": "y", "revived": "z", "touched": "old"}
    counts = run(listing, rows, contents).counts()
    assert counts == {"new": 2, "changed": 2, "moved": 1, "unchanged": 2, "deleted": 1, "quarantined": 1}


def vanish(gone: int, of: int, *, share=0.2, documents=10, allow=False) -> None:
    rows = [known(f"{number:03}", str(number)) for number in range(of)]
    decision = run([listed(row.uri) for row in rows[gone:]], rows)
    guard(decision, of, share, documents, allow)


def test_the_guard_stops_a_run_when_too_much_vanished():
    with pytest.raises(MassDeletion) as caught:
        vanish(30, of=50)
    assert len(caught.value.vanished) == 30
    assert "30 of 50 documents vanished" in str(caught.value)
    assert "000, 001," in str(caught.value)
    assert "and 10 more" in str(caught.value)
    assert "--allow-mass-delete" in caught.value.hint


def test_the_guard_asks_for_both_limits_to_be_passed():
    vanish(10, of=20)  # half of them, but no more than ten
    vanish(20, of=100)  # twenty, but no more than a fifth
    with pytest.raises(MassDeletion):
        vanish(21, of=100)
    with pytest.raises(MassDeletion):
        vanish(11, of=11)
    with pytest.raises(MassDeletion):
        vanish(1, of=1, share=0, documents=0)


def test_the_operator_may_overrule_the_guard():
    vanish(50, of=50, allow=True)


def test_documents_that_moved_do_not_alarm_the_guard():
    rows = [known(f"old/{number:02}", str(number)) for number in range(50)]
    listing = [listed(f"new/{number:02}") if number < 20 else listed(f"old/{number:02}") for number in range(50)]
    decision = run(listing, rows, {f"new/{number:02}": str(number) for number in range(20)})
    assert decision.counts()["moved"] == 20
    guard(decision, 50, 0.2, 10, allow=False)


@pytest.mark.parametrize(
    ("age", "expected"),
    [(3 * SECOND, False), (2 * SECOND, False), (2 * SECOND - 1, True), (0, True), (-60 * SECOND, True)],
)
def test_a_change_within_two_seconds_of_the_listing_is_looked_at_again(age, expected):
    assert racy(listed("a", mtime_ns=NOW - age), NOW) is expected


def test_an_etag_needs_no_waiting():
    assert not racy(listed("a", mtime_ns=NOW, etag="x"), NOW)


def test_what_was_listed_right_after_a_change_is_not_trusted():
    listing = [listed("fresh", mtime_ns=NOW), listed("settled")]
    assert {item.uri: item.trusted for item in run(listing, []).items} == {"fresh": False, "settled": True}


def test_a_window_holds_what_was_modified_in_it_and_nothing_has_vanished_from_it():
    day = 86_400 * SECOND
    listing = [listed("before", mtime_ns=day - 1), listed("in", mtime_ns=day), listed("after", mtime_ns=2 * day)]
    rows = {uri: known(uri) for uri in ("before", "in", "after", "gone")}
    rows["in"] = replace(rows["in"], mtime_ns=day)
    window = (datetime(1970, 1, 2, tzinfo=UTC), datetime(1970, 1, 3, tzinfo=UTC))
    kept, ledger = within(listing, rows, window)
    assert [item.uri for item in kept] == ["in"]
    assert list(ledger) == ["in"]
    assert to_read(kept, ledger) == ["in"]
    decision = decide(kept, ledger, {"in": hashed("old")}, lambda _: TODAY, listed_at_ns=NOW)
    assert only(decision).action is Action.UNCHANGED
