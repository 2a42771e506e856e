"""OCR with the program `tesseract`: which languages it has here, and what it reads off a picture.

The program and its language data are packages of the operating system, and optional: without them scans are errors.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from functools import cache

PROGRAM = "tesseract"

_ORIENTATION = "osd"  #: the data that tells how a page is turned
_WITH_ORIENTATION, _WITHOUT = "1", "3"  #: tesseract's page segmentation modes, both for a whole page
_DPI = "300"  #: what it takes letters of a usual size for; that of the page may be a slip of the scanner's
_QUESTION_SECONDS = 30.0
_FOR_EVER = 1e6  #: seconds; the kernel waits no longer than 24 days
_PR_SET_PDEATHSIG = 1


class Unread(Exception):
    """Tesseract gave no answer; the message says why."""


class TooSlow(Unread):
    """The time for the page ran out."""


@cache
def available() -> frozenset[str]:
    """The languages that can be read on this machine, as tesseract names them; none if it is not installed."""
    return frozenset(line.strip() for line in _asked("--list-langs").splitlines()[1:] if line.strip())


@cache
def state() -> str:
    """What of OCR is installed here: another state may read what could not be read."""
    version = _asked("--version").partition("\n")[0].strip()
    return f"{version}: {' '.join(sorted(available()))}" if version else "none"


def lacking(languages: Iterable[str]) -> tuple[str, str] | None:
    """Why nothing can be read in `languages`, and what to do about it; None if all is there."""
    wanted = list(languages)
    if not wanted:
        return "OCR is off", "name the languages of its scans in parsing.ocr_languages"
    missing = [language for language in wanted if language not in available()]
    if not available():
        return "tesseract is not installed", f"install it (Debian, Ubuntu: apt-get install {_packages(wanted)})"
    if missing:
        said = f"tesseract has no data for {', '.join(missing)}"
        install = f"install it (Debian, Ubuntu: apt-get install {_packages(missing)})"
        return said, f"{install}, take it out of parsing.ocr_languages"
    return None


def recognised(picture: bytes, languages: Sequence[str], *, deadline: float) -> bytes:
    """What tesseract reads on a picture (any format that it knows), as hOCR.

    Raises `TooSlow` at `deadline`, by the monotonic clock; `Unread` if it fails.
    """
    mode = _WITH_ORIENTATION if _ORIENTATION in available() else _WITHOUT
    options = ["-l", "+".join(languages), "--dpi", _DPI, "--psm", mode, "-c", "tessedit_create_hocr=1"]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; the languages are checked against those installed
            [PROGRAM, "stdin", "stdout", *options],
            input=picture,
            capture_output=True,
            timeout=min(max(0.0, deadline - time.monotonic()), _FOR_EVER),
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            preexec_fn=_die_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        raise TooSlow("OCR took too long") from error
    except OSError as error:
        raise Unread(f"tesseract cannot be started: {error}") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
        raise Unread(f"tesseract failed (exit status {done.returncode}): {said}")
    return done.stdout


_libc = ctypes.CDLL(None)


def _die_with_parent() -> None:
    """The sandbox kills its process group; this is for a sandbox that is itself killed."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _asked(option: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a constant option
            [PROGRAM, option], capture_output=True, timeout=_QUESTION_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _packages(languages: Iterable[str]) -> str:
    return " ".join(["tesseract-ocr", *(f"tesseract-ocr-{name.lower().replace('_', '-')}" for name in languages)])
