"""Airflow and the embedded database on this machine: `make up`, `make down`, and what the demo and the tests start.

Everything lies under `KERF_HOME` (default `.kerf`): the database in `postgres/`, Airflow's home in `airflow/`, with its
logs and `running.json`, which says what was started. Airflow's metadata is a database of its own beside the corpus
database, named `<corpus database>_airflow`. Nothing listens on anything but 127.0.0.1.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
from local_airflow import (
    HOST,
    POLL_SECONDS,
    USER,
    Airflow,
    LocalError,
    Process,
    kept_secrets,
    log_file,
    note,
    tail,
    write_private,
)
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from corpus import config as configuration
from corpus import database
from corpus.errors import ConfigError, KerfError
from corpus.migrations import migrate

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(sys.executable).parent  #: of the virtual environment
PREFERRED_PORT = 8080

# The processes, in the order in which they stop: nobody is left without an API server to report to.
# Nothing that Kerf runs defers, and a task that waits for a person's word waits in the scheduler, so there is no
# triggerer. Logs are read from the disk, so nobody serves them.
COMPONENTS = {
    "scheduler": ["scheduler", "--skip-serve-logs"],
    "dag-processor": ["dag-processor"],
    "api-server": ["api-server", "--host", HOST],
}
CORES = len(os.sched_getaffinity(0))
PARALLELISM = max(2, min(4, CORES))  #: tasks at a time
POOLS = {"parsing": PARALLELISM, "embedding": 1}  #: slots; a task in a pool that does not exist never starts
HEALTHY_SECONDS = 240
STOP_SECONDS = 20

_started: list[subprocess.Popen[bytes]] = []  #: held, because what is let go of while it runs is warned of


def home() -> Path:
    """`KERF_HOME`, or `.kerf` in the project."""
    return Path(os.environ.get("KERF_HOME") or ROOT / ".kerf").absolute()


def start(
    home: Path,
    *,
    schedules: bool,
    dsn: str | None = None,
    settings: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Airflow:
    """Start the database and Airflow, or find them running; returns when every corpus has its DAG.

    With `schedules` the nightly runs come by themselves, the last night's at once. `dsn` names the corpus database
    (default: as `kerf` finds it), `settings` are environment variables that come on top. Raises `ConfigError` and
    `LocalError`; nothing is left running then.
    """
    corpora = configuration.load().corpora
    running = Airflow.saved(home)
    if running and running.is_alive():
        return running
    if running:
        running.close()
        stop(home)
    (home / "airflow" / "logs").mkdir(parents=True, exist_ok=True)
    (home / "airflow").chmod(0o700)
    database_is_ours = dsn is None and database.running(home) is None
    say("database")
    dsn = dsn or database.dsn(home)
    database_is_ours = database_is_ours and database.running(home) is not None
    airflow = Airflow(home, _free_port(), {}, database_is_ours=database_is_ours)
    airflow.save()
    try:
        migrate(dsn)
        variables = environment(home, dsn, _metadata(dsn), port=airflow.port, schedules=schedules) | dict(
            settings or {}
        )
        say("migrating Airflow's database")
        _run_once("db migrate", ["db", "migrate"], home, variables)
        say(f"starting {', '.join(COMPONENTS)}")
        for name, command in COMPONENTS.items():
            airflow.processes[name] = _spawn(name, command, home, variables)
            airflow.save()
        _await_healthy(airflow)
        for name, slots in POOLS.items():
            pool = {"name": name, "slots": slots, "include_deferred": False}
            with suppress(LocalError):  # it is there already
                airflow.call("POST", "pools", pool)
        say("waiting for the DAGs")
        _await_dags(airflow, {"corpus_reprocess", *(f"corpus_sync_{name}" for name in corpora)})
    except BaseException:
        airflow.close()
        stop(home)
        raise
    return airflow


def stop(home: Path, *, with_database: bool = False) -> bool:
    """Stop what was started in this home, and only that; False if nothing was.

    The embedded server goes too if it was started together with Airflow, or else `with_database`.
    """
    with _uninterrupted():
        running = Airflow.saved(home)
        stopped = False
        if running:
            stopped = _end(running.processes.values())
            with_database = with_database or running.database_is_ours
            running.close()
        if with_database:
            stopped = database.stop(home) or stopped
        note(home).unlink(missing_ok=True)
        return stopped


def environment(home: Path, dsn: str, metadata: str, *, port: int, schedules: bool) -> dict[str, str]:
    """The environment of Airflow's processes and of the tasks that they start."""
    if "://" not in dsn:
        raise ConfigError("Airflow needs the address of the database as a URI", hint="postgresql://user@host/database")
    known = kept_secrets(home)
    passwords = home / "airflow" / "passwords.json"
    write_private(passwords, json.dumps({USER: known["password"]}))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW_")}
    threads = str(min(2, CORES))
    return inherited | {
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": str(ROOT),
        "KERF_CONFIG": str(configuration.default_path().absolute()),
        "KERF_HOME": str(home),
        "AIRFLOW_HOME": str(home / "airflow"),
        "AIRFLOW_CONN_CORPUS_DB": dsn,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database.sqlalchemy_uri(metadata),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "30",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": str(PARALLELISM),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://{HOST}:{port}/execution/",
        "AIRFLOW__CORE__FERNET_KEY": known["fernet"],
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{USER}:ADMIN",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__API__BASE_URL": f"http://{HOST}:{port}",
        "AIRFLOW__API__HOST": HOST,
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API__SECRET_KEY": known["api"],
        "AIRFLOW__API_AUTH__JWT_SECRET": known["jwt"],
        # A task's token outlives a long batch, and a busy machine that misses some heartbeats does not lose it.
        "AIRFLOW__EXECUTION_API__JWT_EXPIRATION_TIME": "3600",
        "AIRFLOW__WORKERS__MAX_FAILED_HEARTBEATS": "20",
        "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": str(schedules),
        "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE", "1"),
        "DO_NOT_TRACK": "1",
    }


def _metadata(dsn: str) -> str:
    """Airflow's own database, beside the corpus database; made if it is missing."""
    given = conninfo_to_dict(dsn)
    name = f"{given.get('dbname') or given.get('user')}_airflow"
    with database.open_connection(dsn, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return make_conninfo(dsn, dbname=name)


def _free_port() -> int:
    """8080 if nobody has it, or else any."""
    for port in (PREFERRED_PORT, 0):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that have just ended do not count
            probe.bind((HOST, port))
            return int(probe.getsockname()[1])
    raise LocalError(f"no port of {HOST} is free")


def _spawn(name: str, command: list[str], home: Path, variables: Mapping[str, str]) -> Process:
    with log_file(home, name).open("ab") as output:
        started = subprocess.Popen(  # noqa: S603 -- our own command line
            [str(PROGRAMS / "airflow"), *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=dict(variables),
            start_new_session=True,  # Ctrl-C is for us; we stop it in order
        )
    _started.append(started)
    return Process(started.pid, psutil.Process(started.pid).create_time())


def _run_once(what: str, command: list[str], home: Path, variables: Mapping[str, str]) -> None:
    log = log_file(home, command[0])
    with log.open("ab") as output:
        done = subprocess.run(  # noqa: S603 -- our own command line
            [str(PROGRAMS / "airflow"), *command],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=dict(variables),
        )
    if done.returncode:
        raise LocalError(f"airflow {what} failed: {tail(log)}")


def _await_healthy(airflow: Airflow) -> None:
    deadline = time.monotonic() + HEALTHY_SECONDS
    health: Any = "no answer"
    while time.monotonic() < deadline:
        airflow.check()
        with suppress(httpx.TransportError, LocalError):
            health = airflow.call("GET", "monitor/health")
            if all(health[part]["status"] == "healthy" for part in ("metadatabase", "scheduler", "dag_processor")):
                return
        time.sleep(POLL_SECONDS)
    raise LocalError(f"Airflow is not healthy: {health}", hint=f"see {log_file(airflow.home, '*')}")


def _await_dags(airflow: Airflow, wanted: set[str]) -> None:
    deadline = time.monotonic() + HEALTHY_SECONDS
    while time.monotonic() < deadline:
        airflow.check()
        found = {dag["dag_id"] for dag in airflow.call("GET", "dags", limit=1000)["dags"]}
        if wanted <= found:
            return
        for error in airflow.call("GET", "importErrors")["import_errors"]:
            raise LocalError(f"{error['filename']} cannot be imported: {error['stack_trace']}")
        time.sleep(POLL_SECONDS)
    raise LocalError(f"Airflow has not found {', '.join(sorted(wanted))}", hint=f"see {log_file(airflow.home, '*')}")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let nobody who presses Ctrl-C twice keep half of it running."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(processes: Iterable[Process]) -> bool:
    """Ask the processes to end, then see to it, for them and for all that they started."""
    leaders = [found for process in processes if (found := process.find())]
    family = {found.pid: found for leader in leaders for found in (leader, *_children(leader))}
    for leader in leaders:
        with suppress(psutil.NoSuchProcess):
            leader.terminate()
        psutil.wait_procs([leader], timeout=STOP_SECONDS)
    _, left = psutil.wait_procs(list(family.values()), timeout=1)
    for survivor in left:
        with suppress(psutil.NoSuchProcess):
            survivor.kill()
    psutil.wait_procs(left, timeout=STOP_SECONDS)
    for child in _started:
        child.poll()
    return bool(leaders)


def _children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return list(process.children(recursive=True))
    return []


def say(text: str = "") -> None:
    """Print a line, now."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """`up` or `down`; the exit status."""
    if arguments == ["up"]:
        airflow = start(home(), schedules=True, say=lambda what: say(f"… {what}"))
        say(f"\nAirflow runs on {airflow.address}\n  user      {USER}\n  password  {airflow.password}")
        say("Each corpus is synced at its time, the last night's run at once. `make down` stops it.")
        return 0
    if arguments == ["down"]:
        say("stopped" if stop(home(), with_database=True) else "nothing was running")
        return 0
    say("usage: kerf_local.py up|down")
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KerfError as failure:
        sys.stderr.write(f"{failure}\n")
        sys.exit(2 if isinstance(failure, ConfigError) else 1)
