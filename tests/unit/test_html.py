from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Block, Document, Kind
from corpus.errors import DocumentError
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.html.parser import HtmlParser, rows_of


def read(body: str, head: str = "") -> Document:
    return parse(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode(), uri="a.html")


def spans(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def only(document: Document, kind: Kind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def test_headings_paragraphs_and_sections() -> None:
    document = read("<h1>A <em>b</em></h1><p>one\n   two<br>three</p>loose<h2>C</h2><div>d</div>")
    assert spans(document) == [
        ("heading", "# A b"),
        ("paragraph", "one two\nthree"),
        ("paragraph", "loose"),
        ("heading", "## C"),
        ("paragraph", "d"),
    ]
    assert document.text == "# A b\n\none two\nthree\n\nloose\n\n## C\n\nd"
    assert [block.section_path for block in document.blocks[-2:]] == [("A b", "C"), ("A b", "C")]
    assert not document.text_is_source


def test_nested_lists_keep_depth_numbers_and_paragraphs() -> None:
    document = read("<ol start=3><li>a<p>b</p><ul><li>c</li></ul>d</li><li><p>e</p></li></ol>")
    assert document.text == "3. a\n  b\n  - c\n  d\n4. e"
    assert [block.level for block in document.blocks] == [1, 2, 1, 1]
    assert {block.kind for block in document.blocks} == {Kind.LIST_ITEM}


def test_code_stays_as_it_stands() -> None:
    code = "def f(x):\n\n    return x\t# ``` inside"
    document = read(f'<p>x</p><pre><code class="language-python">\n{code}\n</code></pre>')
    assert spans(document)[1] == ("code", f"````python\n{code}\n````")


@pytest.mark.parametrize(
    "source",
    [
        '<pre class="line-numbers language-js"><code>var a;\nvar b;</code></pre>',
        '<table class="x"><tr><td class="linenos"><pre>1\n2</pre><td class="code"><pre>var a;\nvar b;</pre></table>',
        '<div class="gutter"><pre>1\n2</pre></div><pre class="gl"><code>var a;<br>var b;</code></pre>',
    ],
)
def test_numbers_of_lines_are_left_out_and_code_with_such_a_name_is_not(source: str) -> None:
    code = [text for kind, text in spans(read(f"<p>{'Some words before it. ' * 4}</p>{source}")) if kind == "code"]
    assert [text.split("\n", 1)[1] for text in code] == ["var a;\nvar b;\n```"]


def test_a_page_that_is_one_pre_is_prose() -> None:
    assert spans(read("<pre>One law.\n  Indented.\n\nAnother law.</pre>")) == [
        ("paragraph", "One law.\n  Indented."),
        ("paragraph", "Another law."),
    ]


def test_merged_cells_are_in_their_first_place() -> None:
    document = read(
        "<table><caption>Cap</caption><thead><tr><th rowspan=2>k</th><th colspan=2>v</th></tr>"
        "<tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>"
    )
    assert spans(document) == [
        ("caption", "Cap"),
        ("table", "| k | v |  |\n|  | a | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
    ]
    assert only(document, Kind.TABLE)[0].rows == (("k", "v", ""), ("", "a", "b"), ("1", "2", "3"))


def test_absurd_spans_are_as_wide_as_what_they_span() -> None:
    table = '<table><tr><td colspan="100000000" rowspan="100000000">a</td><td>b</td></tr><tr><td>c</td></tr></table>'
    assert rows_of(table) == (("a", "b"), ("", "c"))


def test_tables_for_layout_are_read_as_text() -> None:
    document = read(
        "<table><tr><td><h2>T</h2><p>one</p></td><td><table><tr><th>k</th></tr><tr><td>v</td></tr></table></table>"
    )
    assert [kind for kind, _ in spans(document)] == ["heading", "paragraph", "table"]


def test_quotes_captions_details_and_definitions_are_kept() -> None:
    document = read(
        "<blockquote><p>q</p></blockquote><figure><img alt=x><figcaption>fig</figcaption></figure>"
        "<details><summary>more</summary><p>inside</p></details><dl><dt>term</dt><dd>meaning</dd></dl>"
    )
    assert spans(document) == [
        ("quote", "> q"),
        ("caption", "fig"),
        ("paragraph", "more"),
        ("paragraph", "inside"),
        ("paragraph", "term\nmeaning"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "<details><summary>How do I pay?</summary><p>By card.</p><ul><li>or not</li></ul></details>",
        "<dl><dt>How do I pay?</dt><dd><p>By card.</p><ul><li>or not</li></ul></dd></dl>",
    ],
)
def test_what_folds_out_below_a_question_is_its_answer(source: str) -> None:
    assert spans(read(f"{source}<p>after</p><details><summary>More</summary>inside</details>")) == [
        ("question", "How do I pay?"),
        ("answer", "By card."),
        ("list_item", "- or not"),
        ("paragraph", "after"),
        ("paragraph", "More"),
        ("paragraph", "inside"),
    ]


def test_what_folds_out_in_a_list_or_a_quote_stays_there() -> None:
    document = read(
        "<ul><li>a<details><summary>More</summary>b</details>c</li></ul><blockquote><dl><dd>q</dl></blockquote>"
    )
    assert spans(document) == [("list_item", "- a\n  More\n  b\n  c"), ("quote", "> q")]


@pytest.mark.parametrize("name", ["tip", "alert alert-warning"])
def test_a_box_does_not_head_what_follows_it(name: str) -> None:
    document = read(
        f'<h2>S</h2><p>before it all comes some text</p><div class="{name}"><h3>Tip</h3><p>t</p></div><p>after</p>'
    )
    assert [block.section_path for block in document.blocks] == [("S",)] * len(document.blocks)
    assert [text for _, text in spans(document)][2:] == ["Tip", "t", "after"]


def test_what_strays_between_the_cells_of_a_table_is_kept_above_it() -> None:
    document = read("<table>one<tr><td>a<td>b</tr><div>two</div><form><tr>three<td>c<td>d</tr></form></table>")
    assert spans(document) == [
        ("paragraph", "one"),
        ("paragraph", "two"),
        ("paragraph", "three"),
        ("table", "| a | b |\n| c | d |"),
    ]


FURNITURE = [
    "<nav>GONE</nav>",
    "<header><a href=/>GONE</a></header>",
    "<footer>GONE</footer>",
    "<aside>GONE</aside>",
    "<script>GONE</script>",
    "<style>.GONE{}</style>",
    "<template>GONE</template>",
    "<noscript>GONE</noscript>",
    "<p hidden>GONE</p>",
    "<p style='color:red; display: none'>GONE</p>",
    "<div aria-hidden=true>GONE</div>",
    "<div role=navigation>GONE</div>",
    "<div class='navheader'><table><tr><th>GONE</th></tr></table></div>",
    "<div class='cookie-banner'>GONE</div>",
    "<div id=sidebar>GONE</div>",
    "<div class=toc><a href=#x>GONE</a></div>",
    "<ul class='breadcrumbs'><li>GONE</li></ul>",
    "<button>GONE</button>",
    "<form><input value=GONE><label>GONE</label></form>",
    "<!-- GONE -->",
    "<dialog>GONE</dialog>",
]


@pytest.mark.parametrize("piece", FURNITURE)
def test_furniture_is_left_out(piece: str) -> None:
    body = "<p>This is what the page is about, and it says so at some length.</p>"
    document = read(f"{piece}<h1>Title</h1>{body}{piece}")
    assert "GONE" not in document.text
    assert [kind for kind, _ in spans(document)] == ["heading", "paragraph"]


@pytest.mark.parametrize(
    "piece",
    [
        "<aside class='note'>KEPT</aside>",
        "<main><header><h1>KEPT</h1></header></main>",
        "<header><h1>KEPT</h1></header>",
        "<blockquote>q<footer>KEPT</footer></blockquote>",
        "<nav><h1>KEPT</h1></nav>",
        "<section class=menu><p>KEPT</p></section>",
        "<article>KEPT</article><article>other</article>",
        "<h2><a class=header href=#x>KEPT</a></h2>",
    ],
)
def test_content_in_the_dress_of_furniture_is_kept(piece: str) -> None:
    assert "KEPT" in read(f"{piece}<p>This is what the page is about, and it says so.</p>").text


def test_permalinks_do_not_enter_headings() -> None:
    document = read('<h2><a href="#x" class="doc-anchor">§</a>One<a class="headerlink" href="#one">¶</a></h2><p>x</p>')
    assert spans(document)[0] == ("heading", "## One")


@pytest.mark.parametrize("name", ["class='content'", "id='main-content'", "role='main'"])
def test_the_main_part_does_not_leave_the_title_outside(name: str) -> None:
    long = "<p>long text of the page</p>" * 40
    document = read(f"<div><h1>Title</h1><p>By Ann</p><div {name}>{long}</div></div><div>around it</div>")
    assert spans(document)[:2] == [("heading", "# Title"), ("paragraph", "By Ann")]
    assert "around" not in document.text


def test_the_heading_of_an_accordion_is_its_button() -> None:
    document = read(
        "<h1>T</h1><h2><button>What is in it?<svg></svg></button></h2><p>x</p><h2>Next <button>Copy</button></h2>"
    )
    assert [block.section_path[-1] for block in only(document, Kind.HEADING)] == ["T", "What is in it?", "Next"]


def test_panels_are_read_whichever_tab_is_shown() -> None:
    document = read('<p>x</p><div role="tabpanel">npm</div><div role="tabpanel" hidden aria-hidden="true">yarn</div>')
    assert [text for _, text in spans(document)] == ["x", "npm", "yarn"]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="#b">¶</a>',
        '<a class="hash-link" href="#b">\u200b</a>',
        '<a class="anchor" href="#b"><svg></svg></a>',
        '<a href="#b">link</a>',
    ],
)
def test_a_heading_is_not_its_permalink(link: str) -> None:
    assert spans(read(f"<h2>Build{link}</h2><p>x</p>"))[0] == ("heading", "## Build")


def test_links_for_getting_about_are_left_out_and_words_of_the_text_are_not() -> None:
    document = read(
        '<a href="#main">Skip to main content</a><p>See the <a href="#s">link</a>.</p><p>Note. <a href="#fn1">↩</a></p>'
    )
    assert [text for _, text in spans(document)] == ["See the link.", "Note."]


def test_the_main_element_is_the_page() -> None:
    long = "<p>" + "Words of the page itself. " * 30 + "</p>"
    assert "around" not in read(f"<div>around it</div><main><h1>T</h1>{long}</main><div>around it</div>").text


def test_metadata_comes_from_the_head() -> None:
    document = read(
        "<p>Das ist der Text der Seite, und er ist auf Deutsch geschrieben.</p>",
        '<title>The\n Title</title><link rel="canonical" href="https://x.y/z"><meta name="author" content="Ann">'
        '<meta property="article:published_time" content="2024-05-01T10:00:00+02:00">'
        '<meta name="keywords" content="a, b,a">',
    )
    assert (document.title, document.source_url, document.author) == ("The Title", "https://x.y/z", "Ann")
    assert (document.date, document.tags, document.language) == ("2024-05-01T10:00:00+02:00", ("a", "b"), "de")
    named = parse(b'<html lang="fr-CA"><h1>Titre</h1><p>x</p></html>', uri="a.html")
    assert (named.language, named.title) == ("fr", "Titre")


@pytest.mark.parametrize("encoding", ["windows-1251", "koi8-r", "utf-8", "utf-16"])
def test_the_charset_is_found(encoding: str) -> None:
    page = f'<html><head><meta charset="{encoding}"></head><body><p>Привет</p></body></html>'
    assert parse(page.encode(encoding), uri="a.html").text == "Привет"


def test_references_to_surrogates_and_nul_do_not_survive() -> None:
    document = read("<p>lone &#xD800; surrogate &#0; &#x1F600; ok a\x00b</p>")
    document.text.encode("utf-8")
    assert "\x00" not in document.text
    assert "😀 ok ab" in document.text
    assert document.replaced >= 3


def test_declared_entities_are_not_expanded() -> None:
    page = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><html><p>x &b;</p></html>'
    assert "lol" not in parse(page, uri="a.html").text


@pytest.mark.parametrize(
    ("page", "word", "count"),
    [
        ("<div>" * 50_000 + "hello deep" + "</div>" * 50_000, "hello deep", 1),
        ("<b><i>" * 25_000 + "hello deep" + "</i></b>" * 25_000, "hello deep", 1),
        ("<html><body>" + "<ul><li>x" * 5000, "x", 5000),
        ("<table><tr><td>" * 2000 + "x", "x", 1),
        ('<p title="' + "t" * 20_000_000 + '">hello</p>', "hello", 1),
        ("<p>" + "word " * 1_000_000 + "</p>", "word", 1_000_000),
        ("<html>" + "<" * 300_000 + " x", "x", 1),
    ],
    ids=["divs", "inline", "lists", "tables", "attribute", "paragraph", "brackets"],
)
def test_hostile_pages_cost_seconds_and_lose_nothing(page: str, word: str, count: int) -> None:
    started = time.monotonic()
    assert HtmlParser().parse(page.encode(), "text/html", Settings()).document.text.count(word) == count
    assert time.monotonic() - started < 15


TAGS = [
    "p", "div", "ul", "ol", "li", "h1", "h3", "table", "tr", "td", "th", "pre", "code", "blockquote", "b", "a", "dl",
    "dt", "dd", "section", "article", "main", "details", "summary", "figure", "figcaption", "caption", "span",
]  # fmt: skip
MARKUP = st.lists(
    st.sampled_from(
        [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + ["<br>", "<hr>", " ", "\n", "&nbsp;"]
    )
    | st.sampled_from(["<table><tr><td>w1</td>", "<th>я2</th>w3", "<tr><td>w4<td>w5</tr>", "<td colspan=3>w6</td>"])
    | st.from_regex(r"[wя中]{1,3}\d", fullmatch=True),
    max_size=60,
).map("".join)


@given(MARKUP)
@settings(max_examples=300, deadline=None)
def test_every_word_comes_out_inside_a_block(markup: str) -> None:
    shown = sorted(re.findall(r"[wя中]+\d", re.sub(r"<[^>]*>|&nbsp;", " ", markup)))
    try:
        document = parse(f"<html><body>{markup}</body></html>".encode(), uri="a.html")
    except DocumentError:
        assert not shown
        return
    spans = [document.text[block.start : block.end] for block in document.blocks]
    assert sorted(re.findall(r"[wя中]+\d", " ".join(spans))) == shown
    for block in document.blocks:
        assert (block.rows is not None) == (block.kind is Kind.TABLE)
