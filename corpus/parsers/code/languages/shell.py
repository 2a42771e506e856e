"""Bash and Dockerfiles."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, label, named, source, together


def _assignments(node: Node) -> Found | None:
    names = [name for each in _assigned(node) if (name := each.child_by_field_name("name")) is not None]
    words = source(node).split(maxsplit=2)[:2] if node.type == "declaration_command" else []
    fixed = words[:1] == ["readonly"] or (len(words) > 1 and words[1].startswith("-") and "r" in words[1])
    return together([source(name) for name in names], "constant" if fixed else "variable")


def _assigned(node: Node) -> list[Node]:
    return (
        [node] if node.type == "variable_assignment" else [c for c in node.children if c.type == "variable_assignment"]
    )


def _source(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    return Found((), "import") if name is not None and source(name) in ("source", ".") else None


def _stage(node: Node) -> Found | None:
    """A stage is called what `AS` says, or what it begins with."""
    name = node.child_by_field_name("as") or child(node, "image_spec")
    return Found((label(source(name)),), "stage") if name is not None else None


def _instruction(node: Node) -> Found | None:
    return Found((), "instruction") if node.type.endswith("_instruction") else None


BASH = Language(
    module="tree_sitter_bash",
    symbols={"function_definition": named("function")},
    values={
        "declaration_command": _assignments,
        "variable_assignment": _assignments,
        "variable_assignments": _assignments,
        "command": _source,
    },
    transparent=frozenset({"if_statement", "elif_clause", "else_clause", "compound_statement", "list"}),
)
DOCKERFILE = Language(
    module="tree_sitter_dockerfile",
    opens={"from_instruction": _stage},
    symbols={},
    elements={"source_file": _instruction},
)
