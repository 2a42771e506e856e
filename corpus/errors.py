"""The errors of the pipeline, on top of those in `chunkers.errors`.

::

    KerfError
    ├── TransientError        retried: network, database
    │   └── StoreUnavailable  the database did not answer
    └── TerminalError         not retried: quarantine the document, or fail the run fast
        ├── ConfigError       a wrong setting
        ├── CutError          a chunker broke a promise
        ├── SourceError       the listing failed: never to be taken for an empty corpus
        ├── Vanished          a listed document is gone: the next listing settles it
        ├── MassDeletion      more documents vanished than the corpus allows
        ├── NeedsApproval     a changed configuration would spend more than the corpus allows without a word
        ├── RunFailed         a run ended with failed batches or too many failed documents
        └── DocumentError     this document goes to quarantine
            ├── UnsupportedFormat  no parser for these bytes
            ├── ParseError         the bytes are damaged, encrypted or empty
            ├── PartialParse       something was read, and something was not
            └── LimitExceeded      time, memory, size or pages
"""

from __future__ import annotations

from chunkers.errors import ConfigError, CutError, KerfError, TerminalError, TransientError

__all__ = [
    "ConfigError",
    "CutError",
    "DocumentError",
    "KerfError",
    "LimitExceeded",
    "MassDeletion",
    "NeedsApproval",
    "ParseError",
    "PartialParse",
    "RunFailed",
    "SourceError",
    "StoreUnavailable",
    "TerminalError",
    "TransientError",
    "UnsupportedFormat",
    "Vanished",
]


class StoreUnavailable(TransientError):
    """The database did not answer, or gave up on this transaction."""


class SourceError(TerminalError):
    """The source could not be listed."""


class Vanished(TerminalError):
    """A document that was listed is no longer there: no fault of the document, and the next listing settles it."""


class MassDeletion(TerminalError):
    """More documents vanished than the corpus allows; `vanished` holds the addresses of the first of `count`."""

    def __init__(self, message: str, *, vanished: tuple[str, ...], count: int, hint: str = "", stage: str = "") -> None:
        super().__init__(message, hint=hint, stage=stage)
        self.vanished = vanished
        self.count = count


class NeedsApproval(TerminalError):
    """A changed configuration alone would embed more than the corpus allows without an operator's word."""


class RunFailed(TerminalError):
    """The run is over and something in it failed; what was ready has been published."""


class DocumentError(TerminalError):
    """This document cannot be processed as it is; its last good version stays searchable."""


class UnsupportedFormat(DocumentError):
    """No parser reads these bytes."""


class ParseError(DocumentError):
    """The bytes are damaged, encrypted or empty."""


class PartialParse(DocumentError):
    """Something was read, and something was not."""


class LimitExceeded(DocumentError):
    """A limit on time, memory, size or pages was reached."""
