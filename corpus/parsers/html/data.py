"""JSON-LD: what a page tells search engines of itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_LONGEST = 1_000_000  #: characters of such data
_MOST = 2_000  #: objects in it that are looked at
#: types, by the ends of their names, of what a page is; others are what it sells, or who runs it
_PAGES = (
    "Article", "Posting", "WebPage", "FAQPage", "QAPage", "AboutPage", "Report", "HowTo", "Recipe", "Book", "Dataset",
    "CreativeWork", "Documentation", "SoftwareSourceCode", "Course",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """What one object says of the page; empty where it says nothing."""

    title: str
    date: str
    description: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]


def read_data(source: str) -> list[Said]:
    """The objects in a JSON-LD script that describe a page; none if it is no JSON."""
    if len(source) > _LONGEST:
        return []
    try:
        waiting: list[Any] = [json.loads(source)]
    except (ValueError, RecursionError):
        return []
    said = []
    for _ in range(_MOST):
        if not waiting:
            break
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += [item[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in item]
            if any(name.endswith(_PAGES) for name in _texts(item.get("@type"))):
                said.append(_read(item))
    return said


def _read(item: dict[str, Any]) -> Said:
    return Said(
        title=_first(item, "headline", "name"),
        date=_first(item, "datePublished", "dateCreated", "dateModified"),
        description=_first(item, "description", "abstract"),
        authors=tuple(_names(item.get("author") or item.get("creator"))),
        tags=tuple(_texts(item.get("keywords"))),
    )


def _first(item: dict[str, Any], *keys: str) -> str:
    return next((text for key in keys for text in _texts(item.get(key))), "")


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [folded for one in values if isinstance(one, str) and (folded := " ".join(one.split()))]


def _names(value: Any) -> list[str]:
    people = value if isinstance(value, list) else [value]
    named = [person.get("name") if isinstance(person, dict) else person for person in people]
    return [name for one in named for name in _texts(one) if not name.startswith(("http:", "https:"))]
