"""`kerf plan`: what a sync would do to a corpus, or to one document of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from corpus.commands import console
from corpus.commands.console import AsJson, CorpusName, lasted, money, out, some
from corpus.errors import ConfigError

_Child = dict[str, Any]
_SHOWN = 300  #: characters of a child's text
_WORDS = {
    "content": "new or other bytes",
    "moved": "moved",
    "restored": "restored",
    "parse": "another parser",
    "cut": "another cut",
    "embed": "another model",
    "metadata": "metadata only",
    "permissions": "permissions only",
    "forced": "asked for",
}


def plan(
    corpus: CorpusName,
    quick: Annotated[bool, typer.Option("--quick", help="Documents only; nothing is parsed.")] = False,
    document: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="One document: its children as they are and as they would be.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a sync would do, changing nothing."""
    if quick and document:
        raise ConfigError("--quick parses nothing, --document does", hint="leave one of them out")
    found = preview(corpus, as_json=as_json, quick=quick, document=document)
    if as_json:
        console.print_json(found)
    elif document:
        show_document(corpus, found)
    else:
        show(corpus, found)


def preview(corpus: str, *, as_json: bool, **options: Any) -> dict[str, Any]:
    """Plan, and say on a terminal how far it is."""
    from corpus import pipeline

    config = console.config()
    config.corpus(corpus)
    with console.progress(quiet=as_json) as progress:
        return pipeline.preview(config, console.dsn(), corpus, progress=progress, **options)


def show(corpus: str, found: dict[str, Any]) -> None:
    """The form for people."""
    out.print(f"[bold]{corpus}[/bold]: {some(found['documents'])}")
    because = {_WORDS[name]: count for name, count in found["changes"].items()}
    if any(because.values()):
        out.print(f"because: {some(because)}")
    if vanished := found["vanished"]:
        shown = ", ".join(vanished[:5]) + (f" and {len(vanished) - 5:,} more" if len(vanished) > 5 else "")
        out.print(f"gone: {escape(shown)}")
    if "children" not in found:
        return
    out.print(f"children: {some(found['children'])}")
    out.print(
        f"to embed: {found['texts_to_embed']:,} texts, {found['tokens_to_embed']:,} tokens, "
        f"price {money(found['price'])}; reused {found['tokens_reused']:,} tokens"
    )
    took = found["seconds"]
    stages = ", ".join(f"{name} {lasted(seconds)}" for name, seconds in (took or {}).items() if name != "total")
    out.print(f"time: about {lasted(took['total'])} ({stages})" if took else "time: no history yet")
    if found["asks"]:
        out.print(f"[yellow]it would ask first:[/yellow] {escape(found['asks'])}")


def show_document(corpus: str, found: dict[str, Any]) -> None:
    """One document for people: its children as they are on the left, as they would be on the right."""
    document, children = found["document"], found["children"]
    stage = f", {document['stage']} first" if document["action"] == "due" else ""
    out.print(f"[bold]{escape(document['uri'])}[/bold] of {corpus}: {document['action']}{stage}")
    out.print(escape(document["because"]))
    counted = {"kept": len(children["keep"]), "new": len(children["insert"]), "gone": len(children["delete"])}
    out.print(f"children: {some(counted)}")
    if any(children.values()):
        table = Table(box=box.HORIZONTALS, show_lines=True, expand=True)
        for name in ("stored", "wanted"):
            table.add_column(name, ratio=1, overflow="fold")
        for old, new in _side_by_side(children):
            kept = old is not None and new is not None and old["id"] == new["id"]
            table.add_row(_cell(old, "old", "dim" if kept else "red"), _cell(new, "new", "dim" if kept else "green"))
        out.print(table)


def _side_by_side(children: dict[str, list[_Child]]) -> Iterator[tuple[_Child | None, _Child | None]]:
    """The kept children in their new order; between them, what goes beside what comes."""
    gone = sorted(children["delete"], key=lambda child: _start(child, "old"))
    come = sorted(children["insert"], key=lambda child: _start(child, "new"))
    for kept in [*children["keep"], None]:
        going = [child for child in gone if kept is None or _start(child, "old") < _start(kept, "old")]
        coming = [child for child in come if kept is None or _start(child, "new") < _start(kept, "new")]
        yield from zip_longest(going, coming)
        gone, come = gone[len(going) :], come[len(coming) :]
        if kept is not None:
            yield kept, kept


def _start(child: _Child, side: str) -> int:
    start: int = child["place"][side]["start"]
    return start


def _cell(child: _Child | None, side: str, style: str) -> Text:
    if child is None:
        return Text("")
    place = child["place"][side]
    at = f"lines {place['lines'][0]}-{place['lines'][1]}" if place["lines"] else f"[{place['start']}, {place['end']})"
    head = f"{' > '.join(child['section_path']) or '-'}  {at}, {child['tokens']} tokens"
    words = " ".join(child["text"].split())
    return Text.assemble((head, f"bold {style}"), "\n", (words[:_SHOWN] + ("…" if len(words) > _SHOWN else ""), style))
