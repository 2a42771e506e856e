"""What an operator asks of the ledger: runs, what they did, what became of a document, what a stage costs."""

from __future__ import annotations

from datetime import datetime
from difflib import get_close_matches
from uuid import UUID

from corpus.ledger import run_of
from corpus.queries import query
from corpus.records import Row, Run
from corpus.session import Session

_RATED = 20  #: the last runs of a corpus by which it is told how long a stage takes
_NEAR = 500  #: addresses that are compared with one that is not known


class History(Session):
    """The ledger, asked. Writes nothing but an operator's word on the quarantine."""

    def status(self, corpus: str | None = None) -> list[Row]:
        """Counts, last run, freshness, model and ruler of each corpus."""
        return self.rows("status", corpus=corpus)

    def runs(self, corpus: str | None, limit: int) -> list[Run]:
        """The last runs, the latest first, each with what its stages did."""
        return [run_of(row) for row in self.rows("runs", corpus=corpus, limit=limit)]

    def run_items(self, run: int, limit: int | None) -> tuple[int, list[Row]]:
        """How many documents a run had something to do with, and what became of them; what went wrong comes first."""
        return self.rows("count_items", run=run)[0]["items"], self.rows("run_items", run=run, limit=limit)

    def versions_of(self, document: UUID) -> list[Row]:
        """The history of a document, the latest first."""
        return self.rows("versions_of", document=document)

    def between(self, corpus: str, start: datetime, end: datetime) -> list[Row]:
        """Of each document to which something happened in (start, end]: how it stood before, and how after."""
        return self.rows("versions_between", corpus=corpus, start=start, end=end)

    def near(self, corpus: str, uri: str) -> list[str]:
        """Known addresses that look like this one, the likeliest first, at most five."""
        known = [row["uri"] for row in self.rows("near_addresses", corpus=corpus, uri=uri, limit=_NEAR)]
        name = uri.rpartition("/")[2].lower()
        alike = [other for other in known if uri.lower() in other.lower() or name == other.rpartition("/")[2].lower()]
        return list(dict.fromkeys([*alike, *get_close_matches(uri, known, n=5)]))[:5]

    def rated_stages(self, corpus: str) -> list[Row]:
        """What each stage of the last runs that ended well did, where it did anything, and its seconds."""
        return self.rows("rated_stages", corpus=corpus, runs=_RATED)

    def quarantined(self, corpus: str | None = None) -> list[Row]:
        """The documents in quarantine, with their reasons."""
        return self.rows("quarantine_list", corpus=corpus)

    def retry(self, corpus: str, uri: str | None) -> int:
        """Ask for another try at the next run; all documents of the corpus if no address is given."""
        with self.transaction() as (cursor, _):
            return cursor.execute(query("quarantine_retry"), {"corpus": corpus, "uri": uri}).rowcount

    def forget(self, corpus: str, uri: str) -> int:
        """Drop an entry of the quarantine."""
        with self.transaction() as (cursor, _):
            return cursor.execute(query("quarantine_forget"), {"corpus": corpus, "uri": uri}).rowcount
