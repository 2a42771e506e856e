"""Word and PowerPoint files in raw XML, as Word, LibreOffice, Google Docs and pandoc write them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

_URI = "http://schemas.openxmlformats.org/"
SPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": f"{_URI}wordprocessingml/2006/main",
        "r": f"{_URI}officeDocument/2006/relationships",
        "wp": f"{_URI}drawingml/2006/wordprocessingDrawing",
        "a": f"{_URI}drawingml/2006/main",
        "pic": f"{_URI}drawingml/2006/picture",
        "c": f"{_URI}drawingml/2006/chart",
        "dgm": f"{_URI}drawingml/2006/diagram",
        "m": f"{_URI}officeDocument/2006/math",
        "mc": f"{_URI}markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
RELATION = f"{_URI}officeDocument/2006/relationships/"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."

Part = tuple[str, str, str]  #: kind of relation, content type, content; the relations are rId10, rId11, …


def word_file(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    main: str = f"{WORD}document.main+xml",
    parts: Mapping[str, Part] = {},
) -> bytes:
    """A DOCX with this body; `parts` by their names below `word/`."""
    types = [
        ("document.xml", main),
        ("styles.xml", f"{WORD}styles+xml"),
        ("numbering.xml", f"{WORD}numbering+xml"),
        *((name, kind) for name, (_, kind, _) in parts.items()),
    ]
    overrides = "".join(f'<Override PartName="/word/{name}" ContentType="{kind}"/>' for name, kind in types)
    relations = [("rId1", "styles", "styles.xml"), ("rId2", "numbering", "numbering.xml")]
    relations += [(f"rId{number}", relation, name) for number, (name, (relation, _, _)) in enumerate(parts.items(), 10)]
    listed = "".join(f'<Relationship Id="{i}" Type="{RELATION}{kind}" Target="{name}"/>' for i, kind, name in relations)
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATION}officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{listed}</Relationships>',
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}<w:sectPr/></w:body></w:document>",
        "word/styles.xml": f"<w:styles {SPACES}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {SPACES}>{numbering}</w:numbering>",
        **{f"word/{name}": content for name, (_, _, content) in parts.items()},
    }
    return archive(files)


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return out.getvalue()


def changed(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """An archive with each part changed, or gone if it becomes None."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        parts = {name: change(name, source.read(name)) for name in source.namelist()}
    return archive({name: part for name, part in parts.items() if part is not None})


def run(text: str, properties: str = "") -> str:
    """A `w:r`."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, style: str = "", properties: str = "", inner: str = "") -> str:
    """A `w:p` with one run, and `inner` behind it."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run(text) if text else ''}{inner}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A `w:tbl`; cells are texts, or markup."""
    cells = (
        "".join(f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in row) for row in rows
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def style(identifier: str, name: str, based_on: str = "", properties: str = "") -> str:
    """A paragraph style."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{identifier}"><w:name w:val="{name}"/>{base}'
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


def field(code: str, shown: str) -> str:
    """The runs of a complex field."""
    return f"{field_begin(code)}{shown}<w:r><w:fldChar w:fldCharType='end'/></w:r>"


def field_begin(code: str) -> str:
    """The runs of a complex field up to what it shows."""
    return (
        f"<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> {code} </w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r>"
    )


def text_box(inner: str) -> str:
    """A text box, stored twice as Word does."""
    return (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="1" name="Box"/>'
        f"<wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></wp:inline></w:drawing></mc:Choice><mc:Fallback>"
        f"<w:pict><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )


def picture(description: str) -> str:
    """A run with a picture."""
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="3" name="Picture" descr="{description}"/><a:graphic><a:graphicData '
        'uri="p"><pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
    )


def notes(kind: str, *texts: str) -> Part:
    """A part of footnotes or endnotes with the ids 2, 3, …"""
    inner = "".join(f'<w:{kind} w:id="{at}">{paragraph(text)}</w:{kind}>' for at, text in enumerate(texts, 2))
    separator = f'<w:{kind} w:type="separator" w:id="0"><w:p/></w:{kind}>'
    return f"{kind}s", f"{WORD}{kind}s+xml", f"<w:{kind}s {SPACES}>{separator}{inner}</w:{kind}s>"
