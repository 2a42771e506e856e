"""What is wrong with a configuration, in words for the person who wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

#: what pydantic calls a fault → what a person is told; `{…}` is filled from pydantic's own context
_MESSAGES = {
    "missing": "this key is needed",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "finite_number": "must be a finite number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be text (quotes make it so)",
    "string_too_short": "must not be empty",
    "path_type": "must be the path of a folder",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
    "too_short": "must not be empty",
}

#: fields that nobody writes: the file's own path, and the name of a corpus, which is its key
_NOT_WRITTEN = {("Config", "path"), ("Corpus", "name")}


def readable(path: Path, error: ValidationError, root: type[BaseModel]) -> str:
    """All faults of the file at `path`, each with the path of its key; `root` is the model that refused it.

    One fault is one line; more are a line each, below one that counts them.
    """
    faults = in_words(error, root)
    if len(faults) == 1:
        return f"{path}: {faults[0]}"
    return "\n  ".join([f"{path} has {len(faults)} faults:", *faults])


def in_words(error: ValidationError, root: type[BaseModel] = BaseModel) -> list[str]:
    """Each fault: the path of its key, what is wrong, what stands there."""
    return [_fault(item, root) for item in error.errors(include_url=False)]


def _fault(item: Any, root: type[BaseModel]) -> str:
    kind, given = item["type"], item["input"]
    loc = item["loc"][:2] if item["loc"][2:] == ("name",) else item["loc"]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")
    prefix = f"{where}: " if where else ""
    if kind == "value_error":
        return prefix + str(item["msg"]).removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return f"{prefix}there is no such key (there are {', '.join(_keys_beside(loc, root))})"
    message = _MESSAGES[kind].format(**item.get("ctx", {})) if kind in _MESSAGES else str(item["msg"])
    if kind == "missing" or not (given is None or isinstance(given, str | int | float)):
        return prefix + message
    written = json.dumps(given) if given is None or isinstance(given, bool) else repr(given)
    return f"{prefix}{message}, not {written}"


def _keys_beside(loc: tuple[str | int, ...], root: type[BaseModel]) -> list[str]:
    """The keys that may stand where the key at `loc` stands."""
    section = root
    parts = iter(loc[:-1])
    for part in parts:
        if isinstance(part, int):
            continue
        annotation = section.model_fields[part].annotation
        if get_origin(annotation) is dict:
            next(parts)  # the key of the entry
        choices = (annotation, *get_args(annotation))
        section = next(choice for choice in choices if isinstance(choice, type) and issubclass(choice, BaseModel))
    return sorted(name for name in section.model_fields if (section.__name__, name) not in _NOT_WRITTEN)
