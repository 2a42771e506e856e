"""Ruby."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, source

_LOADS = frozenset({"require", "require_relative", "load", "autoload"})


def _scope(node: Node) -> Found | None:
    """A class or a module. Comments before its first member are no part of the grammar's own body."""
    name = node.child_by_field_name("name")
    if name is None:
        return None
    head = node.child_by_field_name("superclass") or name
    path = tuple(part for part in source(name).split("::") if part)
    return Found(path, node.type, node, inside="class", head=head)


def _method(node: Node) -> Found | None:
    name, of = node.child_by_field_name("name"), node.child_by_field_name("object")
    if name is None:
        return None
    path = (source(name),) if of is None or source(of) == "self" else (source(of), source(name))
    kind = "function" if of is None else "method"
    return Found(path, kind, node.child_by_field_name("body"), head=node.child_by_field_name("parameters") or name)


def _constant(node: Node) -> Found | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "constant":
        return None
    if right is not None and right.type == "call" and child(right, "do_block", "block") is not None:
        method, head = right.child_by_field_name("method"), right.child_by_field_name("arguments")
        if method is not None and source(method) in ("new", "define"):
            return Found((source(left),), "class", right, inside="class", head=head or method)
    return Found((source(left),), "constant")


def _defined(node: Node) -> Found | None:
    """`define_method(:total) do`."""
    method, given = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    block = node.child_by_field_name("block")
    if method is None or given is None or block is None or source(method) != "define_method":
        return None
    name = given.named_children[0] if given.named_children else None
    if name is None or name.type not in ("simple_symbol", "string"):
        return None
    return Found((source(name).strip(":'\""),), "method", block, head=given)


def _load(node: Node) -> Found | None:
    method = node.child_by_field_name("method")
    return Found((), "import") if method is not None and source(method) in _LOADS else None


RUBY = Language(
    module="tree_sitter_ruby",
    symbols={
        "class": _scope,
        "module": _scope,
        "method": _method,
        "singleton_method": _method,
        "assignment": _constant,
        "call": _defined,
    },
    values={"call": _load},
    wrappers=frozenset({"call", "argument_list"}),  # `private def f`
    transparent=frozenset(
        {"if", "unless", "then", "else", "elsif", "begin", "rescue", "ensure", "case", "when", "do_block", "block"}
    ),
    neutral=frozenset({"body_statement", "singleton_class", "block_body"}),
    groups=imports(),
)
