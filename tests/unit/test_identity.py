"""Ids, keys and fingerprints: what changes them and what does not."""

from __future__ import annotations

import hashlib
import unicodedata
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.identity import (
    canonical_uri,
    child_id,
    content_hash,
    document_id,
    embedding_key,
    fingerprint,
    ordinals,
    parent_id,
)

A, B = UUID(int=1), UUID(int=2)


def test_ids_are_name_based_uuids_of_version_5():
    for made in (document_id("docs", "a.md"), parent_id(A, ("x",), 0), child_id(A, ("x",), "text", 0)):
        assert made.version == 5


def test_equal_names_give_equal_ids_and_every_part_counts():
    assert document_id("docs", "a.md") == document_id("docs", "a.md")
    different = [
        document_id("docs", "a.md"),
        document_id("docs", "b.md"),
        document_id("docs2", "a.md"),
        parent_id(A, ("x",), 0),
        parent_id(B, ("x",), 0),
        parent_id(A, ("y",), 0),
        parent_id(A, ("x",), 1),
        child_id(A, ("x",), "t", 0),
        child_id(B, ("x",), "t", 0),
        child_id(A, ("y",), "t", 0),
        child_id(A, ("x",), "u", 0),
        child_id(A, ("x",), "t", 1),
    ]
    assert len(set(different)) == len(different)


def test_ids_do_not_change_between_versions_of_this_code():
    """They are stored: a new scheme would rename every row. Computed from uuid5 over a JSON array by hand."""
    import json
    from uuid import uuid5

    space = UUID("6d1b1c1e-52ae-5f0e-9d6b-3a1f0c7e4b52")

    def name(*parts):
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    assert document_id("docs", "é.md") == uuid5(space, name("document", "docs", "é.md"))
    assert parent_id(A, ("x", "y"), 3) == uuid5(space, name("parent", str(A), ["x", "y"], 3))
    assert child_id(A, ("x",), 'a "t"', 0) == uuid5(space, name("child", str(A), ["x"], 'a "t"', 0))


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_two_different_paths_never_share_an_id(one, other):
    assert (parent_id(A, tuple(one), 0) == parent_id(A, tuple(other), 0)) == (one == other)


def test_a_path_and_a_text_cannot_be_confused():
    assert child_id(A, ("a", "b"), "c", 0) != child_id(A, ("a",), "b", 0)
    assert child_id(A, ('a","b',), "c", 0) != child_id(A, ("a", "b"), "c", 0)


def test_ordinals_count_the_equal_ones_before():
    assert list(ordinals(["a", "b", "a", "a", "b", "c"])) == [0, 0, 1, 2, 1, 0]


def test_removing_one_of_three_equal_ones_takes_the_last_ordinal():
    assert set(ordinals("aaa")) - set(ordinals("aa")) == {2}


def test_addresses_are_nfc_and_the_same_for_both_forms_of_a_name():
    decomposed = unicodedata.normalize("NFD", "Äpfel/é.md")
    assert canonical_uri(decomposed.encode()) == canonical_uri("Äpfel/é.md".encode()) == "Äpfel/é.md"


def test_bytes_that_are_not_utf_8_are_percent_encoded_without_meeting_another_name():
    assert canonical_uri(b"caf\xe9.md") == "caf%E9.md"
    assert canonical_uri(b"caf%E9.md") == "caf%25E9.md"
    assert canonical_uri(b"100%.md") == "100%.md"


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_two_different_paths_meet_only_if_normalisation_makes_them_equal(one, other):
    if canonical_uri(one) == canonical_uri(other):
        left, right = (raw.decode("utf-8", "surrogateescape") for raw in (one, other))
        assert unicodedata.normalize("NFC", left) == unicodedata.normalize("NFC", right)


def test_keys_are_sha_256_of_the_exact_text_or_bytes():
    assert embedding_key("Größe") == hashlib.sha256("Größe".encode()).digest()
    assert content_hash(b"\0") == hashlib.sha256(b"\0").digest()
    assert embedding_key("a ") != embedding_key("a")


def test_a_fingerprint_depends_on_stage_version_and_settings_but_not_on_their_order():
    base = fingerprint("cut", 1, {"size": 400, "overlap": 40})
    assert fingerprint("cut", 1, {"overlap": 40, "size": 400}) == base
    others = [
        fingerprint("cut", 2, {"size": 400, "overlap": 40}),
        fingerprint("parse", 1, {"size": 400, "overlap": 40}),
        fingerprint("cut", 1, {"size": 400, "overlap": 41}),
        fingerprint("cut", 1, {"size": 400}),
    ]
    assert len({base, *others}) == 5
    assert len(base) == 32
    int(base, 16)


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
def test_a_lone_surrogate_cannot_be_keyed(text):
    with pytest.raises(UnicodeEncodeError):
        embedding_key(text)
