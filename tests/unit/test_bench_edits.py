"""What an index embeds over a history, the texts that change, and the goals of the bench of edits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench import chunkers, edits
from bench.edits import BESIDE, GOALS, RECURSIVE, ROUTED, WITH_HEADERS, History, Results, history
from bench.goals import goals_table
from bench.texts import nights, with_a_sentence


def test_a_text_is_embedded_once_over_all_nights():
    states = [{"a": "1", "b": "1"}, {"a": "2", "b": "1"}, {"a": "1", "c": "1"}]
    chunks = {("a", "1"): ["xx", "y"], ("b", "1"): ["y"], ("a", "2"): ["xx", "zzz"], ("c", "1"): ["zzz", "wwww"]}
    assert history(states, chunks) == History(first_chunks=3, first=3, later_chunks=2, later=7)


def test_an_edit_puts_one_sentence_after_another_and_is_the_same_in_every_run():
    text = "It rained. Then it stopped! Was it over? Yes."
    edited = list(with_a_sentence(text, 5, "seed"))
    assert edited == list(with_a_sentence(text, 5, "seed"))
    assert len(set(edited)) == 5
    for one in edited:
        inserted = one.index("In case ")
        end = one.index(" date. ", inserted) + len(" date. ")
        assert one[:inserted] + one[end:] == text
        assert one[inserted - 2 : inserted] in {". ", "! ", "? "}


def test_the_nights_of_a_history_are_read_oldest_first(tmp_path: Path):
    work, bundle = tmp_path / "work", tmp_path / "history.bundle"
    work.mkdir()

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", "-C", str(work), *who, *arguments], check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    for night in ("one", "zwei ü"):
        (work / "page ü.md").write_text(f"# {night}\n", encoding="utf-8")
        git("add", ".")
        git("commit", "--quiet", "-m", night)
    git("bundle", "create", str(bundle), "main")
    states, blobs = nights(bundle)
    assert [[(path, blobs[blob]) for path, blob in state.items()] for state in states] == [
        [("page ü.md", "# one\n")],
        [("page ü.md", "# zwei ü\n")],
    ]


def results(anew: int, with_headers: int, first_chunks: int, new: int) -> Results:
    beside = History(100, 1000, 50, 1000)
    return Results(
        {
            ROUTED: History(first_chunks, 1000, 50, anew),
            WITH_HEADERS: History(first_chunks, 1000, 50, with_headers),
            BESIDE: beside,
        },
        {RECURSIVE: [1] * 95 + [new] * 5},
    )


def test_goals_are_held_against_langchain_in_the_same_run():
    assert all(goal.holds(results(850, 1100, 100, 3)) for goal in GOALS)
    missed = [goal.holds(results(851, 1101, 101, 14)) for goal in GOALS]
    assert missed == [False, False, False, False, True]
    shown = goals_table(GOALS, results(851, 1101, 101, 14)).rows
    assert [row[3] for row in shown] == ["MISSED", "MISSED", "MISSED", "MISSED", "ok"]
    assert shown[0][1:3] == ("≤ 0.850", "0.851")


@pytest.mark.parametrize("bench", [edits, chunkers])
def test_a_bench_without_its_data_cannot_be_run(
    bench: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    main = bench.main  # type: ignore[attr-defined]
    monkeypatch.delenv("KERF_TEST_DATA", raising=False)
    assert main([]) == 2
    assert "KERF_TEST_DATA is not set" in capsys.readouterr().err
    monkeypatch.setenv("KERF_TEST_DATA", str(tmp_path))
    assert main([]) == 2
    assert "has no" in capsys.readouterr().err
