"""Which binary formats bytes are in: the archives that a parser reads, and the names of what none does."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO

from corpus.errors import ParseError, UnsupportedFormat
from corpus.parsers.archive import check_directory
from corpus.parsers.detect_names import DOCX, EXTENSIONS, PPTX, PROMISES, XLSX

#: in `[Content_Types].xml`, what the main part of an Office file says of itself → media type
_MAIN_PARTS = (
    (re.compile(rb"wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macro"), DOCX),
    (
        re.compile(
            rb"presentationml\.(?:presentation|template|slideshow)\.main\+xml"
            rb"|ms-powerpoint\.(?:presentation|template|slideshow|addin)\.macro"
        ),
        PPTX,
    ),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template|addin)\.macro"), XLSX),
)
_BINARY_WORKBOOK = b"ms-excel.sheet.binary"
#: part of a zip archive → media type, where the content types do not say
_PARTS = (
    (re.compile(r"word/document\d*\.xml"), DOCX),
    (re.compile(r"ppt/presentation\d*\.xml"), PPTX),
    (re.compile(r"xl/workbook\d*\.xml"), XLSX),
)
_MIMETYPES = (
    ("application/epub+zip", "an EPUB book", "convert it to HTML or DOCX, or exclude it"),
    ("application/vnd.oasis.opendocument.text", "an OpenDocument text", "save it as DOCX, or exclude it"),
    ("application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet", "save it as XLSX, or exclude it"),
    ("application/vnd.oasis.opendocument.presentation", "OpenDocument slides", "save them as PPTX, or exclude it"),
    ("application/vnd.oasis.opendocument", "an OpenDocument file", "export it as PDF, or exclude it"),
)
_EXCLUDE = "exclude it, or unpack or convert it"
#: part of a zip archive → what the archive is
_ARCHIVES = (
    ("xl/workbook.bin", "an Excel binary workbook (XLSB)", "save it as XLSX, or exclude it"),
    ("META-INF/container.xml", "an EPUB book", "convert it to HTML or DOCX, or exclude it"),
    ("content.xml", "an OpenDocument file", "save it as DOCX, XLSX or PPTX, or exclude it"),
    ("AndroidManifest.xml", "an Android package", _EXCLUDE),
    ("META-INF/MANIFEST.MF", "a Java archive", _EXCLUDE),
    ("visio/", "a Visio drawing", "export it as PDF, or exclude it"),
    ("Index/Document.iwa", "an Apple iWork document", "export it as DOCX, XLSX, PPTX or PDF, or exclude it"),
    ("Index.zip", "an Apple iWork document", "export it as DOCX, XLSX, PPTX or PDF, or exclude it"),
)
#: only read for bytes that are no text, so short marks cannot mistake a word for a picture
_MAGIC = (
    (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"), (b"MM\x00*", "a TIFF image"), (b"BM", "a bitmap image"),
    (b"\x00\x00\x01\x00", "an icon"), (b"8BPS", "a Photoshop image"), (b"\xd7\xcd\xc6\x9a", "a WMF drawing"),
    (b"\xff\x0a", "a JPEG XL image"), (b"AT&TFORM", "a DjVu document"),
    (b"\x1f\x8b", "a gzip archive"), (b"BZh", "a bzip2 archive"), (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"), (b"\x04\x22\x4d\x18", "an LZ4 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"), (b"Rar!", "a RAR archive"), (b"!<arch>", "an archive"),
    (b"\xed\xab\xee\xdb", "an RPM package"), (b"xar!", "a macOS installer"), (b"MSCF", "a cabinet archive"),
    (b"\x7fELF", "an executable"), (b"MZ", "an executable"), (b"\xcf\xfa\xed\xfe", "an executable"),
    (b"\xca\xfe\xba\xbe", "a compiled Java or Mach-O file"), (b"\x00asm", "a WebAssembly module"),
    (b"BC\xc0\xde", "LLVM bitcode"), (b"SQLite format 3\x00", "a SQLite database"), (b"PAR1", "a Parquet file"),
    (b"Obj\x01", "an Avro file"), (b"ORC", "an ORC file"), (b"ARROW1", "an Arrow file"),
    (b"OggS", "Ogg media"), (b"ID3", "MP3 audio"), (b"\xff\xfb", "MP3 audio"), (b"\xff\xf3", "MP3 audio"),
    (b"fLaC", "FLAC audio"), (b"MThd", "MIDI music"), (b"RIFF", "RIFF media (WebP, WAV or AVI)"),
    (b"FLV\x01", "Flash video"), (b"\x1aE\xdf\xa3", "Matroska media"), (b"\x00\x00\x01\xba", "MPEG video"),
    (b"\x00\x00\x01\xb3", "MPEG video"), (b"wOF", "a web font"), (b"OTTO", "a font"), (b"\x00\x01\x00\x00", "a font"),
    (b"\x93NUMPY", "a NumPy array"), (b"\x89HDF", "an HDF5 file"), (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"), (b"%!PS", "a PostScript file"), (b"\xd4\xc3\xb2\xa1", "a network capture"),
    (b"\x0a\x0d\x0d\x0a", "a network capture"), (b"\x00\x05\x16\x07", "macOS file attributes"),
    (b"\x00\x00\x00\x01Bud1", "macOS folder settings"), (b"L\x00\x00\x00\x01\x14\x02\x00", "a Windows shortcut"),
    (b"\x30\x82", "a certificate or key"), (b"\x78\x9f\x3e\x22", "an Outlook attachment (TNEF)"),
    (b"ITSF", "a compiled help file (CHM)"), (b"bplist", "a binary property list"), (b"!BDN", "an Outlook mailbox"),
)  # fmt: skip
#: mark at a place that is not the start
_MAGIC_WITHIN = ((257, b"ustar", "a tar archive"), (4, b"ftyp", "MP4 or HEIF media"), (32769, b"CD001", "a disc image"),
                 (60, b"BOOKMOBI", "a Kindle book"))  # fmt: skip
_PACKET = 188  #: bytes; an MPEG transport stream has 0x47 at the start of each

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage"
#: name of a stream in a compound file → what the file is
_STREAMS = (
    ("WordDocument", "a Word document of the time before 2007", "save it as DOCX, or exclude it"),
    ("Workbook", "an Excel workbook of the time before 2007", "save it as XLSX, or exclude it"),
    ("Book", "an Excel workbook of the time before 1997", "save it as XLSX, or exclude it"),
    ("PowerPoint Document", "a PowerPoint presentation of the time before 2007", "save it as PPTX, or exclude it"),
    ("__substg1.0_", "an Outlook message", "save it as EML, or exclude it"),
    ("VisioDocument", "a Visio drawing of the time before 2013", "export it as PDF, or exclude it"),
)


def of_archive(data: bytes, extension: str) -> str:
    """The media type of a zip archive.

    Raises `UnsupportedFormat` for one that no parser reads, and `ParseError` for an Office file that is damaged.
    """
    promise = PROMISES.get(extension)
    check_directory(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            types = _beginning(archive, "[Content_Types].xml", 1 << 20) if "[Content_Types].xml" in names else b""
            mimetype = _beginning(archive, "mimetype", 200).decode("ascii", "replace") if "mimetype" in names else ""
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        if promise:
            raise ParseError(
                f"the {promise} is damaged: its archive cannot be opened ({error})", hint="replace the file"
            ) from error
        raise UnsupportedFormat("this is a damaged zip archive", hint="exclude it") from error
    if _BINARY_WORKBOOK not in types:
        for pattern, media_type in _MAIN_PARTS:
            if pattern.search(types):
                return media_type
        for part, media_type in _PARTS:
            if any(part.fullmatch(name) for name in names):
                return media_type
    for start, what, hint in _MIMETYPES:
        if mimetype.strip().startswith(start):
            raise _unread(what, hint)
    for start, what, hint in _ARCHIVES:
        if any(name.startswith(start) for name in names):
            raise _unread(what, hint)
    raise _unread("a zip archive", _EXCLUDE)


def _beginning(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    with archive.open(name) as part:
        return part.read(size)


def of_compound(data: bytes) -> ParseError | UnsupportedFormat:
    """The error for a compound file: what Office wrote before 2007, and what it encrypts today."""
    if _ENCRYPTED.encode("utf-16-le") in data:
        return ParseError("the document is encrypted: password required", hint="save it without a password")
    for stream, what, hint in _STREAMS:
        if stream.encode("utf-16-le") in data:
            return _unread(what, hint)
    return _unread(
        "a Microsoft Office file of the time before 2007 (or a mail, or an installer)",
        "save it as DOCX, XLSX or PPTX, or exclude it",
    )


def of_binary(data: bytes, extension: str) -> ParseError | UnsupportedFormat:
    """The error for bytes that are no text and no archive of a known kind."""
    what = next((what for start, what in _MAGIC if data.startswith(start)), "")
    what = what or next((what for at, mark, what in _MAGIC_WITHIN if data[at : at + len(mark)] == mark), "")
    if not what and len(data) >= 3 * _PACKET and all(data[at] == 0x47 for at in range(0, 3 * _PACKET, _PACKET)):
        what = "an MPEG transport stream"
    if not what and not data.strip(b"\x00"):
        what = "a file of nothing but NUL bytes"
    if not what and extension in PROMISES:
        return ParseError(
            f"the name says {PROMISES[extension]}, but the bytes are not one",
            hint="the file is damaged or encrypted; replace it",
        )
    named = f", although its name ends in {extension}" if extension in EXTENSIONS or extension in PROMISES else ""
    found = f"it is {what}" if what else "its bytes are not text in any encoding, nor a known format"
    return UnsupportedFormat(f"no parser reads this: {found}{named}", hint="replace it, or exclude it in corpora.yaml")


def _unread(what: str, hint: str) -> UnsupportedFormat:
    return UnsupportedFormat(f"no parser reads this: it is {what}", hint=hint)
