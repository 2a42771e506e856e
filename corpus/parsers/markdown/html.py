"""Raw HTML in Markdown: what of it is a heading, a table or code, and what no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkers.document import Kind
from corpus.parsers.markdown.leaf import Leaf

_HEADING = re.compile(r"\s*<h([1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
_HEADING_LINES = 20  #: that a heading of raw HTML may have
_IMAGE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_ALT = re.compile(r"\balt=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_WHOLE = re.compile(r"\s*(?:</?[A-Za-z][^<>]*>\s*){0,5}?<(table|pre)\b", re.IGNORECASE)
_HIDDEN = re.compile(r"\s*<(script|style)\b", re.IGNORECASE)
_NO_OUTLINE = re.compile(r"\s*<(?:!|\?|textarea\b)", re.IGNORECASE)
_TAGS_ONLY = re.compile(r"(?:\s|</?[A-Za-z][^<>]*>|&nbsp;)*\Z")
_LONGEST_TAGS = 5000  #: characters of HTML that may be no more than marks


def leaves_of_html(lines: Sequence[str], first: int, last: int, *, outline: bool) -> Iterator[Leaf]:
    """The leaves of the raw HTML in lines `[first, last)`; headings among them only if they belong to the `outline`.

    Tags without a word are leaves with `tags`: marks of what stands next to them.
    """
    content = "\n".join(lines[first:last])
    if _is_hidden(content):
        yield Leaf(Kind.METADATA, first, last)
        return
    if _NO_OUTLINE.match(content):
        yield from _rest(lines, first, last)
        return
    begun = line = first
    while line < last:
        leaf = _special(lines, line, last, outline=outline)
        if leaf:
            yield from _rest(lines, begun, line)
            yield leaf
            begun = line = leaf.last
        else:
            line += 1
    yield from _rest(lines, begun, last)


def whole_elements(lines: Sequence[str], leaves: Sequence[Leaf], owners: list[int]) -> None:
    """Make a raw `<table>` or `<pre>` one leaf. Markdown ends raw HTML at a blank line, a browser does not.

    `owners` has for each line the number of its leaf, or -1.
    """
    unclosed: set[str] = set()
    for at, leaf in enumerate(leaves):
        if not leaf.element or leaf.element in unclosed or owners[leaf.first] != at:
            continue
        end = _closing(lines, leaf.first, len(lines), leaf.element)
        if end is None:
            unclosed.add(leaf.element)
            continue
        leaf.kind = Kind.TABLE if leaf.element == "table" else Kind.CODE
        leaf.last = max(end, leaf.last)
        owners[leaf.first : leaf.last] = [at] * (leaf.last - leaf.first)


def _is_hidden(content: str) -> bool:
    """Whether it is only comments, a script or a style; what is not closed is not hidden, whatever a browser does."""
    if found := _HIDDEN.match(content):
        return content.rstrip().lower().endswith(f"</{found[1].lower()}>")
    at = 0
    rest = content.strip()
    while rest.startswith("<!--", at):
        end = rest.find("-->", at + 4)
        if end < 0:
            return False
        at = end + 3
        while rest[at : at + 1].isspace():
            at += 1
    return 0 < at == len(rest)


def _special(lines: Sequence[str], line: int, last: int, *, outline: bool) -> Leaf | None:
    """The heading, table or preformatted text that begins with a line."""
    if outline and (heading := _heading(lines, line, last)):
        return heading
    if found := _WHOLE.match(lines[line]):
        name = found[1].lower()
        end = _closing(lines, line, last, name) or last
        return Leaf(Kind.CODE if name == "pre" else Kind.PARAGRAPH, line, end, element=name)
    return None


def _rest(lines: Sequence[str], first: int, last: int) -> Iterator[Leaf]:
    content = "\n".join(lines[first:last])
    if content.strip():
        tags = len(content) < _LONGEST_TAGS and _TAGS_ONLY.match(content) is not None
        yield Leaf(Kind.PARAGRAPH, first, last, tags=tags)


def _closing(lines: Sequence[str], first: int, last: int, name: str) -> int | None:
    """The line after the one that closes the element which `first` opens."""
    tag = re.compile(rf"<(/?){name}\b", re.IGNORECASE)
    depth = 0
    for line in range(first, last):
        depth += sum(-1 if closing else 1 for closing in tag.findall(lines[line]))
        if depth <= 0:
            return line + 1
    return None


def _heading(lines: Sequence[str], line: int, last: int) -> Leaf | None:
    """The heading that begins with a line, if it has its lines to itself and words."""
    opening = _HEADING.match(lines[line])
    if not opening:
        return None
    closing = f"</h{opening[1]}>"
    content = lines[line][opening.end() :].rstrip()
    end = line + 1
    while closing not in content.lower() and end < min(last, line + _HEADING_LINES):
        content += f"\n{lines[end].rstrip()}"
        end += 1
    if content.lower().find(closing) != len(content) - len(closing):
        return None
    words = _IMAGE.sub(_alternative, content[: -len(closing)])
    if not _TAG.sub("", words).strip():
        return None
    return Leaf(Kind.HEADING, line, end, level=int(opening[1]), content=" ".join(words.split()))


def _alternative(image: re.Match[str]) -> str:
    found = _ALT.search(image[0])
    return f" {found[1] or found[2] or ''} " if found else " "
