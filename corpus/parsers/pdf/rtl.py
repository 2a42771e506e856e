"""Right-to-left text in the order in which a person types it, where the text layer's readers give another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium_c

from corpus.parsers.pdf.items import Item, item_of

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEFT_TO_RIGHT = re.compile(r"[^\W_\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ALEF_LAM = re.compile("[\u0627\u0622\u0623\u0625]\u0644")  #: lam-alef as readers turn it round


def is_right_to_left(text: str) -> bool:
    """Whether most letters are Hebrew, Arabic or of a script written like them; digits do not count."""
    right = len(_RIGHT_TO_LEFT.findall(text))
    return right > 0 and right >= sum(char.isalpha() for char in _LEFT_TO_RIGHT.findall(text))


def in_order(line: Sequence[Item]) -> list[Item]:
    """The items of a line, given from left to right, in the order of reading."""
    if not is_right_to_left("".join(item.text for item in line)):
        return list(line)
    ordered: list[Item] = []
    run: list[Item] = []
    for item in reversed(line):
        if _RIGHT_TO_LEFT.search(item.text) or not _LEFT_TO_RIGHT.search(item.text):
            ordered += [*reversed(run), item]
            run = []
        else:
            run.append(item)  # words of another script among them run from left to right
    return [*ordered, *reversed(run)]


def replacements(page: Any, document: Any) -> list[tuple[str, str]]:
    """What has to be put in the place of what, in the texts of a page; nothing on a page without such text.

    Two faults: the ligature of lam and alef comes out as alef and lam, and a word of another script inside a line
    as if it stood elsewhere. `page` is liteparse's, `document` pypdfium2's, which knows where each character stands.
    """
    texts = [item_of(item) for item in page.text_items if is_right_to_left(item.text)]
    if not texts:
        return []
    swapped = _swapped(document[page.page_num - 1].get_textpage())
    moved = [(item.text, " ".join(word.text for word in in_order(item.parts))) for item in texts if len(item.parts) > 1]
    found = [
        (old, with_changes(new, swapped))
        for old, new in moved
        if old != new and sorted(old.split()) == sorted(new.split())
    ]
    return [*found, *swapped]


def with_changes(text: str, changes: Sequence[tuple[str, str]]) -> str:
    """`text` after each change of something for something else."""
    for old, new in changes:
        text = text.replace(old, new)
    return text


def _swapped(text_page: Any) -> list[tuple[str, str]]:
    """Words with a lam-alef that was turned round: both letters stand in one place, for they are one glyph."""
    count = text_page.count_chars()
    text = "".join(chr(pdfium_c.FPDFText_GetUnicode(text_page, index)) for index in range(count))
    found: dict[str, str] = {}
    for word in re.finditer(r"\S+", text):
        right = list(word[0])
        for pair in _ALEF_LAM.finditer(word[0]):
            at = word.start() + pair.start()
            if text_page.get_charbox(at) == text_page.get_charbox(at + 1):
                right[pair.start() : pair.end()] = [pair[0][1], pair[0][0]]
        if (mended := "".join(right)) != word[0]:
            found[word[0]] = mended
    return sorted(found.items(), key=lambda change: -len(change[0]))
