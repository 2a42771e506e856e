"""`make bench-edits`: what has to be embedded anew when documents change, by Kerf and by other tools, in one run.

Reads the folder that KERF_TEST_DATA names. Exit status: 0; 1 if Kerf misses a goal; 2 if it cannot be run: no data, or
a peer is missing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bench.command import Said, options, run
from bench.cutters import KERF, LANGCHAIN, SEMCHUNK, Way, chunked, version
from bench.goals import Goal, goals_table
from bench.judging import new_chunks, percentile
from bench.rendering import Table
from bench.texts import corpora, data_folder, nights, with_a_sentence, written
from corpus.config import MODEL_IN_THE_BOX
from corpus.rulers import model_folder, ruler

BUNDLE = "edit-stream.bundle"
EDITS = 20  #: of each corpus
CHARACTERS = 1_200

ROUTED = Way(KERF, "routed")
WITH_HEADERS = Way(KERF, "routed", {"headers": True}, "with headers")
SMALL = Way(KERF, "structure", {"headers": True, "share": 4}, "a quarter of the size, with headers")
LATE = Way(KERF, "late", {"headers": True, "share": 4}, "contexts of children of a quarter of the size")
RECURSIVE = Way(KERF, "recursive")
FIXED = Way(KERF, "fixed")
BESIDE = Way(LANGCHAIN, "recursive")
HISTORY = (ROUTED, WITH_HEADERS, SMALL, LATE, RECURSIVE, FIXED, BESIDE, Way(LANGCHAIN, "Markdown"), Way(SEMCHUNK, ""))
PROSE = (RECURSIVE, Way(KERF, "structure"), FIXED, BESIDE, Way(SEMCHUNK, ""))


@dataclass(frozen=True, slots=True)
class History:
    """What an index embeds over a history in which no text is embedded twice."""

    first_chunks: int  #: chunks of the first night, equal ones counted each
    first: int  #: characters embedded on the first night
    later_chunks: int  #: chunks embedded on all nights after it
    later: int  #: their characters


@dataclass(frozen=True, slots=True)
class Results:
    """Of every row: the history, and the new chunks of each edit of prose."""

    history: Mapping[Way, History]
    prose: Mapping[Way, Sequence[int]]

    def beside(self, way: Way) -> float:
        """Characters embedded anew, as a multiple of LangChain's."""
        return self.history[way].later / self.history[BESIDE].later


GOALS: tuple[Goal[Results], ...] = (
    Goal("characters embedded anew, × LangChain recursive", 0.85, lambda r: r.beside(ROUTED), 3, at_most=True),
    Goal("the same, headers counted in", 1.10, lambda r: r.beside(WITH_HEADERS), 3, at_most=True),
    Goal(
        "chunks on the first night, × LangChain recursive",
        1.0,
        lambda r: r.history[ROUTED].first_chunks / r.history[BESIDE].first_chunks,
        3,
        at_most=True,
    ),
    Goal("prose: new chunks an edit, mean", 1.6, lambda r: mean(r.prose[RECURSIVE]), 2, at_most=True),
    Goal("prose: new chunks an edit, 95th percentile", 3, lambda r: percentile(r.prose[RECURSIVE], 0.95), at_most=True),
)


def history(states: Sequence[Mapping[str, str]], chunks: Mapping[tuple[str, str], Sequence[str]]) -> History:
    """What is embedded over states (path → version) with these chunks of each path and version."""
    seen: set[str] = set()
    embedded: list[list[int]] = []
    for before, state in zip([{}, *states], states, strict=False):
        changed = [place for place in state.items() if before.get(place[0]) != place[1]]
        new = dict.fromkeys(chunk for place in changed for chunk in chunks[place] if chunk not in seen)
        seen.update(new)
        embedded.append([len(chunk) for chunk in new])
    later = [length for lengths in embedded[1:] for length in lengths]
    return History(sum(len(chunks[place]) for place in states[0].items()), sum(embedded[0]), len(later), sum(later))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    return run(options("bench-edits", __doc__).parse_args(arguments), "bench-edits", _bench)


def _bench(said: Said) -> tuple[Iterator[Table], bool]:
    data = data_folder(BUNDLE, "chroma-eval")
    for way in (*HISTORY, *PROSE):
        version(way.library)  # all of them before the minutes of the first
    with tempfile.TemporaryDirectory() as folder:
        results = Results(_history(data / BUNDLE, Path(folder), said), _prose(data, Path(folder), said))
    return _tables(results), all(goal.holds(results) for goal in GOALS)


def _history(bundle: Path, folder: Path, said: Said) -> dict[Way, History]:
    states, blobs = nights(bundle)
    places = list(dict.fromkeys(place for state in states for place in state.items()))
    texts = written([(path, blobs[blob]) for path, blob in places], folder, "history")
    box = ruler(MODEL_IN_THE_BOX)
    tokenizer = model_folder(MODEL_IN_THE_BOX) / "tokenizer.json"
    found = {}
    for way in HISTORY:
        made = chunked(way, texts, box.cap - box.overhead, tokenizer=tokenizer)
        found[way] = history(states, dict(zip(places, made.chunks, strict=True)))
        said(f"{way.row}: {len(states)} nights: {found[way].later} characters embedded anew")
    return found


def _prose(data: Path, folder: Path, said: Said) -> dict[Way, list[int]]:
    files = [
        written([(name, one) for one in (text, *with_a_sentence(text, EDITS, name))], folder, name)
        for name, text in corpora(data)
    ]
    found: dict[Way, list[int]] = {}
    for way in PROSE:
        found[way] = []
        for file in files:
            before, *after = chunked(way, file, CHARACTERS).chunks
            found[way] += [new_chunks(before, chunks) for chunks in after]
        said(f"{way.row}: {len(found[way])} edits: {mean(found[way]):.2f} new chunks")
    return found


def _tables(results: Results) -> Iterator[Table]:
    yield Table(
        "Forty nights of a documentation: what is embedded, no text twice",
        ["", "chunks, first night", "characters, first night", "chunks after", "characters after", "× LangChain"],
        [
            (
                f"{way.row} {version(way.library)}",
                f"{one.first_chunks}",
                f"{one.first}",
                f"{one.later_chunks}",
                f"{one.later}",
                f"{results.beside(way):.3f}" + (" MORE" if way is ROUTED and results.beside(way) > 1 else ""),
            )
            for way, one in results.history.items()
        ],
        "Every row: at most as many tokens of the same tokenizer as the model in the box reads (Kerf: its headers "
        "within them), no overlap. A text that was embedded on any night before costs nothing. Kerf's front matter is "
        "metadata and not embedded; the others embed it.",
    )
    edits = len(next(iter(results.prose.values())))
    yield Table(
        f"Prose: one sentence inserted, {edits} edits of five corpora, {CHARACTERS} characters",
        ["", "new chunks an edit, mean", "95th percentile", "most"],
        [
            (f"{way.row} {version(way.library)}", f"{mean(new):.2f}", f"{percentile(new, 0.95):.0f}", f"{max(new)}")
            for way, new in results.prose.items()
        ],
        "The sentence stands after a sentence of the text, chosen by chance, the same for every row. No overlap.",
    )
    yield goals_table(GOALS, results)


if __name__ == "__main__":
    sys.exit(main())
