"""How tools are asked to cut, and what the tables say of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.contest_report import tables
from bench.contest_results import GOALS, CodeCut, Cuts, Results, Speed, code_of, cuts_of, speed_of
from bench.contests import CODE, OF_CODE, SENTENCES, SPEEDS, Contest
from bench.cutters import BASELINES, KERF, Chunked, CutFailed, Library, Way, chunked
from bench.judging import Source
from bench.processes import PeerMissing
from corpus.config import MODEL_IN_THE_BOX
from corpus.rulers import model_folder, ruler

TOOL = """
from bench.cutters.base import Plain

def version():
    return "3.1"

def cutter(way, size, tokenizer):
    def cut(text):
        print("what a library prints is no answer")
        if "refuse" in text and way == "words":
            raise ValueError("not a text of mine")
        return text.split()
    return Plain(cut)
"""


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    (tmp_path / "tool_of_the_test.py").write_text(TOOL)
    monkeypatch.syspath_prepend(tmp_path)
    return Library("a tool", "tool_of_the_test", Path(sys.executable))


def file_of(folder: Path, *texts: str) -> Path:
    file = folder / "texts.json"
    file.write_text(json.dumps([(f"{number}.txt", text) for number, text in enumerate(texts)]))
    return file


def test_a_text_that_a_tool_refuses_costs_it_that_text(tool: Library, tmp_path: Path):
    made = chunked(Way(tool, "words"), file_of(tmp_path, "one two", "refuse", "three"), 10)
    assert made.chunks == [["one", "two"], [], ["three"]]
    assert made.refused == ("1.txt: ValueError: not a text of mine",)


def test_a_tool_that_refuses_everything_or_is_not_there_ends_the_bench(tool: Library, tmp_path: Path):
    with pytest.raises(CutFailed, match="refused every text"):
        chunked(Way(tool, "words"), file_of(tmp_path, "refuse"), 10)
    with pytest.raises(PeerMissing, match="no_such_module"):
        chunked(Way(Library("gone", "no_such_module", Path(sys.executable)), "x"), file_of(tmp_path, "a"), 10)


def test_kerf_cuts_as_the_bench_asks(tmp_path: Path):
    text = "# Rain\n\n" + "It rained in the night and nobody heard it. " * 60
    for way in (Way(KERF, "recursive"), Way(KERF, "recursive", {"part": "pieces"}), Way(KERF, "fixed")):
        [chunks] = chunked(way, file_of(tmp_path, text), 300).chunks
        assert Source(text).is_rebuilt_from(chunks)
        assert max(len(chunk.strip()) for chunk in chunks) <= 300
    box, tokenizer = ruler(MODEL_IN_THE_BOX), model_folder(MODEL_IN_THE_BOX) / "tokenizer.json"
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps([("rain.md", text)]))
    size = box.cap - box.overhead
    [chunks] = chunked(Way(KERF, "routed", {"headers": True}), texts, size, tokenizer=tokenizer).chunks
    assert len(chunks) > 1
    assert all(count <= size for count in box.count(chunks))
    assert all("Rain" in chunk for chunk in chunks)


@pytest.mark.parametrize("way", ["tokenizer", "parser"])
def test_what_is_measured_alone_cuts_nothing(way: str, tmp_path: Path):
    tokenizer = model_folder(MODEL_IN_THE_BOX) / "tokenizer.json"
    assert chunked(Way(BASELINES, way), file_of(tmp_path, "x = 1\n"), 10, tokenizer=tokenizer).chunks == [[]]


def test_figures_are_taken_from_what_was_cut():
    speed = speed_of([("a", "x" * 2_000_000)], [Chunked([["xx", "xxxx"]], 2.0), Chunked([], 1.0), Chunked([], 4.0)])
    assert (speed.median, speed.chunks, speed.mean_length) == (1.0, 2, 3.0)
    cut = cuts_of([Source("One. Two of them.")], Chunked([["One.", "Two", "of them."]], 1.0))
    assert (cut.all, cut.mid_sentence, cut.rate, cut.altered) == (2, 1, 0.5, 0)
    sources = [Source("a = 1\n\nif a:\n    b = 2\n"), Source("c = 3\n")]
    code = code_of(sources, Chunked([["a = 1", "if a:", "    b = 2"], ["c = 4"]], 1.0, ("x: refused",)))
    assert (code.rebuilt, code.standing, code.chunks, code.refused) == (0.5, 0.75, 4, 1)


def results(kerf: float, peers: float, mid_sentence: int) -> Results:
    def speed(way: Way) -> Speed:
        return Speed((kerf if way.library is KERF else peers,) * 3, 10, 1000)

    def each(contest: Contest) -> list[Way]:
        return list(contest.ways)

    return Results(
        {contest: {way: speed(way) for way in each(contest)} for contest in SPEEDS},
        {contest: {way: Cuts(100, mid_sentence, 101, 900, 0) for way in each(contest)} for contest in SENTENCES},
        {way: CodeCut(1.0, 0.9, 10, 100, 0) for way in OF_CODE.ways if way.library is not BASELINES},
    )


def test_what_is_slower_than_a_tool_says_so_and_misses_its_goal():
    slow, fast = results(1.0, 3.0, 3), results(3.0, 1.0, 2)
    assert [way.row for way in slow.faster(OF_CODE, CODE)] == ["astchunk", "LlamaIndex code", "LangChain Python"]
    assert not fast.faster(OF_CODE, CODE)
    assert [goal.what for goal in GOALS if goal.holds(slow)] == [
        "code: files rebuilt from their chunks",
        "code: chunks that parse on their own",
    ]
    assert all(goal.holds(fast) for goal in GOALS)


def test_the_table_names_what_kerf_is_slower_than(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bench.contest_report.version", lambda library: "1")
    speeds = next(table for table in tables(results(1.0, 3.0, 3)) if table.title == OF_CODE.title)
    assert speeds.header[-1] == "is SLOWER than"
    rows = {row[0]: row for row in speeds.rows}
    assert rows["Kerf code with its parser 1"][-1] == "astchunk, LlamaIndex code, LangChain Python"
    assert rows["the parser alone"][-1] == ""
    assert rows["astchunk 1"][3] == "3.00"
