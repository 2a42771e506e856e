"""One document of the listing against the ledger: what becomes of it. Moves and listings are in tests/store."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from uuid import uuid5

import pytest

from chunkers.identity import NAMESPACE
from corpus.errors import MassDeletion
from corpus.planning import Action, Expected, Known, Stage, Tally, Verdict, decide, guard, racy, same_evidence
from corpus.sources import Listed

SECOND = 1_000_000_000
NOW = 2_000_000 * SECOND
LONG_AGO = 1_000_000 * SECOND
TODAY = Expected("parse 1", "cut 1", "payload 1", "attempt 1", ["public"])


def hashed(content: str) -> bytes:
    return sha256(content.encode()).digest()


def listed(uri: str = "a", size: int = 10, mtime_ns: int = LONG_AGO, etag: str | None = None) -> Listed:
    return Listed(uri, size, mtime_ns, etag)


def known(content: str | None = "old", **changes) -> Known:
    row = Known(
        document_id=uuid5(NAMESPACE, "a"),
        uri="a",
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
        permissions=["public"],
    )
    return replace(row, **changes)


def fate(
    entry: Listed, row: Known | None, content: str | None = None, expected: Expected = TODAY, **options
) -> Verdict:
    """As the planner asks: hashed if the evidence is not enough and the content is given."""
    digest = hashed(content) if content is not None else None
    trusted = not racy(entry, NOW)
    return decide(entry, row, digest, lambda _: expected, **{"trusted": trusted, **options})


def test_an_unchanged_document_needs_no_reading_and_no_work():
    assert same_evidence(listed(), known())
    assert fate(listed(), known()) == Verdict(Action.UNCHANGED, None, hashed("old"))


def test_a_document_that_the_ledger_does_not_know_is_new():
    assert fate(listed(), None) == Verdict(Action.NEW, Stage.PARSE)


@pytest.mark.parametrize(
    "evidence",
    [{"size": 11}, {"mtime_ns": LONG_AGO + 1}, {"mtime_ns": LONG_AGO - 1}, {"etag": "x"}],
    ids=["size", "newer", "older", "etag"],
)
def test_other_evidence_proves_nothing_and_other_bytes_mean_work(evidence):
    assert not same_evidence(listed(**evidence), known())
    assert fate(listed(**evidence), known(), "new") == Verdict(Action.CHANGED, Stage.PARSE, hashed("new"))


def test_other_evidence_with_the_same_bytes_is_only_written_down():
    found = fate(listed(mtime_ns=LONG_AGO + 5), known(), "old")
    assert (found.action, found.stage) == (Action.TOUCHED, None)


def test_an_etag_counts_more_than_an_mtime():
    row = known(etag="v1")
    assert same_evidence(listed(mtime_ns=LONG_AGO + 5, etag="v1"), row)
    assert not same_evidence(listed(etag="v2"), row)


def test_evidence_that_is_not_trusted_proves_nothing():
    row = known(trusted=False)
    assert not same_evidence(listed(), row)
    assert fate(listed(), row, "new").action is Action.CHANGED
    assert fate(listed(), row, "old").action is Action.TOUCHED


def test_evidence_that_still_cannot_be_trusted_is_not_written_again():
    future = NOW + 3600 * SECOND
    assert fate(listed(mtime_ns=future), known(trusted=False, mtime_ns=future), "old").action is Action.UNCHANGED


def test_a_document_that_should_be_read_and_could_not_counts_as_changed():
    assert fate(listed(size=11), known()).action is Action.CHANGED
    assert fate(listed(), known(), verify=True).action is Action.CHANGED


def test_what_is_to_be_verified_is_unchanged_if_its_bytes_are():
    assert fate(listed(), known(), "old", verify=True).action is Action.UNCHANGED
    assert fate(listed(), known(), "new", verify=True).action is Action.CHANGED


@pytest.mark.parametrize(
    ("changes", "stage"),
    [
        ({"parse_fingerprint": "parse 0"}, Stage.PARSE),
        ({"cut_fingerprint": "cut 0"}, Stage.CUT),
        ({"payload_hash": "payload 0"}, Stage.METADATA),
        ({"permissions": ["staff"]}, Stage.PERMISSIONS),
        ({"permissions": []}, Stage.PERMISSIONS),
        ({"permissions": ["staff"], "payload_hash": "payload 0"}, Stage.METADATA),
        ({"payload_hash": "payload 0", "cut_fingerprint": "cut 0"}, Stage.CUT),
        ({"cut_fingerprint": "cut 0", "parse_fingerprint": "parse 0"}, Stage.PARSE),
    ],
)
def test_a_changed_setting_is_due_from_the_first_stage_that_reads_it(changes, stage):
    assert fate(listed(), known(**changes)) == Verdict(Action.DUE, stage, hashed("old"))


def test_a_touched_document_whose_settings_changed_is_due():
    found = fate(listed(mtime_ns=LONG_AGO + 5), known(cut_fingerprint="cut 0"), "old")
    assert (found.action, found.stage) == (Action.DUE, Stage.CUT)


def test_a_tombstone_that_is_listed_again_is_revived():
    assert fate(listed(), known(deleted=True)) == Verdict(Action.REVIVED, Stage.PARSE)


def test_a_document_that_was_never_published_is_new():
    assert fate(listed(), known(None)).action is Action.NEW
    assert fate(listed(size=11), known(None), "x").action is Action.NEW


def quarantined(content: str | None = "good", **changes) -> Known:
    return known(
        content,
        **{
            "quarantined_hash": hashed("bad"),
            "quarantined_fingerprint": TODAY.attempt_fingerprint,
            "read_hash": hashed("bad"),
            **changes,
        },
    )


def test_bad_bytes_are_not_tried_again_by_the_same_parser():
    assert fate(listed(), quarantined()) == Verdict(Action.QUARANTINED, None, hashed("bad"))
    assert fate(listed(mtime_ns=LONG_AGO + 5), quarantined(), "bad").action is Action.QUARANTINED
    assert fate(listed(), quarantined(content=None)).action is Action.QUARANTINED


def test_new_evidence_of_bad_bytes_is_written_down_so_that_they_are_not_read_again_and_again():
    assert fate(listed(), quarantined()).recorded
    assert not fate(listed(mtime_ns=LONG_AGO + 5), quarantined(), "bad").recorded
    assert not fate(listed(), quarantined(trusted=False), "bad").recorded


def test_bad_bytes_are_tried_again_when_the_attempt_would_be_another_one():
    row = quarantined(quarantined_fingerprint="attempt 0")
    assert fate(listed(), row, expected=replace(TODAY, attempt_fingerprint="attempt 0")).stage is None
    found = fate(listed(), row, expected=replace(TODAY, attempt_fingerprint="attempt 1"))
    assert (found.action, found.stage) == (Action.CHANGED, Stage.PARSE)


def test_a_tombstone_whose_new_bytes_failed_waits_as_any_other_does():
    row = quarantined(deleted=True, permissions=["staff"])
    assert fate(listed(), row) == Verdict(Action.QUARANTINED, None, hashed("bad"))  # nothing of it is served
    assert fate(listed(), replace(row, quarantined_fingerprint="attempt 0")).action is Action.REVIVED
    assert fate(listed(size=11), row, "mended").action is Action.REVIVED


def test_other_bytes_are_tried():
    assert fate(listed(size=11), quarantined(), "mended").action is Action.CHANGED


def test_when_the_good_bytes_come_back_only_the_quarantine_ends():
    found = fate(listed(size=11), quarantined(), "good")
    assert (found.action, found.stage) == (Action.TOUCHED, None)


def test_a_failure_that_was_forgotten_leaves_bytes_that_were_never_published():
    row = known("good", read_hash=hashed("bad"))
    assert fate(listed(), row) == Verdict(Action.CHANGED, Stage.PARSE, hashed("bad"))


def test_bytes_that_a_new_parser_refused_stay_in_quarantine_beside_their_published_version():
    assert fate(listed(), quarantined(content="bad", parse_fingerprint="parse 0")).action is Action.QUARANTINED


def test_new_permissions_reach_the_version_that_stays_searchable():
    found = fate(listed(), quarantined(permissions=["staff"]))
    assert (found.action, found.stage) == (Action.QUARANTINED, Stage.PERMISSIONS)
    assert fate(listed(), quarantined(content=None, permissions=None)).stage is None


@pytest.mark.parametrize("stage", [Stage.PARSE, Stage.CUT, Stage.EMBED])
def test_what_an_operator_wants_again_is_due_from_there(stage):
    assert fate(listed(), known(), again=stage) == Verdict(Action.DUE, stage, hashed("old"), forced=True)


def test_what_is_due_from_an_earlier_stage_is_done_from_there():
    row = known(cut_fingerprint="cut 0")
    assert fate(listed(), row, again=Stage.EMBED).stage is Stage.CUT
    assert fate(listed(), row, again=Stage.PARSE).stage is Stage.PARSE
    assert fate(listed(), known(payload_hash="payload 0"), again=Stage.EMBED).stage is Stage.EMBED


def test_what_is_wanted_again_and_has_changed_is_simply_changed():
    assert fate(listed(size=11), known(), "new", again=Stage.EMBED) == Verdict(
        Action.CHANGED, Stage.PARSE, hashed("new")
    )


def test_bad_bytes_are_tried_again_when_an_operator_wants_them_parsed_again():
    found = fate(listed(), quarantined(), again=Stage.PARSE)
    assert (found.action, found.stage, found.forced) == (Action.CHANGED, Stage.PARSE, True)
    assert fate(listed(), quarantined(), again=Stage.CUT).action is Action.QUARANTINED


def test_a_document_counts_once_by_what_becomes_of_it_and_once_by_why():
    tally = Tally()
    for action, stage in [
        (Action.NEW, Stage.PARSE),
        (Action.CHANGED, Stage.PARSE),
        (Action.REVIVED, Stage.PARSE),
        (Action.MOVED, Stage.PARSE),
        (Action.DUE, Stage.CUT),
        (Action.DUE, Stage.PERMISSIONS),
        (Action.QUARANTINED, Stage.PERMISSIONS),
        (Action.QUARANTINED, None),
        (Action.TOUCHED, None),
        (Action.UNCHANGED, None),
        (Action.DELETED, None),
    ]:
        tally.add(action, stage)
    tally.add(Action.DUE, Stage.CUT, forced=True)
    tally.unchanged(90)
    assert tally.documents == {
        "new": 2, "changed": 4, "moved": 1, "unchanged": 92, "deleted": 1, "quarantined": 2,
    }  # fmt: skip
    assert tally.changes == {
        "content": 2, "moved": 1, "restored": 1, "parse": 0, "cut": 1, "embed": 0, "metadata": 0, "permissions": 2,
        "forced": 1,
    }  # fmt: skip


def vanish(gone: int, of: int, *, share=0.2, documents=10, allow=False, doubt=None) -> None:
    guard(gone, [f"{number:03}" for number in range(gone)], of, share, documents, allow, doubt=doubt)


def test_the_guard_stops_a_run_when_too_much_vanished():
    with pytest.raises(MassDeletion) as caught:
        vanish(30, of=50)
    assert (len(caught.value.vanished), caught.value.count) == (30, 30)
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


def test_of_a_source_that_is_in_doubt_a_few_are_too_many():
    with pytest.raises(MassDeletion, match="nothing is listed; 3 of 3 documents vanished") as caught:
        vanish(3, of=3, doubt="nothing is listed")
    assert "more than 10" not in str(caught.value)
    vanish(2, of=10, doubt="nothing is listed")  # no more than a fifth


def test_the_operator_may_overrule_the_guard():
    vanish(50, of=50, allow=True)
    vanish(50, of=50, allow=True, doubt="nothing is listed")


@pytest.mark.parametrize(
    ("age", "expected"),
    [(3 * SECOND, False), (2 * SECOND, False), (2 * SECOND - 1, True), (0, True), (-60 * SECOND, True)],
)
def test_a_change_within_two_seconds_of_the_listing_is_looked_at_again(age, expected):
    assert racy(listed(mtime_ns=NOW - age), NOW) is expected


def test_an_etag_needs_no_waiting():
    assert not racy(listed(mtime_ns=NOW, etag="x"), NOW)
