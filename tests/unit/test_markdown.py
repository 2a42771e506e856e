from __future__ import annotations

from pathlib import Path

import pytest

from chunkers.document import Block, Document, Kind, uncovered
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.markdown.parser import MarkdownParser


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
        ("metadata", "[a]: http://x.y\n[b]: http://x.z"),
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
    document = MarkdownParser().parse(source.encode(), "text/markdown", Settings()).document
    assert not only(document, Kind.METADATA)
    assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))


def test_windows_newlines_tabs_and_other_scripts() -> None:
    document = parse("\ufeff# Заголовок\r\n\r\n-\tпункт 😀\r\n\r\n段落文字".encode(), uri="a.md")
    assert spans(document) == [("heading", "# Заголовок"), ("list_item", "-\tпункт 😀"), ("paragraph", "段落文字")]


def test_front_matter_of_json_pandoc_and_plain_lines_is_read() -> None:
    hugo = read('{\n  "title": "T",\n  "tags": ["a", "b"],\n  "description": "D"\n}\n\ntext\n')
    assert (hugo.title, hugo.tags, hugo.description) == ("T", ("a", "b"), "D")
    pandoc = read("% The\n  title\n% Ann; Bob\n% May 1, 2024\n\ntext\n")
    assert (pandoc.title, pandoc.author, pandoc.date) == ("The title", "Ann, Bob", "2024-05-01")
    pelican = read("Title: T: and more\nDate: 2024-05-01 10:30\nTags: a, b\nSummary: One\n    two.\n\ntext\n")
    assert (pelican.title, pelican.date, pelican.tags) == ("T: and more", "2024-05-01T10:30:00", ("a", "b"))
    assert pelican.description == "One two."


def test_front_matter_that_names_its_format_is_read() -> None:
    assert read('---toml\ntitle = "T"\n---\ntext\n').title == "T"
    assert read('---json\n{"title": "T"}\n---\ntext\n').title == "T"


def test_keys_in_tables_of_front_matter_are_read_after_its_own() -> None:
    zola = read('+++\ntitle = "T"\n[taxonomies]\ntags = ["a"]\n[extra]\nauthor = "Ann"\ntitle = "no"\n+++\ntext\n')
    assert (zola.title, zola.tags, zola.author) == ("T", ("a",), "Ann")
    myst = read('---\nmyst:\n  html_meta:\n    "description lang=en": D\n    keywords: a, b\n---\ntext\n')
    assert (myst.description, myst.tags) == ("D", ("a", "b"))


@pytest.mark.parametrize("lead", ["", "\n", "\ufeff"])
def test_blank_lines_and_a_byte_order_mark_may_stand_before_front_matter(lead: str) -> None:
    assert read(f"{lead}---\ntitle: T\n---\ntext\n").title == "T"


def test_what_is_said_first_counts_but_a_date_must_be_one() -> None:
    assert read("---\ndate: soon\nlastmod: 2024-5-1\n---\ntext\n").date == "2024-05-01"


def test_front_matter_that_was_never_closed_is_text_and_said_so() -> None:
    source = "---\ntitle: T\n\nProse that goes on.\n\nMore: of it.\n\n---\n\n# H\n"
    document = read(source)
    assert not only(document, Kind.METADATA)
    assert "taken for text" in document.warnings[0]


def test_broken_json_is_metadata_with_its_plain_lines() -> None:
    document = read('{\n  "title": "T",\n  "date": "2024-05-01"\n  "tags": []\n}\n\ntext\n')
    assert (document.title, document.date) == ("T", "2024-05-01")
    assert only(document, Kind.METADATA)
    assert "front matter" in document.warnings[0]


@pytest.mark.parametrize(
    "source", ['{"a": 1} is JSON', "{% raw %}\n\ntext", "Note: this\n\ntext", "Title: one line\n\ntext"]
)
def test_what_only_looks_like_front_matter_is_text(source: str) -> None:
    document = read(source)
    assert not only(document, Kind.METADATA)
    assert document.title is None


def test_rows_of_tables_are_whole() -> None:
    (table,) = only(read("a | b | c\n-|:-:|-\n`x` | ![alt](y) | **z**\n1\n\\| | 2 | 3 | 4\n"), Kind.TABLE)
    assert table.rows == (("a", "b", "c"), ("x", "alt", "z"), ("1", "", ""), ("|", "2", "3"))


def test_a_caption_below_a_table_is_no_row_of_it() -> None:
    document = read("| a |\n|---|\n| 1 |\nTable 1: words\n")
    assert only(document, Kind.TABLE)[0].rows == (("a",), ("1",))
    assert texts(document, Kind.CAPTION) == ["Table 1: words"]


def test_items_nested_deeper_than_the_library_goes_keep_their_depth() -> None:
    depth = 60
    document = read("".join("  " * level + f"- a{level}\n" for level in range(depth)) + "- b\n")
    assert [block.level for block in only(document, Kind.LIST_ITEM)] == [*range(1, depth + 1), 1]


def test_a_box_inside_a_list_does_not_reach_beyond_it() -> None:
    document = read("# T\n\n- a\n\n  ::: note\n\n  b\n\n## Next\n\n:::\n\nc\n")
    assert texts(document, Kind.HEADING) == ["# T", "## Next"]


def test_sections_of_a_part_go_on_in_the_page() -> None:
    document = read('# T\n\n=== "A"\n\n    ## In A\n\n    a\n\n## Next\n\nb\n')
    assert only(document, Kind.PARAGRAPH)[-1].section_path == ("T", "Next")
    assert only(document, Kind.PARAGRAPH)[-2].section_path == ("T", "In A")


def test_real_pages_are_covered(data_folder: Path) -> None:
    pages = sorted((data_folder / "demo-corpus").rglob("*.md"))
    assert pages
    for page in pages:
        document = parse(page.read_bytes(), uri=page.name)
        assert document.language == next((tag for tag in ("ru", "zh") if tag in page.parts), "en")
        assert not list(uncovered(document, [(block.start, block.end) for block in document.blocks]))
