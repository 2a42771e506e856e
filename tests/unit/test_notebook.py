"""What the parser of notebooks makes of cells and outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Block, Document, Kind, uncovered
from chunkers.router import route
from corpus.errors import ParseError
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.notebook.outputs import LIMIT
from corpus.parsers.notebook.parser import NotebookParser

TYPE = "application/x-ipynb+json"
PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [*(f"{line}\n" for line in lines[:-1]), lines[-1]]}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": source, "outputs": list(outputs)}


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def result(**data: str) -> dict[str, Any]:
    types = {"plain": "text/plain", "html": "text/html", "markdown": "text/markdown", "png": "image/png"}
    return {"output_type": "display_data", "metadata": {}, "data": {types[key]: value for key, value in data.items()}}


def notebook(*cells: object, **metadata: object) -> bytes:
    written = {"cells": list(cells), "metadata": {**PYTHON, **metadata}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(written).encode()


def parsed(data: bytes) -> Parsed:
    found = NotebookParser().parse(data, TYPE, Settings())
    document = found.document
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    return found


def read(*cells: object, **metadata: object) -> Document:
    return parsed(notebook(*cells, **metadata)).document


def contents(document: Document) -> list[tuple[Kind, str]]:
    return [(block.kind, content(document, block)) for block in document.blocks]


def content(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def test_markdown_cells_are_markdown_and_their_headings_hold_the_cells_after_them():
    document = read(
        markdown("# Loans *2026*", "", "What was lent.", "", "| a | b |", "|---|---|", "| 1 | 2 |"),
        code("import lending"),
        markdown("## Returned", "- on time", "- late"),
        code("lending.count()"),
        markdown("# Shelves"),
    )
    assert document.title == "Loans 2026"
    assert not document.text_is_source
    found = [(block.kind, block.level, block.section_path) for block in document.blocks]
    assert found == [
        (Kind.HEADING, 1, ("Loans 2026",)),
        (Kind.PARAGRAPH, None, ("Loans 2026",)),
        (Kind.TABLE, None, ("Loans 2026",)),
        (Kind.CODE, None, ("Loans 2026",)),
        (Kind.HEADING, 2, ("Loans 2026", "Returned")),
        (Kind.LIST_ITEM, 1, ("Loans 2026", "Returned")),
        (Kind.LIST_ITEM, 1, ("Loans 2026", "Returned")),
        (Kind.CODE, None, ("Loans 2026", "Returned")),
        (Kind.HEADING, 1, ("Shelves",)),
    ]
    assert document.blocks[2].rows == (("a", "b"), ("1", "2"))


def test_code_is_in_the_kernels_language_unless_the_cell_says_another():
    document = read(
        code("%matplotlib inline\nx = 1"),
        code("%%bash\nls"),
        {**code("SELECT 1"), "metadata": {"vscode": {"languageId": "sql"}}},
        code('doc = """\n```\nfence\n```\n"""'),
    )
    assert contents(document) == [
        (Kind.CODE, "```python\n%matplotlib inline\nx = 1\n```"),
        (Kind.CODE, "```bash\n%%bash\nls\n```"),
        (Kind.CODE, "```sql\nSELECT 1\n```"),
        (Kind.CODE, '````python\ndoc = """\n```\nfence\n```\n"""\n````'),
    ]


def test_what_was_printed_follows_its_cell_without_colours_and_overwritten_lines():
    traceback = ["\x1b[0;31mZeroDivisionError\x1b[0m  Traceback", "\x1b[1;32m----> 1\x1b[0m 1/0", "division by zero"]
    document = read(
        code("run()", stream("one\n"), stream(" 10%\r 50%\r100%\ntwo\n")),
        code("1/0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "x", "traceback": traceback}),
        code("2", {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": ["[1,\n", " 2]"]}}),
    )
    assert [text for _, text in contents(document)[1::2]] == [
        "```\none\n100%\ntwo\n```",
        "```\nZeroDivisionError  Traceback\n----> 1 1/0\ndivision by zero\n```",
        "```\n[1,\n 2]\n```",
    ]


def test_a_data_frame_is_a_table():
    html = (
        "<div><style scoped>.dataframe tbody { }</style><table class='dataframe'><thead><tr><th></th><th>title</th>"
        "</tr></thead><tbody><tr><th>0</th><td>Ada</td></tr></tbody></table></div>"
    )
    document = read(code("frame", result(html=html, plain="  title\n0   Ada")))
    assert document.blocks[1].kind is Kind.TABLE
    assert document.blocks[1].rows == (("", "title"), ("0", "Ada"))
    assert "style" not in document.text


def test_markdown_that_a_cell_gave_out_opens_no_section():
    document = read(
        markdown("# Loans"),
        code("show()", result(markdown="# Big\n\n**words**", plain="<IPython.core.display.Markdown object>")),
        code("x"),
    )
    assert [(block.kind, block.section_path) for block in document.blocks[2:]] == [
        (Kind.PARAGRAPH, ("Loans",)),
        (Kind.PARAGRAPH, ("Loans",)),
        (Kind.CODE, ("Loans",)),
    ]


def test_pictures_and_what_stands_for_them_are_left_out():
    picture = "iVBORw0KGgo" * 40
    found = parsed(
        notebook(
            markdown(f"![map](data:image/png;base64,{picture})", "", "The map."),
            code("plot()", result(png=picture, plain="<Figure size 640x480 with 1 Axes>")),
            code("line()", result(plain="[<matplotlib.lines.Line2D at 0x7f31c0>]")),
            code("html()", result(html="<b>Done</b> in 3 s", plain="<IPython.core.display.HTML object>")),
        )
    )
    texts = [text for _, text in contents(found.document)]
    assert texts == [
        "![map](data:image/png;base64,…)",
        "The map.",
        "```python\nplot()\n```",
        "```python\nline()\n```",
        "```python\nhtml()\n```",
        "Done in 3 s",
    ]
    assert found.left_out == (picture,)


def test_a_huge_output_is_cut_at_its_lines_and_named():
    lines = "".join(f"epoch {at}\n" for at in range(5_000))
    document = read(markdown("text"), code("train()", stream(lines)))
    _, text = contents(document)[2]
    assert len(text) <= LIMIT + 20
    assert text.startswith("```\nepoch 0\nepoch 1\n")
    assert text.endswith("epoch 4999\n```")
    assert "\n…\n" in text
    assert document.warnings == (
        f"outputs were cut to {LIMIT:,} characters for each cell: cell 2 ({len(lines):,} characters)",
    )


def test_a_huge_table_is_cut_between_its_rows():
    rows = "".join(f"<tr><td>{at}</td><td>{'x' * 50}</td></tr>" for at in range(1_000))
    document = read(code("frame", result(html=f"<table>{rows}</table>")))
    table = document.blocks[1]
    assert table.rows is not None
    assert 50 < len(table.rows) < 100
    assert table.rows[-1] == (str(len(table.rows) - 1), "x" * 50)
    assert document.warnings


def test_all_outputs_of_one_cell_share_its_room():
    outputs = [part for at in range(40) for part in (stream(f"{at}\n" * 200), result(markdown=f"text {at}"))]
    document = read(code("many()", *outputs))
    assert sum(len(content(document, block)) for block in document.blocks) < LIMIT + 1_000
    assert document.warnings


def test_raw_cells_are_paragraphs_and_front_matter_gives_the_title():
    raw = {"cell_type": "raw", "metadata": {}, "source": "First.\n\nSecond\nline."}
    assert contents(read(raw)) == [(Kind.PARAGRAPH, "First."), (Kind.PARAGRAPH, "Second\nline.")]
    front = {"cell_type": "raw", "metadata": {}, "source": "---\ntitle: Loans\nauthor: Ada\n---"}
    document = read(front, markdown("# Other"))
    assert (document.title, document.author) == ("Loans", "Ada")
    assert [kind for kind, _ in contents(document)] == [Kind.METADATA, Kind.HEADING]


def test_the_title_and_the_authors_of_the_metadata_come_first():
    document = read(markdown("# Heading"), title="Of the metadata", authors=[{"name": "Ada"}, {"name": "Grace"}])
    assert (document.title, document.author) == ("Of the metadata", "Ada, Grace")


def test_the_third_version_of_the_format_is_read():
    sheet = {
        "cells": [
            {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Old"]},
            {
                "cell_type": "code", "collapsed": False, "input": ["print 1"], "language": "python", "metadata": {},
                "outputs": [
                    {"output_type": "stream", "stream": "stdout", "text": ["1\n"]},
                    {"output_type": "pyout", "prompt_number": 1, "text": ["42"]},
                    {"output_type": "pyerr", "ename": "E", "evalue": "why", "traceback": []},
                ],
            },
        ]
    }  # fmt: skip
    old = {"metadata": {"name": "Ancient"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [sheet]}
    document = parsed(json.dumps(old).encode()).document
    assert document.title == "Ancient"
    assert contents(document) == [
        (Kind.HEADING, "## Old"),
        (Kind.CODE, "```python\nprint 1\n```"),
        (Kind.CODE, "```\n1\n42\nE: why\n```"),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"cells": [\n  {"cell_type": ]}', r"not valid JSON: Expecting value at line 2, column 17"),
        (b"[1, 2]", "no cells"),
        (b'{"nbformat": 4, "metadata": {}}', "no cells"),
        (b'{"nbformat": 2, "worksheets": []}', "version 2"),
        (b'{"cells": ' + b"[" * 200_000, "cannot be read|not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_an_error_that_says_where(data, message):
    with pytest.raises(ParseError, match=message):
        parsed(data)


def test_a_merge_conflict_is_called_by_its_name():
    with pytest.raises(ParseError) as caught:
        parsed(b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n]}')
    assert caught.value.hint == "resolve the merge conflict in it"


def test_what_is_no_cell_is_missing_and_the_others_are_read():
    document = read(markdown("text"), None, code("x"), {"cell_type": "code", "outputs": [None, {"data": 3}]})
    assert document.missing == ("cell 2: it is not an object",)
    assert [kind for kind, _ in contents(document)] == [Kind.PARAGRAPH, Kind.CODE]


def test_characters_that_no_database_holds_are_removed_and_counted():
    document = read(markdown("a\ud800b\x00c"), code("x = '\udfff'", stream("y\x00")))
    assert document.replaced == 4
    assert contents(document) == [
        (Kind.PARAGRAPH, "abc"),
        (Kind.CODE, "```python\nx = ''\n```"),
        (Kind.CODE, "```\ny\n```"),
    ]


def test_windows_newlines_give_the_same_document():
    assert read(markdown("# a", "", "b"), code("x\ny")) == read(
        {"cell_type": "markdown", "source": "# a\r\n\r\nb"},
        code("x\r\ny"),
    )


def test_a_notebook_gets_the_recipe_of_structure_whatever_is_in_it():
    assert route(read(code("x = 1")), uri="a.ipynb").recipe == "structure"
    assert route(read(markdown("# a"), code("def f(): pass")), uri="a.ipynb").recipe == "structure"


def test_an_empty_notebook_has_no_blocks():
    assert read(code(""), markdown(" ")).blocks == ()
    assert read().text == ""


texts = st.text(max_size=40) | st.lists(st.text(max_size=20), max_size=3)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["data", "text", "traceback"]), inner),
    max_leaves=6,
)
outputs = st.fixed_dictionaries(
    {},
    optional={
        "output_type": st.sampled_from(["stream", "error", "display_data", "pyout"]) | anything,
        "text": anything,
        "data": st.dictionaries(st.sampled_from(["text/plain", "text/html", "text/markdown", "image/png"]), anything),
        "traceback": anything,
    },
)
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | anything,
        "source": anything,
        "level": anything,
        "metadata": anything,
        "outputs": st.lists(outputs | anything, max_size=4) | anything,
    },
)


@given(written=st.lists(cells | anything, max_size=6), metadata=anything)
@settings(max_examples=150, deadline=None)
def test_whatever_is_in_the_cells_is_read_or_missing(written, metadata):
    data = json.dumps({"nbformat": 4, "metadata": metadata, "cells": written}).encode()
    document = parsed(data).document
    assert Document.from_dict(document.to_dict()) == document
    assert len(document.missing) == sum(not isinstance(cell, dict) for cell in written)
