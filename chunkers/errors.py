"""What can go wrong, from the point of view of the person who reads the message.

The tree (the pipeline adds its own leaves in `corpus.errors`)::

    KerfError
    ├── TransientError      trying again may help: network, database
    └── TerminalError       trying again changes nothing
        ├── ConfigError     a wrong setting, with the path of its key
        └── CutError        a chunker broke one of its promises: a bug in Kerf, worth a report
"""

from __future__ import annotations


class KerfError(Exception):
    """Base of everything that Kerf raises on purpose.

    `message` says what is wrong, `hint` what to do about it; `uri` and `stage` say where, as far as they are known.
    """

    def __init__(self, message: str, *, hint: str = "", uri: str = "", stage: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.uri = uri
        self.stage = stage

    def __str__(self) -> str:
        where = " ".join(part for part in (self.stage, self.uri) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class TransientError(KerfError):
    """The same call may succeed later."""


class TerminalError(KerfError):
    """The same call on the same input will fail again."""


class ConfigError(TerminalError):
    """A setting is wrong."""


class CutError(TerminalError):
    """A cut breaks an invariant; it is refused rather than published."""
