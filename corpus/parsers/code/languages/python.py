"""Python."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, imports, named, source, together


def _assignment(node: Node) -> Found | None:
    inner = node.children[0] if node.children else None
    left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
    if left is None:
        return None
    targets = [left] if left.type == "identifier" else left.named_children if left.type == "pattern_list" else []
    if any(target.type != "identifier" for target in targets):
        return None
    names = [source(target) for target in targets]
    return together(names, "constant" if all(name.isupper() for name in names) else "variable")


def _alias(node: Node) -> Found | None:
    left = node.child_by_field_name("left")
    return Found((source(left).partition("[")[0].strip(),), "type") if left is not None else None


PYTHON = Language(
    module="tree_sitter_python",
    symbols={
        "function_definition": named("function"),
        "class_definition": named("class", inside="class"),
        "type_alias_statement": _alias,
    },
    values={"expression_statement": _assignment},
    wrappers=frozenset({"decorated_definition"}),
    transparent=frozenset(
        {
            "block",
            "if_statement",
            "elif_clause",
            "else_clause",
            "try_statement",
            "except_clause",
            "except_group_clause",
            "finally_clause",
            "with_statement",
            "for_statement",
            "while_statement",
            "match_statement",
            "case_clause",
        }
    ),
    groups=imports("import_statement", "import_from_statement", "future_import_statement"),
    docstring=("expression_statement", "string"),
)
