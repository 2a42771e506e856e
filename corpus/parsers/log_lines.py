"""Logs: which lines begin a record, and where the records of a text lie."""

from __future__ import annotations

import re

_RECORDS = 20_000  #: above it records share a block: a million small objects help nobody, a log is cut between lines
_LINES = 200  #: of such a shared block, at most
_LOOK = 400  #: lines that tell whether a text is a log
_FIRST = 200  #: characters of a line that tell whether it begins a record

#: colours of a terminal, the container that docker names, the priority of syslog
_BEFORE = r"(?:\x1b\[[\d;]{0,20}m|<\d{1,3}>(?:1 )?|[\w.-]{1,60} {1,20}\| )?"
_TIMED = re.compile(
    _BEFORE + r"[\[<(\"']?(?:"
    r"\d{4}[-/.]\d\d[-/.]\d\d[T ,_]+\d\d:\d\d"
    r"|\d{1,2}[/.-](?:\d{1,2}|[A-Z][a-z]{2})[/.-]\d{2,4},?[ :T]\d{1,2}:\d\d"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} \d{1,2}, \d{4},? \d{1,2}:\d\d:\d\d"
    r"|(?:[A-Z][a-z]{2} ){2} ?\d{1,2} \d\d:\d\d"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{3}| [\[A-Z])"
    r"|\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
    r"|[IWEFD]\d{4} \d\d:\d\d:\d\d"
    r"|[DIWEFA], \[\d{4}-\d\d-\d\d"
    r"|\d{10}(?:\.\d+|\d{3})?(?=[\s\]:])"
    r"| {0,12}\d{1,9}\.\d{3,9}s?\]"
    r")"
)
#: Web servers write the client before the time.
_ACCESS = re.compile(r"\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d")
_LOGFMT = re.compile(r"(?:time|ts|timestamp|t|level|lvl|severity|at)=(?:\"[^\"\n]{0,100}\"|\S+)[ \t]+[\w.@/-]+=")
_LEVELLED = re.compile(
    _BEFORE + r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)(?:\]|[:|]| {1,8}\S| - )"
)
#: lines of a stack trace that are not indented
_TRACE = re.compile(
    r"Caused by:|Traceback \(|[\w.$]{1,200}(?:Exception|Error|Throwable)\b|goroutine \d|\.\.\. \d+ more"
)
_OBJECT = re.compile(r"\{[ \t]*\"")


def starts_record(line: str) -> bool:
    """Whether a log's line begins with a time, or is a record by its own form: `key=value`, or an object of JSON."""
    line = line[:_FIRST]
    return any(form.match(line) for form in (_TIMED, _ACCESS, _LOGFMT, _OBJECT))


def looks_like_log(head: str) -> bool:
    """Whether most lines begin with a time or a level, or belong to one that does."""
    lines = [line for line in head.split("\n")[:_LOOK] if line.strip()]
    if not lines or _OBJECT.match(lines[0]):
        return False
    flush = [line for line in lines if not line[0].isspace() and not _TRACE.match(line)]
    stamped = sum(1 for line in flush if starts_record(line))
    levelled = sum(1 for line in flush if _LEVELLED.match(line))
    if stamped >= 3 and (starts_record(flush[0]) or flush[0].startswith("#")):
        return stamped > 0.5 * len(flush) or stamped + levelled > 0.9 * len(flush)
    return levelled >= 5 and levelled > 0.8 * len(flush)


def records(text: str) -> list[tuple[int, int]]:
    """The records of a log, in order; neighbours are put together when there are more than 20,000."""
    lines = [match.span() for match in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if not lines:
        return []
    heads = [text[start : min(end, start + _FIRST)] for start, end in lines[:50]]
    if any(map(starts_record, heads)):
        begins = _is_stamped
    elif sum(_LEVELLED.match(head) is not None for head in heads) >= 3:
        begins = _is_levelled
    else:
        begins = _is_flush_left
    firsts = [at for at, (start, _) in enumerate(lines) if at == 0 or begins(text, start)]
    if len(firsts) > _RECORDS:
        kept = [0]
        for at in firsts:
            if at - kept[-1] >= _LINES:
                kept.append(at)
        firsts = kept
    ends = [*firsts[1:], len(lines)]
    return [
        (lines[first][0], lines[first][0] + len(text[lines[first][0] : lines[last - 1][1]].rstrip()))
        for first, last in zip(firsts, ends, strict=True)
    ]


def _is_stamped(text: str, start: int) -> bool:
    return starts_record(text[start : start + _FIRST])


def _is_levelled(text: str, start: int) -> bool:
    return _LEVELLED.match(text[start : start + _FIRST]) is not None


def _is_flush_left(text: str, start: int) -> bool:
    """Whether a line begins a record where there are no times: it does not go on with what came before it."""
    return not (text[start].isspace() or text.startswith(("}", "]", ")", "Caused by:", "Traceback "), start))
