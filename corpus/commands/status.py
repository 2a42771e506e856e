"""`kerf status` and `kerf history`: how the corpora stand, and how a document came to be as it is."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from corpus.commands import console
from corpus.commands.console import AnyCorpus, AsJson, CorpusName, err, out, tabulate, when
from corpus.errors import ConfigError


def status(corpus: AnyCorpus = None, as_json: AsJson = False) -> None:
    """Show counts, the last run, freshness, quarantine, the active model and the ruler."""
    from corpus.store import Store

    console.known_corpus(corpus)
    with Store(console.dsn()) as store:
        rows = store.status(corpus)
    if as_json:
        console.print_json({"corpora": [_status(row) for row in rows]})
        return
    if not rows:
        out.print("nothing has been synced yet: kerf sync CORPUS")
        return
    counted = ("documents", "children", "stale", "quarantined", "tombstones")
    table = [
        [
            row["corpus"],
            *(f"{row[name]:,}" for name in counted),
            f"{row['run_id']} {row['run_state']}" if row["run_id"] else "-",
            when(row["fresh_at"]) if row["fresh_at"] else "never",
        ]
        for row in rows
    ]
    header = ("corpus", "documents", "children", "stale", "quarantine", "tombstones", "last run", "fresh (UTC)")
    out.print(tabulate(header, table, right=header[1:6], fold=("corpus",)))
    for row in rows:
        if row["model"]:
            out.print(
                f"[dim]{row['corpus']}: searches ask {escape(row['model'])}, cut by {escape(str(_ruler(row)))}[/dim]"
            )
    for row in rows:
        if row["stale"]:
            said = f"newer bytes of {row['stale']:,} served documents are in quarantine: kerf quarantine list"
            err.print(f"[yellow]{row['corpus']}:[/yellow] {said}", soft_wrap=True)
        if row["run_error"]:
            err.print(f"[red]{row['corpus']}: run {row['run_id']}:[/red] {escape(row['run_error'])}", soft_wrap=True)


def _status(row: dict[str, Any]) -> dict[str, Any]:
    counted = ("corpus", "documents", "stale", "tombstones", "parents", "children", "quarantined")
    run = {name: row[f"run_{name}"] for name in ("id", "kind", "state", "error")}
    return {
        **{name: row[name] for name in counted},
        "model": row["model"],
        "ruler": _ruler(row),
        "last_run": run | {"started_at": row["started_at"], "finished_at": row["finished_at"]}
        if row["run_id"]
        else None,
        "fresh_at": row["fresh_at"],
    }


def _ruler(row: dict[str, Any]) -> str | None:
    """The model whose tokenizer measures the corpus: the configured one, else that of its first sync."""
    from corpus.errors import KerfError

    try:
        configured = console.config().corpus(row["corpus"]).cutting.ruler
    except KerfError:  # it may be synced and no longer configured
        configured = None
    return configured or ((row["cut_by"] or {}).get("ruler") or {}).get("model") or row["model"]


def history(
    corpus: CorpusName,
    uri: Annotated[str, typer.Argument(metavar="ADDRESS", help="A document, as `kerf search` names it.")],
    as_json: AsJson = False,
) -> None:
    """List the versions of a document: when, by which run, and what became of its children."""
    from chunkers.identity import document_id
    from corpus.store import Store

    console.known_corpus(corpus)
    with Store(console.dsn()) as store:
        versions = store.versions_of(document_id(corpus, uri))
        near = [] if versions else store.near(corpus, uri)
    if not versions:
        raise nothing_known(corpus, uri, near)
    if as_json:
        console.print_json({"corpus": corpus, "uri": uri, "versions": versions})
        return
    out.print(f"[bold]{escape(uri)}[/bold] of {corpus}")
    rows = [
        [
            when(row["at"]),
            str(row["run_id"]),
            row["event"] + (f" from {row['moved_from_uri']}" if row["moved_from_uri"] and row["version"] == 1 else ""),
            str(row["version"] or "-"),
            row["content_hash"][:12] if row["content_hash"] else "-",
            row["recipe"] or "-",
            f"{row['children']:,}",
            "+{inserted} ~{moved} -{deleted}".format(**row),
        ]
        for row in versions
    ]
    header = ("when (UTC)", "run", "what", "version", "bytes", "recipe", "children", "+new ~moved -gone")
    out.print(tabulate(header, rows, right=("run", "version", "children"), fold=("what",)))


def nothing_known(corpus: str, uri: str, near: list[str]) -> ConfigError:
    """What to say of an address that nobody knows."""
    hint = f"near it: {', '.join(near)}" if near else "addresses are relative to the source, as kerf search prints them"
    return ConfigError(f"corpus {corpus} knows no document {uri}", hint=hint)
