"""Globs over addresses."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.globs import covers, first, included, matches


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("**", ["a", "x/a", ".hidden/a b"], []),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md", ".md"], ["a.txt", "a.md/b", "amd"]),
        ("*.md", ["a.md"], ["x/a.md"]),
        ("docs/**", ["docs/a", "docs/a/b"], ["docs", "xdocs/a", "x/docs/a"]),
        ("docs/*", ["docs/a"], ["docs/a/b", "docs"]),
        ("docs/", ["docs/a", "docs/a/b"], ["docs"]),
        ("/docs/*", ["docs/a"], ["x/docs/a"]),
        ("./docs/*", ["docs/a"], []),
        ("**/docs/**", ["docs/a", "x/docs/a", "x/y/docs/z/a"], ["docs", "mydocs/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "x/a/b"]),
        ("**/**/a", ["a", "x/a", "x/y/a"], ["xa"]),
        ("docs/**/**", ["docs/a", "docs/a/b"], ["docs"]),
        ("docs/**.md", ["docs/a.md", "docs/x/a.md"], ["a.md"]),
        ("?.md", ["a.md", "é.md", "😀.md"], ["ab.md", ".md", "/.md"]),
        ("a?b", ["axb"], ["a/b"]),
        ("[a-c].md", ["a.md", "c.md"], ["d.md", "-.md"]),
        ("[!a-c].md", ["d.md"], ["a.md", "/.md"]),
        ("x[!a]y", ["xby"], ["x/y"]),
        ("[]].md", ["].md"], ["[].md"]),
        ("[*].md", ["*.md"], ["a.md"]),
        ("[a-].md", ["a.md", "-.md"], ["b.md"]),
        ("[z-a].md", [], ["z.md", "a.md", "b.md"]),
        ("[a.md", ["[a.md"], ["a.md"]),
        ("a.md", ["a.md"], ["A.md", "axmd"]),
        ("a+(b)|c$^.md", ["a+(b)|c$^.md"], ["c"]),
        ("line\nbreak*", ["line\nbreak\nmore"], []),
    ],
)
def test_a_glob_matches_what_it_says(glob, yes, no):
    assert [uri for uri in yes if not matches(glob, uri)] == []
    assert [uri for uri in no if matches(glob, uri)] == []


def test_a_decomposed_glob_matches_the_composed_address():
    assert matches("e\u0301t\u00e9/*", "\u00e9t\u00e9/a")


def test_the_first_rule_that_matches_decides():
    @dataclass
    class Rule:
        glob: str

    rules = [Rule("secret/**"), Rule("**")]
    assert first(rules, "secret/a") is rules[0]
    assert first(rules, "a") is rules[1]
    assert first(rules[:1], "a") is None


def test_what_is_excluded_is_not_included():
    assert included("a.md", ["**/*.md"], ["drafts/**"])
    assert not included("drafts/a.md", ["**/*.md"], ["drafts/**"])
    assert not included("a.txt", ["**/*.md"], [])
    assert not included("a.txt", [], [])


@pytest.mark.parametrize(
    ("glob", "folder", "expected"),
    [
        ("**", "a", True),
        ("a/**", "a", True),
        ("a/", "a", True),
        ("a/**", "a/b", True),
        ("a/**", "b", False),
        ("**/node_modules/**", "x/y/node_modules", True),
        ("**/node_modules/**", "node_modules/x", True),
        ("a/*", "a", False),
        ("a/**/*.md", "a", False),
    ],
)
def test_a_folder_is_covered_when_everything_below_it_must_match(glob, folder, expected):
    assert covers(glob, folder) is expected


names = st.text(alphabet="ab.é[]*?!-", min_size=1, max_size=4)
paths = st.lists(names.filter(lambda name: name != "."), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.sampled_from(["a", "b", "*", "**", "?", "[ab]", "[!a]"]), min_size=1, max_size=4), paths, paths)
def test_whatever_lies_below_a_covered_folder_matches(parts, folder, below):
    glob = "/".join(parts)
    if covers(glob, folder):
        assert matches(glob, f"{folder}/{below}")


@given(paths)
def test_an_address_with_its_special_characters_in_brackets_matches_itself_alone(uri):
    glob = "".join(f"[{c}]" if c in "*?[" else c for c in uri)
    assert matches(glob, uri)
    assert not matches(glob, uri + "x")


def test_many_stars_take_no_exponential_time():
    started = time.monotonic()
    assert not matches("**/" * 30 + "*a" * 3 + "b", "a/" * 40 + "a" * 40)
    assert time.monotonic() - started < 5
