"""What an afternoon and lxml give: a walk over the tree that knows the common tags and the common words of classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree, html

from bench.blocks import CODE, HEADING, LIST_ITEM, PARAGRAPH, Block, Reading
from bench.peers.html_rows import rows_of

_LEFT_OUT = {"script", "style", "noscript", "template", "head", "nav", "header", "footer", "aside", "form", "button"}
_NAMED = re.compile(
    r"(?i)(?:^|[\s_-])(?:nav|navbar|navheader|navfooter|menu|sidebar|footer|breadcrumbs?|cookies?)(?:$|[\s_-])"
)
_ANCHORS = {"§", "¶", "#"}
_KINDS = {**dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING), "li": LIST_ITEM}
_ALONE = {"address", "article", "blockquote", "body", "br", "center", "dd", "details", "div", "dl", "dt", "figcaption"}
_ALONE |= {"figure", "hr", "html", "main", "ol", "p", "section", "summary", "table", "td", "th", "tr", "ul", *_KINDS}


def version() -> str:
    """Which lxml this is."""
    return ".".join(map(str, etree.LXML_VERSION[:3]))


def read(path: Path) -> Reading:
    """Parse a page; its encoding is what libxml2 takes it for."""
    tree = html.fromstring(path.read_bytes(), parser=html.HTMLParser(huge_tree=True, remove_comments=True))
    found: Any = tree.xpath("//main | //*[@role='main'] | //article")
    main = found[0] if found else tree
    return Reading(tuple(_blocks(main)))


def _blocks(main: Any) -> Iterator[Block]:
    """Text is collected until an element begins or ends that stands by itself."""
    collected: list[str] = []

    def flush(element: Any) -> Iterator[Block]:
        text = " ".join("".join(collected).split())
        collected.clear()
        if text:
            tag = next((tag for tag in _upwards(element) if tag in _KINDS), "")
            yield Block(_KINDS.get(tag, PARAGRAPH), text, level=int(tag[1]) if tag[:1] == "h" else None)

    walk = etree.iterwalk(main, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if tag in _ALONE or tag == "pre":
            yield from flush(element if event == "end" else element.getparent())
        if event == "end":
            collected.append(element.tail or "")
            continue
        if tag == "pre":
            yield Block(CODE, element.text_content())
        elif tag == "table" and element.find(".//table") is None:
            yield Block.table(rows_of(element))
        elif not _is_left_out(element):
            collected.append(element.text or "")
            continue
        walk.skip_subtree()
    yield from flush(main)


def _is_left_out(element: Any) -> bool:
    if element.tag in _LEFT_OUT or (element.tag == "a" and element.text_content().strip() in _ANCHORS):
        return True
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return bool(_NAMED.search(names)) and element.find(".//h1") is None and element.tag not in ("body", "html")


def _upwards(element: Any) -> Iterator[str]:
    while element is not None:
        yield element.tag
        element = element.getparent()
