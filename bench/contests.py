"""What is measured of cutting: which ways, on which texts, at which size."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cutters import ASTCHUNK, BASELINES, CHONKIE, KERF, LANGCHAIN, LLAMA_INDEX, SEMCHUNK, Way


@dataclass(frozen=True, slots=True)
class Contest:
    """Ways that cut the same texts at the same size: a table."""

    title: str
    texts: str  #: which: `prose`, `copies` of it, `chinese`, `code`
    size: int | None  #: characters; None: what the model in the box reads, in its tokens
    ways: tuple[Way, ...]
    note: str


RECURSIVE = Way(KERF, "recursive")
STRUCTURE = Way(KERF, "structure")
FIXED = Way(KERF, "fixed")
CODE = Way(KERF, "code", {"part": "parsed too"}, "with its parser")
TOKENIZER = Way(BASELINES, "tokenizer", said="alone")
PARSER = Way(BASELINES, "parser", said="alone")
SEMCHUNKS = Way(SEMCHUNK, "")
ASTCHUNKS = Way(ASTCHUNK, "")

_PIECES = {"part": "pieces"}
_OTHERS = (
    Way(LANGCHAIN, "recursive"),
    SEMCHUNKS,
    Way(CHONKIE, "recursive"),
    Way(CHONKIE, "sentence"),
    Way(CHONKIE, "token"),
    Way(LLAMA_INDEX, "sentence"),
)
_TIMED = (
    "Seconds of the processor, the median of runs in processes of their own, each after one short sentence. Timed of "
    "Kerf: from parsed documents to children with their ids, headers, lengths and parents, every promise checked "
    "('chunker alone': the spans, as the others give them; 'with its parser': from text). No overlap."
)

IN_CHARACTERS = Contest(
    "Speed on prose, in characters",
    "copies",
    1_000,
    (
        RECURSIVE,
        Way(KERF, "recursive", _PIECES, "chunker alone"),
        Way(KERF, "recursive", {"part": "parsed too"}, "with its parser"),
        STRUCTURE,
        FIXED,
        *_OTHERS,
        Way(CHONKIE, "fast"),
    ),
    f"{_TIMED} semchunk's memory is off. Chonkie's 'fast' counts bytes.",
)
IN_TOKENS = Contest(
    "Speed on prose, in tokens of the model in the box",
    "prose",
    None,
    (RECURSIVE, Way(KERF, "recursive", _PIECES, "chunker alone"), STRUCTURE, FIXED, TOKENIZER, *_OTHERS),
    f"{_TIMED} The tokenizer alone: each line once.",
)
OF_CODE = Contest(
    "Speed on Python's standard library, in characters",
    "code",
    1_500,
    (
        CODE,
        Way(KERF, "code", said="parsed before"),
        PARSER,
        ASTCHUNKS,
        Way(LLAMA_INDEX, "code"),
        Way(LANGCHAIN, "Python"),
    ),
    f"{_TIMED} The parser alone: tree-sitter, each file once. astchunk: 1,000 characters that are not white space. "
    "LangChain parses nothing: it looks for words at the beginnings of lines.",
)
SPEEDS = (IN_CHARACTERS, IN_TOKENS, OF_CODE)

_MID = (
    "Share of the cuts inside texts after which a sentence goes on: no line ends there, and no full stop, question or "
    "exclamation mark stands before it that belongs to no abbreviation, initial or number. Longest: in characters. "
    "Altered: chunks that are not in the text, white space aside. No overlap."
)
OF_PROSE = Contest("Mid-sentence cuts, five corpora", "prose", None, (RECURSIVE, STRUCTURE, FIXED, *_OTHERS), _MID)
OF_CHINESE = Contest(
    "Mid-sentence cuts, Chinese paragraphs", "chinese", None, (RECURSIVE, STRUCTURE, FIXED, *_OTHERS), _MID
)
SENTENCES = (OF_PROSE, OF_CHINESE)
