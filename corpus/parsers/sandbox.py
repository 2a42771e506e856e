"""The process that parsers run in: hostile bytes may cost it its life, and the pipeline nothing but the document.

One warm child parses one document after the other. It is started with `subprocess`, because the pipeline itself may be
a daemonic or forked process, and it answers in JSON, because what has read hostile bytes cannot be trusted with pickle.
"""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Any, Self

from chunkers.document import Document
from corpus import errors
from corpus.errors import KerfError, LimitExceeded, ParseError
from corpus.parsers.sandbox_child import Child, ChildDied

_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_OUT_OF_MEMORY = (signal.SIGABRT, signal.SIGILL, signal.SIGTRAP)


class Sandbox:
    """Parses documents in a child process, each within `seconds` of wall clock and about `memory_mb` of memory.

    Belongs to the thread that made it: the kernel kills the child when that thread ends.
    """

    def __init__(self, *, seconds: float, memory_mb: int, pages: int) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._pages = pages
        self._child: Child | None = None

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
        except ChildDied as death:
            raise self._explain(death, uri) from death
        if answer.get("tired"):
            self.close()
        try:
            if "error" not in answer:
                return Document.from_dict(answer["document"])
            refused = _as_raised(answer["error"], uri)
        except (KeyError, TypeError, ValueError, AttributeError) as error:  # the child is not to be trusted
            self.close()
            raise ParseError(
                "the parser's process gave an answer that is no document", uri=uri, stage="parse"
            ) from error
        raise refused

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
            self._child = self._child or Child(self._memory_mb)
            try:
                return self._child.ask(request, data, self._seconds)
            except ChildDied as death:
                self._child = None
                # A kill that nobody here ordered says nothing about the document: an operator, or the kernel short
                # of memory. The second one in a row does.
                if last_try or death.reason != "signal" or death.signal not in _OUTSIDE:
                    raise
            except BaseException:  # an interrupt (an Airflow timeout, Ctrl-C) leaves an answer that nobody awaits
                self.close()
                raise
        raise AssertionError("unreachable")

    def _explain(self, death: ChildDied, uri: str) -> KerfError:
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
        memory_hint = "raise limits.memory_mb in corpora.yaml, or exclude the document"
        if death.reason == "memory":
            return LimitExceeded(
                f"parsing needs more than {self._memory_mb} MB of memory", hint=memory_hint, uri=uri, stage="parse"
            )
        name = death.signal.name if death.signal else f"exit status {death.status}"
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
