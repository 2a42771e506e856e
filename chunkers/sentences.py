"""Sentence boundaries in Latin, Cyrillic and CJK scripts, as spans that tile the text.

`sentencex` finds the candidates; what follows takes back those that bisect an abbreviation, an initial, a number, a
clause number, an address or a quotation with its speaker. Text is looked at in windows, so that time is linear
whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentencex import get_sentence_boundaries

WINDOW = 16_384  #: characters looked at together; a longer sentence is cut at white space

_SAMPLE = 2_000
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CYRILLIC_LANGUAGES = frozenset({"ru", "uk", "be", "bg", "sr", "mk", "kk"})

_ENDS_WITHOUT_SPACE = frozenset("。！？；…｡．」』”’）】》〉!?")
_MARKER = re.compile(r"\s*[(（\[]?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[^\W\d_]|[ivxlcIVXLC]{1,5})[.)）\]、]?\s*", re.UNICODE)
_INITIAL = re.compile(r"(?:^|[\s.(«\"])[A-ZА-ЯЁІЇЄ]\.$")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(«\"„\[])(?:e\.\s?g|i\.\s?e|cf|vs|viz|approx|dr|mr|mrs|ms|prof|messrs"
    # Russian: titles, places, references, units and their kin
    r"|г|гг|в|вв|ул|пр|просп|пл|пер|д|кв|корп|стр|рис|табл|гл|ст|п|пп|ч|см|ср|напр|др|проф|акад|доц|им|обл|р|тыс|млн|млрд"
    r"|руб|коп|т|т\.\s?е|т\.\s?к|т\.\s?н|т\.\s?о|т\.\s?п|т\.\s?д|и\s?др|г-н|г-жа|гр|тов|ред|изд|сост|пос|дер|тел|с"
    r")\.$",
    re.IGNORECASE,
)
_BEFORE_NUMBERS = re.compile(
    r"(?:^|[\s(\[])(?:no|nos|nr|fig|figs|eq|eqs|sec|secs|art|arts|par|para|paras|cl|ch|chap|vol|vols|p|pp|ed|ca)\.$",
    re.IGNORECASE,
)
_MAY_END = re.compile(
    r"(?:^|\s)(?:г|гг|в|вв|руб|коп|тыс|млн|млрд|др|т\.\s?п|т\.\s?д|и\s?др|с|al|р|тел)\.$", re.IGNORECASE
)
_CONTINUES = re.compile(r"\s*[—–-]?\s*([^\W\d_])")
_LONGEST = 10  #: characters of the longest word that an abbreviation ends with, and a bracket before it
_NUMBER = re.compile(r"\s*\d")
_SPEECH = re.compile(r"[!?…][\"'»”’)\]]+$")
_DASHED = re.compile(r"\s*[—–]\s")


def spans(text: str, start: int, end: int, language: str | None = None) -> list[tuple[int, int]]:
    """The sentences of `text[start:end]` in order, each with the white space after it; together they tile the span.

    `language` (ISO 639-1) is a hint for scripts that several languages share.
    """
    found: list[tuple[int, int]] = []
    at = start
    while at < end:
        stop = min(end, at + WINDOW)
        cuts = list(_cuts(text, at, stop, language))
        if stop < end:
            stop = cuts.pop() if cuts else _last_space(text, at, stop)
        for cut in [*cuts, stop]:
            if found and not text[found[-1][1] : cut].strip():
                found[-1] = (found[-1][0], cut)
            else:
                found.append((found[-1][1] if found else start, cut))
        at = stop
    return found


def _cuts(text: str, start: int, end: int, language: str | None) -> Iterator[int]:
    """Where sentences end within a window, its own end left out."""
    window = text[start:end]
    begin = 0
    for boundary in get_sentence_boundaries(_language(window, language), window):
        at = boundary["end_index"]
        if begin < at < len(window) and _holds(window, begin, at):
            yield start + at
            begin = at


def _holds(text: str, begin: int, at: int) -> bool:
    """Whether the sentence that began at `begin` may end before `at`."""
    last = text[at - 1]
    if not last.isspace() and not text[at].isspace() and last not in _ENDS_WITHOUT_SPACE:
        return False
    tail = text[max(begin, at - 40) : at]
    if "\n\n" in tail[-4:] or "\n\n" in text[at : at + 3]:
        return True
    if at - begin <= 24 and _MARKER.fullmatch(text, begin, at):
        return False
    stripped = tail.rstrip()
    following = _CONTINUES.match(text, at)
    lower = following is not None and following[1].islower()
    if lower and (_SPEECH.search(stripped) or (_DASHED.match(text, at) and stripped[-1:] in '!?…»”"')):
        return False
    if not stripped.endswith(".") or len(stripped.rsplit(None, 1)[-1]) > _LONGEST:
        return True
    if _INITIAL.search(stripped) and not lower:
        return following is None
    if _BEFORE_NUMBERS.search(stripped) and _NUMBER.match(text, at):
        return False
    if _ABBREVIATION.search(stripped):
        return following is not None and not lower and _MAY_END.search(stripped) is not None
    return True


def _language(window: str, hint: str | None) -> str:
    sample = window[:_SAMPLE]
    letters = len(_LETTER.findall(sample)) or 1
    if len(_CYRILLIC.findall(sample)) * 2 > letters:
        return hint if hint in _CYRILLIC_LANGUAGES else "ru"
    if len(_CJK.findall(sample)) * 2 > letters:
        return hint if hint in ("zh", "ja") else "zh"
    return hint if hint and hint not in _CYRILLIC_LANGUAGES else "en"


def _last_space(text: str, start: int, end: int) -> int:
    for at in range(end - 1, max(start, end - 1_000), -1):
        if text[at].isspace():
            return at + 1
    return end
