"""What a piece of Markdown must become: a name, the source, and its blocks in order with their exact source text.

Written by hand from the rules of CommonMark, of GitHub's tables and of the tools named in each part. A line of marks
alone (a break, an empty quote, a fence that closes a box) goes with the paragraph, item, quote or caption above it,
else with the one below it, else it is a paragraph.
"""

from __future__ import annotations

from chunkers.document import Kind

Expected = tuple[Kind, int | None, str]
Case = tuple[str, str, list[Expected]]


def _heading(level: int, text: str) -> Expected:
    return Kind.HEADING, level, text


def _item(level: int, text: str) -> Expected:
    return Kind.LIST_ITEM, level, text


def _of(kind: Kind, text: str) -> Expected:
    return kind, None, text


def _p(text: str) -> Expected:
    return _of(Kind.PARAGRAPH, text)


def _code(text: str) -> Expected:
    return _of(Kind.CODE, text)


def _quote(text: str) -> Expected:
    return _of(Kind.QUOTE, text)


def _table(text: str) -> Expected:
    return _of(Kind.TABLE, text)


def _meta(text: str) -> Expected:
    return _of(Kind.METADATA, text)


def _note(text: str) -> Expected:
    return _of(Kind.FOOTNOTE, text)


def _formula(text: str) -> Expected:
    return _of(Kind.FORMULA, text)


def _caption(text: str) -> Expected:
    return _of(Kind.CAPTION, text)


HEADINGS: list[Case] = [
    ("one to six marks", "# a\n## b\n### c\n#### d\n##### e\n###### f",
     [_heading(1, "# a"), _heading(2, "## b"), _heading(3, "### c"), _heading(4, "#### d"), _heading(5, "##### e"),
      _heading(6, "###### f")]),
    ("seven marks are text", "####### a", [_p("####### a")]),
    ("a mark needs a space", "#a\n\n#5 bolt", [_p("#a"), _p("#5 bolt")]),
    ("a tab is a space", "#\ta", [_heading(1, "#\ta")]),
    ("an escaped mark is text", "\\# a", [_p("\\# a")]),
    ("three columns of indentation", "   # a", [_heading(1, "# a")]),
    ("four columns are code", "    # a", [_code("    # a")]),
    ("four columns go on with a paragraph", "a\n    # b", [_p("a\n    # b")]),
    ("closing marks of any number", "## a ####\n### b ###   ", [_heading(2, "## a ####"), _heading(3, "### b ###")]),
    ("a heading without words", "#\n\n## \n\n### ###", [_heading(1, "#"), _heading(2, "##"), _heading(3, "### ###")]),
    ("a heading ends a paragraph", "a\n# b\nc", [_p("a"), _heading(1, "# b"), _p("c")]),
    ("a heading between breaks", "***\n# a\n***\n", [_p("***"), _heading(1, "# a"), _p("***")]),
    ("underlined with equals", "a\n===\n\nb\n=", [_heading(1, "a\n==="), _heading(1, "b\n=")]),
    ("underlined with dashes", "a\n---\nb\n-", [_heading(2, "a\n---"), _heading(2, "b\n-")]),
    ("several lines are underlined", "a\nb *c\nd*\n====", [_heading(1, "a\nb *c\nd*\n====")]),
    ("an indented underline", "a\n   ----  ", [_heading(2, "a\n   ----")]),
    ("an underline indented by four is text", "a\n    ---", [_p("a\n    ---")]),
    ("an underline has no gaps", "a\n= =\n\nb\n--- -", [_p("a\n= ="), _p("b\n--- -")]),
    ("an underline needs a paragraph", "===", [_p("===")]),
    ("no underline after a blank line", "a\n\n====", [_p("a"), _p("====")]),
    ("no underline across a quote", "> a\n---", [_quote("> a\n---")]),
    ("no underline across a list", "- a\n---", [_item(1, "- a\n---")]),
    ("an underline in code", "`a\n---\nb`", [_heading(2, "`a\n---"), _p("b`")]),
    ("an escaped mark can be underlined", "\\> a\n---", [_heading(2, "\\> a\n---")]),
    ("a heading after front matter", "---\ntitle: t\n---\na\n===",
     [_meta("---\ntitle: t\n---"), _heading(1, "a\n===")]),
    ("emphasis and code in a heading", "# *a* `b` [c](d)", [_heading(1, "# *a* `b` [c](d)")]),
    ("a heading in an item does not head the page", "- # a\n- b", [_item(1, "- # a"), _item(1, "- b")]),
    ("a heading in a quote does not head the page", "> # a\n> b", [_quote("> # a"), _quote("> b")]),
    ("underlined in a quote does not head the page", "> a\n> ===", [_quote("> a\n> ===")]),
    ("underlined in an item does not head the page", "1. a\n   ===\n2. b",
     [_item(1, "1. a\n   ==="), _item(1, "2. b")]),
    ("nothing but a mark at the end of the file", "a\n\n#", [_p("a"), _heading(1, "#")]),
    ("words of other scripts", "# Überblick\n\n## 概要 #\n\n### Обзор", [_heading(1, "# Überblick"),
     _heading(2, "## 概要 #"), _heading(3, "### Обзор")]),
    ("an attribute in braces", "# a {#b .c}\n\nd", [_heading(1, "# a {#b .c}"), _p("d")]),
    ("a list of attributes below", "# a\n{: .no_toc }\n\nb", [_heading(1, "# a"), _p("{: .no_toc }"), _p("b")]),
    ("heading, heading, no blank line", "# a\nb\n## c\nd", [_heading(1, "# a"), _p("b"), _heading(2, "## c"), _p("d")]),
    ("a mark after a no-break space is text", "#\u00a0a", [_p("#\u00a0a")]),
]  # fmt: skip

BREAKS: list[Case] = [
    ("three kinds", "a\n\n***\n\n---\n\n___\n\nb", [_p("a\n\n***\n\n---\n\n___"), _p("b")]),
    ("two marks are text", "--\n\n**\n\n__", [_p("--"), _p("**"), _p("__")]),
    ("spaces between", "- - -\n\na", [_p("- - -\n\na")]),
    ("ends a list", "- a\n***\n- b", [_item(1, "- a\n***"), _item(1, "- b")]),
    ("wins over an item", "* a\n* * *\n* b", [_item(1, "* a\n* * *"), _item(1, "* b")]),
    ("in an item", "- a\n- * * *", [_item(1, "- a\n- * * *")]),
    ("not with other marks", "a ***\n\n+++", [_p("a ***"), _p("+++")]),
    ("between headings it stands for itself", "# a\n\n---\n\n# b", [_heading(1, "# a"), _p("---"), _heading(1, "# b")]),
    ("after code", "```\na\n```\n\n---\n\nb", [_code("```\na\n```"), _p("---\n\nb")]),
    ("first in the file and nothing closes it", "---\n\na", [_p("---\n\na")]),
]  # fmt: skip

FENCES: list[Case] = [
    ("backticks", "```\n# a\n```", [_code("```\n# a\n```")]),
    ("tildes", "~~~\n# a\n~~~", [_code("~~~\n# a\n~~~")]),
    ("two backticks are no fence", "``\na\n``", [_p("``\na\n``")]),
    ("tildes do not close backticks", "```\n~~~\n# a\n```", [_code("```\n~~~\n# a\n```")]),
    ("backticks do not close tildes", "~~~\n```\n# a\n~~~", [_code("~~~\n```\n# a\n~~~")]),
    ("a longer fence holds a shorter one", "````\n```\n# a\n```\n````\nb",
     [_code("````\n```\n# a\n```\n````"), _p("b")]),
    ("a longer fence closes a shorter one", "```\n# a\n`````\nb", [_code("```\n# a\n`````"), _p("b")]),
    ("not closed: to the end of the file", "```\n# a\n\n# b", [_code("```\n# a\n\n# b")]),
    ("not closed: to the end of the quote", "> ```\n> # a\n\n# b", [_code("> ```\n> # a"), _heading(1, "# b")]),
    ("not closed: to the end of the item", "- ```\n  # a\n\n# b", [_code("- ```\n  # a"), _heading(1, "# b")]),
    ("nothing in it", "```\n```", [_code("```\n```")]),
    ("blank lines in it", "```\n\n\n# a\n\n```", [_code("```\n\n\n# a\n\n```")]),
    ("indented up to three", "   ```\n   # a\n   ```", [_code("   ```\n   # a\n   ```")]),
    ("indented by four it is indented code", "    ```\n    # a\n    ```\nb",
     [_code("    ```\n    # a\n    ```"), _p("b")]),
    ("the closing fence is indented, too", "```\n# a\n  ```", [_code("```\n# a\n  ```")]),
    ("a closing fence indented by four is code", "```\n# a\n    ```\n# b", [_code("```\n# a\n    ```\n# b")]),
    ("a fence ends a paragraph", "a\n```\n# b\n```\nc", [_p("a"), _code("```\n# b\n```"), _p("c")]),
    ("with a language", "```python startline=3 $%@\n# a\n```", [_code("```python startline=3 $%@\n# a\n```")]),
    ("with attributes", "```{.py .numberLines}\n# a\n```", [_code("```{.py .numberLines}\n# a\n```")]),
    ("a chunk of R Markdown", "```{r setup, echo=FALSE}\n# a\n```", [_code("```{r setup, echo=FALSE}\n# a\n```")]),
    ("a backtick in the words makes it no fence", "``` a`b\n# c", [_p("``` a`b"), _heading(1, "# c")]),
    ("tildes may have backticks in the words", "~~~ a`b ~~~\n# c\n~~~", [_code("~~~ a`b ~~~\n# c\n~~~")]),
    ("words after a closing fence do not close", "```\n# a\n``` b\n# c\n```", [_code("```\n# a\n``` b\n# c\n```")]),
    ("a code span over lines is no fence", "``` a ```\n# b", [_p("``` a ```"), _heading(1, "# b")]),
    ("in an item", "- a\n\n  ```\n  # b\n  ```\n- c", [_item(1, "- a"), _code("  ```\n  # b\n  ```"), _item(1, "- c")]),
    ("in an item without a blank line", "1. a\n   ```sh\n   # b\n   ```\n2. c",
     [_item(1, "1. a"), _code("   ```sh\n   # b\n   ```"), _item(1, "2. c")]),
    ("in an item, code flush left to its fence", "- a\n\n  ~~~\n    # b\n  ~~~\n\n  c",
     [_item(1, "- a"), _code("  ~~~\n    # b\n  ~~~"), _item(1, "  c")]),
    ("in an item of an item", "- a\n  - b\n    ```\n    # c\n    ```",
     [_item(1, "- a"), _item(2, "  - b"), _code("    ```\n    # c\n    ```")]),
    ("an item that begins with it", "- ```\n  # a\n  ```\n- b", [_code("- ```\n  # a\n  ```"), _item(1, "- b")]),
    ("less indented than its item it ends the list", "- a\n\n```\n# b\n```", [_item(1, "- a"), _code("```\n# b\n```")]),
    ("in a quote", "> ```\n> # a\n> ```\n> b", [_code("> ```\n> # a\n> ```"), _quote("> b")]),
    ("in a quote in an item", "- > ~~~\n  > # a\n  > ~~~", [_code("- > ~~~\n  > # a\n  > ~~~")]),
    ("quote marks end it", "> ```\n# a", [_code("> ```"), _heading(1, "# a")]),
    ("two in a row", "```\n# a\n```\n~~~\n# b\n~~~", [_code("```\n# a\n```"), _code("~~~\n# b\n~~~")]),
    ("a table in it is code", "```\n| a |\n|---|\n```", [_code("```\n| a |\n|---|\n```")]),
    ("an underline in it is code", "```\na\n===\nb\n---\n```", [_code("```\na\n===\nb\n---\n```")]),
    ("front matter in it is code", "```yaml\n---\ntitle: a\n---\n```", [_code("```yaml\n---\ntitle: a\n---\n```")]),
    ("HTML in it is code", "~~~html\n<h1>a</h1>\n<!--\n~~~\nb", [_code("~~~html\n<h1>a</h1>\n<!--\n~~~"), _p("b")]),
    ("a formula in it is code", "```\n$$\na\n$$\n```", [_code("```\n$$\na\n$$\n```")]),
    ("a box in it is code", "```\n::: note\n# a\n:::\n!!! b\n    c\n```",
     [_code("```\n::: note\n# a\n:::\n!!! b\n    c\n```")]),
    ("a link definition in it is code", "```\n[a]: b\n```\n[c]: d", [_code("```\n[a]: b\n```"), _meta("[c]: d")]),
    ("math is a formula", "```math\na = b\n```", [_formula("```math\na = b\n```")]),
    ("the last line is a fence without a newline", "a\n\n```\n# b\n```", [_p("a"), _code("```\n# b\n```")]),
]  # fmt: skip

INDENTED: list[Case] = [
    ("four columns", "    a\n      b", [_code("    a\n      b")]),
    ("a tab", "\ta\n\n\tb", [_code("\ta\n\n\tb")]),
    ("blank lines belong to it", "    # a\n\n\n    # b\nc", [_code("    # a\n\n\n    # b"), _p("c")]),
    ("not within a paragraph", "a\n    b", [_p("a\n    b")]),
    ("after a heading", "# a\n    # b\nc", [_heading(1, "# a"), _code("    # b"), _p("c")]),
    ("in an item: four more than its text", "- a\n\n      # b", [_item(1, "- a"), _code("      # b")]),
    ("in an item of a number", "1.  a\n\n        # b", [_item(1, "1.  a"), _code("        # b")]),
    ("an item's paragraph is none", "  - a\n\n    b", [_item(1, "  - a\n\n    b")]),
    ("an item that begins with it", "-     # a", [_code("-     # a")]),
    ("in a quote", ">     # a\n> b", [_code(">     # a"), _quote("> b")]),
    ("a list in it is code", "    - a\n    1. b", [_code("    - a\n    1. b")]),
]  # fmt: skip

LISTS: list[Case] = [
    ("dashes, pluses, stars", "- a\n+ b\n* c", [_item(1, "- a"), _item(1, "+ b"), _item(1, "* c")]),
    ("numbers with dots and brackets", "1. a\n2) b", [_item(1, "1. a"), _item(1, "2) b")]),
    ("a mark needs a space", "-a\n\n2.b", [_p("-a"), _p("2.b")]),
    ("ten digits are no number", "1234567890. a\n\n123456789. b", [_p("1234567890. a"), _item(1, "123456789. b")]),
    ("a negative number is text", "-1. a", [_p("-1. a")]),
    ("only one may break into a paragraph", "a\n14. b\n\nc\n1. d", [_p("a\n14. b"), _p("c"), _item(1, "1. d")]),
    ("a bullet breaks into a paragraph", "a\n- b", [_p("a"), _item(1, "- b")]),
    ("an empty bullet does not", "a\n*\nb", [_p("a\n*\nb")]),
    ("nested by its text", "- a\n  - b\n    - c\n- d",
     [_item(1, "- a"), _item(2, "  - b"), _item(3, "    - c"), _item(1, "- d")]),
    ("nested under a number", "1. a\n   - b\n2. c", [_item(1, "1. a"), _item(2, "   - b"), _item(1, "2. c")]),
    ("too little indented to be nested", "10) a\n   - b", [_item(1, "10) a"), _item(1, "   - b")]),
    ("nested by a tab", "- a\n\t- b", [_item(1, "- a"), _item(2, "\t- b")]),
    ("nested in one line", "- 1. a\n  2. b", [_item(2, "- 1. a"), _item(2, "  2. b")]),
    ("a second paragraph", "- a\n\n  b\n- c", [_item(1, "- a\n\n  b"), _item(1, "- c")]),
    ("a lazy line", "- a\nb\n- c", [_item(1, "- a\nb"), _item(1, "- c")]),
    ("a line of its own after a blank one", "- a\n\nb", [_item(1, "- a"), _p("b")]),
    ("a paragraph after a nested list", "- a\n  - b\n\n  c", [_item(1, "- a"), _item(2, "  - b"), _item(1, "  c")]),
    ("blank lines between items", "- a\n\n- b\n\n\n- c", [_item(1, "- a"), _item(1, "- b"), _item(1, "- c")]),
    ("an item without words", "- a\n-\n- c", [_item(1, "- a\n-"), _item(1, "- c")]),
    ("an item whose text begins below", "-\n  a\n- b", [_item(1, "-\n  a"), _item(1, "- b")]),
    ("a comment parts two lists", "- a\n\n<!-- -->\n\n- b", [_item(1, "- a"), _p("<!-- -->"), _item(1, "- b")]),
    ("a quote in an item", "- a\n  > b\n- c", [_item(1, "- a"), _quote("  > b".strip()), _item(1, "- c")]),
    ("a table in an item", "- a\n\n  | b |\n  |---|\n  | c |\n- d",
     [_item(1, "- a"), _table("| b |\n  |---|\n  | c |"), _item(1, "- d")]),
    ("tasks", "- [ ] a\n- [x] b\n  - [X] c", [_item(1, "- [ ] a"), _item(1, "- [x] b"), _item(2, "  - [X] c")]),
    ("up to three columns before the marks", " - a\n  - b\n   - c",
     [_item(1, " - a"), _item(1, "  - b"), _item(1, "   - c")]),
    ("a lead-in stays apart", "a:\n- b\n- c", [_p("a:"), _item(1, "- b"), _item(1, "- c")]),
    ("a heading ends a list", "- a\n# b\n- c", [_item(1, "- a"), _heading(1, "# b"), _item(1, "- c")]),
    ("lines of an item", "1. a\n   b\n   c\n2. d", [_item(1, "1. a\n   b\n   c"), _item(1, "2. d")]),
    ("a formula in an item", "- a\n\n  $$\n  b\n  $$", [_item(1, "- a"), _formula("$$\n  b\n  $$")]),
    ("an image as an item", "- ![a](b)\n- c", [_item(1, "- ![a](b)"), _item(1, "- c")]),
    ("raw HTML in an item", "- a\n\n  <div>b</div>\n\n- c", [_item(1, "- a"), _p("<div>b</div>"), _item(1, "- c")]),
]  # fmt: skip

QUOTES: list[Case] = [
    ("a paragraph", "> a\n> b", [_quote("> a\n> b")]),
    ("no space needed", ">a\n>b", [_quote(">a\n>b")]),
    ("a lazy line", "> a\nb\n\nc", [_quote("> a\nb"), _p("c")]),
    ("paragraphs", "> a\n>\n> b", [_quote("> a\n>"), _quote("> b")]),
    ("quotes in quotes", "> a\n>> b\n>>> c", [_quote("> a"), _quote(">> b"), _quote(">>> c")]),
    ("a list in a quote", "> a\n> - b\n>   - c\n\nd", [_quote("> a"), _item(1, "> - b"), _item(2, ">   - c"), _p("d")]),
    ("a list in a quote in a list", "- a\n  > - b\n  >   c\n- d",
     [_item(1, "- a"), _item(2, "  > - b\n  >   c"), _item(1, "- d")]),
    ("a table in a quote", "> | a |\n> |---|\n> | b |", [_table("> | a |\n> |---|\n> | b |")]),
    ("nothing in it", "a\n\n>\n> \n\nb", [_p("a\n\n>\n>"), _p("b")]),
    ("indented by four it is code", "    > a", [_code("    > a")]),
    ("it ends a paragraph", "a\n> b", [_p("a"), _quote("> b")]),
    ("GitHub's alert", "> [!NOTE]\n> a\n> # b\n\nc", [_quote("> [!NOTE]\n> a"), _quote("> # b"), _p("c")]),
    ("an alert with a list and code", "> [!WARNING]\n> a\n>\n> - b\n>\n> ```\n> # c\n> ```",
     [_quote("> [!WARNING]\n> a\n>"), _item(1, "> - b\n>"), _code("> ```\n> # c\n> ```")]),
    ("Obsidian's callout", "> [!tip]- Title\n> a", [_quote("> [!tip]- Title\n> a")]),
]  # fmt: skip

HTML: list[Case] = [
    ("a block up to the blank line", "<div>\n*a*\n</div>\n\nb", [_p("<div>\n*a*\n</div>"), _p("b")]),
    ("details with Markdown in them", "<details>\n<summary>a</summary>\n\n## b\n\n- c\n\n</details>\n\nd",
     [_p("<details>\n<summary>a</summary>"), _heading(2, "## b"), _item(1, "- c\n\n</details>"), _p("d")]),
    ("details with code", "<details>\n\n```\n# a\n```\n\n</details>",
     [_p("<details>"), _code("```\n# a\n```"), _p("</details>")]),
    ("a comment before a heading is metadata", "a\n\n<!-- b\n\n# c -->\n\n# d",
     [_p("a"), _meta("<!-- b\n\n# c -->"), _heading(1, "# d")]),
    ("a comment does not part a heading from its text", "# a\n\n<!-- b\n\n# c -->\n\nd",
     [_heading(1, "# a"), _p("<!-- b\n\n# c -->"), _p("d")]),
    ("comments at the head and at the end", "<!-- a -->\n\nb\n\n<!-- c -->",
     [_meta("<!-- a -->"), _p("b"), _meta("<!-- c -->")]),
    ("a comment in a paragraph stays in it", "a <!-- b --> c", [_p("a <!-- b --> c")]),
    ("a comment with text behind it is text", "<!-- a --> b", [_p("<!-- a --> b")]),
    ("a comment that nothing closes hides nothing", "<!-- a\n\nb", [_p("<!-- a\n\nb")]),
    ("a script and a style", "<script>\n\nlet a;\n</script>\n<style>\n\nb {}\n</style>\nc",
     [_meta("<script>\n\nlet a;\n</script>"), _meta("<style>\n\nb {}\n</style>"), _p("c")]),
    ("preformatted", "<pre>\n# a\n\n# b\n</pre>\nc", [_code("<pre>\n# a\n\n# b\n</pre>"), _p("c")]),
    ("preformatted in something else", "<div>\n<pre>\n# a\n\n# b\n</pre>\n</div>",
     [_p("<div>"), _code("<pre>\n# a\n\n# b\n</pre>"), _p("</div>")]),
    ("a table with blank lines", "<table>\n\n<tr><td>\n\n# a\n\n</td></tr>\n</table>\n\nb",
     [_table("<table>\n\n<tr><td>\n\n# a\n\n</td></tr>\n</table>"), _p("b")]),
    ("a table inside something", "<div>\n<table>\n<tr><td>a</td></tr>\n</table>\n</div>\n\nb",
     [_p("<div>"), _table("<table>\n<tr><td>a</td></tr>\n</table>"), _p("</div>\n\nb")]),
    ("a table in a table", "<table><tr><td>\n\n<table><tr><td>a</td></tr></table>\n\n</td></tr></table>",
     [_table("<table><tr><td>\n\n<table><tr><td>a</td></tr></table>\n\n</td></tr></table>")]),
    ("a heading", "<h2 id='x'>a</h2>\n\nb", [_heading(2, "<h2 id='x'>a</h2>"), _p("b")]),
    ("an inline tag is a paragraph", "<b>a</b> c", [_p("<b>a</b> c")]),
    ("a component of MDX", "import A from 'b'\n\n<A x={1}>\n\n## c\n\n</A>",
     [_p("import A from 'b'"), _p("<A x={1}>"), _heading(2, "## c"), _p("</A>")]),
    ("an image and nothing else", '<p align="center">\n  <img src="a" alt="b">\n</p>\n\nc',
     [_p('<p align="center">\n  <img src="a" alt="b">\n</p>\n\nc')]),
    ("a declaration", "<!DOCTYPE html>\n\na", [_p("<!DOCTYPE html>"), _p("a")]),
    ("no HTML without a tag's name", "< a\n\n<5", [_p("< a"), _p("<5")]),
]  # fmt: skip

DEFINITIONS: list[Case] = [
    ("links", "a [b]\n\n[b]: /c 'd'\n[e]: <f g>", [_p("a [b]"), _meta("[b]: /c 'd'\n[e]: <f g>")]),
    ("over lines", "[a]:\n  /b\n  'c\n  d'\n\ne", [_meta("[a]:\n  /b\n  'c\n  d'"), _p("e")]),
    ("the same name twice", "[a]: b\n[A]: c", [_meta("[a]: b\n[A]: c")]),
    ("not within a paragraph", "a\n[b]: c", [_p("a\n[b]: c")]),
    ("text after it", "[a]: b\nc", [_meta("[a]: b"), _p("c")]),
    ("words behind it make it text", "[a]: b c d", [_p("[a]: b c d")]),
    ("in a quote", "> [a]: b\n\n[a]", [_meta("> [a]: b"), _p("[a]")]),
    ("a comment in that form", "[//]: # (hidden)\n\na", [_meta("[//]: # (hidden)"), _p("a")]),
    ("an abbreviation is text", "*[HTML]: a b\n\nc", [_p("*[HTML]: a b"), _p("c")]),
    ("a footnote", "a[^1]\n\n[^1]: b\n    c", [_p("a[^1]"), _note("[^1]: b\n    c")]),
    ("a footnote of paragraphs", "[^n]: a\n\n    b\n\nc", [_note("[^n]: a"), _note("b"), _p("c")]),
    ("a footnote with code", "[^n]: a\n\n    ```\n    # b\n    ```\n\n# c",
     [_note("[^n]: a"), _code("    ```\n    # b\n    ```"), _heading(1, "# c")]),
    ("footnotes one after the other", "[^1]: a\n[^2]: b", [_note("[^1]: a"), _note("[^2]: b")]),
    ("terms", "a\n: b\n\nc\n: d\n: e", [_p("a"), _p(": b"), _p("c"), _p(": d"), _p(": e")]),
    ("a term with a blank line below", "a\n\n:   b\n\n    c\n\nd", [_p("a"), _p(":   b"), _p("c"), _p("d")]),
    ("a term with code", "a\n\n:   b\n\n        # c\n\nd", [_p("a"), _p(":   b"), _code("        # c"), _p("d")]),
]  # fmt: skip

TABLES: list[Case] = [
    ("with pipes", "| a | b |\n|---|---|\n| c | d |", [_table("| a | b |\n|---|---|\n| c | d |")]),
    ("without outer pipes", "a | b\n-|-\nc | d\n\ne", [_table("a | b\n-|-\nc | d"), _p("e")]),
    ("alignment", "| a |\n|:-:|\n| b |", [_table("| a |\n|:-:|\n| b |")]),
    ("a header alone", "| a |\n|---|", [_table("| a |\n|---|")]),
    ("another number of columns is none", "| a | b |\n|---|\n| c |", [_p("| a | b |\n|---|\n| c |")]),
    ("it ends a paragraph", "x\n| a |\n|---|\n| b |", [_p("x"), _table("| a |\n|---|\n| b |")]),
    ("a quote ends it", "| a |\n|---|\n| b |\n> c", [_table("| a |\n|---|\n| b |"), _quote("> c")]),
    ("a heading ends it", "| a |\n|---|\n| b |\n# c", [_table("| a |\n|---|\n| b |"), _heading(1, "# c")]),
    ("a list ends it", "| a |\n|---|\n| b |\n- c", [_table("| a |\n|---|\n| b |"), _item(1, "- c")]),
    ("a fence ends it", "| a |\n|---|\n| b |\n```\nc\n```", [_table("| a |\n|---|\n| b |"), _code("```\nc\n```")]),
    ("an escaped pipe", "| a |\n|---|\n| b\\|c |", [_table("| a |\n|---|\n| b\\|c |")]),
    ("two, a blank line between", "a|b\n-|-\n\nc|d\n-|-", [_table("a|b\n-|-"), _table("c|d\n-|-")]),
    ("a caption above", "Table 1: a\n\n| b |\n|---|\n| c |", [_caption("Table 1: a"), _table("| b |\n|---|\n| c |")]),
    ("a caption right above", "**Table 2.** a\n| b |\n|---|", [_caption("**Table 2.** a"), _table("| b |\n|---|")]),
    ("a caption below", "| b |\n|---|\n| c |\n\nTable: a\nd\n\ne",
     [_table("| b |\n|---|\n| c |"), _caption("Table: a\nd"), _p("e")]),
    ("a caption right below is no row", "| b |\n|---|\n| c |\nTable 3: a",
     [_table("| b |\n|---|\n| c |"), _caption("Table 3: a")]),
    ("Pandoc's caption", "| b |\n|---|\n| c |\n\n: a", [_table("| b |\n|---|\n| c |"), _caption(": a")]),
    ("a Chinese caption", "表 1：甲\n\n| b |\n|---|\n| c |", [_caption("表 1：甲"), _table("| b |\n|---|\n| c |")]),
    ("a sentence about a table is no caption", "Table 1 shows a.\n\n| b |\n|---|",
     [_p("Table 1 shows a."), _table("| b |\n|---|")]),
    ("a caption needs its table", "Table 1: a\n\nb", [_p("Table 1: a"), _p("b")]),
    ("a figure's caption", "![a](b.png)\n\n*Figure 1: c*\n\nd",
     [_p("![a](b.png)"), _caption("*Figure 1: c*"), _p("d")]),
    ("a figure's caption right below", "![a](b.png)\nFig. 2. c", [_p("![a](b.png)"), _caption("Fig. 2. c")]),
    ("a listing's caption", "Listing 4: a\n\n```\nb\n```", [_caption("Listing 4: a"), _code("```\nb\n```")]),
]  # fmt: skip

BOXES: list[Case] = [
    ("MyST, a fence", "```{note}\na\n\n- b\n```\nc", [_p("```{note}\na"), _item(1, "- b\n```"), _p("c")]),
    ("MyST, a title and options", "```{admonition} A *b*\n:class: tip\nc\n```",
     [_p("```{admonition} A *b*\n:class: tip\nc\n```")]),
    ("MyST, options in YAML", "```{note}\n---\nclass: tip\n---\na\n```",
     [_p("```{note}\n---\nclass: tip\n---\na\n```")]),
    ("MyST, code in it", "````{warning}\na\n```py\n# b\n```\n````",
     [_p("````{warning}\na"), _code("```py\n# b\n```"), _p("````")]),
    ("MyST, a box in a box", "`````{note}\na\n````{tip}\nb\n````\n`````",
     [_p("`````{note}\na"), _p("````{tip}\nb\n````\n`````")]),
    ("MyST, a heading in it heads nothing", "```{tip}\n# a\n```\n\nb", [_p("```{tip}\n# a\n```"), _p("b")]),
    ("MyST, code is code", "```{code-block} py\n:caption: x\n# a\n```",
     [_code("```{code-block} py\n:caption: x\n# a\n```")]),
    ("MyST, a cell is code", "```{code-cell} ipython3\n# a\n```", [_code("```{code-cell} ipython3\n# a\n```")]),
    ("MyST, a formula", "```{math}\na\n```", [_formula("```{math}\na\n```")]),
    ("MyST, a figure", "```{figure} a.png\n:alt: b\n\nThe caption.\n```\n\nc",
     [_caption("```{figure} a.png\n:alt: b\n\nThe caption.\n```"), _p("c")]),
    ("MyST, a table's title", "```{table} A title\n| a |\n|---|\n```",
     [_caption("```{table} A title"), _table("| a |\n|---|"), _p("```")]),
    ("MyST, colons", ":::{note} Title\na\n:::\nb", [_p(":::{note} Title\na\n:::"), _p("b")]),
    ("MyST, code of colons", ":::{code-block}\n# a\n:::", [_code(":::{code-block}\n# a\n:::")]),
    ("not closed, a directive is a fence", "```{note}\n# a", [_code("```{note}\n# a")]),
    ("colons not closed swallow nothing", ":::note\na\n\n# b\n\nc", [_p(":::note\na"), _heading(1, "# b"), _p("c")]),
    ("Docusaurus", ":::tip[My *tip*]\n\na\n\n```\n# b\n```\n\n:::\n\nc",
     [_p(":::tip[My *tip*]\n\na"), _code("```\n# b\n```"), _p(":::\n\nc")]),
    ("boxes of the same length", "::: a\n::: note\nb\n:::\n:::\n\n# c",
     [_p("::: a\n::: note\nb\n:::\n:::"), _heading(1, "# c")]),
    ("a column is a part of the page", ":::: {.columns}\n::: {.column}\n## a\nb\n:::\n::::\n",
     [_p(":::: {.columns}\n::: {.column}"), _heading(2, "## a"), _p("b\n:::\n::::")]),
    ("a complete element of colons", ':::image source="a" alt-text="b":::\n\nc',
     [_p(':::image source="a" alt-text="b":::'), _p("c")]),
    ("MkDocs", '!!! note "T"\n    a\n\n    - b\n\nc', [_p('!!! note "T"\n    a'), _item(1, "    - b"), _p("c")]),
    ("MkDocs, folded", "??? tip\n    a\n\n???+ tip\n    b\n", [_p("??? tip\n    a"), _p("???+ tip\n    b")]),
    ("MkDocs, code with two blank lines", '!!! note\n    ```\n    # a\n\n\n    # b\n    ```\n    c',
     [_p("!!! note"), _code("    ```\n    # a\n\n\n    # b\n    ```"), _p("c")]),
    ("MkDocs, a box in a box", "!!! a\n    b\n\n    !!! c\n        d\n\n    e\n\nf",
     [_p("!!! a\n    b"), _p("!!! c\n        d"), _p("e"), _p("f")]),
    ("MkDocs, in an item", "- a\n\n    !!! note\n        b\n\n- c",
     [_item(1, "- a"), _p("!!! note\n        b"), _item(1, "- c")]),
    ("somebody is loud", "!!! wow\n\na", [_p("!!! wow"), _p("a")]),
    ("tabs", '=== "A"\n\n    a\n\n=== "B"\n\n    ```\n    # b\n    ```\n',
     [_p('=== "A"\n\n    a'), _p('=== "B"'), _code("    ```\n    # b\n    ```")]),
    ("slashes", "/// note | T\n\na\n\n///\n\nb", [_p("/// note | T\n\na\n\n///"), _p("b")]),
    ("slashes in slashes", "//// tab | A\n\n/// tip\n\na\n\n///\n\n////\n\n# b",
     [_p("//// tab | A\n\n/// tip\n\na\n\n///\n\n////"), _heading(1, "# b")]),
    ("slashes not closed are text", "/// a\n\n# b", [_p("/// a"), _heading(1, "# b")]),
]  # fmt: skip

FORMULAS_AND_SHORTCODES: list[Case] = [
    ("dollars", "a\n\n$$\nb\n= c\n$$\n\nd", [_p("a"), _formula("$$\nb\n= c\n$$"), _p("d")]),
    ("dollars in a line", "$$a = b$$", [_formula("$$a = b$$")]),
    ("dollars with a number", "$$\na\n$$ (1)\n\nb", [_formula("$$\na\n$$ (1)"), _p("b")]),
    ("dollars with a label in braces", "$$\na\n$$ {#eq:b}", [_formula("$$\na\n$$ {#eq:b}")]),
    ("dollars right below text", "a:\n$$\nb\n=\nc\n$$\nd", [_p("a:"), _formula("$$\nb\n=\nc\n$$"), _p("d")]),
    ("dollars not closed are text", "$$\na\n\nb", [_p("$$\na"), _p("b")]),
    ("dollars within text are text", "it costs $$5 and $$6 more", [_p("it costs $$5 and $$6 more")]),
    ("brackets", "\\[\na\n=\nb\n\\]", [_formula("\\[\na\n=\nb\n\\]")]),
    ("an escaped bracket is text", "\\[a\\] b", [_p("\\[a\\] b")]),
    ("an environment", "\\begin{align*}\na &= b\n\nc\n\\end{align*}\n# d",
     [_formula("\\begin{align*}\na &= b\n\nc\n\\end{align*}"), _heading(1, "# d")]),
    ("an environment not closed is text", "\\begin{align}\n\n# a", [_p("\\begin{align}"), _heading(1, "# a")]),
    ("Hugo's shortcode", '{{< figure src="a" >}}\n\nb', [_p('{{< figure src="a" >}}'), _p("b")]),
    ("Hugo's shortcode around text", "{{% note %}}\n**a**\n{{% /note %}}", [_p("{{% note %}}\n**a**\n{{% /note %}}")]),
    ("Hugo's code", "{{< highlight go >}}\n# a\n\n# b\n{{< /highlight >}}",
     [_code("{{< highlight go >}}\n# a\n\n# b\n{{< /highlight >}}")]),
    ("Jekyll's code", "{% highlight sh %}\n# a\n{% endhighlight %}\n# b",
     [_code("{% highlight sh %}\n# a\n{% endhighlight %}"), _heading(1, "# b")]),
    ("Jekyll's code not closed is text", "{% highlight sh %}\n\n# a", [_p("{% highlight sh %}"), _heading(1, "# a")]),
    ("Jekyll's tag", "{% include a.md %}\n\n{{ site.b }}", [_p("{% include a.md %}"), _p("{{ site.b }}")]),
    ("a file that is included", "{* ../a.py hl[1] *}\n\nb", [_p("{* ../a.py hl[1] *}"), _p("b")]),
]  # fmt: skip

FRONT_MATTER: list[Case] = [
    ("YAML", "---\ntitle: a\n---\n\nb", [_meta("---\ntitle: a\n---"), _p("b")]),
    ("YAML closed by dots", "---\ntitle: a\n...\nb", [_meta("---\ntitle: a\n..."), _p("b")]),
    ("TOML", '+++\ntitle = "a"\n+++\nb', [_meta('+++\ntitle = "a"\n+++'), _p("b")]),
    ("JSON", '{\n  "title": "a"\n}\n\nb', [_meta('{\n  "title": "a"\n}'), _p("b")]),
    ("Pandoc", "% a\n% b; c\n% 2024-05-01\n\nd", [_meta("% a\n% b; c\n% 2024-05-01"), _p("d")]),
    ("keys and values", "Title: a\nDate: 2024-05-01\n\nb", [_meta("Title: a\nDate: 2024-05-01"), _p("b")]),
    ("nothing in it", "---\n---\na", [_meta("---\n---"), _p("a")]),
    ("a comment in YAML is no heading", "---\n# a\ntitle: b\n---\nc", [_meta("---\n# a\ntitle: b\n---"), _p("c")]),
    ("dashes in its text", "---\ntitle: a --- b\n---\nc", [_meta("---\ntitle: a --- b\n---"), _p("c")]),
    ("only at the head", "a\n\n---\ntitle: b\n---", [_p("a\n\n---"), _heading(2, "title: b\n---")]),
    ("a list of links between breaks is text", "---\n[a](b)\n\nc d\n\n---\ne",
     [_p("---\n[a](b)"), _p("c d\n\n---"), _p("e")]),
    ("broken, but of keys", "---\ntitle: [a\nb: : c\n---\nd", [_meta("---\ntitle: [a\nb: : c\n---"), _p("d")]),
    ("never closed: what follows is text", "---\ntitle: a\n\nSome prose here.\n\n---\n\nb",
     [_p("---\ntitle: a"), _p("Some prose here.\n\n---"), _p("b")]),
    ("prose with a colon", "Note: a\nb\n\nc", [_p("Note: a\nb"), _p("c")]),
]  # fmt: skip

OTHERS: list[Case] = [
    ("lines of a paragraph", "a\n  b\n c  \nd", [_p("a\n  b\n c  \nd")]),
    ("blank lines at both ends", "\n \n\na\n\n\t\n", [_p("a")]),
    ("no newline at the end", "# a\n\nb", [_heading(1, "# a"), _p("b")]),
    ("a tab within a line", "a\tb\n\n\tc", [_p("a\tb"), _code("\tc")]),
    ("a form feed and a line separator are no newlines", "a\x0cb\u2028# c", [_p("a\x0cb\u2028# c")]),
    ("entities stay as they are", "&copy; &#35; a\n\n&#35; b", [_p("&copy; &#35; a"), _p("&#35; b")]),
    ("an image's words", "![a b](c 'd')\n\ne ![f][g]\n\n[g]: h",
     [_p("![a b](c 'd')"), _p("e ![f][g]"), _meta("[g]: h")]),
    ("a hard break", "a\\\nb  \nc", [_p("a\\\nb  \nc")]),
    ("block before inline", "- `a\n- b`", [_item(1, "- `a"), _item(1, "- b`")]),
    ("stars within words", "2*3*4\n\n**a", [_p("2*3*4"), _p("**a")]),
    ("emoji and combining marks", "# 😀 e\u0301\n\n- 👩‍👩‍👧", [_heading(1, "# 😀 e\u0301"), _item(1, "- 👩‍👩‍👧")]),
    ("right to left", "# שלום\n\nعالم", [_heading(1, "# שלום"), _p("عالم")]),
    ("every mark of a wiki", "[[a|b]] and ![[c]]\n\n==d== ~~e~~", [_p("[[a|b]] and ![[c]]"), _p("==d== ~~e~~")]),
]  # fmt: skip

PARTS: dict[str, list[Case]] = {
    "headings": HEADINGS,
    "breaks": BREAKS,
    "fences": FENCES,
    "indented code": INDENTED,
    "lists": LISTS,
    "quotes": QUOTES,
    "HTML": HTML,
    "definitions": DEFINITIONS,
    "tables": TABLES,
    "boxes": BOXES,
    "formulas and shortcodes": FORMULAS_AND_SHORTCODES,
    "front matter": FRONT_MATTER,
    "others": OTHERS,
}
