r"""Block rules for formulas and for shortcodes whose body is code: from a line that opens to a line that closes.

`$$` … `$$`, `\[` … `\]`, `\begin{align}` … `\end{align}`; `{{< highlight go >}}` of Hugo, `{% highlight go %}` of
Jekyll. Without the line that closes they are ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_ENVIRONMENTS = (
    "equation|multline|gathered|gather|alignedat|alignat|aligned|align|flalign|eqnarray|split|cases|array|"
    "[pbBvV]?matrix|displaymath|math"
)


@dataclass(frozen=True, slots=True)
class _Delimited:
    opening: re.Pattern[str]  #: matches the line that opens; its first group, if any, names what has to be closed
    closing: Callable[[str], str]  #: name → a pattern that is searched for in each line
    whole: re.Pattern[str] | None  #: matches a line that opens and closes
    makes: str  #: type of the token
    blank: bool = True  #: whether blank lines may stand inside


_DELIMITED = (
    _Delimited(
        opening=re.compile(r"\{(?:\{[<%]|%)-?\s*(highlight|codeblock|code|mermaid)\b[^{}]*[%>]\}{1,2}\s*\Z"),
        closing=lambda name: rf"^\{{(?:\{{[<%]|%)-?\s*(?:/\s*|end){name}\s*-?[%>]\}}{{1,2}}\s*\Z",
        whole=None,
        makes="code_block",
    ),
    _Delimited(
        opening=re.compile(r"\$\$(?!.*\$\$)"),
        closing=lambda _: r"\$\$[ \t]*(?:\([^()]*\)|\{[^{}]*\})?[ \t]*\Z",
        whole=re.compile(r"\$\$(?=[ \t]*[^$\s]).*\$\$[ \t]*(?:\([^()]*\)|\{[^{}]*\})?[ \t]*\Z"),
        makes="math_block",
        blank=False,
    ),
    _Delimited(
        opening=re.compile(r"\\\[[ \t]*\Z"),
        closing=lambda _: r"\\\][.,;]?[ \t]*\Z",
        whole=re.compile(r"\\\[(?=.*(?:[\^_=]|\\[A-Za-z])).*\\\][.,;]?[ \t]*\Z"),
        makes="math_block",
        blank=False,
    ),
    _Delimited(
        opening=re.compile(rf"\\begin\{{((?:{_ENVIRONMENTS})\*?)\}}"),
        closing=lambda name: rf"\\end\{{{re.escape(name)}\}}",
        whole=re.compile(rf"\\begin\{{((?:{_ENVIRONMENTS})\*?)\}}.*\\end\{{\1\}}"),
        makes="math_block",
    ),
)


def add_delimited(markdown: MarkdownIt) -> None:
    """Add the rule to a parser."""
    may_end = ["paragraph", "reference", "blockquote", "list"]
    markdown.block.ruler.before("fence", "delimited", _delimited, {"alt": may_end})


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _delimited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    source = _line(state, start)
    if source[:1] not in ("{", "$", "\\") or state.is_code_block(start):
        return False
    for form in _DELIMITED:
        if form.whole and form.whole.match(source):
            closing: int | None = start
            break
        if opening := form.opening.match(source):
            closing = _closing(state, start, end, form, opening[1] if opening.re.groups else "")
            break
    else:
        return False
    if closing is None:
        return False
    if not silent:
        state.push(form.makes, "", 0).map = [start, closing + 1]
        state.line = closing + 1
    return True


def _closing(state: StateBlock, start: int, end: int, form: _Delimited, name: str) -> int | None:
    """The line that closes; where a search found none it is not made again."""
    unclosed: dict[tuple[str, str], int] = state.env.setdefault("unclosed up to", {})
    key = form.opening.pattern, name
    if start < unclosed.get(key, 0):
        return None
    closing = re.compile(form.closing(name))
    line = start + 1
    while line < end:
        empty = state.isEmpty(line)
        if (empty and not form.blank) or (not empty and state.sCount[line] < state.blkIndent):
            break
        if closing.search(_line(state, line)):
            return line
        line += 1
    unclosed[key] = line
    return None
