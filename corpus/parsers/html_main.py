"""What of a page is its content: furniture is taken out, then the main part is chosen."""

from __future__ import annotations

import re

from corpus.parsers.html_tree import UNSEEN, Node, measure
from corpus.parsers.html_words import words

_GONE = UNSEEN | {
    "head", "link", "meta", "base", "button", "input", "select", "option", "textarea", "datalist", "audio", "video",
    "map", "area", "embed", "param", "source", "track", "rp", "frame", "frameset", "progress", "meter",
}  # fmt: skip
_FURNITURE = frozenset({"nav", "footer", "aside", "menu"})
_ROLES = frozenset(
    {
        "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar",
        "toolbar", "tooltip", "tablist",
    }
)  # fmt: skip
#: an aside of this class is a remark that belongs to the text
_REMARK = re.compile(
    r"(?:^|[-_])(?:note|notice|tip|hint|info|important|warning|caution|danger|alert|admonition|callout"
    r"|aside|example|footnotes?|sidenote|marginnote|pull-?quote|box)(?:$|[-_])"
)

_PLACE = r"(?:(?:site|page|main|top|global|primary|secondary|left|right|docs?|book|bottom|side|mobile|wy|md|mw)[-_]?)?"
_TAIL = r"(?:[-_](?:bar|links?|menu|list|container|wrapper|inner|content|side|top|items?|section|buttons?))?"
#: classes and ids of furniture
_STRONG = re.compile(
    rf"{_PLACE}(?:nav|navbar|navheader|navfooter|navigation|footer|sidebar|breadcrumbs?|topbar|navpath|masthead){_TAIL}"
    r"|(?:cookie|consent|gdpr|onetrust|newsletter|subscribe|breadcrumb|advert|social|share|sharing)[-_]?\w*(?:[-_]\w+)*"
    r"|ads?|adsbygoogle|banner|skip-?(?:link|nav|to-?content|to-?main)\w*|mw-jump-link|pagination|pager|prev-?next"
    r"|noprint|no-print|printfooter|catlinks|navbox|mw-editsection|mw-portlet\w*|vector-dropdown|vector-menu"
    r"|vector-header-container|mw-indicators|sr-only|visually-hidden|visuallyhidden|screen-reader-text|screenreader"
    r"|sphinxsidebar|related-articles|rst-footer-buttons|edit-?this-?page|edit-page-link|theme-edit-this-page"
    r"|copy-?button|copybtn"
    r"|modal|popup|popover|overlay|tooltip"
)
#: as these, where there is nothing but numbers: some pages name the code so that has them
_NUMBERS = re.compile(r"linenos?|linenodiv|line-?numbers?|gutter|gl|hljs-ln-numbers|blob-num|rouge-gutter")
#: as these, where most of the text are links
_WEAK = re.compile(
    r"menu|toc|tocs|table-of-contents|tableofcontents|contents|on-this-page|header|related|links|tabs|dropdown"
    r"|dropdown-menu|languages?|lang-switch\w*|tags|categories|meta|side|left|right|home-link|up-link|toctree-wrapper"
    rf"|{_PLACE}(?:menu|toc|header){_TAIL}"
)
_TITLED = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "p", "li"})  #: their parts are no furniture by name
_SMALLEST = 200  #: characters of a main part; in a smaller one what stands around is worth keeping
_NUMBERS_SIZE = 50_000  #: characters of such numbers
_DIGITS = str.maketrans("", "", "0123456789")
_NAMED_BY_BUTTON = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"})
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
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


def main_part(root: Node) -> Node:
    """The element that holds the page's content, with navigation, banners, hidden text and the like taken out.

    Nothing that holds half of the page's text, or its first heading, is taken for furniture. Changes the tree.
    """
    _prune(root)
    measure(root)
    for least, chosen in _candidates(root):
        best = max(chosen, key=lambda node: node.size, default=None)
        if best is not None and best.size > max(_SMALLEST, least * root.size):
            return _with_title(root, best)
    return root


def _with_title(root: Node, main: Node) -> Node:
    """`main`, or the smallest element around it that holds a first-level heading, if the page has one at all."""
    if "h1" not in root.holds:
        return main
    parents = {id(inner): node for node in root.walk() for inner in node.elements()}
    around = main
    while "h1" not in around.holds:
        around = parents[id(around)]
    return around


def _candidates(root: Node) -> list[tuple[float, list[Node]]]:
    """Least share of the text, and the elements that may hold it: an author's own `main` needs the least."""
    nodes = list(root.walk())
    return [
        (0.25, [node for node in nodes if node.tag == "main" or node.get("role") == "main"]),
        (0.6, [node for node in nodes if node.tag == "article" or node.get("role") == "article"]),
        (0.6, [node for node in nodes if _MAIN_NAMES.intersection(node.names) and node.tag not in ("body", "a")]),
    ]


def _prune(root: Node) -> None:
    total = root.size
    has_own_h1 = _h1_outside_headers(root)
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, inside = stack.pop()
        inside = inside or node.tag in ("main", "article") or node.get("role") == "main"
        kept: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node):
                if _is_furniture(child, node, total, inside=inside, has_own_h1=has_own_h1):
                    kept.append(" ")
                    continue
                stack.append((child, inside))
            kept.append(child)
        node.children = kept


def _h1_outside_headers(root: Node) -> bool:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.tag == "h1":
            return True
        stack.extend(child for child in node.elements() if child.tag != "header" and "h1" in child.holds)
    return False


def _is_furniture(node: Node, parent: Node, total: int, *, inside: bool, has_own_h1: bool) -> bool:
    tag = node.tag
    if tag == "button" and parent.tag in _NAMED_BY_BUTTON and node.size == parent.size:
        return False  # the headings of an accordion are nothing but buttons
    if tag in _GONE or _is_hidden(node):
        return tag not in ("html", "body")
    if tag in ("html", "body", "main", "h1", "h2", "h3", "h4", "h5", "h6"):
        return False
    if tag == "a":
        return _is_permalink(node, parent)
    if tag == "header":
        return not (("h1" in node.holds and (inside or not has_own_h1)) or (inside and node.holds & {"h2", "h3", "p"}))
    if "h1" in node.holds or 2 * node.size > total:
        return False
    names = node.names
    if tag in _FURNITURE and not (tag == "footer" and parent.tag == "blockquote"):
        return tag != "aside" or not any(_REMARK.search(name) for name in names)
    if tag == "form":
        in_table = parent.tag in ("table", "tbody", "thead", "tr")  # where it holds rows, however wrongly
        return not in_table and not (node.holds & {"h2", "h3", "table", "pre"}) and node.size < 1000
    if node.get("role") in _ROLES:
        return not any(_REMARK.search(name) for name in names)
    if parent.tag in _TITLED:
        return False
    if any(_STRONG.fullmatch(name) for name in names):
        return True
    if any(_NUMBERS.fullmatch(name) for name in names):
        return node.size < _NUMBERS_SIZE and not words(node).translate(_DIGITS).strip()
    return node.linked > 0.6 * node.size and any(_WEAK.fullmatch(name) for name in names)


def _is_hidden(node: Node) -> bool:
    attributes = node.attributes
    if node.get("role") == "tabpanel":
        return False  # hidden until its tab is chosen, and as much a part of the page as the others
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or (node.tag == "dialog" and "open" not in attributes):
        return True
    return "style" in attributes and bool(_HIDDEN.search(attributes["style"]))


def _is_permalink(node: Node, parent: Node) -> bool:
    """Whether a link leads to a place in the page for the reader's convenience only: `¶`, `↩`, `Skip to content`."""
    if not node.get("href").startswith("#") or node.size > 40:
        return False
    said = "".join(child for child in node.children if isinstance(child, str)).translate(_ZERO_WIDTH).strip().lower()
    if not said:
        return 0 < node.size <= 2 and not any(node.elements())
    return said in _PILCROWS or (said in _PILCROW_WORDS and parent.tag in _NAMED_BY_BUTTON) or bool(_SKIP.match(said))
