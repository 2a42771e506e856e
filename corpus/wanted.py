"""What a dry run would embed, kept in a temporary table of its connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from corpus.config import Corpus
from corpus.planning import Action, Stage
from corpus.queries import query
from corpus.records import Item, Row
from corpus.session import Session
from corpus.spending import because, weigh
from corpus.staging import StagedDocument

Wanted = tuple[UUID, bytes | None, bytes | None, int, int, str | None, bool, bool]  #: a row of `sync_wanted`


class Dry(Session):
    """What a dry run reads and keeps; the tables of `corpus.plans` are there with it."""

    def keep_wanted(self, rows: Iterable[Wanted]) -> None:
        """Take in what documents would want, from `wanted_by`, as they are worked out."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("make_wanted"))
        self.copy("copy_wanted", rows)

    def keep_published(self, corpus: str, model: int | None) -> None:
        """Take in what published children lack under a model, as every run embeds that too."""
        with self.transaction() as (cursor, _):
            cursor.execute(query("analyze_wanted"))
            cursor.execute(query("keep_published"), {"corpus": corpus, "model": model})

    def count_wanted(self, corpus: str, model: int | None) -> Row:
        """Texts and tokens without a vector under the model, tokens with one, and what `spending.weigh` asks for.

        A model that is not registered, None, has none.
        """
        with self.transaction() as (cursor, _):
            cursor.execute(query("analyze_wanted"))
        return self.rows("count_wanted", corpus=corpus, model=model)[0]

    def would_go(self) -> Row:
        """How many documents a sync would bury, and how many children they have."""
        return self.rows("would_go")[0]

    def in_quarantine(self, document: UUID) -> Row | None:
        """What is known of a document in quarantine."""
        found = self.rows("quarantined_document", document=document)
        return found[0] if found else None


def wanted_by(item: Item, staged: StagedDocument) -> Iterator[Wanted]:
    """What a document would want if it were published like this."""
    due = item.stage if item.action == Action.DUE and not item.forced else None
    again = item.forced and item.stage == Stage.EMBED
    yield item.document, None, None, 0, 0, due, again, False
    texts = staged.texts
    for child in staged.children:
        text = texts[child["key"]]
        yield item.document, child["key"], text.key, text.tokens, child["tokens"], due, again, False


def costs(settings: Corpus, counted: Row) -> dict[str, Any]:
    """Texts, tokens and price, of what `Dry.count_wanted` counted."""
    return {
        "texts_to_embed": counted["texts"],
        "tokens_to_embed": counted["tokens"],
        "tokens_reused": counted["reused"],
        "price": counted["tokens"] * settings.embedding.price_per_million_tokens / 1_000_000,
    }


def asks(settings: Corpus, counted: Row) -> str | None:
    """Why a run would ask before it embeds; None if it would not."""
    model = (counted["before"], settings.embedding.model) if counted["before"] else None
    said = because(model, counted["stages"])
    numbers = {"tokens": counted["guarded"], "documents": counted["documents"], "whole": counted["whole"]}
    spending = weigh(settings, **numbers, because=said)
    return spending.said if spending.asks else None
