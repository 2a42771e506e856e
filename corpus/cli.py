"""`kerf`: the steps of the pipeline without Airflow.

Exit status: 0 done; 1 the run failed; 2 wrong usage or configuration; 3 this document could not be processed.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer
from rich.logging import RichHandler
from rich.markup import escape

from corpus.commands import cut, plan, quarantine, runs, search, status, sync
from corpus.commands.console import State, err
from corpus.errors import ConfigError, DocumentError, KerfError

app = typer.Typer(
    name="kerf",
    help="Keeps a Postgres + pgvector index in step with a corpus of documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    cut.cut,
    plan.plan,
    sync.sync,
    sync.backfill,
    sync.reprocess,
    search.search,
    status.status,
    status.history,
):
    app.command()(command)
app.add_typer(runs.app, name="runs")
app.add_typer(quarantine.app, name="quarantine")


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


def main() -> None:
    """Run the command line; errors become one readable line and an exit status."""
    try:
        app()
    except KerfError as error:
        err.print(f"[red]{type(error).__name__}[/red]: {escape(str(error))}", soft_wrap=True)
        status = 2 if isinstance(error, ConfigError) else 3 if isinstance(error, DocumentError) else 1
        raise SystemExit(status) from None
