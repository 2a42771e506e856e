"""Directives and roles that docutils does not know, so that no text of a Sphinx document is lost.

A directive of unknown name keeps what it is given: its argument as a title, its content as blocks, or as code if its
name is one of those that hold code. Nothing is included, nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles, states

_CODE = frozenset({
    "code-block", "sourcecode", "testcode", "testsetup", "testcleanup", "testoutput", "doctest", "ipython", "prompt",
    "jupyter-execute", "plot", "productionlist", "graphviz", "digraph", "graph", "mermaid", "uml", "plantuml",
    "command-output", "program-output",
})  # fmt: skip
_NAMES_LANGUAGE = frozenset({"code-block", "sourcecode"})
#: what says how a document is set, not what is in it
_DROPPED = frozenset({
    "contents", "sectnum", "section-numbering", "header", "footer", "highlight", "default-role", "role", "target-notes",
    "index", "currentmodule", "py:currentmodule", "tabularcolumns", "rst-class", "cssclass", "class", "sectionauthor",
    "codeauthor",
})  # fmt: skip
_LISTS = frozenset({"toctree", "autosummary"})
#: what stands in a file beside it, or in markup for one kind of output
_ELSEWHERE = frozenset({"include", "literalinclude", "raw"})
#: the argument says when, not what
_CONDITIONS = frozenset({"only", "ifconfig", "hlist", "grid", "container"})
_SAID = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "seealso": "See also:",
    "todo": "To do:",
    "availability": "Availability:",
    "impl-detail": "Implementation detail:",
}
_TOLD = ("caption", "alt", "title", "subtitle", "synopsis")  #: options whose text a reader sees
_WITH_TARGET = re.compile(r"(?s)(.*?)\s*<([^<>]*)>")


class _AnyOption(dict[str, Any]):
    """Takes every option for known, whatever it is set to."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[[str | None], str]:
        return lambda text: text or ""


class Unknown(Directive):  # type: ignore[misc]
    """Keeps the text of any directive; its class gets the name."""

    required_arguments: ClassVar[int] = 0
    optional_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True
    has_content: ClassVar[bool] = True
    option_spec: ClassVar[Any] = _AnyOption()

    def run(self) -> list[Any]:
        """The nodes that stand for it."""
        full = self.name.lower()
        name = full.rpartition(":")[2]
        argument = self.arguments[0] if self.arguments else ""
        made = nodes.container(classes=["directive", name])
        for key, text in self.options.items():
            shown = nodes.caption if name in _CODE | _LISTS else nodes.paragraph
            made += shown(text, text) if key in _TOLD else nodes.comment("", text)
        if full in _ELSEWHERE | _DROPPED:
            made += nodes.comment("", "\n".join([argument, *self.content]))
        elif name in _CODE:
            made += self._code(name, argument)
        elif name in _LISTS:
            made += self._entries(argument)
        elif name in _CONDITIONS:
            made += [nodes.comment("", argument), *self._blocks(name, "")]
        else:
            made += self._blocks(name, argument)
        return [made]

    def _code(self, name: str, argument: str) -> list[Any]:
        text = "\n".join(self.content)
        if name in _NAMES_LANGUAGE:
            return [nodes.literal_block(text, text, classes=["code", *argument.split()[:1]])]
        if name == "productionlist":
            text = f"{argument}\n{text}".strip()
        elif argument:
            return [nodes.comment("", argument), nodes.literal_block(text, text)]
        return [nodes.literal_block(text, text)]

    def _entries(self, argument: str) -> list[Any]:
        made = nodes.bullet_list()
        targets = []
        for line in filter(str.strip, [argument, *self.content]):
            found = _WITH_TARGET.fullmatch(line.strip())
            shown = (found[1] if found else "") or line.strip()
            targets += [found[2]] if found else []
            made += nodes.list_item("", nodes.paragraph(shown, shown))
        return [made, nodes.comment("", "\n".join(targets))] if len(made) else []

    def _blocks(self, name: str, argument: str) -> list[Any]:
        found: list[Any] = []
        title = " ".join(part for part in (_SAID.get(name, ""), argument) if part)
        for line in filter(str.strip, title.split("\n")):
            words, messages = self.state.inline_text(line.strip(), self.lineno)
            found += [nodes.paragraph(line, "", *words), *messages]
        if self.content:
            inside = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, inside, match_titles=True)
            found += inside.children
        return found


def unknown_role(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,  # noqa: ARG001 - the order of these is docutils'
    inliner: Any,  # noqa: ARG001
    options: Any = None,  # noqa: ARG001
    content: Any = None,  # noqa: ARG001
) -> tuple[list[Any], list[Any]]:
    """The text that a role shows: without the target behind it, and without the marks that shorten it."""
    shown = nodes.unescape(text)
    if found := _WITH_TARGET.fullmatch(shown):
        shown = found[1] or found[2]
    return [nodes.inline(rawtext, shown.lstrip("!~"), classes=["role", name.lower()])], []


@contextmanager
def known() -> Iterator[None]:
    """Have docutils take every directive and role for known."""
    directive: Callable[..., Any] = directives.directive
    role: Callable[..., Any] = roles.role

    def any_directive(name: str, language: Any, document: Any) -> Any:
        lowered = name.lower()
        if lowered in _DROPPED or lowered in _ELSEWHERE or lowered in _NAMES_LANGUAGE:
            return Unknown, []
        found, messages = directive(name, language, document)
        return (_telling(found), messages) if found else (Unknown, [])

    def any_role(name: str, language: Any, lineno: int, reporter: Any) -> Any:
        found, messages = role(name, language, lineno, reporter) if name.lower() != "raw" else (None, [])
        return (found, messages) if found not in (None, roles.unimplemented_role) else (unknown_role, [])

    directives.directive, roles.role = any_directive, any_role
    try:
        yield
    finally:
        directives.directive, roles.role = directive, role


@cache
def _telling(known_directive: type[Any]) -> type[Any]:
    """A directive of docutils that also says which options it was given: they are not lost, they are left out."""

    def run(self: Any) -> list[Any]:
        given = [str(value) for value in (self.options or {}).values() if value is not None]
        given += self.arguments if self.name.lower() == "container" else []
        made: list[Any] = list(known_directive.run(self))  # takes some of them away
        if given and not isinstance(self.state, states.SubstitutionDef):
            made.append(nodes.comment("", "\n".join(given)))
        return made

    return type(known_directive.__name__, (known_directive,), {"run": run})
