"""What folds out below a name that is clicked on: accordions, tabs, and questions marked up for search engines.

Each is written as `details` with the name as its `summary`, wherever the page keeps its names. A button that only acts
is left as it is, to be taken out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from corpus.parsers.html.names import ACTS, DISCLOSES, HIDDEN, ROLES, STRONG, named
from corpus.parsers.html.places import Page
from corpus.parsers.html.tree import UNSEEN, Node, measure
from corpus.parsers.html.words import words

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TITLES = frozenset({"dt", "summary"})  #: what is in them names what follows already
_PANELS = frozenset({"div", "section", "article", "p", "ul", "ol", "dl", "table", "pre", "figure", "blockquote", "dd"})
_ROWS = frozenset({"ul", "ol", "table", "thead", "tbody", "tfoot", "tr"})  #: nothing else may stand among theirs
_MENUS = frozenset({"nav", "menu", "form", "dialog", "footer"})
_LONGEST = 400  #: characters of a name
_DEEPEST = 6  #: elements in a panel that hold nothing else
_NEAR = 6  #: elements that one names, or that stand in another, of which more are not looked at
_LINKED = 0.5  #: of a menu's text stands in links


@dataclass(frozen=True, slots=True)
class _Fold:
    name: Node
    header: Node  #: the name and what stands around it for its looks
    panel: Node
    said: str
    unseen: str  #: words in the name that nobody sees


@dataclass(slots=True)
class _Asked:
    """An item of microdata that is a question, with those of its properties that count."""

    item: Node
    names: list[Node] = field(default_factory=list)
    answers: list[Node] = field(default_factory=list)


def unfold(root: Node) -> None:
    """Write what folds out as `details`, in place, and measure the tree again."""
    names, asked = list(_names(root)), _asked(root)
    if not names and not asked:
        return
    page = Page(root)
    for question in asked:
        _answer(page, question)
    folds = [fold for name in names if (fold := _fold(page, name))]
    said: defaultdict[Node, set[str]] = defaultdict(set)
    for name in names:
        for controlled in _controlled(page, name):
            said[controlled].add(_label(name)[0])
    for fold in folds:
        said[fold.panel].add(fold.said)
    for fold in folds:
        acted_on = [fold.panel, *_controlled(page, fold.name)]
        if all(len(said[node]) == 1 for node in acted_on):  # what several things act on is named by none of them
            _unfold(page, fold)
    measure(root)


# Names that are clicked on


def _names(root: Node) -> Iterator[Node]:
    """The elements that may be names of what a click on them shows; none is in another."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.attributes or node.tag == "button":
            is_button = node.tag == "button" or node.get("role") in ("button", "tab")
            if (is_button or _collapses(node)) and 0 < node.size <= _LONGEST:
                if node.get("aria-haspopup") in ("", "false") and _says(node):
                    yield node
                continue
        stack.extend(reversed(list(node.elements())))


def _says(node: Node) -> bool:
    said = _label(node)[0].lower()
    return any(map(str.isalpha, said)) and not ACTS.fullmatch(said)


def _collapses(node: Node) -> bool:
    return "collapse" in (node.get("data-bs-toggle"), node.get("data-toggle"))


def _fold(page: Page, name: Node) -> _Fold | None:
    if page.parent(name) is None:
        return None
    said, unseen = _label(name)
    header = page.around(name)
    panel = _panel(page, name, header, said)
    parent = page.parent(panel) if panel else None
    if panel is None or parent is None or parent.tag in _ROWS or not _is_text(panel):
        return None
    return _Fold(name, header, panel, said, unseen)


def _label(name: Node) -> tuple[str, str]:
    """The words of a name that are seen, and the others."""
    unseen = [node for node in name.walk() if node is not name and _is_unseen(node)]
    return words(name, frozenset(unseen)), " ".join(filter(None, map(words, unseen)))


def _is_unseen(node: Node) -> bool:
    return node.tag in UNSEEN or node.get("aria-hidden") == "true" or named(STRONG, node.names)


def _panel(page: Page, name: Node, header: Node, said: str) -> Node | None:
    """What a click on a name shows."""
    beside = page.beside(header)
    for controlled in _controlled(page, name):
        if not page.is_below(controlled, header):
            continue
        if beside and page.holds(beside, controlled):
            return beside
        shows = "aria-expanded" in name.attributes or name.get("role") == "tab" or _collapses(name)
        return controlled if shows else None
    shows = "aria-expanded" in name.attributes or named(DISCLOSES, [*name.names, *header.names])
    return beside if shows or said.endswith(("?", "？", "؟")) else None


def _controlled(page: Page, name: Node) -> list[Node]:
    """The elements with text that a name says it controls."""
    links = [name.get(attribute) for attribute in ("data-bs-target", "data-target", "href")]
    ids = [*name.get("aria-controls").split(), *(link[1:] for link in links if link.startswith("#"))]
    return [node for one in ids[:_NEAR] if (node := page.ids.get(one)) and node.size]


def _is_text(panel: Node) -> bool:
    """Whether a panel is to be read, and is no menu or form."""
    if panel.tag not in _PANELS or panel.linked > _LINKED * panel.size:
        return False
    node: Node | None = panel
    for _ in range(_DEEPEST):
        if node is None:
            break
        if node.tag in _MENUS or node.get("role") in ROLES or named(STRONG, node.names):
            return False
        node = next((child for child in islice(node.elements(), _NEAR) if child.size == panel.size), None)
    return True


def _unfold(page: Page, fold: _Fold) -> None:
    header, panel = fold.header, fold.panel
    if page.parent(header) is None or page.parent(panel) is None:
        return
    _reveal([panel, *(node for node in _controlled(page, fold.name) if page.holds(panel, node))])
    said = [fold.said, *_left_out(fold.unseen)]
    heading = next((node for node in header.walk() if node.tag in _HEADINGS or node.get("role") == "heading"), None)
    if header.tag in _TITLES:
        header.children = said
    elif heading:
        page.put(header, Node(heading.tag, heading.attributes, said))
    else:
        page.put(header, " ")
        page.put(panel, Node("details", {}, [Node("summary", {}, said), panel]))


def _left_out(unseen: str) -> list[Node | str]:
    """Words that are left out, and declared."""
    return [Node("template", {}, [unseen])] if unseen else []


def _reveal(nodes: Sequence[Node]) -> None:
    for node in nodes:
        for attribute in ("hidden", "aria-hidden"):
            node.attributes.pop(attribute, None)
        if HIDDEN.search(node.get("style")):
            del node.attributes["style"]


# Microdata


def _asked(root: Node) -> list[_Asked]:
    """The questions of schema.org in a page."""
    found: list[_Asked] = []
    stack: list[tuple[Node, _Asked | None]] = [(root, None)]
    while stack:
        node, item = stack.pop()
        if node.attributes:
            properties = node.get("itemprop").split() if item else ()
            if item and "name" in properties:
                item.names.append(node)
            elif item and ("acceptedAnswer" in properties or "suggestedAnswer" in properties):
                item.answers.append(node)
            if "itemscope" in node.attributes or "itemtype" in node.attributes:
                item = None
                if node.get("itemtype").strip().endswith("schema.org/Question"):
                    item = _Asked(node)
                    found.append(item)
        stack.extend((child, item) for child in reversed(list(node.elements())))
    return found


def _answer(page: Page, asked: _Asked) -> None:
    """A question with its one answer as `details`. A page about one question has it in its title: that stays."""
    item = asked.item
    if len(asked.names) != 1 or len(asked.answers) != 1:
        return
    name, answer = asked.names[0], asked.answers[0]
    header = page.around(name)
    headed = header.holds & _HEADINGS
    said, unseen = _label(name) if name.size <= _LONGEST else ("", "")
    outer, place = page.parent(answer), page.parent(header)
    if not said or not answer.size or "h1" in headed or (headed and answer.holds & _HEADINGS):
        return
    if outer is None or place is None or not page.is_below(answer, header):
        return
    _reveal([answer, outer])
    if header.tag in _TITLES:
        header.attributes["asked"] = ""
        header.children = [said, *_left_out(unseen)]
    elif place.tag not in _ROWS:
        page.put(header, Node("summary", {"asked": ""}, [said, *_left_out(unseen)]))
        item.children = [Node("details", {}, item.children)]
