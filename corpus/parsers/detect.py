"""What a file is: its content first, then its name."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from corpus.errors import ParseError, UnsupportedFormat
from corpus.parsers.decode import marked, unmarked_utf16

VERSION = 1  #: raised whenever the same bytes and name give another media type

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

EXTENSIONS = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".mdown": "text/markdown", ".mkd": "text/markdown",
    ".mdx": "text/markdown", ".qmd": "text/markdown",
    ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml",
    ".txt": "text/plain", ".text": "text/plain", ".rst": "text/plain", ".log": "text/x-log",
    ".py": "text/x-python", ".pyi": "text/x-python",
    ".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript", ".jsx": "text/javascript",
    ".ts": "text/typescript", ".mts": "text/typescript", ".cts": "text/typescript", ".tsx": "text/tsx",
    ".go": "text/x-go", ".sql": "text/x-sql",
}  # fmt: skip
#: names that promise a format that is no text; text under such a name is not what it says
_PROMISES = {".pdf": "PDF", ".docx": "Word document", ".pptx": "PowerPoint presentation"}

#: part of a zip archive → media type
_PARTS = ((re.compile(r"word/document\d*\.xml"), DOCX), (re.compile(r"ppt/presentation\d*\.xml"), PPTX))
_ARCHIVES = (
    ("xl/", "Excel workbook"), ("META-INF/MANIFEST.MF", "Java archive"), ("content.xml", "OpenDocument file"),
    ("META-INF/container.xml", "EPUB book"), ("visio/", "Visio drawing"),
)  # fmt: skip
#: only read for bytes that are no text, so short marks cannot mistake a word for a picture
_MAGIC = (
    (b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"), (b"BM", "bitmap image"), (b"\x00\x00\x01\x00", "icon"), (b"8BPS", "Photoshop image"),
    (b"\x1f\x8b", "gzip archive"), (b"BZh", "bzip2 archive"), (b"\xfd7zXZ", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"), (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"), (b"Rar!", "RAR archive"),
    (b"\x7fELF", "executable"), (b"MZ", "executable"), (b"\xcf\xfa\xed\xfe", "executable"),
    (b"\xca\xfe\xba\xbe", "compiled Java or Mach-O file"), (b"\x00asm", "WebAssembly module"),
    (b"SQLite format 3\x00", "SQLite database"), (b"PAR1", "Parquet file"), (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"), (b"\xff\xfb", "MP3 audio"), (b"fLaC", "FLAC audio"), (b"RIFF", "RIFF media"),
    (b"\x1aE\xdf\xa3", "Matroska media"), (b"wOF", "web font"), (b"\x00\x01\x00\x00", "font"), (b"\x93NUMPY", "array"),
    (b"\x89HDF", "HDF5 file"), (b"!<arch>", "archive"), (b"\x80\x04", "pickle"), (b"%!PS", "PostScript file"),
)  # fmt: skip
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")

#: control bytes that text does not have; tab, newlines, form feed, backspace and the escape of terminals it has
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\x0b\x0c\r\x08\x1b") + b"\x7f"
_LOOK = 65536  #: bytes at the head, the middle and the end that decide whether it is text

_PROLOGUE = re.compile(r"(?:\s+|<\?xml\b[^<>]{0,500}\?>|<!--(?:(?!-->).){0,20000}-->)+", re.DOTALL)
_ROOT = re.compile(r"<!doctype\s+html\b|<(?:html|head|body)(?=[\s>/])", re.IGNORECASE)
_FRAGMENT = re.compile(r"<(?:title|meta|link|h[1-6]|p|div|table|ul|ol|article|main|section)(?=[\s>/])", re.IGNORECASE)

_TIMESTAMP = re.compile(
    r"[\[<(]?(?:"
    r"\d{4}[-/.]\d{2}[-/.]\d{2}[T ,_]+\d{2}:\d{2}|\d{2}[/.-](?:\d{2}|[A-Z][a-z]{2})[/.-]\d{2,4}[ :T]\d{2}:\d{2}"
    r"|[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2}|(?:[A-Z][a-z]{2} ){2} ?\d{1,2} \d{2}:\d{2}"
    r"|\d{2}:\d{2}:\d{2}[.,]\d{3}|[IWEF]\d{4} \d{2}:\d{2}:\d{2}|\d{10}(?:\.\d+|\d{3})?(?=[\s\]:])"
    r")"
)
#: Web servers write the client before the time.
_ACCESS = re.compile(r"\S+ \S+ \S+ \[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}")


def detect(data: bytes, uri: str) -> str:
    """The media type of `data`, which lies at `uri`.

    Raises `UnsupportedFormat` for bytes that no parser reads, and `ParseError` for a file that is damaged, encrypted
    or not what its name says.
    """
    extension = PurePosixPath(uri).suffix.lower()
    text = is_text(data)
    marker = data.find(b"%PDF-", 0, 1024)
    if marker == 0 or (marker > 0 and (not text or extension == ".pdf" or not data[:marker].strip())):
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(data, extension)
    if data.startswith(_OLE):
        raise _compound(data)
    if not text:
        raise _binary(data, extension)
    head = _head(data)
    if head.startswith("{\\rtf"):
        raise UnsupportedFormat("this is RTF, which no parser reads", hint="save it as DOCX, or exclude it")
    if root := _markup(head, extension):
        return root
    if extension in _PROMISES:
        raise ParseError(
            f"the name says {_PROMISES[extension]}, but the bytes are not one",
            hint="replace the file by the real one, or give it the extension of what it is",
        )
    named = EXTENSIONS.get(extension, "text/plain")
    return "text/x-log" if named == "text/plain" and extension != ".rst" and looks_like_log(head) else named


def is_text(data: bytes) -> bool:
    """Whether bytes are text in some encoding. A few NULs or broken sequences do not make a text binary."""
    if marked(data) in ("utf-16", "utf-32") or unmarked_utf16(data):
        sample = _head(data)
        odd = sum(1 for character in sample if not (character.isprintable() or character.isspace()))
        return odd <= 0.1 * len(sample)
    middle = max(len(data) // 2, _LOOK)
    sample_bytes = data[:_LOOK] + data[middle : middle + _LOOK] + data[max(middle + _LOOK, len(data) - _LOOK) :]
    controls = len(sample_bytes) - len(sample_bytes.translate(None, _CONTROLS))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        # One byte in nine of random or compressed data is a control byte; no legacy encoding has any.
        return controls <= 0.06 * len(sample_bytes)
    return controls <= 0.3 * len(sample_bytes)


def looks_like_log(head: str) -> bool:
    """Whether most lines begin with a time, or belong to one that does."""
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    stamped = sum(1 for line in lines if starts_record(line))
    indented = sum(1 for line in lines if line[0].isspace())
    return stamped >= 3 and stamped > 0.5 * (len(lines) - indented) and starts_record(lines[0])


def starts_record(line: str) -> bool:
    """Whether a log's line begins with a time."""
    return bool(_TIMESTAMP.match(line) or _ACCESS.match(line))


def _head(data: bytes) -> str:
    encoding = marked(data) or unmarked_utf16(data) or "utf-8"
    return data[:_LOOK].decode(encoding, "replace").removeprefix("\ufeff").replace("\x00", "").replace("\r\n", "\n")


def _markup(head: str, extension: str) -> str | None:
    """The media type of a page, or None. A Markdown file may begin with any HTML but a document's root."""
    page = "application/xhtml+xml" if extension in (".xhtml", ".xht") else "text/html"
    prologue = _PROLOGUE.match(head)
    start = prologue.end() if prologue else 0
    if _ROOT.match(head, start):
        return page
    return page if extension not in EXTENSIONS and _FRAGMENT.match(head, start) else None


def _archive(data: bytes, extension: str) -> str:
    promise = _PROMISES.get(extension)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeDecodeError) as error:
        if promise:
            raise ParseError(
                f"the {promise} is damaged: its archive cannot be opened ({error})", hint="replace the file"
            ) from error
        raise UnsupportedFormat("this is a damaged zip archive", hint="exclude it") from error
    for part, media_type in _PARTS:
        if any(part.fullmatch(name) for name in names):
            return media_type
    what = next((what for start, what in _ARCHIVES if any(name.startswith(start) for name in names)), "zip archive")
    raise UnsupportedFormat(f"no parser reads this: it is a {what}", hint="exclude it, or unpack or convert it")


def _compound(data: bytes) -> ParseError | UnsupportedFormat:
    if _ENCRYPTED_OFFICE in data:
        return ParseError("the document is encrypted: password required", hint="save it without a password")
    return UnsupportedFormat(
        "this is a Microsoft Office file of the time before 2007 (or a mail, or an installer)",
        hint="save it as DOCX or PPTX, or exclude it",
    )


def _binary(data: bytes, extension: str) -> ParseError | UnsupportedFormat:
    what = next((what for start, what in _MAGIC if data.startswith(start)), "")
    if data[4:8] == b"ftyp":
        what = "MP4 or HEIF media"
    if not what and extension in _PROMISES:
        return ParseError(
            f"the name says {_PROMISES[extension]}, but the bytes are not one",
            hint="the file is damaged or encrypted; replace it",
        )
    named = f" although its name ends in {extension}" if extension in EXTENSIONS else ""
    found = f"it is a {what}" if what else "its bytes are not text in any encoding, nor a known format"
    return UnsupportedFormat(f"no parser reads this: {found}{named}", hint="replace it, or exclude it in corpora.yaml")
