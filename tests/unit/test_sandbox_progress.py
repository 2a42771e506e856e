"""How far a document had come when something ended it, and the time that its pages may ask for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from obedient import obey

from corpus.errors import LimitExceeded, ParseError
from corpus.parsers import Settings, progress
from corpus.parsers.sandbox.pool import Sandbox


@pytest.fixture(autouse=True)
def obedient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    obey(tmp_path, monkeypatch)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(seconds=60, memory_mb=400) as made:
        yield made


def refusal(sandbox: Sandbox, program: str) -> ParseError | LimitExceeded:
    with pytest.raises((ParseError, LimitExceeded)) as refused:
        sandbox.parse(f"import os, signal, sys, time\n{program}".encode(), "document.txt")
    return refused.value


def test_a_document_that_hangs_is_said_to_have_reached_the_last_place_however_fast_it_went_there() -> None:
    program = "for n in range(100_000): reached(f'row {n} of 100000')\ntime.sleep(60)"
    with Sandbox(seconds=3, memory_mb=2048) as sandbox:
        error = refusal(sandbox, program)
    assert isinstance(error, LimitExceeded)
    assert error.message == "parsing took longer than 3 s; it had reached row 99999 of 100000"


def test_a_crash_says_where(sandbox: Sandbox) -> None:
    error = refusal(sandbox, "reached('page 3 of 9')\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert isinstance(error, ParseError)
    assert "(SIGSEGV); it had reached page 3 of 9" in error.message


@pytest.mark.parametrize("wrong", ["raise ValueError('no such font')", "raise BaseException('no such font')"])
def test_a_parser_that_fails_says_where_and_how(sandbox: Sandbox, wrong: str) -> None:
    error = refusal(sandbox, f"reached('page 2 of 3')\n{wrong}")
    assert isinstance(error, ParseError)
    assert " at page 2 of 3: " in error.message
    assert error.message.endswith(": no such font")


def test_memory_that_runs_out_says_where(sandbox: Sandbox) -> None:
    taken = "reached('sheet 2 of 5')\nkept = bytearray({megabytes} << 20)\nkept[:] = b'x' * len(kept)\ntime.sleep(60)"
    for megabytes in (900, 5000):  # more than it may hold; more than it may ask for
        error = refusal(sandbox, taken.format(megabytes=megabytes))
        assert isinstance(error, LimitExceeded)
        assert "400 MB" in error.message
        assert "sheet 2 of 5" in error.message


def test_the_memory_of_what_a_parser_starts_counts(sandbox: Sandbox) -> None:
    program = (
        "import subprocess\n"
        "subprocess.run([sys.executable, '-c', 'import time; kept = bytes(range(256)) * (2 << 20); time.sleep(60)'])"
    )
    error = refusal(sandbox, program)
    assert isinstance(error, LimitExceeded)
    assert error.message == "parsing needs more than 400 MB of memory"


def test_the_place_of_one_document_is_not_said_of_the_next(sandbox: Sandbox) -> None:
    sandbox.parse(b"reached('page 7 of 7')", "one.txt")
    assert "page 7" not in refusal(sandbox, "raise ValueError").message
    assert "page 7" not in refusal(sandbox, "os.kill(os.getpid(), signal.SIGSEGV)").message


def spend(*asked: float, pages: int) -> float:
    """The seconds that a document gets that has half a second, asks for others, and never ends."""
    requests = "".join(f"reached('page', seconds={seconds})\n" for seconds in asked)
    settings = Settings(pages=pages, ocr_seconds=0.75)
    with Sandbox(seconds=0.5, memory_mb=2048, settings=settings) as sandbox:
        sandbox.parse(b"say('warm')", "warm.txt")
        started = time.monotonic()
        error = refusal(sandbox, f"{requests}while True: pass")
        took = time.monotonic() - started
    assert isinstance(error, LimitExceeded)
    said = float(error.message.split()[4])
    assert said <= took < said + 1.5
    return said


def test_a_page_that_asks_for_more_time_gets_it_up_to_what_the_settings_allow() -> None:
    assert spend(pages=10) == 0.5
    assert spend(0.25, pages=10) == 0.75
    assert spend(0.25, 0.5, pages=10) == 1.25
    assert spend(1000, pages=10) == 1.25
    assert spend(1000, 1000, 1000, pages=2) == 2


def test_a_document_that_needs_the_time_that_it_asked_for_comes_out() -> None:
    with Sandbox(seconds=1, memory_mb=2048, settings=Settings(ocr_seconds=3)) as sandbox:
        slow = b"import time\nreached('page 1 of 1', seconds=3)\ntime.sleep(1.5)\nsay('read')"
        assert sandbox.parse(slow, "scan.txt").text == "read"
        with pytest.raises(LimitExceeded, match="longer than 1 s"):
            sandbox.parse(b"import time\ntime.sleep(1.5)", "slow.txt")


@pytest.mark.parametrize(
    "written",
    [
        "os.ftruncate(board, 0)",
        "os.pwrite(board, bytes([255]) * 5000, 0)",
        "import struct; os.pwrite(board, struct.pack('>dH', float('inf'), 65535) + bytes(300), 0)",
        "import struct; os.pwrite(board, struct.pack('>dH', float('nan'), 5) + b'page\\n', 0)",
        "os.close(board)",
    ],
)
def test_whatever_a_parser_does_to_the_board_the_limit_holds(written: str) -> None:
    settings = Settings(pages=1, ocr_seconds=0.5)
    with Sandbox(seconds=1, memory_mb=2048, settings=settings) as sandbox:
        started = time.monotonic()
        error = refusal(sandbox, f"board = int(sys.argv[2])\n{written}\ntime.sleep(60)")
        assert time.monotonic() - started < 10
        assert isinstance(error, LimitExceeded)
        assert error.message.isprintable()
        assert sandbox.parse(b"say('next')", "next.txt").text == "next"


@hypothesis_settings(deadline=None)
@given(st.binary(max_size=1200))
def test_any_bytes_on_a_board_are_read_as_a_place_and_a_time(written: bytes) -> None:
    board = progress.new_board()
    try:
        os.pwrite(board, written, 0)
        place, asked = progress.read(board)
    finally:
        os.close(board)
    assert len(place) <= 200
    assert place.isprintable()
    assert 0 <= asked < float("inf")


@hypothesis_settings(deadline=None)
@given(st.text(st.characters(exclude_categories=("C", "Z"))), st.floats(0, 1e9))
def test_a_board_says_what_was_written_last(place: str, asked: float) -> None:
    board = progress.new_board()
    try:
        progress.write(board, "a longer place that was written before" * 3, 7)
        progress.write(board, place, asked)
        assert progress.read(board) == (place[:200], asked)
    finally:
        os.close(board)
