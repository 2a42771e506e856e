"""`make bench-chunkers`: how fast and how well Kerf and other tools cut, in one run.

Reads the folder that KERF_TEST_DATA names, and the standard library of the Python that runs it. Exit status: 0; 1 if
Kerf misses a goal; 2 if it cannot be run: no data, or a peer is missing or fails.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.command import Said, options, run
from bench.contest_report import tables
from bench.contest_results import GOALS, Results, code_of, cuts_of, speed_of
from bench.contests import OF_CODE, SENTENCES, SPEEDS, Contest
from bench.cutters import BASELINES, LIBRARIES, Chunked, Way, chunked, version
from bench.judging import Source
from bench.rendering import Table
from bench.texts import Text, chinese, corpora, data_folder, standard_library, written
from corpus.config import MODEL_IN_THE_BOX
from corpus.rulers import model_folder, ruler

COPIES = 7  #: of the five corpora, where sizes are in characters
RUNS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    parser = options("bench-chunkers", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"of each speed; default: {RUNS}")
    asked = parser.parse_args(arguments)
    return run(asked, "bench-chunkers", lambda said: _bench(max(1, asked.runs), said))


def _bench(runs: int, said: Said) -> tuple[Iterable[Table], bool]:
    data = data_folder("chroma-eval", "cmrc2018", "xquad")
    for library in LIBRARIES:
        version(library)  # all of them before the minutes of the first
    prose = corpora(data)
    texts = {"prose": prose, "copies": prose * COPIES, "chinese": chinese(data), "code": standard_library()}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: written(some, Path(folder), name) for name, some in texts.items()}
        raced = {contest: _raced(contest, files[contest.texts], runs, said) for contest in SPEEDS}
        cut = {contest: _raced(contest, files[contest.texts], 1, said) for contest in SENTENCES}
    results = Results(
        {
            contest: {way: speed_of(texts[contest.texts], made) for way, made in ways.items()}
            for contest, ways in raced.items()
        },
        {
            contest: {way: cuts_of(_sources(texts[contest.texts]), made[0]) for way, made in ways.items()}
            for contest, ways in cut.items()
        },
        {
            way: code_of(_sources(texts["code"]), made[0])
            for way, made in raced[OF_CODE].items()
            if way.library is not BASELINES
        },
    )
    return tables(results), all(goal.holds(results) for goal in GOALS)


def _raced(contest: Contest, file: Path, runs: int, said: Said) -> Mapping[Way, list[Chunked]]:
    """Every way once, then every way again: what else the machine does is spread over all of them."""
    box = ruler(MODEL_IN_THE_BOX)
    tokenizer = None if contest.size else model_folder(MODEL_IN_THE_BOX) / "tokenizer.json"
    made: dict[Way, list[Chunked]] = {way: [] for way in contest.ways}
    for number in range(runs):
        for way in contest.ways:
            one = chunked(way, file, contest.size or box.cap - box.overhead, tokenizer=tokenizer)
            made[way].append(one if number == 0 else Chunked([], one.cpu))
            said(f"{contest.title}: {way.row}: {one.cpu:.2f} s")
            if number == 0:
                for refused in one.refused:
                    said(f"{way.row} refused {refused}")
    return made


def _sources(texts: Sequence[Text]) -> list[Source]:
    return [Source(text) for _, text in texts]


if __name__ == "__main__":
    sys.exit(main())
