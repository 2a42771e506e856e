"""Keeps one parser process going, gives it one document after the other, and says what a death means."""

from __future__ import annotations

import signal
from dataclasses import asdict
from threading import Event
from typing import Any

from chunkers.document import Document
from corpus import errors
from corpus.errors import KerfError, LimitExceeded, ParseError, TransientError
from corpus.parsers import Settings
from corpus.parsers.sandbox.child import Child, ChildDied

_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_OUT_OF_MEMORY = (signal.SIGABRT, signal.SIGILL, signal.SIGTRAP)

_TIME_HINT = "raise limits.seconds in corpora.yaml, or exclude the document"
_MEMORY_HINT = "raise limits.memory_mb in corpora.yaml, or exclude the document"
_SIZE_HINT = "exclude the document if it is not meant to be read; the limit is 20 times its size and 64 MB"
_KILLED_HINT = (
    "the machine may be short of memory: lower limits.memory_mb or the slots of the pool, or exclude the document"
)
_DAMAGED_HINT = "the document may be damaged; repair it or exclude it"


class Keeper:
    """One child at a time, started when it is needed. Belongs to one thread, but for `close`."""

    def __init__(self, *, seconds: float, memory_mb: int, settings: Settings, stop: Event) -> None:
        self._seconds = seconds
        self._more = settings.pages * settings.ocr_seconds
        self._memory_mb = memory_mb
        self._settings = asdict(settings)
        self._stop = stop
        self.child: Child | None = None

    def parse(self, data: bytes, uri: str) -> Document:
        """See `corpus.parsers.sandbox.Sandbox.parse`."""
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
        """End the child. The next document gets another one."""
        if self.child:
            self.child.end()
            self.child = None

    def _ask(self, data: bytes, uri: str) -> dict[str, Any]:
        request = {"uri": uri, "settings": self._settings, "seconds": self._seconds, "size": len(data)}
        for last_try in (False, True):
            if self.child and not self.child.is_usable():
                self.close()
            self.child = self.child or Child(self._memory_mb, self._stop)
            try:
                return self.child.ask(request, data, self._seconds, more=self._more)
            except ChildDied as death:
                self.child = None
                # A kill that nobody here ordered says nothing about the document: an operator, or the kernel short
                # of memory. The second one in a row does.
                if last_try or death.reason != "signal" or death.signal not in _OUTSIDE:
                    raise
        raise AssertionError("unreachable")

    def _explain(self, death: ChildDied, uri: str) -> KerfError:
        kind, message, hint = self._meaning(death)
        return kind(message, hint=hint, uri=uri, stage="parse")

    def _meaning(self, death: ChildDied) -> tuple[type[KerfError], str, str]:
        """Class, message and hint of the error that a death is for the document."""
        said = f"; it said: {death.noise}" if death.noise else ""
        reached = f"; it had reached {death.place}" if death.place else ""
        memory = f"{self._memory_mb} MB of memory"
        if death.reason == "stop":
            return TransientError, "the parser's process was stopped", "start the run again"
        if death.reason == "time":
            return LimitExceeded, f"parsing took longer than {death.seconds:g} s{reached}", _TIME_HINT
        if death.signal == signal.SIGXCPU:
            return LimitExceeded, f"parsing took more of the processors than {self._seconds:g} s{reached}", _TIME_HINT
        if death.reason == "size":
            return LimitExceeded, f"the parsed form is far larger than the document{reached}", _SIZE_HINT
        if death.reason == "memory":
            return LimitExceeded, f"parsing needs more than {memory}{reached}", _MEMORY_HINT
        name = death.signal.name if death.signal else f"exit status {death.status}"
        if death.signal in _OUT_OF_MEMORY or death.peak_mb > 0.8 * self._memory_mb:
            message = f"the parser gave up ({name}), as it does when it needs more than {memory}"
            return LimitExceeded, f"{message}; {death.peak_mb} MB were in use{reached}{said}", _MEMORY_HINT
        if death.signal == signal.SIGKILL:
            return LimitExceeded, f"the parser's process was killed from outside, twice{reached}", _KILLED_HINT
        return ParseError, f"the parser's process died ({name}){reached}{said}", _DAMAGED_HINT


def _as_raised(error: dict[str, str], uri: str) -> KerfError:
    kind = getattr(errors, error["kind"], None) if error["kind"] in errors.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, KerfError)) or kind is errors.MassDeletion:
        kind = ParseError
    return kind(error["message"], hint=error["hint"], uri=uri, stage="parse")
