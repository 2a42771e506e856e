from __future__ import annotations

import random
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.errors import DocumentError, ParseError, UnsupportedFormat
from corpus.parsers import fingerprint, parse
from corpus.parsers.base import Settings
from corpus.parsers.decode import clean, decode
from corpus.parsers.detect import DOCX, PPTX, XLSX, detect


def archive(*names: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "<x/>")
    return buffer.getvalue()


def mimetype(name: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("mimetype", name)
        file.writestr("content.xml", "<x/>")
    return buffer.getvalue()


def content_types(main: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("[Content_Types].xml", f'<Types><Override PartName="/m.xml" ContentType="{main}"/></Types>')
        file.writestr("m.xml", "<x/>")
    return buffer.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAIL = b"Return-Path: <a@b.org>\nFrom: Ann <a@b.org>\nSubject: x\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\nHello.\n"
NOTEBOOK = (
    b'{"cells": [{"cell_type": "markdown", "source": ["x"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)
RST = b"Title\n=====\n\n.. note:: Take care.\n\n.. code-block:: python\n\n   x = 1\n\nSee :ref:`there`.\n"
OPEN = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b.md", "text/markdown"),
        ("README.MARKDOWN", "text/markdown"),
        ("page.mdx", "text/markdown"),
        ("notes.txt", "text/plain"),
        ("guide.rst", "text/x-rst"),
        ("LICENSE", "text/plain"),
        ("data.csv", "text/csv"),
        ("data.tsv", "text/tab-separated-values"),
        ("mail.eml", "message/rfc822"),
        ("Dockerfile", "text/x-dockerfile"),
        ("Dockerfile.dev", "text/x-dockerfile"),
        ("build/prod.dockerfile", "text/x-dockerfile"),
        ("Makefile", "text/plain"),
        ("Jenkinsfile", "text/plain"),
        ("CMakeLists.txt", "text/plain"),
        ("Gemfile", "text/x-ruby"),
        ("Rakefile", "text/x-ruby"),
        (".bashrc", "text/x-shellscript"),
        ("Cargo.lock", "application/toml"),
        ("main.rs", "text/x-rust"),
        ("x.hpp", "text/x-c++"),
        ("x.m", "text/plain"),
        ("x.py", "text/x-python"),
        ("x.pyi", "text/x-python"),
        ("x.mjs", "text/javascript"),
        ("x.jsx", "text/javascript"),
        ("x.cts", "text/typescript"),
        ("x.tsx", "text/tsx"),
        ("x.go", "text/x-go"),
        ("x.sql", "text/x-sql"),
        ("x.log", "text/x-log"),
        ("x.htm", "text/html"),
        ("x.xhtml", "application/xhtml+xml"),
    ],
)
def test_the_name_decides_among_texts(name: str, expected: str) -> None:
    assert detect(b"words and words\n", name) == expected


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"<html>hello</html>", "notpdf.pdf", "text/html"),
        (b"<!DOCTYPE html>\n<p>x", "saved.txt", "text/html"),
        (b"\n<!-- saved -->\n<HTML><body>x", "README", "text/html"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y"><html>', "x.bin", "text/html"),
        ("\ufeff<!doctype html><p>я".encode("utf-16"), "x.txt", "text/html"),
        (b"<h1>Fragment</h1>", "page", "text/html"),
        (b'<div align="center">\n\n# Title\n\n</div>', "README.md", "text/markdown"),
        (b"<!-- lint off -->\n# Title", "README.md", "text/markdown"),
        (b"<p>note</p>", "a.txt", "text/plain"),
        (b"%PDF-1.7\n\xe2\xe3\xcf\xd3", "scan.md", "application/pdf"),
        (b"junk\n%PDF-1.4\n\x00\x01\x02\x03\x04\x05\x06", "x", "application/pdf"),
        (b"A PDF begins with %PDF-1.7 and a version.", "formats.md", "text/markdown"),
        (archive("[Content_Types].xml", "word/document.xml"), "x.zip", DOCX),
        (archive("ppt/presentation.xml"), "x.docx", PPTX),
        (b"2026-03-02T01:30:00Z a\n2026-03-02T01:30:01Z b\n  more\n2026-03-02T01:30:02Z c\n", "out", "text/x-log"),
        (b"2026-03-02 10:00 we met\n2026-03-02 11:00 we ate\n2026-03-02 12:00 we left", "d.md", "text/markdown"),
        (b"# A\x00B\n\ntext \xff\xfe bad\n", "nul.md", "text/markdown"),
        (b"<!DOCTYPE html><html><body>x", "a.py", "text/html"),
        (b"<!DOCTYPE html>\n<html><?php echo 1 ?>", "a.php", "text/x-php"),
        (b"<table><tr><td>1</td></tr></table>", "export.xls", "text/html"),
        (b'<?xml version="1.0"?><!DOCTYPE TS><TS><context/></TS>', "german.ts", "text/plain"),
        (b'<?xml version="1.0"?><project><name>x</name></project>', "pom.xml", "text/plain"),
        (b'{"a": 1, "b": [true]}', "a.txt", "application/json"),
        (b'{"a": 1}', "settings", "application/json"),
        (b"{not json}", "a.txt", "text/plain"),
        (b'{"a": 1, "b": "x\x00y"}', "a.json", "application/json"),
        (b'{"level": "info", "msg": "a"}\n{"level": "info", "msg": "b"}\n', "a.json", "text/x-log"),
        (NOTEBOOK, "a.json", "application/x-ipynb+json"),
        (NOTEBOOK, "a", "application/x-ipynb+json"),
        (b'{"nbformat": 4, "properties": {"cells": {}}}', "schema.json", "application/json"),
        (MAIL, "saved", "message/rfc822"),
        (MAIL, "saved.txt", "message/rfc822"),
        (b"From ann@b.org Mon Mar  2 10:00:00 2026\n" + MAIL, "inbox", "message/rfc822"),
        (b"From: the board\nTo: all\nSubject: memo\nDate: today\n\nText.\n", "memo.txt", "text/plain"),
        (b"a,b,c\n1,2,3\n4,5,6\n7,8,9\n", "a.txt", "text/csv"),
        (b"a\tb\n1\t2\n4\t5\n7\t8\n", "a.txt", "text/tab-separated-values"),
        (b"a\tb\n1\t2\n4\t5\n7\t8\n", "export.xls", "text/tab-separated-values"),
        (b"Dear Ann, hello, you.\nWe met, we ate, we left.\nIt was, oh, fine.\nSo, bye, Bob.\n", "a.txt", "text/plain"),
        (RST, "a.txt", "text/x-rst"),
        (RST, "README", "text/x-rst"),
        (b"#!/bin/bash\necho 1\n", "run", "text/x-shellscript"),
        (b"#!/usr/bin/env python3\nprint(1)\n", "tool", "text/x-python"),
        (b"#!/usr/bin/env -S node --no-warnings\nx()\n", "tool", "text/javascript"),
        (b"#!/usr/bin/ruby -w\nputs 1\n", "tool", "text/x-ruby"),
        (b"#!/usr/bin/php\n<?php echo 1;\n", "tool", "text/x-php"),
        (b"#!/usr/bin/perl\nprint 1;\n", "tool", "text/plain"),
        (content_types(f"{OPEN}wordprocessingml.template.main+xml"), "a.dotx", DOCX),
        (content_types("application/vnd.ms-word.document.macroEnabled.main+xml"), "a.docm", DOCX),
        (content_types("application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"), "a.pptm", PPTX),
        (content_types(f"{OPEN}presentationml.template.main+xml"), "a.potx", PPTX),
        (content_types("application/vnd.ms-excel.sheet.macroEnabled.main+xml"), "a.xlsm", XLSX),
        (archive("xl/workbook.xml"), "a.bin", XLSX),
        ("Заметки о выпуске".encode("koi8_r"), "a.md", "text/markdown"),
        ("これは日本語です".encode("shift_jis"), "a.md", "text/markdown"),
        ("这是中文文本".encode("gb18030"), "a.md", "text/markdown"),
        ("Grüße".encode("latin-1"), "a.md", "text/markdown"),
        ("plain".encode("utf-32"), "a.txt", "text/plain"),
    ],
)  # fmt: skip
def test_the_content_comes_before_the_name(data: bytes, name: str, expected: str) -> None:
    assert detect(data, name) == expected


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00", "a.md", "PNG image"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02\x05\x06\xff\xfe\x00", "a.txt", "gzip archive"),
        (b"SQLite format 3\x00" + bytes(100), "a.db", "SQLite database"),
        (b"\x7fELF" + bytes(60), "a", "executable"),
        (archive("readme.txt"), "a.zip", "zip archive"),
        (b"{\\rtf1\\ansi hello}", "a.txt", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.doc", "before 2007"),
        (OLE + bytes(99) + "WordDocument".encode("utf-16-le"), "a.docx", "Word document of the time before 2007"),
        (OLE + bytes(99) + "Workbook".encode("utf-16-le"), "a.xls", "Excel workbook of the time before 2007"),
        (OLE + bytes(99) + "__substg1.0_0037001F".encode("utf-16-le"), "a.msg", "Outlook message"),
        (bytes(1000), "zeros.txt", "nothing but NUL"),
        ((b"\x47" + bytes(187)) * 20, "video.ts", "MPEG transport stream"),
        (bytes(257) + b"ustar\x0000" + bytes(300), "a.md", "tar archive"),
        (bytes(range(256)) * 4, "a.bin", "not text"),
        (b"%!PS-Adobe-3.0\n/Times findfont\n", "a.txt", "PostScript"),
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>', "a.txt", "SVG"),
        (archive("xl/workbook.bin"), "a.xlsb", "XLSB"),
        (mimetype("application/epub+zip"), "a.epub", "EPUB"),
        (mimetype("application/vnd.oasis.opendocument.text"), "a.docx", "OpenDocument text"),
        (archive("META-INF/MANIFEST.MF"), "a.jar", "Java archive"),
    ],
)
def test_what_no_parser_reads_is_named(data: bytes, name: str, words: str) -> None:
    with pytest.raises(UnsupportedFormat, match=words) as caught:
        parse(data, uri=name)
    assert caught.value.uri == name
    assert caught.value.stage == "parse"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "empty.pdf", "the file is empty"),
        (b"only text", "a.pdf", "the name says PDF"),
        (b"PK\x03\x04 cut off", "a.docx", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx", "password required"),
        (b" \n\t\n", "a.md", "no text"),
        (b"---\ntitle: x\n---\n", "a.md", "only metadata"),
        (b"<html><head><title>t</title></head><body><script>x()</script></body></html>", "a.html", "nothing|no text"),
    ],
)
def test_a_file_without_anything_to_index_is_an_error(data: bytes, name: str, words: str) -> None:
    with pytest.raises(ParseError, match=words) as caught:
        parse(data, uri=name)
    assert (caught.value.uri, caught.value.stage) == (name, "parse")


@pytest.mark.parametrize("size", [64, 200, 1000, 20_000])
def test_random_bytes_named_md_are_never_a_document(size: int) -> None:
    for seed in range(40):
        with pytest.raises(DocumentError):
            parse(random.Random(seed).randbytes(size), uri="random.md")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Grüße aus München. Die Straße ist lang und führt über die Brücke.", "latin-1"),
        ("El niño comió piñas en el jardín: qué día más bonito.", "cp1252"),
        ("Zażółć gęślą jaźń. To jest długi tekst po polsku, który się ciągnie.", "cp1250"),
        ("Zażółć gęślą jaźń. To jest długi tekst po polsku, który się ciągnie.", "iso8859_2"),
        ("Привет, мир. Это обычный русский текст, который должен быть распознан.", "cp1251"),
        ("Привет, мир. Это обычный русский текст, который должен быть распознан.", "koi8_r"),
        ("これは日本語のテキストです。文字コードを判別します。", "shift_jis"),
        ("これは日本語のテキストです。文字コードを判別します。", "euc_jp"),
        ("これは日本語のテキストです。文字コードを判別します。", "iso2022_jp"),
        ("비밀번호를 재설정하는 방법을 설명합니다.", "iso2022_kr"),
        ("这是一个中文文本，用来测试编码识别。", "hz"),
        ("这是一个中文文本，用来测试编码识别。我们希望它正确。", "gb18030"),
        ("這是一個中文文本，用來測試編碼識別。我們希望它正確。", "big5"),
        ("Ein Text — mit Zeichen 😀 я 中", "utf-16"),
        ("Ein Text — mit Zeichen 😀 я 中", "utf-32"),
        ("plain ASCII in two bytes each", "utf-16-le"),
        ("Ein Text 😀", "utf-8-sig"),
    ],
)
@pytest.mark.parametrize("head", ["", "# Title\n\nA head of plain ASCII, as files often have, hides the encoding.\n\n"])
def test_the_whole_file_tells_its_encoding(text: str, encoding: str, head: str) -> None:
    decoded = decode((head + text).encode(encoding))
    assert decoded.text == head + text
    assert decoded.replaced == 0


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        ("如何重置密码？", ["gb18030"]),
        ("- 操作系统：Linux\n- 内存：4GB\n", ["gb18030"]),
        ("培顿·曼宁参加第 50 届超级碗时多大？", ["gb18030"]),
        ("東京都は日本の首都である。", ["euc_jp", "shift_jis"]),
        ("Как сбросить пароль, если я его забыл?", ["iso8859_5"]),
        ("كيف أعيد تعيين كلمة المرور إذا نسيتها؟", ["iso8859_6"]),
        ("Jak zresetować hasło?", ["cp1250", "iso8859_2", "cp852"]),
        ("Zażółć gęślą jaźń.", ["cp1250", "iso8859_2"]),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", ["cp1250", "iso8859_2", "cp852"]),
        ("Şişli'de çok güzel bir öğle yemeği yedik.", ["cp1254"]),
        ("Grüße aus München und Köln.", ["cp850", "cp437", "mac_roman"]),
        ("Le café est très bon à l'été.", ["cp850", "mac_roman", "iso8859_15"]),
        ('def main():\n    # 读取配置文件\n    return load("config.ini")  # 默认路径\n', ["gb18030"]),
        ("會議紀錄：專案名稱", ["big5"]),
        ("会議の議事録", ["euc_jp", "shift_jis"]),
        ("# 設定ファイルを読む\nx = 1\n", ["euc_jp", "shift_jis"]),
        ("비밀번호를 재설정하는 방법", ["euc_kr", "cp949"]),
        ("Привет", ["cp1251", "koi8_r", "cp866"]),
        ("x = 1  # начальное значение\ny = 2  # шаг\n", ["cp1251", "koi8_r", "cp866"]),
        ("Як скинути пароль? Їжак їсть.", ["cp1251", "koi8_u"]),
        ("Πώς να επαναφέρετε τον κωδικό", ["cp1253", "iso8859_7"]),
        ("איך לאפס סיסמה", ["cp1255"]),
        ("كيفية إعادة تعيين كلمة المرور", ["cp1256"]),
        ("coût", ["cp1252"]),
        ("5 × 3 ± 1", ["cp1252"]),
    ],
)
def test_a_line_is_enough_to_tell_an_encoding(text: str, encodings: list[str]) -> None:
    for encoding in encodings:
        assert decode(text.encode(encoding)).text == text, encoding


@pytest.mark.parametrize(
    "text",
    [
        "It’s a café – naïve readers “quote” it.",
        "See § 4: 20 °C, 5 € a month, ½ cup.",
        "© 2024 Müller GmbH",
        "El año",
        "Ångström units",
        "Thanks to José for the patch.",
        "bullets • one • two … and a trademark™",
    ],
)
@pytest.mark.parametrize("head", ["", "This is a longer English text that has nothing of interest in it. " * 5])
def test_a_few_signs_and_accents_amid_ascii_are_windows_latin(text: str, head: str) -> None:
    assert decode((head + text).encode("cp1252")).text == head + text


@pytest.mark.parametrize(
    ("data", "text", "replaced"),
    [
        (b"abc \xed\xa0\x80 def \xed\xb0\x80 words", "abc  def  words", 2),
        (b"a pair \xed\xa0\xbd\xed\xb8\x80 of them", "a pair \U0001f600 of them", 0),
        (b"a NUL \xc0\x80 of Java", "a NUL  of Java", 1),
        ("Русский текст".encode() + b" \xed\xa0\x80 \xff", "Русский текст  \ufffd", 2),
    ],
)
def test_what_is_almost_utf8_is_taken_for_it(data: bytes, text: str, replaced: int) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.replaced) == (text, "utf-8", replaced)


@given(
    st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs", "Cc"]), min_size=30, max_size=80),
    st.integers(0, 400),
    st.sampled_from([b"\xff", b"\x80", b"\xed\xa0\x80", b"\xe4\xb8", b"\xc0\xaf"]),
)
@settings(max_examples=150, deadline=None)
def test_a_broken_sequence_in_utf8_costs_what_it_touches_and_no_more(text: str, place: int, broken: bytes) -> None:
    data = text.replace("\ufeff", "").replace("\ufffd", "").encode()
    place %= len(data) + 1
    if not data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    decoded = decode(data[:place] + broken + data[place:])
    assert decoded.encoding == "utf-8"
    assert 1 <= decoded.replaced <= 7
    kept = decoded.text.replace("\ufffd", "")
    before, after = data[:place].decode("utf-8", "ignore"), data[place:].decode("utf-8", "ignore")
    assert kept.startswith(clean(before)[0].replace("\r", "\n"))
    assert kept.endswith(clean(after)[0].replace("\r", "\n"))


@pytest.mark.parametrize("name", ["koi8-r", "cp1251", "latin-1"])
def test_a_python_file_says_what_it_is_written_in(name: str) -> None:
    words = "é" if name == "latin-1" else "шаг"
    source = f"#!/usr/bin/python\n# -*- coding: {name} -*-\nx = '{words}'\n"
    assert parse(source.encode(name), uri="a.py").text == source


def test_damage_is_replaced_and_counted() -> None:
    assert decode(b"# A\x00B\n\ntext \xff\xfe bad\n").text == "# AB\n\ntext \ufffd\ufffd bad\n"
    assert decode(b"# A\x00B\n\ntext \xff\xfe bad\n").replaced == 3
    assert decode("ein � der Quelle".encode()).replaced == 0
    assert decode("Grüße, Füße, Öfen \udcff".encode("utf-8", "surrogateescape")).encoding == "utf-8"


def test_one_stray_control_byte_does_not_hide_the_encoding_of_a_file() -> None:
    text = "Это обычный русский текст, который должен быть распознан. " * 20
    decoded = decode(text.encode("cp1251") + b"\x00")
    assert (decoded.text, decoded.encoding, decoded.replaced) == (text, "cp1251", 1)


def test_surrogates_are_paired_or_removed() -> None:
    assert clean("a\ud83d\ude00b\ud800c\x00") == ("a\U0001f600bc", 2)


@given(
    st.binary(max_size=300) | st.text(st.characters(), max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass"))
)
@settings(max_examples=150, deadline=None)
def test_decoded_text_can_be_stored(data: bytes) -> None:
    try:
        decoded = decode(data)
    except ParseError:
        return
    assert "\x00" not in decoded.text
    assert "\r" not in decoded.text
    decoded.text.encode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
@settings(max_examples=150, deadline=None)
def test_utf8_comes_back_as_it_was_but_for_newlines_and_nul(text: str) -> None:
    expected = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    if "\x00" not in text and "\x1b" not in text and not text.startswith("\ufeff"):
        assert decode(text.encode()).text == expected


def test_the_page_limit_is_part_of_the_fingerprint_only_where_there_are_pages() -> None:
    assert fingerprint("text/markdown", Settings(pages=10)) == fingerprint("text/markdown", Settings(pages=20))
    assert fingerprint("text/markdown", Settings(pages=10)) != fingerprint("text/html", Settings(pages=10))
    assert fingerprint("application/pdf", Settings(pages=10)) != fingerprint("application/pdf", Settings(pages=20))
