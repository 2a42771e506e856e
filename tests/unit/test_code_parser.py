"""What the parser of source code makes of real files and of odd ones."""

from __future__ import annotations

import ctypes

import pytest
import tree_sitter_go
from code_samples import DATA, MEDIA_TYPES

from chunkers.document import Block, Document, Kind, Lines, uncovered
from corpus.errors import UnsupportedFormat
from corpus.parsers.base import PARSERS, Settings, parser_for
from corpus.parsers.code.languages import LANGUAGES, base
from corpus.parsers.code.languages.base import HUGE
from corpus.parsers.code.parser import CodeParser

#: file → (qualified name, kind, how its first line begins, how its last line ends), in order
SYMBOLS = {
    "shelves.py.txt": [
        ("MAX_PER_SHELF", "constant", "MAX_PER_SHELF = 40", "# volumes"),
        ("_cache", "variable", "_cache:", "= {}"),
        ("width, height", "variable", "width, height", "210"),
        ("Shelf", "class", "# A shelf holds volumes.", "capacity = MAX_PER_SHELF"),
        ("Shelf.__init__", "method", "    def __init__", "self.volumes: list[str] = []"),
        ("Shelf.free", "method", "    @property", "return self.capacity - len(self.volumes)"),
        ("Shelf.put", "method", "    # Puts one volume", "self.volumes.append(volume)"),
        ("Shelf.Label", "class", "    class Label:", '"""What is printed on the front."""'),
        ("Shelf.Label.render", "method", "        def render", 'return f"[{text}]"'),
        ("Full", "class", "class Full", '"""No place left."""'),
        ("dumps", "function", "    def dumps", "return json.dumps(value)"),
        ("dumps", "function", "    def dumps", "return orjson.dumps(value).decode()"),
        ("walk", "function", "def walk", "yield from volumes(shelf)"),
        ("Place", "type", "type Place", "tuple[str, int]"),
    ],
    "basket.js": [
        ("LIMIT", "constant", "const LIMIT", "12;"),
        ("counter", "variable", "let counter", "0;"),
        ("add", "function", "/**", "}"),
        ("remove", "function", "const remove", "};"),
        ("total", "function", "const total", "};"),
        ("Basket", "class", "class Basket", '#owner = "nobody";'),
        ("Basket.constructor", "method", "  constructor", "}"),
        ("Basket.owner", "method", "  // Whose basket", "}"),
        ("Basket.onChange", "method", "  onChange", "};"),
        ("Basket.[Symbol.asyncIterator]", "method", "  async *", "}"),
        ("List", "function", "function List", "}"),
        ("Basket.clearAll", "method", "Basket.prototype", "};"),
        ("save", "function", "exports.save", "};"),
        ("hidden", "function", "  function hidden", "}"),
        ("main", "function", "export default", "}"),
    ],
    "loans.ts": [
        ("Loan", "interface", "/** One loan. */", "}"),
        ("LoanId", "type", "export type LoanId", "number;"),
        ("State", "enum", "export enum State", "}"),
        ("LoanDesk", "class", "@Service()", "new Map<LoanId, Loan>();"),
        ("LoanDesk.constructor", "method", "  constructor", "{}"),
        ("LoanDesk.lend", "method", "  lend(title: T): Loan;", "Loan;"),
        ("LoanDesk.lend", "method", "  lend(title: T, days: number)", "Loan;"),
        ("LoanDesk.lend", "method", "  @Logged()", "}"),
        ("LoanDesk.overdue", "method", "  /** Overdue loans. */", "};"),
        ("Desk", "class", "export abstract class Desk", "{"),
        ("Desk.close", "method", "  abstract close", "Promise<void>;"),
        ("renew", "function", "export const renew", "});"),
        ("fines", "module", "declare module", "{"),
        ("fines.fine", "function", "  export function fine", "number;"),
        ("Dates.Working", "namespace", "namespace Dates", "{"),
        ("Dates.Working.HOLIDAYS", "constant", "  export const HOLIDAYS", '["元日"];'),
        ("Dates.Working.isHoliday", "function", "  export function isHoliday", "}"),
        ("default", "class", "export default class", "{"),
        ("default.open", "method", "  open()", "{}"),
    ],
    "card.tsx": [
        ("CardProps", "type", "type CardProps", "void };"),
        ("Card", "function", "export function Card", "}"),
        ("Memo", "constant", "export const Memo", "(Card);"),
    ],
    "stacks.go": [
        ("ErrFull", "variable", "// ErrFull is", '📚")'),
        ("low, high", "constant", "const (", ")"),
        ("Stack", "struct", "// Stack is", "}"),
        ("Mover", "interface", "\t// Mover moves", "}"),
        ("Place", "type", "\tPlace", "string"),
        ("New", "function", "// New makes", "}"),
        ("Stack.Push", "method", "// Push puts", "}"),
        ("Stack.String", "method", "func (s Stack[T]) String", "}"),
        ("describe", "function", "func describe", "}"),
    ],
    "lending.sql": [
        ("lending.readers", "table", "-- Everyone", ");"),
        ("readers_by_name", "index", "CREATE UNIQUE", "(name);"),
        ("Active Readers", "view", "CREATE OR REPLACE VIEW", "'1 year';"),
        ("lending.touch", "function", "/* A trigger function", "$body$;"),
        ("touch_readers", "trigger", "CREATE TRIGGER", "lending.touch();"),
        ("settle", "procedure", "CREATE PROCEDURE", "END;"),
        ("lending.state", "type", "CREATE TYPE", "'closed');"),
        ("vector", "extension", "CREATE EXTENSION", "vector;"),
        ("own_rows", "policy", "CREATE POLICY", "current_reader());"),
        ("counts", "view", "CREATE MATERIALIZED", "lending.readers"),
    ],
}


def parse(text: str, media_type: str = "text/x-python") -> Document:
    return CodeParser().parse(text.encode(), media_type, Settings()).document


def read(name: str) -> Document:
    return CodeParser().parse((DATA / name).read_bytes(), MEDIA_TYPES[name], Settings()).document


def content(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def symbols(document: Document) -> dict[str, Block]:
    return {block.symbol.name: block for block in document.blocks if block.symbol}


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_symbol_of_a_file_is_found_with_its_qualified_name_and_its_own_lines(name):
    document = read(name)
    found = []
    for block in document.blocks:
        if block.symbol:
            lines = content(document, block).split("\n")
            found.append((block.symbol.name, block.symbol.kind, lines[0], lines[-1]))
    expected = SYMBOLS[name]
    assert [(called, kind) for called, kind, _, _ in found] == [(called, kind) for called, kind, _, _ in expected]
    for (called, _, first, last), (_, _, begins, ends) in zip(found, expected, strict=True):
        assert first.startswith(begins), called
        assert last.endswith(ends), called


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_text_is_the_file_and_blocks_cover_all_of_it(name):
    document = read(name)
    assert document.text == (DATA / name).read_text(encoding="utf-8")
    assert document.text_is_source
    assert document.media_type == MEDIA_TYPES[name]
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    assert all(content(document, block).strip() for block in document.blocks)


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_a_symbol_block_has_its_path_and_other_blocks_that_of_the_symbol_around_them(name):
    document = read(name)
    for block in document.blocks:
        if block.symbol and name != "lending.sql":
            joint = LANGUAGES[MEDIA_TYPES[name]].joint
            assert joint.join(block.section_path) == block.symbol.name
        elif block.symbol:
            assert block.section_path == (block.symbol.name,)
        else:
            assert block.kind is Kind.CODE
            joint = LANGUAGES[MEDIA_TYPES[name]].joint if name != "lending.sql" else "."
            assert not block.section_path or joint.join(block.section_path) in symbols(document)


def test_lines_are_those_of_the_file_in_spite_of_characters_of_several_bytes():
    document = read("shelves.py.txt")
    lines = Lines(document.text)
    source = document.text.split("\n")
    put = symbols(document)["Shelf.put"]
    first, last = lines.span(put.start, put.end)
    assert source[first - 1] == "    # Puts one volume in its place."
    assert source[last - 1] == "        self.volumes.append(volume)"


def test_imports_and_the_module_docstring_are_blocks_of_their_own():
    document = read("shelves.py.txt")
    code = [content(document, block) for block in document.blocks if block.kind is Kind.CODE]
    assert code[0].endswith('differ.\n"""')
    assert code[1] == "from __future__ import annotations"
    assert code[2] == "import json\nfrom typing import TYPE_CHECKING, Any"
    required = [content(read("basket.js"), block) for block in read("basket.js").blocks]
    assert 'const fs = require("fs");\nconst { join } = require("path");' in required


def test_docstring_directly_above_code_is_still_apart():
    document = parse('"""What it is."""\nrun()\n')
    assert [content(document, block) for block in document.blocks] == ['"""What it is."""', "run()"]


def test_comments_apart_from_a_symbol_do_not_belong_to_it():
    document = read("shelves.py.txt")
    assert "This remark stands alone" not in content(document, symbols(document)["Shelf"])
    banner = read("stacks.go")
    assert content(banner, banner.blocks[0]) == "// Copyright 2026 The Harbour Library."
    assert banner.blocks[0].kind is Kind.CODE


def test_code_between_methods_belongs_to_the_class():
    document = read("shelves.py.txt")
    [between] = [block for block in document.blocks if "aliases" in content(document, block)]
    assert (between.kind, between.section_path) == (Kind.CODE, ("Shelf",))


def test_signatures_are_the_source_up_to_the_body_on_one_line():
    def signature(name: str, symbol: str) -> str:
        found = symbols(read(name))[symbol].symbol
        assert found is not None
        return found.signature

    assert signature("shelves.py.txt", "Shelf.put") == (
        "async def put( self, volume: str, *, force: bool = False, ) -> None:"
    )
    assert signature("shelves.py.txt", "Shelf.free") == "def free(self) -> int:"
    assert signature("shelves.py.txt", "Full") == "class Full(Exception):"
    assert signature("basket.js", "remove") == "const remove = (title)"
    assert signature("loans.ts", "LoanDesk") == "export class LoanDesk<T extends Title> implements Desk"
    assert signature("loans.ts", "LoanDesk.overdue") == "overdue = async (): Promise<Loan[]>"
    assert signature("stacks.go", "Stack.Push") == "func (s *Stack[T]) Push(volume T) error"
    assert signature("stacks.go", "Stack") == "type Stack[T any] struct"
    assert signature("lending.sql", "lending.readers") == "CREATE TABLE IF NOT EXISTS lending.readers"
    assert signature("lending.sql", "lending.touch") == (
        "CREATE FUNCTION lending.touch( a integer DEFAULT 1, b text DEFAULT 'x' ) RETURNS trigger LANGUAGE plpgsql"
    )


def test_inner_functions_belong_to_the_outer_one_unless_it_is_huge():
    inner = "    def inner():\n        return 1\n\n"
    small = parse(f"def outer():\n{inner}    return inner\n")
    assert list(symbols(small)) == ["outer"]
    filling = "".join(f"    value_{number} = compute({number})\n" for number in range(HUGE // 20))
    huge = parse(f"def outer():\n{inner}{filling}    return inner\n")
    assert list(symbols(huge)) == ["outer", "outer.inner"]
    assert huge.blocks[-1].section_path == ("outer",)


def test_functions_in_a_long_object_are_found():
    filling = "".join(f"  entry{number}: {number},\n" for number in range(HUGE // 12))
    document = parse(
        f"const api = {{\n  load: async (x) => x,\n  'save': function (y) {{}},\n{filling}}};\n", "text/javascript"
    )
    assert {"api", "api.load", "api.save"} <= set(symbols(document))


@pytest.mark.parametrize("name", MEDIA_TYPES)
@pytest.mark.parametrize("broken", ["\n)))} ]] @@ ((\n", '\n"""', "\n'unfinished", "\n/* unfinished", "\n$$ {{{{ (\n"])
def test_syntax_errors_lose_nothing(name, broken):
    text = (DATA / name).read_text(encoding="utf-8")
    for at in (0, text.index("\n", len(text) // 2), len(text)):
        document = parse(text[:at] + broken + text[at:], MEDIA_TYPES[name])
        assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []


def test_functions_around_a_broken_one_are_still_found():
    document = parse("def before():\n    return 1\n\n\ndef broken(:\n    return ]\n\n\ndef after():\n    return 2\n")
    assert {"before", "after"} <= set(symbols(document))


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("text/x-python", "x = " + "(" * 20_000),
        ("text/x-python", "".join(" " * depth + f"def f{depth}():\n" for depth in range(400))),
        ("text/x-python", "".join(" " * depth + f"class C{depth}:\n" for depth in range(400))),
        ("text/javascript", "function f(){" * 5_000 + "}" * 5_000),
        ("text/javascript", "(function(){" * 5_000 + "function g(){}" + "})()" * 5_000),
        ("text/typescript", "class A{static{" * 5_000),
        ("text/x-go", "func f() {" + "if x {" * 5_000),
        ("text/x-sql", "CREATE FUNCTION f() BEGIN " * 2_000),
        ("text/x-sql", "/*" * 20_000),
        ("text/x-sql", "`'" + "\\'" * 50_000),
        ("text/x-sql", "'" + "''" * 50_000),
        ("text/x-sql", "".join(f"$tag{number}$ " for number in range(5_000))),
    ],
)
@pytest.mark.timeout(60)
def test_deep_nesting_is_neither_an_error_nor_slow(media_type, text):
    document = parse(text, media_type)
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []


def test_windows_newlines_give_the_same_blocks():
    text = (DATA / "loans.ts").read_text(encoding="utf-8")
    assert parse(text.replace("\n", "\r\n"), "text/typescript") == parse(text, "text/typescript")


@pytest.mark.parametrize("media_type", MEDIA_TYPES.values())
def test_a_blank_file_has_no_blocks(media_type):
    assert parse(" \n\t\n", media_type).blocks == ()


def test_a_language_without_a_grammar_is_refused_by_name():
    with pytest.raises(UnsupportedFormat, match="text/x-cobol"):
        CodeParser().parse(b"MOVE A TO B.", "text/x-cobol", Settings())


def test_every_language_is_registered_and_its_grammar_loads_without_a_warning():
    code = {media_type for media_type, place in PARSERS.items() if place.endswith(":CodeParser")}
    assert code == {*LANGUAGES, "text/x-sql"}
    for media_type in code:
        assert parser_for(media_type).name == "code"
    for language in LANGUAGES.values():
        assert language.parser().parse(b"").root_node.child_count == 0


def test_a_grammar_that_hands_over_an_address_loads_without_a_warning(monkeypatch):
    capsule = tree_sitter_go.language()
    address_of = ctypes.pythonapi.PyCapsule_GetPointer
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    monkeypatch.setattr(tree_sitter_go, "language", lambda: address_of(capsule, b"tree_sitter.Language"))
    monkeypatch.setattr(base, "grammar", base.grammar.__wrapped__)  # not the one that was loaded before
    assert "main" in symbols(parse("package main\n\nfunc main() {}\n", "text/x-go"))


#: dialect → script, (name, kind) of what it creates
SQL_DIALECTS = {
    "MySQL, another delimiter": (
        """DELIMITER $$
CREATE PROCEDURE p(IN n INT)
BEGIN
  SELECT 'it\\'s; `x`';
END$$
DELIMITER ;
CREATE TABLE `t` (id INT);
""",
        [("p", "procedure"), ("t", "table")],
    ),
    "SQL Server, batches": (
        "CREATE TABLE [dbo].[T x] (id int)\nGO\nCREATE PROC dbo.q AS SELECT 1\nGO\nCREATE VIEW v AS SELECT 2\n",
        [("dbo.T x", "table"), ("dbo.q", "procedure"), ("v", "view")],
    ),
    "SQLite, a trigger with a body": (
        """CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET n = n + 1; DELETE FROM c; END;
CREATE TEMP TABLE d (x);
""",
        [("t", "trigger"), ("d", "table")],
    ),
    "Oracle, slashes": (
        "CREATE OR REPLACE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;\n/\nCREATE SEQUENCE s;\n",
        [("f", "function"), ("s", "sequence")],
    ),
    "PostgreSQL, quotes in quotes": (
        """CREATE FUNCTION f() RETURNS text AS $a$ SELECT $b$ ; $b$ || E'\\'; ' $a$ LANGUAGE sql;
CREATE TABLE "a;""b" (x text DEFAULT $$;$$);
""",
        [("f", "function"), ('a;"b', "table")],
    ),
    "a body that never ends": (
        "CREATE PROCEDURE p() BEGIN SELECT 1;\nCREATE TABLE t (x int);\nCREATE TABLE u (x int);\n",
        [("p", "procedure"), ("t", "table"), ("u", "table")],
    ),
    "control flow in a body": (
        """CREATE FUNCTION f() BEGIN
  IF a THEN b(); END IF; WHILE c DO d(); END WHILE; CASE e WHEN 1 THEN g(); END CASE;
END;
CREATE TABLE t (x int);
""",
        [("f", "function"), ("t", "table")],
    ),
}


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_statements_of_sql_are_told_apart_in_every_dialect(dialect):
    text, expected = SQL_DIALECTS[dialect]
    document = parse(text, "text/x-sql")
    found = [(block.symbol.name, block.symbol.kind) for block in document.blocks if block.symbol]
    assert found == expected
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
