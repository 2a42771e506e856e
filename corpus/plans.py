"""Plans in the database: the listing held against the ledger, the items of a run and their batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from corpus.errors import RunFailed
from corpus.ledger import plan_alone
from corpus.planning import Known
from corpus.queries import query
from corpus.records import Item, Row, Run
from corpus.session import Session


class Plans(Session):
    """What planning reads and writes."""

    def known(self, corpus: str, listing_sequence: int | None = None) -> dict[str, Known]:
        """The ledger of a corpus by address, for a run whose listing began at `listing_sequence`."""
        rows = self.rows("known", corpus=corpus, listing_sequence=listing_sequence)
        return {row["uri"]: Known(**row) for row in rows}

    def write_plan(self, run: Run, items: Iterable[Item], documents: Mapping[str, int]) -> None:
        """Write the items of a run, in the order of their ids; raises `RunFailed` if it was planned anew meanwhile."""
        rows = [
            {name: getattr(item, name) for name in Item.__slots__ if name != "parse_fingerprint"} | {"run": run.id}
            for item in sorted(items, key=lambda item: item.document)
        ]
        values = {"run": run.id, "listing_sequence": run.listing_sequence, "planned": Jsonb(dict(documents))}
        with self.transaction() as (cursor, _):
            plan_alone(cursor, run.corpus)
            cursor.execute(query("clear_items"), values)
            cursor.executemany(query("insert_item"), rows)
            if not cursor.execute(query("set_planned"), values).rowcount:
                raise RunFailed(f"run {run.id} was planned anew meanwhile", hint="the later plan holds", stage="plan")

    def batches(self, run: int) -> list[Row]:
        """Number, documents and bytes of each batch."""
        return self.rows("batches", run=run)

    def children_of(self, documents: Sequence[UUID]) -> int:
        """How many children the published ones among these documents have."""
        return int(self.rows("children_of", documents=list(documents))[0]["children"])
