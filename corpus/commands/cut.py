"""`kerf cut`: one file, parsed and cut."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpus.commands import console
from corpus.commands.console import AsJson, out
from corpus.errors import ConfigError


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

    config = console.config() if corpus else None
    settings = config.corpus(corpus) if config and corpus else None
    home = config.home if config else None
    if compare is not None:
        if recipe is not None:
            raise ConfigError("--recipe names one recipe, --compare several", hint="leave one of them out")
        found = cut_command.compare_file(file, asked=compare, corpus=settings, home=home)
        if as_json:
            console.print_json(found.to_dict())
        else:
            cut_command.show_comparison(found, out)
        return
    made = cut_command.cut_file(file, recipe=recipe, corpus=settings, home=home, stats=stats)
    if as_json:
        console.print_json(cut_command.as_dict(made))
    else:
        cut_command.show(made, out)
