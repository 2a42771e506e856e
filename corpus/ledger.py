"""The ledger of runs: opened, counted, closed, asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from corpus.errors import RunFailed
from corpus.leases import abandon
from corpus.queries import query
from corpus.records import Reprocess, Row, Run
from corpus.session import Session, one, storable
from corpus.texts import clear_texts

_PART = 1000  #: rows of the history that one transaction deletes


class Ledger(Session):
    """Runs over corpora: what the stages write down about their own work."""

    def begin_run(
        self,
        corpus: str,
        model: Mapping[str, Any],
        *,
        key: str | None = None,
        interval: tuple[datetime, datetime] | None = None,
        reprocess: Reprocess | None = None,
    ) -> Run:
        """Register corpus and model, and open a run; the same key opens the same run anew.

        With `reprocess` it is one, with `interval` a backfill, else a sync.
        """
        start, end = interval or (None, None)
        with self.transaction() as (cursor, written):
            plan_alone(cursor, corpus)
            written.rows += cursor.execute(query("ensure_corpus"), {"corpus": corpus}).rowcount
            abandon(cursor, corpus)
            values: Row = {"corpus": corpus, "key": key, "start": start, "end": end}
            values["kind"] = "reprocess" if reprocess else "backfill" if interval else "sync"
            values["reprocess"] = Jsonb(asdict(reprocess)) if reprocess else None
            for earlier in cursor.execute(query("find_run"), values).fetchall():  # items before runs, as everywhere
                cursor.execute(query("revoke_leases"), {"run": earlier["id"], "stage": None})
                cursor.execute(query("clear_items"), {"run": earlier["id"]})
                clear_texts(cursor, earlier["id"])
            registered = one(cursor.execute(query("register_model"), dict(model)))
            written.rows += registered["made"]
            values["model"] = registered["id"]
            run = one(cursor.execute(query("begin_run"), values))["id"]
            if written.rows:
                cursor.execute(query("add_counts"), {"run": run, **written.as_parameters()})
        return self.run(run)

    def run(self, run: int) -> Run:
        """Read a run."""
        found = self.rows("run", run=run)
        if not found:
            raise RunFailed(f"there is no run {run}", hint="plan it first")
        return run_of(found[0])

    def fail_run(self, run: Run, error: str) -> None:
        """Close a run that cannot go on, unless it was planned anew meanwhile."""
        values = {"run": run.id, "listing_sequence": run.listing_sequence, "error": storable(error)}
        with self.transaction() as (cursor, _):
            cursor.execute(query("fail_run"), values)

    def add_stage(self, run: int, stage: str, **counts: float) -> None:
        """Add to what a stage of a run did; the counts are those of the function `add_stage`."""
        with self.transaction() as (cursor, _):
            add_stage(cursor, run, stage, **counts)

    def finish_run(self, run: Run, state: str, documents: Mapping[str, int], kept: int, error: str | None) -> None:
        """Close a run; one that ends well empties what it, and those that failed before it, kept to be taken up."""
        said = None if error is None else storable(error)
        values = {"run": run.id, "state": state, "documents": Jsonb(dict(documents)), "kept": kept, "error": said}
        with self.transaction() as (cursor, _):
            if state == "succeeded":
                clear_texts(cursor, run.id)
            cursor.execute(query("finish_run"), values)
        if state == "succeeded" and run.row["kind"] == "sync":
            self._release(run)

    def _release(self, run: Run) -> None:
        """Empty what failed runs staged, now that this one has looked at the whole source; a transaction for each.

        A run that was killed just before this one began is seen to have failed by now.
        """
        with self.transaction() as (cursor, _):
            plan_alone(cursor, run.corpus)
            abandon(cursor, run.corpus)
        said = f"run {run.id} looked at the whole source since; prepare it again to have it done by this run"
        for row in self.rows("left_over", corpus=run.corpus, listing_sequence=run.listing_sequence):
            with self.transaction() as (cursor, _):
                cursor.execute(query("release_items"), {"run": row["run_id"], "error": said})
                clear_texts(cursor, row["run_id"])

    def forget_past(self, corpus: str, days: int) -> None:
        """Delete what the history of a corpus holds from before so many days, in small parts."""
        for statement in ("forget_versions", "forget_items"):
            rows = _PART
            while rows == _PART:
                with self.transaction() as (cursor, _):
                    values = {"corpus": corpus, "days": days, "rows": _PART}
                    rows = cursor.execute(query(statement), values).rowcount

    def item_states(self, run: int) -> list[Row]:
        """How many items of each action ended in each state."""
        return self.rows("item_states", run=run)

    def unfinished(self, run: int) -> list[Row]:
        """Items that were not published and not put away."""
        return self.rows("unfinished_items", run=run)

    def alive(self, corpus: str) -> Row:
        """Documents, parents and children that a search can find."""
        return self.rows("alive", corpus=corpus)[0]


def run_of(row: Row) -> Run:
    """A run as the stages know it, of a row of the statements `run` and `runs`."""
    interval = (row["interval_start"], row["interval_end"]) if row["interval_start"] else None
    return Run(row["id"], row["corpus"], row["state"], row["listing_sequence"], row["model_id"], interval, row)


def add_stage(
    cursor: psycopg.Cursor[Row],
    run: int,
    stage: str,
    *,
    documents: float = 0,
    chunks: float = 0,
    tokens: float = 0,
    reused: float = 0,
    bytes: float = 0,  # noqa: A002 - as the column is called
    seconds: float = 0.0,
    price: float = 0.0,
) -> None:
    """Add to what a stage did, in the transaction that does it, and last in it, so that others wait for no work.

    `tokens` were handed to the model, `reused` had a vector; `bytes` were read from the source; `seconds` are those
    of the wall clock, of all processes together.
    """
    counted = {"documents": documents, "chunks": chunks, "tokens": tokens, "reused": reused, "bytes": bytes}
    spent = {"seconds": round(seconds, 3), "price": price}
    cursor.execute(query("add_stage"), {"run": run, "stage": stage, **counted, **spent})


def plan_alone(cursor: psycopg.Cursor[Row], corpus: str) -> None:
    """Wait until no other process writes a plan for the corpus."""
    cursor.execute(query("lock"), {"what": f"kerf plan {corpus}"})
