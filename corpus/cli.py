"""`kerf`: the steps of the pipeline without Airflow.

Exit status: 0 done; 1 the run failed; 2 wrong usage or configuration; 3 this document could not be processed.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape
from rich.table import Table

from corpus import config as configuration
from corpus.config import Config
from corpus.errors import ConfigError, DocumentError, KerfError

app = typer.Typer(
    name="kerf",
    help="Keeps a Postgres + pgvector index in step with a corpus of documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
quarantine = typer.Typer(help="The documents that could not be processed.", no_args_is_help=True)
app.add_typer(quarantine, name="quarantine")

#: where nobody sees the width, tables are not squeezed into 80 columns
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 200)
err = Console(stderr=True, highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
CorpusName = Annotated[str, typer.Argument(metavar="CORPUS", help="A corpus of the configuration.")]
AnyCorpus = Annotated[str | None, typer.Argument(metavar="[CORPUS]", help="Default: all.")]


class State:
    """What the options before the command say."""

    config: Path | None = None


@app.callback()
def options(
    config: Annotated[
        Path | None, typer.Option(help="The configuration. Default: KERF_CONFIG, else ./corpora.yaml.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log.")] = False,
) -> None:
    """Name the configuration."""
    State.config = config
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR,
        format="%(message)s",
        handlers=[RichHandler(console=err, show_path=False)],
    )
    logging.getLogger("corpus").setLevel(logging.INFO if verbose else logging.WARNING)


def _config() -> Config:
    return configuration.load(State.config)


def _dsn() -> str:
    """The database, migrated."""
    from corpus import database
    from corpus.migrations import migrate

    dsn = database.dsn()
    migrate(dsn)
    return dsn


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, on a terminal only."""
    if quiet or not err.is_terminal:
        yield lambda _: None
        return
    with err.status("…") as status:
        yield lambda text: status.update(escape(text))


def _print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, default=_jsonable) + "\n")


def _jsonable(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


@app.command()
def cut(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The document.")],
    recipe: Annotated[str | None, typer.Option(help="Cut with this recipe, whatever the router says.")] = None,
    corpus: Annotated[str | None, typer.Option(help="Cut as this corpus would. Default: the default rules.")] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Say how good the cut is.")] = False,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPES", help="Hold recipes side by side: fixed,structure,recursive:size=200:overlap=0."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Parse and cut one document; no database is needed."""
    from corpus import cut_command

    config = _config() if corpus else None
    settings = config.corpus(corpus) if config and corpus else None
    home = config.home if config else None
    if compare is not None:
        if recipe is not None:
            raise ConfigError("--recipe names one recipe, --compare several", hint="leave one of them out")
        found = cut_command.compare_file(file, asked=compare, corpus=settings, home=home)
        if as_json:
            _print_json(found.to_dict())
        else:
            cut_command.show_comparison(found, out)
        return
    made = cut_command.cut_file(file, recipe=recipe, corpus=settings, home=home, stats=stats)
    if as_json:
        _print_json(cut_command.as_dict(made))
    else:
        cut_command.show(made, out)


@app.command()
def plan(
    corpus: CorpusName,
    quick: Annotated[bool, typer.Option("--quick", help="Documents only; nothing is parsed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what a sync would do, changing nothing."""
    from corpus import pipeline

    config = _config()
    config.corpus(corpus)
    with _progress(quiet=as_json):
        found = pipeline.preview(config, _dsn(), corpus, quick=quick)
    if as_json:
        _print_json(found)
        return
    out.print(f"[bold]{corpus}[/bold]: {_counts(found['documents'])}")
    if not quick:
        out.print(f"children: {_counts(found['children'])}")
        out.print(f"to embed: {found['tokens_to_embed']} tokens, price {found['price']:.4f}")


@app.command()
def sync(
    corpus: CorpusName,
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Delete however many documents vanished.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the index in step with the source."""
    from corpus import pipeline

    config = _config()
    config.corpus(corpus)
    with _progress(quiet=as_json) as progress:
        done = pipeline.sync(config, _dsn(), corpus, allow_mass_delete=allow_mass_delete, progress=progress)
    if as_json:
        _print_json(done)
        return
    out.print(f"[bold]{corpus}[/bold]: {_counts(done['documents'])}")
    out.print(f"children: {_counts(done['children'])}")
    out.print(
        f"parsed {done['parsed']}, embedded {done['embedded']}, reused {done['reused']}, "
        f"rows written {done['rows_written']}"
    )
    out.print("seconds: " + ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in done["seconds"].items()))
    if done["documents"].get("quarantined"):
        err.print(f"[yellow]{done['documents']['quarantined']} documents in quarantine:[/yellow] kerf quarantine list")


@app.command()
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

    config = _config()
    config.corpus(corpus)
    found = find(config, _dsn(), corpus, question, principals=principals or [PUBLIC], budget=budget, limit=limit)
    if as_json:
        keys = (
            "child_id", "parent_id", "document_id", "uri", "title", "source_url", "section_path", "pages", "lines",
            "score", "text", "context",
        )  # fmt: skip
        results = [{key: getattr(result, key) for key in keys} for result in found.results]
        _print_json({"results": results, "tokens": found.tokens})
        return
    for number, result in enumerate(found.results, 1):
        place = " > ".join(result.section_path)
        pages = f", page {', '.join(map(str, result.pages))}" if result.pages else ""
        out.print(f"[bold]{number}. {escape(result.uri)}[/bold]{pages}  {result.score:.3f}")
        if place:
            out.print(f"   [dim]{escape(place)}[/dim]")
        out.print(f"   {escape(' '.join(result.text.split())[:300])}")
    out.print(f"[dim]{len(found.results)} results, {found.tokens} tokens of context[/dim]")


@app.command()
def status(corpus: AnyCorpus = None, as_json: AsJson = False) -> None:
    """Show counts, the last run, freshness, quarantine and the active model."""
    from corpus.store import Store

    if corpus:
        _config().corpus(corpus)
    with Store(_dsn()) as store:
        rows = store.status(corpus)
    if as_json:
        _print_json({"corpora": [_status(row) for row in rows]})
        return
    if not rows:
        out.print("nothing has been synced yet: kerf sync CORPUS")
        return
    table = Table("corpus", "documents", "children", "quarantine", "tombstones", "model", "last run", "fresh")
    for row in rows:
        fresh = f"{row['fresh_at']:%Y-%m-%d %H:%M}" if row["fresh_at"] else "never"
        numbers = [str(row[name]) for name in ("documents", "children", "quarantined", "tombstones")]
        table.add_row(row["corpus"], *numbers, row["model"] or "-", f"{row['run_id']} {row['run_state']}", fresh)
    out.print(table)
    for row in rows:
        if row["run_error"]:
            err.print(f"[red]{row['corpus']}: run {row['run_id']}:[/red] {escape(row['run_error'])}")


def _status(row: dict[str, Any]) -> dict[str, Any]:
    run = {name: row[f"run_{name}"] for name in ("id", "state", "error")}
    return {
        **{name: row[name] for name in ("corpus", "documents", "tombstones", "parents", "children", "quarantined")},
        "model": row["model"],
        "last_run": run | {"started_at": row["started_at"], "finished_at": row["finished_at"]}
        if row["run_id"]
        else None,
        "fresh_at": row["fresh_at"],
    }


@quarantine.command("list")
def quarantine_list(corpus: AnyCorpus = None, as_json: AsJson = False) -> None:
    """List the documents in quarantine with the reason and what to do."""
    from corpus.store import Store

    with Store(_dsn()) as store:
        rows = store.quarantined(corpus)
    if as_json:
        _print_json({"quarantine": rows})
        return
    for row in rows:
        served = "; its last good version is served" if row["last_good_version_served"] else ""
        out.print(f"[bold]{escape(row['corpus'])}: {escape(row['uri'])}[/bold]")
        out.print(f"   {row['error_class']} ({row['stage']}): {escape(row['message'])}")
        if row["hint"]:
            out.print(f"   {escape(row['hint'])}")
        tries = f"{row['attempts']} {'try' if row['attempts'] == 1 else 'tries'}"
        waits = "tried again at the next run" if row["retry"] else "tried again when the file or its parser changes"
        out.print(f"   [dim]since {row['first_failed_at']:%Y-%m-%d %H:%M}, {tries}, {waits}{served}[/dim]")
    out.print(f"[dim]{len(rows)} documents in quarantine[/dim]")


@quarantine.command("retry")
def quarantine_retry(
    corpus: CorpusName,
    uri: Annotated[str | None, typer.Argument(metavar="[ADDRESS]", help="Default: all of the corpus.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try documents again at the next run."""
    from corpus.store import Store

    with Store(_dsn()) as store:
        _report(
            {"retry": store.retry(corpus, uri)}, "will be tried again at the next run", corpus, uri, as_json=as_json
        )


@quarantine.command("forget")
def quarantine_forget(
    corpus: CorpusName,
    uri: Annotated[str, typer.Argument(metavar="ADDRESS")],
    as_json: AsJson = False,
) -> None:
    """Drop an entry. A file that is still there is tried again at the next run."""
    from corpus.store import Store

    with Store(_dsn()) as store:
        _report({"forget": store.forget(corpus, uri)}, "forgotten", corpus, uri, as_json=as_json)


def _report(changed: dict[str, int], said: str, corpus: str, uri: str | None, *, as_json: bool) -> None:
    """Say how many entries of the quarantine an operator changed; none is wrong usage."""
    (count,) = changed.values()
    if not count:
        what = f"{uri} of corpus {corpus} is not" if uri else f"nothing of corpus {corpus} is"
        raise ConfigError(f"{what} in quarantine", hint="kerf quarantine list")
    if as_json:
        _print_json(changed)
    else:
        out.print(f"{count} {said}")


def _counts(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def main() -> None:
    """Run the command line; errors become one readable line and an exit status."""
    try:
        app()
    except KerfError as error:
        err.print(f"[red]{type(error).__name__}[/red]: {escape(str(error))}", soft_wrap=True)
        status = 2 if isinstance(error, ConfigError) else 3 if isinstance(error, DocumentError) else 1
        raise SystemExit(status) from None
