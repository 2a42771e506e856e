"""How much of a source's own words arrived, against a crude extraction that shares no library with the parser.

A source's own words are those that `crude` finds, less those that the parser left out on purpose: menus, running
heads, page numbers. A word arrived as often as it stands in a block, of whatever kind. What is left over on both sides
is compared letter by letter: two readers that agree on a text may still break it into words differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from chunkers.document import Document
from corpus.parsers import crude
from corpus.parsers.base import Parsed

VERSION = 1  #: raised whenever the same parse gets another figure

#: Scripts without spaces count by the letter. Combining marks stay with theirs.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]|[^\W_]+")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]")
_GRAM = 3  #: letters
_SURE = 0.98  #: below it, a third reader is asked where there is one: crude readers err too
_DOUBTFUL = 25  #: pages that it is asked about, at most


def measure(data: bytes, parsed: Parsed) -> float | None:
    """The share of words, 0 to 1; None if nothing independent can read the source, or it has no words there."""
    document = parsed.document
    if document.text_is_source and crude.decoded(data, document) == document.text:
        return _of_spans(document)
    texts = crude.texts(data, document)
    if texts is None:
        return None
    sources = {page: Counter(words(text)) for page, text in texts.items()}
    own = sum(sources.values(), Counter[str]())
    arrived = Counter(word for text in _arrived(document, sources) for word in words(text))
    left_out = Counter(word for text in parsed.left_out for word in words(text))
    figure = share(own - left_out, arrived)
    if figure is not None and figure < _SURE:
        for page, text in crude.again(data, document, _doubtful(document, sources)).items():
            own -= sources[page] - Counter(words(text))  # a word is there if both readers see it
        figure = share(own - left_out, arrived)
    return None if figure is None else round(figure, 4)


def words(text: str) -> Iterator[str]:
    """The words of a text, without case and compatibility forms (ligatures, full width)."""
    return (match[0] for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()))


def share(own: Counter[str], arrived: Counter[str]) -> float | None:
    """How much of `own` lies in `arrived`, whatever the order; None for no words at all."""
    total = own.total()
    if not total:
        return None
    lost, gained = own - arrived, arrived - own
    grams = Counter(gram for word, count in gained.items() for gram in _grams(word) for _ in range(count))
    found = float(total - lost.total())
    for word, count in sorted(lost.items()):
        wanted = Counter(gram for gram in _grams(word) for _ in range(count))
        there = wanted & grams
        grams -= there
        found += count * there.total() / wanted.total()
    return found / total


def _grams(word: str) -> list[str]:
    """Letters, of a short word or one whose order two readers may see differently; else runs of three letters."""
    if len(word) < _GRAM or _RIGHT_TO_LEFT.search(word):
        return list(word)
    return [word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1)]


def _of_spans(document: Document) -> float | None:
    """The share where the text is the source: what lies in no block did not arrive."""
    reached, lost = 0, 0
    for block in document.blocks:
        between = document.text[reached : block.start]
        if between and not between.isspace():
            lost += sum(1 for _ in words(between))
        reached = block.end
    lost += sum(1 for _ in words(document.text[reached:]))
    if not lost:
        return 1.0
    return round(1 - lost / sum(1 for _ in words(document.text)), 4)


def _doubtful(document: Document, sources: Mapping[int | None, Counter[str]]) -> list[int | None]:
    """The pages that lack the most words, the worst first."""
    there: dict[int | None, Counter[str]] = {page: Counter() for page in sources}
    for block in document.blocks:
        if block.page in there:
            there[block.page].update(words(document.text[block.start : block.end]))
    lost = {page: (own - there[page]).total() for page, own in sources.items()}
    return sorted(filter(lost.get, lost), key=lambda page: -lost[page])[:_DOUBTFUL]


def _arrived(document: Document, pages: Mapping[int | None, Counter[str]]) -> Iterator[str]:
    """The texts that can be held against the source: those of pages that have words in it."""
    yield from filter(None, (document.title, document.author, document.description, *document.tags))
    for block in document.blocks:
        if None in pages or pages.get(block.page):
            yield document.text[block.start : block.end]
