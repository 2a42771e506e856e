"""`make demo`: the nightly sync of every corpus of `corpora.yaml` under a real scheduler, twice, and a question.

The first run does the work; the second shows that nothing is computed again. Whatever this started is stopped when it
ends, also by Ctrl-C. Exit status 0, or 1 when a run failed: then the log of the failed task is shown.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any, NoReturn

from kerf_local import PROGRAMS, ROOT, home, say, start, stop
from local_airflow import USER, Airflow, LocalError, task_name

from corpus import config as configuration
from corpus.errors import ConfigError, KerfError

RUN_SECONDS = 900
RESULT = "dags/{dag_id}/dagRuns/{run_id}/taskInstances/publish/xcomEntries/return_value"
QUESTION = "Why is time.perf_counter() used to measure how long a request took?"


def main() -> int:
    """Run the demo; the exit status."""
    corpora = list(configuration.load().corpora)
    began = time.monotonic()
    found_running = Airflow.saved(home())
    ours = not (found_running and found_running.is_alive())
    try:
        airflow = start(home(), schedules=False, say=lambda what: say(f"… {what}"))
        say(f"\nAirflow is up: {airflow.address} (user {USER}, password {airflow.password})")
        for title, again in (("First run", False), ("Second run: nothing changed, so nothing is done again", True)):
            say(f"\n{title}")
            for corpus, counts in run(airflow, corpora).items():
                say(f"  {corpus}: {summary(counts)}")
                if again:
                    check_nothing_done(corpus, counts)
            if not again:
                ask(corpora[0])
    finally:
        if ours:
            say("\nstopping what was started")
            stop(home())
    say(f"done in {time.monotonic() - began:.0f} s; `make up` keeps it running")
    return 0


def run(airflow: Airflow, corpora: list[str]) -> dict[str, dict[str, Any]]:
    """Sync the corpora, showing their tasks as they go; what each run counted. Raises `LocalError` if one fails."""
    runs = {f"corpus_sync_{corpus}": airflow.trigger(f"corpus_sync_{corpus}") for corpus in corpora}
    states = airflow.wait(runs, seconds=RUN_SECONDS, changed=show)
    say()
    for dag_id, run_id in runs.items():
        if states[dag_id] != "success":
            show_failure(airflow, dag_id, run_id)
            raise LocalError(f"the run of {dag_id} failed")
    return {
        corpus: airflow.call("GET", RESULT.format(dag_id=dag_id, run_id=run_id), deserialize=True)["value"]
        for corpus, (dag_id, run_id) in zip(corpora, runs.items(), strict=True)
    }


def show(dag_id: str, task: str, state: str) -> None:
    """A line for a task that started or ended."""
    if state not in ("scheduled", "queued"):
        say(f"  {dag_id.removeprefix('corpus_sync_'):<12} {task:<44} {state}")


def show_failure(airflow: Airflow, dag_id: str, run_id: str) -> None:
    """The end of the log of the first task that failed."""
    failed = [task for task in airflow.tasks(dag_id, run_id) if task["state"] == "failed"]
    for task in sorted(failed, key=lambda task: task["end_date"])[:1]:
        say(f"{task_name(task)} of {dag_id} failed; the end of its log:")
        for line in airflow.log(dag_id, run_id, task).splitlines()[-30:]:
            say(f"  {line}")


def summary(counts: dict[str, Any]) -> str:
    """What a run did, in a line."""
    documents = ", ".join(f"{number} {what}" for what, number in counts["documents"].items() if number)
    children = ", ".join(f"{number} {what}" for what, number in counts["children"].items() if number)
    return (
        f"documents: {documents or 'none'}; parsed {counts['parsed']}; children: {children or 'none'};"
        f" embedded {counts['embedded']}; {counts['rows_written']} rows written"
    )


def check_nothing_done(corpus: str, counts: dict[str, Any]) -> None:
    """Raise `LocalError` if a run over an unchanged corpus computed or wrote anything."""
    done = {what: counts[what] for what in ("parsed", "embedded", "rows_written") if counts[what]}
    if done:
        raise LocalError(f"nothing changed in {corpus}, and yet the second run counts {done}")


def ask(corpus: str) -> None:
    """Ask the first corpus something, as a user would."""
    say(f'\n$ kerf search {corpus} "{QUESTION}" --limit 1')
    command = [str(PROGRAMS / "kerf"), "search", corpus, QUESTION, "--limit", "1"]
    if subprocess.run(command, check=False, cwd=ROOT).returncode:  # noqa: S603 -- our own command line
        raise LocalError("kerf search failed")


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")
    except KerfError as failure:
        sys.stderr.write(f"\n{failure}\n")
        sys.exit(2 if isinstance(failure, ConfigError) else 1)
