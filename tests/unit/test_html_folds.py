"""Accordions, tabs and marked questions of a page, and the buttons that only act."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_html_content import parsed, read, spans

from chunkers.document import Kind
from corpus.parsers import parse

PROSE = "<h1>T</h1><p>This is what the page is about, and it says so at some length.</p>"


@pytest.mark.parametrize(
    "markup",
    [
        '<button class="accordion-button">Is it free?</button><div class="accordion-collapse"><p>Yes, it is.</p></div>',
        (
            '<div class="head"><button data-bs-toggle="collapse" data-bs-target="#c">Is it free?</button></div>'
            '<div id="c" class="collapse"><p>Yes, it is.</p></div>'
        ),
        '<button aria-expanded="false" aria-controls="c">Is it free?</button><div id="c" hidden>Yes, it is.</div>',
        (
            '<div role="button" aria-expanded="false" aria-controls="c"><p>Is it free?</p></div>'
            '<div style="display: none"><div id="c" role="region"><p>Yes, it is.</p></div></div>'
        ),
        '<a data-toggle="collapse" href="#c">Is it free?</a><div id="c" aria-hidden="true">Yes, it is.</div>',
        (
            '<button type="button"><span>Is it free?</span><span aria-hidden="true">+</span><svg></svg></button>'
            "<div>Yes, it is.</div>"
        ),
        (
            '<div><button aria-expanded="false" aria-controls="c">Is it free?</button></div><hr><p></p>'
            '<div id="c">Yes, it is.</div>'
        ),
    ],
    ids=["by class", "bootstrap", "aria", "a panel in a wrapper", "a link", "by its words", "apart"],
)
def test_a_button_is_the_question_of_the_panel_that_it_shows(markup: str) -> None:
    document = read(f"{PROSE}{markup}<p>After it.</p>")
    assert spans(document)[2:] == [
        ("question", "Is it free?"),
        ("answer", "Yes, it is."),
        ("paragraph", "After it."),
    ]


def test_a_name_that_asks_nothing_is_read_as_a_summary_is() -> None:
    document = read(
        f'{PROSE}<button class="accordion">Opening times</button><div class="panel"><p>From nine.</p></div>'
    )
    assert spans(document)[2:] == [("paragraph", "Opening times"), ("paragraph", "From nine.")]


def test_the_names_of_tabs_stand_before_their_panels() -> None:
    tabs = '<div role=tablist><button role=tab aria-controls=a>npm</button><a role=tab href="#b">yarn</a></div>'
    panels = "<div role=tabpanel id=a><p>npm i kerf</p></div><div role=tabpanel id=b hidden><p>yarn add kerf</p></div>"
    texts = [text for _, text in spans(read(f"{PROSE}{tabs}{panels}"))]
    assert texts[2:] == ["npm", "npm i kerf", "yarn", "yarn add kerf"]


@pytest.mark.parametrize(
    "markup",
    [
        '<h2><button aria-expanded="false">Where is it?</button></h2><div hidden><p>By the sea.</p></div>',
        (
            '<div class="head"><h2><span><button aria-controls="c">Where is it?</button></span></h2></div>'
            '<div id="c"><p>By the sea.</p></div>'
        ),
        '<button aria-expanded="false"><h2>Where is it?</h2></button><div hidden><p>By the sea.</p></div>',
    ],
    ids=["in a heading", "in a heading in a box", "around a heading"],
)
def test_a_heading_that_folds_out_stays_a_heading(markup: str) -> None:
    assert spans(read(f"{PROSE}{markup}"))[2:] == [("heading", "## Where is it?"), ("paragraph", "By the sea.")]


@pytest.mark.parametrize(
    "markup",
    [
        "<div><button>GONE</button><pre>x = 1</pre></div>",
        "<button>GONE subscribe</button><button>GONE accept</button>",
        '<button aria-expanded="false" aria-controls="c">Show more</button><div id="c"><p>More.</p></div>',
        '<button aria-expanded="false">Menu</button><div><p>Words of the menu.</p></div>',
        '<button aria-expanded="false" aria-controls="c">GONE</button><nav id="c"><a href="/">GONE</a></nav>',
        '<button aria-expanded="false" aria-controls="c">GONE</button><div id="c"><a href="/">Links to all</a></div>',
        '<button aria-expanded="false" aria-haspopup="menu">GONE</button><div><p>Text.</p></div>',
        '<button aria-controls="c">GONE 1</button><button aria-controls="c">GONE 2</button><div id="c">Results.</div>',
        '<button aria-controls="c">GONE</button><p>Between.</p><div id="c">Results.</div>',
        '<button aria-expanded="false" aria-controls="c">GONE</button><form id="c"><label>GONE</label></form>',
    ],
    ids=["copy", "others", "more", "menu", "nav", "links", "popup", "sorting", "far from it", "form"],
)
def test_a_button_that_only_acts_is_left_out(markup: str) -> None:
    result = parsed(f"{PROSE}{markup}")
    assert not any(word in result.document.text for word in ("GONE", "Show more", "Menu"))


def test_questions_of_schema_org_are_questions_whether_they_ask_or_not() -> None:
    item = (
        '<div itemscope itemprop="mainEntity" itemtype="https://schema.org/Question"><h3 itemprop="name">{}</h3>'
        '<div itemscope itemprop="acceptedAnswer" itemtype="https://schema.org/Answer" hidden>'
        '<div itemprop="text"><p>{}</p><p>Ask us.</p></div></div></div>'
    )
    document = read(PROSE + item.format("Returns", "Within a month.") + item.format("Is it free?", "Yes."))
    assert spans(document)[2:] == [
        ("question", "Returns"),
        ("answer", "Within a month."),
        ("answer", "Ask us."),
        ("question", "Is it free?"),
        ("answer", "Yes."),
        ("answer", "Ask us."),
    ]


def test_the_title_of_a_page_about_one_question_stays_its_title() -> None:
    document = read(
        '<div itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">How do I moor?</h1><p>I have a boat.'
        '</p><div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer">By a rope.</div></div>'
    )
    assert document.blocks[0].kind is Kind.HEADING
    assert [text for _, text in spans(document)] == ["# How do I moor?", "I have a boat.", "By a rope."]


def test_no_word_of_an_accordion_is_lost() -> None:
    page = (
        f"<html><body>{PROSE}<ul><li><button aria-expanded=false aria-controls=c>Parking</button><div id=c hidden>In "
        "the yard.</div></li><li><button aria-expanded=false>Keys</button><p>At the desk.</p></li></ul></body></html>"
    )
    document = parse(page.encode(), uri="a.html")
    assert document.fidelity == 1.0
    assert [text for kind, text in spans(document) if kind == "list_item"] == [
        "- Parking\n  In the yard.",
        "- Keys\n  At the desk.",
    ]


@pytest.mark.parametrize(
    ("attributes", "items", "markers"),
    [
        ('type="a"', ["", "", ""], ["a.", "b.", "c."]),
        ('type="A" start="26"', ["", ""], ["Z.", "AA."]),
        ('type="i" start="3"', ["", ""], ["iii.", "iv."]),
        ('type="I" start="9"', ["", ""], ["IX.", "X."]),
        ('start="3"', ["", 'value="7"', ""], ["3.", "7.", "8."]),
        ("reversed", ["", "", ""], ["3.", "2.", "1."]),
        ('reversed start="10"', ["", ""], ["10.", "9."]),
        ('type="a" start="0"', ["", ""], ["0.", "a."]),
        ('start="-1"', ["", "", ""], ["-1.", "0.", "1."]),
        ('style="list-style-type: lower-roman"', ["", ""], ["i.", "ii."]),
        ('type="i" start="4000"', [""], ["4000."]),
        ('type="x" start="y"', [""], ["1."]),
    ],
)
def test_an_item_has_the_marker_that_a_browser_shows(attributes: str, items: list[str], markers: list[str]) -> None:
    written = "".join(f"<li {item}>text</li>" for item in items)
    document = read(f"<p>It shall:</p><ol {attributes}>{written}</ol>")
    assert spans(document)[1:] == [("list_item", f"{marker} text") for marker in markers]


def test_each_list_counts_for_itself() -> None:
    document = read(
        '<p>It shall:</p><ol type="a"><li>pay</li><li>keep:<ol type="i"><li>one</li><li>two</li></ol></li>'
        "<li>go</li></ol>"
    )
    assert document.text.split("\n\n")[1] == "a. pay\nb. keep:\n  i. one\n  ii. two\nc. go"
    assert [block.level for block in document.blocks if block.kind is Kind.LIST_ITEM] == [1, 1, 2, 2, 1]


@given(st.integers(1, 3999))
@settings(max_examples=60, deadline=None)
def test_roman_numbers_say_their_value(number: int) -> None:
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    text = spans(read(f'<p>x</p><ol type="i" start="{number}"><li>y</li></ol>'))[1][1].partition(".")[0]
    each = [values[letter] for letter in text]
    said = sum(-one if any(one < later for later in each[at + 1 :]) else one for at, one in enumerate(each))
    assert said == number
