"""CSS: a rule is called by its selector, and what is in `@media` and the like stands under it."""

from __future__ import annotations

from tree_sitter import Node

from corpus.parsers.code.languages.base import Found, Language, child, imports, label, source

_RULES = frozenset({"rule_set", "media_statement", "supports_statement", "at_rule", "scope_statement"})


def _rule(node: Node) -> Found | None:
    selectors, block = child(node, "selectors"), child(node, "block")
    if selectors is None or not (name := label(source(selectors))):
        return None
    return Found((name,), "rule", block)


def _at_rule(node: Node) -> Found | None:
    """`@media (…)` with its rules; `@layer a, b;` has none and is no symbol."""
    block = child(node, "block", "keyframe_block_list")
    if block is None:
        return None
    name = label((node.text or b"")[: block.start_byte - node.start_byte].decode("utf-8", "replace"))
    holds_rules = any(each.type in _RULES for each in block.children)
    return Found((name,), "at-rule", block, inside="module" if holds_rules else "") if name else None


CSS = Language(
    module="tree_sitter_css",
    symbols={
        "rule_set": _rule,
        "media_statement": _at_rule,
        "supports_statement": _at_rule,
        "scope_statement": _at_rule,
        "keyframes_statement": _at_rule,
        "at_rule": _at_rule,
    },
    groups=imports("import_statement", "charset_statement", "namespace_statement"),
    comments=frozenset({"comment", "js_comment"}),
    joint=" ",
)
