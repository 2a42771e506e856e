"""`kerf runs`: what the runs over a corpus did, one run whole, and two of them against each other."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from corpus.commands import console
from corpus.commands.console import All, AnyCorpus, AsJson, lasted, megabytes, money, out, some, tabulate, when
from corpus.errors import ConfigError, RunFailed

if TYPE_CHECKING:
    from corpus.records import Row, Run
    from corpus.store import Store


class _ListsByDefault(TyperGroup):
    """`kerf runs [CORPUS]` is `kerf runs list [CORPUS]`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ListsByDefault,
    help="What the runs over a corpus did: kerf runs [CORPUS] [--limit N], kerf runs show ID, kerf runs diff A B.",
)

_STATES = {"succeeded": "green", "failed": "red", "running": "yellow"}
_RunId = Annotated[int, typer.Argument(metavar="ID", help="The number of a run, as `kerf runs` lists it.")]


@app.command("list")
def list_runs(
    corpus: AnyCorpus = None,
    limit: Annotated[int, typer.Option(min=1, help="The last so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the last runs, the latest first."""
    from corpus.outcome import described
    from corpus.store import Store

    console.known_corpus(corpus)
    with Store(console.dsn()) as store:
        runs = [described(run) for run in store.runs(corpus, limit)]
    if as_json:
        console.print_json({"runs": runs})
        return
    if not runs:
        out.print("there is no run yet: kerf sync CORPUS")
        return
    rows = [
        [
            str(run["run_id"]),
            run["corpus"],
            run["kind"],
            run["state"],
            when(run["started_at"]),
            lasted(run["took"]),
            _documents(run),
            f"{run['tokens']['embedded']:,}",
            f"{run['tokens']['reused']:,}",
            money(run["price"]),
        ]
        for run in runs
    ]
    header = ("id", "corpus", "kind", "state", "started", "took", "documents", "embedded", "reused", "price")
    out.print(tabulate(header, rows, right=("id", "took", "embedded", "reused", "price"), fold=("documents",)))
    out.print("[dim]times are UTC; embedded and reused are tokens; kerf runs show ID tells more[/dim]")


def _documents(run: Row) -> str:
    return some({name: count for name, count in run["documents"].items() if name != "unchanged"}).replace(
        "nothing", "no change"
    )


@app.command()
def show(run_id: _RunId, everything: All = False, as_json: AsJson = False) -> None:
    """Show one run: its stages, its counts, and what became of the documents."""
    from corpus.outcome import described, in_stages

    with _store() as store:
        run = _run(store, run_id)
        total, items = store.run_items(run_id, None if everything or as_json else console.SHOWN)
    found = described(run) | {"stages": in_stages(run.row["stages"])}
    if as_json:
        console.print_json(found | {"items": items})
        return
    _introduce(found)
    out.print()
    stages = [
        [
            name,
            f"{stage['documents']:,}",
            f"{stage['chunks']:,}",
            f"{stage['tokens']:,}",
            f"{stage['reused']:,}",
            megabytes(stage["bytes"]),
            lasted(stage["seconds"]),
            money(stage["price"]),
        ]
        for name, stage in found["stages"].items()
    ]
    header = ("stage", "documents", "chunks", "tokens", "reused", "read", "took", "price")
    out.print(tabulate(header, stages, right=header[1:]))
    out.print()
    out.print(f"documents  {some(found['documents'])}")
    out.print(f"because    {_changes(found['changes'])}")
    out.print(f"children   {some(found['children'])}")
    out.print(f"texts      {found['embedded']:,} embedded, {found['reused']:,} reused")
    out.print(f"rows       {found['rows_written']:,} written")
    if items:
        out.print()
        columns = ("document", "was to be", "became", "+new ~moved -gone")
        out.print(tabulate(columns, map(_item, items), fold=columns[:2]))
        console.left_out(total - len(items))
        for item in items:
            if item["error"]:
                out.print(f"[red]{escape(item['uri'])}[/red]: {escape(item['error'])}")


def _introduce(run: Row) -> None:
    style = _STATES[run["state"]]
    out.print(f"[bold]{run['kind']} {run['run_id']}[/bold] of {run['corpus']}: [{style}]{run['state']}[/{style}]")
    over = f"to {when(run['finished_at'])} UTC, {lasted(run['took'])}" if run["finished_at"] else "UTC, not over yet"
    out.print(f"{when(run['started_at'])} {over}")
    if run["key"]:
        out.print(f"known outside as {escape(run['key'])}")
    if run["interval"]:
        start, end = run["interval"]
        out.print(f"documents modified from {when(start)} to {when(end)} UTC; nothing is deleted")
    if asked := run["reprocess"]:
        out.print(f"asked for: {escape(asked['glob'])} from {asked['stage']} on; {escape(asked['reason'])}")
    if run["approved_by"]:
        out.print(f"spending approved by {escape(run['approved_by'])}")
    if run["error"]:
        out.print(f"[red]{escape(run['error'])}[/red]")


def _changes(changes: Row) -> str:
    said = {"content": "new or other bytes", "moved": "moved", "restored": "restored", "forced": "asked for"}
    stages = {name: f"{name} settings" for name in ("parse", "cut", "embed", "metadata", "permissions")}
    return some({(said | stages).get(name, name): count for name, count in changes.items()})


def _item(item: Row) -> list[str]:
    again = f", {item['stage']} again" if item["action"] == "due" and item["stage"] else ""
    asked = ", asked for" if item["forced"] else ""
    place = f" from {item['moved_from_uri']}" if item["moved_from_uri"] else ""
    counts = item["inserted"], item["moved"], item["deleted"]
    children = "" if item["inserted"] is None or item["state"] == "quarantined" else "+{} ~{} -{}".format(*counts)
    return [item["uri"], f"{item['action']}{again}{asked}{place}", item["state"], children]


@app.command()
def diff(
    a: Annotated[int, typer.Argument(metavar="A", help="A run.")],
    b: Annotated[int, typer.Argument(metavar="B", help="Another of the same corpus.")],
    everything: All = False,
    as_json: AsJson = False,
) -> None:
    """Show what became of the documents between the ends of two runs, and both runs' figures."""
    from corpus.outcome import described

    with _store() as store:
        runs = sorted((_run(store, a), _run(store, b)), key=lambda run: (_end(run), run.id))
        if runs[0].corpus != runs[1].corpus:
            raise ConfigError(
                f"run {runs[0].id} is of {runs[0].corpus}, run {runs[1].id} of {runs[1].corpus}",
                hint="only runs of one corpus can be compared",
            )
        documents = _compared(store.between(runs[0].corpus, _end(runs[0]), _end(runs[1])))
    before, after = map(described, runs)
    if as_json:
        console.print_json({"a": before, "b": after, "documents": documents})
        return
    out.print(f"[bold]{before['corpus']}[/bold]: from the end of run {before['run_id']} to that of {after['run_id']}")
    out.print(f"documents: {some({name: len(found) for name, found in documents.items()})}")
    for name, found in documents.items():
        if found:
            out.print(f"\n[bold]{name}[/bold]")
            for row in found if everything else found[: console.SHOWN]:
                out.print(f"  {escape(row['uri'])}{_detail(name, row)}")
            console.left_out(0 if everything else len(found) - console.SHOWN)
    out.print()
    header = ("", f"run {before['run_id']}", f"run {after['run_id']}")
    figures = list(zip(_figures(before), _figures(after), strict=True))
    out.print(tabulate(header, ([name, old, new] for (name, old), (_, new) in figures), right=header[1:]))


def _detail(name: str, row: Row) -> str:
    if name == "moved":
        return f" [dim]from {escape(row['from'])}[/dim]"
    if name == "changed" and row["version_before"]:
        return f" [dim]version {row['version_before']} to {row['version']}[/dim]"
    return ""


def _compared(rows: list[Row]) -> dict[str, list[Row]]:
    """Documents by what became of them; nothing is said of what came and went, or is as it was.

    A document of which the history knows nothing from before is new only if its version is the first: what happened to
    another may be past its retention.
    """
    found: dict[str, list[Row]] = {name: [] for name in ("new", "changed", "moved", "gone", "quarantined")}
    gone = {row["document_id"]: row["uri"] for row in rows if row["event"] == "deleted"}
    moved = set()
    by_event: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_event[row["event"]].append(row)
    for row in by_event["published"]:
        served_before = row["event_before"] in ("published", "quarantined") and row["version_before"] is not None
        if not served_before and row["event_before"] is None:
            served_before = row["version"] > 1
        entry = {"uri": row["uri"], "version_before": row["version_before"], "version": row["version"]}
        same = (row["event_before"], row["version_before"], row["content_hash_before"])
        if not served_before and row["moved_from"] in gone:
            moved.add(row["moved_from"])
            found["moved"].append({"uri": row["uri"], "from": gone[row["moved_from"]], "version": row["version"]})
        elif not served_before:
            found["new"].append(entry)
        elif same != ("published", row["version"], row["content_hash"]):
            found["changed"].append(entry)
    for row in by_event["deleted"]:
        there_before = row["event_before"] in ("published", "quarantined") or (
            row["event_before"] is None and (row["version"] or 0) > 1
        )
        if there_before and row["document_id"] not in moved:
            found["gone"].append({"uri": row["uri"], "version_before": row["version_before"] or row["version"]})
    for row in by_event["quarantined"]:
        found["quarantined"].append({"uri": row["uri"], "version": row["version"]})
    return found


def _figures(run: Row) -> list[tuple[str, str]]:
    """What a run did, line by line, the same lines for every run."""
    lines = [("kind", run["kind"]), ("state", run["state"]), ("started", when(run["started_at"]))]
    lines.append(("took", lasted(run["took"])))
    lines += [(f"documents {name}", f"{count:,}") for name, count in run["documents"].items()]
    lines += [("parsed", f"{run['parsed']:,}")]
    lines += [(f"children {name}", f"{count:,}") for name, count in run["children"].items()]
    lines += [(f"tokens {name}", f"{count:,}") for name, count in run["tokens"].items()]
    lines += [("read", megabytes(run["bytes"])), ("price", money(run["price"]))]
    lines += [("rows written", f"{run['rows_written']:,}")]
    lines += [(f"{name}, took", lasted(seconds)) for name, seconds in run["seconds"].items()]
    return lines


def _store() -> Store:
    from corpus.store import Store

    return Store(console.dsn())


def _run(store: Store, run: int) -> Run:
    try:
        return store.run(run)
    except RunFailed:
        raise ConfigError(f"there is no run {run}", hint="kerf runs lists the last ones") from None


def _end(run: Run) -> datetime:
    end: datetime | None = run.row["finished_at"]
    return end or datetime.now(UTC)
