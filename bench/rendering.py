"""Tables for a terminal, for Markdown and for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table as RichTable


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts below a title; the first column says what a row is about."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    are_figures: bool = True  #: the columns after the first

    def rich(self) -> RichTable:
        """For a terminal."""
        table = RichTable(title=self.title, caption=self.note or None, title_justify="left", caption_justify="left")
        for number, name in enumerate(self.header):
            table.add_column(name, justify="right" if number and self.are_figures else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """A heading, the table, its note."""
        lines = [
            f"### {self.title}\n",
            _line(self.header),
            _line(["---"] + ["---:" if self.are_figures else "---"] * (len(self.header) - 1)),
            *map(_line, self.rows),
        ]
        return "\n".join([*lines, *([f"\n{self.note}"] if self.note else []), ""])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
