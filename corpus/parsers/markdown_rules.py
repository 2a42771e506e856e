"""Block rules for what documentation tools add to Markdown and the library's plugins do not know."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_TAB = re.compile(r"===[!+]?[ \t]+(?:\"[^\"]*\"|'[^']*')[ \t]*\Z")
_COLONS = re.compile(r":{3,}[ \t]*\Z")
_INDENT = 4  #: columns that the body of a tab stands in
#: shortcodes of Hugo and tags of Jekyll whose body is code
_VERBATIM = re.compile(r"\{(?:\{[<%]|%)-?\s*(highlight|codeblock|code|mermaid)\b[^{}]*[%>]\}{1,2}\s*\Z")


def add_rules(markdown: MarkdownIt) -> None:
    """Add the tabs of MkDocs, whose body is indented Markdown, shortcodes whose body is code, and marks left over."""
    may_end = ["paragraph", "reference", "blockquote", "list"]
    markdown.block.ruler.before("fence", "tab", _tab, {"alt": may_end})
    markdown.block.ruler.before("fence", "shortcode", _shortcode, {"alt": may_end})
    markdown.block.ruler.before("colon_fence", "colons", _colons, {"alt": may_end})


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _tab(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`=== "Linux"` and the lines below that stand in by four columns."""
    if state.is_code_block(start) or not _TAB.match(_line(state, start)):
        return False
    if silent:
        return True
    last = after = start + 1
    indent = state.blkIndent + _INDENT
    while after < end and (state.isEmpty(after) or state.sCount[after] >= indent):
        after += 1
        if not state.isEmpty(after - 1):
            last = after
    outer = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax, state.blkIndent = "tab", last, indent
    token = state.push("tab_open", "div", 1)
    token.map = [start, last]
    state.md.block.tokenize(state, start + 1, last)
    state.push("tab_close", "div", -1)
    state.parentType, state.lineMax, state.blkIndent = outer
    state.line = last
    return True


def _shortcode(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`{{< highlight go >}}` or `{% highlight go %}` up to the line that closes it; without one it is none."""
    opening = None if state.is_code_block(start) else _VERBATIM.match(_line(state, start))
    if opening is None:
        return False
    unclosed = state.env.setdefault("unclosed shortcodes", set())
    name = opening[1]
    if name in unclosed:
        return False
    closing = re.compile(rf"\{{(?:\{{[<%]|%)-?\s*(?:/\s*|end){name}\s*-?[%>]\}}{{1,2}}\s*\Z")
    for line in range(start + 1, end):
        if closing.match(_line(state, line)):
            if not silent:
                token = state.push("code_block", "code", 0)
                token.map = [start, line + 1]
                state.line = line + 1
            return True
    unclosed.add(name)
    return False


def _colons(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001 - the library passes all
    """`:::` that closes nothing, as boxes inside boxes leave it. It opens nothing, least of all code without an end."""
    if state.is_code_block(start) or not _COLONS.match(_line(state, start)):
        return False
    if not silent:
        state.push("colons", "", 0).map = [start, start + 1]
        state.line = start + 1
    return True
