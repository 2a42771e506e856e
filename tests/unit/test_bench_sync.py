"""What the bench of syncs makes of its figures, the files that it changes, and how it asks the tools."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path

import pytest

from bench.processes import PeerMissing
from bench.sync_results import (
    DELETED,
    EDITED,
    FIRST,
    GOALS,
    GOALS_OF_MANY,
    NOTHING,
    RENAMED,
    Command,
    Many,
    Measured,
    Results,
    reached,
    tables,
)
from bench.syncing import KERF, PEERS, TOOLS, Tool, files, hashed
from bench.syncing.running import new_chunks, synced, version
from bench.syncing.task import Task

ONE = Measured(
    seconds=0.2,
    whole=0.9,
    cpu=0.8,
    server_cpu=0.1,
    peak_mb=95.0,
    read=0,
    texts=0,
    new=0,
    index=0,
    books=7,
    planning=0.1,
)


def results(kerf: Measured = ONE, *, command: float = 1.0, peers: float = 1.0, many: tuple[Many, ...] = ()) -> Results:
    other = dataclasses.replace(ONE, seconds=peers, whole=peers, books=None)
    first = dataclasses.replace(ONE, texts=20, new=20)
    return Results(
        100,
        {
            tool: {
                FIRST: [first],
                **{step: [kerf if tool is KERF else other] for step in (NOTHING, EDITED, RENAMED, DELETED)},
            }
            for tool in TOOLS
        },
        [Command(command, 0.9)],
        many,
    )


def missed(these: Results) -> list[str]:
    return [goal.what for goal in (*GOALS, *(GOALS_OF_MANY if these.many else ())) if not goal.holds(these)]


def test_goals_are_reached_at_their_bounds():
    at_the_bounds = dataclasses.replace(ONE, planning=0.3, seconds=1.0)
    many = (Many(100_000, 3.0, 9.0, 1.5, 1.5, 400.0),)
    these = results(at_the_bounds, command=1.5, peers=1.5, many=many)
    assert not missed(these)
    assert reached(these)


def test_what_takes_too_long_misses_its_goal():
    slow = dataclasses.replace(ONE, planning=0.31)
    assert missed(results(slow, command=1.51, peers=1.6)) == [
        "no-op: planning, s",
        "no-op: the whole command `kerf sync`, s",
    ]
    assert missed(results(many=(Many(100_000, 3.01, 4.0, 1.5, 1.5, 401.0),))) == [goal.what for goal in GOALS_OF_MANY]
    assert not reached(results(slow))


def test_being_slower_than_one_other_tool_is_a_goal_missed():
    these = results(peers=2.0)
    fast = dataclasses.replace(ONE, seconds=0.19, whole=0.99, books=None)
    steps = {tool: dict(taken) for tool, taken in these.steps.items()}
    steps[PEERS[-1]][NOTHING] = [fast]
    assert missed(dataclasses.replace(these, steps=steps)) == [
        "no-op, in the process: × the fastest other tool",
        "no-op, the whole command: × the fastest other tool",
    ]


@pytest.mark.parametrize("step", [FIRST, EDITED, RENAMED, DELETED])
@pytest.mark.parametrize(("texts", "new"), [(3, 2), (2, 3)])
def test_embedding_more_or_less_than_what_is_new_is_a_goal_missed_in_any_step(step: str, texts: int, new: int):
    these = results()
    steps = {tool: dict(taken) for tool, taken in these.steps.items()}
    steps[KERF][step] = [dataclasses.replace(ONE, texts=texts, new=new)]
    these = dataclasses.replace(these, steps=steps)
    assert missed(these) == ["all steps: texts embedded that were not new, or new and not embedded"]


def test_rows_written_for_nothing_are_a_goal_missed():
    assert missed(results(dataclasses.replace(ONE, index=1))) == ["no-op: rows written"]


def test_medians_are_held_against_the_goals():
    these = results()
    steps = {tool: dict(taken) for tool, taken in these.steps.items()}
    steps[KERF][NOTHING] = [dataclasses.replace(ONE, planning=planning) for planning in (0.1, 9.0, 0.2)]
    commands = [Command(seconds, 1.0) for seconds in (9.0, 1.0, 0.9)]
    these = dataclasses.replace(these, steps=steps, commands=commands)
    assert (these.planning(), these.command()) == (0.2, 1.0)


def test_the_tables_say_what_is_missed_and_what_nobody_counts():
    slow = results(
        dataclasses.replace(ONE, planning=0.301, read=None), many=(Many(100_000, 1.0, 2.0, 1.5, 1.5, 100.0),)
    )
    shown = {table.title: table for table in tables(slow, dict.fromkeys(TOOLS, "1"))}
    assert list(shown)[:5] == [f"100 files: {step}" for step in (FIRST, NOTHING, EDITED, RENAMED, DELETED)]
    rows = {row[0]: row for row in shown[f"100 files: {NOTHING}"].rows}
    assert rows["Kerf 1"][6] == "?"
    assert rows["Kerf 1"][-1] == "7"
    assert rows["CocoIndex 1"][-1] == "-"
    assert "Kerf, 100,000 files, nothing changed" in shown
    assert tuple(shown["Goals"].rows[0]) == ("no-op: planning, s", "≤ 0.30", "0.31", "MISSED")
    assert "Kerf, 100,000 files, nothing changed" not in {
        table.title for table in tables(results(), dict.fromkeys(TOOLS, "1"))
    }


def test_the_generated_files_are_the_same_in_every_run_and_no_two_are_alike():
    some = dict(files.texts(300))
    assert some == dict(files.texts(300))
    assert len(set(some.values())) == 300
    assert len({path.split("/")[0] for path in some}) > 1
    assert all(1_000 <= len(text) <= 4_000 for text in some.values())


def test_one_in_a_hundred_files_is_edited_renamed_or_deleted():
    before = dict(files.texts(300))
    edited = files.edited(before)
    changed = [path for path in before if edited[path] != before[path]]
    assert (len(edited), len(changed)) == (300, 3)
    assert all(set(before[path].split(". ")) < set(edited[path].split(". ")) for path in changed)
    renamed = files.renamed(before)
    assert sorted(renamed.values()) == sorted(before.values())
    assert len(renamed.keys() - before.keys()) == 3
    deleted = files.deleted(before)
    assert (len(deleted), deleted.items() <= before.items()) == (297, True)


def test_a_folder_is_brought_from_one_state_to_the_next(tmp_path: Path):
    state: files.Texts = {}
    following = dict(files.texts(100))
    for change in (files.edited, files.renamed, files.deleted, dict):
        files.lay(tmp_path, state, following)
        state = following
        assert {str(file.relative_to(tmp_path)): file.read_text() for file in tmp_path.rglob("*.md")} == state
        following = change(state)


def test_what_does_not_change_keeps_its_mtime_and_what_is_edited_gets_another(tmp_path: Path):
    before = dict(files.texts(100))
    after = files.renamed(files.edited(before))
    files.lay(tmp_path, {}, before)
    files.lay(tmp_path, before, after)
    times = {str(file.relative_to(tmp_path)): file.stat().st_mtime for file in tmp_path.rglob("*.md")}
    assert {path for path, at in times.items() if at != files.WRITTEN} == {
        path for path in before if path in after and after[path] != before[path]
    }


def test_files_that_are_read_are_counted(tmp_path: Path):
    source = tmp_path / "source"
    files.lay(source, {}, dict(files.texts(100)))
    files.mark_unread(source)
    assert files.read_since(source) in (0, None)
    for file in list(source.rglob("*.md"))[:7]:
        file.read_text()
    assert files.read_since(source) in (7, None)  # None: the file system keeps no access times


def test_a_vector_is_of_its_text_and_of_unit_length():
    before = hashed.handed.texts
    one, other, same = hashed.vectors(["a", "b", "a"])
    assert hashed.handed.texts - before == 3
    assert one == same != other
    assert len(one) == hashed.DIMENSIONS
    assert sum(value * value for value in one) == pytest.approx(1)


TOOL = """
from bench.syncing import hashed

def version():
    return "3.1"

def chunks(path, text):
    return text.split()

def sync(task):
    print("what a library prints is no answer")
    if task.folder == "refuse":
        raise ValueError("not a folder of mine")
    hashed.vectors(["a", "b"])
    return {"said": task.home}
"""


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    (tmp_path / "tool_of_the_test.py").write_text(TOOL)
    monkeypatch.syspath_prepend(tmp_path)
    return Tool("a tool", "tool_of_the_test", (), python=Path(sys.executable))


def test_a_tool_syncs_in_a_process_of_its_own_and_says_what_it_embedded(tool: Tool):
    assert version(tool) == "3.1"
    answer, ended = synced(tool, Task("folder", "home", "", "", is_first=True))
    assert (answer["texts"], answer["calls"], answer["said"]) == (2, 1, "home")
    assert ended.seconds > answer["seconds"]
    assert ended.cpu > 0
    assert 1 < ended.peak_mb < 10_000


def test_chunks_that_a_state_has_and_the_one_before_has_not_are_counted_once(tool: Tool, tmp_path: Path):
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps([("a.md", "one two")]))
    after.write_text(json.dumps([("a.md", "one three"), ("b.md", "three four two")]))
    assert new_chunks(tool, before, after) == 2


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (Tool("gone", "no_such_module", (), python=Path(sys.executable)), "no_such_module"),
        (Tool("gone", "os", (), python=Path(os.devnull) / "python"), "run scripts/bench_setup"),
    ],
)
def test_a_tool_that_is_missing_ends_the_bench(named: Tool, why: str):
    with pytest.raises(PeerMissing, match=why):
        version(named)


def test_a_tool_that_fails_ends_the_bench_with_its_words(tool: Tool):
    with pytest.raises(PeerMissing, match="a tool cannot be measured: ValueError: not a folder of mine"):
        synced(tool, Task("refuse", "home", "", "", is_first=True))
