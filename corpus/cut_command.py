"""`kerf cut`: one file, parsed in the sandbox and cut, as JSON or to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from rich.console import Console
from rich.markup import escape

from chunkers.identity import canonical_uri
from corpus.config import Corpus
from corpus.cutting import CutDocument, cut, default_corpus
from corpus.errors import ConfigError
from corpus.recipes import Recipes

SHOWN = 100  #: characters of a child's text in the readable form


@dataclass(frozen=True, slots=True)
class CutFile:
    """A cut document, with the address that it has."""

    uri: str
    made: CutDocument
    payload: dict[str, Any]


def cut_file(file: Path, *, recipe: str | None, corpus: Corpus | None, home: Path | None) -> CutFile:
    """Parse a file in the sandbox, within the corpus' limits, and cut it.

    The address is the file's place in the corpus' source if it lies there, else its name.
    """
    settings = corpus or default_corpus()
    uri = _address(file, settings, home)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    made = cut(data, uri=uri, recipe=recipe, corpus=settings)
    return CutFile(uri, made, Recipes.of(settings).payload(made.document, uri))


def _address(file: Path, corpus: Corpus, home: Path | None) -> str:
    if home is not None:
        root = (home / corpus.source.path.expanduser()).resolve()
        if file.resolve().is_relative_to(root):
            return canonical_uri(bytes(PurePosixPath(file.resolve().relative_to(root))))
    return canonical_uri(bytes(PurePosixPath(file.name)))


def as_dict(cut: CutFile) -> dict[str, Any]:
    """The form for scripts."""
    document, made = cut.made.document, cut.made
    form = document.to_dict()
    payload = {name: cut.payload[name] for name in ("language", "title", "source_url", "date", "author", "tags")}
    return {
        "document": {"uri": cut.uri, **form, **payload},
        "recipe": {"name": made.route.recipe, "because": made.route.because},
        "parents": [
            {
                "id": str(parent.id),
                "start": parent.start,
                "end": parent.end,
                "section_path": list(parent.section_path),
                "pages": list(parent.pages),
                "text": parent.text,
                "tokens": parent.tokens,
            }
            for parent in made.parents
        ],
        "children": [
            {
                "id": str(child.id),
                "parent_id": str(child.parent_id),
                "start": child.start,
                "end": child.end,
                "section_path": list(child.section_path),
                "pages": list(child.pages),
                "lines": list(child.lines) if child.lines else None,
                "kind": child.kind.value,
                "header": child.header,
                "text": child.text,
                "tokens": child.tokens,
            }
            for child in made.children
        ],
        "warnings": list(made.warnings),
    }


def show(cut: CutFile, console: Console) -> None:
    """The form for people: the document, why it was cut so, and each child under its parent."""
    made = cut.made
    document = made.document
    console.print(
        f"[bold]{escape(cut.uri)}[/bold]  {document.media_type}, language {document.language or 'unknown'}, "
        f"{len(document.text)} characters, {len(document.blocks)} blocks"
        + (f", {document.fidelity:.1%} of the source's words" if document.fidelity is not None else "")
    )
    console.print(f"recipe [bold]{made.route.recipe}[/bold]: {escape(made.route.because)}")
    console.print(f"{len(made.parents)} parents, {len(made.children)} children")
    children = iter(made.children)
    child = next(children, None)
    for parent in made.parents:
        console.print(
            f"\n[bold]{escape(' > '.join(parent.section_path)) or '-'}[/bold]  [dim]{parent.tokens} tokens[/dim]"
        )
        while child is not None and child.parent_id == parent.id:
            place = f"lines {child.lines[0]}-{child.lines[1]}" if child.lines else f"[{child.start}, {child.end})"
            pages = f", page {', '.join(map(str, child.pages))}" if child.pages else ""
            text = " ".join(child.text.split())
            console.print(
                f"  [dim]{child.tokens:4} tokens  {child.kind.value:9}  {place}{pages}[/dim]  "
                f"{escape(text[:SHOWN])}{'…' if len(text) > SHOWN else ''}"
            )
            child = next(children, None)
    for warning in made.warnings:
        console.print(f"[yellow]warning:[/yellow] {escape(warning)}")
