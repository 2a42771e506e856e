"""`kerf sync`, `kerf backfill` and `kerf reprocess`: the three kinds of runs, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from rich.markup import escape

from corpus.commands import console
from corpus.commands.console import AsJson, CorpusName, err, lasted, megabytes, money, out, some
from corpus.errors import ConfigError, NeedsApproval

if TYPE_CHECKING:
    from corpus.records import Reprocess

_Stage = Literal["parse", "cut", "embed"]
Yes = Annotated[bool, typer.Option("--yes", help="Spend what it takes, without being asked.")]
_MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]


def sync(
    corpus: CorpusName,
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Delete however many documents vanished.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Bring the index in step with the source."""
    _run(corpus, yes=yes, as_json=as_json, allow_mass_delete=allow_mass_delete)


def backfill(
    corpus: CorpusName,
    start: Annotated[datetime, typer.Option("--from", formats=_MOMENTS, help="The first moment, UTC.")],
    end: Annotated[datetime, typer.Option("--to", formats=_MOMENTS, help="The first moment after, UTC.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Verify the documents that the source says were modified from --from to --to; nothing is deleted."""
    if start >= end:
        raise ConfigError(
            f"--from {start} is not before --to {end}", hint="--to is the first moment after the interval"
        )
    _run(corpus, yes=yes, as_json=as_json, window=(start.replace(tzinfo=UTC), end.replace(tzinfo=UTC)))


def reprocess(
    corpus: CorpusName,
    glob: Annotated[str, typer.Option(help="The documents, by address; ** crosses folders.")],
    stage: Annotated[str, typer.Option("--from", metavar="parse|cut|embed", help="The first stage to do again.")],
    reason: Annotated[str, typer.Option(help="Why: the ledger keeps it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it, and spend what it takes.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan only: the default.")] = False,
    as_json: AsJson = False,
) -> None:
    """Do documents again from a stage on, though nothing says that they have changed. Shows the plan without --yes."""
    from corpus.commands.plan import preview, show

    if yes and dry_run:
        raise ConfigError("--yes does it and --dry-run does not", hint="leave one of them out")
    asked = _asked(glob, stage, reason)
    if yes:
        _run(corpus, yes=True, as_json=as_json, reprocess=asked)
        return
    found = preview(corpus, as_json=as_json, reprocess=asked)
    if not any(found["documents"].values()):
        raise ConfigError(f"no document of {corpus} matches {glob}", hint="** crosses folders, * does not")
    if as_json:
        console.print_json(found)
        return
    show(corpus, found)
    out.print("[dim]nothing was done: --yes does it[/dim]")


def _asked(glob: str, stage: str, reason: str) -> Reprocess:
    from corpus.records import Reprocess

    if not reason.strip():
        raise ConfigError("--reason is empty", hint="say why, so that the next one who looks at the ledger knows")
    if not glob:
        raise ConfigError("--glob is empty", hint="** is every document")
    for known in get_args(_Stage):
        if stage == known:
            return Reprocess(glob, known, reason)
    raise ConfigError(f"--from {stage} is no stage", hint="parse reads the files again; cut and embed do not")


def _run(corpus: str, *, yes: bool, as_json: bool, **options: Any) -> None:
    from corpus import pipeline

    config = console.config()
    config.corpus(corpus)
    dsn = console.dsn()

    def run(approved: bool) -> dict[str, Any]:
        with console.progress(quiet=as_json) as progress:
            return pipeline.sync(config, dsn, corpus, yes=approved, progress=progress, **options)

    done = run(yes) if as_json else _asking(run, yes=yes)
    if as_json:
        console.print_json(done)
    else:
        _show(corpus, done)


def _asking(run: Callable[[bool], dict[str, Any]], *, yes: bool) -> dict[str, Any]:
    """Run, and on a terminal ask for the word that a run waits for."""
    try:
        return run(yes)
    except NeedsApproval as error:
        if not (sys.stdin.isatty() and err.is_terminal):
            raise
        err.print(f"[yellow]{escape(error.message)}[/yellow]", soft_wrap=True)
        if not typer.confirm("Spend it?", err=True):
            raise
    return run(True)


def _show(corpus: str, done: dict[str, Any]) -> None:
    documents = done["documents"]
    out.print(f"[bold]{corpus}[/bold]: {some(documents)}  [dim]run {done['run_id']}[/dim]")
    out.print(f"children: {some(done['children'])}")
    tokens = done["tokens"]
    out.print(
        f"parsed {done['parsed']:,}, embedded {done['embedded']:,} texts ({tokens['embedded']:,} tokens, price "
        f"{money(done['price'])}), reused {done['reused']:,}, read {megabytes(done['bytes'])}, "
        f"rows written {done['rows_written']:,}"
    )
    out.print("took: " + ", ".join(f"{stage} {lasted(seconds)}" for stage, seconds in done["seconds"].items()))
    if count := documents["quarantined"]:
        what = "document" if count == 1 else "documents"
        err.print(f"[yellow]{count:,} {what} in quarantine:[/yellow] kerf quarantine list")
