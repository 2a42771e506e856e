"""What of a page is text: written as the common generators write it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind
from corpus.errors import DocumentError
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.html.parser import HtmlParser


def parsed(body: str, head: str = "", media_type: str = "text/html") -> Parsed:
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"
    return HtmlParser().parse(page.encode(), media_type, Settings())


def read(body: str, head: str = "") -> Document:
    return parsed(body, head).document


def spans(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def test_a_table_with_data_inside_a_cell_is_a_table_of_its_own() -> None:
    inner = "<table><tr><td>a1<td>b1</tr><tr><td>c1<td>d1</tr></table>"
    document = read(f"<table><tr><th>k<th>v</tr><tr><td>x<td>see {inner} there</tr></table><p>after</p>")
    assert [block.rows for block in document.blocks if block.kind is Kind.TABLE] == [
        (("k", "v"), ("x", "see there")),
        (("a1", "b1"), ("c1", "d1")),
    ]
    assert spans(document)[-1] == ("paragraph", "after")


@pytest.mark.parametrize(
    ("markup", "caption"),
    [
        ("<p>Table 2: Boxes</p><table><tr><th>a<th>b<tr><td>1<td>2</table>", "Table 2: Boxes"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table><p>Table 2 Boxes</p>", "Table 2 Boxes"),
        ("<p>Рис. 3 — Порт</p>", "Рис. 3 — Порт"),
        (
            "<div class='imageblock'><img src=a alt=x></div><div class='title'>Figure 1. The port</div>",
            "Figure 1. The port",
        ),
        ("<figure><img alt=x><figcaption><p>The port</p></figcaption></figure>", "The port"),
        ("<figure><img alt='The port'><figcaption aria-hidden='true'>The port</figcaption></figure>", "The port"),
        ("<div class='code-block-caption'><span>script.py</span></div><pre class=x>go</pre>", "script.py"),
    ],
)
def test_captions_are_known(markup: str, caption: str) -> None:
    document = read(f"<p>Some words come first.</p>{markup}")
    assert [text for kind, text in spans(document) if kind == "caption"] == [caption]


def test_a_sentence_about_a_table_is_no_caption() -> None:
    document = read("<p>Table 2 shows the boxes.</p><table><tr><th>a<th>b<tr><td>1<td>2</table>")
    assert spans(document)[0] == ("paragraph", "Table 2 shows the boxes.")


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ('<pre><code class="language-go">x</code></pre>', "go"),
        ('<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>', "python"),
        ('<div class="highlight highlight-source-shell"><pre class="notranslate">x</pre></div>', "shell"),
        ('<div class="language-ruby highlighter-rouge"><pre class="highlight"><code>x</code></pre></div>', "ruby"),
        ('<div class="mw-highlight mw-highlight-lang-lua"><pre>x</pre></div>', "lua"),
        ('<pre class="sourceCode haskell"><code class="sourceCode haskell">x</code></pre>', "haskell"),
        ('<pre data-syntaxhighlighter-params="brush: java; gutter: false" class="s">x</pre>', "java"),
        ('<pre class="highlight"><code data-lang="sql">x</code></pre>', "sql"),
        ('<figure class="highlight js"><pre class="c">x</pre></figure>', "js"),
        ('<pre class="lang-py s-code-block"><code class="hljs">x</code></pre>', "py"),
        ('<div class="highlight-default notranslate"><pre class="c">x</pre></div>', ""),
        ('<pre class="programlisting">x</pre>', ""),
        ('<pre class="rust rust-example-rendered"><code>x</code></pre>', "rust"),
    ],
)
def test_the_language_of_code_is_where_the_generator_puts_it(markup: str, language: str) -> None:
    code = [text for kind, text in spans(read(f"<p>{'Words before it. ' * 5}</p>{markup}")) if kind == "code"]
    assert code == [f"```{language}\nx\n```"]


@pytest.mark.parametrize(
    "notes",
    [
        '<section class="footnotes" role="doc-endnotes"><ol><li><p>Really. <a href="#r">↩</a></p></ol></section>',
        '<div class="footnote"><hr><ol><li id="fn:1"><p>Really.</p></li></ol></div>',
        '<ol class="references"><li><i class="mw-cite-backlink">^ <sup><a href="#c">a</a></sup></i> Really.</li></ol>',
        '<aside role="doc-footnote"><span>[</span><a href="#x">1</a><span>]</span><p>Really.</p></aside>',
        "<div style='mso-element:footnote-list'><div style='mso-element:footnote'><p>[1] Really.</p></div></div>",
    ],
    ids=["pandoc", "markdown", "mediawiki", "sphinx", "word"],
)
def test_footnotes_are_footnotes_with_their_number(notes: str) -> None:
    assert spans(read(f"<p>{'Words of the text. ' * 5}</p>{notes}"))[1:] == [("footnote", "[1] Really.")]


def test_a_term_goes_with_the_first_paragraph_of_its_definition() -> None:
    document = read(
        "<dl><dt>host</dt><dt>address</dt><dd><p>Where.</p><p>More.</p></dd>"
        "<dt>code</dt><dd><pre class=c>x</pre></dd></dl>"
    )
    assert [text for _, text in spans(document)] == ["host\naddress\nWhere.", "More.", "code", "```\nx\n```"]


def test_lists_that_lay_out_a_page_are_no_lists() -> None:
    document = read("<ul><li><h3>One</h3><p>text</p></li><li><h3>Two</h3><p>more</p><ul><li>item</li></ul></li></ul>")
    assert spans(document) == [
        ("heading", "### One"),
        ("paragraph", "text"),
        ("heading", "### Two"),
        ("paragraph", "more"),
        ("list_item", "- item"),
    ]


def test_lists_that_word_saved_as_paragraphs_are_lists() -> None:
    def item(level: int, marker: str, text: str) -> str:
        mark = f"<![if !supportLists]><span style='mso-list:Ignore'>{marker}<span>&nbsp; </span></span><![endif]>"
        return f"<p class=MsoListParagraph style='mso-list:l0 level{level} lfo1'>{mark}{text}<o:p></o:p></p>"

    document = read(item(1, "·", "red") + item(2, "o", "small") + item(1, "7.", "seventh") + item(1, "b)", "letter"))
    assert document.text == "- red\n  - small\n7. seventh\n- b) letter"


def test_lists_that_google_docs_saved_beside_each_other_are_nested() -> None:
    document = read(
        '<ul class="c1 lst-kix_abc1-0 start"><li>a</li></ul><ol class="c1 lst-kix_abc1-2" start="3"><li>b</li></ol>'
        '<ul class="lst-kix_abc1-0"><li>c</li></ul>'
    )
    assert document.text == "- a\n    3. b\n- c"


def test_marks_that_nobody_sees_do_not_cut_words() -> None:
    document = read("<p>super<wbr>cali&shy;fragi\u200blistic &amp;&nbsp;more</p>")
    assert document.text == "supercalifragilistic & more"


def test_a_reading_stands_behind_the_whole_word() -> None:
    assert read("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を</p>").text == "漢字(かんじ)を"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("10<sup>6</sup> rows", "10^6 rows"),
        ("2<sup>n − 1</sup>", "2^(n − 1)"),
        ("the 1<sup>st</sup> of May", "the 1st of May"),
        ("H<sub>2</sub>O", "H2O"),
        ('memory<a href="#fn1"><sup>1</sup></a>.', "memory[1]."),
        ('memory<sup><a href="#fn1">[1]</a></sup>.', "memory[1]."),
    ],
)
def test_raised_characters_do_not_make_other_numbers(markup: str, text: str) -> None:
    assert read(f"<p>{markup}</p>").text == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<math alttext="a^2"><msup><mi>a</mi><mn>2</mn></msup></math>', "a^2"),
        ('<math><mi>b</mi><annotation encoding="application/x-tex">{\\displaystyle b}</annotation></math>', "b"),
        ('<span style="display: none"><math alttext="c"></math></span><img class="mwe-math-image" alt="c" src=x>', "c"),
        ('<img class="tex" alt="\\frac{a}{b}" src=x>', "\\frac{a}{b}"),
        ('<span class="MathJax"><nobr>x2</nobr></span><script type="math/tex">x^2</script>', "x^2"),
        ('<math><annotation encoding="application/x-tex">k</annotation></math><i aria-hidden="true">kk</i>', "k"),
    ],
)
def test_formulas_are_read_once_by_their_source(markup: str, text: str) -> None:
    assert read(f"<p>Take {markup} now.</p>").text == f"Take {text} now."


def test_pictures_are_read_where_their_description_says_something() -> None:
    document = read(
        '<p>See:</p><img alt="Files go to the parser, chunks to the store"><img alt="Build Status"><img alt="">'
        '<figure><img alt="Ships in the fog at dawn"><figcaption>Ships in the fog at dawn</figcaption></figure>'
    )
    assert spans(document) == [
        ("paragraph", "See:"),
        ("paragraph", "Files go to the parser, chunks to the store"),
        ("caption", "Ships in the fog at dawn"),
    ]


def test_the_labels_of_a_drawing_are_read_and_an_icon_is_not() -> None:
    drawing = (
        "<svg><title>d</title><g><text>Load <tspan>balancer</tspan></text></g><foreignObject><div>Store</div></svg>"
    )
    assert read(f"<p>x</p>{drawing}<svg><title>icon</title><path d=''/></svg>").text == "x\n\nLoad balancer\nStore"


def test_a_page_inside_the_page_is_read() -> None:
    assert read('<p>x</p><iframe srcdoc="&lt;p&gt;a &amp;amp; b&lt;/p&gt;">no</iframe>').text == "x\n\na & b"


def test_xhtml_is_read_as_xml_means_it() -> None:
    page = (
        '<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title/><h:script/></h:head>'
        '<h:body><h:a id="t"/><h:h1>T</h:h1><h:p>a<h:br/>b <![CDATA[c < d]]></h:p><h:div/>e</h:body></h:html>'
    )
    document = HtmlParser().parse(page.encode(), "application/xhtml+xml", Settings()).document
    assert spans(document) == [("heading", "# T"), ("paragraph", "a\nb c < d"), ("paragraph", "e")]


def test_the_page_says_itself_what_it_is() -> None:
    data = (
        '{"@context": "https://schema.org", "@graph": [{"@type": "Organization", "name": "Shop"}, '
        '{"@type": "TechArticle", "headline": "H", "datePublished": "2026-02-03T08:00:00+00:00", "author": [{"@type": '
        '"Person", "name": "Ann"}, {"@type": "Person", "name": "Bo"}], "description": "D.", "keywords": ["a", "b"]}]}'
    )
    document = read("<p>x</p>", f'<title>T</title><script type="application/ld+json">{data}</script>')
    assert (document.title, document.author, document.date) == ("T", "Ann, Bo", "2026-02-03T08:00:00+00:00")
    assert (document.description, document.tags) == ("D.", ("a", "b"))
    head = '<meta name="description" content=" Of \n boxes "><script type="application/ld+json">{"@type": [</script>'
    assert read("<p>x</p>", head).description == "Of boxes"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ('<frameset><frame src="a.html"><frame src="b.html"></frameset>', "a.html, b.html"),
        (
            '<body><noscript>Enable JavaScript.</noscript><div id=root></div><script src="m.js"></script>',
            "Enable JavaScript",
        ),
    ],
    ids=["frames", "scripts"],
)
def test_a_page_whose_text_lies_elsewhere_is_an_error_that_says_where(page: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said) as refused:
        HtmlParser().parse(f"<html>{page}</html>".encode(), "text/html", Settings())
    assert refused.value.hint


PROSE = "<p>" + "A sentence of the page that goes on for a while, so that it counts as prose. " * 4 + "</p>"


def test_no_part_is_chosen_that_leaves_much_prose_outside() -> None:
    document = read(f"<main><h1>T</h1>{PROSE * 2}</main><div><h2>Second</h2>{PROSE * 3}</div>")
    assert document.text.count("A sentence of the page") == 20


def test_links_around_the_main_part_are_left_out_and_declared() -> None:
    result = parsed(f"<div><a href=/x>around it</a></div><main><h1>T</h1>{PROSE}</main>", "<title>Name</title>")
    assert "around" not in result.document.text
    assert {"around it", "Name"} <= set(result.left_out)


@pytest.mark.parametrize("name", ["cookies", "pagination", "shared-memory", "navigation", "sharing", "links"])
def test_a_section_is_no_furniture_for_its_title(name: str) -> None:
    title = name.replace("-", " ").title()
    document = read(f"<h1>T</h1>{PROSE}<section id={name}><h2>{title}</h2><p><a href=/x>KEPT</a></p></section>")
    assert "KEPT" in document.text


@pytest.mark.parametrize(
    "markup",
    [
        '<div id="cookie-consent"><h2>Cookie consent</h2><button>OK</button>GONE</div>',
        '<div class="cmplz-cookiebanner">GONE</div>',
        '<div class="cc-window cc-banner">GONE</div>',
        '<div class="sharedaddy"><h3>Share</h3>GONE</div>',
        '<ul class="UnderlineNav-body"><li><a href=/>GONE</a></li></ul>',
        '<p class="MsoToc1"><a href="#x">GONE</a> 7</p>',
        '<div class="toc-macro"><ul><li><a href="#x">GONE</a></li></ul></div>',
        '<div id="toc"><div>Contents</div><ul><li><a href="#x">GONE</a></li></ul></div>',
        '<div id="respond" class="comment-respond"><h3>Leave a reply</h3>GONE</div>',
        '<table class="navbox"><tr><th>GONE</th></tr></table>',
        "<select><option>GONE</select>",
        "<textarea>GONE</textarea>",
        "<video>GONE</video>",
    ],
)
def test_furniture_of_known_generators_is_left_out_and_declared(markup: str) -> None:
    result = parsed(f"<h1>T</h1>{PROSE}{markup}")
    assert "GONE" not in result.document.text
    assert "GONE" in " ".join(result.left_out)


@pytest.mark.parametrize(
    "markup",
    [
        '<div class="expand-content" style="display:none"><p>KEPT</p></div>',
        '<button aria-controls="a1">Q</button><div id="a1" hidden><p>KEPT</p></div>',
        '<div class="tab-pane" style="display: none">KEPT</div>',
        f'<div style="display:none">{PROSE * 3}KEPT</div>',
        f'<div aria-hidden="true">{PROSE * 3}KEPT</div>',
    ],
    ids=["confluence", "accordion", "tab", "shown by a script", "behind a dialog"],
)
def test_what_a_click_shows_is_text(markup: str) -> None:
    assert "KEPT" in read(f"<h1>T</h1>{PROSE}{markup}").text


PIECES = [
    "<nav>", "</nav>", "<aside class=x>", "</aside>", "<main>", "</main>", "<article>", "</article>", "<footer>",
    "</footer>", "<div class=cookie>", "<div hidden>", "</div>", "<sup>", "</sup>", "<ruby>", "<rt>", "</rt>",
    "</ruby>", "<dl>", "<dt>", "<dd>", "</dl>", "<table>", "<tr>", "<td>", "<th>", "</table>",
    "<ol class=references>", "<li>", "</ol>", "<div class=footnote>", "<details>", "<summary>", "</summary>",
    "</details>", "<h2>", "</h2>", "<p>", "</p>", "<svg>", "<text>", "</text>", "</svg>", "<form>", "</form>",
    "<select>", "<option>", "</select>", "<button>", "</button>", "<p style='mso-list:l0 level2 lfo1'>",
    "<span style='mso-list:Ignore'>", "</span>", "<pre>", "</pre>", "<math>", "</math>",
    "<button aria-expanded=false>", "<button class=accordion>", "<div role=button aria-controls=a aria-expanded=true>",
    "<div id=a hidden>", "<b aria-hidden=true>", "</b>", "<div itemtype='https://schema.org/Question'>",
    "<h3 itemprop=name>", "</h3>", "<div itemprop=acceptedAnswer hidden>", "<ol type=a start=3 reversed>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.from_regex(r" [wq]{3}\d\d ", fullmatch=True), max_size=50).map("".join))
@settings(max_examples=300, deadline=None)
def test_every_word_is_in_the_text_or_declared_as_left_out(markup: str) -> None:
    shown = Counter(re.findall(r"[wq]{3}\d\d", re.sub(r"<[^>]*>", " ", markup)))
    try:
        result = parsed(f"<p>first</p>{markup}")
    except DocumentError:
        return
    text = " ".join(result.document.text[block.start : block.end] for block in result.document.blocks)
    found = Counter(re.findall(r"[wq]{3}\d\d", f"{text} {' '.join(result.left_out)}"))
    assert not shown - found
