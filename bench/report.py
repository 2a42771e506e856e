"""The tables that the bench prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from bench.goals import goals_table
from bench.parse_goals import GOALS
from bench.peers import ICDAR, PDF
from bench.rendering import Table
from bench.results import Result
from bench.scoring.checks import ABOUT
from bench.scoring.icdar import Score

Run = Mapping[str, Mapping[str, Result]]  #: folder → peer → what it made of it

_TITLES = {"pdfs": "PDF", "icdar": "Tables of ICDAR 2013", "html": "HTML", "office": "DOCX and PPTX"}
_COSTS = (
    "Seconds: one reading of each file, one after the other in a process that is warm; starting it and loading the "
    "tool are not counted. MB: the highest resident memory of that process."
)


def tables(run: Run, versions: Mapping[str, str]) -> Iterator[Table]:
    """All of them, for those peers that were run."""
    for folder, results in run.items():
        header = ["", *(f"{peer} {versions[peer]}" for peer in results)]
        compared = {peer: result.compared for peer, result in results.items()}
        rows = _scores(compared) if folder == ICDAR else _passed(compared)
        note = "F1 over all files; a table where there is none costs precision." if folder == ICDAR else _COSTS
        yield Table(_TITLES[folder], header, [*rows, *_costs(folder, compared)], note)
    for folder, results in run.items():
        yield Table(f"{_TITLES[folder]}: file by file", ["", *results], list(_files(folder, results)))
    kerf = {folder: results["Kerf"] for folder, results in run.items() if "Kerf" in results}
    if kerf:
        yield Table("Kerf: fidelity", ["", "files", "lowest", "mean"], list(_fidelity(kerf)))
        yield Table("Kerf: not as it should be", ["file", "what"], list(_faults(kerf)), are_figures=False)
    if len(kerf) == len(_TITLES):
        yield goals_table(GOALS, kerf)


def reached(run: Run) -> bool:
    """Whether Kerf is at or above every goal; those that were not measured do not count."""
    kerf = {folder: results["Kerf"] for folder, results in run.items() if "Kerf" in results}
    return len(kerf) < len(_TITLES) or all(goal.holds(kerf) for goal in GOALS)


def _passed(results: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    asked = next(iter(results.values())).asked
    for about in dict.fromkeys(ABOUT.values()):
        if asked[about]:
            yield about, *(f"{result.passed[about]}/{asked[about]}" for result in results.values())
    yield "all checks", *(f"{result.passed.total()}/{asked.total()}" for result in results.values())


def _scores(results: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    sums = [sum(result.tables.values(), Score()) for result in results.values()]
    for name in ("f1", "precision", "recall"):
        yield name.replace("f1", "F1"), *(f"{getattr(one, name):.3f}" for one in sums)


def _costs(folder: str, results: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    if folder in (PDF, ICDAR):
        yield "pages a second of CPU", *(f"{r.pages / r.cpu:.1f}" if r.cpu else "–" for r in results.values())
    yield "seconds of CPU", *(f"{result.cpu:.1f}" for result in results.values())
    yield "seconds by the clock", *(f"{result.seconds:.1f}" for result in results.values())
    yield "peak MB", *(str(result.peak_mb) for result in results.values())
    yield "files without a word", *(str(len(result.empty)) for result in results.values())


def _files(folder: str, results: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    names = sorted({one.path.name for result in results.values() for one in result.measured})
    for name in names:
        yield name, *(_cell(folder, result, name) for result in results.values())


def _cell(folder: str, result: Result, name: str) -> str:
    one = next((one for one in result.measured if one.path.name == name), None)
    if one is None:
        return ""
    if one.reading is None:
        return "not read"
    asked = len(result.sources[name].checks)
    score = f"{result.tables[name].f1:.3f}" if folder == ICDAR else f"{asked - len(result.failed[name])}/{asked}"
    return f"{score if asked or folder == ICDAR else '–'}  {one.seconds:.2f} s  {one.peak_mb} MB"


def _fidelity(kerf: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    for folder, result in kerf.items():
        figures = [one.reading.fidelity for one in result.measured if one.reading and one.reading.fidelity is not None]
        if figures:
            yield folder, str(len(figures)), f"{min(figures):.3f}", f"{sum(figures) / len(figures):.3f}"


def _faults(kerf: Mapping[str, Result]) -> Iterator[Sequence[str]]:
    for folder, result in kerf.items():
        for one in result.measured:
            name = f"{folder}/{one.path.name}"
            if one.error:
                expected = "" if result.must_be_read(one.path.name) else " (no text layer, or a password)"
                yield name, f"not read{expected}: {one.error}"
            elif one.reading and one.reading.partial:
                yield name, one.reading.partial
            for check in result.failed[one.path.name]:
                yield name, f"check failed: {json.dumps(check, ensure_ascii=False)}"
