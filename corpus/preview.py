"""What a sync would do, changing nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from corpus.config import Config
from corpus.embedding import Text, embedder
from corpus.outcome import COUNTED_AS
from corpus.planner import check, decide, items_of, model_row
from corpus.planning import Action
from corpus.preparing import Preparer, parsers_of
from corpus.sources import open_source
from corpus.store import Store


def preview(config: Config, dsn: str, corpus: str, *, quick: bool = False) -> dict[str, Any]:
    """What a sync would do, changing nothing; `quick` parses nothing and knows of documents only."""
    settings = config.corpus(corpus)
    check(settings)
    with Store(dsn) as store:
        source = open_source(settings, config.home)
        decision = decide(settings, source, store)
        found: dict[str, Any] = {"documents": decision.counts(), "vanished": list(decision.vanished)}
        if quick:
            return found
        children = {"insert": 0, "keep": store.alive(corpus)["children"], "delete": 0}
        wanted: dict[bytes, Text] = {}  #: by the keys of their vectors
        items = items_of(settings, decision)
        published: set[UUID] = set()
        with parsers_of(settings) as sandbox:
            preparer = Preparer(settings, source, store, sandbox)
            for item, change in preparer.preview(item for item in items if item.batch is not None):
                if change is None:
                    found["documents"][COUNTED_AS[Action(item.action)]] -= 1
                    found["documents"]["quarantined"] += 1
                    continue
                published.add(item.document)
                children["insert"] += change.inserted
                children["delete"] += change.deleted
                children["keep"] -= change.deleted
                wanted |= change.texts
        gone = [
            item.document
            for item in items
            if item.action == Action.DELETED and (item.moved_to is None or item.moved_to in published)
        ]
        children["keep"] -= store.children_of(gone)
        model = store.find_model(model_row(embedder(settings.embedding)))
        wanted |= {key: text for text in store.published_without_vector(corpus, model) for key in text.keys}
        missing = store.missing_keys(model, wanted) if model is not None else set(wanted)
        tokens = sum({wanted[key].key: wanted[key].tokens for key in missing}.values())
        price = tokens * settings.embedding.price_per_million_tokens / 1_000_000
        return found | {"children": children, "tokens_to_embed": tokens, "price": price}
