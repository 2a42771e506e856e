"""PHP, with the HTML around it."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, named, source, together

_CLOSURES = frozenset({"anonymous_function", "arrow_function"})
_LOADS = frozenset({"require_expression", "require_once_expression", "include_expression", "include_once_expression"})


def _namespace(node: Node) -> Found | None:
    """A namespace, to the end of its braces; without them it goes on to the next one."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    path = (source(name).replace("\\", "."),) if name is not None else ()
    return Found(path, "namespace", body, inside="module" if body is not None else "")


def _opening(node: Node) -> Found | None:
    return _namespace(node) if node.child_by_field_name("body") is None else None


def _constants(node: Node) -> Found | None:
    names = [child(each, "name") for each in node.children if each.type == "const_element"]
    return together([source(name) for name in names if name is not None], "constant")


def _closure(node: Node) -> Found | None:
    name, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if name is None or value is None or name.type != "variable_name" or value.type not in _CLOSURES:
        return None
    return Found((source(name),), "function", value.child_by_field_name("body"))


def _anonymous(node: Node) -> Found | None:
    """A class without a name, called as PHP itself calls it."""
    return Found(("class@anonymous",), "class", node.child_by_field_name("body"), inside="class")


def _statement(node: Node) -> Found | None:
    """`require 'a.php';`, `define('A', 1);` and `$f = function () {};`."""
    inner = node.named_children[0] if node.named_children else None
    if inner is None:
        return None
    if inner.type in _LOADS:
        return Found((), "import")
    if inner.type == "assignment_expression":
        return _closure(inner)
    called, given = inner.child_by_field_name("function"), inner.child_by_field_name("arguments")
    if called is None or given is None or source(called).lower() != "define" or not given.named_children:
        return None
    name = source(given.named_children[0])
    return Found((name[1:-1],), "constant") if name[:1] in ("'", '"') and len(name) > 2 else None


PHP = Language(
    module="tree_sitter_php",
    function="language_php",
    opens={"namespace_definition": _opening},
    symbols={
        "namespace_definition": _namespace,
        "class_declaration": named("class", inside="class"),
        "anonymous_class": _anonymous,
        "interface_declaration": named("interface", inside="class"),
        "trait_declaration": named("trait", inside="class"),
        "enum_declaration": named("enum", inside="class"),
        "function_definition": named("function"),
        "method_declaration": named("method"),
        "const_declaration": _constants,
    },
    values={"expression_statement": _statement},
    wrappers=frozenset({"return_statement", "object_creation_expression"}),  # `return new class {`
    transparent=frozenset(
        {"if_statement", "else_clause", "else_if_clause", "compound_statement", "colon_block", "try_statement"}
    ),
    groups={**imports("namespace_use_declaration"), "text": "html", "text_interpolation": "html", "php_tag": "html"},
)
