"""The plain text of a message: paragraphs, what it quotes, and lines that a mail program broke."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from chunkers.document import Kind
from corpus.parsers.draft import Draft

_QUOTED = re.compile(r"(?:> ?)+")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<marker>[-*•+]|\d{1,3}[.)])[ \t]+(?=\S)")
_SIGNATURE = "-- "


def plain_drafts(text: str, *, flowed: bool = False, joined: bool = False) -> list[Draft]:
    """The blocks of a plain text: paragraphs, lists, quotes with their `>`.

    `flowed`: a line that ends in a space goes on in the next one (RFC 3676); `joined`: that space is not a part of it.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if flowed:
        lines = _unflowed(lines, joined=joined)
    drafts: list[Draft] = []
    for quoted, run in groupby(lines, key=lambda line: line.startswith(">")):
        drafts += (_quote if quoted else _paragraphs)(list(run))
    return drafts


def words(text: str) -> Counter[str]:
    """The words of a text, and how often each is there."""
    return Counter(re.findall(r"[^\W_]+", text.casefold()))


def _unflowed(lines: list[str], *, joined: bool) -> list[str]:
    """Lines put together again; those of another depth of quoting never meet, a signature's mark stays alone."""
    out: list[str] = []
    open_depth = -1
    for line in lines:
        depth = len(line) - len(line.lstrip(">"))
        body = line[depth:].removeprefix(" ")
        if open_depth == depth and body != _SIGNATURE:
            out[-1] += body
        else:
            out.append(f"{'>' * depth} {body}" if depth else body)
        flows = body.endswith(" ") and body != _SIGNATURE
        if flows and joined:
            out[-1] = out[-1][:-1]
        open_depth = depth if flows else -1
    return out


def _quote(lines: list[str]) -> list[Draft]:
    """What a message quotes, a block for each of its paragraphs."""
    runs = groupby(lines, key=lambda line: bool(_QUOTED.sub("", line, count=1).strip()))
    return [Draft(Kind.QUOTE, "\n".join(run)) for has_text, run in runs if has_text]


def _paragraphs(lines: list[str]) -> list[Draft]:
    drafts: list[Draft] = []
    for has_text, run in groupby(lines, key=lambda line: bool(line.strip())):
        if not has_text:
            continue
        paragraph: list[str] = []
        for line in run:
            if found := _ITEM.match(line):
                drafts += _plain(paragraph)
                paragraph = []
                level = 1 + len(found["indent"].expandtabs(4)) // 2
                drafts.append(Draft(Kind.LIST_ITEM, line[found.end() :], level=min(level, 6), marker=found["marker"]))
            elif drafts and drafts[-1].kind is Kind.LIST_ITEM and not paragraph and line[:1] in " \t":
                last = drafts[-1]
                drafts[-1] = Draft(last.kind, f"{last.text}\n{line.strip()}", level=last.level, marker=last.marker)
            else:
                paragraph.append(line)
        drafts += _plain(paragraph)
    return drafts


def _plain(lines: list[str]) -> list[Draft]:
    return [Draft(Kind.PARAGRAPH, "\n".join(line.rstrip() for line in lines))] if lines else []
