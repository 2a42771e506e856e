"""What a page's head says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.parsers import language
from corpus.parsers.html_tree import Node
from corpus.parsers.html_words import words
from corpus.parsers.markdown_front import iso_date

_DATES = (
    "article:published_time", "datepublished", "date", "dc.date", "dcterms.date", "dcterms.created", "dcterms.issued",
    "pubdate", "publishdate", "citation_publication_date", "article:modified_time", "og:updated_time", "last-modified",
    "dcterms.modified", "datemodified", "revised",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_TAGS = ("keywords", "news_keywords", "article:tag", "dc.subject", "citation_keywords")
_URL = re.compile(r"https?://\S+\Z")


@dataclass(frozen=True, slots=True)
class Head:
    """Metadata of a page."""

    title: str | None
    source_url: str | None
    language: str | None  #: ISO 639-1
    date: str | None  #: ISO 8601
    author: str | None
    tags: tuple[str, ...]


def read_head(root: Node) -> Head:
    """Read the metadata, wherever in the page it stands; to be called before furniture is taken out."""
    metas: dict[str, list[str]] = {}
    titles: list[str] = []
    canonical: list[str] = []
    times: list[str] = []
    tongue = ""
    drawn = 0
    for node in root.walk():
        if node.tag == "meta":
            name = (node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv")).lower()
            if name and (content := " ".join(node.get("content").split())):
                metas.setdefault(name, []).append(content)
        elif node.tag == "svg":
            drawn += sum(1 for inner in node.walk() if inner.tag == "title")
        elif node.tag == "title":
            if drawn:
                drawn -= 1
            else:
                titles.append(words(node))
        elif node.tag == "link" and "canonical" in node.get("rel").lower().split():
            canonical.append(node.get("href").strip())
        elif node.tag == "time" and ("pubdate" in node.attributes or node.get("itemprop") == "datePublished"):
            times.append(node.get("datetime"))
        elif node.tag in ("html", "body"):
            tongue = tongue or node.get("lang") or node.get("xml:lang")
    dates = [*(value for name in _DATES for value in metas.get(name, [])), *times]
    authors = [value for name in _AUTHORS for value in metas.get(name, []) if not _URL.match(value)]
    tags = [tag.strip() for name in _TAGS for value in metas.get(name, []) for tag in re.split("[,;]", value)]
    urls = [url for url in (*canonical, *metas.get("og:url", [])) if _URL.match(url)]
    named = [title for title in (*titles, *metas.get("og:title", [])) if title]
    return Head(
        title=next(iter(named), None),
        source_url=next(iter(urls), None),
        language=language.code(tongue or next(iter(metas.get("content-language", [])), "")),
        date=next((found for value in dates if (found := iso_date(value))), None),
        author=", ".join(dict.fromkeys(authors)) or None,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
    )
