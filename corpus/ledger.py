"""The ledger of runs: opened, counted, closed, asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from corpus.errors import RunFailed
from corpus.queries import query
from corpus.records import Row, Run
from corpus.session import Session, one, storable
from corpus.vectors import clear_texts


class Ledger(Session):
    """Runs over corpora, and what an operator asks of them."""

    def begin_run(
        self,
        corpus: str,
        model: Mapping[str, Any],
        *,
        key: str | None = None,
        interval: tuple[datetime, datetime] | None = None,
    ) -> Run:
        """Register corpus and model, and open a run; the same key opens the same run anew."""
        start, end = interval or (None, None)
        with self.transaction() as (cursor, written):
            plan_alone(cursor, corpus)
            written.rows += cursor.execute(query("ensure_corpus"), {"corpus": corpus}).rowcount
            registered = one(cursor.execute(query("register_model"), dict(model)))
            written.rows += registered["made"]
            values = {"corpus": corpus, "key": key, "model": registered["id"], "start": start, "end": end}
            for earlier in cursor.execute(query("find_run"), values).fetchall():  # items before runs, as everywhere
                cursor.execute(query("clear_items"), {"run": earlier["id"]})
                clear_texts(cursor, earlier["id"])
            run = one(cursor.execute(query("begin_run"), values))["id"]
            if written.rows:
                cursor.execute(query("add_counts"), {"run": run, **written.as_parameters()})
        return self.run(run)

    def run(self, run: int) -> Run:
        """Read a run."""
        found = self.rows("run", run=run)
        if not found:
            raise RunFailed(f"there is no run {run}", hint="plan it first")
        row = found[0]
        interval = (row["interval_start"], row["interval_end"]) if row["interval_start"] else None
        return Run(row["id"], row["corpus"], row["state"], row["listing_sequence"], row["model_id"], interval, row)

    def fail_run(self, run: Run, error: str) -> None:
        """Close a run that cannot go on, unless it was planned anew meanwhile."""
        values = {"run": run.id, "listing_sequence": run.listing_sequence, "error": storable(error)}
        with self.transaction() as (cursor, _):
            cursor.execute(query("fail_run"), values)

    def add_seconds(self, run: int, stage: str, seconds: float) -> None:
        """Add to the time that a stage took; mapped tasks add up."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("add_seconds"), {"run": run, "stage": stage, "seconds": round(seconds, 3)})

    def finish_run(self, run: int, state: str, documents: Mapping[str, int], kept: int, error: str | None) -> None:
        """Close a run."""
        said = None if error is None else storable(error)
        values = {"run": run, "state": state, "documents": Jsonb(dict(documents)), "kept": kept, "error": said}
        with self.transaction() as (cursor, _):
            if state == "succeeded":
                clear_texts(cursor, run)
            cursor.execute(query("finish_run"), values)

    def item_states(self, run: int) -> list[Row]:
        """How many items of each action ended in each state."""
        return self.rows("item_states", run=run)

    def unfinished(self, run: int) -> list[Row]:
        """Items that were not published and not put away."""
        return self.rows("unfinished_items", run=run)

    def alive(self, corpus: str) -> Row:
        """Documents, parents and children that a search can find."""
        return self.rows("alive", corpus=corpus)[0]

    def status(self, corpus: str | None = None) -> list[Row]:
        """Counts, last run, freshness and model of each corpus."""
        return self.rows("status", corpus=corpus)


def plan_alone(cursor: psycopg.Cursor[Row], corpus: str) -> None:
    """Wait until no other process writes a plan for the corpus."""
    cursor.execute(query("lock"), {"what": f"kerf plan {corpus}"})
