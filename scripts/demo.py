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

from kerf_local import PROGRAMS, ROOT, Airflow, LocalError, home, say, start, stop

from corpus import config as configuration
from corpus.errors import ConfigError, KerfError

RUN_SECONDS = 900
QUESTION = "Why is time.perf_counter() used to measure how long a request took?"


def main() -> int:
    """Run the demo; the exit status."""
    corpora = list(configuration.load().corpora)
    began = time.monotonic()
    found_running = Airflow.saved(home())
    ours = not (found_running and found_running.is_alive())
    try:
        airflow = start(home(), schedules=False, say=lambda what: say(f"… {what}"))
        say(f"\nAirflow is up: {airflow.address} (user admin, password {airflow.password})")
        for title, again in (("First run", False), ("Second run: nothing changed, so nothing is done again", True)):
            say(f"\n{title}")
            runs = {corpus: airflow.trigger(f"corpus_sync_{corpus}") for corpus in corpora}
            for corpus, run_id in runs.items():
                counts = follow(airflow, corpus, run_id)
                say(f"  {corpus:<10} {summary(counts)}")
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


def follow(airflow: Airflow, corpus: str, run_id: str) -> dict[str, Any]:
    """Show a run's tasks as they go; the counts of what it did. Raises `LocalError` if it fails."""
    dag_id = f"corpus_sync_{corpus}"
    state = airflow.wait(
        dag_id, run_id, seconds=RUN_SECONDS, changed=lambda task, state: say(f"  {corpus:<10} {task:<48} {state}")
    )
    tasks = airflow.tasks(dag_id, run_id)
    if state != "success":
        failed = [task for task in tasks if task["state"] == "failed"]
        for task in failed[:1]:
            log = airflow.log(dag_id, run_id, task).splitlines()[-30:]
            say(f"\n{task['task_id']} failed; the end of its log:\n  " + "\n  ".join(log))
        raise LocalError(f"the run of {dag_id} failed: {', '.join(task['task_id'] for task in failed)}")
    path = f"dags/{dag_id}/dagRuns/{run_id}/taskInstances/publish/xcomEntries/return_value"
    return dict(airflow.call("GET", path, deserialize=True)["value"])


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
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")
    except KerfError as failure:
        sys.stderr.write(f"\n{failure}\n")
        sys.exit(2 if isinstance(failure, ConfigError) else 1)
