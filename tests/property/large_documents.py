"""Documents of any length in every shape, for measuring how time grows: no two of their lines are equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from chunkers.document import Block, Document, Kind, with_section_paths
from corpus.parsers.base import Settings
from corpus.parsers.code.parser import CodeParser

_ABOUT = ("river", "harbour", "engine", "ledger", "garden", "signal", "winter", "contract", "mirror", "copper")
_HAN = "春夏秋冬山川河海天地人心日月星光风雨雪云花草木鸟鱼城市村路桥船车书字画歌舞"


def _sentence(number: int) -> str:
    one, other = _ABOUT[number % 10], _ABOUT[number // 10 % 10]
    asked = number * 7 % 1000
    return f"The {one} of lot {number} was moved, slowly, to the {other}; nobody had asked for {asked} of them."


def _han_sentence(number: int) -> str:
    return "".join(_HAN[(number * 7 + at * at) % len(_HAN)] for at in range(12)) + "，第" + str(number) + "次。"


def _paragraph(number: int) -> str:
    return " ".join(_sentence(number * 5 + at) for at in range(5))


Drawn = tuple[Kind, str, int | None]


def _prose(number: int) -> list[Drawn]:
    return [(Kind.PARAGRAPH, _paragraph(number), None)]


def _chinese(number: int) -> list[Drawn]:
    return [(Kind.PARAGRAPH, "".join(_han_sentence(number * 9 + at) for at in range(9)), None)]


def _headings(number: int) -> list[Drawn]:
    level = number % 4 + 1
    return [(Kind.HEADING, f"{'#' * level} Lot {number}", level), (Kind.PARAGRAPH, _sentence(number), None)]


def _list(number: int) -> list[Drawn]:
    return [(Kind.LIST_ITEM, f"- {_sentence(number)}", 1 + number % 7 // 5)]


def _questions(number: int) -> list[Drawn]:
    return [
        (Kind.HEADING, f"## Where is lot {number}?", 2),
        (Kind.PARAGRAPH, _paragraph(number), None),
    ]


def _marked_questions(number: int) -> list[Drawn]:
    return [(Kind.PARAGRAPH, f"Q: Where is lot {number}?\nA: {_sentence(number)}", None)]


def _pages(number: int) -> list[Drawn]:
    table = "\n".join(f"| lot {number * 9 + row} | {row * number} |" for row in range(9))
    return [
        (Kind.HEADING, f"## Lot {number}", 2),
        (Kind.PARAGRAPH, _paragraph(number), None),
        (Kind.CAPTION, f"Table {number}: all of them", None),
        (Kind.TABLE, table, None),
    ]


def _of(blocks: Callable[[int], list[Drawn]], media_type: str) -> Callable[[int], Document]:
    def make(length: int) -> Document:
        texts: list[str] = []
        placed: list[Block] = []
        at = 0
        for number in count():
            for kind, text, level in blocks(number):
                placed.append(Block(kind, at, at + len(text), level=level, page=number // 4 + 1))
                texts += [text, "\n\n"]
                at += len(text) + 2
            if at >= length:
                break
        whole = "".join(texts)
        return Document(whole, with_section_paths(whole, placed), media_type, text_is_source=True, language="en")

    return make


def _block(kind: Kind, text: str, media_type: str, rows: tuple[tuple[str, ...], ...] | None = None) -> Document:
    return Document(text, (Block(kind, 0, len(text), rows=rows),), media_type, text_is_source=True)


def _word(length: int) -> Document:
    text = "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(length // 8))
    return _block(Kind.PARAGRAPH, text, "text/plain")


def _han_line(length: int) -> Document:
    return _block(Kind.PARAGRAPH, _lines(lambda n: _han_sentence(n)[:12], length, ""), "text/plain")


def _table(length: int) -> Document:
    rows = [("lot", "moved to", "asked for"), *((f"lot {n}", _ABOUT[n % 10], str(n * 7)) for n in range(length // 32))]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "| --- | --- | --- |")
    return _block(Kind.TABLE, "\n".join(lines), "text/markdown", tuple(rows))


def _log(length: int) -> Document:
    def line(number: int) -> str:
        clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
        return f"2026-11-29 {clock} INFO {_ABOUT[number % 10]}-{number} finished in {number * 7 % 1000} ms\n"

    return _block(Kind.PARAGRAPH, _lines(line, length, "").rstrip(), "text/x-log")


def _lines(line: Callable[[int], str], length: int, joint: str = "\n") -> str:
    def enough() -> Iterator[str]:
        reached = 0
        for number in count():
            text = line(number)
            reached += len(text) + len(joint)
            yield text
            if reached >= length:
                return

    return joint.join(enough())


def _code(text: str) -> Document:
    return CodeParser().parse(text.encode(), "text/x-python", Settings()).document


def _functions(length: int) -> Document:
    def one(number: int) -> str:
        return (
            f'def moved_{number}(lot: int) -> int:\n    """{_sentence(number)}"""\n    total = lot * {number}\n'
            f"    for at in range(lot):\n        total += at\n    return total\n\n"
        )

    return _code(_lines(one, length))


def _one_function(length: int) -> Document:
    body = _lines(lambda n: f"    if lot > {n}:\n        total_{n % 97} = moved(lot, {n})\n", length)
    return _code(f"def everything(lot):\n{body}\n")


def _one_list(length: int) -> Document:
    return _code(f"LOTS = [\n{_lines(lambda n: f'    ({n}, {_ABOUT[n % 10]!r}, {n * 7}),', length)}\n]\n")


SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

#: Each makes a document of about so many characters.
SHAPES: dict[str, Callable[[int], Document]] = {
    "prose": _of(_prose, "text/plain"),
    "one word": _word,
    "Chinese": _of(_chinese, "text/plain"),
    "Chinese without marks": _han_line,
    "headings": _of(_headings, "text/markdown"),
    "one list": _of(_list, "text/markdown"),
    "one table": _table,
    "log": _log,
    "functions": _functions,
    "one function": _one_function,
    "one list of code": _one_list,
    "questions": _of(_questions, "text/markdown"),
    "marked questions": _of(_marked_questions, "text/plain"),
    "pages": _of(_pages, "application/pdf"),
    "slides": _of(_pages, SLIDES),
}
