"""The edit stream night by night: what git says changed is what is done, and in the end all is as on a first sync."""

from __future__ import annotations

import os

import pytest
from hash_models import HASH_A, register

from bench import nights

#: the first eight hold the widest edit of a single section, an added file, and nights of 87 and 60 changed files
FEW = 8


@pytest.fixture(scope="module")
def walked(server_home):
    register()
    some = None if os.environ.get("KERF_TEST_NIGHTS") else FEW
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KERF_DATABASE_URL", raising=False)
        patch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
        return nights.walk(server_home, some, said=lambda _: None, model=HASH_A.name)


def test_each_night_reads_and_parses_what_git_says_changed(walked):
    assert len(walked.nights) >= FEW
    unlike = [(night.git, night.documents, night.done["parsed"]) for night in walked.nights if not night.as_git_says]
    assert not unlike
    assert sum(night.git.by["M"] for night in walked.edits) > 50


def test_a_section_that_stands_as_it_stood_keeps_its_ids(walked):
    assert sum(night.untouched for night in walked.edits) > 1000
    assert sum(night.renamed for night in walked.edits) == 0


def test_a_night_without_changes_writes_nothing(walked):
    assert [night.again for night in walked.nights] == [0] * len(walked.nights)


def test_the_nights_in_a_row_leave_what_a_first_sync_of_the_last_one_makes(walked):
    assert walked.different == []


def test_what_is_embedded_is_of_the_order_of_what_was_written(walked):
    """A text is embedded whole though one line of it changed: not the text around it, and not the document."""
    embedded = sum(night.embedded for night in walked.edits)
    assert embedded < 0.1 * walked.characters * len(walked.edits)


def test_the_figures_are_shown_with_every_goal(walked):
    shown = "\n".join(table.markdown() for table in nights.tables(walked))
    assert all(goal.what in shown for goal in nights.GOALS)
    assert walked.nights[-1].git.date in shown
