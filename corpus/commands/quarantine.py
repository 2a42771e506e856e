"""`kerf quarantine`: the documents that could not be processed."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from corpus.commands import console
from corpus.commands.console import AnyCorpus, AsJson, CorpusName, out, when
from corpus.errors import ConfigError

app = typer.Typer(help="The documents that could not be processed.", no_args_is_help=True)


@app.command("list")
def list_all(corpus: AnyCorpus = None, as_json: AsJson = False) -> None:
    """List the documents in quarantine with the reason, the evidence and what to do."""
    from corpus.store import Store

    with Store(console.dsn()) as store:
        rows = store.quarantined(corpus)
    if as_json:
        console.print_json({"quarantine": [row | {"stale": row["stale_since"] is not None} for row in rows]})
        return
    for row in rows:
        out.print(f"[bold]{escape(row['corpus'])}: {escape(row['uri'])}[/bold]")
        parser = f", {row['parser']}" if row["parser"] else ""
        out.print(f"   {row['error_class']} ({escape(row['stage'] + parser)}): {escape(row['message'])}")
        if row["hint"]:
            out.print(f"   {escape(row['hint'])}")
        what = row["media_type"] or "of unknown kind"
        tries = f"{row['attempts']} {'try' if row['attempts'] == 1 else 'tries'}"
        waits = "tried again at the next run" if row["retry"] else "tried again when the file or its parser changes"
        since, last = when(row["first_failed_at"]), when(row["last_failed_at"])
        until = f", the last {last}" if last != since else ""
        out.print(
            f"   [dim]{escape(what)}, bytes {row['content_hash'][:12]}; {tries} since {since}{until}; {waits}[/dim]"
        )
        if row["last_good_version_served"]:
            stale = f", stale since {when(row['stale_since'])}" if row["stale_since"] else ""
            out.print(f"   [yellow]its last good version is served{stale}[/yellow]")
    out.print(f"[dim]{len(rows)} {'document' if len(rows) == 1 else 'documents'} in quarantine; times are UTC[/dim]")


@app.command()
def retry(
    corpus: CorpusName,
    uri: Annotated[str | None, typer.Argument(metavar="[ADDRESS]", help="Default: all of the corpus.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try documents again at the next run."""
    from corpus.store import Store

    with Store(console.dsn()) as store:
        changed = {"retry": store.retry(corpus, uri)}
    _report(changed, "will be tried again at the next run", corpus, uri, as_json=as_json)


@app.command()
def forget(
    corpus: CorpusName,
    uri: Annotated[str, typer.Argument(metavar="ADDRESS")],
    as_json: AsJson = False,
) -> None:
    """Drop an entry. A file that is still there is tried again at the next run."""
    from corpus.store import Store

    with Store(console.dsn()) as store:
        changed = {"forget": store.forget(corpus, uri)}
    _report(changed, "forgotten", corpus, uri, as_json=as_json)


def _report(changed: dict[str, int], said: str, corpus: str, uri: str | None, *, as_json: bool) -> None:
    """Say how many entries of the quarantine an operator changed; none is wrong usage."""
    (count,) = changed.values()
    if not count:
        what = f"{uri} of corpus {corpus} is not" if uri else f"nothing of corpus {corpus} is"
        raise ConfigError(f"{what} in quarantine", hint="kerf quarantine list")
    if as_json:
        console.print_json(changed)
    else:
        out.print(f"{count} {said}")
