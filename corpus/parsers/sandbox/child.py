"""One child process of the sandbox, and how to talk to it, stop it and bury it.

A message is its length (8 bytes, big-endian) and JSON; a request is followed by the document, whose length it names.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

from corpus.errors import ConfigError, TransientError
from corpus.parsers import progress

log = logging.getLogger(__name__)

LENGTH = struct.Struct(">Q")
START_SECONDS = 60.0  #: that a child may need until it is ready for its first document
LOOK_SECONDS = 0.1  #: between two looks at a child at work: at its memory, and whether it is wanted any longer
KEPT_NOISE = 2000  #: bytes of standard error that are kept to explain a death

#: of the environment; everything else (database addresses, keys) is not the parsers' to know
_INHERITED = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONPATH",
    "TESSDATA_PREFIX",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
)
_ENVIRONMENT = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "MALLOC_ARENA_MAX": "2",  # an arena reserves 64 MB of address space for each thread
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONIOENCODING": "utf-8",
    "SCARF_NO_ANALYTICS": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_OFFLINE": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}


def answer_limit(size: int) -> int:
    """The most bytes that the answer to a document of `size` bytes may have."""
    return 20 * size + 64 * 2**20


class ChildDied(Exception):
    """The child is dead and reaped."""

    def __init__(self, reason: str, status: int, peak_mb: int, noise: str, place: str, seconds: float) -> None:
        super().__init__(f"{reason}, status {status}")
        self.reason = reason  #: time, memory, size, stop (killed from here) or signal (died by itself)
        self.status = status
        self.signal = signal.Signals(-status) if status < 0 else None
        self.peak_mb = peak_mb  #: resident memory, not address space
        self.noise = noise
        self.place = place  #: that it had reached, such as `page 12 of 400`; empty: none
        self.seconds = seconds  #: that it was allowed


class Child:
    """One process with its channel. After `ChildDied` it is of no further use.

    Belongs to the thread that made it: the kernel kills the process when that thread ends. When `stop` is set, whoever
    waits for it gets a `ChildDied` soon.
    """

    def __init__(self, memory_mb: int, stop: Event) -> None:
        self._owner = os.getpid()
        self._memory_mb = memory_mb
        self._stop = stop
        self._noise = bytearray()
        self._peak_mb = 0  #: the most that was seen; what the kernel reports begins with the size of its parent
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | _ENVIRONMENT
        try:
            self._board = progress.new_board()
        except OSError as error:
            raise TransientError(f"no temporary file can be made: {error}", stage="parse") from error
        self._channel, theirs = socket.socketpair()
        passed = (theirs.fileno(), self._board)
        arguments = [*map(str, passed), str(os.getpid()), str(memory_mb)]
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    [sys.executable, "-P", "-m", "corpus.parsers.sandbox.worker", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=passed,
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            self._channel.close()
            os.close(self._board)
            raise TransientError(f"the parser's process cannot be started: {error}", stage="parse") from error
        assert self._process.stderr is not None
        self._stderr = self._process.stderr
        self._channel.setblocking(False)
        os.set_blocking(self._stderr.fileno(), False)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        try:
            said = self._exchange([], START_SECONDS, limit=1000)
        except ChildDied as death:
            raise TransientError(
                f"the parser's process did not start ({death}): {death.noise}",
                hint="limits.memory_mb may be too small for it",
                stage="parse",
            ) from death
        if not said.get("ready"):
            self.end()
            raise ConfigError(
                f"the kernel does not deny the parser's process the network ({said.get('because')})",
                hint="run Kerf where a process can set seccomp filters: Linux on x86_64 or aarch64; a container's own "
                "profile must allow the system call seccomp",
                stage="parse",
            )
        if said.get("network"):
            _warn_of_network()

    def is_usable(self) -> bool:
        """Whether it lives and belongs to this process, not to the one that this process was forked from."""
        return self._owner == os.getpid() and self._process.poll() is None

    def ask(
        self, request: dict[str, Any], data: bytes, seconds: float, *, more: float = 0, limit: int | None = None
    ) -> dict[str, Any]:
        """Send a request with its document, wait for the answer; `limit` is its greatest length in bytes.

        The child has `seconds` of wall clock, and up to `more` if it asks for them on its board.
        """
        head = json.dumps(request).encode()
        parts = [LENGTH.pack(len(head)) + head, data]
        progress.write(self._board, "", 0)
        self._peak_mb = 0
        return self._exchange(parts, seconds, more=more, limit=answer_limit(len(data)) if limit is None else limit)

    def end(self) -> None:
        """Kill it with all that it has started, and reap it; a process forked from the owner only lets go of it."""
        if self._owner == os.getpid():
            self._reap()
        self._release()

    def _exchange(self, parts: list[bytes], seconds: float, *, more: float = 0, limit: int) -> dict[str, Any]:
        """Write and read as either end is ready: an answer may begin before the document has been taken in."""
        started, granted = time.monotonic(), 0.0
        pending = [memoryview(part) for part in parts if part]
        answer, wanted = bytearray(), LENGTH.size
        with selectors.DefaultSelector() as ready:
            ready.register(self._channel, selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0))
            ready.register(self._stderr, selectors.EVENT_READ)
            while True:
                left = started + seconds + granted - time.monotonic()
                if left <= 0:
                    asked = min(progress.read(self._board)[1], more)
                    if asked <= granted:
                        raise self._death("time", seconds + granted)
                    granted = asked
                    continue
                if self._stop.is_set():
                    raise self._death("stop")
                held = self._resident_mb()
                self._peak_mb = max(self._peak_mb, held)
                if held > self._memory_mb:
                    raise self._death("memory")
                for key, events in ready.select(min(left, LOOK_SECONDS)):
                    if key.fileobj is self._stderr:
                        if not self._hear():
                            ready.unregister(self._stderr)
                        continue
                    if events & selectors.EVENT_WRITE and not self._send(pending):
                        ready.modify(self._channel, selectors.EVENT_READ)
                    if events & selectors.EVENT_READ:
                        self._receive(answer, wanted)
                if wanted == LENGTH.size and len(answer) == wanted:
                    wanted += LENGTH.unpack(answer)[0]
                    if wanted > limit:
                        raise self._death("size")
                if len(answer) == wanted > LENGTH.size:
                    return self._decoded(memoryview(answer)[LENGTH.size :])

    def _resident_mb(self) -> int:
        """Memory that it and what it has started hold; the limit on address space is wider, see `limits`."""
        pages, processes = 0, [self._process.pid]
        while processes:
            process = Path(f"/proc/{processes.pop()}")
            with suppress(OSError, IndexError):  # it has ended, or this is not Linux
                pages += int(process.joinpath("statm").read_text(encoding="ascii").split()[1])
                for thread in process.joinpath("task").iterdir():
                    processes += map(int, thread.joinpath("children").read_text(encoding="ascii").split())
        return pages * resource.getpagesize() // 2**20

    def _send(self, pending: list[memoryview]) -> bool:
        with suppress(BlockingIOError):
            while pending:
                try:
                    sent = self._channel.send(pending[0])
                except (BrokenPipeError, ConnectionResetError):
                    pending.clear()  # what it still says, and then the end of the channel, tell why
                    return False
                pending[0] = pending[0][sent:]
                if not pending[0]:
                    del pending[0]
        return bool(pending)

    def _receive(self, answer: bytearray, wanted: int) -> None:
        try:
            data = self._channel.recv(min(wanted - len(answer), 2**20))
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            raise self._death("signal")
        answer += data

    def _hear(self) -> bool:
        data = self._stderr.read(2**16)
        if data:
            self._noise = (self._noise + data)[-KEPT_NOISE:]
        return data != b""

    def _decoded(self, answer: memoryview) -> dict[str, Any]:
        try:
            decoded = json.loads(bytes(answer))
        except (ValueError, RecursionError):
            decoded = None
        if not isinstance(decoded, dict):
            return {"document": None, "tired": True}
        return decoded

    def _death(self, reason: str, seconds: float = 0) -> ChildDied:
        status = self._reap(kill=reason != "signal")
        self._hear()
        place, _ = progress.read(self._board)
        self._release()
        noise = " ".join(self._noise.decode("utf-8", "replace").split())[-300:]
        return ChildDied(reason, status, self._peak_mb, noise, place, seconds)

    def _reap(self, *, kill: bool = True) -> int:
        """Bury it and what it has started; its exit status."""
        if self._process.returncode is None:
            # The channel closes a moment before the process has gone, unless the child is up to something.
            if kill or not self._wait(2):
                self._kill()
                self._wait(None)
            else:
                self._kill()  # what it may have started
        return self._process.returncode or 0

    def _wait(self, seconds: float | None) -> bool:
        """Whether it is gone within `seconds`; None waits for ever."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _release(self) -> None:
        self._channel.close()
        self._stderr.close()
        os.close(self._board)


@cache
def _warn_of_network() -> None:
    """Once for each process that parses."""
    log.warning(
        "parsers are not denied the network on %s: this system is for development, not for documents of strangers",
        sys.platform,
    )
