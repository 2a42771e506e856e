"""C#."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, named, source, together


def _file_namespace(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    return Found((source(name),), "namespace") if name is not None else None


def _body(node: Node) -> Node | None:
    return next((found for field in ("body", "accessors", "value") if (found := node.child_by_field_name(field))), None)


def _property(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    return (
        Found((source(name),), "event" if node.type == "event_declaration" else "property", _body(node))
        if name
        else None
    )


def _indexer(node: Node) -> Found | None:
    return Found(("this",), "property", _body(node))


def _destructor(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    return Found((f"~{source(name)}",), "method", _body(node)) if name is not None else None


def _operator(node: Node) -> Found | None:
    """`operator +`, and of conversions `operator int`."""
    sign = node.child_by_field_name("operator" if node.type == "operator_declaration" else "type")
    return Found((f"operator {source(sign)}",), "method", _body(node)) if sign is not None else None


def _constant(node: Node) -> Found | None:
    said = {source(each) for each in node.children if each.type == "modifier"}
    declared = child(node, "variable_declaration")
    if declared is None or not ("const" in said or said >= {"static", "readonly"}):
        return None
    each = [child(one, "identifier") for one in declared.children if one.type == "variable_declarator"]
    return together([source(name) for name in each if name is not None], "constant")


CSHARP = Language(
    module="tree_sitter_c_sharp",
    opens={"file_scoped_namespace_declaration": _file_namespace},
    symbols={
        "namespace_declaration": named("namespace", inside="module"),
        "class_declaration": named("class", inside="class"),
        "struct_declaration": named("struct", inside="class"),
        "interface_declaration": named("interface", inside="class"),
        "record_declaration": named("record", inside="class"),
        "enum_declaration": named("enum"),
        "delegate_declaration": named("delegate"),
        "method_declaration": named("method"),
        "constructor_declaration": named("method"),
        "destructor_declaration": _destructor,
        "property_declaration": _property,
        "event_declaration": _property,
        "indexer_declaration": _indexer,
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
        "local_function_statement": named("function"),
        "field_declaration": _constant,
    },
    wrappers=frozenset({"global_statement"}),
    neutral=frozenset({"preproc_if", "preproc_elif", "preproc_else", "preproc_region"}),
    groups=imports("using_directive", "extern_alias_directive"),
)
