"""Plans in the database: the listing held against the ledger, the items of a run and their batches.

A plan is worked out in temporary tables of the connection, a part at a time, and then written at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from corpus.errors import RunFailed
from corpus.ledger import plan_alone
from corpus.queries import query
from corpus.records import Item, Row, Run
from corpus.session import Session
from corpus.sources import Listed

SHOWN = 1_000  #: vanished documents that are named
_PART = 10_000  #: documents whose settings are marked in one transaction


class Plans(Session):
    """What planning reads and writes."""

    def compare(
        self,
        corpus: str,
        listing: Iterable[Listed],
        *,
        settings: str,
        settled_ns: int,
        listing_sequence: int | None,
        verify: bool,
        part: bool,
        known: bool,
        too_long: Collection[UUID],
    ) -> Row:
        """Begin a plan: take the listing in, and hold it against the ledger.

        `settings` is today's digest; what was modified after `settled_ns` proves nothing. With `verify` no evidence
        proves anything; of a listing that is a `part` of the source nothing is gone; with `known` only documents that
        the ledger holds alive are looked at, all of them. Those that are `too_long` for the embedding model are never
        plainly unchanged. Returns how many documents are listed (`all_listed`), and of those that are not plainly
        unchanged how many are `listed` and how many `gone`.
        """
        values = {"corpus": corpus, "settings": settings, "settled_ns": settled_ns, "verify": verify, "part": part}
        with self.transaction() as (cursor, _):
            cursor.execute(query("make_plan_tables"))
        self.copy("copy_listing", ((entry.uri, entry.size, entry.mtime_ns, entry.etag) for entry in listing))
        with self.transaction() as (cursor, _):
            cursor.execute(query("analyze_listing"))
            cursor.execute(query("plan_memory"))
            values |= {"listing_sequence": listing_sequence, "known": known, "too_long": sorted(too_long)}
            cursor.execute(query("compare"), values)
            cursor.execute(query("analyze_compared"))
        return self.rows("compared_sizes")[0]

    def to_read(self) -> Iterator[Listed]:
        """The documents, sorted by address, whose bytes must be hashed before anything can be decided."""
        return (Listed(**row) for row in self.stream("to_read"))

    def keep_hashes(self, hashes: Iterable[tuple[str, bytes | None, bool]]) -> None:
        """Take in what reading said: address, hash, and whether the document had vanished."""
        self.copy("copy_hashes", hashes)

    def pair(self) -> None:
        """Find out which documents have moved, and where to."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("pair_moves"))
            cursor.execute(query("pair_held"))

    def compared(self) -> Iterator[Row]:
        """The documents that are not plainly unchanged, with what is known of them, in no order."""
        return self.stream("compared")

    def vanished(self) -> tuple[str, ...]:
        """The addresses of the first documents that are gone and have not moved, at most `SHOWN`."""
        return tuple(row["uri"] for row in self.rows("vanished", most=SHOWN))

    def keep_plan(self, items: Iterable[tuple[Item, str | None]]) -> None:
        """Take in the items of the plan, each with its kind if it is to be prepared."""
        self.copy("copy_plan", ((*(getattr(item, name) for name in _COLUMNS), kind) for item, kind in items))

    def plan_weight(self) -> Row:
        """How many documents are to be prepared (`loads`), and their bytes (`weight`)."""
        return self.rows("plan_weight")[0]

    def plan_loads(self) -> Iterator[Row]:
        """Those documents by kind, the largest first: `document_id`, `size` in bytes, `kind`."""
        return self.stream("plan_loads")

    def keep_tasks(self, tasks: Iterable[tuple[UUID, int]]) -> None:
        """Take in the batches of documents."""
        self.copy("copy_tasks", tasks)

    def keep_current(self, documents: Iterable[tuple[UUID, int]]) -> None:
        """Take in documents that are as today's settings would have them, with the sequence of their last read."""
        self.copy("copy_current", documents)

    def planned(self) -> Iterator[Item]:
        """The items of the plan that this connection has worked out, in the order of addresses."""
        return (Item(**row) for row in self.stream("planned", document=None))

    def planned_one(self, document: UUID) -> Item | None:
        """What that plan does with a document; None: nothing."""
        found = self.rows("planned", document=document)
        return Item(**found[0]) if found else None

    def write_plan(self, run: Run, documents: Mapping[str, int], changes: Mapping[str, int]) -> None:
        """Write the items that this connection has worked out.

        `documents` and `changes` count them as `planning.Tally` does. Raises `RunFailed` if the run was planned anew
        meanwhile.
        """
        values = {"run": run.id, "listing_sequence": run.listing_sequence}
        counts = {"planned": Jsonb(dict(documents)), "changes": Jsonb(dict(changes))}
        with self.transaction() as (cursor, _):
            plan_alone(cursor, run.corpus)
            cursor.execute(query("clear_items"), values)
            if not cursor.execute(query("set_planned"), values | counts).rowcount:
                raise RunFailed(f"run {run.id} was planned anew meanwhile", hint="the later plan holds", stage="plan")
            cursor.execute(query("insert_items"), values)

    def mark_current(self, settings: str) -> None:
        """Mark the documents that `keep_current` took in, so that the next plan need not look at them."""
        last: Any = None
        while True:
            with self.transaction() as (cursor, _):
                values = {"settings": settings, "after": last, "rows": _PART}
                row = cursor.execute(query("set_settings"), values).fetchone()
            if row is None:
                return
            last = row["document_id"]

    def source_of(self, corpus: str) -> str | None:
        """Where the last sync found the documents; None: not known."""
        found = self.rows("source_of", corpus=corpus)
        return found[0]["source"] if found else None

    def set_source(self, run: Run, source: str) -> None:
        """Write down where a sync has found the documents."""
        with self.transaction(run.id) as (cursor, written):
            values = {"corpus": run.corpus, "source": source}
            written.rows += cursor.execute(query("set_source"), values).rowcount

    def batches(self, run: int) -> list[Row]:
        """Number, documents and bytes of each batch."""
        return self.rows("batches", run=run)


_COLUMNS = ("document", "uri", "action", "stage", "size", "mtime_ns", "etag", "trusted", "moved_from", "moved_to",
            "content_hash", "parse_fingerprint", "permissions", "forced")  # fmt: skip
