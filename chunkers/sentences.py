"""Sentence boundaries in Latin, Cyrillic and CJK scripts, as spans that tile the text.

One regular expression finds the places where a sentence may end; what follows takes back those that would bisect an
abbreviation, an initial, a date, a clause number, a quotation with its speaker, or what stands between brackets. Each
place is judged by what lies near it, so that time is linear whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chunkers.abbreviations import BEFORE_NUMBERS, MAY_END, MONTHS, ORDINAL_LANGUAGES, abbreviations

_NEAR = 200  #: characters: a pair of brackets or quotation marks further apart than this holds no boundary back
_MARKER_WITHIN = 24  #: characters of the longest list marker
_SHORT = 4  #: letters of the longest word that is taken for an abbreviation because a small letter follows
_WORD_WITHIN = 24  #: characters looked back at for the word before a full stop

_STOPS = ".!?…‼⁇⁈⁉؟۔।॥።։"  #: end a sentence where white space follows
_WIDE = "。！？｡"  #: need none
_CLOSERS = "\"'»”’)\\]}*_）」』】》〉〕〗］｝"
_CHOSEN_CJK = "".join(f"{chr(at)}-{chr(at + 0x1FF)}" for at in range(0x4E00, 0x9E00, 0x400)) + "\u3042-\u3060"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"

#: Starts with one set of characters, which is what makes the search fast. A run of marks is one match: the look-behind
#: refuses to begin inside it.
_END = re.compile(
    rf"[{_STOPS}{_WIDE}\n]"
    rf"(?:(?<=\n)[^\S\n]*+\n\s*+"
    rf"|(?<!\n)(?<![{_STOPS}{_WIDE}]{{2}})[{_STOPS}{_WIDE}]*+([{_CLOSERS}]*+)"
    rf"(?:\s++|(?<=[{_WIDE}…”’」』）】》〉])|(?<=[{_CJK}].)(?=[{_CJK}])|(?<=[!?])(?=[{_CJK}])))"
)
#: Some of those places, all of them plain: a long enough word in small letters, or an ideograph, before the mark, and a
#: capital letter, or another ideograph, after it. The letter before the mark chooses which.
_PLAIN = re.compile(
    rf"[.!?。！？](?:(?<=[a-zà-ÿ]{{3}}[abdeg-ik-orstuyzà-ÿ].)\s++(?=[A-ZÀ-Þ])"
    rf"|(?<=[a-z]{{6}}[abdeg-ik-orstuyz]\.)\s++(?=[a-z])"
    rf"|(?<=[а-яё]{{4}}[аеийоуыьюя].)\s++(?=[А-ЯЁ])"
    rf"|(?<=[{_CHOSEN_CJK}].)(?<=[。！？])(?=[{_CJK}\d]))"
)
_MARKER = re.compile(r"\s*[(（\[]?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[^\W\d_]|[ivxlcIVXLC]{1,5})[.)）\]、]?\s*")
_INITIALISM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SPACED = re.compile(r"(?<!\w)([^\W\d_])\.\s[^\W\d_]\Z")  #: `т. д`
_CLAUSE_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_NUMBER = re.compile(r"\d{1,2}")
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_DASHED = re.compile(r"[—–-]\s*+[^\W\d_]")
_PAIRS = {"”": "“", "’": "‘", "»": "«", ")": "(", "]": "[", "）": "（", "」": "「", "』": "『", "】": "【", "》": "《"}
_PAIRS |= {'"': '"'}
_OPENERS = {opener: closer for closer, opener in _PAIRS.items()} | {"„": "“”"}
_PAIR = re.compile(rf"[{re.escape(''.join(_PAIRS) + ''.join(_OPENERS))}]")
_OPENER = re.compile(r"[“‘«(\[（「『【《\"„]")
_OPENING = "\"'“‘«„([（「『【《*_"
_CONTINUING = frozenset("，,、；;：:）)」』】》〉”’")


def spans(text: str, start: int, end: int, language: str | None = None) -> list[tuple[int, int]]:
    """The sentences of `text[start:end]` in order, each with the white space after it; together they tile the span.

    `language` (ISO 639-1) is a hint for abbreviations that are words elsewhere.
    """
    cuts = [start, *_cuts(text, start, end, language), end]
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def passages(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Runs of whole sentences that tile the span: cut at some of their ends, a good third, which are found faster.

    Which ones is decided by the letters around them and by nothing else.
    """
    has_pairs = _OPENER.search(text, start, end) is not None
    cuts = [start]
    for match in _PLAIN.finditer(text, start, end):
        at = match.end()
        if not (has_pairs and _within_pair(text, cuts[-1], at, end)):
            cuts.append(at)
    cuts.append(end)
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def _cuts(text: str, start: int, end: int, language: str | None) -> Iterator[int]:
    """Where sentences end, the end of the span left out."""
    known = abbreviations(language)
    has_pairs = _OPENER.search(text, start, end) is not None
    begin = start
    for match in _END.finditer(text, start, end):
        mark, at = match.start(), match.end()
        if at >= end:
            return
        if text[mark] == "\n":
            if text[begin:mark].isspace() or mark == begin:
                continue
        elif not _ends(text, begin, match, known, language) or (has_pairs and _within_pair(text, begin, at, end)):
            continue
        yield at
        begin = at


def _ends(text: str, begin: int, match: re.Match[str], known: frozenset[str], language: str | None) -> bool:
    """Whether the sentence that began at `begin` may end with the marks of `match`, as far as the words say."""
    mark, at = match.span()
    after = text[at]
    marks_end = match.start(1)
    if text[mark] in _WIDE:
        return after not in _CONTINUING and not (after == "と" and marks_end < match.end(1))
    if "\n" in text[match.end(1) : at] and text.count("\n", match.end(1), at) > 1:
        return True
    if at - begin <= _MARKER_WITHIN and _MARKER.fullmatch(text, begin, at):
        return False
    lower = after.islower()
    if not after.isalnum():
        if after in "—–-" and "\n" not in text[marks_end:at]:
            dashed = _DASHED.match(text, at)
            return dashed is None or not text[dashed.end() - 1].islower()
        if after in _CONTINUING and match.end(1) == at:
            return False
    if text[mark] != "." or marks_end - mark > 1:
        # «Да!» and "Stop!" go on with their speaker, and so does what was only interrupted…
        spoken = match.end(1) > marks_end or text[marks_end - 1] in ".…"
        return not lower or (not spoken and text[begin].islower())
    if lower and match.end(1) > marks_end:
        return False
    return _ends_with(text, begin, mark, at, known, language)


def _ends_with(text: str, begin: int, mark: int, at: int, known: frozenset[str], language: str | None) -> bool:
    """Whether a single full stop at `mark` ends its sentence: not after an abbreviation, an initial, an ordinal."""
    low = max(begin, mark - _WORD_WITHIN)
    word = text[low:mark].rsplit(None, 1)[-1:] or [""]
    last = word[0].lstrip(_OPENING)
    after = text[at]
    if after in _OPENING and at + 1 < len(text):
        after = text[at + 1]
    length = len(last)
    if not length:
        return True
    if length == 1 and last.isupper():
        return not (after.isalpha() or after.isdigit())
    folded = last.lower()
    if length == 1 and (pair := _SPACED.search(text, low, mark)):
        folded = f"{pair[1]}.{folded}".lower()
    if folded in known or _INITIALISM.fullmatch(folded):
        if folded not in MAY_END or not after.isupper():
            return False
        following = _NEXT_WORD.match(text, at)
        return following is None or not following[0].isupper() or len(following[0]) == 1
    if after.islower():
        if _CLAUSE_NUMBER.fullmatch(last):
            return False
        # A word that no list has is an abbreviation or a unit if it is short, unless the text does without capitals
        return (length > _SHORT and last.isalpha()) or text[begin].islower()
    if after.isdigit():
        return folded not in BEFORE_NUMBERS
    if length <= 2 and _NUMBER.fullmatch(last):
        following = _NEXT_WORD.match(text, at)
        return not (language in ORDINAL_LANGUAGES or (following and following[0].lower() in MONTHS))
    return True


def _within_pair(text: str, begin: int, at: int, end: int) -> bool:
    """Whether a bracket or quotation mark that is open at `at` was opened, and is closed, near it."""
    low = max(begin, at - _NEAR)
    opened: list[str] = []
    for match in _PAIR.finditer(text, low, at):
        found, place = match[0], match.start()
        if found == '"':
            if '"' in opened:
                del opened[opened.index('"') :]
            elif place == low or not text[place - 1].isalnum():
                opened.append(found)
        elif found in _OPENERS and not (found == "“" and "„" in opened):
            opened.append(found)
        elif found == "’" and text[place + 1 : place + 2].isalnum():
            continue  # an apostrophe
        else:
            opener = "„" if found in "“”" and "„" in opened else _PAIRS[found]
            if opener in opened:
                del opened[opened.index(opener) :]
    if not opened:
        return False
    stop = min(end, at + _NEAR)
    broken = text.find("\n\n", at, stop)
    stop = broken if broken >= 0 else stop
    return any(text.find(closer, at, stop) >= 0 for opener in opened for closer in _OPENERS[opener])
