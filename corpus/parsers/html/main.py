"""What of a page is its content: furniture is taken out, then the main part is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from corpus.parsers.html.names import (
    BACKLINKS,
    CONTENTS,
    FOLDS,
    HIDDEN,
    NUMBERS,
    REMARK,
    REMARK_ROLES,
    ROLES,
    STRONG,
    WEAK,
    named,
)
from corpus.parsers.html.tree import UNSEEN, Node, measure
from corpus.parsers.html.words import words

_GONE = UNSEEN | {
    "head", "title", "link", "meta", "base", "button", "input", "select", "option", "textarea", "datalist", "audio",
    "video", "map", "area", "embed", "param", "source", "track", "rp", "frame", "frameset", "progress", "meter",
}  # fmt: skip
_FURNITURE = frozenset({"nav", "footer", "aside", "menu"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CONTROLS = frozenset({"button", "input", "select"})  #: a section of a text has none; the bar that asks for consent has
_SECTION = 200  #: elements of a section in which its title is looked for
_SLUG = re.compile(r"[\W_]+")
_TITLED = frozenset({*_HEADINGS, "summary", "p", "li"})  #: their parts are no furniture by name
_SMALLEST = 200  #: characters of a main part; in a smaller one what stands around is worth keeping
_PARAGRAPHS = frozenset({"p", "pre", "table", "dd", "blockquote", "li"})
_SENTENCE = 80  #: characters of a paragraph that is more than a label or a teaser's title
_PROSE_AROUND = 0.5  #: of the main part's own text may stand outside it in paragraphs
_DIGITS = str.maketrans("", "", "0123456789")
_NAMED_BY_BUTTON = frozenset({*_HEADINGS, "summary", "dt"})
_PILCROWS = frozenset({"", "¶", "#", "§", "🔗", "^", "↑", "↩", "↩︎", "⤴"})
_PILCROW_WORDS = frozenset({"link", "permalink", "anchor"})  #: as these, in a heading
_ZERO_WIDTH = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff")
_SKIP = re.compile(
    r"(?:skip|jump) to (?:main |page |primary |the )*(?:content|navigation|search|main)\b", re.IGNORECASE
)

_MAIN_NAMES = frozenset(
    {
        "main-content", "maincontent", "main", "content", "mw-content-text", "bodycontent", "article", "article-body",
        "articlebody", "post-content", "entry-content", "page-content", "post-body", "document", "markdown-body",
        "doccontent", "docs-content", "doc-content", "theme-doc-markdown", "rst-content", "md-content", "primary",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Page:
    """What is true of the whole page when one of its elements is judged."""

    size: int
    has_own_h1: bool  #: a first-level heading that stands in no header
    folding: frozenset[str]  #: ids of what a click shows


def main_part(root: Node) -> tuple[Node, tuple[str, ...]]:
    """The element that holds the page's content, and the texts that are left out of it and around it.

    Navigation, banners, hidden text and the like are taken out. Nothing that holds half of the page's text, or its
    first heading, is taken for them; no part is chosen outside which there is much prose. Changes the tree.
    """
    left_out = _prune(root)
    measure(root)
    main = _chosen(root)
    return main, (*left_out, *(text for text in _around(root, main) if text.strip()))


def _chosen(root: Node) -> Node:
    for least, candidates in _candidates(root):
        best = max(candidates, key=lambda node: node.size, default=None)
        if best is not None and best.size > max(_SMALLEST, least * root.size):
            main = _with_title(root, best)
            if _prose(root, main) <= _PROSE_AROUND * (main.size - main.linked):
                return main
    return root


def _prose(root: Node, main: Node) -> int:
    """Characters outside `main` in paragraphs of some length, links aside."""
    found = 0
    stack = [root]
    while stack:
        node = stack.pop()
        if node is main:
            continue
        if node.tag in _PARAGRAPHS:
            own = node.size - node.linked
        else:
            own = sum(len(child.strip()) for child in node.children if isinstance(child, str))
            stack.extend(node.elements())
        found += own if own >= _SENTENCE else 0
    return found


def _around(root: Node, main: Node) -> Iterator[str]:
    """The texts outside `main`, each as large as it gets."""
    holders = _above(root, main)
    stack = [root]
    while stack:
        node = stack.pop()
        if node is main:
            continue
        if node in holders:
            yield from (child for child in node.children if isinstance(child, str))
            stack.extend(reversed(list(node.elements())))
        elif node.size:
            yield words(node)


def _above(root: Node, main: Node) -> set[Node]:
    parents = {inner: node for node in root.walk() for inner in node.elements()}
    above: set[Node] = set()
    while main is not root:
        main = parents[main]
        above.add(main)
    return above


def _with_title(root: Node, main: Node) -> Node:
    """`main`, or the smallest element around it that holds a first-level heading, if the page has one at all."""
    if "h1" not in root.holds or "h1" in main.holds:
        return main
    return min((node for node in _above(root, main) if "h1" in node.holds), key=lambda node: node.size)


def _candidates(root: Node) -> list[tuple[float, list[Node]]]:
    """Least share of the text, and the elements that may hold it: an author's own `main` needs the least."""
    nodes = list(root.walk())
    return [
        (0.25, [node for node in nodes if node.tag == "main" or node.get("role") == "main"]),
        (0.6, [node for node in nodes if node.tag == "article" or node.get("role") == "article"]),
        (0.6, [node for node in nodes if _MAIN_NAMES.intersection(node.names) and node.tag not in ("body", "a")]),
    ]


def _prune(root: Node) -> list[str]:
    """Take furniture out; says what its texts were."""
    page = _Page(root.size, _h1_outside_headers(root), _folding(root))
    left_out: list[str] = []
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, inside = stack.pop()
        inside = inside or node.tag in ("main", "article") or node.get("role") == "main"
        kept: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node):
                if _is_furniture(child, node, page, inside=inside):
                    kept.append(" ")
                    left_out.append(words(child))
                    continue
                stack.append((child, inside))
            kept.append(child)
        node.children = kept
    return [text for text in left_out if text]


def _folding(root: Node) -> frozenset[str]:
    """The ids of what is shown when something else is clicked on."""
    return frozenset(
        name
        for node in root.walk()
        for attribute in ("aria-controls", "data-target", "data-bs-target")
        if attribute in node.attributes
        for name in node.attributes[attribute].replace("#", " ").split()
    )


def _h1_outside_headers(root: Node) -> bool:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.tag == "h1":
            return True
        stack.extend(child for child in node.elements() if child.tag != "header" and "h1" in child.holds)
    return False


def _is_furniture(node: Node, parent: Node, page: _Page, *, inside: bool) -> bool:
    tag = node.tag
    if tag == "button" and parent.tag in _NAMED_BY_BUTTON and node.size == parent.size:
        return False  # the headings of an accordion are nothing but buttons
    if tag in _GONE or _is_hidden(node, page):
        return tag not in ("html", "body")
    if tag in ("html", "body", "main", *_HEADINGS):
        return False
    if tag == "a":
        return _is_permalink(node, parent)
    if tag == "header":
        return not (
            ("h1" in node.holds and (inside or not page.has_own_h1)) or (inside and node.holds & {"h2", "h3", "p"})
        )
    if "h1" in node.holds or 2 * node.size > page.size:
        return False
    names = _names(node)
    if tag in _FURNITURE and not (tag == "footer" and parent.tag == "blockquote"):
        return tag != "aside" or not (node.get("role") in REMARK_ROLES or any(REMARK.search(name) for name in names))
    if tag == "form":
        in_table = parent.tag in ("table", "tbody", "thead", "tr")  # where it holds rows, however wrongly
        return not in_table and not (node.holds & {"h2", "h3", "table", "pre"}) and node.size < 1000
    if node.get("role") in ROLES:
        return not any(REMARK.search(name) for name in names)
    if named(BACKLINKS, names):
        return True
    if parent.tag in _TITLED:
        return False
    if named(STRONG, names):
        return True
    if named(NUMBERS, names):
        texts = (child for inner in node.walk() for child in inner.children if isinstance(child, str))
        return not any(text.translate(_DIGITS).strip() for text in texts)
    if named(CONTENTS, names):
        return node.linked > 0.3 * node.size  # it may have a title, and numbers
    return node.linked > 0.6 * node.size and named(WEAK, names)


def _names(node: Node) -> list[str]:
    """Classes and id; not an id that is made of the section's own title, as in a manual's chapter on pagination."""
    own = node.get("id").lower()
    if not named(STRONG, [own]) and not named(WEAK, [own]):
        return node.names
    inner = list(islice(node.walk(), _SECTION))
    title = next((words(one) for one in inner if one.tag in _HEADINGS), "")
    titled = _SLUG.sub("", title.lower()) == _SLUG.sub("", own)
    return (
        node.get("class").lower().split() if titled and not any(one.tag in _CONTROLS for one in inner) else node.names
    )


def _is_hidden(node: Node, page: _Page) -> bool:
    attributes = node.attributes
    if node.get("role") == "tabpanel":
        return False  # hidden until its tab is chosen, and as much a part of the page as the others
    if 2 * node.size > page.size or node.holds == {"math"}:
        return False  # what a script shows in the end; a formula for those who cannot see its picture
    if attributes.get("aria-hidden") == "true":
        return node.tag != "figcaption"
    if node.tag == "dialog" and "open" not in attributes:
        return True
    dark = "style" in attributes and bool(HIDDEN.search(attributes["style"]))
    if not dark and attributes.get("hidden", "until-found") == "until-found":
        return False
    folds_out = node.get("id") in page.folding or named(FOLDS, node.names)
    return not folds_out or node.get("role") in ROLES or named(STRONG, node.names) or 2 * node.linked > node.size


def _is_permalink(node: Node, parent: Node) -> bool:
    """Whether a link leads to a place in the page for the reader's convenience only: `¶`, `↩`, `Skip to content`."""
    if not node.get("href").startswith("#") or node.size > 40:
        return False
    said = "".join(child for child in node.children if isinstance(child, str)).translate(_ZERO_WIDTH).strip().lower()
    if not said:
        return 0 < node.size <= 2 and not any(node.elements())
    return said in _PILCROWS or (said in _PILCROW_WORDS and parent.tag in _NAMED_BY_BUTTON) or bool(_SKIP.match(said))
