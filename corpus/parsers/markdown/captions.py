"""Which paragraphs are the caption of the table, the figure or the listing that they stand next to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkers.document import Kind
from corpus.parsers.markdown.leaf import Leaf

Run = tuple[Kind, Leaf, int, int]  #: kind, leaf, lines `[first, last)`

_NUMBER = r"(?:\d{1,4}|[A-Z]|[IVX]{1,5})(?:[.\-–‑]\d{1,4}){0,3}[a-z]?"
#: `Table 1: `, `**Figure 2.3.** `, `Table: `; in bold, or alone, the number needs no colon
_LABEL = (
    r"[\s>]*[*_]{{0,3}}(?:{latin})"
    r"(?:[ \u00a0]{{1,3}}{number}(?:[*_]{{0,3}}[ ]?[.:：—–-]|[*_]{{1,3}}(?=\s)|[*_]{{0,3}}\s*\Z)|[*_]{{0,3}}:)"
    r"|[\s>]*[*_]{{0,3}}(?:{han})\s?\d{{1,4}}(?:[.\-]\d{{1,4}}){{0,3}}(?:[\s*_:：.、]|\Z)"
)
_TABLE = ("table|tab\\.|tabelle|tableau|tabla|tabella|tabela|таблица|табл\\.", "表格|表|표")
_FIGURE = ("figure|fig\\.?|abbildung|abb\\.|figura|рисунок|рис\\.", "图|圖|図|그림")
#: kind of what a caption stands next to (PARAGRAPH: an image) → what it begins with, in Latin or Cyrillic, and in CJK
_LABELS = {
    Kind.TABLE: _TABLE,
    Kind.PARAGRAPH: _FIGURE,
    Kind.CODE: (f"listing|листинг|{_FIGURE[0]}", f"代码|清单|{_FIGURE[1]}"),
    Kind.FORMULA: ("equation|формула", "公式"),
}
_CAPTIONS = {
    kind: re.compile(_LABEL.format(latin=latin, han=han, number=_NUMBER), re.IGNORECASE)
    for kind, (latin, han) in _LABELS.items()
}
_BARE = re.compile(
    r"\s*(?::\s+\S|\[[^\[\]]+\](?:\[[^\[\]]*\])?\s*\Z)"
)  #: `: words` (Pandoc), `[words]` (MultiMarkdown)
_IMAGE = re.compile(
    r"(?:!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])(?:\{[^{}]*\})?|!\[\[[^\[\]]*\]\]"
    r"|</?[A-Za-z][^<>]*>|\[(?=!)|\]\([^()]*\)|\s)+\Z"
)
_LONGEST = 4000  #: characters; no caption and no line of images is longer


def is_caption(source: str, of: Kind) -> bool:
    """Whether a line begins as a caption of a table, of an image (PARAGRAPH) or of code."""
    return bool(_CAPTIONS[of].match(source)) or (of is Kind.TABLE and bool(_BARE.match(source[:_LONGEST])))


def is_image(lines: Sequence[str]) -> bool:
    """Whether lines hold images and nothing else."""
    source = "\n".join(lines)
    shows = "![" in source or "<img" in source or "<svg" in source
    return shows and len(source) < _LONGEST and _IMAGE.match(source) is not None


def with_captions(runs: Sequence[Run], lines: Sequence[str]) -> Iterator[Run]:
    """The same runs, the paragraphs that are captions with that kind; one below an image's line is cut from it."""
    cut = [part for run in runs for part in _cut(run, lines)]
    shown = [_shown(run, lines) for run in cut]
    for at, (kind, leaf, first, last) in enumerate(cut):
        above, below = shown[at - 1] if at else None, shown[at + 1] if at + 1 < len(cut) else None
        captions = kind is Kind.PARAGRAPH and (
            any(of and _CAPTIONS[of].match(lines[first]) for of in (above, below))
            or (above is Kind.TABLE and _BARE.match(lines[first][:_LONGEST]))
        )
        yield (Kind.CAPTION if captions else kind), leaf, first, last


def _cut(run: Run, lines: Sequence[str]) -> list[Run]:
    kind, leaf, first, last = run
    if kind is Kind.PARAGRAPH and last - first > 1:
        for line in range(first + 1, min(last, first + 5)):
            if _CAPTIONS[Kind.PARAGRAPH].match(lines[line]) and is_image(lines[first:line]):
                return [(kind, leaf, first, line), (kind, leaf, line, last)]
    return [run]


def _shown(run: Run, lines: Sequence[str]) -> Kind | None:
    """What a caption may belong to: a table, code, or (PARAGRAPH) an image."""
    kind, _, first, last = run
    if kind is Kind.PARAGRAPH:
        return kind if last - first < 50 and is_image(lines[first:last]) else None
    return kind if kind in _CAPTIONS else None
