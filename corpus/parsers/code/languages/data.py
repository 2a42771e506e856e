"""YAML, TOML and JSON: what a key holds is a symbol, and if it is long, so are the keys in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from corpus.parsers.code.languages.base import LONG_VALUE, Found, Language, child, first_of, label, source

_NAMING = ("name", "id", "key", "title", "slug", "alias", "uses")  #: keys that tell an element from its neighbours
_MANY = 60  #: keys of an element in which one that names it is looked for


def _bare(node: Node) -> str:
    """A key or a scalar without its quotes."""
    text = source(node).strip()
    return label(text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text)


# JSON


def _json_pair(node: Node) -> Found | None:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or not (name := _bare(key)):
        return None
    return Found((name,), "key", value if value is not None and value.type in ("object", "array") else None)


def _json_element(node: Node) -> Found | None:
    """One of several objects: named by what names it, else without a name."""
    if node.type not in ("object", "array"):
        return None
    known: dict[str, tuple[str, Node]] = {}
    for pair in node.named_children[:_MANY]:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None and value.type in ("string", "number"):
            known[_bare(key)] = (_bare(value), pair)
    name = first_of(_NAMING, {key: text for key, (text, _) in known.items()})
    head = next((pair for text, pair in known.values() if text == name), None)
    return Found((name,) if name else (), "element", head=head)


# TOML


def _toml_keys(node: Node) -> tuple[str, ...]:
    """The parts of a dotted key, in order."""
    parts: list[str] = []
    waiting = [node]
    while waiting:
        key = waiting.pop()
        if key.type == "dotted_key":
            waiting += reversed(key.named_children)
        else:
            parts.append(_bare(key))
    return tuple(parts)


def _toml_key(node: Node) -> Node | None:
    return child(node, "bare_key", "quoted_key", "dotted_key")


def _toml_table(node: Node) -> Found | None:
    key = _toml_key(node)
    if key is None:
        return None
    path = _toml_keys(key)
    if node.type == "table_array_element":
        pairs = [each for each in node.named_children[:_MANY] if each.type == "pair"]
        named = {".".join(_toml_keys(name)): pair for pair in pairs if (name := _toml_key(pair)) is not None}
        values = {key: _bare(pair.named_children[-1]) for key, pair in named.items() if key in _NAMING}
        path += tuple(filter(None, [first_of(_NAMING, values)]))
    return Found(path, "table")


def _toml_pair(node: Node) -> Found | None:
    key = _toml_key(node)
    return Found(_toml_keys(key), "key") if key is not None else None


# YAML


def _yaml_pair(node: Node) -> Found | None:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or not (name := _bare(key)):
        return None
    return Found((name,), "key", value if value is not None and value.type == "block_node" else None)


def _yaml_scalars(node: Node) -> Iterator[tuple[str, str]]:
    """The keys of the mapping that `node` holds, one level below each with a dot, and their scalars."""
    waiting: list[tuple[str, Node]] = [("", node)]
    while waiting:
        prefix, at = waiting.pop()
        if at.type in ("block_mapping_pair", "flow_pair"):
            key, value = at.child_by_field_name("key"), at.child_by_field_name("value")
            if key is None or value is None or prefix.count(".") > 1:
                continue
            name = f"{prefix}{_bare(key)}"
            if value.type == "flow_node":
                yield name, _bare(value)
            elif not prefix:
                waiting.append((f"{name}.", value))
        elif at.type in _YAML_NEUTRAL:
            waiting += [(prefix, each) for each in reversed(at.named_children[:_MANY])]


def _yaml_item(node: Node) -> Found | None:
    held = child(node, "block_node", "flow_node")
    name = first_of(_NAMING, dict(_yaml_scalars(held))) if held is not None else None
    return Found((name,) if name else (), "element")


def _yaml_document(node: Node) -> Found | None:
    """One of several documents of a stream. Those of Kubernetes are known by kind and name."""
    scalars = dict(_yaml_scalars(node))
    kind, name = scalars.get("kind"), scalars.get("metadata.name")
    called = f"{kind}/{name}" if kind and name else first_of(_NAMING, scalars)
    return Found((called,) if called else (), "document")


_YAML_NEUTRAL = frozenset({"document", "block_node", "flow_node", "block_mapping", "flow_mapping", "block_sequence"})

JSON = Language(
    module="tree_sitter_json",
    symbols={"pair": _json_pair},
    elements={"array": _json_element, "document": _json_element},
    neutral=frozenset({"document", "object", "array"}),
    huge=LONG_VALUE,
)
TOML = Language(
    module="tree_sitter_toml",
    symbols={"table": _toml_table, "table_array_element": _toml_table, "pair": _toml_pair},
    trailing=frozenset({"table", "table_array_element"}),
    huge=LONG_VALUE,
)
YAML = Language(
    module="tree_sitter_yaml",
    symbols={"block_mapping_pair": _yaml_pair, "flow_pair": _yaml_pair, "block_sequence_item": _yaml_item},
    elements={"stream": _yaml_document},
    neutral=_YAML_NEUTRAL,
    huge=LONG_VALUE,
    stretch=1_000_000,
    anew=re.compile(rb"^(?=---\s|- |[\w\"'][^\n:]*:\s)", re.MULTILINE),
)
