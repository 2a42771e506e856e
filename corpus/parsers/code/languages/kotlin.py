"""Kotlin. An extension stands under the type that it extends, what is in a companion under `Companion`."""

from __future__ import annotations

import re

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, source

_BODIES = ("class_body", "enum_class_body")
#: a declaration without a block of its own that ends where the class around it does, in the same line
_LAST_IN_LINE = re.compile(rb"(\b(?:fun|va[lr])\b(?:[^\n{}\"]|\"[^\"\n\\]{0,200}\"){0,300}?)[ \t](?=\})")
_TYPES = ("user_type", "nullable_type", "non_nullable_type", "parenthesized_type", "function_type")


def _package(node: Node) -> Found | None:
    name = child(node, "qualified_identifier", "identifier")
    return Found((source(name),), "package") if name is not None else None


def _class(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    modifiers = child(node, "modifiers")
    said = {word for each in modifiers.children for word in source(each).split()} if modifiers is not None else set()
    kind = next((kind for kind in ("enum", "annotation") if kind in said), "class")
    kind = "interface" if child(node, "interface") is not None else kind
    return Found((source(name),), kind, child(node, *_BODIES), inside="class")


def _enum_entry(node: Node) -> Found | None:
    """One with a class of its own; others are listed in the head of their enumeration."""
    name, body = child(node, "identifier"), child(node, *_BODIES)
    return Found((source(name),), "constant", body, inside="class") if name is not None and body is not None else None


def _object(node: Node) -> Found | None:
    name = node.child_by_field_name("name") or child(node, "identifier")
    called = source(name) if name is not None else "Companion"
    return Found((called,), "object", child(node, *_BODIES), inside="class")


def _receiver(node: Node, before: int) -> tuple[str, ...]:
    """The type that an extension extends, without its own arguments: what stands as a type before the name."""
    extended = child(node, *_TYPES)
    if extended is None or extended.start_byte >= before:
        return ()
    words = source(extended).strip("() ").partition("<")[0]
    return (words.rstrip("?"),)


def _function(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    receiver = _receiver(node, name.start_byte)
    return Found((*receiver, source(name).strip("`")), "function", child(node, "function_body"))


def _property(node: Node) -> Found | None:
    """A property with code of its own, an extension, or a `const val`; of others only those of the file are symbols."""
    declared = child(node, "variable_declaration")
    name = child(declared, "identifier") if declared is not None else None
    if declared is None or name is None:
        return None
    modifiers = child(node, "modifiers")
    path = (*_receiver(node, declared.start_byte), source(name).strip("`"))
    if modifiers is not None and "const" in source(modifiers).split():
        return Found(path, "constant")
    return Found(path, "property") if len(path) > 1 or child(node, "getter", "setter") is not None else None


def _variable(node: Node) -> Found | None:
    declared = child(node, "variable_declaration")
    name = child(declared, "identifier") if declared is not None else None
    return Found((source(name),), "variable") if name is not None else None


def _constructor(node: Node) -> Found | None:
    return Found(("constructor",), "method", child(node, "block", "function_body"))


def _alias(node: Node) -> Found | None:
    name = node.child_by_field_name("type") or child(node, "identifier")
    return Found((source(name),), "type") if name is not None else None


def _ended(data: bytes) -> bytes:
    """`data` with a semicolon where the grammar wants to see that `{ fun f() = 1 }` ends."""
    return _LAST_IN_LINE.sub(rb"\1;", data)


KOTLIN = Language(
    module="tree_sitter_kotlin",
    opens={"package_header": _package},
    symbols={
        "class_declaration": _class,
        "enum_entry": _enum_entry,
        "object_declaration": _object,
        "companion_object": _object,
        "function_declaration": _function,
        "property_declaration": _property,
        "secondary_constructor": _constructor,
        "type_alias": _alias,
    },
    values={"property_declaration": _variable},
    groups=imports("import"),
    comments=frozenset({"line_comment", "block_comment"}),
    prepare=_ended,
    stretch=32_000,  # its time grows with the square of the length
    anew=re.compile(rb"(?<=\n\n)(?=[A-Za-z@/])"),
)
