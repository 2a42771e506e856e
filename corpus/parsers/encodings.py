"""Which legacy encoding a text is in: the one under which it is made of everyday letters.

Statistical detectors need more text than a comment or a title has. What a wrong encoding makes of letters is telling
at any length: rare Han characters, capitals in the midst of words, signs amid letters.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from functools import cache

_SAMPLE = 200_000  #: bytes of the lines with something beyond ASCII that are looked at
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r\x0b\x0c\x1b")
_LEAST = 0.7  #: share of everyday letters below which a text is not in an encoding
_LONG = 2  #: bytes in a row beyond ASCII that Latin letters have at most, but for few
_HIGH = re.compile(rb"[\x80-\xff]+")
_HIGH_LINE = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")

#: Those of Latin letters; the first is the answer unless the text speaks for another.
_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "mac_roman", "cp850", "cp852")
#: language → its letters beyond ASCII; a wrong encoding makes words that look like a language, but not of its letters
_LETTERS = {
    "cs": "áčďéěíňóřšťúůýž", "da": "åæøé", "de": "äöüß", "en": "éèêëïöüçñà", "es": "áéíñóúü", "et": "äõöüšž",
    "fi": "äöåšž", "fr": "àâæçéèêëîïôœùûüÿ", "hr": "čćđšž", "hu": "áéíóöőúüű", "is": "áðéíóúýþæö", "it": "àèéìíîòóù",
    "nl": "éëïöüèáó", "no": "åæøéò", "pl": "ąćęłńóśźż", "pt": "àáâãçéêíóôõúü", "ro": "ăâîșțşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšž", "sq": "ëç", "sv": "åäöé", "tr": "çğıöşüâîû", "ca": "àçèéíïòóúü",
}  # fmt: skip
_ACCENTED = re.compile(rb"[A-Za-z][\x80-\xff]|[\x80-\xff][A-Za-z]")
#: what a wrong encoding makes of Latin letters: a sign amid them (`ci±gnie`) or before them (`£ódź`), a control, a hole
_TORN = re.compile(
    r"[^\W\d_](?:[^\w\s\x00-\x7f\xb7\u2013-\u2019]|[¹²³¼½¾ªº])(?=[^\W\d_])|(?<!\w)[£±¶³²¹¼½¾¥¤¨´¸](?=[^\W\d_])|[\x80-\x9f\ufffd]"
)

#: encoding → capitals and small letters of its alphabet; a script without capitals has small letters only
_ALPHABETS = {
    "cp1251": ("А-ЯЁІЇЄҐЎ", "а-яёіїєґў"),
    "koi8_u": ("А-ЯЁІЇЄҐ", "а-яёіїєґ"),
    "cp866": ("А-ЯЁЇЄЎ", "а-яёїєў"),
    "iso8859_5": ("А-ЯЁІЇЄЎ", "а-яёіїєў"),
    "cp1253": ("Α-ΫΆΈ-Ώ", "α-ώΐ"),
    "cp1255": ("", "א-ת"),
    "cp1256": ("", "ء-ي"),
    "iso8859_6": ("", "ء-ي"),
    "cp874": ("", "ก-๎"),
}
_CYRILLIC = frozenset({"cp1251", "koi8_u", "cp866", "iso8859_5"})
_AHEAD = 0.2  #: of likeness that another alphabet needs more: short words of these make as good ones of others
_OF_ANY = "iso8859_5"  #: other alphabets make letters of it too, but hardly ever its most frequent ones
_VOWELS = 0.15  #: share of those
_THAI = "cp874"  #: nearly every byte is a letter in it, so it is what nothing else is

#: encoding → a narrower codec and the lead bytes of its everyday characters
_IDEOGRAPHS = {
    "cp949": ("euc_kr", (0xB0, 0xC8)),
    "gb18030": ("gb2312", (0xB0, 0xD7)),
    "euc_jp": ("euc_jp", (0xB0, 0xCF)),
    "cp932": ("euc_jp", (0xB0, 0xCF)),
    "big5": ("big5", (0xA4, 0xC6)),
}
_JAPANESE = frozenset({"euc_jp", "cp932"})  #: without Kana it could as well be Chinese or Korean
_KOREAN_AHEAD = 0.05  #: all of Korean could be Chinese, but hardly any Chinese could be Korean
_KANA = "".join(map(chr, range(0x3041, 0x30FF)))
_LATIN_WORD = re.compile(r"[^\W\d_]{3}")
_RARE = 4  #: characters; fewer are an accident
_EAST_ASIAN = re.compile("[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_SIGNS = "«»„“”‘’–—…№©®°·•×§€\xa0、。，．！？：；（）《》「」『』【】〈〉～ー" + "".join(
    map(chr, range(0xFF10, 0xFF5B))
)


def detect(data: bytes) -> str | None:
    """The encoding of bytes that are not UTF-8, as Python names it; None if they are text in none that is known."""
    if 1000 * (len(data) - len(data.translate(None, _CONTROLS))) > len(data):
        return None  # damage, not an encoding: no text encoding in use writes control bytes
    sample = _sample(data)
    runs = [len(run) for run in _HIGH.findall(sample)]
    is_scattered = sum(length for length in runs if length > _LONG) <= 0.4 * sum(runs)
    letters = len(sample) - len(sample.translate(None, string.ascii_letters.encode()))
    if is_scattered and sum(runs) <= 0.3 * letters:
        return _latin(sample)
    ideographs = {encoding: _ideographic(sample, encoding) for encoding in _IDEOGRAPHS}
    alphabets = {encoding: _alphabetic(sample, encoding) for encoding in _ALPHABETS if encoding != _THAI}
    one, share = max(ideographs.items(), key=lambda item: item[1])
    if share >= max(_LEAST, *alphabets.values()):
        return one
    if (most := max(alphabets.values())) >= _LEAST:
        return _likeliest(sample, [encoding for encoding, share in alphabets.items() if share == most])
    if is_scattered:
        return _latin(sample)
    if _alphabetic(sample, _THAI) >= _LEAST:
        return _THAI
    return _of_rare_characters(sample) or _of_many_accents(sample)


def _sample(data: bytes) -> bytes:
    """The lines with something beyond ASCII, evenly from the whole file if they are many."""
    lines = _HIGH_LINE.findall(data)
    total = sum(map(len, lines))
    if total <= _SAMPLE:
        return b"".join(lines)
    kept = lines[:: -(-total // _SAMPLE)]
    return b"".join(line[:_SAMPLE] for line in kept)[: 4 * _SAMPLE]


def _latin(data: bytes) -> str:
    """The Latin encoding under which the fewest words look torn and the text is most like a language in its letters.

    The fewer accented letters there are, the more has another to be ahead of the first.
    """
    from corpus.parsers.language import likeliest

    accented = len(_ACCENTED.findall(data))
    ahead = 1 / (2 + accented) if accented else 1.0

    def merit(encoding: str) -> tuple[int, float]:
        text = data.decode(encoding, "replace")
        language, likeness = likeliest(text)
        likeness *= _share_of_letters(text, _LETTERS.get(language))
        return -len(_TORN.findall(text)), round(likeness, 2) + (ahead if encoding == _LATIN[0] else 0.0)

    return max(_LATIN, key=merit)


def _share_of_letters(text: str, letters: str | None) -> float:
    """The share of the letters beyond ASCII that a language has, 1 if it is not known which those are."""
    beyond = [character for character in text.lower() if character > "\x7f" and character.isalpha()]
    if not beyond or letters is None:
        return 1.0
    return sum(character in letters for character in beyond) / len(beyond)


def _likeliest(data: bytes, encodings: Sequence[str]) -> str:
    """That of several alphabets in which the text is most like a language."""
    from corpus.parsers.language import likeness

    def merit(encoding: str) -> float:
        return likeness(data.decode(encoding, "replace")) + (_AHEAD if encoding in _CYRILLIC else 0.0)

    return max(encodings, key=merit)


def _ideographic(data: bytes, encoding: str) -> float:
    """The share of what is beyond ASCII that are everyday characters of an encoding of East Asia, in tenths."""
    everyday = _everyday(encoding)
    beyond = [character for character in data.decode(encoding, "replace") if character > "\x7f"]
    if encoding in _JAPANESE and sum(character in _KANA for character in beyond) < 0.1 * len(beyond):
        return 0.0
    share = sum(character in everyday or character in _SIGNS for character in beyond) / max(len(beyond), 1)
    return round(share, 1) + (_KOREAN_AHEAD if encoding == "cp949" else 0.0)


def _of_rare_characters(data: bytes) -> str | None:
    """The encoding of East Asia that reads all of it as characters, if not as everyday ones, and most as those."""
    found: dict[str, float] = {}
    for encoding in ("gb18030", "big5", "cp932", "euc_jp", "cp949"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        beyond = [character for character in text if character > "\x7f"]
        if len(beyond) >= _RARE and all(
            _EAST_ASIAN.fullmatch(character) or character in _SIGNS for character in beyond
        ):
            found[encoding] = sum(character in _everyday(encoding) for character in beyond) / len(beyond)
    return max(found, key=lambda encoding: found[encoding]) if found else None


def _of_many_accents(data: bytes) -> str | None:
    """A Latin encoding, if words come out whole in it."""
    encoding = _latin(data)
    text = data.decode(encoding, "replace")
    return encoding if len(_TORN.findall(text)) <= 0.02 * len(text) and _LATIN_WORD.search(text) else None


def _alphabetic(data: bytes, encoding: str) -> float:
    """The share of what is beyond ASCII that are words as they are written in an alphabet, in tenths."""
    text = data.decode(encoding, "replace")
    beyond = [character for character in text if character > "\x7f"]
    signs = sum(character in _SIGNS for character in beyond)
    if encoding == _OF_ANY and sum(text.count(vowel) for vowel in "аеио") < _VOWELS * len(beyond):
        return 0.0
    good = sum(_word_merit(len(word), parts) for word, parts in _words(text, *_ALPHABETS[encoding]))
    return round((good + signs) / max(len(beyond), 1), 1)


def _words(text: str, capitals: str, small: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Runs of the alphabet's letters, each with the parts that it falls into by its capitals."""
    parts = re.compile(f"[{capitals}]?[{small}]+|[{capitals}]+" if capitals else f"[{small}]+")
    for found in re.finditer(f"(?<![A-Za-z])[{capitals}{small}]+(?![A-Za-z{capitals}{small}])", text):
        yield found[0], parts.findall(found[0])


def _word_merit(length: int, parts: Sequence[str]) -> float:
    """All of a word's letters if it is written as words are; half of them if it is all capitals."""
    if len(parts) != 1:
        return 0.0
    return 0.5 * length if length > 1 and parts[0].isupper() else float(length)


@cache
def _everyday(encoding: str) -> frozenset[str]:
    codec, (first, last) = _IDEOGRAPHS[encoding]
    trails = [*range(0x40, 0x7F), *range(0xA1, 0xFF)] if codec == "big5" else range(0xA1, 0xFF)
    found = {bytes([lead, trail]).decode(codec, "ignore") for lead in range(first, last + 1) for trail in trails} - {""}
    return frozenset(found | set(_KANA if codec == "euc_jp" else ""))
