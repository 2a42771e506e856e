"""Which paragraphs are captions, and which descriptions of pictures are worth reading, by their own words."""

from __future__ import annotations

import re

_LONGEST = 300  #: characters of a caption; a longer paragraph goes on about the table
_TELLING = 4  #: words of a picture's description that is more than a name
_TELLING_CHARACTERS = 8  #: the same in scripts without spaces
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_NUMBER = r"\s*(?:[A-Z]?\d{1,4}(?:[.\-–]\d{1,4}){0,3}[a-z]?|[IVX]{1,6})"
_TABLES = r"table|tab\.|tabelle|tableau|tabla|tabella|таблица|табл\.|表格?"
_OTHERS = (
    r"figure|fig\.|listing|example|exhibit|chart|diagram|equation|abbildung|abb\.|figura|рисунок|рис\.|листинг|图表?|図"
)
#: `Table 3. Boxes`, `Рис. 2 — Порт`: what comes after the number sets it off from the words of a sentence
_SET_OFF = re.compile(rf"(?:{_TABLES}|{_OTHERS}){_NUMBER}\s*(?:[.:：|)]|[–—-]\s)", re.IGNORECASE)
_OF_TABLE = re.compile(rf"(?:{_TABLES}){_NUMBER}(?!\w)", re.IGNORECASE)


def is_caption(text: str, *, by_table: bool) -> bool:
    """Whether a paragraph is a caption; next to a table (`by_table`) `Table 3 Boxes of letters` is enough."""
    if len(text) > _LONGEST:
        return False
    if _SET_OFF.match(text):
        return True
    return by_table and bool(_OF_TABLE.match(text)) and not text.rstrip().endswith((".", ":", "。"))


def is_telling(description: str) -> bool:
    """Whether the description of a picture says more than a name does."""
    return len(description.split()) >= _TELLING or len(_UNSPACED.findall(description)) >= _TELLING_CHARACTERS
