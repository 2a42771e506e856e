"""A small good file of each kind that Kerf reads, for `fuzzing` to spoil. File name → bytes."""

from __future__ import annotations

import json
from functools import cache
from io import BytesIO

from code_samples import DATA
from pdf_making import Page, pdf

MARKDOWN = """---
title: Opening hours
date: 2026-03-01
tags: [library, hours]
---

# Opening hours

The *library* opens at **nine**, see [the map](map.md "Map")[^1].

- Monday
  1. morning
  2. afternoon

     ```python
     # no heading
     open(9)
     ```
- Tuesday

| day | from | to |
|:----|-----:|----|
| Mon | 9    | 17 |
| Tue | 10   | `a|b` |

Setext
------

> [!NOTE]
> Closed on *holidays*.

!!! warning
    Bring a card.

Term
: its meaning

<details><summary>More</summary>

<table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table>

</details>

[^1]: The map is in the hall.
"""

HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Opening hours</title>
<link rel="canonical" href="https://example.org/hours"><meta name="author" content="A. Reader"></head>
<body><nav><a href="/">Home</a> <a href="/hours">Hours</a></nav>
<main><h1>Opening hours</h1><p>The library opens at <b>nine</b> &amp; closes at&nbsp;five.</p>
<h2>Days</h2><ul><li>Monday<ol><li>morning</li><li>afternoon</li></ol></li><li>Tuesday</li></ul>
<table><caption>Hours</caption><tr><th>day</th><th colspan="2">hours</th></tr>
<tr><td rowspan="2">Mon</td><td>9</td><td>17</td></tr><tr><td>10</td><td>18</td></tr></table>
<pre><code class="language-python">def f():
    return 9
</code></pre><dl><dt>Card</dt><dd>A piece of plastic.</dd></dl>
<details><summary>More</summary><p>Bring &#x41; card.</p></details><blockquote>Quiet, please.</blockquote></main>
<footer>Imprint</footer><script>var hidden = "<p>no</p>";</script></body></html>
"""

LOG = "".join(
    f"2026-03-01T09:{minute:02}:00Z INFO door={minute % 3} opened\n" + ("  at hall.py:12\n" if minute % 4 == 0 else "")
    for minute in range(30)
)

TEXT = (
    "Opening hours\n\nThe library opens at nine. It closes at five.\n\n  On Sundays it is closed;\n  ask the porter.\n"
    * 3
)

MAIL = """From: "A. Reader" <reader@example.org>
To: desk@example.org
Subject: =?utf-8?q?Opening_hours_=E2=80=93_question?=
Date: Sun, 01 Mar 2026 09:00:00 +0100
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="cut"

--cut
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

When do you open=3F I come at nine.

> We open at ten.

--cut
Content-Type: text/html; charset=utf-8

<p>When do you <b>open</b>? I come at nine.</p>
--cut--
"""

RST = """Opening hours
=============

:Author: A. Reader

The *library* opens at ``nine``. See `the map <map.html>`_ [1]_.

Days
----

- Monday
- Tuesday

  1. morning

====  ====
day   from
====  ====
Mon   9
Tue   10
====  ====

.. code-block:: python

   open(9)

.. note:: Closed on holidays.

.. [1] In the hall.
"""

CSV = "day,from,to,remark\n" + "".join(f'Day {n},{n},{n + 8},"a ""quoted"" remark\nof two lines"\n' for n in range(12))

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Hours\n", "\n", "The library opens at nine."]},
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "source": ["hours = 9 + 8\n", "hours"],
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["counting\n"]},
                    {"output_type": "execute_result", "data": {"text/plain": ["17"]}, "metadata": {}},
                ],
            },
        ],
        "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    indent=1,
)


def _pdf() -> bytes:
    first = Page().text(72, 60, "Library of the town", size=8).text(72, 100, "1 Opening hours", size=18, font="B")
    first.lines(72, 130, ["The library opens at nine and closes", "at five, but not on Sun-", "days."])
    for row, cells in enumerate([("day", "from", "to"), ("Mon", "9", "17"), ("Tue", "10", "18")]):
        for column, cell in enumerate(cells):
            first.text(72 + 90 * column, 220 + 14 * row, cell)
    second = Page(rotate=90).text(72, 60, "Library of the town", size=8).text(72, 100, "2 Fees", size=18, font="B")
    second.text(72, 130, "A card is free of charge.").lines(72, 160, ["def f():", "    return 9"], font="C")
    return pdf([first, second], outline=[("1 Opening hours", 0, 0), ("2 Fees", 0, 1)], info={"Title": "Hours"})


def _docx() -> bytes:
    from docx import Document

    made = Document()
    made.add_heading("Opening hours", 1)
    made.add_paragraph("The library opens at nine.")
    made.add_paragraph("Monday", style="List Bullet")
    made.add_heading("Fees", 2)
    table = made.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    return _saved(made)


def _pptx() -> bytes:
    from pptx import Presentation

    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Opening hours"
    slide.placeholders[1].text = "The library opens at nine"
    slide.notes_slide.notes_text_frame.text = "Say it loudly"
    return _saved(made)


def _xlsx() -> bytes:
    from openpyxl import Workbook

    made = Workbook()
    for row in [("day", "from", "to"), ("Mon", 9, 17.5), ("Tue", 10, "=B3+8")]:
        made.active.append(row)
    made.active.merge_cells("A5:C5")
    made.create_sheet("Fees").append(("A card", "free"))
    return _saved(made)


def _saved(made) -> bytes:
    out = BytesIO()
    made.save(out)
    return out.getvalue()


@cache
def seeds() -> dict[str, bytes]:
    """Every kind; the source files of `tests/data/code` under the names that their languages have."""
    texts = {
        "hours.md": MARKDOWN,
        "hours.html": HTML,
        "hours.txt": TEXT,
        "doors.log": LOG,
        "question.eml": MAIL,
        "hours.rst": RST,
        "hours.csv": CSV,
        "hours.tsv": CSV.replace(",", "\t"),
        "hours.ipynb": NOTEBOOK,
    }
    made = {"hours.pdf": _pdf(), "hours.docx": _docx(), "hours.pptx": _pptx(), "hours.xlsx": _xlsx()}
    code = {path.name.removesuffix(".txt"): path.read_bytes() for path in sorted(DATA.iterdir())}
    return {name: text.encode() for name, text in texts.items()} | made | code
