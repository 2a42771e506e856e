"""Whatever is written into a Markdown file: all of it is in a block, in order, and nothing in code heads a section."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import processor_seconds

from chunkers.document import Document, Kind, Lines, uncovered
from corpus.parsers.base import Settings
from corpus.parsers.markdown.parser import MarkdownParser


def read(source: str) -> Document:
    return MarkdownParser().parse(source.encode("utf-8"), "text/markdown", Settings()).document


def check(document: Document) -> None:
    """What holds of every document."""
    text, lines = document.text, Lines(document.text)
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
    reached = 0
    for block in document.blocks:
        assert not text[reached : block.start].strip()
        source = text[block.start : block.end]
        assert source.strip()
        assert source == source.rstrip()
        first = text.count("\n", 0, block.start) + 1
        assert lines.span(block.start, block.end) == (first, first + source.count("\n"))
        assert not text[text.rfind("\n", 0, block.start) + 1 : block.start].strip()  # a block begins its line
        assert (block.rows is not None) == (block.kind is Kind.TABLE)
        assert (block.level is not None) == (block.kind in (Kind.HEADING, Kind.LIST_ITEM))
        if block.kind is Kind.HEADING:
            assert block.section_path
            assert 1 <= (block.level or 0) <= 6
        reached = block.end
    assert not text[reached:].strip()


PIECES = st.sampled_from(
    [
        "# H", "## H2 {#a}", "text *a*", "- item", "  - nested", "    - deep", "1. one", "> quote", ">> deeper", ">",
        "```", "~~~~", "```{note}", "    code", "\tcode", "| a | b |", "|---|---|", "| 1 | 2 |", "===", "---", "***",
        "[a]: b", "[^1]: n", "    more", "$$", "x", "\\begin{align}", "\\end{align}", ": def", "Term", ":::",
        "::: note", ":::{code}", "!!! tip", "/// x", "///", "<div>", "</div>", "<table>", "<tr><td>c", "</table>",
        "<!--", "-->", "<pre>", "</pre>", "", "", " ", "\u00a0", "\u2028x", "\x0c", "\x0bz", "-", "+", "+++", "...",
        "title: x", "- - a", "> - # h", "1)", "```{figure} a.png", ":class: x", "Table 1: a", "![a](b)", "Figure 1: a",
        ": cap", "[cap]", "\\[", "\\]", "{: .a }", "% a", "{", '"a": 1', "}", "<script>", "</script>", "~~~{tip}",
        "````{note}", "````", '=== "T"', "        # deep", "{{< highlight a >}}", "{{< /highlight >}}", "<h1>a</h1>",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("\n".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=600, deadline=None)
def test_any_lines_are_covered_in_order(source: str) -> None:
    check(read(source))


NOT_A_HEADING = "# not a heading"

FENCED = st.sampled_from(["```", "~~~", "````", "~~~~~"]).map(lambda fence: f"{fence}\n{NOT_A_HEADING}\n\n===\n{fence}")
LEAVES = st.one_of(
    FENCED,
    st.sampled_from(
        [
            "words", "two\nlines", "| a | b |\n|---|---|\n| 1 | 2 |", "$$\na\n=\nb\n$$", "<div>\n\nx\n\n</div>", "***",
            f"    {NOT_A_HEADING}", f"<pre>\n{NOT_A_HEADING}\n</pre>", f"<!-- {NOT_A_HEADING}\n\n{NOT_A_HEADING} -->",
            f"```{{code-block}} sh\n{NOT_A_HEADING}\n```", f"::: {{code}}\n{NOT_A_HEADING}\n:::", "[a]: b", "![a](b)",
            f"{{% highlight sh %}}\n{NOT_A_HEADING}\n{{% endhighlight %}}", "tab\there  ",
            "\u2028a\u2029\x85b", "文字。",
        ]
    ),
)  # fmt: skip


def behind(mark: str, rest: str) -> Callable[[str], str]:
    return lambda source: "\n".join((mark if not at else rest) + line for at, line in enumerate(source.split("\n")))


WRAPS = st.sampled_from(
    [
        behind("> ", "> "),
        behind("- ", "  "),
        behind("1. ", "   "),
        behind("* ", "  "),
        behind('!!! note "T"\n    ', "    "),
        behind('=== "T"\n    ', "    "),
        behind("[^n]: ", "    "),
        behind("term\n: ", "  "),
        lambda source: f"::::: note\n{source}\n:::::",
        lambda source: f"``````{{tip}} T\n{source}\n``````",
        lambda source: f"/// note | T\n\n{source}\n\n///",
        lambda source: f"<details>\n<summary>s</summary>\n\n{source}\n\n</details>",
    ]
)
NESTED = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(lambda wrap, source: wrap(source), WRAPS, inner)
        | st.lists(inner, min_size=2, max_size=3).map("\n\n".join)
    ),
    max_leaves=8,
)
ENDS = st.sampled_from(["", "\n", "  \n\n", "\t"])


@given(
    st.lists(NESTED, min_size=1, max_size=4),
    ENDS,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
)
@settings(max_examples=400, deadline=None)
def test_code_heads_nothing_wherever_it_is_nested(parts: list[str], end: str, newline: str, mark: str) -> None:
    source = "\n\n".join(f"# {number}\n\n{part}" for number, part in enumerate(parts)) + end
    document = read(mark + source.replace("\n", newline))
    check(document)
    assert document.text == source
    titles = [block.section_path for block in document.blocks if block.kind is Kind.HEADING and block.level == 1]
    assert [path for path in titles if path[0].isdigit()] == [(str(number),) for number in range(len(parts))]
    assert not [path for path in titles if path[-1] == NOT_A_HEADING[2:]]


@given(st.text(st.sampled_from("\x00ab# \n-|`>$:~[]()<!{}%\t"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_nul_bytes_and_marks_in_any_order(source: str) -> None:
    document = read(source)
    check(document)
    assert "\x00" not in document.text
    assert document.replaced == source.count("\x00")


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "[" * n + "x",
    "stars": lambda n: "*a " * n,
    "quotes": lambda n: ">" * n + "x",
    "lists": lambda n: "".join("  " * depth + "- x\n" for depth in range(min(n, 1500))),
    "items in one line": lambda n: "- " * n + "x",
    "ticks": lambda n: " ".join("`" * length for length in range(1, min(n, 1500))) + "x",
    "heading": lambda n: "# " + "*a **b " * n,
    "spaces in a heading": lambda n: "# a" + " " * n + "x",
    "brackets in a heading": lambda n: "# " + "[" * n,
    "references": lambda n: "[a]: <b\n" * n,
    "definitions": lambda n: "[a]: b\n" * n,
    "tables": lambda n: "| a |\n|-|\n" * n,
    "captions": lambda n: "Table 1: a\n| a |\n|-|\n" * n,
    "raw tables": lambda n: "<table>\n\n" * n,
    "raw headings": lambda n: "<div>\n" + "<h1>a\n" * n,
    "images in a raw heading": lambda n: "<h1>" + '<img alt="' * n + "</h1>",
    "attributes in a raw heading": lambda n: "<h1><img " + 'alt="" ' * n + "</h1>",
    "comments": lambda n: "<!--a-->" * n + "x",
    "comments not closed": lambda n: "<!--\n\n" * n,
    "shortcodes": lambda n: "{{< highlight a >}}\n" * n,
    "environments": lambda n: "\\begin{align}\n" * n,
    "dollars": lambda n: "$$ a\n" * n,
    "dollars in a line": lambda n: "$$ a" * n,
    "colons": lambda n: "::: a\n" * n,
    "colons of two lengths": lambda n: ":::: a\n:::\n" * n,
    "directives": lambda n: "~~~{note}\n:::\n" * n,
    "slashes": lambda n: "/// a\n\n" * n,
    "admonitions": lambda n: "!!! note\n    a\n\n" * n,
    "admonitions in each other": lambda n: "".join("    " * (at % 150) + "!!! note\n" for at in range(n)),
    "footnotes": lambda n: "[^1]: a\n\n" * n,
    "terms": lambda n: "a\n: b\n" * n,
    "front matter not closed": lambda n: "---\na: b\n" + "a: b\n" * n,
    "broken front matter": lambda n: "---\na: x" + " " * n + "y\nb: [\n---\nx",
    "plain keys": lambda n: "Title: a\n" * n,
    "brackets in front matter": lambda n: "---\na: " + "[" * n + "\n---\nx",
    "braces": lambda n: '{"a":' * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_cost_time_in_step_with_their_size(name: str) -> None:
    def seconds(size: int) -> float:
        document_source = HOSTILE[name](size)
        return processor_seconds(lambda: read(document_source))

    def least(size: int) -> float:
        return min(seconds(size) for _ in range(3))

    # Eight times as much, sixty-four times as long if it were quadratic; what is over in no time proves nothing.
    small, large = 2_000, 16_000
    assert seconds(large) < 0.5 or least(large) < 24 * least(small)


@pytest.mark.parametrize(
    ("source", "letter", "count"),
    [
        ("[" * 50_000 + "x", "x", 1),
        ("*a " * 60_000, "a", 60_000),
        (">" * 20_000 + "x", "x", 1),
        ("".join("  " * depth + "- a\n" for depth in range(3000)), "a", 3000),
        (" ".join("`" * length for length in range(1, 3000)), "`", 2999 * 3000 // 2),
    ],
    ids=["brackets", "stars", "quotes", "lists", "ticks"],
)
def test_hostile_files_arrive_whole(source: str, letter: str, count: int) -> None:
    started = time.process_time()
    document = read(source)
    assert time.process_time() - started < 20
    kept = "".join(document.text[block.start : block.end] for block in document.blocks)
    assert kept.count(letter) == count
