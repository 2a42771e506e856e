"""The programming languages: one entry each, saying which nodes of its grammar are symbols and how they are called.

To add a language: install the wheel of its grammar and add an entry to `LANGUAGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from warnings import catch_warnings, filterwarnings

import tree_sitter
from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Found:
    """What a node defines."""

    path: tuple[str, ...]  #: below the scope that it stands in: `("Store", "Publish")` for a Go method
    kind: str
    body: Node | None = None  #: the signature ends where it starts
    members: bool = False  #: functions and classes in the body are symbols of their own


Reader = Callable[[Node], Found | None]  #: None: the node is no symbol after all


@dataclass(frozen=True, slots=True)
class Language:
    """Which nodes of a grammar mean what."""

    module: str  #: of the grammar's wheel
    symbols: Mapping[str, Reader]  #: node type → reader: functions, classes and what else has a place of its own
    values: Mapping[str, Reader]  #: node type → reader: constants and variables, symbols at the top level only
    wrappers: frozenset[str] = frozenset()  #: nodes that belong to the one symbol in them: decorators, `export`
    transparent: frozenset[str] = frozenset()  #: statements that are looked into for symbols: `if`, `try`
    imports: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset({"comment"})
    decorations: frozenset[str] = frozenset()  #: siblings that belong to the symbol after them
    docstring: tuple[str, str] | None = None  #: statement and first child that make the file's own documentation
    function: str = "language"  #: of the wheel's module, gives the grammar

    def parser(self) -> tree_sitter.Parser:
        """A new parser of this language."""
        handle = getattr(import_module(self.module), self.function)()
        with catch_warnings():
            # Grammars built before the capsule interface hand over an address.
            filterwarnings("ignore", message="int argument support is deprecated", category=DeprecationWarning)
            grammar = tree_sitter.Language(handle)
        return tree_sitter.Parser(grammar)


def source(node: Node) -> str:
    """The node's own text."""
    return (node.text or b"").decode("utf-8", "replace")


def _named(kind: str, *, field: str = "name", members: bool = False) -> Reader:
    """A symbol called what its field `field` says."""

    def read(node: Node) -> Found | None:
        name = node.child_by_field_name(field)
        if name is None or not (called := source(name).strip("'\"`")):
            return None
        return Found((called,), kind, node.child_by_field_name("body"), members)

    return read


def _joined(names: list[str], kind: str) -> Found | None:
    """Several names in one statement make one symbol; of very many, the first stands for all."""
    if not names:
        return None
    together = ", ".join(names)
    return Found((together if len(together) <= 60 else f"{names[0]}, …",), kind)


# Python


def _python_assignment(node: Node) -> Found | None:
    inner = node.children[0] if node.children else None
    left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
    if left is None:
        return None
    targets = [left] if left.type == "identifier" else left.named_children if left.type == "pattern_list" else []
    if any(target.type != "identifier" for target in targets):
        return None
    names = [source(target) for target in targets]
    return _joined(names, "constant" if all(name.isupper() for name in names) else "variable")


def _python_alias(node: Node) -> Found | None:
    left = node.child_by_field_name("left")
    return Found((source(left).partition("[")[0].strip(),), "type") if left is not None else None


# JavaScript and TypeScript

_JS_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})


def _js_value(path: tuple[str, ...], value: Node | None, otherwise: str) -> Found | None:
    """A name bound to a function or a class is that function or class; to anything else, `otherwise` ("" for none)."""
    if value is not None and value.type in _JS_FUNCTIONS:
        return Found(path, "function", value.child_by_field_name("body"))
    if value is not None and value.type == "class":
        return Found(path, "class", value.child_by_field_name("body"), members=True)
    return Found(path, otherwise) if otherwise else None


def _js_variables(node: Node) -> Found | None:
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    names = [name for each in declarators if (name := each.child_by_field_name("name")) is not None]
    values = [each.child_by_field_name("value") for each in declarators]
    if values and all(value is not None and _js_requires(value) for value in values):
        return Found((), "import")
    keyword = node.child_by_field_name("kind")
    kind = "constant" if keyword is not None and source(keyword) == "const" else "variable"
    if len(names) == 1 and names[0].type == "identifier":
        return _js_value((source(names[0]),), values[0], kind)
    return _joined([" ".join(source(name).split()) for name in names if name.end_byte - name.start_byte < 60], kind)


def _js_requires(value: Node) -> bool:
    while value.type in ("member_expression", "call_expression"):
        inner = value.child_by_field_name("object" if value.type == "member_expression" else "function")
        if inner is None:
            return False
        if value.type == "call_expression" and source(inner) == "require":
            return True
        value = inner
    return False


def _js_assignment(node: Node) -> Found | None:
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
    found = _js_value(path or ("exports",), inner.child_by_field_name("right"), "")
    is_method = found is not None and found.kind == "function" and "prototype" in parts
    return replace(found, kind="method") if found is not None and is_method else found


def _js_field(node: Node) -> Found | None:
    """A field, or a pair of a long object, that holds a function."""
    name = next((found for field in ("name", "property", "key") if (found := node.child_by_field_name(field))), None)
    value = node.child_by_field_name("value")
    return _js_value((source(name).strip("'\""),), value, "") if name is not None else None


def _js_default_export(node: Node) -> Found | None:
    value = node.child_by_field_name("value")
    name = value.child_by_field_name("name") if value is not None else None
    return _js_value((source(name) if name is not None else "default",), value, "")


# Go


def _go_method(node: Node) -> Found | None:
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None or receiver is None:
        return None
    words = source(receiver).strip("() \t\n").partition("[")[0].replace("*", " ").split()
    return Found((*words[-1:], source(name)), "method", node.child_by_field_name("body"))


def _go_type(node: Node) -> Found | None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        return None
    kinds = {"struct_type": "struct", "interface_type": "interface"}
    return Found((source(name),), kinds.get(value.type if value is not None else "", "type"))


def _go_values(kind: str) -> Reader:
    def read(node: Node) -> Found | None:
        lists = [child for child in node.named_children if child.type.endswith("_spec_list")]
        specs = [spec for each in (node, *lists) for spec in each.named_children if spec.type.endswith("_spec")]
        return _joined([source(name) for spec in specs for name in spec.children_by_field_name("name")], kind)

    return read


_JS_SYMBOLS: dict[str, Reader] = {
    "function_declaration": _named("function"),
    "generator_function_declaration": _named("function"),
    "class_declaration": _named("class", members=True),
    "method_definition": _named("method"),
    "pair": _js_field,
}
_JS_VALUES: dict[str, Reader] = {
    "lexical_declaration": _js_variables,
    "variable_declaration": _js_variables,
    "expression_statement": _js_assignment,
    "field_definition": _js_field,
    "public_field_definition": _js_field,
    "export_statement": _js_default_export,
}
_TS_SYMBOLS: dict[str, Reader] = {
    **_JS_SYMBOLS,
    "abstract_class_declaration": _named("class", members=True),
    "interface_declaration": _named("interface"),
    "type_alias_declaration": _named("type"),
    "enum_declaration": _named("enum"),
    "internal_module": _named("namespace", members=True),
    "module": _named("module", members=True),
    "function_signature": _named("function"),
    "method_signature": _named("method"),
    "abstract_method_signature": _named("method"),
}
_JS_WRAPPERS = frozenset({"export_statement", "ambient_declaration"})
_JS_TRANSPARENT = frozenset(
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
        symbols=_TS_SYMBOLS,
        values=_JS_VALUES,
        wrappers=_JS_WRAPPERS,
        transparent=_JS_TRANSPARENT | {"ambient_declaration"},
        imports=frozenset({"import_statement", "import_alias"}),
        decorations=frozenset({"decorator"}),
    )


#: media type → language
LANGUAGES: dict[str, Language] = {
    "text/x-python": Language(
        module="tree_sitter_python",
        symbols={
            "function_definition": _named("function"),
            "class_definition": _named("class", members=True),
            "type_alias_statement": _python_alias,
        },
        values={"expression_statement": _python_assignment},
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
        imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
        docstring=("expression_statement", "string"),
    ),
    "text/javascript": Language(
        module="tree_sitter_javascript",
        symbols=_JS_SYMBOLS,
        values=_JS_VALUES,
        wrappers=_JS_WRAPPERS,
        transparent=_JS_TRANSPARENT,
        imports=frozenset({"import_statement"}),
        comments=frozenset({"comment", "html_comment"}),
        decorations=frozenset({"decorator"}),
    ),
    "text/typescript": _typescript("language_typescript"),
    "text/tsx": _typescript("language_tsx"),
    "text/x-go": Language(
        module="tree_sitter_go",
        symbols={
            "function_declaration": _named("function"),
            "method_declaration": _go_method,
            "type_spec": _go_type,
            "type_alias": _go_type,
        },
        values={"const_declaration": _go_values("constant"), "var_declaration": _go_values("variable")},
        wrappers=frozenset({"type_declaration"}),
        imports=frozenset({"import_declaration"}),
    ),
}
