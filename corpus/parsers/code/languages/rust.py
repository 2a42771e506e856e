"""Rust. What an `impl` block holds stands under the type that it is for, whatever the trait."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, imports, label, named, source


def _impl(node: Node) -> Found | None:
    kind = node.child_by_field_name("type")
    while kind is not None:
        inner = kind.child_by_field_name("name" if kind.type == "scoped_type_identifier" else "type")
        if inner is None:
            break
        kind = inner
    if kind is None:
        return None
    return Found((label(source(kind)),), "impl", node.child_by_field_name("body"), inside="class")


def _struct(node: Node) -> Found | None:
    """A struct; what is in the brackets of a tuple stays in the signature."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    is_tuple = body is not None and body.type == "ordered_field_declaration_list"
    return Found((source(name),), "struct", None if is_tuple else body) if name is not None else None


def _module(node: Node) -> Found | None:
    """A module with its content; `mod a;` only names a file."""
    return named("module", inside="module")(node) if node.child_by_field_name("body") is not None else None


RUST = Language(
    module="tree_sitter_rust",
    symbols={
        "function_item": named("function"),
        "function_signature_item": named("function"),
        "struct_item": _struct,
        "enum_item": named("enum"),
        "union_item": named("union"),
        "trait_item": named("trait", inside="class"),
        "impl_item": _impl,
        "mod_item": _module,
        "type_item": named("type"),
        "associated_type": named("type"),
        "const_item": named("constant"),
        "static_item": named("variable"),
        "macro_definition": named("macro"),
    },
    neutral=frozenset({"foreign_mod_item", "declaration_list"}),
    groups=imports("use_declaration", "extern_crate_declaration", "mod_item"),
    comments=frozenset({"line_comment", "block_comment"}),
    decorations=frozenset({"attribute_item"}),
)
