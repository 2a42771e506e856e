"""What is found in a file of each language: every symbol by hand, with what belongs to it."""

from __future__ import annotations

import time

import pytest
from code_samples import DATA, MEDIA_TYPES

from chunkers.document import Block, Document, Kind, uncovered
from corpus.parsers.base import Settings
from corpus.parsers.code.parser import CodeParser

#: file → qualified name and kind of each symbol, in order
SYMBOLS = {
    "Shelves.java": """
        org.harbour.library package
        org.harbour.library.Counter interface
        org.harbour.library.Counter.MOST constant
        org.harbour.library.Counter.count method
        org.harbour.library.Counter.isPopular method
        org.harbour.library.Shelf class
        org.harbour.library.Shelf.CAPACITY constant
        org.harbour.library.Shelf.Shelf method
        org.harbour.library.Shelf.put method
        org.harbour.library.Shelf.sort method
        org.harbour.library.Shelf.Side enum
        org.harbour.library.Shelf.Side.LEFT constant
        org.harbour.library.Shelf.Side.LEFT.mark method
        org.harbour.library.Shelf.Side.Side method
        org.harbour.library.Shelf.Side.mark method
        org.harbour.library.Shelf.Cursor class
        org.harbour.library.Shelf.Cursor.hasNext method
        org.harbour.library.Loan record
        org.harbour.library.Loan.Loan method
        org.harbour.library.Loan.of method
        org.harbour.library.Checked annotation
        org.harbour.library.Checked.by method
    """,
    "Shelves.kt": """
        org.harbour.library package
        org.harbour.library.CAPACITY constant
        org.harbour.library.places variable
        org.harbour.library.Visit type
        org.harbour.library.Counted interface
        org.harbour.library.Counted.count method
        org.harbour.library.Shelf class
        org.harbour.library.Shelf.constructor method
        org.harbour.library.Shelf.free property
        org.harbour.library.Shelf.put method
        org.harbour.library.Shelf.count method
        org.harbour.library.Shelf.sort method
        org.harbour.library.Shelf.get method
        org.harbour.library.Shelf.Companion object
        org.harbour.library.Shelf.Companion.SIDES constant
        org.harbour.library.Shelf.Companion.open method
        org.harbour.library.Shelf.Cursor class
        org.harbour.library.Shelf.Cursor.next method
        org.harbour.library.Loan class
        org.harbour.library.Full class
        org.harbour.library.Ending interface
        org.harbour.library.Ending.Returned object
        org.harbour.library.Ending.Lost class
        org.harbour.library.Ending.Lost.isDear method
        org.harbour.library.Side enum
        org.harbour.library.Side.LEFT constant
        org.harbour.library.Side.LEFT.mark method
        org.harbour.library.Side.mark method
        org.harbour.library.Desk object
        org.harbour.library.Desk.lend method
        org.harbour.library.Checked annotation
        org.harbour.library.Shelf.describe method
        org.harbour.library.Shelf.isEmpty property
        org.harbour.library.List.second method
        org.harbour.library.main function
    """,
    "shelves.rs": """
        CAPACITY constant
        OPENED variable
        VolumeId type
        shelf macro
        Shelf struct
        Metres struct
        Ending enum
        Raw union
        Sorted trait
        Sorted.ORDER constant
        Sorted.Key type
        Sorted.key method
        Sorted.before method
        Shelf impl
        Shelf.MOST constant
        Shelf.new method
        Shelf.put method
        Shelf impl
        Shelf.fmt method
        Raw impl
        desk module
        desk.open function
        desk.drawer module
        desk.drawer.pull function
        lamp_on function
        bell function
        tests module
        tests.a_shelf_is_empty_at_first function
    """,
    "shelves.h": """
        SHELF_CAPACITY macro
        SHELF_MIN macro
        shelf struct
        shelf_t type
        place_t struct
        shelf_visit type
        shelf_side enum
        shelf_raw union
        shelf_opened variable
        shelf_put function
        shelf_title function
        shelf_lock function
        shelf_lock function
    """,
    "shelves.c": """
        NAMES constant
        shelf_opened variable
        compare function
        has_room function
        shelf_put function
        shelf_title function
        chosen function
        compare function
        LOG macro
        shelf_dump function
        reader struct
        main function
    """,
    "shelves.cpp": """
        SHELF_CHECK macro
        harbour namespace
        harbour.Full class
        harbour.Full.what method
        harbour.capacity constant
        harbour.VolumeId type
        harbour.Shelvable concept
        harbour.Shelf class
        harbour.Shelf.Shelf method
        harbour.Shelf.~Shelf method
        harbour.Shelf.Shelf method
        harbour.Shelf.put method
        harbour.Shelf.operator== method
        harbour.Shelf.operator() method
        harbour.Shelf.operator bool method
        harbour.Shelf.Label struct
        harbour.Shelf.Label.print method
        harbour.Shelf.Side enum
        harbour.Shelf.Shelf method
        harbour.Shelf.put method
        harbour.detail namespace
        harbour.detail.hidden function
        harbour.detail.count function
        harbour.desk namespace
        harbour.desk.open function
        harbour.desk.Drawer struct
        harbour.desk.Drawer.pull method
        harbour.desk.Drawer.pull method
        harbour.detail.count function
        operator""_title function
        Raw union
        lamp_on function
        main function
    """,
    "Shelves.cs": """
        Harbour.Library namespace
        Harbour.Library.FullHandler delegate
        Harbour.Library.IVolume interface
        Harbour.Library.IVolume.Title property
        Harbour.Library.IVolume.Width method
        Harbour.Library.Shelf class
        Harbour.Library.Shelf.Capacity constant
        Harbour.Library.Shelf.Known constant
        Harbour.Library.Shelf.Shelf method
        Harbour.Library.Shelf.~Shelf method
        Harbour.Library.Shelf.Label property
        Harbour.Library.Shelf.Free property
        Harbour.Library.Shelf.this property
        Harbour.Library.Shelf.Put method
        Harbour.Library.Shelf.operator + method
        Harbour.Library.Shelf.operator int method
        Harbour.Library.Shelf.Dispose method
        Harbour.Library.Shelf.Sort method
        Harbour.Library.Shelf.Side enum
        Harbour.Library.Shelf.Cursor class
        Harbour.Library.Shelf.Cursor.Next method
        Harbour.Library.Loan record
        Harbour.Library.Loan.Of method
        Harbour.Library.Place record
        Harbour.Library.Size struct
        Harbour.Library.Size.Grow method
        Harbour.Library.Extensions class
        Harbour.Library.Extensions.Shout method
    """,
    "shelves.rb": """
        Harbour module
        Harbour.CAPACITY constant
        Harbour.Full class
        Harbour.Place class
        Harbour.Place.to_s method
        Harbour.Shelf class
        Harbour.Shelf.SIDES constant
        Harbour.Shelf.open method
        Harbour.Shelf.initialize method
        Harbour.Shelf.default method
        Harbour.Shelf.put method
        Harbour.Shelf.each method
        Harbour.Shelf.full? method
        Harbour.Shelf.<< method
        Harbour.Shelf.label= method
        Harbour.Shelf.secret method
        Harbour.Shelf.hidden method
        Harbour.Desk module
        Harbour.Desk.lend method
        Harbour.Desk.Harbour.Drawer class
        Harbour.Desk.Harbour.Drawer.pull method
        Harbour.Shelf class
        Harbour.Shelf.reopened? method
        fast function
        helper function
    """,
    "shelves.php": """
        Harbour.Library namespace
        Harbour.Library.CAPACITY constant
        Harbour.Library.SHELF_DEBUG constant
        Harbour.Library.Counted interface
        Harbour.Library.Counted.MOST constant
        Harbour.Library.Counted.count method
        Harbour.Library.Labelled trait
        Harbour.Library.Labelled.label method
        Harbour.Library.Side enum
        Harbour.Library.Side.parse method
        Harbour.Library.Shelf class
        Harbour.Library.Shelf.SIDES constant
        Harbour.Library.Shelf.__construct method
        Harbour.Library.Shelf.put method
        Harbour.Library.Shelf.count method
        Harbour.Library.Shelf.open method
        Harbour.Library.Furniture class
        Harbour.Library.Furniture.weight method
        Harbour.Library.lend function
        Harbour.Library.shout function
    """,
    "shelves.sh": """
        CAPACITY constant
        SHELF_HOME variable
        places variable
        count variable
        fail function
        usage function
        put_volume function
        lamp-on function
        bold function
        bold function
        main function
    """,
    "shelves.dockerfile": """
        build stage
        test stage
        python:3.11-slim stage
    """,
    "shelves.css": """
        :root rule
        .shelf, .shelf > .volume:not(:last-child)::after rule
        a[href^="http"]:hover rule
        @media (min-width: 40em) and (max-width: 80em) at-rule
        @media (min-width: 40em) and (max-width: 80em) .shelf rule
        @media (min-width: 40em) and (max-width: 80em) @supports (display: grid) at-rule
        @media (min-width: 40em) and (max-width: 80em) @supports (display: grid) .desk rule
        @font-face at-rule
        @keyframes dust at-rule
        @layer base at-rule
        @layer base body rule
        @container shelf (min-width: 20em) at-rule
        @container shelf (min-width: 20em) .label rule
        .card rule
        #desk rule
    """,
    "shelves.yaml": """
        harbour document
        Lamp/reading document
    """,
    "shelves.toml": """
        title key
        opening hours key
        ports.desk key
        readers table
        readers.night owls table
        tool.shelves.format table
        lamps.reading table
        lamps.ceiling table
        lamps.switch table
        places table
    """,
    "shelves.json": """
        name key
        version key
        größer: 漢字 key
        readers key
        shelves key
        empty key
    """,
}


def parse(text: str, media_type: str) -> Document:
    document = CodeParser().parse(text.encode(), media_type, Settings()).document
    assert list(uncovered(document, [(block.start, block.end) for block in document.blocks])) == []
    return document


def read(name: str) -> Document:
    return parse((DATA / name).read_text(encoding="utf-8"), MEDIA_TYPES[name])


def found(document: Document) -> list[str]:
    return [f"{block.symbol.name} {block.symbol.kind}" for block in document.blocks if block.symbol]


def content(document: Document, name: str) -> str:
    """The text of the last symbol whose qualified name ends like this."""
    block: Block = [each for each in document.blocks if each.symbol and each.symbol.name.endswith(name)][-1]
    return document.text[block.start : block.end]


def signature(document: Document, name: str) -> str:
    return next(
        block.symbol.signature for block in document.blocks if block.symbol and block.symbol.name.endswith(name)
    )


def loose(document: Document) -> list[str]:
    return [document.text[block.start : block.end].strip() for block in document.blocks if block.kind is Kind.CODE]


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_symbol_of_a_file_is_found_with_its_qualified_name_and_kind(name):
    assert found(read(name)) == [line.strip() for line in SYMBOLS[name].strip().split("\n")]


@pytest.mark.parametrize(
    ("name", "symbol", "begins", "ends"),
    [
        ("Shelves.java", ".Shelf.put", "    /** Puts one volume in its place. */\n    @Override", "\n    }"),
        ("Shelves.java", ".library.Counter", "/** Counts how often", "public interface Counter {"),
        ("Shelves.kt", ".Shelf.put", "    /** Puts one volume in its place. */\n    @Throws", "\n    }"),
        ("Shelves.kt", ".Companion.open", "        // The desk's own way in.\n        @JvmStatic", "TODO()"),
        ("shelves.rs", "Shelf.put", "    /// Puts one volume in its place.\n    #[inline]\n    #[must_use", "\n    }"),
        ("shelves.rs", "Ending", "/// How a loan ends.\n#[derive(PartialEq)]\npub enum", "}"),
        ("shelves.rs", "tests", "#[cfg(test)]\nmod tests", "{"),
        ("shelves.h", "shelf_put", "/** Puts one volume in its place. Returns 0", "const char *title);"),
        ("shelves.h", "SHELF_MIN", "#define SHELF_MIN(a, b) \\\n", "(b))"),
        ("shelves.c", "has_room", "/* Whether one more fits.\n */\nstatic int\n", "\n}"),
        ("shelves.cpp", "harbour.Shelf.put", "template <typename T, int N>\ntemplate <typename... Args>\nT&", "\n}"),
        ("shelves.cpp", "detail.hidden", "/// Only seen here.\nint", "}"),
        (
            "Shelves.cs",
            ".Shelf.Put",
            "    /// <summary>Puts one volume in its place.</summary>\n    [return",
            "\n    }",
        ),
        ("Shelves.cs", ".Shelf.Label", "    /// <summary>What is printed on", '"größer: 漢字";'),
        ("shelves.rb", "Harbour.Shelf.put", "    # Puts one volume in its place.\n    #\n    # Raises", "\n    end"),
        ("shelves.rb", "Harbour.CAPACITY", "  # As many as fit on oak.\n", "= 40"),
        ("shelves.rb", "Harbour.Shelf.label=", "    def label=(text)", "TEXT\n    end"),
        ("shelves.php", ".Shelf.put", "    /**\n     * Puts one volume", "\n    }"),
        ("shelves.sh", "fail", "# Prints what went wrong and ends.\n#\n# Arguments", "\n}"),
        ("shelves.sh", "usage", "function usage {", "TEXT\n}"),
        ("shelves.dockerfile", "build", "# Where the wheels are built.\nFROM", "AS build"),
        ("shelves.css", ".shelf, .shelf > .volume:not(:last-child)::after", "/* A shelf with room", "}"),
        ("shelves.yaml", "harbour", "%YAML 1.2\n---\nname: harbour", "empty:"),
        ("shelves.toml", "lamps.reading", '# The first lamp.\n[[lamps]]\nname = "reading"', "watts = 40"),
        ("shelves.toml", "tool.shelves.format", "[tool.shelves.format]", 'key = "not a key"\n"""'),
        ("shelves.json", "readers", '  /* Everyone who may lend. */\n  "readers": [', "],"),
    ],
)
def test_comments_and_decorations_lie_in_the_span_of_their_symbol(name, symbol, begins, ends):
    text = content(read(name), symbol)
    assert text.startswith(begins)
    assert text.endswith(ends)


@pytest.mark.parametrize(
    ("name", "symbol", "expected"),
    [
        ("Shelves.java", ".Counter.isPopular", "default boolean isPopular(String title)"),
        (
            "Shelves.java",
            ".library.Shelf",
            "public abstract class Shelf<T extends Comparable<T>> extends Furniture implements Iterable<T>",
        ),
        ("Shelves.kt", ".Shelf.put", "suspend fun <R> put(volume: T, after: (T) -> R): R where R : Any"),
        ("Shelves.kt", ".Shelf.describe", "fun Shelf<*>.describe(): String"),
        ("shelves.rs", "Shelf.put", "pub async fn put<'a>(&'a mut self, volume: T) -> Result<(), String>"),
        ("shelves.rs", "Metres", "pub struct Metres(pub f64)"),
        ("shelves.h", "shelf_title", "const char *shelf_title(const shelf_t *shelf, size_t at)"),
        ("shelves.c", "chosen", "static int (*chosen(int reverse))(const void *, const void *)"),
        ("shelves.c", "has_room", "static int has_room(const shelf_t *shelf)"),
        ("shelves.cpp", "Shelvable", "template <typename T> concept Shelvable"),
        ("shelves.cpp", ".Full.what", "const char* what() const noexcept override"),
        ("Shelves.cs", ".Shelf.Put", "public async Task<R> Put<R>(T volume, Func<T, R> after) where R : class"),
        ("Shelves.cs", ".Shelf.Free", "public int Free"),
        ("shelves.rb", "Harbour.Shelf", "class Shelf < Furniture"),
        ("shelves.rb", "Harbour.Shelf.put", "def put(volume, force: false)"),
        ("shelves.php", ".Shelf.put", "public function put(Volume $volume, bool $force = false): static"),
        ("shelves.sh", "put_volume", "function put_volume()"),
        ("shelves.dockerfile", "test", "FROM build AS test"),
        ("shelves.css", "@keyframes dust", "@keyframes dust"),
        ("shelves.toml", "readers.night owls", '[readers."night owls"]'),
        ("shelves.json", "readers", '"readers":'),
    ],
)
def test_signatures_are_on_one_line_without_body_comments_and_decorations(name, symbol, expected):
    assert signature(read(name), symbol) == expected


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Shelves.java", "import java.util.ArrayList;\nimport java.util.List;\nimport java.util.function.Function;"),
        ("Shelves.kt", "import kotlin.math.max\nimport org.harbour.volumes.Volume as Book"),
        ("shelves.rs", "use std::collections::HashMap;\nuse std::fmt::{self, Display};"),
        ("shelves.h", '#include <stddef.h>\n#include "volumes.h"'),
        ("shelves.cpp", "#include <memory>\n#include <string>\n#include <vector>"),
        ("Shelves.cs", "using System;\nusing System.Collections.Generic;"),
        ("shelves.rb", 'require "set"\nrequire_relative "volumes"'),
        ("shelves.php", "use Harbour\\Volumes\\Volume;\nuse InvalidArgumentException;\nuse function strlen;"),
        ("shelves.sh", 'source ./volumes.sh\n. "${HOME}/.shelfrc"'),
        ("shelves.css", '@charset "utf-8";\n@import url("volumes.css") screen;'),
    ],
)
def test_what_names_other_files_is_kept_together(name, group):
    assert group in loose(read(name))


def test_a_header_with_what_only_cplusplus_has_is_read_as_cplusplus():
    header = "/* class of its own */\n#pragma once\n\nnamespace a {\nclass B {\npublic:\n  void c();\n};\n}\n"
    document = parse(header, "text/x-c")
    assert document.media_type == "text/x-c++"
    assert found(document) == ["a namespace", "a.B class", "a.B.c method"]
    assert parse("/* class A {\npublic:\n*/\nint namespace_of(int class);\n", "text/x-c").media_type == "text/x-c"


def test_a_braced_namespace_of_php_ends_with_its_brace():
    document = parse("<?php\nnamespace A {\nfunction f() {}\n}\nnamespace {\nfunction g() {}\n}\n", "text/x-php")
    assert found(document) == ["A namespace", "A.f function", "g function"]
    document = parse("<?php\nnamespace A;\nclass B {}\nnamespace C\\D;\nclass E {}\n", "text/x-php")
    assert found(document) == ["A namespace", "A.B class", "C.D namespace", "C.D.E class"]


def test_html_around_php_is_apart_from_code():
    assert loose(read("shelves.php"))[0].startswith("<!DOCTYPE html>")
    assert "declare(strict_types=1);" in loose(read("shelves.php"))


COMPOSE = """\
# What runs.
version: "3"

services:
  # The front.
  web:
    image: nginx
    command: {filling}
  db:
    image: postgres
    command: {filling}
volumes: {{data: , logs: }}
"""


def test_the_keys_of_yaml_are_symbols_and_those_of_a_long_value_too():
    small = parse(COMPOSE.format(filling="x"), "application/yaml")
    assert found(small) == ["version key", "services key", "volumes key"]
    assert content(small, "version") == '# What runs.\nversion: "3"'
    long = parse(COMPOSE.format(filling="x" * 600), "application/yaml")
    assert found(long) == ["version key", "services key", "services.web key", "services.db key", "volumes key"]
    assert content(long, "services.web").startswith("  # The front.\n  web:")


def test_the_plays_of_a_list_are_known_by_their_names():
    plays = "".join(f"- name: play {at}\n  hosts: all\n\n" for at in range(3))
    document = parse(f"---\n{plays}- hosts: none\n", "application/yaml")
    assert found(document) == ["play 0 element", "play 1 element", "play 2 element"]
    assert loose(document)[-1] == "- hosts: none"


def test_documents_of_one_stream_are_apart_and_known_by_kind_and_name():
    one = "kind: Service\nmetadata:\n  name: {}\nspec:\n  ports: []\n"
    document = parse("---\n".join(one.format(name) for name in ("web", "db")) + "---\na: 1\n", "application/yaml")
    assert found(document) == ["Service/web document", "Service/db document"]
    assert loose(document) == ["---\na: 1"]
    assert content(document, "Service/db") == "---\n" + one.format("db").rstrip()


def test_the_elements_of_a_long_array_are_apart_and_known_by_what_names_them():
    readers = ",\n".join(f'    {{"id": {at}, "since": 1990, "remark": "{"x" * 300}"}}' for at in range(4))
    document = parse(f'{{\n  "readers": [\n{readers}\n  ],\n  "most": 40\n}}\n', "application/json")
    assert found(document) == ["readers key", *(f"readers.{at} element" for at in range(4)), "most key"]
    document = parse(f"[\n{readers}\n]", "application/json")
    assert found(document) == [f"{at} element" for at in range(4)]


def test_a_line_of_json_lines_is_a_block_of_its_own():
    document = parse('{"a": 1}\n{"name": "b"}\n{"a": [2]}\n', "application/json")
    assert found(document) == ["b element"]
    assert [document.text[block.start : block.end] for block in document.blocks] == document.text.strip().split("\n")


def test_an_instruction_is_a_block_under_its_stage():
    document = read("shelves.dockerfile")
    inside = [block for block in document.blocks if block.section_path == ("build",) and not block.symbol]
    texts = [document.text[block.start : block.end] for block in inside]
    assert [text.split()[0] for text in texts] == ["WORKDIR", "ENV", "#", "COPY", "RUN"]
    assert texts[2].startswith("# The compiler goes away with the stage.\nRUN apt-get update")
    assert texts[4] == "RUN <<TEXT\npip wheel .\nFROM nothing\nTEXT"


def test_keys_of_a_long_table_are_symbols():
    document = parse(f'[tool.a]\nx = "{"x" * 600}"\ny = "{"y" * 600}"\n\n[tool.b]\nz = 1\n', "application/toml")
    assert found(document) == ["tool.a table", "tool.a.x key", "tool.a.y key", "tool.b table"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("extern double f (const char *p)\n     __THROW __nonnull ((1)) __wur;\n", ["f function"]),
        ("BEGIN_DECLS\n\ntypedef struct s *T;\nint g(void);\nEND_DECLS\n", ["T type", "g function"]),
        (
            "class EXPORT A final : public B {\n  Q_OBJECT\n public:\n  void c() OVERRIDE;\n};\n",
            ["A class", "A.c method"],
        ),
        ("TEST(Shelf, IsEmpty) {\n  CHECK(true);\n}\n", ["TEST(Shelf, IsEmpty) function"]),
        ("#define F(x) \\\n  G(x)\n\n// H is\n// known.\nint h(int);\n", ["F macro", "h function"]),
        ("int i() { if (a) RETURN(b); return 1; }\n", ["i function"]),
    ],
)
def test_macros_that_no_grammar_knows_hide_nothing(source, expected):
    document = parse(source, "text/x-c++")
    assert found(document) == expected
    assert document.text == source


def test_a_comment_below_a_macro_belongs_to_what_follows_it():
    document = parse("#define F(x) \\\n  G(x)\n\n// H is\n// known.\nint h(int);\n", "text/x-c")
    assert content(document, "h") == "// H is\n// known.\nint h(int);"
    assert content(document, "F") == "#define F(x) \\\n  G(x)"


def test_a_closure_with_a_name_is_a_function_of_php():
    document = parse(
        "<?php\n// Twice.\n$twice = function (int $x) { return 2 * $x; };\n$y = fn($x) => $x;\n", "text/x-php"
    )
    assert found(document) == ["$twice function", "$y function"]
    assert content(document, "$twice").startswith("// Twice.")


@pytest.mark.parametrize(
    ("media_type", "source", "expected"),
    [
        (
            "text/javascript",
            "const api = {\n  list(req) {},\n  async add(req) {},\n  drop: (req) => {},\n};\n",
            ["api constant", "api.list method", "api.add method", "api.drop method"],
        ),
        (
            "text/javascript",
            "export default {\n  data: 1,\n  methods: {\n    load() {},\n  },\n};\n",
            ["default object", "default.methods object", "default.methods.load method"],
        ),
        (
            "text/typescript",
            "module.exports = {\n  f: function () {},\n};\n",
            ["exports object", "exports.f method"],
        ),
        ("text/javascript", "const data = {\n  a: 1,\n  b: [() => 1],\n};\n", ["data constant"]),
        (
            "text/x-php",
            "<?php\nreturn new class extends Migration {\n    public function up(): void {}\n};\n",
            ["class@anonymous class", "class@anonymous.up method"],
        ),
        (
            "text/x-ruby",
            "class A\n  define_method(:total) do |x|\n    x\n  end\n  define_method('b') { 1 }\nend\n",
            ["A class", "A.total method", "A.b method"],
        ),
        (
            "text/x-c++",
            "class A {\n  friend class B;\n  friend S& operator<<(S& s, const A& a) {\n    return s;\n  }\n};\n",
            ["A class", "A.operator<< method"],
        ),
    ],
)
def test_functions_of_what_has_no_name_of_a_class_are_found(media_type, source, expected):
    assert found(parse(source, media_type)) == expected


def test_what_is_exported_from_another_file_is_kept_with_the_imports():
    document = parse(
        "import { a } from './a';\nexport * from './b';\nexport { c } from './c';\nf();\n", "text/typescript"
    )
    assert loose(document)[0] == "import { a } from './a';\nexport * from './b';\nexport { c } from './c';"


def test_a_long_file_is_parsed_in_stretches_without_a_seam():
    """The grammar of YAML counts lines in 16 bits, that of Kotlin takes the square of the length."""
    document = parse("".join(f"key{at}: {at}\n" for at in range(70_000)), "application/yaml")
    assert [block.symbol.name for block in document.blocks if block.symbol] == [f"key{at}" for at in range(70_000)]
    classes = "".join(f"/** Number {at}. */\nclass C{at} {{\n\n    fun f() = {at}\n}}\n\n" for at in range(2_000))
    document = parse(f"package a.b\n\n{classes}", "text/x-kotlin")
    names = [block.symbol.name for block in document.blocks if block.symbol]
    assert names == ["a.b", *(name for at in range(2_000) for name in (f"a.b.C{at}", f"a.b.C{at}.f"))]
    assert content(document, "a.b.C1000").startswith("/** Number 1000. */")


@pytest.mark.parametrize("name", SYMBOLS)
@pytest.mark.timeout(60)
def test_many_symbols_take_time_in_proportion(name):
    text = (DATA / name).read_text(encoding="utf-8").replace("%YAML 1.2\n", "")
    many = 300_000 // len(text)
    document = parse(text * many if name != "shelves.json" else f"[{','.join([text] * many)}]", MEDIA_TYPES[name])
    assert sum(block.symbol is not None for block in document.blocks) >= many


@pytest.mark.parametrize("name", MEDIA_TYPES)
@pytest.mark.parametrize(
    "nested", ["(", "{", "[", "<", "{\n", "begin\n", "namespace a {\n", "class A {\n", "- ", "a: {"]
)
@pytest.mark.timeout(60)
def test_brackets_within_brackets_are_neither_an_error_nor_slow(name, nested):
    parse("x " + nested * (10_000 if len(nested) == 1 else 2_000), MEDIA_TYPES[name])


def test_declarations_of_kotlin_may_end_in_the_line_of_their_class():
    source = (
        "class A { fun x() = 1 }\nfun interface B { fun y() }\n"
        "class C(val a: Int) { companion object { fun of(s: String) = C(1) } }\n"
        'enum class D { E, F; fun g() = "}" }\nfun last() = 3\n'
    )
    expected = ["A class", "A.x method", "B interface", "B.y method", "C class", "C.Companion object"]
    expected += ["C.Companion.of method", "D enum", "D.g method", "last function"]
    assert found(parse(source, "text/x-kotlin")) == expected


def test_a_grammar_that_loses_itself_in_a_file_is_stopped_and_the_file_is_text():
    source = (DATA.parent / "hard" / "lost.kt").read_bytes()  # over which the Kotlin grammar takes a minute
    started = time.process_time()
    document = CodeParser().parse(source, "text/x-kotlin", Settings()).document
    assert time.process_time() - started < 10
    assert list(uncovered(document, ((block.start, block.end) for block in document.blocks))) == []
