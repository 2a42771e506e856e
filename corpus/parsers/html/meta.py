"""What a page says of itself: in its head, and in data for search engines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from corpus.parsers import language
from corpus.parsers.html.data import Said, read_data
from corpus.parsers.html.tree import Node
from corpus.parsers.html.words import words
from corpus.parsers.markdown.front import iso_date

_DATES = (
    "article:published_time", "datepublished", "date", "dc.date", "dcterms.date", "dcterms.created", "dcterms.issued",
    "dc.date.issued", "pubdate", "publishdate", "citation_publication_date", "article:modified_time",
    "og:updated_time", "last-modified", "dcterms.modified", "datemodified", "revised",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_TAGS = ("keywords", "news_keywords", "article:tag", "dc.subject", "citation_keywords")
_DESCRIPTIONS = ("description", "og:description", "dc.description", "dcterms.description", "twitter:description")
#: elements of the text that give its date or author, by class, as weblogs mark them
_DATE_CLASSES = frozenset({"dt-published", "entry-date", "published", "post-date", "pubdate"})
_URL = re.compile(r"https?://\S+\Z")


@dataclass(frozen=True, slots=True)
class Head:
    """Metadata of a page."""

    title: str | None
    source_url: str | None
    language: str | None  #: ISO 639-1
    date: str | None  #: ISO 8601
    author: str | None
    description: str | None
    tags: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    metas: dict[str, list[str]] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    canonical: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)  #: marked as the day of publication
    stamps: list[str] = field(default_factory=list)  #: other times
    data: list[Said] = field(default_factory=list)
    tongue: str = ""

    def meta(self, names: tuple[str, ...]) -> list[str]:
        return [value for name in names for value in self.metas.get(name, [])]


def read_head(root: Node) -> Head:
    """Read the metadata, wherever in the page it stands; to be called before furniture is taken out."""
    found = _find(root)
    said = found.data
    stamps = found.stamps if len(set(found.stamps)) == 1 else []  # one of several may be the time of anything
    dates = [*found.meta(_DATES[:1]), *(one.date for one in said), *found.meta(_DATES), *found.times, *stamps]
    authors = [value for value in found.meta(_AUTHORS) if not _URL.match(value)]
    authors = authors or next(([*one.authors] for one in said if one.authors), [])
    tags = [*found.meta(_TAGS), *(tag for one in said for tag in one.tags)]
    urls = [url for url in (*found.canonical, *found.metas.get("og:url", [])) if _URL.match(url)]
    named = [
        title for title in (*found.titles, *found.metas.get("og:title", []), *(one.title for one in said)) if title
    ]
    described = [text for text in (*found.meta(_DESCRIPTIONS), *(one.description for one in said)) if text]
    tongue = found.tongue or next(iter(found.metas.get("content-language", [])), "")
    return Head(
        title=next(iter(named), None),
        source_url=next(iter(urls), None),
        language=language.code(tongue),
        date=next((date for value in dates if (date := iso_date(value))), None),
        author=", ".join(dict.fromkeys(authors)) or None,
        description=next(iter(described), None),
        tags=tuple(dict.fromkeys(tag for value in tags for part in re.split("[,;]", value) if (tag := part.strip()))),
    )


def _find(root: Node) -> _Found:
    found = _Found()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.tag == "svg":
            continue  # its `title` is another
        stack.extend(reversed(list(node.elements())))
        if node.tag == "meta":
            name = (node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv")).lower()
            if name and (content := " ".join(node.get("content").split())):
                found.metas.setdefault(name, []).append(content)
        elif node.tag == "title":
            found.titles.append(words(node))
        elif node.tag == "link" and "canonical" in node.get("rel").lower().split():
            found.canonical.append(node.get("href").strip())
        elif node.tag == "time":
            marked = "pubdate" in node.attributes or node.get("itemprop") == "datePublished"
            (found.times if marked or _DATE_CLASSES.intersection(node.names) else found.stamps).append(
                node.get("datetime") or words(node)
            )
        elif node.tag == "script" and node.get("type").lower().strip() == "application/ld+json":
            found.data += read_data("".join(child for child in node.children if isinstance(child, str)))
        elif node.tag in ("html", "body"):
            found.tongue = found.tongue or node.get("lang") or node.get("xml:lang")
    return found
