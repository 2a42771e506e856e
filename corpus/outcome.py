"""How a run ended: its counts, its state, and what is wrong with it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from corpus.config import Corpus
from corpus.planning import Action
from corpus.records import Row, Run
from corpus.store import Store

Counts = dict[str, int]

STAGES = ("plan", "prepare", "embed", "publish")  #: that are timed and counted, in their order
COUNTED = ("documents", "chunks", "tokens", "reused", "bytes", "seconds", "price")  #: of each
CHANGES = ("content", "moved", "restored", "parse", "cut", "embed", "metadata", "permissions", "forced")  #: why work

COUNTED_AS = {  #: what a person calls a document that a run prepares
    Action.NEW: "new",
    Action.REVIVED: "new",
    Action.CHANGED: "changed",
    Action.DUE: "changed",
    Action.MOVED: "moved",
}
_WAITS_FOR = {
    "planned": "it was never prepared",
    "deleted": "it is gone from the source and still served, because its new place, or the run, was not published",
    "staged": "its vectors are not all there",
    "failed": "it could not be prepared",
}


def summary(run: Run) -> dict[str, Any]:
    """A run as scripts read it."""
    row = run.row
    stages = in_stages(row["stages"])
    return {
        "run_id": run.id,
        "corpus": run.corpus,
        "kind": row["kind"],
        "state": row["state"],
        "error": row["error"],
        "documents": _in_order(row["documents"], ("new", "changed", "moved", "unchanged", "deleted", "quarantined")),
        "changes": _in_order(row["changes"], CHANGES),
        "parsed": row["parsed"],
        "children": _in_order(row["children"], ("inserted", "kept", "moved", "deleted")),
        "embedded": row["embedded"],
        "reused": row["reused"],
        "tokens": {"embedded": stages["embed"]["tokens"], "reused": stages["embed"]["reused"]},
        "bytes": sum(stage["bytes"] for stage in stages.values()),
        "price": sum(stage["price"] for stage in stages.values()),
        "rows_written": row["rows_written"],
        "seconds": {name: stage["seconds"] for name, stage in stages.items()},
    }


def described(run: Run) -> dict[str, Any]:
    """A run as an operator reads it: its summary, when it was, and why."""
    row = run.row
    took = ((row["finished_at"] or datetime.now(UTC)) - row["started_at"]).total_seconds()
    return summary(run) | {
        "key": row["key"],
        "started_at": row["started_at"],
        "finished_at": row["finished_at"],
        "took": round(took, 1),
        "interval": run.interval,
        "reprocess": row["reprocess"],
        "approved_by": row["approved_by"],
    }


def in_stages(stages: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each stage did, in their order, with zeros for what a stage did not do."""
    return {name: _in_order(stages.get(name, {}), COUNTED) for name in STAGES}


def _in_order(counts: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The database forgets the order of keys."""
    return {name: counts.get(name, 0) for name in names}


def documents(store: Store, run: Run) -> Counts:
    """Documents by action as they ended: what was not published counts as what became of it, or not at all."""
    counts: Counts = dict(run.row["planned"])
    for row in store.item_states(run.id):
        planned, state = COUNTED_AS.get(row["action"]), row["state"]
        if row["action"] == Action.DELETED and state in ("planned", "superseded"):  # it is still there
            counts["deleted"] = max(0, counts["deleted"] - (row["items"] - row["moved"]))
        if planned is None or state == "published":
            continue
        counts[planned] -= row["items"]
        if became := {"quarantined": "quarantined", "unchanged": "unchanged", "superseded": "unchanged"}.get(state):
            counts[became] += row["items"]
    return counts


def _reason(row: Row, *, unapproved: bool) -> str:
    waits_for = "deleted" if row["action"] == Action.DELETED else row["state"]
    if unapproved and waits_for == "staged":
        return "what its vectors would cost waits for somebody's word"
    return row["error"] or _WAITS_FOR[waits_for]


def verdict(store: Store, run: Run, settings: Corpus) -> tuple[str, str | None]:
    """The state of a run, and what is wrong with it."""
    unfinished = store.unfinished(run.id)
    if unfinished:
        spending = run.row["spending"]
        unapproved = bool(spending and spending["asks"] and not run.row["approved_by"])
        shown = "; ".join(f"{row['uri']}: {_reason(row, unapproved=unapproved)}" for row in unfinished[:10])
        more = f"; and {len(unfinished) - 10} more" if len(unfinished) > 10 else ""
        return "failed", f"{len(unfinished)} documents were not published: {shown}{more}"
    active = store.active_model(run.corpus)
    if active is not None and active["id"] != run.model_id:
        return "failed", (
            f"searches still ask the model {active['name']}: {settings.embedding.model} has no vector yet for some "
            "published texts, or a later run has chosen otherwise"
        )
    states: Counts = {}
    for row in store.item_states(run.id):
        if row["action"] not in (Action.QUARANTINED, Action.DELETED, Action.TOUCHED):
            states[row["state"]] = states.get(row["state"], 0) + row["items"]
    quarantined, tried = states.get("quarantined", 0), sum(states.values())
    limits = settings.limits
    if quarantined > limits.failed_documents and quarantined > limits.failed_share * tried:
        return "failed", (
            f"{quarantined} of {tried} documents went to quarantine, more than the corpus allows "
            f"({limits.failed_share:.0%} and more than {limits.failed_documents}); the others are published"
        )
    return "succeeded", None
