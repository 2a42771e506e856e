"""What came of the contests: speeds, cuts through sentences, what became of code; and what Kerf must reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.contests import (
    ASTCHUNKS,
    CODE,
    IN_CHARACTERS,
    IN_TOKENS,
    OF_CHINESE,
    OF_CODE,
    OF_PROSE,
    PARSER,
    RECURSIVE,
    SEMCHUNKS,
    STRUCTURE,
    TOKENIZER,
    Contest,
)
from bench.cutters import BASELINES, KERF, Chunked, Way
from bench.goals import Goal
from bench.judging import Source, parses
from bench.texts import Text


@dataclass(frozen=True, slots=True)
class Speed:
    """Of one way in one contest."""

    rates: tuple[float, ...]  #: millions of characters a second of the processor, of each run
    chunks: int
    characters: int  #: of all chunks

    @property
    def median(self) -> float:
        """The rate that counts."""
        return median(self.rates)

    @property
    def mean_length(self) -> float:
        """Characters of a chunk."""
        return self.characters / max(self.chunks, 1)


def speed_of(texts: Sequence[Text], runs: Sequence[Chunked]) -> Speed:
    """From the runs of one way over the texts."""
    millions = sum(len(text) for _, text in texts) / 1e6
    lengths = [len(chunk) for chunks in runs[0].chunks for chunk in chunks]
    return Speed(tuple(millions / run.cpu for run in runs), len(lengths), sum(lengths))


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cuts inside texts, and those of them that go through a sentence."""

    all: int
    mid_sentence: int
    chunks: int
    longest: int  #: characters of a chunk
    altered: int  #: chunks that are not in their text, white space aside; their ends are not judged

    @property
    def rate(self) -> float:
        """Share of the cuts that go through a sentence."""
        return self.mid_sentence / max(self.all, 1)


def cuts_of(sources: Sequence[Source], made: Chunked) -> Cuts:
    """From the chunks of each source."""
    through = [one for source, chunks in zip(sources, made.chunks, strict=True) for one in source.cuts(chunks)]
    lengths = [len(chunk) for chunks in made.chunks for chunk in chunks]
    altered = through.count(None)
    return Cuts(len(through) - altered, through.count(True), len(lengths), max(lengths), altered)


@dataclass(frozen=True, slots=True)
class CodeCut:
    """What became of files of Python."""

    rebuilt: float  #: share of the files that their chunks make up again, white space aside
    standing: float  #: share of the chunks that parse on their own, moved to the left
    chunks: int
    longest: int  #: characters
    refused: int  #: files that it raised an error at


def code_of(sources: Sequence[Source], made: Chunked) -> CodeCut:
    """From the chunks of each file."""
    rebuilt = [source.is_rebuilt_from(chunks) for source, chunks in zip(sources, made.chunks, strict=True)]
    chunks = [chunk for chunks in made.chunks for chunk in chunks]
    return CodeCut(
        sum(rebuilt) / len(rebuilt),
        sum(map(parses, chunks)) / len(chunks),
        len(chunks),
        max(map(len, chunks)),
        len(made.refused),
    )


@dataclass(frozen=True, slots=True)
class Results:
    """All of it, by contest and way."""

    speeds: Mapping[Contest, Mapping[Way, Speed]]
    cuts: Mapping[Contest, Mapping[Way, Cuts]]
    code: Mapping[Way, CodeCut]

    def times(self, contest: Contest, way: Way, beside: Way) -> float:
        """The speed of `way` as a multiple of that of `beside`."""
        return self.speeds[contest][way].median / self.speeds[contest][beside].median

    def faster(self, contest: Contest, way: Way) -> list[Way]:
        """The other tools' ways that are faster than this one of Kerf's, the fastest first."""
        speeds = self.speeds[contest]
        others = [one for one in speeds if one.library not in (KERF, BASELINES)]
        return sorted(
            (one for one in others if speeds[one].median > speeds[way].median), key=lambda one: -speeds[one].median
        )

    def least(self, contest: Contest, way: Way) -> float:
        """The speed of `way` as a multiple of that of the fastest other tool."""
        return min(
            self.times(contest, way, one) for one in self.speeds[contest] if one.library not in (KERF, BASELINES)
        )


def _cuts(contest: Contest, way: Way) -> Goal[Results]:
    language = "Chinese" if contest is OF_CHINESE else "prose"
    return Goal(
        f"mid-sentence cuts, {way.name}, {language}", 0.02, lambda r: r.cuts[contest][way].rate, 3, at_most=True
    )


GOALS: tuple[Goal[Results], ...] = (
    Goal("recursive in characters, × semchunk", 1.0, lambda r: r.times(IN_CHARACTERS, RECURSIVE, SEMCHUNKS), 2),
    Goal("recursive in tokens, × the tokenizer alone", 0.7, lambda r: r.times(IN_TOKENS, RECURSIVE, TOKENIZER), 2),
    Goal("recursive in tokens, × the fastest peer", 1.0, lambda r: r.least(IN_TOKENS, RECURSIVE), 2),
    Goal("code with its parser, × the parser alone", 0.5, lambda r: r.times(OF_CODE, CODE, PARSER), 2),
    Goal("code with its parser, × astchunk", 1.0, lambda r: r.times(OF_CODE, CODE, ASTCHUNKS), 2),
    *(_cuts(contest, way) for contest in (OF_PROSE, OF_CHINESE) for way in (RECURSIVE, STRUCTURE)),
    Goal("code: files rebuilt from their chunks", 1.0, lambda r: r.code[CODE].rebuilt, 4),
    Goal("code: chunks that parse on their own", 0.86, lambda r: r.code[CODE].standing, 3),
)
