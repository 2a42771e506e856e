"""A person's word before a changed configuration is paid for. No DAG file: see `.airflowignore`."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk.exceptions import AirflowSkipException
from corpus_runs import ANSWER, CONFIG, database, planned_run

APPROVE, REJECT = "Approve", "Reject"
HOURS = ANSWER // timedelta(hours=1)

log = logging.getLogger(__name__)


class SpendingApproval(HITLOperator):
    """Waits for a person if the spending guard asks for one, and for nobody if it does not.

    A task that waits holds no slot and no process. Rejected, or not answered in time, it is skipped, and so are the
    batches of `embed` that it is about: `publish` goes on with what is ready, and `settle` fails the run. Airflow keeps
    the text of a question that is asked again as it first was; the log of each try has the figures of that try.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            subject="May this be embedded?",
            options=[APPROVE, REJECT],
            defaults=REJECT,
            response_timeout=ANSWER,
            execution_timeout=timedelta(minutes=10),
            **options,
        )

    def execute(self, context: Any) -> None:
        """Ask, or go on at once."""
        from corpus import pipeline

        run = planned_run()
        spending = pipeline.spending(CONFIG, database(), run)
        log.info("%s", spending.said)
        if not spending.asks:
            return
        if context["params"]["approved"]:
            self._approve(run, context["dag_run"].triggering_user_name or "whoever started the run")
            return
        self.subject = f"May {spending.tokens:,} tokens be embedded for {spending.price:,.4f}?"
        self.body = (
            f"{spending.said}.\n\n"
            f"- tokens: **{spending.tokens:,}** of {spending.documents:,} documents\n"
            f"- price: **{spending.price:,.4f}**\n"
            f"- because of: {spending.because}\n\n"
            f"*{APPROVE}*: they are embedded, and the documents published. *{REJECT}*, or no answer within {HOURS} "
            "hours: they are not, the run fails, and the rest of it is published all the same."
        )
        super().execute(context)

    def execute_complete(self, context: Any, event: dict[str, Any]) -> None:
        """Go on with the answer. Skips this task if it was no."""
        answer = super().execute_complete(context, event)
        person = answer["responded_by_user"]
        if answer["chosen_options"] == [APPROVE]:
            self._approve(planned_run(), person["name"])
            return
        said = f"{person['name']} rejected it" if person else f"nobody answered within {HOURS} hours"
        context["ti"].xcom_push(key="refused", value=said)
        raise AirflowSkipException(said)

    def _approve(self, run: int, by: str) -> None:
        from corpus import pipeline

        pipeline.approve(CONFIG, database(), run, by=by)
        log.info("approved by %s", by)
