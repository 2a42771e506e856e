"""What an element is to the reader of a page: by its tag, its role, and the class names that generators write."""

from __future__ import annotations

import re
from enum import Enum, auto

from corpus.parsers.captions import is_caption
from corpus.parsers.html.tree import Node
from corpus.parsers.html.words import BLOCKS, words


class Role(Enum):
    """What text inside an element belongs to."""

    LIST = auto()
    ITEM = auto()
    QUOTE = auto()
    CAPTION = auto()
    FOOTNOTE = auto()
    REMARK = auto()  #: a box whose heading heads nothing but the box
    TERM = auto()  #: `dt`
    DEFINITION = auto()  #: `dd`
    SUMMARY = auto()
    DETAILS = auto()
    BLOCK = auto()
    INLINE = auto()


_TAGS = {
    "ul": Role.LIST, "ol": Role.LIST, "dir": Role.LIST, "menu": Role.LIST, "li": Role.ITEM, "blockquote": Role.QUOTE,
    "caption": Role.CAPTION, "figcaption": Role.CAPTION, "dt": Role.TERM, "dd": Role.DEFINITION,
    "summary": Role.SUMMARY, "details": Role.DETAILS,
}  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_REMARKS = frozenset(
    {"note", "tip", "warning", "caution", "important", "danger", "hint", "admonition", "callout", "alert", "notice"}
)
_REMARK_TAGS = frozenset({"div", "aside", "section"})
_FOOTNOTE_TAGS = frozenset({"div", "aside", "p", "section", "li"})
_FOOTNOTE_ROLES = frozenset({"doc-footnote", "doc-endnote"})
#: whole lists of footnotes, by class or id: of Markdown, MediaWiki, pandoc and Sphinx
_NOTES = frozenset({"footnotes", "references", "footnote-list", "endnotes", "reflist", "mw-references-wrap"})
_NOTES_TAGS = frozenset({"div", "ol", "ul", "section", "aside"})
_CAPTION_TAGS = frozenset({"p", "div"})
_CAPTIONS = frozenset(
    {
        "caption",
        "code-block-caption",
        "wp-caption-text",
        "thumbcaption",
        "figure-caption",
        "table-caption",
        "msocaption",
    }
)
_TITLES = frozenset({"title", "table-title", "figure-title", "block-title"})  #: a caption if it has a number
_CAPTION_LENGTH = 500

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|mw-highlight-lang|highlight)-([\w+#.-]+)"
    r"|\bbrush:\s*([\w+#-]+)|(?:^|\s)(?:sourceCode|hljs|src|highlight)\s+([\w+#]+)(?=\s|$)"
    r"|(?:^|\s)(rust)\s+(?:rust-example-rendered|item-decl)"
)
_NO_LANGUAGE = frozenset(
    {
        "default", "none", "text", "plain", "plaintext", "txt", "nohighlight", "notranslate", "source", "code",
        "line-numbers", "sourcecode", "wrapper", "numbersource", "highlight", "numberlines",
    }
)  # fmt: skip
_LANGUAGE_TAGS = frozenset({"div", "figure", "td", "pre", "code", "section"})


def role_of(node: Node, total: int) -> Role:
    """The role of an element of a page with `total` characters."""
    if _is_footnote(node):
        return Role.FOOTNOTE
    if role := _TAGS.get(node.tag):
        # a list whose items have headings is how a page is laid out
        return Role.BLOCK if role is Role.ITEM and node.holds & _HEADINGS else role
    if node.tag in _CAPTION_TAGS and node.attributes and _is_caption(node):
        return Role.CAPTION
    if node.tag in _REMARK_TAGS and not _REMARKS.isdisjoint(node.names) and 2 * node.size < total:
        return Role.REMARK
    return Role.BLOCK if node.tag in BLOCKS else Role.INLINE


def holds_footnotes(node: Node) -> bool:
    """Whether the items of the lists in an element are footnotes."""
    if node.get("role") == "doc-endnotes" or "data-footnotes" in node.attributes:
        return True
    if node.tag not in _NOTES_TAGS:
        return False
    names = _names(node)
    return not _NOTES.isdisjoint(names) or ("footnote" in names and "ol" in node.holds)


def language_of(node: Node) -> str:
    """The language of the code in an element, as its class names it; empty if it does not say."""
    if node.tag not in _LANGUAGE_TAGS:
        return ""
    named = node.get("data-lang") or node.get("data-language")
    if not named and (found := _LANGUAGE.search(f"{node.get('class')} {node.get('data-syntaxhighlighter-params')}")):
        named = next(filter(None, found.groups()))
    named = named.lower()
    return "" if named in _NO_LANGUAGE or not re.fullmatch(r"[\w+#.-]{1,30}", named) else named


def _is_caption(node: Node) -> bool:
    names = _names(node)
    if not _CAPTIONS.isdisjoint(names):
        return node.size <= _CAPTION_LENGTH and node.get("role") != "heading"
    return not _TITLES.isdisjoint(names) and node.size <= _CAPTION_LENGTH and is_caption(words(node), by_table=True)


def _is_footnote(node: Node) -> bool:
    if node.get("role") in _FOOTNOTE_ROLES:
        return True
    if node.tag not in _FOOTNOTE_TAGS:
        return False
    style = node.get("style").replace(" ", "").lower()
    if "footnote" in _names(node):
        return "ol" not in node.holds
    return "mso-element:footnote" in style.removesuffix("-list").split(";")


def _names(node: Node) -> list[str]:
    return node.get("class").lower().split() if "class" in node.attributes else []
