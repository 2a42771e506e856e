"""Hostile and damaged files: each gets its answer within the limits, and no other document notices."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hostile import BIG, backticks, deep_list, long_paragraph
from pdf_making import Page, pdf
from site_under_test import OLD

from chunkers.document import Document, uncovered
from corpus.config import Corpus
from corpus.cutting import cut_document, default_corpus
from corpus.errors import DocumentError, LimitExceeded, ParseError
from corpus.parsers.sandbox.pool import Sandbox
from corpus.recipes import accepted

BAD = Path(__file__).parents[1] / "data" / "bad"
SECONDS, MEMORY_MB = 30, 1024
HELLO = "Hello page text here"


@dataclass(frozen=True)
class Refused:
    """An error of this class, whose message matches."""

    kind: type[DocumentError]
    message: str


def says(*words: str) -> Callable[[Document], bool]:
    return lambda document: all(word in document.text for word in words)


def holds(times: int, word: str) -> Callable[[Document], bool]:
    return lambda document: len(re.findall(rf"\b{word}\b", document.text)) == times


def is_source(name: str) -> Callable[[Document], bool]:
    return lambda document: document.text == contents(name).decode()


#: what must happen: an error, a document that passes a test, or one of several of these
MUST: dict[str, list[Refused | Callable[[Document], bool]]] = {
    "empty.pdf": [Refused(ParseError, "empty")],
    "notpdf.pdf": [lambda d: d.media_type == "text/html" and d.text.strip() == "hello", Refused(ParseError, "PDF")],
    "garbage.pdf": [Refused(ParseError, "damaged")],
    "recpages.pdf": [Refused(ParseError, "damaged")],
    "recform.pdf": [Refused(ParseError, "no text")],
    "formbomb.pdf": [Refused(LimitExceeded, "memory|longer than")],
    "deeparr.pdf": [says(HELLO)],
    "hugebox.pdf": [says(HELLO)],
    "deep_table.html": [says("x"), Refused(LimitExceeded, "nested")],
    "deep_ul.html": [holds(5000, "x"), Refused(LimitExceeded, "nested")],
    "colspan.html": [lambda d: [cell for row in d.blocks[0].rows or () for cell in row if cell] == ["a", "b", "c"]],
    "entity.html": [lambda d: len(d.text) < 100, Refused(ParseError, "")],
    "nul.html": [lambda d: says("AB", "xy", "bad", "utf8 text here")(d) and d.replaced > 0],
    "nul.md": [lambda d: says("AB", "text", "bad")(d) and d.replaced > 0],
    "surr.html": [says("lone", "surrogate", "\N{GRINNING FACE}", "ok")],
    "brackets.md": [is_source("brackets.md")],
    "stars.md": [is_source("stars.md")],
    "deep_quote.md": [is_source("deep_quote.md")],
    "xxe.docx": [says("These are a few of my favorite things"), Refused(ParseError, "document type definition")],
    "lol.docx": [Refused(ParseError, "document type definition")],
    "deeptbl.docx": [Refused(ParseError, "[Dd]epth|nested"), Refused(LimitExceeded, "nested")],
    "flatebomb.pdf": [Refused(LimitExceeded, "memory")],
    "pages10k.pdf": [Refused(LimitExceeded, "10000 pages, the limit is 5000")],
    "trunc.pdf": [Refused(ParseError, "damaged")],
    "deep_div.html": [says("hello deep"), Refused(LimitExceeded, "nested")],
    "deep_span.html": [says("hello deep"), Refused(LimitExceeded, "nested")],
    "big_attr.html": [says("hello")],
    "long_p.html": [holds(1_000_000, "word")],
    "deep_list.md": [is_source("deep_list.md")],
    "ticks.md": [is_source("ticks.md")],
    "zipbomb.docx": [Refused(LimitExceeded, "packed")],
    "many_parts.docx": [Refused(LimitExceeded, "list of parts")],
    "broken_types.docx": [Refused(ParseError, "damaged")],
}


def contents(name: str) -> bytes:
    return BIG[name]() if name in BIG else BAD.joinpath(name).read_bytes()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(seconds=SECONDS, memory_mb=MEMORY_MB) as made:
        yield made


def check(document: Document, corpus: Corpus) -> None:
    """That it can be stored, and cut without a loss."""
    accepted(corpus, document, "file")
    assert Document.from_dict(document.to_dict()) == document
    document.text.encode()
    assert "\0" not in document.text
    assert "root:" not in document.text
    if len(document.text) < 1_000_000:
        children = cut_document(document, uri="file", corpus=corpus).children
        assert children
        assert not list(uncovered(document, ((child.start, child.end) for child in children)))


def test_every_file_has_its_rule() -> None:
    assert {path.name for path in BAD.iterdir()} | set(BIG) == set(MUST)


def is_as_it_must_be(name: str, error_class: str, message: str) -> bool:
    return any(
        must.kind.__name__ == error_class and re.search(must.message, message)
        for must in MUST[name]
        if isinstance(must, Refused)
    )


def outcome(sandbox: Sandbox, data: bytes, name: str) -> Document | DocumentError:
    try:
        return sandbox.parse(data, name)
    except DocumentError as error:
        return error


@pytest.mark.parametrize("name", MUST)
def test_a_hostile_file_gets_its_answer_within_the_limits(sandbox: Sandbox, name: str) -> None:
    data = contents(name)
    started = time.monotonic()
    got = outcome(sandbox, data, name)
    assert time.monotonic() - started < SECONDS + 5
    if isinstance(got, DocumentError):
        assert is_as_it_must_be(name, type(got).__name__, got.message), got
        assert (got.uri, got.stage) == (name, "parse")
        assert got.hint
    else:
        check(got, default_corpus())
        assert any(must(got) for must in MUST[name] if not isinstance(must, Refused)), got.text[:100]
    assert sandbox.parse(b"# Next\n\nIt comes out.\n", "next.md").text.endswith("It comes out.\n")


class Watch:
    """The memory of the parser processes, looked at twenty times a second."""

    def __init__(self) -> None:
        self.peak_mb = 0.0  #: of all of them together
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        me = psutil.Process()
        while not self._done.wait(0.05):
            below = 0
            for process in me.children(recursive=True):
                with suppress(psutil.Error):
                    below += process.memory_info().rss if "corpus.parsers.sandbox.worker" in process.cmdline() else 0
            self.peak_mb = max(self.peak_mb, below / 2**20)


GOOD = {
    ".md": "# House {n}\n\nHouse number {n} opens at nine.\n",
    ".txt": "House number {n} opens at nine.\n\nIt closes at five.\n",
    ".html": "<html><body><h1>House {n}</h1><p>House number {n} opens at nine.</p></body></html>",
    ".py": 'def opens_{n}() -> int:\n    """When house number {n} opens."""\n    return 9\n',
}


def address(name: str) -> str:
    """Between the good documents, in the order in which they are prepared."""
    return f"{sorted(MUST).index(name) * 3:03}_{name}"


def workers() -> list[psutil.Process]:
    """The parser processes below this one, and every dead one that nobody has buried."""
    below = psutil.Process().children(recursive=True)
    return [p for p in below if p.status() == psutil.STATUS_ZOMBIE or "corpus.parsers.sandbox.worker" in p.cmdline()]


def test_a_hundred_good_documents_around_all_the_hostile_ones_are_published(site) -> None:
    """The three texts without end are a tenth as long here: cutting them is what would take the time."""
    processes, others = 2, workers()
    site.settings = {
        "limits": {"seconds": 20, "memory_mb": MEMORY_MB, "failed_documents": 100},
        "parsing": {"processes": processes},
    }
    shorter = {"long_p.html": long_paragraph(100_000), "deep_list.md": deep_list(300), "ticks.md": backticks(300)}
    good = {f"{n:03}{list(GOOD)[n % 4]}": GOOD[list(GOOD)[n % 4]].format(n=n) for n in range(100)}
    for uri, text in list(good.items())[:8]:
        site.write(uri, text)
    site.write(address("formbomb.pdf"), pdf([Page().text(72, 100, "The mill stands still on Sundays.")]))
    site.sync()
    assert site.ask("When does the mill stand still?")[0] == address("formbomb.pdf")

    for uri, text in good.items():
        site.write(uri, text.replace("nine", "ten").replace("return 9", "return 10"), at=OLD + 100)
    for name in MUST:
        site.write(address(name), shorter.get(name) or contents(name), at=OLD + 100)
    with Watch() as watch:
        summary = site.sync()

    new = site.rows(
        "SELECT DISTINCT d.uri FROM documents d JOIN children c ON c.document_id = d.id"
        " WHERE c.text LIKE '%%at ten%%' OR c.text LIKE '%%return 10%%'"
    )
    assert {row["uri"] for row in new} == set(good)
    quarantine = site.rows("SELECT uri, error_class, message FROM quarantine ORDER BY uri")
    for row in quarantine:
        assert is_as_it_must_be(row["uri"][4:], row["error_class"], row["message"]), row
    must_be_refused = {address(name) for name, must in MUST.items() if all(isinstance(one, Refused) for one in must)}
    assert must_be_refused <= {row["uri"] for row in quarantine}
    assert summary["documents"]["quarantined"] == len(quarantine)
    assert watch.peak_mb < processes * MEMORY_MB
    assert workers() == others
    assert site.ask("When does the mill stand still?")[0] == address("formbomb.pdf")
