"""What a Markdown file says of itself at its head: YAML, TOML or JSON front matter, or plain lines of keys and values.

- between `---` YAML, between `+++` TOML (`---toml` and the like name the format themselves);
- a JSON object (Hugo);
- `% title`, `% authors`, `% date` (Pandoc);
- `Title: …` and other known keys, up to the first blank line (MultiMarkdown, Pelican, MkDocs).

Front matter that cannot be read is still metadata, with a warning and with those of its lines that can be understood.
But if prose stands in it, it was never closed or is none: then it is text and is indexed.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from corpus.parsers import language

_FENCED = re.compile(r"(?P<fence>---|\+\+\+)(?P<format>yaml|toml|json)?[ \t]*\n")
_BRACE = re.compile(r"\{[ \t]*\n?[ \t]*\"")
_LINES = re.compile(r"(?:[A-Za-z][\w -]{0,40}:[ \t]+\S.*\n(?:[ \t]+\S.*\n)*){2,}(?=[ \t]*\n|\Z)")
_PANDOC = re.compile(r"(?:%[ \t]*.*\n(?:[ \t]+\S.*\n)*){1,3}")
#: a line as front matter has it: a key, an item, a comment, what is indented or closes a bracket; in TOML a table
_DATA = re.compile(r"(?:\s|[-#\]\[}{\"']|[\w.-][\w .-]{0,60}[:=](?:\s|\Z)|\Z)")
_KEY = re.compile(r"^[ \t]{0,8}[\"']?[A-Za-z_][\w -]*[\"']?[ \t]{0,9}[:=](?:\s|$)", re.MULTILINE)
#: a line of damaged front matter that can still be understood: `title: Deploying: the long way`
_PLAIN = re.compile(
    r"^[ \t]{0,8}[\"']?([A-Za-z_][\w-]*)[\"']?[ \t]{0,9}[:=][ \t]{1,9}([^\s\[{&*!|>'%@`#-].*)$", re.MULTILINE
)
_LONGEST = 100_000  #: characters of front matter that are read as data

_TITLE = ("title",)
_DATE = ("date", "published", "publishdate", "pubdate", "created", "lastmod", "last_modified", "updated", "modified")
_AUTHOR = ("author", "authors", "creator", "by")
_TAGS = ("tags", "tag", "keywords", "categories", "category", "topics")
_DESCRIPTION = ("description", "summary", "abstract", "excerpt", "lead", "subtitle")
_LANGUAGE = ("lang", "language", "locale")
_URL = ("canonical", "canonical_url", "canonicalurl", "source_url", "source", "original_url", "permalink", "url")
_NESTED = ("taxonomies", "params", "extra", "metadata", "seo", "html_meta", "myst")  #: tables that hold such keys, too
_KNOWN = frozenset({*_TITLE, *_DATE, *_AUTHOR, *_TAGS, *_DESCRIPTION, *_LANGUAGE, *_URL, "slug", "status", "layout"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was found; `end` is the offset after it, 0 if there is none."""

    end: int = 0
    title: str | None = None
    date: str | None = None  #: ISO 8601
    author: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None  #: ISO 639-1
    source_url: str | None = None
    warnings: tuple[str, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """The front matter at the head of `text`; blank lines may stand before it.

    Two thematic breaks with prose between them are none: front matter holds keys.
    """
    start = len(text) - len(text.lstrip())
    found = _FENCED.match(text, start)
    if found:
        return _fenced(text, found)
    if _BRACE.match(text, start):
        return _object(text, start)
    if found := _PANDOC.match(text):
        return _read(_pandoc(found[0]), found.end())
    if found := _LINES.match(text, start):
        lines = {key.strip(): " ".join(value.split()) for key, value in _entries(found[0])}
        keys = [key.lower() for key in lines]
        if keys[0] in _KNOWN and len(_KNOWN.intersection(keys)) > 1:
            return _read(lines, found.end())
    return FrontMatter()


def _fenced(text: str, opening: re.Match[str]) -> FrontMatter:
    closing = re.compile(r"^(?:---|\.\.\.)[ \t]*$" if opening["fence"] == "---" else r"^\+\+\+[ \t]*$", re.MULTILINE)
    end = closing.search(text, opening.end())
    if end is None:
        return FrontMatter()
    body, after = text[opening.end() : end.start()], min(end.end() + 1, len(text))
    if not body.strip():
        return FrontMatter(end=after)
    form = opening["format"] or ("yaml" if opening["fence"] == "---" else "toml")
    data, fault = _load(body, form)
    if isinstance(data, Mapping):
        return _read(data, after)
    return _damaged(body, after, fault) if fault else FrontMatter()


def _object(text: str, start: int) -> FrontMatter:
    try:
        data, end = json.JSONDecoder().raw_decode(text[start : start + _LONGEST])
    except (ValueError, RecursionError) as error:
        closing = re.compile(r"^\}[ \t]*$", re.MULTILINE).search(text, start)
        return _damaged(text[start : closing.end()], closing.end(), str(error)) if closing else FrontMatter()
    rest = text[start + end :]
    alone = not rest.strip() or rest.lstrip(" \t").startswith("\n")
    return _read(data, start + end) if alone and isinstance(data, Mapping) else FrontMatter()


def _damaged(body: str, end: int, fault: str) -> FrontMatter:
    """What can be said of front matter that its format's own reader refuses."""
    lines = body.split("\n")
    said = " ".join(fault.split())[:300]
    if not _KEY.search(body):
        return FrontMatter()
    if any(not _DATA.match(line) for line in lines) and any(not line.strip() for line in lines):
        return FrontMatter(warnings=(f"what seems to be front matter cannot be read and is taken for text: {said}",))
    plain = {key: value.strip().rstrip(",").strip("\"'") for key, value in _PLAIN.findall(body[:_LONGEST])}
    return replace(_read(plain, end), warnings=(f"the front matter cannot be read: {said}",))


def _entries(source: str) -> list[tuple[str, str]]:
    """Keys and values of lines `Key: value`; an indented line goes on with the value above it."""
    entries: list[tuple[str, str]] = []
    for line in source.splitlines():
        if line[:1].isspace():
            key, value = entries[-1]
            entries[-1] = key, f"{value} {line}"
        else:
            key, _, value = line.partition(":")
            entries.append((key, value))
    return entries


def _pandoc(source: str) -> dict[str, Any]:
    fields = [" ".join(field.split()) for field in re.split(r"^%", source, flags=re.MULTILINE)[1:]]
    title, authors, date = (*fields, "", "", "")[:3]
    return {"title": title, "authors": [author.strip() for author in authors.split(";")], "date": date}


def _load(body: str, form: str) -> tuple[Any, str]:
    """The data, and what is wrong with it if there is none."""
    if len(body) > _LONGEST:
        return None, f"it has more than {_LONGEST:,} characters"
    try:
        return _LOADERS[form](body), ""
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        return None, str(error) or type(error).__name__


def _yaml(body: str) -> Any:
    import yaml

    try:
        return yaml.load(body, _loader())  # noqa: S506 - made of the safe one
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _toml(body: str) -> Any:
    import tomllib

    return tomllib.loads(body)


_LOADERS: dict[str, Callable[[str], Any]] = {"yaml": _yaml, "toml": _toml, "json": json.loads}


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
    nested = [part for name in _NESTED if isinstance(part := data.get(name), Mapping)]
    low: dict[str, Any] = {}
    for part in (data, *nested, *(inner for part in nested if isinstance(inner := part.get("html_meta"), Mapping))):
        for key, value in part.items():
            if isinstance(key, str) and key.strip() and value not in (None, "", []):
                # `description lang=en`: the names of a page's metadata in MyST
                low.setdefault(key.split()[0].lower().replace("-", "_"), value)

    def first(keys: tuple[str, ...]) -> list[str]:
        return next((texts for key in keys if (texts := _texts(low.get(key)))), [])

    tags = [tag for key in _TAGS for tag in _texts(low.get(key), split=True)]
    urls = [url for key in _URL for url in _texts(low.get(key)) if re.match(r"https?://\S+$", url)]
    return FrontMatter(
        end=end,
        title=next(iter(first(_TITLE)), None),
        date=next((date for key in _DATE if (date := iso_date(low.get(key)))), None),
        author=", ".join(first(_AUTHOR)) or None,
        description=" ".join(first(_DESCRIPTION)) or None,
        tags=tuple(dict.fromkeys(tags)),
        language=language.code(next(iter(first(_LANGUAGE)), None)),
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
    for form in ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%a, %d %b %Y %H:%M:%S %Z"):
        try:
            return datetime.datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - only the day is kept
        except ValueError:
            continue
    return None
