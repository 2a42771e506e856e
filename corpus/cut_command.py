"""`kerf cut`: one file, parsed in the sandbox and cut: as JSON or to be looked at, with figures, by several recipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from chunkers import assembly, base
from chunkers.base import Looking
from chunkers.chunk import Context, Cut
from chunkers.document import Document
from chunkers.identity import canonical_uri, document_id
from chunkers.quality import Quality, assess
from chunkers.quality_edits import Locality, Remembered, edit_locality
from chunkers.tokens import Cached
from corpus import fitting
from corpus.config import Corpus, RecipeRule
from corpus.cutting import CutDocument, cut, cut_document, default_corpus
from corpus.errors import ConfigError
from corpus.faults import in_words
from corpus.fitting import Asked
from corpus.recipes import Recipes

SHOWN = 100  #: characters of a child's text in the readable form
EDITED = 200_000  #: characters; a longer document is not cut twenty times more to see what an edit costs


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of a cut; `notes` says what was not measured, and why."""

    quality: Quality
    locality: Locality | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The form for scripts; the units are those of `chunkers.quality` and `chunkers.quality_edits`."""
        locality = self.locality.to_dict() if self.locality else None
        return {**self.quality.to_dict(), "edit_locality": locality, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class CutFile:
    """A cut document, with the address that it has."""

    uri: str
    made: CutDocument
    payload: dict[str, Any]
    warnings: tuple[str, ...]  #: of the document, of the cut and of the corpus' settings
    stats: Stats | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """What one recipe makes of the document of a comparison."""

    name: str  #: the recipe with its settings, as it was asked for
    settings: dict[str, Any]  #: all of the recipe's, as they hold for the document
    stats: Stats
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One document, parsed once and cut by several recipes with one ruler."""

    uri: str
    document: Document
    columns: tuple[Column, ...]

    def to_dict(self) -> dict[str, Any]:
        """The form for scripts."""
        document = self.document
        return {
            "document": {
                "uri": self.uri,
                "media_type": document.media_type,
                "language": document.language,
                "characters": len(document.text),
                "blocks": len(document.blocks),
            },
            "recipes": [
                {
                    "name": column.name,
                    "settings": column.settings,
                    "stats": column.stats.to_dict(),
                    "warnings": list(column.warnings),
                }
                for column in self.columns
            ],
        }


def cut_file(
    file: Path, *, recipe: str | None, corpus: Corpus | None, home: Path | None, stats: bool = False
) -> CutFile:
    """Parse a file in the sandbox, within the corpus' limits, and cut it; with `stats`, give the figures of the cut.

    The address is the file's place in the corpus' source if it lies there, else its name.
    """
    settings = corpus or default_corpus()
    uri = _address(file, settings, home)
    made = cut(_read(file), uri=uri, recipe=recipe, corpus=settings)
    recipes = Recipes.of(settings)
    payload, warnings = recipes.payload(made.document, uri), (*made.warnings, *recipes.warnings_for(uri))
    return CutFile(uri, made, payload, warnings, _stats(made, uri, settings) if stats else None)


def compare_file(file: Path, *, asked: str, corpus: Corpus | None, home: Path | None) -> Comparison:
    """Cut one file by each of the recipes in `asked`: `fixed,recursive:size=200:overlap=0`.

    Raises `ConfigError`, before anything is parsed, for a recipe or a setting that does not exist.
    """
    settings = corpus or default_corpus()
    uri = _address(file, settings, home)
    Recipes.of(settings).check()
    choices = [_choice(text.strip(), settings) for text in asked.split(",")]
    document: Document | None = None
    columns = []
    for named, chosen in choices:
        recipe = named.recipe
        if document is None:
            made = cut(_read(file), uri=uri, recipe=recipe, corpus=chosen)
            document = made.document
        else:
            made = cut_document(document, uri=uri, recipe=recipe, corpus=chosen)
        recipes = Recipes.of(chosen)
        chunker: Any = recipes.chunker(recipe, uri)
        warnings = (*made.warnings, *fitting.doubts(chosen, recipes.ruler, [named]))
        columns.append(Column(named.place, asdict(chunker), _stats(made, uri, chosen), warnings))
    assert document is not None, "a text that is split has at least one part"
    return Comparison(uri, document, tuple(columns))


def _choice(text: str, corpus: Corpus) -> tuple[Asked, Corpus]:
    """The recipe that the text names, and the corpus with the settings that it gives."""
    recipe, *pairs = text.split(":")
    base.build(recipe)
    if not pairs:
        return Asked(text, recipe, None), corpus
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"{text!r}: {pair!r} is not a setting", hint="write recipe:name=value:name=value")
        given[key] = value
    try:
        rule = RecipeRule(glob="**", recipe=recipe, settings=given)
    except ValidationError as error:
        raise ConfigError(f"{text!r}: {'; '.join(in_words(error))}") from error
    named, chosen = Asked(text, recipe, rule), corpus.model_copy(update={"recipes": [rule, *corpus.recipes]})
    fitting.check_one(chosen, Recipes.of(chosen).ruler, named)
    return named, chosen


def _stats(made: CutDocument, uri: str, corpus: Corpus) -> Stats:
    recipes, document = Recipes.of(corpus), made.document
    ruler = Cached(recipes.ruler)
    quality = assess([(document, Cut(made.parents, made.children))], ruler)
    if len(document.text) > EDITED:
        said = f"edit locality was not measured: the document has more than {EDITED} characters"
        return Stats(quality, None, (said,))
    chunker = recipes.chunker(made.route.recipe, uri)
    embedder = Remembered(recipes.embedder) if isinstance(chunker, Looking) else None
    identity, headers = document_id(corpus.name, uri), corpus.cutting.headers
    locality = edit_locality(
        document, lambda edited: assembly.cut(identity, edited, chunker, ruler, headers=headers, embedder=embedder)
    )
    return Stats(quality, locality, () if locality else ("edit locality: there is no prose to put a sentence into",))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error


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
                "context": _context(child.context),
            }
            for child in made.children
        ],
        "warnings": list(cut.warnings),
        **({"stats": cut.stats.to_dict()} if cut.stats else {}),
    }


def _context(context: Context | None) -> dict[str, Any] | None:
    """What the model reads for a child instead of its header and text, with late chunking."""
    if context is None:
        return None
    return {"start": context.start, "end": context.end, "header": context.header, "tokens": context.tokens}


def show(cut: CutFile, console: Console) -> None:
    """The form for people: the document, why it was cut so, and each child under its parent."""
    made = cut.made
    console.print(_introduced(cut.uri, made.document))
    console.print(f"recipe [bold]{made.route.recipe}[/bold]: {escape(made.route.because)}")
    contexts = len({child.context.id for child in made.children if child.context})
    together = f", read in {contexts} contexts" if contexts else ""
    console.print(f"{len(made.parents)} parents, {len(made.children)} children{together}")
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
    _warn(cut.warnings, console)
    if cut.stats:
        console.print()
        _tabulate([("", cut.stats)], console)


def show_comparison(found: Comparison, console: Console) -> None:
    """The form for people: the document, a column for each recipe."""
    console.print(_introduced(found.uri, found.document))
    _tabulate([(column.name, column.stats) for column in found.columns], console)
    for column in found.columns:
        said = (text.removeprefix(f"{column.name}: ") for text in column.warnings)
        _warn([f"{column.name}: {text}" for text in said], console)


def _introduced(uri: str, document: Document) -> str:
    return (
        f"[bold]{escape(uri)}[/bold]  {document.media_type}, language {document.language or 'unknown'}, "
        f"{len(document.text)} characters, {len(document.blocks)} blocks"
        + (f", {document.fidelity:.1%} of the source's words" if document.fidelity is not None else "")
    )


def _warn(warnings: Sequence[str], console: Console) -> None:
    for warning in warnings:
        console.print(f"[yellow]warning:[/yellow] {escape(warning)}")


def _tabulate(columns: Sequence[tuple[str, Stats]], console: Console) -> None:
    table = Table("", show_header=any(name for name, _ in columns))
    for name, _ in columns:
        table.add_column(escape(name), justify="right", overflow="fold")
    for rows in zip(*(_rows(stats) for _, stats in columns), strict=True):
        table.add_row(rows[0][0], *(figure for _, figure in rows))
    console.print(table)
    for note in dict.fromkeys(note for _, stats in columns for note in stats.notes):
        console.print(f"[dim]{escape(note)}[/dim]")


def _rows(stats: Stats) -> Iterator[tuple[str, str]]:
    """What each figure is, and the figure; `-` for what there is not."""
    quality, locality = stats.quality, stats.locality
    yield "children", str(quality.children)
    for name, lengths in (("tokens", quality.tokens), ("characters", quality.characters)):
        yield f"{name} of a text: mean", f"{lengths.mean:.1f}" if lengths else "-"
        yield "  min … max", f"{lengths.minimum} … {lengths.maximum}" if lengths else "-"
        yield "  p5 … median … p95", f"{lengths.p5} … {lengths.median} … {lengths.p95}" if lengths else "-"
    yield "end in mid-sentence", f"{quality.mid_sentence:.1%}"
    yield "coverage", f"{quality.coverage:.1%}"
    yield "in more than one child", f"{quality.overlap:.1%}"
    yield "tokens of all texts", str(quality.text_tokens)
    yield "  to embed, with headers", str(quality.index_tokens)
    yield "parents", str(quality.parents)
    yield "  tokens: mean", "-" if quality.parent_tokens is None else f"{quality.parent_tokens:.1f}"
    yield "  characters: mean", "-" if quality.parent_characters is None else f"{quality.parent_characters:.1f}"
    yield "new children an edit: mean", f"{locality.mean:.1f}" if locality else "-"
    yield "  p95", str(locality.p95) if locality else "-"
    yield "  tokens to embed: mean", f"{locality.tokens:.1f}" if locality else "-"
