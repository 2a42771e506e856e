"""A syntax tree → what begins where in a source file: symbols, comments, imports, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from tree_sitter import Node, Parser, Tree

from chunkers.document import Symbol
from corpus.parsers.code.blocks import Role, Seen
from corpus.parsers.code.languages.base import IMPORTS, Found, Language, Meaning

DEEPEST = 24  #: scopes inside one another that are followed; what is deeper belongs to the last
LONGEST = 240  #: characters of a signature

_READ = 1 << 16  #: bytes that a grammar is handed at a time
_NAME = 64  #: bytes, enough for a name: what is handed out at a time once the tree is there
_OPENING = re.compile(r"(?: ?(?:=>|[{(\[=,]))+$")  #: what a signature ends with where its body begins
_DECORATIONS = frozenset({"decorator", "annotation", "marker_annotation", "attribute_list", "attribute_declaration"})
_VALUES = frozenset({"constant", "variable"})  #: kinds that are symbols at the top level only
_CALLABLE = frozenset({"function", "method"})
#: What a comment, a decorator or an attribute may begin with in any of the languages. Each begins with a letter of its
#: own, so that what has none of them is passed over fast.
_ASIDE = re.compile(rb"#|@|/[/*]|--|=begin|\[(?<![\w)\]]\[)")


@dataclass(slots=True)
class _Source:
    """The bytes as a grammar reads them. A node's `text` is read anew, and costs all that is handed out for it."""

    data: bytes
    handed: int = _READ

    def __call__(self, offset: int, _: object) -> bytes:
        return self.data[offset : offset + self.handed]


@dataclass(slots=True)
class _Scope:
    """The children of a node that are still to be looked at."""

    nodes: Iterator[Node]
    path: tuple[str, ...]
    kind: str  #: module, statement (inside an `if` and the like), class or function
    holder: str  #: type of the node, if it holds several of the same; else empty
    around: tuple[str, ...] = ()  #: path before anything in it opened another


def _tree(parser: Parser, data: bytes) -> Tree | None:
    """The syntax tree; None if a grammar loses itself in it, which some do over a few bytes that are no code.

    The work is counted, not timed, so that the same bytes always give the same.
    """
    budget = 1000 + len(data) // 10  # a grammar reports about once in 100 bytes
    reports = count(1)
    source = _Source(data)
    try:
        tree = parser.parse(source, progress_callback=lambda *_: next(reports) > budget)
    except ValueError:  # what tree-sitter raises when it was told to stop
        return None
    source.handed = _NAME
    return tree


@dataclass(slots=True)
class Walk:
    """Goes over a tree in order, without recursion, into everything that holds symbols."""

    language: Language
    _holds: dict[int, bool] = field(default_factory=dict)  #: node id → whether there is a symbol below it
    _modules: set[tuple[str, ...]] = field(default_factory=set)  #: paths of what makes no methods of functions
    _data: bytes = b""  #: what is being parsed

    def seen(self, data: bytes) -> Iterator[Seen]:
        """What begins where in a file, `data` being its UTF-8 form."""
        opened: tuple[str, ...] = ()
        parser = self.language.parser()
        data = self.language.prepare(data) if self.language.prepare is not None else data
        for start, stop in self.language.stretches(data):
            self._holds.clear()
            self._data = data[start:stop]
            tree = _tree(parser, self._data)
            if tree is None:
                yield Seen(start, stop, Role.LOOSE, opened)
                continue
            outermost = self._scope(tree.root_node, (), "module")
            outermost.path = opened
            seen = self._seen(outermost)
            if start:
                seen = (each._replace(start=each.start + start, end=each.end + start) for each in seen)
            yield from seen
            opened = outermost.path

    def _seen(self, outermost: _Scope) -> Iterator[Seen]:
        language = self.language
        meanings = language.meanings
        scopes = [outermost]
        first = True
        while scopes:
            scope = scopes[-1]
            deepest = len(scopes) >= DEEPEST
            for node in scope.nodes:
                start, end = node.byte_range
                if start >= end:
                    continue
                meaning = meanings[node.type]
                is_first, first = first, first and meaning.is_comment
                if meaning.opens is not None and (found := meaning.opens(node)) is not None:
                    scope.path = scope.around + found.path
                    yield Seen(start, end, *self._what(node, node, found, scope, scope.path))
                    continue
                found, inner = None, node
                if meaning.may_define or scope.holder:
                    found, inner = self._read(node, meaning, scope, deepest=deepest)
                if found is None:
                    if not deepest and self._is_entered(node, meaning, end - start):
                        keeps = meaning.is_neutral or scope.kind != "module"
                        scopes.append(self._scope(node, scope.path, scope.kind if keeps else "statement"))
                        break
                    yield self._plain(node, meaning, scope, start, end, is_first=is_first)
                    continue
                path = scope.path + found.path
                what = self._what(node, inner, found, scope, path)
                body = found.body if found.inside else self._body_of_huge(inner, found)
                if body is None or deepest:
                    left = self._left_behind(node, path) if language.trailing else []
                    yield Seen(start, left[0].start if left else end, *what)
                    yield from left
                else:
                    role = Role.HEAD if what[0] is Role.SYMBOL else what[0]
                    left = self._before(inner, body, path)
                    yield Seen(start, left[0].start if left else body.start_byte, role, *what[1:])
                    yield from left
                    scopes.append(self._scope(body, path, found.inside or "function"))
                    if found.inside == "module":
                        self._modules.add(path)
                    break
            else:
                scopes.pop()

    def _scope(self, node: Node, path: tuple[str, ...], kind: str) -> _Scope:
        children = node.children
        holder = ""
        if node.type in self.language.elements:
            held = sum(1 for each in children if each.is_named and each.type not in self.language.comments)
            holder = node.type if held > 1 else ""
        return _Scope(iter(children), path, kind, holder, path)

    def _what(
        self, node: Node, inner: Node, found: Found, scope: _Scope, path: tuple[str, ...]
    ) -> tuple[Role, tuple[str, ...], Symbol | None]:
        """How a symbol is seen; what has no name of its own is only told apart from its neighbours."""
        if not found.path:
            return Role.PART, path, None
        kind = found.kind
        if kind == "function" and (scope.kind == "class" or (len(found.path) > 1 and path[:-1] not in self._modules)):
            kind = "method"
        signature = _signature(self._data, node, inner, found)
        return Role.SYMBOL, path, Symbol(self.language.joint.join(path), kind, signature)

    def _plain(self, node: Node, meaning: Meaning, scope: _Scope, start: int, end: int, *, is_first: bool) -> Seen:
        role, group = Role.LOOSE, meaning.group
        if meaning.is_comment:
            role = Role.COMMENT
        elif meaning.is_decoration:
            role = Role.DECORATION
        elif scope.kind == "module":
            if meaning.value is not None and (found := meaning.value(node)) and found.kind == "import":
                group = IMPORTS
            if is_first and (docstring := self.language.docstring) and node.children:
                group = "docstring" if (node.type, node.children[0].type) == docstring else group
        return Seen(start, end, role, scope.path, None, group)

    def _left_behind(self, node: Node, path: tuple[str, ...]) -> list[Seen]:
        """The comments at the end of a symbol that belong to what follows it."""
        comments: list[Seen] = []
        if node.type in self.language.trailing:
            for each in reversed(node.named_children):
                if each.type not in self.language.comments:
                    break
                comments.append(Seen(each.start_byte, each.end_byte, Role.COMMENT, path))
        return comments[::-1]

    def _before(self, node: Node, body: Node, path: tuple[str, ...]) -> list[Seen]:
        """The comments directly before a body, which belong to what is first in it."""
        comments: list[Seen] = []
        for each in node.children if node.id != body.id else ():
            if each.start_byte >= body.start_byte:
                break
            is_comment = each.type in self.language.comments
            comments = [*comments, Seen(each.start_byte, each.end_byte, Role.COMMENT, path)] if is_comment else []
        return comments

    def _read(self, node: Node, meaning: Meaning, scope: _Scope, *, deepest: bool) -> tuple[Found | None, Node]:
        """What `node` defines, and the node inside it that says so."""
        if scope.holder and (element := self.language.elements[scope.holder](node)) is not None:
            return element, node
        if meaning.is_wrapper and meaning.symbol is not None and (found := meaning.symbol(node)) is not None:
            return found, node
        inner = node
        while meaning.is_wrapper:
            wrapped = [(child, each) for child in inner.children if (each := self._definition(child))]
            if len(wrapped) != 1:
                break
            inner, meaning = wrapped[0]
        found = meaning.symbol(inner) if meaning.symbol is not None else None
        if found is None and meaning.value is not None and not deepest:
            found = meaning.value(inner)
            if found is not None and (
                found.kind == "import"
                or (found.kind in _VALUES and scope.kind != "module")
                or (found.body is None and scope.kind == "function")
            ):
                found = None
        return found, inner

    def _definition(self, node: Node) -> Meaning | None:
        meaning = self.language.meanings[node.type]
        return meaning if meaning.may_define else None

    def _body_of_huge(self, node: Node, found: Found) -> Node | None:
        """Where to look for the functions inside of a symbol that is too long to be read at once."""
        if node.end_byte - node.start_byte <= self.language.huge:
            return None
        body = found.body or node
        return body if self._has_symbols(body) else None

    def _is_entered(self, node: Node, meaning: Meaning, length: int) -> bool:
        if meaning.is_neutral:
            return node.child_count > 0
        return (meaning.is_entered or length > self.language.huge) and self._has_symbols(node)

    def _has_symbols(self, node: Node) -> bool:
        """Whether a function or a class lies below `node`, not counting what nobody looks into."""
        known = self._holds
        if node.id in known:
            return known[node.id]
        meanings, huge = self.language.meanings, self.language.huge
        trail = [(node, iter(node.children))]
        while trail:
            current, children = trail[-1]
            in_error = current.type == "ERROR"
            is_long = current.end_byte - current.start_byte > huge
            for child in children:
                meaning = meanings[child.type]
                reader = meaning.value if in_error and meaning.symbol is None else meaning.symbol
                may_hold = meaning.is_entered or (is_long and child.end_byte - child.start_byte > huge)
                if reader is None and not may_hold:
                    continue
                if known.get(child.id) or (reader is not None and reader(child) is not None):
                    known.update((above.id, True) for above, _ in trail)
                    return True
                if may_hold and child.id not in known:
                    trail.append((child, iter(child.children)))
                    break
            else:
                known[current.id] = False
                trail.pop()
        return False


def _signature(data: bytes, node: Node, inner: Node, found: Found) -> str:
    """The source up to the body on one line; of what is no function and has no body, the first line."""
    body, head = found.body, found.head
    end = head.end_byte if head is not None else body.start_byte if body is not None else inner.end_byte
    whole = head is not None or body is not None or found.kind in _CALLABLE
    start = node.start_byte
    shown = end if whole or (newline := data.find(b"\n", start, end)) < 0 else newline
    if _ASIDE.search(data, start, shown) is None:
        text = data[start:shown].decode("utf-8", "replace")
    else:
        places = [start, *(place for aside in _asides(node, end, deep=whole) for place in aside), end]
        pieces = [data[at:stop].decode("utf-8", "replace") for at, stop in zip(places[::2], places[1::2], strict=True)]
        text = " ".join(pieces).strip()
        text = text if whole else text.partition("\n")[0]
    folded = " ".join(text[: 4 * LONGEST].split())
    if len(folded) > LONGEST:
        return folded[:LONGEST].rsplit(" ", 1)[0] + " …"
    shorter = folded.rstrip("; \\")
    if shorter.endswith((">", "{", "(", "[", "=", ",")):
        shorter = _OPENING.sub("", shorter)
    shorter = shorter or folded
    return shorter if shorter[:1].isalnum() or any(map(str.isalnum, shorter)) else ""


def _asides(node: Node, end: int, *, deep: bool) -> Iterator[tuple[int, int]]:
    """The decorators of a symbol and the comments before `end`; if not `deep`, only those directly below it."""
    trail = [(node, True)]
    while trail:
        current, near = trail.pop()
        if "comment" in current.type or (near and current.type in _DECORATIONS):
            yield current.start_byte, current.end_byte
        elif deep or near:
            below = current.id == node.id or current.type == "modifiers"
            trail.extend((child, below) for child in reversed(current.children) if child.start_byte < end)
