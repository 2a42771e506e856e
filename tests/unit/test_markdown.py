from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Block, Document, Kind, uncovered
from corpus.parsers import parse
from corpus.parsers.markdown import MarkdownParser


def read(text: str) -> Document:
    return parse(text.encode(), uri="a.md")


def spans(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def only(document: Document, kind: Kind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def texts(document: Document, kind: Kind) -> list[str]:
    return [document.text[block.start : block.end] for block in only(document, kind)]


def test_the_text_is_the_source() -> None:
    source = "# A\n\nb  \nc\n"
    document = read(source)
    assert document.text == source
    assert document.text_is_source
    assert spans(document) == [("heading", "# A"), ("paragraph", "b  \nc")]


def test_headings_give_sections_without_marks_and_anchors() -> None:
    document = read("# The *way* of `x` { #way }\n\n## [Link](u) & co ##\n\ntext\n\nTop\n===\n\n### Deep\n")
    assert [(block.level, block.section_path) for block in only(document, Kind.HEADING)] == [
        (1, ("The way of x",)),
        (2, ("The way of x", "Link & co")),
        (1, ("Top",)),
        (3, ("Top", "Deep")),
    ]
    assert document.title == "The way of x"
    assert only(document, Kind.PARAGRAPH)[0].section_path == ("The way of x", "Link & co")


@pytest.mark.parametrize(
    "fence",
    [
        "```\n# no\n```",
        "~~~ py\n# no\n~~~",
        "````\n```\n# no\n```\n````",
        "    # no\n    more",
        "```\n# no",
        "```{code-block} py\n# no\n```",
        ":::{code-block} py\n# no\n:::",
        '{{< highlight bash "linenos=true" >}}\n\n# no\n\n{{< /highlight >}}',
        "{% highlight ruby %}\n# no\n{% endhighlight %}",
        "<pre>\n# no\n</pre>",
    ],
)
def test_a_hash_in_code_is_no_heading(fence: str) -> None:
    document = read(f"# Yes\n\n{fence}\n")
    assert texts(document, Kind.HEADING) == ["# Yes"]
    assert texts(document, Kind.CODE) == [fence]


@pytest.mark.parametrize("line", ["#Nospace", "####### seven", "\\# escaped"])
def test_what_is_no_heading_by_commonmark_is_a_paragraph(line: str) -> None:
    assert spans(read(line)) == [("paragraph", line)]


def test_list_items_are_leaves_with_a_depth_and_the_lead_in_stays_apart() -> None:
    document = read(
        "Steps:\n\n- one\n\n  second para\n  - nested\n    ```\n    # code\n    ```\n\n    tail\n- two\n\n1. first\n"
    )
    assert [(*span, block.level) for span, block in zip(spans(document), document.blocks, strict=True)] == [
        ("paragraph", "Steps:", None),
        ("list_item", "- one\n\n  second para", 1),
        ("list_item", "  - nested", 2),
        ("code", "    ```\n    # code\n    ```", None),
        ("list_item", "    tail", 2),
        ("list_item", "- two", 1),
        ("list_item", "1. first", 1),
    ]


def test_tables_have_rows_of_plain_cells() -> None:
    source = "| a | **b** |\n|---|---|\n| `x\\|y` | [l](u) |\n| z |"
    (table,) = only(read(source), Kind.TABLE)
    assert table.rows == (("a", "b"), ("x|y", "l"), ("z", ""))


def test_a_raw_table_is_a_table_although_it_has_blank_lines() -> None:
    source = '<table>\n<tr><th colspan="2">A</th></tr>\n\n<tr><td>1</td><td>2</td></tr>\n</table>'
    document = read(f"before\n\n{source}\n\nafter")
    assert spans(document) == [("paragraph", "before"), ("table", source), ("paragraph", "after")]
    assert only(document, Kind.TABLE)[0].rows == (("A", ""), ("1", "2"))


def test_quotes_footnotes_formulas_and_definitions_have_their_kinds() -> None:
    document = read("> a\n>\n> b\n\n[^1]: note\n\n$$\nx^2\n$$\n\nTerm\n: meaning\n\n> # quoted\n")
    assert spans(document) == [
        ("quote", "> a\n>"),
        ("quote", "> b"),
        ("footnote", "[^1]: note"),
        ("formula", "$$\nx^2\n$$"),
        ("paragraph", "Term"),
        ("paragraph", ": meaning"),
        ("quote", "> # quoted"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        '!!! note "Look"\n    body',
        ":::note\nbody\n:::",
        "/// tip | Look\n\nbody\n\n///",
        "<details>\n\nbody\n\n</details>",
    ],
)
def test_marks_of_boxes_stay_with_what_is_in_them(source: str) -> None:
    assert spans(read(f"# T\n\n{source}\n\n## Next\n")) == [
        ("heading", "# T"),
        ("paragraph", source),
        ("heading", "## Next"),
    ]


@pytest.mark.parametrize(
    "box",
    [
        "!!! note\n    first\n\n    # In it",
        "??? tip\n    first\n\n    # In it",
        ":::note Title\n# In it\n:::",
        "::: {.callout-tip}\n# In it\n:::",
        "> [!NOTE]\n> # In it",
    ],
)
def test_a_heading_in_a_box_does_not_head_what_follows_it(box: str) -> None:
    document = read(f"# T\n\n{box}\n\nafter\n")
    assert texts(document, Kind.HEADING) == ["# T"]
    assert {block.section_path for block in document.blocks} == {("T",)}


def test_a_heading_in_a_part_of_the_page_is_one() -> None:
    document = read("# T\n\n::: {.panel-tabset}\n## R\ntext\n:::\n")
    assert texts(document, Kind.HEADING) == ["# T", "## R"]


def test_marks_of_boxes_that_close_nothing_open_nothing() -> None:
    document = read("# T\n\n:::: a\n::: b\ninner\n:::\n::::\n\n:::\n\n## Next\n\ntext\n")
    assert texts(document, Kind.HEADING) == ["# T", "## Next"]
    assert not only(document, Kind.CODE)


def test_the_body_of_a_tab_is_markdown() -> None:
    document = read(
        '# T\n\n=== "Linux"\n\n    Words.\n\n    - item\n\n    ```sh\n    # no\n    ```\n\n=== "Mac"\n    More.\n\nz\n'
    )
    assert spans(document) == [
        ("heading", "# T"),
        ("paragraph", '=== "Linux"\n\n    Words.'),
        ("list_item", "    - item"),
        ("code", "    ```sh\n    # no\n    ```"),
        ("paragraph", '=== "Mac"\n    More.'),
        ("paragraph", "z"),
    ]


@pytest.mark.parametrize(
    ("source", "heading", "title"),
    [
        ('<h1 align="center">Flow <b>bar</b> &amp; co</h1>', None, "Flow bar & co"),
        (
            '<div align="center">\n  <img src="a.svg">\n  <h1>Flowbar</h1>\n  <p>Words.</p>\n</div>',
            "<h1>Flowbar</h1>",
            "Flowbar",
        ),
        ('<h1 align="center">\n  <img src="logo.svg" alt="Flowbar">\n</h1>', None, "Flowbar"),
    ],
)
def test_headings_of_raw_html_head_sections_as_they_are_shown(source: str, heading: str | None, title: str) -> None:
    document = read(f"{source}\n\ntext\n\n<h2>Next</h2>\n\nmore\n\nLicense\n=======\n")
    assert texts(document, Kind.HEADING) == [heading or source, "<h2>Next</h2>", "License\n======="]
    assert document.title == title
    assert [block.section_path for block in document.blocks][-2] == (title, "Next")


@pytest.mark.parametrize(
    "source", ["<!--\n<h1>no</h1>\n-->", "- item\n\n  <h2>no</h2>", "<h1>no</h1> <p>more</p>", "<h1><img src=x></h1>"]
)
def test_other_raw_html_is_no_heading(source: str) -> None:
    assert not only(read(source + "\n\ntext\n"), Kind.HEADING)


def test_a_formula_ends_with_its_last_line() -> None:
    source = "\\begin{align}\na &= b \\\\\n\\end{align}"
    assert spans(read(f"x\n\n{source}\n\ny\n")) == [("paragraph", "x"), ("formula", source), ("paragraph", "y")]


def test_a_title_or_tag_that_yaml_takes_for_a_date_is_kept() -> None:
    document = read("---\ntitle: 2024-01-02\ntags: [2024-01-03, a, 7]\n---\ntext\n")
    assert (document.title, document.tags) == ("2024-01-02", ("2024-01-03", "a", "7"))


def test_links_of_wikis_are_their_words() -> None:
    assert read("# [[Home|Start]] of [[Page]]\n").title == "Start of Page"


def test_the_mark_of_a_footnote_is_no_part_of_a_heading() -> None:
    assert read("# Title[^1]\n\n[^1]: note\n").title == "Title"


def test_link_definitions_are_not_lost() -> None:
    assert spans(read("see [a]\n\n[a]: http://x.y\n[b]: http://x.z\n")) == [
        ("paragraph", "see [a]"),
        ("paragraph", "[a]: http://x.y\n[b]: http://x.z"),
    ]


def test_front_matter_is_metadata() -> None:
    document = read(
        "---\ntitle: T\ndate: 2024-05-01\nauthors:\n  - Ann\n  - name: Bob\ntags: a, b\ncategories: [c, a]\n"
        "lang: de-CH\ncanonical_url: https://x.y/z\n---\n# H\n\ntext\n"
    )
    assert document.blocks[0].kind is Kind.METADATA
    assert document.text[document.blocks[0].end :].startswith("\n# H")
    assert (document.title, document.date, document.author) == ("T", "2024-05-01", "Ann, Bob")
    assert (document.tags, document.language, document.source_url) == (("a", "b", "c"), "de", "https://x.y/z")
    assert only(document, Kind.HEADING)[0].section_path == ("H",)


def test_toml_front_matter_is_read_too() -> None:
    document = read('+++\ntitle = "T"\ntags = ["a"]\ndate = 2024-05-01\n+++\nbody\n')
    assert (document.title, document.tags, document.date) == ("T", ("a",), "2024-05-01")


def test_broken_front_matter_is_still_metadata_with_a_warning() -> None:
    document = read("---\ntitle: [a\nb: : c\n---\n# H\n")
    assert document.blocks[0].kind is Kind.METADATA
    assert "front matter" in document.warnings[0]
    assert document.title == "H"


def test_lines_of_broken_front_matter_that_can_be_understood_are() -> None:
    document = read("---\ntitle: Deploying: the long way\ndate: 2024-05-01\ntags: [a\n---\n# H\n\ntext\n")
    assert (document.title, document.date, document.tags) == ("Deploying: the long way", "2024-05-01", ())
    assert "front matter" in document.warnings[0]


def test_an_impossible_date_or_a_foreign_tag_spoils_no_front_matter() -> None:
    document = read("---\ntitle: T\ndate: 2024-13-45\nsite: !ENV [URL]\nicon: !!python/name:x.y\n---\ntext\n")
    assert (document.title, document.date, document.warnings) == ("T", None, ())


@pytest.mark.parametrize("source", ["---\n\nprose between breaks\n\n---\n", "---\nnever closed: x\n", "--- \n"])
def test_thematic_breaks_are_no_front_matter(source: str) -> None:
    document = MarkdownParser().parse(source.encode(), "text/markdown", pages=1)
    assert not only(document, Kind.METADATA)
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))


def test_windows_newlines_tabs_and_other_scripts() -> None:
    document = parse("\ufeff# Заголовок\r\n\r\n-\tпункт 😀\r\n\r\n段落文字".encode(), uri="a.md")
    assert spans(document) == [("heading", "# Заголовок"), ("list_item", "-\tпункт 😀"), ("paragraph", "段落文字")]


PIECES = st.sampled_from(
    [
        "# H", "## H2 {#a}", "text *a*", "- item", "  - nested", "    - deep", "1. one", "> quote", ">> deeper", ">",
        "```", "~~~~", "```{note}", "    code", "\tcode", "| a | b |", "|---|---|", "| 1 | 2 |", "===", "---", "***",
        "[a]: b", "[^1]: n", "    more", "$$", "x", "\\begin{align}", "\\end{align}", ": def", "Term", ":::",
        "::: note", ":::{code}", "!!! tip", "/// x", "///", "<div>", "</div>", "<table>", "<tr><td>c", "</table>",
        "<!--", "-->", "<pre>", "</pre>", "", "", " ", "\u00a0", "\u2028x", "\x0c", "\x0bz", "-", "+", "+++", "...",
        "title: x", "- - a", "> - # h", "1)",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("\n".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=600, deadline=None)
def test_nothing_is_left_out(source: str) -> None:
    document = MarkdownParser().parse(source.encode(), "text/markdown", pages=1)
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
    for block in document.blocks:
        text = document.text[block.start : block.end]
        assert text.strip()
        assert text == text.rstrip()
        assert (block.rows is not None) == (block.kind is Kind.TABLE)
        assert (block.level is not None) == (block.kind in (Kind.HEADING, Kind.LIST_ITEM))


@pytest.mark.parametrize(
    ("source", "letter", "count"),
    [
        ("[" * 50_000 + "x", "x", 1),
        ("*a " * 60_000, "a", 60_000),
        (">" * 20_000 + "x", "x", 1),
        ("".join("  " * depth + "- a\n" for depth in range(3000)), "a", 3000),
        (" ".join("`" * length for length in range(1, 3000)), "`", 2999 * 3000 // 2),
        ("# " + "*a **b " * 50_000, "a", 50_000),
        ("[a]: <b\n" * 20_000, "a", 20_000),
        ("<table>\n\n" * 10_000, "a", 10_000),
        ("{{< highlight a >}}\n" * 20_000, "a", 20_000),
        ("<div>\n" + "<h1>a\n" * 20_000, "a", 20_000),
    ],
    ids=[
        "brackets",
        "stars",
        "quotes",
        "lists",
        "ticks",
        "heading",
        "references",
        "tables",
        "shortcodes",
        "raw headings",
    ],
)
def test_hostile_nesting_costs_seconds_and_loses_nothing(source: str, letter: str, count: int) -> None:
    started = time.monotonic()
    document = MarkdownParser().parse(source.encode(), "text/markdown", pages=1)
    assert time.monotonic() - started < 30
    kept = "".join(document.text[block.start : block.end] for block in document.blocks)
    assert kept.count(letter) == count


def test_real_pages_are_covered(data_folder: Path) -> None:
    pages = sorted((data_folder / "demo-corpus").rglob("*.md"))
    assert pages
    for page in pages:
        document = parse(page.read_bytes(), uri=page.name)
        assert document.language == next((tag for tag in ("ru", "zh") if tag in page.parts), "en")
        assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
