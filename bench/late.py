"""`make bench-late`: what late chunking finds and what it reads for that, beside the same children embedded alone.

Three corpora of Chroma's evaluation are one index of the model in the box; for each of their questions the nearest
children are taken while a budget of tokens lasts. Reads the folder that KERF_TEST_DATA names. Exit status: 0; 1 if
late chunking finds no more than the same children alone; 2 if there are no data.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.command import Said, options, run
from bench.cutters.kerf import parsed
from bench.goals import Goal, goals_table
from bench.rendering import Table
from bench.texts import corpora, data_folder
from chunkers import assembly, base
from chunkers.chunk import Child
from chunkers.identity import document_id
from corpus.config import Embedding
from corpus.embedding import Embedder, embedder, vectors_of
from corpus.staging import StagedDocument

NAMES = ("chatlogs", "state_of_the_union", "wikitexts")  #: the other two take an hour to embed
BUDGETS = (500, 1_000)  #: tokens of the children's texts together


@dataclass(frozen=True, slots=True)
class Question:
    """A question and where in a corpus its answer stands."""

    text: str
    corpus: str
    answers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a way to cut came to."""

    children: int
    tokens: int  #: read by the model
    recall: Mapping[int, NDArray[np.float64]]  #: by budget: of each question, the share of its answers' characters


@dataclass(frozen=True, slots=True)
class _Index:
    children: Sequence[tuple[str, Child]]  #: with the corpus of each
    lengths: Sequence[int]  #: tokens of each child's text
    vectors: NDArray[np.float32]  #: (children, dimensions)

    def nearest(self, asked: NDArray[np.float32], budget: int) -> Iterator[tuple[str, Child]]:
        """The children nearest to a question, each that the rest of the budget has room for."""
        for at in np.argsort(-(self.vectors @ asked), kind="stable"):
            if self.lengths[at] <= budget:
                budget -= self.lengths[at]
                yield self.children[at]


DEFAULT = "structure"
ALONE = "structure, a quarter of the size"
LATE = "late"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit status."""
    return run(options("bench-late", __doc__).parse_args(arguments), "bench-late", _bench)


def _bench(said: Said) -> tuple[Iterator[Table], bool]:
    data = data_folder("chroma-eval")
    texts = {Path(name).stem: text for name, text in corpora(data)}
    asked = list(_questions(data / "chroma-eval" / "questions_df.csv", texts))
    model = embedder(Embedding())
    reads = model.ruler.cap - model.ruler.overhead
    ways = {
        DEFAULT: base.build("structure"),
        ALONE: base.build("structure", {"size": reads // 4}),
        LATE: base.build("late"),
    }
    found = {}
    for name, chunker in ways.items():
        found[name] = _found(chunker, model, {corpus: texts[corpus] for corpus in NAMES}, asked)
        said(f"{name}: {found[name].children} children, {found[name].tokens} tokens read")
    goals = [Goal(f"more is found under {budget} tokens", 0.0, partial(_gain, budget=budget), 3) for budget in BUDGETS]
    return _tables(found, goals), all(_gain(found, budget) > 0 for budget in BUDGETS)


def _questions(file: Path, texts: Mapping[str, str]) -> Iterator[Question]:
    for row in csv.DictReader(file.read_text("utf-8").splitlines(keepends=True)):
        if (corpus := row["corpus_id"]) in NAMES:
            answers = [(one["start_index"], one["end_index"]) for one in json.loads(row["references"])]
            assert all(texts[corpus][a:b].strip() for a, b in answers), f"an answer of {row['question']!r} is not there"
            yield Question(row["question"], corpus, tuple(answers))


def _found(chunker: base.Strategy, model: Embedder, texts: Mapping[str, str], asked: Sequence[Question]) -> Found:
    children: list[tuple[str, Child]] = []
    vectors: list[NDArray[np.float32]] = []
    tokens = 0
    for name, text in texts.items():
        cut = assembly.cut(document_id("bench", name), parsed(f"{name}.md", text), chunker, model.ruler)
        staged = StagedDocument.of({}, cut, settings="")
        by_key = vectors_of(model, list({read.key: read for read in staged.texts.values()}.values()))
        children += [(name, child) for child in cut.children]
        vectors += [by_key[row["key"]] for row in staged.children]
        tokens += sum(read.tokens for read in cut.read)
    index = _Index(children, model.ruler.count([child.text for _, child in children]), np.stack(vectors))
    questions = [(question, model.embed_query(question.text)) for question in asked]
    recall = {
        budget: np.array([_recall(question, index.nearest(vector, budget)) for question, vector in questions])
        for budget in BUDGETS
    }
    return Found(len(children), tokens, recall)


def _recall(question: Question, found: Iterator[tuple[str, Child]]) -> float:
    shown = {
        at
        for corpus, child in found
        if corpus == question.corpus
        for start, end in question.answers
        for at in range(max(start, child.start), min(end, child.end))
    }
    return len(shown) / len({at for start, end in question.answers for at in range(start, end)})


def _gain(found: Mapping[str, Found], budget: int) -> float:
    """Recall of late chunking above that of the same children alone."""
    return float((found[LATE].recall[budget] - found[ALONE].recall[budget]).mean())


def _tables(found: Mapping[str, Found], goals: Sequence[Goal[Mapping[str, Found]]]) -> Iterator[Table]:
    rows = []
    for name, one in found.items():
        figures = [f"{one.recall[budget].mean():.3f}" for budget in BUDGETS]
        rows.append((name, f"{one.children}", f"{one.tokens}", *figures))
    difference = [found[LATE].recall[budget] - found[ALONE].recall[budget] for budget in BUDGETS]
    questions = len(difference[0])
    errors = [f"{each.mean():+.3f} ± {1.96 * each.std(ddof=1) / questions**0.5:.3f}" for each in difference]
    rows.append(("late above the same children alone", "", "", *errors))
    yield Table(
        f"Late chunking: {questions} questions on {len(NAMES)} corpora, the model in the box",
        ["", "children", "tokens read", *(f"found under {budget} tokens" for budget in BUDGETS)],
        rows,
        "Found: the mean share of an answer's characters that stand in the nearest children, taken while their texts "
        "fit the budget. ±: 95 % of the paired differences' mean.",
    )
    yield goals_table(goals, found)


if __name__ == "__main__":
    sys.exit(main())
