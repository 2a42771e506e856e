"""Several parser processes at a time: they help each other's documents along, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path

import pytest
from obedient import obey

from corpus.errors import KerfError, LimitExceeded, ParseError, TransientError
from corpus.parsers.sandbox.pool import Sandbox

INTERVAL = b"import time\nstarted = time.monotonic()\ntime.sleep(1)\nsay(started)\nsay(time.monotonic())"
SLEEP = b"import time\ntime.sleep(60)"
CRASH = b"import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"


@pytest.fixture(autouse=True)
def obedient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    obey(tmp_path, monkeypatch)


def descendants(of: int) -> set[int]:
    """The processes that a process has started, and those that they have, dead ones that nobody buried included."""
    found: set[int] = set()
    for task in Path(f"/proc/{of}/task").iterdir():
        for pid in map(int, task.joinpath("children").read_text().split()):
            found |= {pid} | descendants(pid)
    return found


@contextmanager
def nobody_left_behind() -> Iterator[None]:
    before, threads = descendants(os.getpid()), threading.active_count()
    yield
    assert descendants(os.getpid()) <= before
    assert threading.active_count() == threads


def test_two_processes_parse_at_the_same_time_and_one_does_not() -> None:
    for processes in (1, 2):
        with nobody_left_behind(), Sandbox(seconds=60, memory_mb=2048, processes=processes) as sandbox:
            intervals = [sandbox.submit(INTERVAL, f"{name}.txt") for name in "ab"]
            (a_start, a_end), (b_start, b_end) = [map(float, i.result().text.split()) for i in intervals]
        assert (a_start < b_end and b_start < a_end) is (processes == 2)


def test_more_documents_than_processes_all_come_out_each_with_its_own() -> None:
    with nobody_left_behind(), Sandbox(seconds=60, memory_mb=2048, processes=3) as sandbox:
        futures = [sandbox.submit(f"say('document {number}')".encode(), f"{number}.txt") for number in range(60)]
        assert [future.result().text for future in futures] == [f"document {number}" for number in range(60)]
        assert len(descendants(os.getpid())) >= 3


def test_no_process_is_started_before_it_is_needed() -> None:
    with nobody_left_behind(), Sandbox(seconds=60, memory_mb=2048, processes=8) as sandbox:
        before = descendants(os.getpid())
        for _ in range(5):
            sandbox.parse(b"say('one')", "one.txt")
        assert len(descendants(os.getpid()) - before) == 1


def test_a_hang_and_a_crash_cost_their_own_documents_only() -> None:
    expected = {"hang.txt": LimitExceeded, "crash.txt": ParseError}
    with nobody_left_behind(), Sandbox(seconds=2, memory_mb=2048, processes=2) as sandbox:
        futures = {}
        for number in range(40):
            futures[f"{number}.txt"] = sandbox.submit(f"say({number})".encode(), f"{number}.txt")
            if number == 10:
                futures["hang.txt"] = sandbox.submit(SLEEP, "hang.txt")
            if number == 20:
                futures["crash.txt"] = sandbox.submit(CRASH, "crash.txt")
        for uri, future in futures.items():
            if uri in expected:
                error = future.exception()
                assert type(error) is expected[uri]
                assert isinstance(error, KerfError)
                assert error.uri == uri
            else:
                assert future.result().text == uri.removesuffix(".txt")


def test_closing_stops_documents_that_are_being_parsed_and_those_that_wait() -> None:
    with nobody_left_behind():
        sandbox = Sandbox(seconds=60, memory_mb=2048, processes=2)
        futures = [sandbox.submit(SLEEP, f"{number}.txt") for number in range(6)]
        time.sleep(1)
        started = time.monotonic()
        sandbox.close()
        assert time.monotonic() - started < 5
        for future in futures:
            with pytest.raises((TransientError, CancelledError)):
                future.result(timeout=5)
        assert sandbox.parse(b"say('again')", "again.txt").text == "again"
        sandbox.close()


def test_closing_twice_or_before_the_first_document_is_nothing() -> None:
    sandbox = Sandbox(seconds=60, memory_mb=2048)
    sandbox.close()
    sandbox.parse(b"say('one')", "one.txt")
    sandbox.close()
    sandbox.close()


class Interrupted(BaseException):
    """As Airflow's timeout is."""


def test_an_interrupt_leaves_no_process_behind_and_the_next_document_comes_out() -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with nobody_left_behind():
            sandbox = Sandbox(seconds=60, memory_mb=2048)
            signal.setitimer(signal.ITIMER_REAL, 1)
            started = time.monotonic()
            with pytest.raises(Interrupted):
                sandbox.parse(SLEEP, "slow.txt")
            assert time.monotonic() - started < 10
            assert sandbox.parse(b"say('next')", "next.txt").text == "next"
            sandbox.close()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_child_outlives_the_thread_that_asked() -> None:
    with nobody_left_behind(), Sandbox(seconds=60, memory_mb=2048) as sandbox:
        said: list[str] = []
        ask = b"import os\nsay(os.getpid())"
        for _ in range(2):
            thread = threading.Thread(target=lambda: said.append(sandbox.parse(ask, "who.txt").text))
            thread.start()
            thread.join()
        said.append(sandbox.parse(ask, "who.txt").text)
    assert len(set(said)) == 1


def test_what_a_parser_started_goes_with_it() -> None:
    """Also what it forked into the background and forgot."""
    fork = b"import subprocess\nsay(subprocess.Popen(['sleep', '600']).pid)"
    with nobody_left_behind(), Sandbox(seconds=60, memory_mb=2048) as sandbox:
        forgotten = int(sandbox.parse(fork, "fork.txt").text)
    until = time.monotonic() + 5
    while Path(f"/proc/{forgotten}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    state = Path(f"/proc/{forgotten}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_an_owner_that_is_ended_takes_its_processes_with_it(sent: signal.Signals) -> None:
    program = (
        "import os, signal, sys, time\n"
        "from corpus.parsers.sandbox.pool import Sandbox\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in what a shell starts in the background
        "with Sandbox(seconds=60, memory_mb=2048, processes=2) as sandbox:\n"
        "    ask = b'import os; say(os.getpid()); import time; time.sleep(0.5)'\n"
        "    who = [sandbox.submit(ask, f'{name}.txt') for name in 'ab']\n"
        "    print(*(future.result().text for future in who), flush=True)\n"
        "    sandbox.submit(b'import time; time.sleep(60)', 'b.txt')\n"
        "    sandbox.parse(b'import time; time.sleep(60)', 'b.txt')\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert owner.stdout is not None
    children = [int(pid) for pid in owner.stdout.readline().split()]
    assert len(set(children)) == 2
    time.sleep(0.5)
    owner.send_signal(sent)
    owner.wait(timeout=10)
    owner.stdout.close()
    until = time.monotonic() + 5
    while any(Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children):
        assert time.monotonic() < until, "a parser's process outlived its owner"
        time.sleep(0.05)
