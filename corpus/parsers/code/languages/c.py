"""C and C++: what is declared is found at the bottom of its declarators."""

from __future__ import annotations

import re

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, Reader, child, imports, label, named, source, together
from corpus.parsers.code.languages.c_macros import blanked

_TYPES = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_OPERATOR = re.compile(r"operator\s+(?=[^\w\s])")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_CPLUSPLUS = re.compile(
    r"^[ \t]*(?:(?:class|namespace|typename|virtual|using)[ \t]+[\w:]|template[ \t]*<|namespace[ \t]*\{"
    r"|(?:public|private|protected)[ \t]*:)",
    re.MULTILINE,
)


def is_cplusplus(text: str) -> bool:
    """Whether a header, whose name says C, has what only C++ has."""
    return _CPLUSPLUS.search(_COMMENT.sub("", text)) is not None


def _declared(declarator: Node | None) -> tuple[tuple[str, ...], str]:
    """The name at the bottom of a declarator, and the type of what is directly around it."""
    around = ""
    while declarator is not None:
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type.endswith("_declarator"):
            inner = next((each for each in declarator.named_children if _may_declare(each)), None)
        if inner is None or declarator.type == "operator_cast":
            break
        if declarator.type not in ("parenthesized_declarator", "attributed_declarator"):
            around = declarator.type
        declarator = inner
    if declarator is None:
        return (), around
    return _path(declarator), "function_declarator" if declarator.type == "operator_cast" else around


def _may_declare(node: Node) -> bool:
    return node.type.endswith(("_declarator", "identifier", "_name")) or node.type == "template_function"


def _path(name: Node) -> tuple[str, ...]:
    """`Ns::Class<T>::method` in its parts, without the arguments."""
    parts: list[str] = []
    while name.type == "qualified_identifier":
        scope, inner = name.child_by_field_name("scope"), name.child_by_field_name("name")
        if scope is not None:
            parts.append(_plain(scope))
        if inner is None:
            break
        name = inner
    last = _plain(name)
    return (*parts, last) if last else ()


def _plain(name: Node) -> str:
    if name.type in ("template_type", "template_function", "template_method"):
        name = name.child_by_field_name("name") or name
    if name.type == "operator_cast" and (kind := name.child_by_field_name("type")) is not None:
        return label(f"operator {source(kind)}")
    return label(_OPERATOR.sub("operator", source(name)))


def _function(node: Node) -> Found | None:
    declarator = node.child_by_field_name("declarator")
    path, around = _declared(declarator)
    if not path or around != "function_declarator":
        return None
    if declarator is not None and node.child_by_field_name("type") is None and path[-1].isupper():
        path = (label(source(declarator)),)  # `TEST(Shelf, IsEmpty) {`
    body = node.child_by_field_name("body") or child(node, "try_statement")
    return Found(path, "function", body, head=declarator)


def _type(inside: str) -> Reader:
    """A type with its content; without it, it is only announced."""

    def read(node: Node) -> Found | None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return None
        return Found(_path(name), _TYPES[node.type], body, inside if node.type != "enum_specifier" else "")

    return read


def _typedef(node: Node) -> Found | None:
    defined = node.child_by_field_name("type")
    kind = "type"
    if defined is not None and defined.child_by_field_name("body") is not None:
        kind = _TYPES.get(defined.type, "type")
    names = [_declared(each)[0] for each in node.children_by_field_name("declarator")]
    return together([".".join(path) for path in names if path], kind)


def _declaration(inside: str) -> Reader:
    """A prototype, a variable, or a type that is defined on the way."""

    def read(node: Node) -> Found | None:
        kind = node.child_by_field_name("type")
        if kind is not None and kind.type in _TYPES and (found := _type(inside)(kind)) is not None:
            return found
        declared = [_declared(each) for each in node.children_by_field_name("declarator")]
        if any(path and around == "function_declarator" for path, around in declared):
            path = next(path for path, around in declared if path and around == "function_declarator")
            return Found(path, "function")
        said = {source(each) for each in node.children if each.type in ("type_qualifier", "storage_class_specifier")}
        names = [".".join(path) for path, _ in declared if path]
        return together(names, "constant" if said & {"const", "constexpr"} else "variable")

    return read


def _macro(node: Node) -> Found | None:
    """A macro that stands for something; one without a value is only a mark, such as that of a header."""
    if node.type == "preproc_def" and node.child_by_field_name("value") is None:
        return None
    return named("macro")(node)


def _namespace(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    path = tuple(part.strip().removeprefix("inline ") for part in source(name).split("::"))
    return Found(path, "namespace", node.child_by_field_name("body"), inside="module")


def _concept(node: Node) -> Found | None:
    name = node.child_by_field_name("name")
    return Found((source(name),), "concept", head=name) if name is not None else None


_PREPROCESSOR = frozenset(
    {"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else", "linkage_specification"}
)
_MACROS: dict[str, Reader] = {"preproc_def": _macro, "preproc_function_def": _macro}

C = Language(
    module="tree_sitter_c",
    symbols={
        "function_definition": _function,
        **dict.fromkeys(("struct_specifier", "union_specifier", "enum_specifier"), _type("")),
        "type_definition": _typedef,
        **_MACROS,
    },
    values={"declaration": _declaration("")},
    wrappers=frozenset({"linkage_specification"}),
    neutral=_PREPROCESSOR | {"declaration_list"},
    groups=imports("preproc_include"),
    prepare=blanked,
)
CPLUSPLUS = Language(
    module="tree_sitter_cpp",
    symbols={
        "function_definition": _function,
        **dict.fromkeys(_TYPES, _type("class")),
        "type_definition": _typedef,
        "alias_declaration": named("type"),
        "concept_definition": _concept,
        "namespace_definition": _namespace,
        **_MACROS,
    },
    values={"declaration": _declaration("class"), "field_declaration": _declaration("class")},
    wrappers=frozenset({"template_declaration", "linkage_specification", "friend_declaration"}),
    neutral=_PREPROCESSOR | {"declaration_list", "namespace_definition"},
    groups=imports("preproc_include", "using_declaration", "import_declaration"),
    prepare=blanked,
)
