"""Go. A package is named after its folder, so it is no part of a name."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, Reader, imports, named, source, together


def _method(node: Node) -> Found | None:
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None or receiver is None:
        return None
    words = source(receiver).strip("() \t\n").partition("[")[0].replace("*", " ").split()
    return Found((*words[-1:], source(name)), "method", node.child_by_field_name("body"))


def _type(node: Node) -> Found | None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        return None
    kinds = {"struct_type": "struct", "interface_type": "interface"}
    return Found((source(name),), kinds.get(value.type if value is not None else "", "type"))


def _values(kind: str) -> Reader:
    def read(node: Node) -> Found | None:
        lists = [each for each in node.named_children if each.type.endswith("_spec_list")]
        specs = [spec for each in (node, *lists) for spec in each.named_children if spec.type.endswith("_spec")]
        return together([source(name) for spec in specs for name in spec.children_by_field_name("name")], kind)

    return read


GO = Language(
    module="tree_sitter_go",
    symbols={
        "function_declaration": named("function"),
        "method_declaration": _method,
        "type_spec": _type,
        "type_alias": _type,
    },
    values={"const_declaration": _values("constant"), "var_declaration": _values("variable")},
    wrappers=frozenset({"type_declaration"}),
    groups=imports("import_declaration"),
)
