from __future__ import annotations

import random
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.errors import DocumentError, ParseError, UnsupportedFormat
from corpus.parsers import fingerprint, language, parse
from corpus.parsers.decode import clean, decode
from corpus.parsers.detect import DOCX, PPTX, detect


def archive(*names: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "<x/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b.md", "text/markdown"),
        ("README.MARKDOWN", "text/markdown"),
        ("page.mdx", "text/markdown"),
        ("notes.txt", "text/plain"),
        ("guide.rst", "text/plain"),
        ("LICENSE", "text/plain"),
        ("data.csv", "text/plain"),
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
        (archive("xl/workbook.xml"), "a.xlsx", "Excel workbook"),
        (archive("readme.txt"), "a.zip", "zip archive"),
        (b"{\\rtf1\\ansi hello}", "a.txt", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.doc", "before 2007"),
        (bytes(1000), "zeros.txt", "not text"),
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


def test_damage_is_replaced_and_counted() -> None:
    assert decode(b"# A\x00B\n\ntext \xff\xfe bad\n").text == "# AB\n\ntext \ufffd\ufffd bad\n"
    assert decode(b"# A\x00B\n\ntext \xff\xfe bad\n").replaced == 3
    assert decode("ein � der Quelle".encode()).replaced == 0
    assert decode("Grüße, Füße, Öfen \udcff".encode("utf-8", "surrogateescape")).encoding == "utf-8"


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The nightly run compares sizes, dates and hashes with its ledger.", "en"),
        ("如何重置密码", "zh"),
        ("使用 `CORSMiddleware` 你可以在 FastAPI 应用中使用 CORSMiddleware 来配置它", "zh"),
        ("パスワードを再設定する方法", "ja"),
        ("비밀번호를 재설정하는 방법", "ko"),
        ("Что требуется более мощным инструментам вроде Celery?", "ru"),
        ("Що потрібно більш потужним інструментам, таким як Celery?", "uk"),
        ("Die nächtliche Abstimmung vergleicht Größe und Datum.", "de"),
        ("La ejecución nocturna compara tamaños y fechas.", "es"),
        ("Πώς να επαναφέρετε τον κωδικό", "el"),
        ("كيفية إعادة تعيين كلمة المرور", "ar"),
        ("איך לאפס סיסמה", "he"),
        ("วิธีรีเซ็ตรหัสผ่าน", "th"),
        ("ok", None),
        ("42 + 17 = 59", None),
        ("", None),
    ],
)
def test_the_language_is_told_by_script_then_by_model(text: str, expected: str | None) -> None:
    assert language.detect(text) == expected


def test_code_has_no_language_and_prose_around_code_has() -> None:
    fenced = "```\nfor line in lines: print(line.strip().upper())\n```\n"
    assert parse(fenced.encode(), uri="a.md").language is None
    assert parse(f"Это простой пример кода на Python:\n\n{fenced * 20}".encode(), uri="a.md").language == "ru"


@pytest.mark.parametrize(
    ("tag", "expected"), [("en-US", "en"), ("zh_Hans", "zh"), ("RU", "ru"), ("", None), ("x1", None)]
)
def test_language_tags_are_reduced_to_two_letters(tag: str, expected: str | None) -> None:
    assert language.code(tag) == expected


def test_the_page_limit_is_part_of_the_fingerprint_only_where_there_are_pages() -> None:
    assert fingerprint("text/markdown", pages=10) == fingerprint("text/markdown", pages=20)
    assert fingerprint("text/markdown", pages=10) != fingerprint("text/html", pages=10)
    assert fingerprint("application/pdf", pages=10) != fingerprint("application/pdf", pages=20)
