"""JavaScript and TypeScript, both with JSX."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, Reader, imports, named, source, together

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})


def _value(path: tuple[str, ...], value: Node | None, otherwise: str) -> Found | None:
    """A name bound to a function or a class is that function or class; to anything else, `otherwise` ("" for none).

    What is bound to an object with functions is looked into.
    """
    if value is not None and value.type in _FUNCTIONS:
        return Found(path, "function", value.child_by_field_name("body"))
    if value is not None and value.type == "class":
        return Found(path, "class", value.child_by_field_name("body"), inside="class")
    if value is not None and value.start_point.row < value.end_point.row and _holds_functions(value, levels=2):
        return Found(path, otherwise or "object", value, inside="class")
    return Found(path, otherwise) if otherwise else None


def _holds_functions(value: Node, *, levels: int) -> bool:
    """Whether functions are members of an object, or of one that is a member of it: `{ methods: { load() {} } }`."""
    if value.type != "object":
        return False
    for member in value.named_children:
        held = member.child_by_field_name("value") if member.type == "pair" else None
        if member.type == "method_definition" or (
            held is not None and (held.type in _FUNCTIONS or (levels > 1 and _holds_functions(held, levels=levels - 1)))
        ):
            return True
    return False


def _variables(node: Node) -> Found | None:
    declarators = [each for each in node.named_children if each.type == "variable_declarator"]
    names = [name for each in declarators if (name := each.child_by_field_name("name")) is not None]
    values = [each.child_by_field_name("value") for each in declarators]
    if values and all(value is not None and _requires(value) for value in values):
        return Found((), "import")
    keyword = node.child_by_field_name("kind")
    kind = "constant" if keyword is not None and source(keyword) == "const" else "variable"
    if len(names) == 1 and names[0].type == "identifier":
        return _value((source(names[0]),), values[0], kind)
    return together([" ".join(source(name).split()) for name in names if name.end_byte - name.start_byte < 60], kind)


def _requires(value: Node) -> bool:
    while value.type in ("member_expression", "call_expression"):
        inner = value.child_by_field_name("object" if value.type == "member_expression" else "function")
        if inner is None:
            return False
        if value.type == "call_expression" and source(inner) == "require":
            return True
        value = inner
    return False


def _assignment(node: Node) -> Found | None:
    """`exports.f = function () {}` is `f`, `Store.prototype.publish = function () {}` is `Store.publish`."""
    inner = node.children[0] if node.children else None
    if inner is None or inner.type != "assignment_expression":
        return None
    left = inner.child_by_field_name("left")
    if left is None or left.type not in ("member_expression", "identifier"):
        return None
    parts = [part.strip() for part in source(left).split(".")]
    path = tuple(part for part in parts if part not in ("module", "exports", "prototype", "window", "this"))
    if not all(part.replace("$", "_").isidentifier() for part in path):
        return None
    found = _value(path or ("exports",), inner.child_by_field_name("right"), "")
    is_method = found is not None and found.kind == "function" and "prototype" in parts
    return found._replace(kind="method") if found is not None and is_method else found


def _field(node: Node) -> Found | None:
    """A field, or a pair of a long object, that holds a function."""
    name = next((found for field in ("name", "property", "key") if (found := node.child_by_field_name(field))), None)
    value = node.child_by_field_name("value")
    return _value((source(name).strip("'\""),), value, "") if name is not None else None


def _default_export(node: Node) -> Found | None:
    """What `export default` gives away; `export … from` names another file as an import does."""
    if node.child_by_field_name("source") is not None:
        return Found((), "import")
    value = node.child_by_field_name("value")
    name = value.child_by_field_name("name") if value is not None else None
    return _value((source(name) if name is not None else "default",), value, "")


_SYMBOLS: dict[str, Reader] = {
    "function_declaration": named("function"),
    "generator_function_declaration": named("function"),
    "class_declaration": named("class", inside="class"),
    "method_definition": named("method"),
    "pair": _field,
}
_VALUES: dict[str, Reader] = {
    "lexical_declaration": _variables,
    "variable_declaration": _variables,
    "expression_statement": _assignment,
    "field_definition": _field,
    "public_field_definition": _field,
    "export_statement": _default_export,
}
_TYPESCRIPT_SYMBOLS: dict[str, Reader] = {
    **_SYMBOLS,
    "abstract_class_declaration": named("class", inside="class"),
    "interface_declaration": named("interface"),
    "type_alias_declaration": named("type"),
    "enum_declaration": named("enum"),
    "internal_module": named("namespace", inside="module"),
    "module": named("module", inside="module"),
    "function_signature": named("function"),
    "method_signature": named("method"),
    "abstract_method_signature": named("method"),
}
_WRAPPERS = frozenset({"export_statement", "ambient_declaration"})
_TRANSPARENT = frozenset(
    {
        "if_statement",
        "else_clause",
        "try_statement",
        "catch_clause",
        "finally_clause",
        "statement_block",
        # a file whose whole content stands in a function that is called at once
        "expression_statement",
        "call_expression",
        "parenthesized_expression",
        "unary_expression",
        "arguments",
        "function_expression",
        "arrow_function",
    }
)


def _typescript(function: str) -> Language:
    return Language(
        module="tree_sitter_typescript",
        function=function,
        symbols=_TYPESCRIPT_SYMBOLS,
        values=_VALUES,
        wrappers=_WRAPPERS,
        transparent=_TRANSPARENT | {"ambient_declaration"},
        groups=imports("import_statement", "import_alias"),
        decorations=frozenset({"decorator"}),
    )


JAVASCRIPT = Language(
    module="tree_sitter_javascript",
    symbols=_SYMBOLS,
    values=_VALUES,
    wrappers=_WRAPPERS,
    transparent=_TRANSPARENT,
    groups=imports("import_statement"),
    comments=frozenset({"comment", "html_comment"}),
    decorations=frozenset({"decorator"}),
)
TYPESCRIPT = _typescript("language_typescript")
TSX = _typescript("language_tsx")
