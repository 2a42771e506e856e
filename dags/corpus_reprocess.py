"""Does a part of a corpus again, though nothing says that it changed. By hand, and a dry run unless you say otherwise.

1. Trigger it with the corpus, a glob over addresses, the first stage to do again, and a reason. *Dry run* is on: the
   log of `plan` says what would be done, in documents, chunks, tokens, price and time. Nothing is written.
2. Trigger it again with *Dry run* off. The tasks are those of `corpus_sync_<corpus>`, and what is said of them there
   holds here: clear a failed task *with downstream*, answer `approve` under *Required Actions* if it asks.

| from stage | what is done again | what it costs |
|---|---|---|
| `parse` | read, parsed, cut | the source is read and parsed; only texts that come out different are embedded |
| `cut` | cut, from the stored parse | no file is read; only texts that come out different are embedded |
| `embed` | the vectors | every text of the documents goes through the model |

It deletes no document. The reason is kept with the run (`kerf runs`) and stands on the events of the asset
`corpus/<corpus>`; plans are events of `corpus/<corpus>/plan`. It may run beside a nightly sync of the same corpus.

You need it after something that Kerf cannot see: a parser that was mended by hand, vectors that are in doubt. A changed
recipe, model or parser version needs no reprocess: the next sync finds what it touches. To look whether the files of
some days are still what they were, backfill `corpus_sync_<corpus>`.
"""

from __future__ import annotations

from airflow.sdk import DAG, AssetAlias, Param
from corpus_runs import APPROVED, CONFIG, EVERY_DAG, dry_run
from corpus_stages import stages

with DAG(
    dag_id="corpus_reprocess",
    schedule=None,
    allowed_run_types=["manual", "operator_triggered"],  # type: ignore[list-item] # Airflow takes the names
    max_active_runs=4,
    params={
        "corpus": Param(type="string", enum=[*CONFIG.corpora], title="Corpus"),
        "glob": Param(
            "**",
            type="string",
            minLength=1,
            title="Documents",
            description="A glob over addresses, such as manuals/**/*.pdf, where ** crosses folders.",
        ),
        "from_stage": Param(
            "parse",
            type="string",
            enum=["parse", "cut", "embed"],
            title="From stage",
            description="The first stage that is done again, whatever is stored.",
        ),
        "reason": Param(
            type="string",
            minLength=1,
            title="Reason",
            description="Why; it is kept with the run, for whoever asks later.",
        ),
        "dry_run": dry_run(True),
        "approved": APPROVED,
    },
    tags=["kerf", "corpus"],
    doc_md=__doc__,
    **EVERY_DAG,
):
    stages("{{ params.corpus }}", outlet=AssetAlias("corpus_reprocess"))
