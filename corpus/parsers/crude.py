"""The words of a file by the shortest way: no layout, no structure, and no library that a parser uses.

Zip archives, JSON and Python's own codecs are shared, since there is nothing else to open them with. PDF is read by
pdf-oxide, and where in doubt by pypdf; everything else by looking for text between tags and separators.
"""

from __future__ import annotations

import html
import json
import logging
import re
import zipfile
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from quopri import decodestring

from chunkers.document import Document

Texts = Mapping[int | None, str]  #: by page; None for a document that has none

_OPEN_XML = "application/vnd.openxmlformats-officedocument."


def texts(data: bytes, document: Document) -> Texts | None:
    """What can be read of `data`, by page; None if nothing can."""
    if reader := _OF_BYTES.get(document.media_type):
        return reader(data)
    text = decoded(data, document)
    return {None: _OF_TEXT[document.media_type](text) if document.media_type in _OF_TEXT else text}


def again(data: bytes, document: Document, pages: Sequence[int | None]) -> Texts:
    """What another reader, slower than the first, sees on these pages; nothing where there is no other reader."""
    if document.media_type != "application/pdf":
        return {}
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        read = PdfReader(BytesIO(data)).pages
        return {page: read[page - 1].extract_text() for page in pages if page}
    except Exception:  # noqa: BLE001 - an opinion less
        return {}


def decoded(data: bytes, document: Document) -> str:
    """The bytes in the document's encoding, with newlines as its text has them, without NUL and byte order mark."""
    text = data.decode(document.encoding or "utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _pdf(data: bytes) -> Texts | None:
    import pdf_oxide

    pdf_oxide.disable_logging()
    pages: dict[int | None, str] = {}
    try:
        opened = pdf_oxide.PdfDocument.from_bytes(data)
        for index in range(opened.page_count()):
            pages[index + 1] = opened.extract_text(index)
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - a panic of the Rust library is no Exception; a second opinion may fail
        return None
    return pages if any(text.strip() for text in pages.values()) else None


# Markup

_UNSEEN = ("script", "style", "template", "head", "noscript", "svg", "select", "textarea", "iframe", "object", "math")


def _between_tags(source: str) -> str:
    """What stands between tags, less comments and elements that no reader sees. Linear: nothing is looked for twice."""
    seen: list[str] = []
    at, ends = 0, dict[str, bool]()
    lowered = source.translate(_LOWER)  # of the same length, as str.lower() is not

    def after(mark: str, start: int) -> int:
        """The place after the next `mark`; the end of the source if there is none, and it is not looked for again."""
        found = lowered.find(mark, start) if ends.get(mark, True) else -1
        ends[mark] = found >= 0
        return found + len(mark) if found >= 0 else len(source)

    while at < len(source):
        opened = source.find("<", at)
        if opened < 0:
            seen.append(source[at:])
            break
        seen.append(source[at:opened])
        if lowered.startswith("<!--", opened):
            at = after("-->", opened + 4)
            continue
        if lowered.startswith("<![cdata[", opened):
            at = opened + 9
            continue
        name = _TAG.match(lowered, opened)
        if name is None:
            seen.append("<")
            at = opened + 1
            continue
        at = after(">", opened)
        if '"' in source[opened:at] or "'" in source[opened:at]:
            quoted = _QUOTED_TAG.match(source, opened)
            at = quoted.end() if quoted else at
        seen.append("" if name[1] in _INLINE else " ")
        if lowered.startswith(_UNSEEN_TAGS, opened) and name[1] in _UNSEEN and source[at - 2] != "/":
            at = after(f"</{name[1]}", at)
            at = after(">", at)
    return html.unescape("".join(seen)).replace("\xad", "").replace("\u200b", "")


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_TAG = re.compile(r"<(?:[/?]|!\[?)?([a-z][a-z0-9:-]{0,60})")
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
})  # fmt: skip
_QUOTED_TAG = re.compile(r"""<[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")  # a `>` may stand in an attribute
_UNSEEN_TAGS = tuple(f"<{name}" for name in _UNSEEN)


# Archives of XML

_XML_TEXT = re.compile(r"<(?:w|a|m):t(?: [^<>]*)?>([^<]*)</|<(/(?:(?:w|a):p|m:r)|(?:w|a):(?:br|tab|cr)\b)")
_FALLBACK = re.compile(r"<mc:Fallback>|</mc:Fallback>")


def _parts(data: bytes, names: str) -> Iterator[str]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        wanted = [name for name in archive.namelist() if re.fullmatch(names, name)]
        for name in sorted(wanted, key=lambda name: [int(n) for n in re.findall(r"\d+", name)]):
            yield archive.read(name).decode("utf-8", "replace")


def _xml(text: str) -> str:
    """The runs of text of WordprocessingML or DrawingML; what is there again for older readers, once."""
    pieces = _FALLBACK.split(text)
    marks = _FALLBACK.findall(text)
    kept, depth = [pieces[0]], 0
    for mark, piece in zip(marks, pieces[1:], strict=True):
        depth = max(0, depth + (1 if mark == "<mc:Fallback>" else -1))
        if not depth:
            kept.append(piece)
    found = _XML_TEXT.finditer("".join(kept))
    return html.unescape("".join(match[1] if match[1] is not None else "\n" for match in found))


def _docx(data: bytes) -> Texts:
    return {None: "\n".join(map(_xml, _parts(data, r"word/(?:document|footnotes|endnotes)\d*\.xml")))}


def _pptx(data: bytes) -> Texts:
    return {None: "\n".join(map(_xml, _parts(data, r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml")))}


_ITEM = re.compile(r"<si(?: [^<>]*)?>|(?=<si/>)<")
_READING_AID = re.compile(r"<rPh\b.{0,2000}?</rPh>", re.DOTALL)
_RUN = re.compile(r"<t(?: [^<>]*)?>([^<]*)</t>")
_CELL = re.compile(r'<c (?:[^<>]* )?t="(s|inlineStr)"[^<>]*>(?:<v>(\d+)</v>|<is>(.{0,40000}?)</is>)', re.DOTALL)


def _xlsx(data: bytes) -> Texts:
    """The texts of cells. Numbers are left aside: how they are shown is a matter of formats."""
    strings = [
        html.unescape("".join(_RUN.findall(item.partition("</si>")[0])))
        for part in _parts(data, r"xl/sharedStrings\.xml")
        for item in _ITEM.split(_READING_AID.sub("", part))[1:]
    ]
    cells = (match for part in _parts(data, r"xl/worksheets/sheet\d+\.xml") for match in _CELL.finditer(part))
    return {None: "\n".join(_cell_text(cell, strings) for cell in cells)}


def _cell_text(cell: re.Match[str], strings: list[str]) -> str:
    if cell[2]:
        return strings[int(cell[2])] if int(cell[2]) < len(strings) else ""
    return html.unescape("".join(_RUN.findall(cell[3] or "")))


# Mail, notebooks, reStructuredText

_HEADER = re.compile(rb"^([A-Za-z-]+):[ \t]*((?:[^\n]|\n[ \t])*)", re.MULTILINE)


def _mail(data: bytes) -> Texts:
    return {None: "\n".join(_bodies(data.replace(b"\r\n", b"\n"), depth=0))}


def _bodies(part: bytes, *, depth: int) -> Iterator[str]:
    """The texts of a message or of a part; of alternatives, the plain one."""
    head, _, body = part.lstrip(b"\n").partition(b"\n\n")
    fields = {match[1].lower(): match[2].decode("ascii", "replace") for match in _HEADER.finditer(head)}
    kind = fields.get(b"content-type", "text/plain")
    boundary = re.search(r'boundary="?([^";\n]+)', kind, re.IGNORECASE)
    if boundary and depth < 20:
        inner = body.split(b"--" + boundary[1].strip().encode())[1:]
        found = [text for each in inner if not each.startswith(b"--") for text in _bodies(each, depth=depth + 1)]
        yield from found[:1] if "alternative" in kind.lower() else found
        return
    if not kind.lower().startswith("text/") or "attachment" in fields.get(b"content-disposition", ""):
        return
    transfer = fields.get(b"content-transfer-encoding", "").strip().lower()
    if transfer == "quoted-printable":
        body = decodestring(body)
    elif transfer == "base64":
        try:
            body = b64decode(body, validate=False)
        except NotBase64:
            return
    charset = re.search(r'charset="?([\w-]+)', kind, re.IGNORECASE)
    try:
        text = body.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    yield _between_tags(text) if "html" in kind.lower() else text


def _notebook(data: bytes) -> Texts | None:
    """The sources of the cells; what they gave out may have been cut short on purpose."""
    try:
        notebook = json.loads(data)
    except ValueError:  # the parser may have read what is no JSON to others
        return None
    cells = notebook.get("cells") or [cell for sheet in notebook.get("worksheets", ()) for cell in sheet["cells"]]
    sources = (cell.get("source", cell.get("input", "")) for cell in cells)
    return {None: "\n".join(source if isinstance(source, str) else "".join(source) for source in sources)}


_RST_MARKS = re.compile(
    r"^[ \t]*\.\. (?:[\w:+.-]+::|\|[^|\n]+\| [\w-]+::|_[^\n]*:)"  # directives, substitutions, targets
    r"|^[ \t]+:[\w -]+:(?=[ \t\n])|:[\w:+.-]+:(?=`)|<[^<>`\n]*>`",  # options, roles, addresses of links
    re.MULTILINE,
)


def _rst(text: str) -> str:
    return _RST_MARKS.sub(" ", text)


_OF_BYTES: dict[str, Callable[[bytes], Texts | None]] = {
    "application/pdf": _pdf,
    f"{_OPEN_XML}wordprocessingml.document": _docx,
    f"{_OPEN_XML}presentationml.presentation": _pptx,
    f"{_OPEN_XML}spreadsheetml.sheet": _xlsx,
    "message/rfc822": _mail,
    "application/x-ipynb+json": _notebook,
}
_OF_TEXT: dict[str, Callable[[str], str]] = {
    "text/html": _between_tags,
    "application/xhtml+xml": _between_tags,
    "text/x-rst": _rst,
}
