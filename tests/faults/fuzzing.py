"""Spoils good files by chance, has them parsed and cut, and says which promise was broken.

`python -m faults.fuzzing` goes on until it is stopped; the same number gives the same file for ever.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import time
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from faults.fuzz_seeds import seeds

from chunkers.document import Document, Kind, uncovered, with_section_paths
from corpus.cutting import cut_document, default_corpus
from corpus.errors import DocumentError, PartialParse
from corpus.parsers import Settings
from corpus.parsers.sandbox.pool import Sandbox
from corpus.recipes import accepted

CORPUS = default_corpus()
SETTINGS = Settings(ocr_languages=())  #: what has lost its text would take seconds to be read as a picture
SECONDS, MEMORY_MB = 10, 1024
AT_ONCE = 16  #: files that have been handed to the parsers and not been looked at yet

TOKENS = [
    *(b"\x00", b"\xff", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\n\n", b"\t"),
    *("\u202e".encode(), "\u2028".encode(), "\ue000".encode(), "\U0001f600".encode(), "\u0301".encode(), b"\x85", b" "),
    *(
        b"<",
        b">",
        b"&",
        b"&#0;",
        b"&#xD800;",
        b"&#99999999;",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<table>",
        b"</p>",
    ),
    *(b'<!DOCTYPE a [<!ENTITY b "c">]>', b"<script>", b"<pre>", b"<td colspan=99999>", b"</div>", b"<li>", b"<svg>"),
    *(
        b"```",
        b"~~~",
        b"---\n",
        b"# ",
        b"> ",
        b"- ",
        b"1. ",
        b"    ",
        b"|",
        b"[",
        b"](",
        b"[^1]: ",
        b"$$",
        b"{{<",
        b":::",
    ),
    *(b'"', b"'", b"`", b"(", b")", b"{", b"}", b"/*", b"*/", b"//", b"\\", b"#", b";", b"=", b"\\\n", b"$(", b"<<E\n"),
    *(b"obj", b"endobj", b"stream\n", b"endstream", b"<<", b">>", b"/Kids", b"/Length -1", b"1 0 R", b"xref", b"%%EOF"),
    *(b"0", b"-1", b"9" * 30, b"4294967296", b"1e999", b"NaN", b"null", b"\\u0000", b"\\ud800", b"=1+1", b"--cut"),
]

Mutation = Callable[[random.Random, bytearray], None]


def flip(dice: random.Random, data: bytearray) -> None:
    for _ in range(dice.choice((1, 1, 3, 20))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def insert(dice: random.Random, data: bytearray) -> None:
    at = dice.randrange(len(data) + 1)
    data[at:at] = dice.choice(TOKENS) * dice.choice((1, 1, 1, 2, 40))


def cut_off(dice: random.Random, data: bytearray) -> None:
    del data[dice.randrange(len(data)) :]


def leave_out(dice: random.Random, data: bytearray) -> None:
    start = dice.randrange(len(data))
    del data[start : start + dice.choice((1, 4, 50, 500))]


def double(dice: random.Random, data: bytearray) -> None:
    start = dice.randrange(len(data))
    part = bytes(data[start : start + dice.choice((1, 8, 80, 800))])
    at = dice.randrange(len(data) + 1)
    data[at:at] = part * dice.choice((1, 1, 2, 20))


def splice(dice: random.Random, data: bytearray) -> None:
    other = seeds()[dice.choice(list(seeds()))]
    start = dice.randrange(len(other))
    at = dice.randrange(len(data) + 1)
    data[at : at + dice.choice((0, 30))] = other[start : start + dice.choice((10, 100, 1000))]


def change_a_number(dice: random.Random, data: bytearray) -> None:
    numbers = list(re.finditer(rb"\d+", data))
    if numbers:
        number = dice.choice(numbers)
        data[number.start() : number.end()] = dice.choice(
            (b"0", b"1", b"-1", b"255", b"65536", b"2147483648", b"9" * 25)
        )


def swap_lines(dice: random.Random, data: bytearray) -> None:
    lines = data.split(b"\n")
    a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    data[:] = b"\n".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    *(flip, insert, insert, insert, cut_off, leave_out, double),
    *(splice, change_a_number, swap_lines),
)


def mutated(name: str, number: int) -> bytes:
    """The good file `name`, spoilt in the way that has this number."""
    dice = random.Random(f"{name} {number}")
    data = seeds()[name]
    if data.startswith(b"PK") and dice.random() < 0.75:
        return _inside(dice, data)
    return _spoilt(dice, data)


def _spoilt(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4))):
        if changed:
            dice.choice(MUTATIONS)(dice, changed)
    return bytes(changed)


def _inside(dice: random.Random, data: bytes) -> bytes:
    """Spoil one part of an archive; now and then leave one out."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    inner = [part for part in parts if re.search(r"document\.xml|slide\d|sheet\d|sharedStrings|styles|numbering", part)]
    part = dice.choice(inner if dice.random() < 0.8 else list(parts))
    if dice.random() < 0.05:
        del parts[part]
    else:
        parts[part] = _spoilt(dice, parts[part])
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            archive.writestr(path, content)
    return out.getvalue()


@dataclass(frozen=True)
class Outcome:
    """What became of one file."""

    name: str
    number: int
    what: str  #: `document`, or the class of the error
    message: str  #: of the error
    broken: str  #: the promise that was broken; empty: none


def outcomes(sandbox: Sandbox, files: Iterable[tuple[str, int]]) -> Iterator[Outcome]:
    """Of each file, by name and number, in order; the parsers are some files ahead."""
    handed: deque[tuple[str, int, Future[Document]]] = deque()
    for name, number in files:
        handed.append((name, number, sandbox.submit(mutated(name, number), name)))
        if len(handed) >= AT_ONCE:
            yield _outcome(*handed.popleft())
    while handed:
        yield _outcome(*handed.popleft())


def _outcome(name: str, number: int, future: Future[Document]) -> Outcome:
    try:
        document = future.result()
    except DocumentError as error:
        return Outcome(name, number, type(error).__name__, error.message, _broken_by_error(error, name))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return Outcome(name, number, type(error).__name__, str(error), f"raised {error!r}")
    try:
        broken = _broken(document, name)
    except Exception as error:  # noqa: BLE001 - as above
        broken = f"{type(error).__name__}: {error}"
    return Outcome(name, number, "document", "", broken)


def _broken_by_error(error: DocumentError, name: str) -> str:
    if isinstance(error, PartialParse):
        return "a parser raised PartialParse by itself"
    lacking = [what for what in ("message", "hint") if not getattr(error, what).strip()]
    if lacking:
        return f"the error has no {' and no '.join(lacking)}: {error!r}"
    if (error.uri, error.stage) != (name, "parse"):
        return f"the error names {error.uri!r} and the stage {error.stage!r}"
    return "" if "\0" not in error.message else "the message has a NUL in it"


def _broken(document: Document, name: str) -> str:
    """The first promise that a document does not keep; empty if it keeps all."""
    text, blocks = document.text, document.blocks
    text.encode()
    if "\0" in text or "\r" in text:
        return "the text has a NUL or a carriage return in it"
    if Document.from_dict(document.to_dict()) != document:
        return "the document is another one after JSON"
    if not any(text[block.start : block.end].strip() for block in document.body):
        return "there is nothing to index, and no error says so"
    if any(a.end > b.start for a, b in itertools.pairwise(blocks)):
        return "blocks overlap"
    if lost := list(uncovered(document, ((block.start, block.end) for block in blocks))):
        return f"text in no block: {text[slice(*lost[0])][:80]!r}"
    if not any(block.kind is Kind.SYMBOL for block in blocks):
        depths = [len(block.section_path) for block in with_section_paths(text, blocks)]
        if [len(block.section_path) for block in blocks] != depths:
            return "a section path is not as long as there are headings above"
    if document.fidelity is not None and not 0 <= document.fidelity <= 1:
        return f"the fidelity is {document.fidelity}"
    with suppress(PartialParse):  # known to be incomplete, and said so; what is there is looked at all the same
        document = accepted(CORPUS, document, name)
    cut = cut_document(document, uri=name, corpus=CORPUS)
    if lost := list(uncovered(document, ((child.start, child.end) for child in cut.children))):
        return f"text in no child: {text[slice(*lost[0])][:80]!r}"
    return ""


def is_odd(outcome: Outcome) -> bool:
    """Whether the parser met what it did not expect: no promise is broken, but a better message may be due."""
    return bool(re.search(r" parser failed|process died|took longer|gave up|needs more than", outcome.message))


def main() -> None:
    """Print each new failure and keep its file."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=0, help="the number to begin at, times a million")
    options.add_argument("--seconds", type=float, default=float("inf"), help="how long to go on")
    options.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="the folder for files that failed")
    options.add_argument("--only", default="", help="only files whose names contain this")
    asked = options.parse_args()
    asked.keep.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + asked.seconds
    names = [name for name in seeds() if asked.only in name]
    files = ((name, number) for number in itertools.count(asked.seed * 1_000_000) for name in names)
    seen: set[str] = set()
    count: Counter[str] = Counter()
    with Sandbox(seconds=SECONDS, memory_mb=MEMORY_MB, processes=2, settings=SETTINGS) as sandbox:
        for outcome in outcomes(sandbox, itertools.takewhile(lambda _: time.monotonic() < until, files)):
            count[outcome.what] += 1
            said = outcome.broken or (outcome.message if is_odd(outcome) else "")
            alike = f"{outcome.name} {re.sub(r'[0-9]+', '0', said)[:60]}"
            if said and alike not in seen:
                seen.add(alike)
                kept = asked.keep / f"{outcome.number}-{outcome.name}"
                kept.write_bytes(mutated(outcome.name, outcome.number))
                print("BROKEN" if outcome.broken else "odd", kept, said[:300], flush=True)
    print(dict(count))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
