"""Keeps a corpus in step with its source, every night, at the cost of what changed.

`plan` lists the source and holds it against the ledger. `prepare` (one task for each batch of documents) reads, parses,
cuts and stages what is new. `plan_embeddings` and `embed` fill in the vectors that are missing. `publish` makes each
document's new version visible, in a transaction of its own. `settle` fails the run if a batch failed or too many
documents did, after everything that was ready has been published.

- **Nothing changed**: `prepare` and `embed` are skipped, the run succeeds and writes nothing but its own record.
- **What would it do?** Trigger it with *Dry run*: the log of `plan` says it, in documents, chunks, tokens, price and
  time; the rest is skipped, nothing is written.
- **A batch failed**: the others are published and the run fails. Clear the failed task *with downstream*: it goes on
  where it stopped. Clear `plan` *with downstream* to start anew. Either may be done while the run goes on.
- **Too many documents vanished**: `plan` fails and lists them; nothing is deleted. If that is right, trigger the DAG
  with *Allow mass deletion*.
- **`approve` waits**: the configuration changed so much that embedding it again costs more than the corpus'
  `spending_guard` lets pass. The question, with its tokens, its price and its reason, stands under *Required Actions*
  and waits for twelve hours; meanwhile the corpus is served as it was, and no other scheduled run of it starts. After
  *Reject* or no answer, clear `approve` *with downstream* to be asked again, or set the configuration back. A run that
  is triggered with *Approve spending* does not ask.
- **Backfill** of an interval verifies the documents modified in it (or, if the source has a `partition`, those that
  live in its folders) and deletes nothing. Repeated, it does nothing; *Reprocess behavior: completed* runs intervals
  again that were done before.

To have documents done again though nothing changed, use `corpus_reprocess`. Documents that cannot be parsed do not fail
a run: see `kerf quarantine list`.
"""

from __future__ import annotations

from airflow.sdk import DAG, CronDataIntervalTimetable, Param
from corpus_runs import APPROVED, CONFIG, EVERY_DAG, dry_run
from corpus_stages import corpus_asset, stages

from corpus.config import Corpus


def corpus_sync(corpus: Corpus) -> DAG:
    """The nightly sync of one corpus."""
    with DAG(
        dag_id=f"corpus_sync_{corpus.name}",
        schedule=CronDataIntervalTimetable(corpus.schedule, timezone="UTC") if corpus.schedule else None,
        max_active_runs=1,
        params={
            "dry_run": dry_run(False),
            "allow_mass_delete": Param(
                False,
                type="boolean",
                title="Allow mass deletion",
                description="Delete vanished documents even if there are more of them than the deletion guard allows.",
            ),
            "approved": APPROVED,
        },
        tags=["kerf", "corpus", corpus.name],
        doc_md=__doc__,
        **EVERY_DAG,
    ) as dag:
        stages(corpus.name, outlet=corpus_asset(corpus.name))
    return dag


for _corpus in CONFIG.corpora.values():
    corpus_sync(_corpus)
