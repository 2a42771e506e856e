"""What the commands share: their options, how they find the database, how they print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from corpus import config as configuration
from corpus.config import Config

#: where nobody sees the width, tables are not squeezed into 80 columns
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 200)
err = Console(stderr=True, highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
CorpusName = Annotated[str, typer.Argument(metavar="CORPUS", help="A corpus of the configuration.")]
AnyCorpus = Annotated[str | None, typer.Argument(metavar="[CORPUS]", help="Default: all.")]
All = Annotated[bool, typer.Option("--all", help="List every document, however many.")]
SHOWN = 50  #: documents that a list shows


class State:
    """What the options before the command say."""

    config: Path | None = None


def config() -> Config:
    """The configuration that was named."""
    return configuration.load(State.config)


def known_corpus(corpus: str | None) -> None:
    """Raise `ConfigError` if the configuration has no such corpus."""
    if corpus:
        config().corpus(corpus)


def dsn() -> str:
    """The database, migrated."""
    from corpus import database
    from corpus.migrations import migrate

    found = database.dsn()
    migrate(found)
    return found


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, on a terminal only."""
    if quiet or not err.is_terminal:
        yield lambda _: None
        return
    with err.status("…") as status:
        yield lambda text: status.update(escape(text))


def print_json(data: Any) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, default=_jsonable) + "\n")


def _jsonable(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return str(value)


def some(counts: Mapping[str, float]) -> str:
    """`new 3, changed 1`: those that are not zero."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count) or "nothing"


def when(moment: datetime | None) -> str:
    """A moment, to the minute, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" if moment else "-"


def lasted(seconds: float | None) -> str:
    """Seconds as a person says them."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def megabytes(size: float) -> str:
    """Bytes as a person says them."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB" if size else "0"


def money(price: float) -> str:
    """A price, in whatever currency the configuration counts."""
    return f"{price:,.4f}"


def tabulate(
    header: Iterable[str], rows: Iterable[Iterable[str]], *, right: Iterable[str] = (), fold: Iterable[str] = ()
) -> Table:
    """A table of plain cells; `right` names the columns of numbers, `fold` those that may take several lines."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    numbers, folded = set(right), set(fold)
    for name in header:
        justify: Literal["left", "right"] = "right" if name in numbers else "left"
        table.add_column(name, overflow="fold", justify=justify, no_wrap=name not in folded)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def left_out(count: int) -> None:
    """Say how many documents a list does not show."""
    if count > 0:
        out.print(f"[dim]and {count:,} more: --all shows them[/dim]")
