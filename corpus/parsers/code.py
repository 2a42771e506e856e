"""Source code → blocks, through tree-sitter; SQL through a scanner of statements.

Symbols are what a reader looks for by name: functions, methods, classes' heads, types, constants. Everything else
is a block of code. A file with syntax errors loses nothing: what cannot be understood is code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from tree_sitter import Node

from chunkers.document import Document, Symbol
from corpus.errors import UnsupportedFormat
from corpus.parsers.code_blocks import Role, Seen, blocks_of
from corpus.parsers.code_languages import LANGUAGES, Found, Language
from corpus.parsers.code_sql import statements
from corpus.parsers.decode import decode

HUGE = 6_000  #: bytes; functions inside of something longer, which no parent can hold, get blocks of their own
DEEPEST = 24  #: scopes inside one another that are followed; what is deeper belongs to the last

#: the encoding that a Python file names in its first two lines (PEP 263)
_DECLARED = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_OPENING = re.compile(r"(?:\s*(?:=>|[{(\[=]))+$")  #: what a signature ends with where its body begins


class CodeParser:
    """Reads source code. The text is the source, so that spans are places in the file."""

    name: ClassVar[str] = "code"
    version: ClassVar[int] = 1

    def parse(self, data: bytes, media_type: str, *, pages: int) -> Document:  # noqa: ARG002 - code has no pages
        """Parse a source file in the language of `media_type`.

        Raises `ParseError` for bytes that are not text, `UnsupportedFormat` for another language.
        """
        declared = _DECLARED.match(data) if media_type == "text/x-python" else None
        decoded = decode(data, declared[1].decode("ascii") if declared else None)
        text = decoded.text
        encoded = text.encode("utf-8")
        if media_type == "text/x-sql":
            blocks = blocks_of(text, encoded, statements(text))
        elif media_type in LANGUAGES:
            blocks = blocks_of(text, encoded, _Walk(LANGUAGES[media_type]).seen(encoded))
        else:
            raise UnsupportedFormat(
                f"no grammar for {media_type}", hint=f"there are {', '.join(LANGUAGES)}", stage="parse"
            )
        return Document(
            text=text,
            blocks=blocks,
            media_type=media_type,
            text_is_source=True,
            encoding=decoded.encoding,
            replaced=decoded.replaced,
        )


@dataclass(slots=True)
class _Scope:
    """The children of a node that are still to be looked at."""

    nodes: Iterator[Node]
    path: tuple[str, ...]
    kind: str  #: module, statement (inside an `if` and the like), class or function


@dataclass(slots=True)
class _Walk:
    """Goes over a tree in order, without recursion, into everything that holds symbols."""

    language: Language
    _holds: dict[int, bool] = field(default_factory=dict)  #: node id → whether there is a symbol below it

    def seen(self, data: bytes) -> Iterator[Seen]:
        """What begins where in a file, `data` being its UTF-8 form."""
        root = self.language.parser().parse(data).root_node
        scopes = [_Scope(iter(root.children), (), "module")]
        first = True
        while scopes:
            scope = scopes[-1]
            node = next(scope.nodes, None)
            if node is None:
                scopes.pop()
                continue
            if node.start_byte >= node.end_byte:
                continue
            is_first, first = first, first and node.type in self.language.comments
            found, inner = self._read(node, scope, deepest=len(scopes) >= DEEPEST)
            if found is not None:
                symbol = _symbol(node, inner, found, scope)
                path = scope.path + found.path
                body = found.body if found.members else self._body_of_huge(inner, found)
                if body is None or len(scopes) >= DEEPEST:
                    yield Seen(node.start_byte, node.end_byte, Role.SYMBOL, path, symbol)
                else:
                    yield Seen(node.start_byte, body.start_byte, Role.HEAD, path, symbol)
                    kind = "function" if not found.members else "class" if found.kind == "class" else "module"
                    scopes.append(_Scope(iter(body.children), path, kind))
            elif self._enters(node) and self._has_symbols(node) and len(scopes) < DEEPEST:
                kind = "statement" if scope.kind == "module" else scope.kind
                scopes.append(_Scope(iter(node.children), scope.path, kind))
            else:
                yield self._plain(node, scope, is_first=is_first)

    def _plain(self, node: Node, scope: _Scope, *, is_first: bool) -> Seen:
        role, group = Role.LOOSE, ""
        if node.type in self.language.comments:
            role = Role.COMMENT
        elif node.type in self.language.decorations:
            role = Role.DECORATION
        elif node.type in self.language.imports:
            group = "imports"
        elif scope.kind == "module":
            if (reader := self.language.values.get(node.type)) and (found := reader(node)) and found.kind == "import":
                group = "imports"
            if is_first and self.language.docstring and node.children:
                group = "docstring" if (node.type, node.children[0].type) == self.language.docstring else group
        return Seen(node.start_byte, node.end_byte, role, scope.path, group=group)

    def _read(self, node: Node, scope: _Scope, *, deepest: bool) -> tuple[Found | None, Node]:
        """What `node` defines, and the node inside it that says so."""
        inner = node
        while inner.type in self.language.wrappers:
            wrapped = [child for child in inner.children if self._defines(child)]
            if len(wrapped) != 1:
                break
            inner = wrapped[0]
        found = None
        if inner.type in self.language.symbols:
            found = self.language.symbols[inner.type](inner)
        elif inner.type in self.language.values and not deepest:
            found = self.language.values[inner.type](inner)
            if found is not None and (
                found.kind == "import" or (found.kind not in ("function", "class") and scope.kind != "module")
            ):
                found = None
        return found, inner

    def _defines(self, node: Node) -> bool:
        language = self.language
        return node.type in language.symbols or node.type in language.values or node.type in language.wrappers

    def _body_of_huge(self, node: Node, found: Found) -> Node | None:
        """Where to look for the functions inside of a symbol that is too long to be read at once."""
        if node.end_byte - node.start_byte <= HUGE:
            return None
        body = found.body or node
        return body if self._has_symbols(body) else None

    def _enters(self, node: Node) -> bool:
        language = self.language
        return (
            node.type in language.transparent
            or node.type in language.wrappers
            or node.type == "ERROR"
            or node.end_byte - node.start_byte > HUGE
        )

    def _has_symbols(self, node: Node) -> bool:
        """Whether a function or a class lies below `node`, not counting what nobody looks into."""
        known = self._holds
        if node.id in known:
            return known[node.id]
        trail = [(node, iter(node.children))]
        while trail:
            current, children = trail[-1]
            for child in children:
                reader = self.language.symbols.get(child.type)
                if known.get(child.id) or (reader is not None and reader(child) is not None):
                    known.update((above.id, True) for above, _ in trail)
                    return True
                if child.id not in known and self._enters(child):
                    trail.append((child, iter(child.children)))
                    break
            else:
                known[current.id] = False
                trail.pop()
        return False


def _symbol(node: Node, inner: Node, found: Found, scope: _Scope) -> Symbol:
    kind = "method" if found.kind == "function" and scope.kind == "class" else found.kind
    return Symbol(".".join(scope.path + found.path), kind, _signature(node, inner, found.body))


def _signature(node: Node, inner: Node, body: Node | None) -> str:
    """The source up to the body on one line; without a body, the first line."""
    source = node.text or b""
    end = body.start_byte if body is not None else inner.end_byte
    pieces = []
    at = node.start_byte
    for start, stop in [*_asides(node, end, deep=body is not None), (end, end)]:
        pieces.append(source[at - node.start_byte : start - node.start_byte].decode("utf-8", "replace"))
        at = stop
    text = " ".join(pieces).strip()
    if body is None:
        text = text.partition("\n")[0]
    folded = " ".join(text.split())
    shorter = _OPENING.sub("", folded.rstrip("; "))
    return shorter if " " in shorter else folded


def _asides(node: Node, end: int, *, deep: bool) -> Iterator[tuple[int, int]]:
    """The comments and decorators before `end`; if not `deep`, only those beside the symbol and not inside it."""
    trail = [node]
    while trail:
        current = trail.pop()
        if "comment" in current.type or current.type == "decorator":
            yield current.start_byte, current.end_byte
        elif deep or current.id == node.id:
            trail.extend(child for child in reversed(current.children) if child.start_byte < end)
