"""What every cut of source code keeps, on files of every language and on the standard library."""

from __future__ import annotations

import argparse
import ast
import sysconfig
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest
from code_samples import DATA, MEDIA_TYPES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from timing import processor_seconds
from word_pieces import word_pieces

from chunkers.base import build
from chunkers.chunk import Part, Piece, embedded_text
from chunkers.code import Code
from chunkers.document import Block, Document, Kind, uncovered
from chunkers.errors import ConfigError
from chunkers.headers import header, room
from chunkers.tokens import Cached, Characters, Ruler
from corpus.parsers.base import Settings
from corpus.parsers.code.languages.c_macros import blanked
from corpus.parsers.code.parser import CodeParser

SOURCES = {name: (DATA / name).read_text(encoding="utf-8") for name in MEDIA_TYPES}
STDLIB = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::4][:40]

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def parse(text: str, media_type: str = "text/x-python") -> Document:
    return CodeParser().parse(text.encode(), media_type, Settings()).document


def pieces(parts: list[Part]) -> list[Piece]:
    return [piece for part in parts for piece in part.pieces]


def check(document: Document, chunker: Code, ruler: Ruler) -> list[Part]:
    """Cut, and hold the cut against every promise."""
    parts = list(chunker.cut(document, ruler))
    assert parts == list(chunker.cut(document, ruler))
    text = document.text
    reached = 0
    for part in parts:
        assert reached <= part.start
        reached = part.start
        assert part.pieces
        for piece in part.pieces:
            assert reached <= piece.start < piece.end <= part.end
            assert text[piece.start : piece.end].strip()
            reached = piece.end
        reached = part.end
    found = pieces(parts)
    assert "".join("".join(text[piece.start : piece.end].split()) for piece in found) == "".join(text.split())
    texts = [text[piece.start : piece.end] for piece in found]
    reads = ruler.cap - ruler.overhead
    assert all(length <= min(chunker.size or reads, reads) for length in ruler.count(texts))
    written = [embedded_text(header(document, piece, ruler), one) for piece, one in zip(found, texts, strict=True)]
    assert all(length <= reads for length in ruler.count(written))
    assert not cut_through(document, found, ruler, chunker.size or min(400, reads))
    return parts


def cut_through(document: Document, found: list[Piece], ruler: Ruler, size: int) -> list[Block]:
    """The symbols that fit and yet do not lie in one piece."""
    whole = set()
    for block in document.blocks:
        if any(piece.start <= block.start and block.end <= piece.end for piece in found):
            whole.add(block)
    return [
        block
        for block in document.blocks
        if block.symbol
        and block not in whole
        and len(content := document.text[block.start : block.end]) < 1_000
        and ruler.count([content])[0] <= room(document, block.section_path, "", ruler, size)
    ]


any_text = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=300).filter(str.strip)
FRAGMENTS = (
    *("def f(x):", "class C:", "func (t *T) M() {", "function g() {", "const a = ", "=> {", "CREATE TABLE t (", ");"),
    *("\n", "\n\n", "    ", "\t", "(", ")", "}", "'", '"', '"""', "`", "/*", "*/", "//", "#", "--", "$$", ";"),
    *("BEGIN", "END", "x = 1", "return x", "漢字", "😀", "if x:", "else:", "@d", "import os", "\u2028", "\xa0", "\x1c"),
)
MACROS = (
    *(") ", "A_B", " __x", "(", ")", "((1))", ";", "{", "\n", "class ", "EXPORT ", "Shelf", " : ", "\\\n", "  ", "é"),
    *("BEGIN_DECLS\n", "#define F(x) \\\n", "TEST(A, b)", "int f(int)"),
)
code_like = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)


@given(text=(any_text | code_like).filter(str.strip), media_type=st.sampled_from(sorted(set(MEDIA_TYPES.values()))))
@settings(few, max_examples=200)
def test_blocks_of_any_text_are_in_order_and_cover_it(text, media_type):
    document = parse(text, media_type)
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    assert Document.from_dict(document.to_dict()) == document


@st.composite
def mutated(draw: st.DrawFn, name: str | None = None) -> Document:
    """A real file with some stretches of it deleted, doubled or replaced."""
    name = name or draw(st.sampled_from(sorted(SOURCES)))
    text = SOURCES[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 200)))
        text = (
            text[:start]
            + draw(st.sampled_from(["", text[start:end] * 2, "}\n", "(", '"', "😀", "\n\n\n"]))
            + text[end:]
        )
    return parse(text if text.strip() else "x", MEDIA_TYPES[name])


@pytest.mark.parametrize("name", MEDIA_TYPES)
@given(data=st.data())
@settings(few, max_examples=20)
def test_blocks_of_mutated_code_of_each_language_cover_it_and_know_their_symbols(name, data):
    document = data.draw(mutated(name))
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    for block in document.blocks:
        assert document.text[block.start : block.end].strip()
        if block.symbol:
            assert block.symbol.name
            assert block.symbol.name.endswith(block.section_path[-1])
            assert "\n" not in block.symbol.signature


@given(source=st.lists(st.sampled_from(MACROS), max_size=30).map("".join))
@settings(few, max_examples=200)
def test_blanked_macros_move_nothing(source):
    before = source.encode()
    after = blanked(before)
    assert len(after) == len(before)
    assert all(new in (old, 0x20) and (new == old or old != 0x0A) for old, new in zip(before, after, strict=True))


@given(document=mutated(), size=st.integers(20, 400), parent_size=st.integers(20, 1500))
@few
def test_cuts_of_mutated_code_keep_every_promise_in_characters(document, size, parent_size):
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    check(document, Code(size=size, parent_size=parent_size), Characters(600))


@given(document=mutated(), size=st.none() | st.integers(8, 254))
@few
def test_cuts_of_mutated_code_keep_every_promise_in_tokens(document, size):
    check(document, Code(size=size), Cached(word_pieces()))


@given(text=(any_text | code_like).filter(str.strip), size=st.integers(1, 80), cap=st.integers(80, 200))
@few
def test_cuts_of_any_text_keep_every_promise(text, size, cap):
    check(parse(text), Code(size=size, parent_size=100), Characters(cap))


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_cuts_of_real_code_in_each_language_keep_every_promise(name):
    document = parse(SOURCES[name], MEDIA_TYPES[name])
    for size in (None, 40, 120):
        check(document, Code(size=size), Cached(word_pieces()))


@pytest.mark.parametrize("path", STDLIB[:40], ids=lambda path: path.name)
def test_cuts_of_the_standard_library_keep_every_promise(path):
    document = CodeParser().parse(path.read_bytes(), "text/x-python", Settings()).document
    parts = check(document, Code(), Cached(word_pieces()))
    longest = max(piece.end - piece.start for piece in pieces(parts))
    for part in parts:
        tokens = Cached(word_pieces()).count([document.text[part.start : part.end]])[0]
        assert tokens <= 1200 or len(part.pieces) == 1, (part.section_path, tokens, longest)


def function(number: int, lines: int) -> str:
    body = "".join(f"    value = value * {number + line} + factor ** {line}\n" for line in range(lines))
    return f'def task_{number}(value, factor={number}):\n    """Task number {number}."""\n{body}    return value\n'


def embedded(text: str) -> Counter[tuple[tuple[str, ...], str, str]]:
    """All that the identity and the vector of a piece are made of."""
    document = parse(text)
    return Counter(
        (piece.section_path, document.text[piece.start : piece.end], header(document, piece, Cached(word_pieces())))
        for piece in pieces(list(Code().cut(document, Cached(word_pieces()))))
    )


LENGTHS = (4, 1, 12, 2, 30, 1, 8, 2, 2, 16, 1, 1, 4, 8, 2, 12, 1, 40, 2, 4)  #: lines of 20 functions, three times


@pytest.mark.parametrize("edit", ["change", "insert", "delete"])
def test_an_edit_of_one_function_leaves_the_other_pieces_alone(edit):
    functions = [function(number, lines) for number, lines in enumerate(LENGTHS * 3)]
    before = embedded("\n\n".join(functions))
    assert sum(before.values()) > 30
    new = []
    for at in range(0, 60, 3):
        edited = list(functions)
        if edit == "change":
            edited[at] = edited[at].replace("    return", "    if value:\n        value -= 1\n    return")
        elif edit == "insert":
            edited.insert(at, 'def fresh(a):\n    """New."""\n    return a + 1\n')
        else:
            del edited[at]
        after = embedded("\n\n".join(edited))
        new.append(sum((after - before).values()))
    assert max(new) <= 4
    assert sum(new) <= 2 * len(new)


def test_an_inserted_line_in_a_real_file_changes_few_pieces():
    lines = Path(argparse.__file__).read_text(encoding="utf-8").split("\n")
    before = embedded("\n".join(lines))
    places = [at for at, line in enumerate(lines) if line.startswith("        return ")][::4]
    new = []
    for at in places:
        edited = [*lines[:at], "        inserted = compute(other, 42)", *lines[at:]]
        new.append(sum((embedded("\n".join(edited)) - before).values()))
    assert len(places) > 15
    assert max(new) <= 3
    assert sum(new) <= 2 * len(new)


def test_small_symbols_of_a_class_are_merged_under_its_path():
    methods = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(4))
    document = parse(f"class Small:\n    x = 1\n\n{methods}\nother()\n")
    found = pieces(list(Code(size=130).cut(document, Characters(10_000))))
    assert ("Small",) in [piece.section_path for piece in found]
    assert {piece.section_path[:1] for piece in found[:-1]} == {("Small",)}
    assert len(found) < 5
    [whole] = list(Code().cut(document, Characters(10_000)))
    assert [piece.section_path for piece in whole.pieces] == [()]


def test_a_class_is_one_part_if_it_fits_and_runs_of_its_members_if_not():
    methods = "".join(f"    def m{number}(self):\n        return {'x' * 60}{number}\n\n" for number in range(8))
    document = parse(f"import os\n\n\nclass Big:\n    x = 1\n\n{methods}\n\ndef after():\n    pass\n")
    parts = list(Code(size=120, parent_size=2_000).cut(document, Characters(10_000)))
    assert [part.section_path for part in parts] == [(), ("Big",), ("after",)]
    parts = list(Code(size=120, parent_size=300).cut(document, Characters(10_000)))
    inner = [part for part in parts if part.section_path[:1] == ("Big",)]
    assert len(inner) > 2
    assert all(part.end - part.start <= 300 for part in inner)
    assert len(inner) < sum(len(part.pieces) for part in inner)


def test_a_long_function_is_cut_between_statements_with_its_signature_above_the_rest():
    body = "".join(
        f"        if check_{number}(value):\n            first_{number}(value)\n            second_{number}(value)\n"
        for number in range(40)
    )
    document = parse(f"class Box:\n    def long(self, value: int) -> int:\n{body}")
    found = pieces(list(Code(size=400).cut(document, Characters(10_000))))
    long = [piece for piece in found if piece.section_path == ("Box", "long")]
    assert len(long) > 5
    assert long[0].repeated == ""
    assert {piece.repeated for piece in long[1:]} == {"def long(self, value: int) -> int:"}
    for piece in long[1:]:
        assert document.text[piece.start : piece.end].lstrip().startswith("if check_")
    assert {piece.kind for piece in long} == {Kind.SYMBOL}


@pytest.mark.parametrize(
    ("media_type", "opening", "function"),
    [
        ("text/x-python", '"""What it is for."""\n\nimport os\nfrom sys import path', "def f{}():\n    return {}"),
        ("text/x-go", 'package p\n\nimport (\n\t"fmt"\n)', "func f{}() int {{\n\treturn {}\n}}"),
        ("text/x-java", "package a.b;\n\nimport java.util.List;", "class F{} {{\n  int f() {{ return {}; }}\n}}"),
        ("text/typescript", "// What it is for.\nimport {{ a }} from 'b';", "function f{}() {{\n  return {};\n}}"),
        ("text/x-rust", "//! What it is for.\n\nuse std::io;", "fn f{}() -> u32 {{\n    {}\n}}"),
    ],
)
def test_imports_and_the_files_own_documentation_are_a_piece_of_their_own(media_type, opening, function):
    body = "\n\n".join(function.format(number, number) for number in range(20))
    document = parse(f"{opening}\n\n{body}\n", media_type)
    first, *others = pieces(list(Code(size=200).cut(document, Characters(10_000))))
    assert document.text[first.start : first.end].strip() == opening
    assert len(others) > 2


#: media type → a function whose signature goes on farther in than its body, and the end of that signature
WIDE = {
    "text/x-python": ("def f(first=None,\n      second=None, *,\n      third=None):\n", "third=None):"),
    "text/x-java": ("class A {\n  int f(\n      int first,\n      int second) throws E {\n", "throws E {"),
    "text/x-c": ("int f(int first,\n      int second)\n{\n", "int second)\n{"),
    "text/x-rust": ("fn f<T>(\n      first: T,\n      second: T,\n) -> T\nwhere\n      T: Copy,\n{\n", "T: Copy,\n{"),
}


@pytest.mark.parametrize("media_type", WIDE)
@pytest.mark.parametrize("cap", range(60, 130, 7))
def test_a_signature_of_several_lines_is_not_cut_through(media_type, cap):
    head, ends = WIDE[media_type]
    body = "".join(f"    log({number}, 'one two three');\n" for number in range(20))
    document = parse(head + body + ("" if media_type == "text/x-python" else "}\n"), media_type)
    found = pieces(check(document, Code(unit="characters", size=cap + len(head)), Characters()))
    assert len(found) > 2
    assert ends in document.text[: found[0].end]


def test_a_long_statement_is_cut_into_runs_of_its_own_statements_and_its_neighbours_are_not():
    inner = "".join(
        f"            if check_{number}(value):\n                act_{number}(value)\n" for number in range(30)
    )
    body = (
        f"        before = 1\n        for value in values:\n{inner}        else:\n{inner}        after = {'2' * 80}\n"
    )
    source = f"class Box:\n    def long(self, values):\n{body}"
    document = parse(source)
    found = pieces(list(Code(size=300).cut(document, Characters(10_000))))
    texts = [document.text[piece.start : piece.end] for piece in found]
    assert "".join("".join(text.split()) for text in texts) == "".join(source.split())
    for text in texts:
        if not text.lstrip().startswith("else"):
            ast.parse(dedent(text))
    alone = [text for text in texts if "after = " in text]
    assert len(alone) == 1
    assert "check_" not in alone[0]


DECORATED = {
    "text/x-python": "@mark.skip(\n    'for now',\n)\n@mark.slow\ndef f(value):\n{}",
    "text/x-java": "class A {{\n  @Mark(\n    skip = true\n  )\n  @Slow\n  void f(int value) {{\n{}  }}\n}}\n",
    "text/typescript": "class A {{\n  @mark({{\n    skip: true,\n  }})\n  @slow\n  f(value: number) {{\n{}  }}\n}}\n",
}


@pytest.mark.parametrize("media_type", sorted(DECORATED))
def test_decorators_of_several_lines_stay_with_a_symbol_that_is_cut(media_type):
    body = "".join(f"    act(value, {number});\n" for number in range(60))
    document = parse(DECORATED[media_type].format(body), media_type)
    found = pieces(list(Code(size=300).cut(document, Characters(10_000))))
    assert len(found) > 3
    first = next(piece for piece in found if "skip" in document.text[piece.start : piece.end])
    assert "f(" in document.text[first.start : first.end]
    assert "act(value, 0)" in document.text[first.start : first.end]


@pytest.mark.parametrize(
    "line",
    [
        "{indent}if x:\n",
        "    x = 1\n",
        "    # why\n",
        "    (\n",
        "    @a\n",
        "    else:\n",
        "    }\n",
        '{indent}""" \n',
    ],
)
def test_hostile_code_is_cut_in_linear_time(line):
    def seconds(lines):
        text = "def f():\n" + "".join(line.replace("{indent}", " " * (number % 100)) for number in range(lines))
        block = Block(Kind.CODE, 0, len(text))
        document = Document(text=text, blocks=(block,), media_type="text/x-python", text_is_source=True)
        chunker = Code(size=200, unit="characters")
        return processor_seconds(lambda: list(chunker.cut(document, Characters(10_000))))

    small = min(seconds(4_000) for _ in range(3))
    assert min(seconds(16_000) for _ in range(2)) < 0.2 + 8 * small


def test_a_closing_bracket_is_no_piece_of_its_own():
    methods = "".join(f"  m{number}() {{\n    return {'x' * 50};\n  }}\n" for number in range(6))
    document = parse(f"class A {{\n{methods}}}\n", "text/javascript")
    found = pieces(list(Code(size=100).cut(document, Characters(10_000))))
    assert len(found) > 5
    assert all(len(document.text[piece.start : piece.end].strip()) > 3 for piece in found)


def test_the_words_that_open_and_close_a_scope_of_ruby_are_no_pieces_of_their_own():
    methods = "".join(f"    def m{number}\n      {'x' * 150}\n    end\n\n" for number in range(4))
    document = parse(f"module Bank\n  class Ledger\n{methods}  end\nend\n", "text/x-ruby")
    found = pieces(check(document, Code(unit="characters", size=240), Characters()))
    texts = [document.text[piece.start : piece.end].strip() for piece in found]
    assert len(texts) == 4
    assert texts[0].startswith("module Bank\n  class Ledger\n    def m0")
    assert texts[-1].endswith("    end\n\n  end\nend")


@pytest.mark.parametrize("media_type", ["text/javascript", "text/typescript", "text/x-go"])
def test_a_closing_bracket_finds_room_beside_a_symbol_that_just_fits(media_type):
    """The words of the body go through every length around that at which nothing more fits under the symbol's path."""
    for words in range(225, 250):
        body = " ".join(["a();"] * (words // 4) + ["b"] * (words % 4))
        if media_type == "text/x-go":
            source = f"package p\n\ntype (\n  Small int\n  Last struct {{ {body} }}\n)\n\nfunc After() {{}}\n"
        else:
            source = f"class Around {{\n  small() {{}}\n  last() {{ {body} }}\n}}\n\nfunction after() {{}}\n"
        document = parse(source, media_type)
        check(document, Code(), Cached(word_pieces()))
        for piece in pieces(list(Code().cut(document, Cached(word_pieces())))):
            assert document.text[piece.start : piece.end].strip(" \n(){};") != "", words


LITERALS = {
    "text/x-python": 'def f(value):\n    """{}\n    """\n',
    "text/javascript": "function f(value) {{\n  /* {}\n  */\n",
    "text/typescript": "function f(value: string) {{\n  const q = `{}\n  `;\n",
    "text/x-go": "func f(value string) {{\n  q := `{}\n  `\n",
    "text/x-rust": 'fn f(value: &str) {{\n  let q = r#"{}\n  "#;\n',
    "text/x-kotlin": 'fun f(value: String) {{\n  val q = """{}\n  """\n',
    "text/x-c": "void f(int value) {{\n  /* {}\n  */\n",
    "text/x-c++": 'void f(int value) {{\n  auto q = R"({}\n  )";\n',
    "text/x-shellscript": "f() {{\n  cat <<TEXT\n{}\nTEXT\n",
}


@given(
    media_type=st.sampled_from(sorted(LITERALS)),
    paragraphs=st.lists(st.integers(1, 3), min_size=2, max_size=5),
    calls=st.integers(60, 90),
)
@few
def test_a_docstring_or_literal_that_fits_is_not_cut_through(media_type, paragraphs, calls):
    head = LITERALS[media_type].format(
        "\n\n    ".join("\n    ".join(["It says something, or: asks (who?)."] * lines) for lines in paragraphs)
    )
    call = "    log {}\n" if media_type == "text/x-shellscript" else "    log({}, value);\n"
    source = head + "".join(call.format(number) for number in range(calls * (1 + (call == "    log {}\n"))))
    document = parse(source if media_type == "text/x-python" else source + "}\n", media_type)
    found = pieces(check(document, Code(), Cached(word_pieces())))
    assert len(found) > 1
    assert document.text[found[0].start : found[0].end].startswith(head.rstrip())


def test_metadata_is_in_no_piece():
    text = "# licence\n\nx = 1\n\n# licence\n\ny = 2\n"
    banner = "# licence"
    second = text.rindex(banner)
    document = Document(
        text=text,
        blocks=(
            Block(Kind.METADATA, 0, len(banner)),
            Block(Kind.CODE, text.index("x"), text.index("x") + 5),
            Block(Kind.METADATA, second, second + len(banner)),
            Block(Kind.CODE, text.index("y"), text.index("y") + 5),
        ),
        media_type="text/x-python",
        text_is_source=True,
    )
    found = pieces(list(Code().cut(document, Characters())))
    assert [text[piece.start : piece.end] for piece in found] == ["x = 1", "y = 2"]


def test_the_recipe_is_registered_with_its_settings():
    assert build("code", {"size": 100, "parent_size": 500}) == Code(size=100, parent_size=500)
    with pytest.raises(ConfigError, match="overlap"):
        build("code", {"overlap": 10})
    with pytest.raises(ConfigError, match="size"):
        build("code", {"size": 0})
