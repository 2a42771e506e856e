"""Block rules for boxes: what has a line that opens it and Markdown in it.

- `:::note` … `:::` (MyST, Pandoc, Docusaurus, VitePress, Quarto), `/// note` … `///` (PyMdown);
- a fence with the name of a directive in braces (MyST): its body is Markdown too, unless the directive shows code;
- `!!! note`, `??? note`, `=== "Tab"` with a body that stands in by four columns (MkDocs).

A box is beside the text (`box`: what is a heading in it heads nothing after it) or a part of the page (`part`: a tab, a
column). A line that opens a box which nothing closes is a mark and opens nothing: the rest of the page stays as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_INDENTED = re.compile(r"(?:(?P<tab>===[!+]?)[ \t]+(?:\"[^\"]*\"|'[^']*')[ \t]*\Z|(?:!!!|\?\?\?\+?)[ \t]*[\w-])")
_INDENT = 4  #: columns that the body of a tab or an admonition stands in
_MARKS = r"(:{3,}|/{3,}|`{3,}|~{3,})(.*)"
_RUN = re.compile(_MARKS, re.DOTALL)
#: the same behind the marks of quotes, items, definitions and footnotes; inside a fence behind those of quotes
_NESTED_RUN = re.compile(
    r"(?:[ \t>]|[-*+:](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\[\]\s]{1,99}\]:)*+" + _MARKS, re.DOTALL
)
_QUOTED_RUN = re.compile(r"[ \t>]*+" + _MARKS, re.DOTALL)
_NAME = re.compile(r"\s*\{?\s*\.?(?:callout-)?([\w:-]*)")
_OPTION = re.compile(r":[\w-]+:(?:\s|\Z)")
#: what may open a box of slashes: `/// note | Title`
_SLASHED = re.compile(r"\s*[\w-]+\s*(?:\|.*)?\Z", re.DOTALL)

#: directives whose body is no Markdown
CODE = frozenset(
    {
        "code", "code-block", "code-cell", "sourcecode", "raw", "mermaid", "graphviz", "plot", "math", "parsed-literal",
        "eval-rst", "csv-table", "literalinclude", "highlight", "doctest", "jupyter-execute",
    }
)  # fmt: skip
_BESIDE = frozenset(
    {
        "abstract", "admonition", "aside", "attention", "bug", "card", "caution", "check", "cite", "danger",
        "deprecated", "details", "done", "dropdown", "epigraph", "error", "example", "exercise", "fail", "failure",
        "faq", "figure", "figure-md", "help", "highlights", "hint", "important", "info", "list-table", "margin",
        "missing", "note", "proof", "pull-quote", "question", "quote", "seealso", "sidebar", "solution", "success",
        "summary", "table", "tip", "tldr", "todo", "topic", "versionadded", "versionchanged", "versionremoved",
        "warning",
    }
)  # fmt: skip
_PARTS = frozenset(
    {
        "column", "columns", "container", "div", "glossary", "grid", "grid-item", "grid-item-card", "only", "tab",
        "tab-item", "tab-set", "tabs",
    }
)  # fmt: skip
_FIGURES = frozenset({"figure", "figure-md"})
_TITLED_TABLES = frozenset({"table", "list-table"})


def add_boxes(markdown: MarkdownIt) -> None:
    """Add the rules to a parser."""
    may_end = ["paragraph", "reference", "blockquote", "list"]
    markdown.block.ruler.before("fence", "indented box", _indented, {"alt": may_end})
    markdown.block.ruler.before("fence", "fenced box", _fenced, {"alt": may_end})


def directive(info: str) -> str:
    """The name in the words after a fence: `{code-block} py`, `.callout-note`, `note Title`."""
    found = _NAME.match(info)
    return found[1].lower() if found else ""


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    opening = None if state.is_code_block(start) else _INDENTED.match(_line(state, start))
    if opening is None:
        return False
    last = after = start + 1
    indent = state.blkIndent + _INDENT
    while after < end and (state.isEmpty(after) or state.sCount[after] >= indent):
        after += 1
        if not state.isEmpty(after - 1):
            last = after
            if silent:
                return True
    if last == start + 1 and not opening["tab"]:
        return False  # `!!! wow` is somebody being loud
    if not silent:
        _push(state, "part" if opening["tab"] else "box", start, start + 1, last, indent)
        state.line = last
    return True


def _fenced(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    opening = None if state.is_code_block(start) else _RUN.match(_line(state, start))
    if opening is None:
        return False
    marks, info = opening[1], opening[2].strip()
    if not info:
        return marks[0] == ":" and _mark(state, start, silent, kind="closing mark")
    if not _opens(marks[0], info):
        return False
    closing = _closing(state, start, end)
    if closing is None:
        return marks[0] == ":" and _mark(state, start, silent, kind="opening mark")
    if silent:
        return True
    name = directive(info)
    if name in CODE:
        state.push("math_block" if name == "math" else "code_block", "", 0).map = [start, closing + 1]
    else:
        body = _after_options(state, start + 1, closing)
        title = info.partition("}")[2].strip()
        if name in _TITLED_TABLES and title:
            state.push("caption", "", 0).map = [start, body]
        kind = "figure" if name in _FIGURES else "box" if _is_beside(name) else "part"
        _push(state, kind, start, body, closing, state.blkIndent)
    state.line = closing + 1
    return True


def _mark(state: StateBlock, line: int, silent: bool, kind: str) -> bool:
    if not silent:
        state.push(kind, "", 0).map = [line, line + 1]
        state.line = line + 1
    return True


def _push(state: StateBlock, kind: str, start: int, body: int, stop: int, indent: int) -> None:
    """Parse lines `[body, stop)` between the tokens of a box whose opening lines are `[start, body)`."""
    outer = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax, state.blkIndent = "box", stop, indent
    state.push(f"{kind}_open", "div", 1).map = [start, body]
    state.md.block.tokenize(state, body, stop)
    state.push(f"{kind}_close", "div", -1)
    state.parentType, state.lineMax, state.blkIndent = outer


def _opens(mark: str, info: str) -> bool:
    """Whether the words after a run of marks make it the first line of a box."""
    if mark == ":":
        return not info.endswith(":::")  # `:::image …:::` is complete
    if mark == "/":
        return bool(_SLASHED.match(info))
    if mark == "`" and "`" in info:
        return False
    name = directive(info)
    return info.startswith("{") and "}" in info and name not in CODE and (_is_beside(name) or name in _PARTS)


def _is_beside(name: str) -> bool:
    return name in _BESIDE or name.startswith("prf:")


def _after_options(state: StateBlock, line: int, stop: int) -> int:
    """The line after a directive's options: `:class: tip`, or YAML between `---`."""
    if line < stop and _line(state, line).rstrip() == "---":
        ends = (at for at in range(line + 1, stop) if _line(state, at).rstrip() == "---")
        return next(ends, line - 1) + 1
    while line < stop and _OPTION.match(_line(state, line)):
        line += 1
    return line


def _closing(state: StateBlock, start: int, end: int) -> int | None:
    """The line that closes the box which opens at `start`, if it is before `end`.

    One pass finds the closing lines of all boxes below, so that a page of unclosed ones is not read once for each.
    """
    known: dict[int, int | None] = state.env.setdefault("closing lines of boxes", {})
    if start not in known:
        stop = start + 1
        while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.blkIndent):
            stop += 1
        known.update(_pairs((line, _line(state, line)) for line in range(start, stop)))
    closing = known[start]
    return closing if closing is not None and closing < end else None


def _pairs(lines: Iterable[tuple[int, str]]) -> dict[int, int | None]:
    """For each line that opens a box the line that closes it, and with it all that is still open in it.

    Marks close the innermost box that was opened with the same, else the innermost of their character; those of
    a fence have to be as long as those that opened it.
    """
    pairs: dict[int, int | None] = {}
    boxes: list[tuple[int, str]] = []  # line and marks of what is open
    places: dict[str, list[int]] = defaultdict(list)  # marks, and their character → places in `boxes`
    fence = ""
    for line, source in lines:
        found = (_QUOTED_RUN if fence else _NESTED_RUN).match(source)
        if not found:
            continue
        marks, info = found[1], found[2].strip()
        closes = places[marks] or (places[marks[0]] if not info else [])
        if fence:
            if not info and marks.startswith(fence):
                fence = ""
        elif info and _opens(marks[0], info):
            pairs[line] = None
            for key in {marks, marks[0]}:
                places[key].append(len(boxes))
            boxes.append((line, marks))
        elif not info and closes and (marks[0] in ":/" or marks.startswith(boxes[closes[-1]][1])):
            for opened, opening in reversed(boxes[closes[-1] :]):
                pairs[opened] = line
                for key in {opening, opening[0]}:
                    places[key].pop()
                boxes.pop()
        elif marks[0] in "`~" and not (marks[0] == "`" and "`" in info):
            fence = marks
    return pairs
