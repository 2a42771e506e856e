"""Java."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, named, source, together


def _package(node: Node) -> Found | None:
    name = child(node, "scoped_identifier", "identifier")
    return Found((source(name),), "package") if name is not None else None


def _constant(node: Node) -> Found | None:
    """A field that is static and final, or that of an interface."""
    modifiers = child(node, "modifiers")
    said = {each.type for each in modifiers.children} if modifiers is not None else set()
    if node.type == "field_declaration" and not said >= {"static", "final"}:
        return None
    declared = node.children_by_field_name("declarator")
    names = [source(name) for each in declared if (name := each.child_by_field_name("name")) is not None]
    return together(names, "constant")


def _enum_constant(node: Node) -> Found | None:
    """One with a class of its own; others are listed in the head of their enumeration."""
    return named("constant", inside="class")(node) if node.child_by_field_name("body") is not None else None


JAVA = Language(
    module="tree_sitter_java",
    opens={"package_declaration": _package},
    symbols={
        "class_declaration": named("class", inside="class"),
        "interface_declaration": named("interface", inside="class"),
        "enum_declaration": named("enum", inside="class"),
        "record_declaration": named("record", inside="class"),
        "annotation_type_declaration": named("annotation", inside="class"),
        "method_declaration": named("method"),
        "constructor_declaration": named("method"),
        "compact_constructor_declaration": named("method"),
        "annotation_type_element_declaration": named("method"),
        "enum_constant": _enum_constant,
        "field_declaration": _constant,
        "constant_declaration": _constant,
    },
    neutral=frozenset({"enum_body_declarations"}),
    groups=imports("import_declaration"),
    comments=frozenset({"line_comment", "block_comment"}),
)
