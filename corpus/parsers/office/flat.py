"""Takes out of a Word file what its reader does not see, and off what only wraps text."""

from __future__ import annotations

from typing import Any

from docx.oxml.ns import qn

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SPACES = (qn("w:tab"), qn("w:br"), qn("a:br"))
_TEXTS = (
    *_SPACES,
    qn("w:t"),
    qn("a:t"),
    qn("w:delText"),
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}t",
)
#: Wrappers whose content is text like any other, which python-docx and unstructured pass over: content controls,
#: insertions that nobody has accepted yet, smart tags, fields.
_WRAPPERS = tuple(qn(f"w:{name}") for name in ("ins", "moveTo", "smartTag", "customXml", "fldSimple", "dir", "bdo"))
_CONTROL, _CONTROL_CONTENT = qn("w:sdt"), qn("w:sdtContent")
#: Not seen by a reader: deletions, and the copy of a text box that is there for old programs.
_HIDDEN = (*(qn(f"w:{name}") for name in ("del", "moveFrom")), f"{_MC}Fallback")
_PROPERTIES = frozenset({qn("w:rPr"), qn("w:trPr"), qn("w:tcPr"), qn("w:pPr")})
_OFF = frozenset({"0", "false", "off", "none"})


def flatten(body: Any) -> list[str]:
    """Change a body in place; says what texts went: deletions, hidden text, tables of contents, second copies."""
    gone = [*_contents_controls(body), *_contents_fields(body)]
    gone += [_remove(element) for element in list(body.iter(*_HIDDEN))]
    gone += [_remove(run) for run in list(body.iter(qn("w:r"))) if _is_hidden(run)]
    for element in list(body.iter(_CONTROL)):
        content = element.find(_CONTROL_CONTENT)
        _unwrap(element, [] if content is None else list(content))
    for element in list(body.iter(*_WRAPPERS)):
        if element.getparent() is not None and element.getparent().tag not in _PROPERTIES:
            _unwrap(element, list(element))
    return [text for text in gone if text]


def texts(element: Any) -> str:
    """All text in an element, one paragraph after the other."""
    return " ".join("".join(" " if one.tag in _SPACES else one.text or "" for one in element.iter(*_TEXTS)).split())


def lines(root: Any) -> str:
    """All text of a part; words of different paragraphs stay apart."""
    return " ".join(filter(None, (texts(paragraph) for paragraph in root.iter(qn("w:p"), qn("a:p")))))


def _contents_controls(body: Any) -> list[str]:
    """Tables of contents as Word, pandoc and Google Docs insert them."""
    found = [
        control
        for control in body.iter(_CONTROL)
        for gallery in control.iterfind(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
        if gallery.get(qn("w:val")) == "Table of Contents"
    ]
    return [_remove(control) for control in found]


def _contents_fields(body: Any) -> list[str]:
    """What the fields of tables of contents show: the headings once more, with page numbers."""
    gone: list[Any] = []
    shown: list[Any] = []  # by the field that is open; a field without an end shows nothing
    codes: list[str] = []  # of the open fields, outermost first
    contents = 0  # open fields that are tables of contents
    for element in body.iter(qn("w:r"), qn("w:fldChar"), qn("w:instrText"), qn("w:fldSimple")):
        if element.tag == qn("w:fldSimple"):
            if _is_contents(element.get(qn("w:instr"), "")):
                gone.append(element)
        elif element.tag == qn("w:instrText"):
            if codes and not _is_contents(codes[-1]):
                codes[-1] += element.text or ""
                contents += _is_contents(codes[-1])
        elif element.tag == qn("w:r"):
            if contents and element.find(qn("w:t")) is not None:
                shown.append(element)
        elif element.get(qn("w:fldCharType")) == "begin":
            codes.append("")
        elif element.get(qn("w:fldCharType")) == "end" and codes:
            contents -= _is_contents(codes.pop())
            if not contents:
                gone += shown
                shown.clear()
    return [_remove(element) for element in gone]


def _is_contents(code: str) -> bool:
    return code.split()[:1] == ["TOC"]


def _is_hidden(run: Any) -> bool:
    mark = run.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
    return mark is not None and mark.get(qn("w:val"), "1") not in _OFF


def _remove(element: Any) -> str:
    said = lines(element) or texts(element)
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
    return said


def _unwrap(element: Any, children: list[Any]) -> None:
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    parent.remove(element)
    for offset, child in enumerate(children):
        parent.insert(at + offset, child)
