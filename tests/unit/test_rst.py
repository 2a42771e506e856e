from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.rst.parser import RstParser


def read(source: str) -> Document:
    return parse(source.encode(), uri="a.rst")


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def body(source: str) -> list[tuple[str, str]]:
    return blocks(read(source))


def test_sections_are_headings_with_the_levels_of_their_underlines() -> None:
    document = read(
        "=====\nGuide\n=====\n\nText.\n\nFirst\n=====\n\nA.\n\nDeeper\n------\n\nB.\n\nSecond\n======\n\nC.\n"
    )
    headings = [(b.level, b.section_path) for b in document.blocks if b.kind is Kind.HEADING]
    assert headings == [
        (1, ("Guide",)),
        (2, ("Guide", "First")),
        (3, ("Guide", "First", "Deeper")),
        (2, ("Guide", "Second")),
    ]
    assert document.title == "Guide"


def test_sections_without_one_above_them_start_at_level_one() -> None:
    document = read("A\n=\n\nx\n\nB\n=\n\ny\n")
    assert [(b.level, b.section_path) for b in document.blocks if b.kind is Kind.HEADING] == [(1, ("A",)), (1, ("B",))]


def test_the_first_fields_become_metadata() -> None:
    fields = ":Author: Ann Lee\n:Date: 2026-03-02\n"
    meta = ".. meta::\n   :description: All of it\n   :keywords: a, b\n"
    document = read(f"Guide\n=====\n\n{fields}\n{meta}\nText.\n")
    assert (document.author, document.date, document.description) == ("Ann Lee", "2026-03-02", "All of it")
    assert document.tags == ("a", "b")
    assert "Author: Ann Lee" in document.text


def test_inline_markup_leaves_its_words() -> None:
    line = "An *old* **bold** ``literal`` `link <https://x.org>`_ and |name| with a note [1]_."
    source = f"{line}\n\n.. |name| replace:: Kerf\n\n.. [1] The note.\n"
    assert body(source) == [
        ("paragraph", "An old bold literal link and Kerf with a note [1]."),
        ("footnote", "[1] The note."),
    ]


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (":ref:`the guide <guide>`", "the guide"),
        (":doc:`install`", "install"),
        (":class:`~kerf.Parser`", "kerf.Parser"),
        (":py:meth:`!close`", "close"),
        (":pep:`8`", "PEP 8"),
        (":unheard-of:`words`", "words"),
        (":abbr:`LIFO (last in, first out)`", "LIFO (last in, first out)"),
    ],
)
def test_roles_show_their_text(role: str, text: str) -> None:
    assert body(f"See {role} now.\n") == [("paragraph", f"See {text} now.")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (".. note:: Take care.\n\n   Twice.\n", [("paragraph", "Note: Take care."), ("paragraph", "Twice.")]),
        (".. seealso:: Chapter two.\n", [("paragraph", "See also: Chapter two.")]),
        (".. admonition:: Mind\n\n   The gap.\n", [("paragraph", "Mind: The gap.")]),
        (".. versionadded:: 3.2\n   The mode.\n", [("paragraph", "Added in version 3.2"), ("paragraph", "The mode.")]),
        (
            ".. code-block:: python\n   :linenos:\n\n   def f():\n       return 1\n",
            [("code", "```python\ndef f():\n    return 1\n```")],
        ),
        (".. code:: sh\n\n   ls\n", [("code", "```sh\nls\n```")]),
        ("Like this::\n\n   x = 1\n", [("paragraph", "Like this:"), ("code", "```\nx = 1\n```")]),
        (">>> 1 + 1\n2\n", [("code", "```\n>>> 1 + 1\n2\n```")]),
        (
            ".. toctree::\n   :maxdepth: 2\n\n   install\n   Use it <usage>\n",
            [("list_item", "- install"), ("list_item", "- Use it")],
        ),
        (
            ".. function:: open(path)\n\n   Opens *it*.\n\n   :param path: where\n",
            [("paragraph", "open(path)"), ("paragraph", "Opens it."), ("list_item", "- param path: where")],
        ),
        (".. automodule:: kerf.parsers\n   :members:\n", [("paragraph", "kerf.parsers")]),
        (
            ".. whatever:: title\n   :option: 1\n\n   Its content.\n",
            [("paragraph", "title"), ("paragraph", "Its content.")],
        ),
        (".. math:: a^2 + b^2\n", [("formula", "a^2 + b^2")]),
        (
            ".. figure:: p.png\n   :alt: a view\n\n   The caption.\n",
            [("paragraph", "a view"), ("caption", "The caption.")],
        ),
        (".. only:: html\n\n   Seen there.\n", [("paragraph", "Seen there.")]),
        ("    A quote.\n\n    -- Someone\n", [("quote", "A quote."), ("quote", "— Someone")]),
        ("| one\n| two\n|   three\n", [("paragraph", "one\ntwo\n  three")]),
        ("term : kind\n   What it is.\n", [("list_item", "- term : kind\nWhat it is.")]),
        (
            "-a, --all  Everything.\n-f FILE    A file.\n",
            [("list_item", "- -a, --all  Everything."), ("list_item", "- -f FILE  A file.")],
        ),
        ("3. three\n#. four\n", [("list_item", "3. three"), ("list_item", "4. four")]),
        ("c) see\nd) dee\n", [("list_item", "c) see"), ("list_item", "d) dee")]),
        ("- one\n\n  - two\n\n    more\n", [("list_item", "- one"), ("list_item", "- two\nmore")]),
        ("Text.\n\n.. a remark that nobody sees\n", [("paragraph", "Text.")]),
        ("Text.\n\n.. raw:: html\n\n   <b>x</b>\n", [("paragraph", "Text.")]),
        (
            ".. py:class:: Foo(a)\n              Bar(b)\n\n   Docs.\n",
            [("paragraph", "Foo(a)"), ("paragraph", "Bar(b)"), ("paragraph", "Docs.")],
        ),
        (
            "A\n=\n\nB\n-\n\nx\n\nC\n=\n\nD\n~\n\ny\n",
            [
                ("heading", "# A"),
                ("heading", "## B"),
                ("paragraph", "x"),
                ("heading", "# C"),
                ("heading", "## D"),
                ("paragraph", "y"),
            ],
        ),
        (".. glossary::\n\n   one\n   two\n      What.\n", [("paragraph", "one two"), ("paragraph", "What.")]),
        ("Text :index:`word`.\n", [("paragraph", "Text word.")]),
        (".. [CIT2002] A book.\n", [("footnote", "[CIT2002] A book.")]),
    ],
)
def test_each_construct_keeps_its_text_and_kind(source: str, expected: list[tuple[str, str]]) -> None:
    assert body(source) == expected


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("== ==\nA  B\n== ==\n1  2\n== ==\n", (("A", "B"), ("1", "2"))),
        ("== ==\n   B\n== ==\n1  2\n== ==\n", (("", "B"), ("1", "2"))),
        (
            "+---+---+\n| x | y |\n+===+===+\n| wide  |\n+---+---+\n| a | b |\n+---+---+\n",
            (("x", "y"), ("wide", ""), ("a", "b")),
        ),
        ("+---+---+\n| t | a |\n|   +---+\n|   | b |\n+---+---+\n", (("t", "a"), ("", "b"))),
        (".. csv-table::\n   :header: a,b\n\n   1,2\n", (("a", "b"), ("1", "2"))),
        (".. list-table::\n   :header-rows: 1\n\n   * - H\n     - I\n   * - c\n     - d\n", (("H", "I"), ("c", "d"))),
    ],
)
def test_tables_of_every_form_have_rows(source: str, rows: tuple[tuple[str, ...], ...]) -> None:
    assert [block.rows for block in read(source).blocks] == [rows]


def test_the_title_of_a_table_is_its_caption() -> None:
    assert body(".. table:: Units\n\n   == ==\n   A  B\n   == ==\n   1  2\n   == ==\n")[0] == ("caption", "Units")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("+----+\n| bad table\n+---\n", "bad table"),
        ("Text with ``no end\n\nand more.\n", "no end"),
        ("A `broken link_ and *star\n", "star"),
        ("Title\n===\n\nShort underline.\n", "Title"),
        (".. image:: x.png\n\n    words of a quote\n", "words of a quote"),
        (".. note::\n\nNo content above.\n", "No content above."),
        ("A |missing| name and missing_ target [9]_.\n", "missing"),
        ("* a\nb\n", "b"),
    ],
)
def test_a_broken_document_still_arrives(source: str, words: str) -> None:
    assert words in read(source).text


def test_nothing_is_included_and_nothing_is_raw(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words", encoding="utf-8")
    directives = (
        ".. include:: {}",
        ".. literalinclude:: {}",
        ".. csv-table::\n   :file: {}",
        ".. raw:: html\n   :file: {}",
    )
    source = "\n\n".join(directive.format(secret) for directive in directives)
    assert "the secret words" not in read(f"Text.\n\n{source}\n").text


def test_what_is_left_out_is_said() -> None:
    parsed = RstParser().parse(
        b"Text.\n\n.. a remark\n\n.. image:: pic.png\n   :width: 20px\n", "text/x-rst", Settings()
    )
    said = " ".join(parsed.left_out)
    assert all(word in said for word in ("remark", "pic.png", "20px"))


def test_docutils_is_as_it_was_after_a_parse() -> None:
    from docutils.parsers.rst import directives, roles

    before = (directives.directive, roles.role)
    read("x\n")
    assert (directives.directive, roles.role) == before


def test_a_long_document_takes_seconds() -> None:
    section = "Section {n}\n=========\n\nSome *text* with a list:\n\n- one\n- two\n\n::\n\n   code\n\n"
    started = time.monotonic()
    document = read("".join(section.format(n=n) for n in range(1000)))
    assert time.monotonic() - started < 60
    assert sum(block.kind is Kind.HEADING for block in document.blocks) == 1000


PIECES = st.sampled_from(
    [
        "alpha",
        "beta gamma",
        "- ",
        "* x",
        "====",
        "----",
        ".. note::",
        "   ",
        "::",
        "",
        "``",
        "`x`_",
        "|",
        "+--+",
        "1. ",
        "> q",
        ".. ",
        ":a: b",
        "[1]_",
        "\t",
    ]
)


@given(st.lists(PIECES, max_size=14))
@settings(max_examples=120, deadline=None)
def test_words_of_any_lines_arrive(lines: list[str]) -> None:
    parsed = RstParser().parse("\n".join(lines).encode(), "text/x-rst", Settings())
    found = f"{parsed.document.text} {' '.join(parsed.left_out)}"
    assert all(word in found for word in ("alpha", "gamma") if any(word in line for line in lines))


def test_an_empty_field_at_the_head_costs_nothing():
    document = parse(b":Author:\n:Date:\n:Copyright:\n\nTides\n=====\n\nHigh water.\n", uri="a.rst")
    assert "High water." in document.text
