"""Workbooks that openpyxl refuses although their cells can be read: Strict Open XML, odd styles of other programs."""

from __future__ import annotations

import zipfile
from io import BytesIO

from lxml import etree

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#: namespaces of Strict Open XML → those that openpyxl knows
_STRICT = (
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", _MAIN.encode()),
    (
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)
_BARE = (
    f'<styleSheet xmlns="{_MAIN}">{{formats}}<fonts><font/></fonts>'
    "<fills><fill><patternFill/></fill></fills><borders><border/></borders>"
    "<cellStyleXfs><xf/></cellStyleXfs><cellXfs>{cells}</cellXfs></styleSheet>"
)


def mended(data: bytes) -> bytes:
    """The same workbook in the usual namespaces, with nothing left of its styles but the formats of numbers."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            part = source.read(name)
            if name.endswith((".xml", ".rels")):
                for strict, usual in _STRICT:
                    part = part.replace(strict, usual)
            target.writestr(name, _bare(part) if name == "xl/styles.xml" else part)
    return out.getvalue()


def _bare(styles: bytes) -> bytes:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    tree = etree.fromstring(styles, parser)
    if tree is None:
        return _BARE.format(formats="", cells="<xf/>").encode()
    formats = [node for node in tree.iter(f"{{{_MAIN}}}numFmt") if node.get("numFmtId", "").isdigit()]
    cells = [node for group in tree.iter(f"{{{_MAIN}}}cellXfs") for node in group.iter(f"{{{_MAIN}}}xf")]
    numbers = [node.get("numFmtId", "0") for node in cells]
    return _BARE.format(
        formats=f"<numFmts>{''.join(_format(node) for node in formats)}</numFmts>" if formats else "",
        cells="".join(f'<xf numFmtId="{number if number.isdigit() else 0}"/>' for number in numbers) or "<xf/>",
    ).encode()


def _format(node: etree._Element) -> str:
    made = etree.Element("numFmt", numFmtId=node.get("numFmtId", ""), formatCode=node.get("formatCode", ""))
    return etree.tostring(made, encoding="unicode")
