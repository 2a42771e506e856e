"""The process that parsers run in: hostile bytes may cost it its life, and the pipeline nothing but the document.

One warm child parses one document after the other. It is started with `subprocess`, because the pipeline itself may be
a daemonic or forked process, and it answers in JSON, because what has read hostile bytes cannot be trusted with pickle.

A message is its length (8 bytes, big-endian) and JSON; a request is followed by the document, whose length it names.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from chunkers.document import Document
from corpus import errors
from corpus.errors import KerfError, LimitExceeded, ParseError, TransientError

LENGTH = struct.Struct(">Q")
START_SECONDS = 60.0  #: that a child may need until it is ready for its first document
KEPT_NOISE = 2000  #: bytes of standard error that are kept to explain a death

#: of the environment; everything else (database addresses, keys) is not the parsers' to know
_INHERITED = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TMPDIR", "TZ", "VIRTUAL_ENV")
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

_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_OUT_OF_MEMORY = (signal.SIGABRT, signal.SIGILL, signal.SIGTRAP)


def answer_limit(size: int) -> int:
    """The most bytes that the answer to a document of `size` bytes may have."""
    return 20 * size + 64 * 2**20


class Sandbox:
    """Parses documents in a child process, each within `seconds` of wall clock and `memory_mb` of address space.

    Belongs to the thread that made it: the kernel kills the child when that thread ends.
    """

    def __init__(self, *, seconds: float, memory_mb: int, pages: int) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._pages = pages
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def parse(self, data: bytes, uri: str) -> Document:
        """Parse the bytes of the document `uri`.

        Raises what the parser raises (`ParseError`, `PartialParse`, `UnsupportedFormat`, `LimitExceeded`), with `uri`
        and the stage; `LimitExceeded` too when time or memory ran out; `TransientError` when no child can be started.
        """
        try:
            answer = self._ask(data, uri)
        except _ChildDied as death:
            raise self._explain(death, uri) from death
        if answer.get("tired"):
            self.close()
        if "error" in answer:
            raise _as_raised(answer["error"], uri)
        try:
            return Document.from_dict(answer["document"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.close()
            raise ParseError(
                "the parser's process gave an answer that is no document", uri=uri, stage="parse"
            ) from error

    def close(self) -> None:
        """End the child. A later `parse` starts another one."""
        if self._child:
            self._child.end()
            self._child = None

    def _ask(self, data: bytes, uri: str) -> dict[str, Any]:
        request = {"uri": uri, "pages": self._pages, "seconds": self._seconds, "size": len(data)}
        for last_try in (False, True):
            if self._child and not self._child.is_usable():
                self.close()
            self._child = self._child or _Child(self._memory_mb)
            try:
                return self._child.ask(request, data, self._seconds)
            except _ChildDied as death:
                self._child = None
                # A kill that nobody here ordered says nothing about the document: an operator, or the kernel short
                # of memory. The second one in a row does.
                if last_try or death.reason != "signal" or death.signal not in _OUTSIDE:
                    raise
            except BaseException:  # an interrupt (an Airflow timeout, Ctrl-C) leaves an answer that nobody awaits
                self.close()
                raise
        raise AssertionError("unreachable")

    def _explain(self, death: _ChildDied, uri: str) -> KerfError:
        said = f"; it said: {death.noise}" if death.noise else ""
        if death.reason == "time" or death.signal == signal.SIGXCPU:
            return LimitExceeded(
                f"parsing took longer than {self._seconds:g} s",
                hint="raise limits.seconds in corpora.yaml, or exclude the document",
                uri=uri,
                stage="parse",
            )
        if death.reason == "size":
            return _too_long(uri)
        name = death.signal.name if death.signal else f"exit status {death.status}"
        memory_hint = "raise limits.memory_mb in corpora.yaml, or exclude the document"
        if death.signal in _OUT_OF_MEMORY or death.peak_mb > 0.8 * self._memory_mb:
            return LimitExceeded(
                f"the parser gave up ({name}), as it does when it needs more than {self._memory_mb} MB of memory; "
                f"{death.peak_mb} MB were in use{said}",
                hint=memory_hint,
                uri=uri,
                stage="parse",
            )
        if death.signal == signal.SIGKILL:
            return LimitExceeded(
                "the parser's process was killed from outside, twice (SIGKILL): the machine may be short of memory",
                hint="lower limits.memory_mb or the slots of the pool, or exclude the document",
                uri=uri,
                stage="parse",
            )
        return ParseError(
            f"the parser's process died ({name}){said}",
            hint="the document may be damaged; repair it or exclude it",
            uri=uri,
            stage="parse",
        )


def _too_long(uri: str) -> LimitExceeded:
    return LimitExceeded(
        "the parsed form is far larger than the document: more than 20 times its size and 64 MB",
        hint="exclude the document if it is not meant to be read",
        uri=uri,
        stage="parse",
    )


def _as_raised(error: dict[str, str], uri: str) -> KerfError:
    kind = getattr(errors, error["kind"], None) if error["kind"] in errors.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, KerfError)) or kind is errors.MassDeletion:
        kind = ParseError
    return kind(error["message"], hint=error["hint"], uri=uri, stage="parse")


class _ChildDied(Exception):
    """The child is dead and reaped."""

    def __init__(self, reason: str, status: int, peak_mb: int, noise: str) -> None:
        super().__init__(f"{reason}, status {status}")
        self.reason = reason  #: time, size (both: killed from here) or signal (died by itself)
        self.status = status
        self.signal = signal.Signals(-status) if status < 0 else None
        self.peak_mb = peak_mb  #: resident memory, not address space
        self.noise = noise


class _Child:
    """One process with its channel. After `_ChildDied` it is of no further use."""

    def __init__(self, memory_mb: int) -> None:
        self._owner = os.getpid()
        self._noise = bytearray()
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | _ENVIRONMENT
        self._channel, theirs = socket.socketpair()
        arguments = [str(theirs.fileno()), str(os.getpid()), str(memory_mb)]
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    [sys.executable, "-P", "-m", "corpus.parsers.worker", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=[theirs.fileno()],
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            self._channel.close()
            raise TransientError(f"the parser's process cannot be started: {error}", stage="parse") from error
        assert self._process.stderr is not None
        self._stderr = self._process.stderr
        self._channel.setblocking(False)
        os.set_blocking(self._stderr.fileno(), False)
        try:
            self._exchange([], START_SECONDS, limit=1000)
        except _ChildDied as death:
            raise TransientError(
                f"the parser's process did not start ({death}): {death.noise}",
                hint="limits.memory_mb may be too small for it",
                stage="parse",
            ) from death

    def is_usable(self) -> bool:
        """Whether it lives and belongs to this process, not to the one that this process was forked from."""
        return self._owner == os.getpid() and self._process.poll() is None

    def ask(self, request: dict[str, Any], data: bytes, seconds: float) -> dict[str, Any]:
        """Send a request with its document, wait for the answer."""
        head = json.dumps(request).encode()
        return self._exchange([LENGTH.pack(len(head)) + head, data], seconds, limit=answer_limit(len(data)))

    def end(self) -> None:
        """Kill it with all that it has started, and reap it; a process forked from the owner only lets go of it."""
        if self._owner == os.getpid():
            self._reap()
        self._release()

    def _exchange(self, parts: list[bytes], seconds: float, limit: int) -> dict[str, Any]:
        """Write and read as either end is ready: an answer may begin before the document has been taken in."""
        deadline = time.monotonic() + seconds
        pending = [memoryview(part) for part in parts if part]
        answer, wanted = bytearray(), LENGTH.size
        with selectors.DefaultSelector() as ready:
            ready.register(self._channel, selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0))
            ready.register(self._stderr, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._death("time")
                for key, events in ready.select(left):
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

    def _death(self, reason: str) -> _ChildDied:
        status, peak_mb = self._reap(kill=reason != "signal")
        self._hear()
        self._release()
        noise = " ".join(self._noise.decode("utf-8", "replace").split())[-300:]
        return _ChildDied(reason, status, peak_mb, noise)

    def _reap(self, *, kill: bool = True) -> tuple[int, int]:
        """Exit status and peak of resident memory in MB."""
        if self._process.returncode is not None:
            return self._process.returncode, 0
        if not kill:  # the channel closes a moment before the process has gone, unless the child is up to something
            peak = self._wait(os.WNOHANG, time.monotonic() + 2)
            if peak is not None:
                self._kill()  # what it may have started
                return self._process.returncode or 0, peak
        self._kill()
        peak = self._wait(0, 0)
        return self._process.returncode or 0, peak or 0

    def _wait(self, options: int, until: float) -> int | None:
        while True:
            try:
                pid, status, usage = os.wait4(self._process.pid, options)
            except ChildProcessError:  # reaped by somebody who waits for all children
                self._process.returncode = 0
                return 0
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                return usage.ru_maxrss // 1024
            if time.monotonic() > until:
                return None
            time.sleep(0.005)

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _release(self) -> None:
        self._channel.close()
        self._stderr.close()
