"""Sentence boundaries in Latin, Cyrillic and CJK scripts, as spans that tile the text.

One regular expression finds the places where a sentence may end; what follows takes back those that would bisect an
abbreviation, an initial, a date, a clause number, a quotation with its speaker, or what stands between brackets. Each
place is judged by what lies near it, so that time is linear whatever the text.
"""

from __future__ import annotations

import re
from itertools import pairwise

import regex  # type: ignore[import-untyped]

from chunkers.abbreviations import (
    BEFORE_NUMBERS,
    BEFORE_STARTERS,
    MAY_END,
    MONTHS,
    NAMES_TOO,
    Vocabulary,
    in_any_language,
    vocabulary,
)

_EXTENDING = regex.compile(r"[\p{M}\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
_FIRST_EXTENDING = "\u0300"
_NEAR = 200  #: characters: a pair of brackets or quotation marks further apart than this holds no boundary back
_MARKER_WITHIN = 24  #: characters of the longest list marker
_SHORT = 4  #: letters of the longest word that is taken for an abbreviation because a small letter follows
_WORD_WITHIN = 24  #: characters looked back at for the word before a full stop

_STOPS = ".!?…‼⁇⁈⁉؟۔।॥።։"  #: end a sentence where white space follows
_WIDE = "。！？｡"  #: need none
_CLOSERS = "\"'»”’›)\\]}*_）」』】》〉〕〗］｝¹²³⁰⁴-⁹"
#: Close too, for what follows them: German quotation marks, French ones after their space, and the marks of notes
_LATER = r"[“‘«‹](?=[\s)\]*_])|[ \u00a0\u202f]»(?=[\s)\]*_])|\[\^?[\w ,–-]{1,20}\](?!\()"
_CHOSEN_CJK = "".join(f"{chr(at)}-{chr(at + 0x1FF)}" for at in range(0x4E00, 0x9E00, 0x400)) + "\u3042-\u3060"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"

#: Starts with one set of characters, which is what makes the search fast. A run of marks is one match: the look-behind
#: refuses to begin inside it.
_END = re.compile(
    rf"[{_STOPS}{_WIDE}\n]"
    rf"(?:(?<=\n)[^\S\n]*+\n\s*+"
    rf"|(?<!\n)(?<![{_STOPS}{_WIDE}]{{2}})[{_STOPS}{_WIDE}]*+([{_CLOSERS}]*+(?:(?:{_LATER})[{_CLOSERS}]*+)*+)"
    rf"(?:\s++|(?<=[{_WIDE}…”’」』）】》〉])|(?<=[{_CJK}].)(?=[{_CJK}])|(?<=[!?\]¹²³⁴-⁹])(?=[{_CJK}“「『《])))"
)


def _not_plain() -> str:
    """Look-behinds that refuse the abbreviations that look like words."""
    words = [word for word in in_any_language() if re.search(r"[a-zà-ÿ]{4}\Z", word)]
    by_length = {length: sorted(word for word in words if len(word) == length) for length in set(map(len, words))}
    return "".join(rf"(?<!\b(?i:{'|'.join(by_length[length])})\.)" for length in sorted(by_length)) + r"(?<!str\.)"


#: Some of those places, all of them plain: a long enough word in small letters, or an ideograph, before the mark, and a
#: capital letter, or another ideograph, after it. The letter before the mark chooses which.
_PLAIN = re.compile(
    rf"[.!?。！？](?:(?<=[a-zà-ÿ]{{3}}[abdeg-ik-orstuyzà-ÿ].){_not_plain()}\s++(?=[A-ZÀ-Þ])"
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
_NUMERAL = re.compile(r"(?:[IVXLC]{2,7}|[B-HJ-Z]|[A-Z]{1,3}-?\d+)(?!\w)")  #: `Vol. II`, `App. B`, `No. A-5`
_PREDICATE = re.compile(r"(?:['’][^\W\d_]+)?\s++(?!(?:and|et|und|y|e)\b)[a-zà-ÿ]")
_TO_IDEOGRAPH = re.compile(rf".*[{_CJK}]", re.DOTALL)
#: `“走吧！”他说。`: who spoke, after a sentence that began with what they said
_SPOKEN = re.compile(r"[\s—–-]{0,8}[“「『\"]")
_SPEAKER = re.compile(
    rf"(?![{_CJK}]{{0,6}}[不没])[{_CJK}]{{1,6}}?(?:(?<![小传学据听解劝])说|(?<![请疑学顾访])问|[说问喊答叫笑叹骂吼嚷哭]道"
    rf"|喊|嚷|吼|回答说)[着了我你他她]{{0,2}}(?=[，。,！!；;\s]|\Z)"
)
_DASHED = re.compile(r"[—–-]\s*+[^\W\d_]")
_PAIRS = {"”": "“", "’": "‘", "»": "«", ")": "(", "]": "[", "）": "（", "」": "「", "』": "『", "】": "【", "》": "《"}
_PAIRS |= {'"': '"'}
_OPENERS = {opener: closer for closer, opener in _PAIRS.items()} | {"„": "“”", "»": "«»"}
_EITHER = frozenset("“‘«»")  #: of them, those that close a pair in some languages
_OPENING_MARKS, _MARKS = re.escape("".join(_OPENERS)), re.escape("".join(_PAIRS) + "".join(_OPENERS))
_PAIR = re.compile(rf"[{_MARKS}]")
#: Round brackets, each closed with none of the marks between, and what opens nothing after each.
_SHUT = re.compile(rf"(?:\([^{_MARKS}]*+\)[^{_OPENING_MARKS}]*+)+")
_OPENER = re.compile(rf"[{_OPENING_MARKS}]")
_OPENING = "\"'“‘«»„([（「『【《*_"
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
    cuts = [start]
    for match in _PLAIN.finditer(text, start, end):
        at = match.end()
        if not _within_pair(text, cuts[-1], at, end) and not (at < end and extends(text, at)):
            cuts.append(at)
    cuts.append(end)
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def extends(text: str, at: int) -> bool:
    """Whether a character stands on the one before it, so that no cut may part the two."""
    return text[at] >= _FIRST_EXTENDING and _EXTENDING.match(text, at) is not None


def _cuts(text: str, start: int, end: int, language: str | None) -> list[int]:
    """Where sentences end, the end of the span left out."""
    words = vocabulary(language)
    found = []
    begin = start
    for match in _END.finditer(text, start, end):
        mark, at = match.span()
        if at >= end:
            break
        if (
            text[mark:at] == ". " and at - begin > _MARKER_WITHIN and text[at].isalnum()
        ):  # of most, no more is to be asked
            ends = _ends_with(text, begin, mark, at, words)
        elif text[mark] == "\n":
            if mark > begin and not text[begin:mark].isspace():
                found.append(at)
                begin = at
            continue
        else:
            ends = _ends(text, begin, match, words)
        if ends and not _within_pair(text, begin, at, end) and not extends(text, at):
            found.append(at)
            begin = at
    return found


def _ends(text: str, begin: int, match: re.Match[str], words: Vocabulary) -> bool:
    """Whether the sentence that began at `begin` may end with the marks of `match`, as far as the words say."""
    mark, at = match.span()
    after = text[at]
    marks_end = match.start(1)
    if text[mark] in _WIDE:
        if after in _CONTINUING or marks_end == match.end(1):
            return after not in _CONTINUING
        return after != "と" and not (_SPEAKER.match(text, at) and _SPOKEN.match(text, begin))
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
    return _ends_with(text, begin, mark, at, words)


def _ends_with(text: str, begin: int, mark: int, at: int, words: Vocabulary) -> bool:
    """Whether a single full stop at `mark` ends its sentence: not after an abbreviation, an initial, an ordinal."""
    low = mark - _WORD_WITHIN if mark - begin > _WORD_WITHIN else begin
    near = text[low:mark].rsplit(None, 1)
    last = near[-1].lstrip(_OPENING) if near else ""
    if not last.isascii() and (last[0] > "\u3000" or last[0].isascii()):
        last = _TO_IDEOGRAPH.sub("", last)
    after = text[at]
    if after in _OPENING and at + 1 < len(text):
        at += 1
        after = text[at]
    length = len(last)
    if not length:
        return True
    folded = last.lower()
    # Most words: in no list, and of letters alone
    if folded not in words.listed and length > 1 and last.isalpha() and not folded.endswith(words.endings):
        return length > _SHORT or not after.islower() or text[begin].islower()
    pair = _SPACED.search(text, low, mark) if length == 1 else None
    if length == 1 and last.isupper():
        return not (after.isalpha() or after.isdigit()) or (pair is None and _starts(text, at, words))
    if pair:
        folded = f"{pair[1]}.{folded}".lower()
    elif not last.isalnum():
        folded = _without_article(folded, words)
    known = folded in words.abbreviations or folded.endswith(words.endings)
    if known or ("." in folded and _INITIALISM.fullmatch(folded)):
        if folded in MAY_END and after.isupper():
            following = _NEXT_WORD.match(text, at)
            return following is None or not following[0].isupper() or len(following[0]) == 1
        return (folded in BEFORE_STARTERS or not (known or pair)) and _starts(text, at, words)
    if after.islower():
        if "." in last and _CLAUSE_NUMBER.fullmatch(last):
            return False
        # A word that no list has is an abbreviation or a unit if it is short, unless the text does without capitals
        return (length > _SHORT and last.isalpha()) or text[begin].islower()
    if length <= 2 and _NUMBER.fullmatch(last):
        if words.ordinals:
            return _starts(text, at, words)
        following = _NEXT_WORD.match(text, at)
        return following is None or following[0].lower() not in MONTHS
    return folded not in BEFORE_NUMBERS or not (after.isdigit() or _NUMERAL.match(text, at))


def _without_article(folded: str, words: Vocabulary) -> str:
    """The abbreviation in `l'avv.`, `dell'art.`, or the word itself."""
    rest = folded.replace("’", "'").rpartition("'")[2]
    return rest if len(rest) > 1 and rest in words.listed else folded


def _starts(text: str, at: int, words: Vocabulary) -> bool:
    """Whether the word at `at` begins a sentence: no name and no noun is written so."""
    following = _NEXT_WORD.match(text, at)
    if following is None or not following[0].istitle():
        return False
    folded = following[0].lower()
    return folded in words.starters and (folded not in NAMES_TOO or _PREDICATE.match(text, following.end()) is not None)


def _within_pair(text: str, begin: int, at: int, end: int) -> bool:
    """Whether a bracket or quotation mark that is open at `at` was opened, and is closed, near it."""
    low = at - _NEAR if at - begin > _NEAR else begin
    first = _OPENER.search(text, low, at)
    if first is None or _SHUT.fullmatch(text, first.start(), at):
        return False
    opened: list[str] = []
    for match in _PAIR.finditer(text, low, at):
        found, place = match[0], match.start()
        if found == '"':
            if '"' in opened:
                del opened[opened.index('"') :]
            elif place == low or not text[place - 1].isalnum():
                opened.append(found)
        elif found in _OPENERS and (
            found not in _EITHER
            or (not opened and found != "»" and text[place + 1 : place + 2].isalnum())
            or _opens(text, low, place, opened)
        ):
            opened.append(found)
        elif found == "’" and text[place + 1 : place + 2].isalnum():
            continue  # an apostrophe
        else:
            opener = _PAIRS.get(found, "")
            if opener not in opened and found in "“”«»":
                opener = "„" if found in "“”" else "»"
            if opener in opened:
                del opened[opened.index(opener) :]
    if not opened:
        return False
    stop = min(end, at + _NEAR)
    broken = text.find("\n\n", at, stop)
    stop = broken if broken >= 0 else stop
    return any(text.find(closer, at, stop) >= 0 for opener in opened for closer in _OPENERS[opener])


def _opens(text: str, low: int, place: int, opened: list[str]) -> bool:
    """Whether the mark at `place`, which opens a pair in some language, does here: „…“ and »…« are pairs too."""
    mark = text[place]
    before, after = text[place - 1] if place > low else " ", text[place + 1 : place + 2]
    if mark == "»":
        return after.isalnum() and (before.isspace() or before in _OPENING or before in "—–-")
    if (mark == "“" and "„" in opened) or (mark == "«" and "»" in opened):
        return False
    return before.isspace() or before in "'’" or not (after.isspace() or after in ",.;:!?)—–-")
