"""What each page calls itself: the file's own labels, else the number that is printed at its edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpus.parsers.pdf.margins import margins_of, outermost, printed_numbers
from corpus.parsers.pdf.pages import Page


def _numeral(value: int) -> str:
    text = ""
    for part, letters in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        text += letters * (value // part)
        value %= part
    return text


_ROMAN = {_numeral(value): value for value in range(1, 90)}


def page_labels(pages: Sequence[Page]) -> tuple[str, ...]:
    """A label for each page, `""` where it has none; nothing at all if neither the file nor its pages have any.

    A printed number counts if the numbers of three pages and of a fifth of all agree on where counting starts.
    """
    if any(page.label for page in pages):
        return tuple(page.label or "" for page in pages)
    texts = {number: outermost(margin) for number, margin in margins_of(pages).items()}
    arabic = {n: [value for line in lines for value in printed_numbers(line)] for n, lines in texts.items()}
    roman = {n: [v for line in lines if (v := _ROMAN.get(line.strip(" -–—").lower()))] for n, lines in texts.items()}
    starts = _agreed(arabic, max(3, len(pages) // 5))
    roman_starts = _agreed(roman, 3)
    labels = {n: str(n + start) for start in starts for n, found in arabic.items() if n + start in found}
    labels = {
        n: _numeral(n + start) for start in roman_starts for n, found in roman.items() if n + start in found
    } | labels
    if len(starts) == 1:  # the pages between two numbered ones have their number too, whether they show it or not
        numbered = [n for n in labels if labels[n].isdigit()]
        labels |= {n: str(n + starts[0]) for n in range(min(numbered), max(numbered) + 1)}
    return tuple(labels.get(page.number, "") for page in pages) if labels else ()


def _agreed(found: dict[int, list[int]], enough: int) -> list[int]:
    """Differences between printed and counted numbers that enough pages share, the most usual last."""
    counts: Counter[int] = Counter()
    for number, values in found.items():
        counts.update({value - number for value in values})
    return [start for start, count in reversed(counts.most_common()) if count >= enough]
