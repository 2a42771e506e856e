"""The tables of `make bench-chunkers`."""

from __future__ import annotations

from collections.abc import Iterator

from bench.contest_results import GOALS, Results
from bench.contests import CODE, IN_CHARACTERS, IN_TOKENS, OF_CODE, RECURSIVE, Contest
from bench.cutters import BASELINES, KERF, Way, version
from bench.goals import goals_table
from bench.rendering import Table

_MAIN = {IN_CHARACTERS: RECURSIVE, IN_TOKENS: RECURSIVE, OF_CODE: CODE}


def tables(results: Results) -> Iterator[Table]:
    """All of them, the goals last."""
    for contest in results.speeds:
        yield _speeds(results, contest)
    for contest in results.cuts:
        yield _sentences(results, contest)
    yield _code(results)
    yield goals_table(GOALS, results)


def _name(way: Way) -> str:
    return way.row if way.library is BASELINES else f"{way.row} {version(way.library)}"


def _speeds(results: Results, contest: Contest) -> Table:
    main = _MAIN[contest]
    rows = []
    for way, speed in results.speeds[contest].items():
        faster = results.faster(contest, way) if way.library is KERF else []
        rows.append(
            (
                _name(way),
                f"{speed.median:.2f}",
                f"{min(speed.rates):.2f}–{max(speed.rates):.2f}",
                f"{results.times(contest, way, main):.2f}",
                str(speed.chunks or "–"),
                f"{speed.mean_length:.0f}" if speed.chunks else "–",
                ", ".join(one.row for one in faster),
            )
        )
    header = ["", "M characters/CPU s", "runs", f"× {main.row}", "chunks", "mean length", "is SLOWER than"]
    return Table(contest.title, header, rows, contest.note)


def _sentences(results: Results, contest: Contest) -> Table:
    rows = [
        (
            _name(way),
            f"{cuts.rate:.1%}" if cuts.all else "–",
            f"{cuts.mid_sentence} of {cuts.all}",
            str(cuts.chunks),
            str(cuts.longest),
            str(cuts.altered),
        )
        for way, cuts in results.cuts[contest].items()
    ]
    return Table(contest.title, ["", "mid-sentence", "cuts", "chunks", "longest", "altered"], rows, contest.note)


def _code(results: Results) -> Table:
    rows = [
        (
            _name(way),
            f"{code.rebuilt:.1%}",
            f"{code.standing:.1%}",
            str(code.chunks),
            str(code.longest),
            str(code.refused),
        )
        for way, code in results.code.items()
    ]
    header = ["", "files rebuilt", "chunks that parse", "chunks", "longest", "files refused"]
    note = (
        "Rebuilt: the chunks in their order are the file, white space aside. A chunk parses if Python does not refuse "
        "it, moved to the left as a whole."
    )
    return Table("Code: Python's standard library", header, rows, note)
