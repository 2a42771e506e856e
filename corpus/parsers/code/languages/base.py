"""What a programming language is to the parser of source code: which nodes of its grammar mean what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import NamedTuple
from warnings import catch_warnings, filterwarnings

import tree_sitter
from tree_sitter import Node

HUGE = 6_000  #: bytes; functions inside of something longer, which no parent can hold, get blocks of their own
LONG_VALUE = 1_000  #: bytes; the same for data, whose outer names say little about what is far below them
MOST_LINES = 20_000  #: of a stretch; what counts lines in 16 bits fails at 32,768
LONGEST_NAME = 80  #: characters of a name that is no identifier: a selector, a key, a title
IMPORTS = "imports"  #: the group of what names other files


class Found(NamedTuple):
    """What a node defines."""

    path: tuple[str, ...]  #: below the scope that it stands in: `("Store", "Publish")` for a Go method; may be empty
    kind: str
    body: Node | None = None  #: the signature ends where it starts
    inside: str = ""  #: what is in the body has places of its own: `class` makes methods of functions, `module` none
    head: Node | None = None  #: the signature ends with it, whatever the body


Reader = Callable[[Node], Found | None]  #: None: the node is no symbol after all


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a language makes of the nodes of one type."""

    symbol: Reader | None
    value: Reader | None
    opens: Reader | None
    may_define: bool  #: is a symbol or a value, or wraps one
    is_wrapper: bool
    is_neutral: bool
    is_comment: bool
    is_decoration: bool
    is_entered: bool  #: looked into for symbols, however short
    group: str


class Meanings(dict[str, Meaning]):
    """Node type → what it means, each looked up in a language's tables once."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __missing__(self, kind: str) -> Meaning:
        language = self._language
        symbol, value = language.symbols.get(kind), language.values.get(kind)
        is_wrapper, is_neutral = kind in language.wrappers, kind in language.neutral
        meaning = self[kind] = Meaning(
            symbol=symbol,
            value=value,
            opens=language.opens.get(kind),
            may_define=is_wrapper or symbol is not None or value is not None,
            is_wrapper=is_wrapper,
            is_neutral=is_neutral,
            is_comment=kind in language.comments,
            is_decoration=kind in language.decorations,
            is_entered=is_wrapper or is_neutral or kind in language.transparent or kind == "ERROR",
            group=language.groups.get(kind, ""),
        )
        return meaning


@dataclass(frozen=True, slots=True)
class Language:
    """Which nodes of a grammar mean what."""

    module: str  #: of the grammar's wheel
    symbols: Mapping[str, Reader]  #: node type → reader: functions, classes and what else has a place of its own
    values: Mapping[str, Reader] = field(default_factory=dict)  #: of what is a symbol outside of functions only
    opens: Mapping[str, Reader] = field(default_factory=dict)  #: what all after it stands in: `package a.b;`
    elements: Mapping[str, Reader] = field(default_factory=dict)  #: node type → reader of each of its several children
    wrappers: frozenset[str] = frozenset()  #: nodes that belong to the one symbol in them: decorators, `export`
    transparent: frozenset[str] = frozenset()  #: statements that are looked into for symbols: `if`, `try`
    neutral: frozenset[str] = frozenset()  #: nodes whose children count as those of the node around: `#ifdef`
    groups: Mapping[str, str] = field(default_factory=dict)  #: node type → what such nodes are kept together as
    comments: frozenset[str] = frozenset({"comment"})
    decorations: frozenset[str] = frozenset()  #: siblings that belong to the symbol after them
    trailing: frozenset[str] = frozenset()  #: nodes whose last comments belong to what follows them
    docstring: tuple[str, str] | None = None  #: statement and first child that make the file's own documentation
    joint: str = "."  #: between the parts of a qualified name
    huge: int = HUGE
    prepare: Callable[[bytes], bytes] | None = None  #: mends what the grammar cannot read, in place
    stretch: int = 0  #: bytes after which a file is parsed anew, for a grammar that does badly on long ones; 0: never
    anew: re.Pattern[bytes] | None = None  #: where that may be: at what stands at the top level by its look
    function: str = "language"  #: of the wheel's module, gives the grammar
    meanings: Meanings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "meanings", Meanings(self))

    def parser(self) -> tree_sitter.Parser:
        """A new parser of this language."""
        return tree_sitter.Parser(grammar(self.module, self.function))

    def stretches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The parts of a file that are parsed each on its own; together they are all of it."""
        start = lines = at = 0
        for found in self.anew.finditer(data) if self.anew is not None else ():
            place = found.start()
            lines += data.count(b"\n", at, place)
            at = place
            if place - start >= self.stretch or lines >= MOST_LINES:
                yield start, place
                start, lines = place, 0
        yield start, len(data)


@cache
def grammar(module: str, function: str) -> tree_sitter.Language:
    """The grammar that `function` of a wheel's `module` gives, loaded once in a process."""
    handle = getattr(import_module(module), function)()
    with catch_warnings():
        # Grammars built before the capsule interface hand over an address.
        filterwarnings("ignore", message="int argument support is deprecated", category=DeprecationWarning)
        return tree_sitter.Language(handle)


def source(node: Node) -> str:
    """The node's own text."""
    return (node.text or b"").decode("utf-8", "replace")


def child(node: Node, *types: str) -> Node | None:
    """The first child of one of `types`."""
    return next((each for each in node.children if each.type in types), None)


def label(text: str) -> str:
    """A name that is no identifier, on one line and not too long."""
    folded = " ".join(text.split())
    return folded if len(folded) <= LONGEST_NAME else folded[: LONGEST_NAME - 1].rstrip() + "…"


def named(kind: str, *, field: str = "name", inside: str = "") -> Reader:
    """A symbol called what its field `field` says."""

    def read(node: Node) -> Found | None:
        name = node.child_by_field_name(field)
        if name is None or not (called := source(name).strip("'\"`")):
            return None
        return Found((called,), kind, node.child_by_field_name("body"), inside)

    return read


def together(names: list[str], kind: str) -> Found | None:
    """Several names in one statement make one symbol; of very many, the first stands for all."""
    if not names:
        return None
    joined = ", ".join(names)
    return Found((joined if len(joined) <= 60 else f"{names[0]}, …",), kind)


def imports(*types: str) -> dict[str, str]:
    """The groups of a language in which nodes of `types` name other files."""
    return dict.fromkeys(types, IMPORTS)


def first_of(keys: Iterable[str], pairs: Mapping[str, str]) -> str | None:
    """What the first of `keys` is mapped to."""
    return next((pairs[key] for key in keys if pairs.get(key)), None)
