"""HTML: a page's own content as Markdown-like text, its furniture left out."""

from __future__ import annotations

import html
import re
from typing import ClassVar

from chunkers.document import Document, Kind
from corpus.errors import ParseError
from corpus.parsers import decode
from corpus.parsers.base import Parsed, Settings
from corpus.parsers.html.folds import unfold
from corpus.parsers.html.main import main_part
from corpus.parsers.html.mend import mend
from corpus.parsers.html.meta import read_head
from corpus.parsers.html.tables import grid
from corpus.parsers.html.tree import VOID, Node, parse_tree
from corpus.parsers.html.words import words
from corpus.parsers.html.write import Walk

_CHARSET = re.compile(
    rb"""<meta\b[^<>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]+)"""
    rb"""|<\?xml\b[^<>]{0,100}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARATION = re.compile(r"\A\s*<\?xml\b[^<>]{0,500}\?>")
_DOCTYPE = re.compile(r"\A\s*<!DOCTYPE[^\[<>]{0,500}\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)
_EMPTY = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)/>")
_LITERAL = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_XHTML = "application/xhtml+xml"


class HtmlParser:
    """Reads pages: headings, paragraphs, lists, tables with merged cells, code as it stands."""

    name: ClassVar[str] = "html"
    version: ClassVar[int] = 3
    reads: ClassVar[frozenset[str]] = frozenset()

    def parse(self, data: bytes, media_type: str, settings: Settings) -> Parsed:  # noqa: ARG002 - it reads none
        """Parse; raises `ParseError` for bytes that are no text, and for a page whose text lies elsewhere."""
        found = _CHARSET.search(data[:4096])
        declared = (found[1] or found[2]).decode("ascii", "replace") if found else None
        decoded = decode.decode(data, declared)
        root, replaced = parse_tree(_as_html(decoded.text, media_type))
        head = read_head(root)
        elsewhere = _elsewhere(root)
        mend(root)
        unfold(root)
        main, left_out = main_part(root)
        text = Walk(root.size).run(main)
        blocks = text.finished()
        if not blocks and elsewhere:
            raise elsewhere
        heading = next((block.section_path[-1] for block in blocks if block.kind is Kind.HEADING), None)
        document = Document(
            text=str(text),
            blocks=blocks,
            media_type=media_type,
            text_is_source=False,
            language=head.language,
            title=head.title or heading,
            source_url=head.source_url,
            date=head.date,
            author=head.author,
            description=head.description,
            tags=head.tags,
            encoding=decoded.encoding,
            replaced=decoded.replaced + replaced,
        )
        return Parsed(document, left_out=left_out)


def rows_of(source: str) -> tuple[tuple[str, ...], ...]:
    """The rows of the first table in a piece of HTML, a merged cell in its first place."""
    root, _ = parse_tree(source)
    mend(root)
    return next((grid(node) for node in root.walk() if node.tag == "table"), ())


def _as_html(source: str, media_type: str) -> str:
    """The source without what only XML has. Entities that a document declares itself are never expanded."""
    declared = _DECLARATION.match(source)
    source = _DOCTYPE.sub("", source[declared.end() :] if declared else source, count=1)
    if not declared and media_type != _XHTML:
        return source
    literal = (
        _LITERAL.sub(lambda found: html.escape(found[1], quote=False), source) if "<![CDATA[" in source else source
    )
    return _EMPTY.sub(_opened_and_closed, literal)


def _opened_and_closed(found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name.rpartition(":")[2].lower() in VOID else f"<{name}{found[2]}></{name}>"


def _elsewhere(root: Node) -> ParseError | None:
    """Where the text is if the page shows none by itself."""
    nodes = list(root.walk())
    frames = [node.get("src") for node in nodes if node.tag in ("frame", "iframe") and node.get("src")]
    if any(node.tag == "frameset" for node in nodes) or (frames and not any(node.tag == "script" for node in nodes)):
        named = ", ".join(frames[:5]) or "none is named"
        return ParseError(
            f"the page is only a frame around other pages ({named[:300]})",
            hint="index those pages, and exclude this one",
        )
    if any(node.tag == "script" for node in nodes):
        said = next((words(node) for node in nodes if node.tag == "noscript" and words(node)), "")
        return ParseError(
            "the page holds no text: scripts would build it in a browser"
            + (f" (it says: {said[:200]!r})" if said else ""),
            hint="save it as a browser shows it, or take the content from where the scripts take it",
        )
    return None
