"""What front matter (YAML between `---`, TOML between `+++`) says of its document."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from corpus.parsers import language

_YAML = re.compile(r"---[ \t]*\n(?P<body>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TOML = re.compile(r"\+\+\+[ \t]*\n(?P<body>(?:.*\n)*?)\+\+\+[ \t]*(?:\n|\Z)")
_KEY = re.compile(r"^[A-Za-z_][\w -]*:(?:\s|$)", re.MULTILINE)
#: a line of damaged front matter that can still be understood: `title: Deploying: the long way`
_PLAIN = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*[:=][ \t]+([^\s\[{&*!|>\"'%@`#-].*?)[ \t]*$", re.MULTILINE)
_LONGEST = 100_000  #: characters of front matter that are read as data

_TITLE = ("title",)
_DATE = ("date", "published", "publishdate", "pubdate", "created", "lastmod", "last_modified", "updated", "modified")
_AUTHOR = ("author", "authors", "creator", "by")
_TAGS = ("tags", "tag", "keywords", "categories", "category", "topics")
_LANGUAGE = ("lang", "language", "locale")
_URL = ("canonical", "canonical_url", "canonicalurl", "source_url", "source", "original_url", "permalink", "url")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was found; `end` is the offset after it, 0 if there is none."""

    end: int = 0
    title: str | None = None
    date: str | None = None  #: ISO 8601
    author: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None  #: ISO 639-1
    source_url: str | None = None
    warnings: tuple[str, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """The front matter at the head of `text`. Damaged YAML or TOML is still front matter, with a warning.

    Two thematic breaks with prose between them are none: front matter holds keys.
    """
    found = _YAML.match(text) if text.startswith("---") else _TOML.match(text) if text.startswith("+++") else None
    if not found:
        return FrontMatter()
    data, fault = _load(found["body"], yaml=text.startswith("---"))
    if isinstance(data, Mapping):
        return _read(data, found.end())
    if fault and (_KEY.search(found["body"]) or text.startswith("+++")):
        front = _read(dict(_PLAIN.findall(found["body"][:_LONGEST])), found.end())
        return replace(front, warnings=(f"the front matter cannot be read: {fault}",))
    return FrontMatter(end=found.end()) if not found["body"].strip() else FrontMatter()


def _load(body: str, *, yaml: bool) -> tuple[Any, str]:
    if len(body) > _LONGEST:
        return None, f"it has more than {_LONGEST:,} characters"
    if yaml:
        import yaml as pyyaml

        try:
            return pyyaml.load(body, _loader()), ""  # noqa: S506 - made of the safe one
        except (pyyaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError) as error:
            return None, " ".join(str(error).split())[:300] or type(error).__name__
    import tomllib

    try:
        return tomllib.loads(body), ""
    except (ValueError, RecursionError) as error:
        return None, " ".join(str(error).split())[:300]


@cache
def _loader() -> Any:
    """YAML's safe loader, to which neither an impossible date nor a program's own tag (`!ENV`) is an error."""
    import yaml as pyyaml

    class Lenient(pyyaml.SafeLoader):
        pass

    def timestamp(loader: Any, node: Any) -> Any:
        try:
            return loader.construct_yaml_timestamp(node)
        except ValueError:
            return node.value

    Lenient.add_constructor("tag:yaml.org,2002:timestamp", timestamp)
    Lenient.add_constructor(None, lambda _loader, node: node.value if isinstance(node.value, str) else None)
    return Lenient


def _read(data: Mapping[Any, Any], end: int) -> FrontMatter:
    low = {key.lower().replace("-", "_"): value for key, value in data.items() if isinstance(key, str)}

    def first(keys: tuple[str, ...]) -> Any:
        return next((low[key] for key in keys if low.get(key) not in (None, "", [])), None)

    tags = [tag for key in _TAGS for tag in _texts(low.get(key), split=True)]
    urls = [url for key in _URL for url in _texts(low.get(key)) if re.match(r"https?://\S+$", url)]
    return FrontMatter(
        end=end,
        title=next(iter(_texts(first(_TITLE))), None),
        date=iso_date(first(_DATE)),
        author=", ".join(_texts(first(_AUTHOR))) or None,
        tags=tuple(dict.fromkeys(tags)),
        language=language.code(next(iter(_texts(first(_LANGUAGE))), None)),
        source_url=next(iter(urls), None),
    )


def _texts(value: Any, *, split: bool = False) -> list[str]:
    """The texts of a scalar, of a list of scalars, or of mappings with a `name`; comma-separated ones if `split`.

    A title or a tag such as `2024-05-01` is a date to YAML and TOML.
    """
    texts = []
    for item in value if isinstance(value, list) else [value]:
        named = item.get("name") if isinstance(item, Mapping) else item
        if isinstance(named, datetime.date):
            named = named.isoformat()
        if isinstance(named, str | int | float) and not isinstance(named, bool):
            parts = str(named).split(",") if split and not isinstance(value, list) else [str(named)]
            texts += [folded for part in parts if (folded := " ".join(part.split()))]
    return texts


def iso_date(value: Any) -> str | None:
    """A date or time as ISO 8601, from what YAML, TOML or a page's metadata gives; None if it is none."""
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if not isinstance(value, str):
        return None
    text = value.strip().replace("/", "-")
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    try:
        return datetime.datetime.fromisoformat(text).isoformat()
    except ValueError:
        pass
    for form in ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%a, %d %b %Y %H:%M:%S %Z"):
        try:
            return datetime.datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - only the day is kept
        except ValueError:
            continue
    return None
