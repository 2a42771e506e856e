"""`kerf search`: the sections that answer a question."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from corpus.commands import console
from corpus.commands.console import AsJson, CorpusName, out


def search(
    corpus: CorpusName,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    principals: Annotated[
        list[str] | None, typer.Option("--as", metavar="PRINCIPAL", help="Ask as; may be repeated. Default: public.")
    ] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens of all contexts together.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Results.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find the sections that answer a question."""
    from corpus.recipes import PUBLIC
    from corpus.search import search as find

    config = console.config()
    config.corpus(corpus)
    found = find(config, console.dsn(), corpus, question, principals=principals or [PUBLIC], budget=budget, limit=limit)
    if as_json:
        keys = (
            "child_id", "parent_id", "document_id", "uri", "title", "source_url", "section_path", "pages", "lines",
            "score", "text", "context", "stale",
        )  # fmt: skip
        results = [{key: getattr(result, key) for key in keys} for result in found.results]
        console.print_json({"results": results, "tokens": found.tokens})
        return
    for number, result in enumerate(found.results, 1):
        place = " > ".join(result.section_path)
        pages = f", page {', '.join(map(str, result.pages))}" if result.pages else ""
        stale = "  [yellow]stale: newer bytes are in quarantine[/yellow]" if result.stale else ""
        out.print(f"[bold]{number}. {escape(result.uri)}[/bold]{pages}  {result.score:.3f}{stale}")
        if place:
            out.print(f"   [dim]{escape(place)}[/dim]")
        out.print(f"   {escape(' '.join(result.text.split())[:300])}")
    out.print(f"[dim]{len(found.results)} results, {found.tokens} tokens of context[/dim]")
